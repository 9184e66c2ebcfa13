"""A disc of linear triangles that hits a rigid wall, with all unknowns and small steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

Array = NDArray[np.float64]


def triangles(
    nodes: Array, cells: NDArray[np.int64], E: float, nu: float, rho: float
) -> tuple[sparse.csc_array, sparse.csc_array]:
    """Return M and K of plane stress, with unknowns x, y of each node. E and rho are per area."""
    D = E / (1.0 - nu**2) * np.array([[1.0, nu, 0.0], [nu, 1.0, 0.0], [0.0, 0.0, 0.5 * (1.0 - nu)]])
    n = 2 * len(nodes)
    M, K = sparse.lil_array((n, n)), sparse.lil_array((n, n))
    unit = rho / 12.0 * np.kron(np.ones((3, 3)) + np.eye(3), np.eye(2))
    for cell in cells:
        (x_1, y_1), (x_2, y_2), (x_3, y_3) = nodes[cell]
        b = np.array([y_2 - y_3, y_3 - y_1, y_1 - y_2])
        c = np.array([x_3 - x_2, x_1 - x_3, x_2 - x_1])
        area = 0.5 * (b[0] * c[1] - b[1] * c[0])
        B = np.zeros((3, 6))
        B[0, 0::2], B[1, 1::2], B[2, 0::2], B[2, 1::2] = b, c, c, b
        B /= 2.0 * area
        at = np.column_stack([2 * cell, 2 * cell + 1]).ravel()
        K[np.ix_(at, at)] += area * B.T @ D @ B
        M[np.ix_(at, at)] += area * unit
    return M.tocsc(), K.tocsc()


@dataclass(frozen=True)
class Bounce:
    """The history of the impact."""

    t: Array
    """Times in s, shape (n,)."""
    force: Array
    """Total forces averaged over steps in N, shape (n,)."""
    velocity: float
    """Final velocity of the centre of mass away from the wall in m/s."""

    @property
    def duration(self) -> float:
        """The time from the first to the last force in s."""
        pressed = self.t[self.force > 0.0]
        return float(pressed[-1] - pressed[0])


def bounce(
    nodes: Array, cells: NDArray[np.int64], data: dict[str, float], speed: float, gap: float,
    touching: NDArray[np.int64], step: float, t_end: float,
) -> Bounce:  # fmt: skip
    """Simulate by the midpoint rule with non-approaching velocities of closed nodes.

    The wall is on the right, `gap` ahead of the foremost node.
    """
    M, K = triangles(nodes, cells, **data)
    wall = nodes[:, 0].max() + gap
    solve = splu((M + 0.25 * step**2 * K).tocsc())
    W = np.zeros((M.shape[0], len(touching)))
    W[2 * touching, np.arange(len(touching))] = -1.0
    X = solve.solve(W)
    G = W.T @ X
    u, v = np.zeros(M.shape[0]), np.zeros(M.shape[0])
    v[0::2] = speed
    first = wall - nodes[touching, 0]
    times, forces = [], []
    for k in range(round(t_end / step)):
        ahead = v - step * solve.solve(K @ (u + 0.5 * step * v))
        closed = first + W.T @ (u + 0.5 * step * v) <= 0.0
        p = _impulses(G, W.T @ ahead, closed)
        after = ahead + X @ p
        u += 0.5 * step * (v + after)
        v = after
        times.append((k + 1) * step)
        forces.append(p.sum() / step)
    mass = M[0::2, 0::2].sum()
    momentum = float((M @ v)[0::2].sum())
    return Bounce(np.array(times), np.array(forces), -momentum / mass)


def _impulses(G: Array, free: Array, closed: NDArray[np.bool_]) -> Array:
    """Solve 0 <= G p + free ⟂ p >= 0 of closed nodes by an active-set iteration."""
    p = np.zeros(len(free))
    active = closed & (free < 0.0)
    for _ in range(2 * len(free) + 2):
        p[:] = 0.0
        if active.any():
            p[active] = np.linalg.solve(G[np.ix_(active, active)], -free[active])
        pulls, sinks = active & (p < 0.0), closed & ~active & (G @ p + free < 0.0)
        if not pulls.any() and not sinks.any():
            return p
        active = (active & ~pulls) | sinks
    raise AssertionError("contacts of the reference do not settle")

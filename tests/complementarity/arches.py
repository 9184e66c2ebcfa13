"""Generated problems of arches: faces in contact at four corners each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity import friction
from tests.complementarity.sparse_piles import GRAVITY, directions

Array = NDArray[np.float64]


def arch_problem(
    seed: int, n: int = 12, thickness: float = 0.1, depth: float = 0.5, apart: float = 1e-4
) -> tuple[friction.FrictionProblem, Array, Array]:
    """Return a step of a semicircular arch of n voussoirs, and W, q of its local form.

    The springings are fixed, the radius is 1 m, mu = 0.7. All joints are to close, but each one
    asks for a motion of its two stones that is tilted by random parts of `apart`, m/s. For plane
    faces such a motion of two stones is possible; around the ring, the joints also ask for motion
    out of plane.
    """
    rng = np.random.default_rng(seed)
    mass, step, mu = 1.0, 1e-3, 0.7
    middle = (np.arange(n) + 0.5) * np.pi / n
    centre = np.column_stack([np.cos(middle), np.zeros(n), np.sin(middle)])
    M = np.zeros((6 * n, 6 * n))
    f = np.zeros(6 * n)
    edge = np.pi / n
    for k in range(n):
        c, s = np.cos(middle[k]), np.sin(middle[k])
        axes = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])  # radial, deep, along
        sizes = np.array([thickness, depth, edge]) ** 2
        inertia = mass / 12.0 * (sizes.sum() - sizes)
        M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = mass * np.eye(3)
        M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = axes @ np.diag(inertia) @ axes.T
        f[6 * k + 2] = -mass * GRAVITY * step
    columns, w = [], []
    for joint in range(n + 1):
        angle = joint * np.pi / n
        c, s = np.cos(angle), np.sin(angle)
        axes = np.array([[-s, c, 0.0], [0.0, 0.0, 1.0], [c, s, 0.0]])  # normal, radial, deep
        tilt = apart * rng.uniform(0.0, 1.0, 3) * np.array([1.0, 0.5, 0.5])
        for out in (-0.5, 0.5):
            for side in (-0.5, 0.5):
                radius = 1.0 + out * thickness
                point = np.array([radius * c, side * depth, radius * s])
                rows = np.zeros((6 * n, 3))
                for stone, sign in ((joint - 1, -1.0), (joint, 1.0)):
                    if 0 <= stone < n:
                        rows[6 * stone : 6 * stone + 6] = sign * directions(
                            point - centre[stone], axes
                        )
                columns.append(rows)
                w += [tilt[0] + 2.0 * (out * tilt[1] + side * tilt[2]), 0.0, 0.0]
    H = np.hstack(columns)
    W = H.T @ np.linalg.solve(M, H)
    q = H.T @ np.linalg.solve(M, f) + np.array(w)
    problem = friction.FrictionProblem.from_bodies(M, H, f, np.array(w), np.full(4 * n + 4, mu))
    return problem, (W + W.T) / 2.0, q

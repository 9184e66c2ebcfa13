"""First events of planar linear systems, by SciPy between events and enumeration of modes at them.

The system is ``M q̈ + D q̇ + K q = f(t)`` with gaps ``w_N·q + gap + v_N t``, Coulomb friction and
Poisson impacts. A run stops with a reason where the laws have several solutions, where impacts
accumulate, or where an impact grazes. Only unique motions are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from tests.oracles.contact_modes import distinct, poisson, solve

Array = NDArray[np.float64]
AT_REST = 1e-9  # m/s, m/s², smaller values count as zero
GRAZING = 1e-4  # m/s
FLIGHT = 1e-5  # s between impacts; shorter ones accumulate


@dataclass
class System:
    M: Array
    K: Array
    D: Array
    force: Callable[[float], Array]
    W_N: Array
    W_T: Array
    gap: Array
    v_N: Array
    v_T: Array
    mu: Array
    e_N: Array

    def gaps(self, t: float, q: Array) -> Array:
        return q @ self.W_N + self.gap + self.v_N * t

    def free(self, t: float, q: Array, u: Array) -> Array:
        return np.asarray(np.linalg.solve(self.M, self.force(t) - self.D @ u - self.K @ q))


@dataclass
class Motion:
    """A motion up to `t`. `end` is the reason for its end."""

    t: float = 0.0
    end: str = ""
    impacts: list[float] = field(default_factory=list)
    changes: list[float] = field(default_factory=list)
    pieces: list[tuple[float, float, Callable[[float], Array]]] = field(default_factory=list)

    def at(self, t: float) -> Array:
        """Return q and u, shape (2 n,)."""
        for begin, end, dense in self.pieces:
            if begin <= t <= end:
                return dense(t)
        raise ValueError(f"t: expected a time of the motion, got {t}")


class _Stop(Exception):
    pass


def run(s: System, q: Array, u: Array, t_end: float, most: int = 12) -> Motion:
    """Return the motion to `t_end` or up to `most` instants."""
    n, motion = len(s.M), Motion()
    q, u = np.array(q, float), np.array(u, float)
    try:
        closed = s.gaps(0.0, q) < 1e-12
        while True:
            u, modes, is_impact = _instant(s, motion.t, q, u, closed)
            if is_impact:
                motion.impacts.append(motion.t)
            if len(motion.changes) >= most:
                raise _Stop("enough")
            t, y, closed = _flow(s, motion, q, u, modes, t_end)
            if t - motion.t < FLIGHT and t < t_end:
                raise _Stop("accumulation")
            q, u, motion.t = y[:n], y[n:], t
            if t >= t_end:
                raise _Stop("end")
            motion.changes.append(t)
    except _Stop as reason:
        motion.end = str(reason)
    return motion


def _instant(
    s: System, t: float, q: Array, u: Array, closed: Array
) -> tuple[Array, list[str], bool]:
    """Return final velocities, modes of all contacts, and whether there was an impact."""
    Minv = np.linalg.inv(s.M)
    I = np.flatnonzero(closed)
    W_N, W_T, v_N, v_T = s.W_N[:, I], s.W_T[:, I], s.v_N[I], s.v_T[I]
    is_impact = False
    speed = W_N.T @ u + v_N
    if (speed < -AT_REST).any():
        if (np.abs(speed[speed < -AT_REST]) < GRAZING).any():
            raise _Stop("grazing")
        if len(I) > 4:
            raise _Stop("many contacts")
        ends = poisson(Minv, W_N, W_T, u, v_N, v_T, s.mu[I], s.e_N[I])
        if len(ends) != 1:
            raise _Stop("no single impact" if ends else "no impact")
        u, is_impact = ends[0], True
    modes = ["open"] * len(s.gap)
    resting = np.abs(W_N.T @ u + v_N) < AT_REST
    if not resting.any():
        return u, modes, is_impact
    I, W_N, W_T, v_N, v_T = I[resting], *(x[..., resting] for x in (W_N, W_T, v_N, v_T))
    if len(I) > 5:
        raise _Stop("many contacts")
    slip = W_T.T @ u + v_T
    if ((np.abs(slip) > AT_REST) & (np.abs(slip) < GRAZING) & (s.mu[I] > 0.0)).any():
        raise _Stop("grazing")
    sliding = np.where(np.abs(slip) > AT_REST, np.sign(slip), 0.0)
    zero = np.zeros(len(I))
    answers = solve(Minv, W_N, W_T, s.free(t, q, u), zero, zero, s.mu[I], sliding)
    answers = distinct(answers)
    if len(answers) != 1:
        raise _Stop("no single acceleration" if answers else "no acceleration")
    rate_N, rate_T = W_N.T @ answers[0].value, W_T.T @ answers[0].value
    for j, i in enumerate(I):
        force = answers[0].lambda_N[j]
        if rate_N[j] > AT_REST:
            modes[i] = "open"
        elif force < 1e-6:
            raise _Stop("no force")  # closed by chance
        elif s.mu[i] == 0.0:
            modes[i] = "smooth"
        elif sliding[j] != 0.0:
            modes[i] = "+" if sliding[j] > 0.0 else "-"
        elif abs(rate_T[j]) > 1e-6:
            modes[i] = "+" if rate_T[j] > 0.0 else "-"
        else:
            modes[i] = "stick"
    return u, modes, is_impact


def _flow(
    s: System, motion: Motion, q: Array, u: Array, modes: list[str], t_end: float
) -> tuple[float, Array, Array]:
    """Integrate to the next change. Return its time, its state and the closed contacts."""
    n, Minv = len(s.M), np.linalg.inv(s.M)
    held = [i for i, mode in enumerate(modes) if mode != "open"]
    stick = [i for i in held if modes[i] == "stick"]
    share = np.array([{"+": -s.mu[i], "-": s.mu[i]}.get(modes[i], 0.0) for i in held])
    E = np.column_stack([s.W_N[:, held] + share * s.W_T[:, held], s.W_T[:, stick]])
    R = np.column_stack([s.W_N[:, held], s.W_T[:, stick]])
    if R.shape[1] and np.linalg.matrix_rank(R.T @ Minv @ E, tol=1e-9) < R.shape[1]:
        raise _Stop("dependent contacts")
    inverse = np.linalg.inv(R.T @ Minv @ E)

    def forces(t: float, y: Array) -> Array:
        return np.asarray(-inverse @ (R.T @ s.free(t, y[:n], y[n:])))

    def rate(t: float, y: Array) -> Array:
        a = s.free(t, y[:n], y[n:]) + Minv @ (E @ forces(t, y))
        return np.concatenate([y[n:], a])

    def indicators(t: float, y: Array) -> Array:
        """Return values that are positive while the modes last."""
        found = list(s.gaps(t, y[:n])[[i for i, m in enumerate(modes) if m == "open"]])
        value = forces(t, y)
        slip = s.W_T.T @ y[n:] + s.v_T
        for j, i in enumerate(held):
            found.append(value[j])
            if modes[i] in "+-":
                found.append(slip[i] if modes[i] == "+" else -slip[i])
            if modes[i] == "stick":
                k = len(held) + stick.index(i)
                found += [s.mu[i] * value[j] - value[k], s.mu[i] * value[j] + value[k]]
        return np.array(found)

    t0 = motion.t
    y0 = np.concatenate([q, u])
    sol = solve_ivp(
        rate, (t0, t_end), y0, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True,
        max_step=0.05,
    )  # fmt: skip
    grid = np.unique(
        np.concatenate([np.linspace(a, b, 12) for a, b in zip(sol.t[:-1], sol.t[1:], strict=True)])
    )
    grid = grid[grid > t0 + 1e-7]  # zeros at the start belong to the previous event
    values = np.array([indicators(t, sol.sol(t)) for t in grid])
    below = (values < 0.0).any(axis=1) if values.size else np.zeros(len(grid), bool)
    if not below.any():
        motion.pieces.append((t0, t_end, sol.sol))
        return t_end, sol.y[:, -1], np.zeros(0, bool)
    k = int(np.argmax(below))
    if k == 0:
        raise _Stop("accumulation")
    roots = []
    for column in np.flatnonzero(values[k] < 0.0):
        if values[k - 1, column] <= 0.0:
            raise _Stop("touching")
        roots.append(
            brentq(
                lambda t, c=column: indicators(t, sol.sol(t))[c], grid[k - 1], grid[k], xtol=1e-14
            )
        )
    first = min(roots)
    if sum(root - first < 1e-7 for root in roots) > 1:
        raise _Stop("two at once")
    y = sol.sol(first)
    motion.pieces.append((t0, first, sol.sol))
    return first, y, s.gaps(first, y[:n]) < 1e-9

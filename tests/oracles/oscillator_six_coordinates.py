"""An oscillator on an oblique plane in all six coordinates, by time-stepping at velocity level.

This is a second solution of the motion of `oscillator_wosle_pfeiffer`, which documents the data. No
contact states are distinguished. Every step solves the three frictional contacts (nine dependent
rows) by projected Gauss-Seidel. The formulas are those of section 7 of the paper with errata
corrected. Gaps and tangential velocities are the definition, from which all derivatives follow. q =
(x, y, z, alpha, beta, gamma); tangential rows in pairs (x, y) for feet 1, 2, 3.
"""

from __future__ import annotations

from math import cos, hypot, sin

import numpy as np
from numpy.typing import NDArray

from tests.oracles.oscillator_wosle_pfeiffer import Oscillator

Array = NDArray[np.float64]


def mass(osc: Oscillator, q: Array) -> Array:
    c, s = cos(q[5]), sin(q[5])
    m = np.diag([osc.m, osc.m, osc.m, 0.0, 0.0, osc.C])
    m[3, 3], m[4, 4] = osc.A * c * c + osc.B * s * s, osc.A * s * s + osc.B * c * c
    m[3, 4] = m[4, 3] = (osc.A - osc.B) * c * s
    m[3, 5] = m[5, 3] = osc.C * q[4]
    return m


def force(osc: Oscillator, t: float, q: Array, u: Array) -> Array:
    """Return h(t, q, qdot)."""
    c, s, co, si = cos(osc.Omega * t), sin(osc.Omega * t), cos(q[5]), sin(q[5])
    weight, f, l_2 = osc.m * osc.g, osc.F_0, osc.l_2
    l_1, l_3 = osc.l_1 - osc.Delta_a * c, osc.l_3 + osc.Delta_h * s
    diff, mixed = (osc.A - osc.B) * (1.0 - 2.0 * co * co), 2.0 * (osc.A - osc.B) * co * si
    return np.array(
        [
            weight * sin(osc.delta) + f * (co * c + q[4] * s),
            f * (si * c - q[3] * s),
            -weight * cos(osc.delta) + f * (q[3] * si * c - q[4] * co * c + s),
            f * (l_1 * si * s + l_2 * (q[4] * c - co * s) + l_3 * si * c)
            + u[4] * u[5] * (diff - osc.C)
            + u[3] * u[5] * mixed,
            -f * (l_1 * co * s + l_2 * si * s + l_3 * co * c)
            + u[3] * u[5] * (diff + osc.C)
            - u[4] * u[5] * mixed,
            f * l_2 * c,
        ]
    )


def g_N(osc: Oscillator, t: float, q: Array) -> Array:
    return np.array([q[2] + q[3] * y - q[4] * x for x, y in osc.feet(t, q[5])])


def W_N(osc: Oscillator, t: float, q: Array) -> Array:
    """Return the gradients of the gaps as columns. A rotation by gamma moves a foot by (-y, x)."""
    return np.array([[0.0, 0.0, 1.0, y, -x, q[3] * x + q[4] * y] for x, y in osc.feet(t, q[5])]).T


def w_tilde_N(osc: Oscillator, t: float, q: Array) -> Array:
    s = osc.Delta_a * osc.Omega * sin(osc.Omega * t)
    return np.full(3, s * (q[3] * sin(q[5]) - q[4] * cos(q[5])))


def w_bar_N(osc: Oscillator, t: float, q: Array, u: Array) -> Array:
    """Return the gap accelerations at qddot = 0, with the mixed term missing in the paper."""
    si, co = sin(q[5]), cos(q[5])
    c, s = cos(osc.Omega * t), sin(osc.Omega * t)
    lever = q[3] * si - q[4] * co
    lever_dot = u[3] * si - u[4] * co + u[5] * (q[3] * co + q[4] * si)
    drive = osc.Delta_a * osc.Omega * (osc.Omega * c * lever + 2.0 * s * lever_dot)
    rows = []
    for x, y in osc.feet(t, q[5]):
        turn = 2.0 * u[5] * (u[3] * x + u[4] * y)
        rows.append(turn + u[5] ** 2 * (q[4] * x - q[3] * y) + drive)
    return np.array(rows)


def W_T(osc: Oscillator, t: float, q: Array) -> Array:
    """Return W_T with gdot_T = W_T^T qdot. wtilde_T = 0 by definition of the model."""
    height, rows = osc.height(t), []
    for x, y in osc.feet(t, q[5]):
        rows += [[1.0, 0.0, 0.0, 0.0, -height, -y], [0.0, 1.0, 0.0, height, 0.0, x]]
    return np.array(rows).T


def w_bar_T(osc: Oscillator, t: float, q: Array, u: Array) -> Array:
    """Return Wdot_T^T qdot. u_a and w_h are due to the varying distances and heights of feet."""
    u_a = osc.Omega * osc.Delta_a * sin(osc.Omega * t)
    w_h = osc.Omega * osc.Delta_h * cos(osc.Omega * t)
    rows = []
    for x, y in osc.feet(t, q[5]):
        rows.append(-(u[5] ** 2) * x - u[5] * u_a * sin(q[5]) - u[4] * w_h)
        rows.append(-(u[5] ** 2) * y + u[5] * u_a * cos(q[5]) + u[3] * w_h)
    return np.array(rows)


def _contact_impulses(
    mu: float, g: list[list[float]], c: list[float], p: list[float], tol: float
) -> list[float]:
    """Solve for -gdot in the normal cones at p, gdot = g p + c, by projected Gauss-Seidel.

    Each foot has a normal and two tangential rows, which share one step length.
    """
    for _ in range(20000):
        change = 0.0
        for i in (0, 3, 6):
            r = 1.0 / max(g[i + 1][i + 1], g[i + 2][i + 2])
            gap = sum(a * b for a, b in zip(g[i], p, strict=True)) + c[i]
            old, p[i] = p[i], max(0.0, p[i] - gap / g[i][i])
            change = max(change, abs(p[i] - old))
            slip = [sum(a * b for a, b in zip(g[k], p, strict=True)) + c[k] for k in (i + 1, i + 2)]
            x, y = p[i + 1] - r * slip[0], p[i + 2] - r * slip[1]
            scale = min(1.0, mu * p[i] / hypot(x, y)) if p[i] > 0.0 else 0.0
            change = max(change, abs(scale * x - p[i + 1]), abs(scale * y - p[i + 2]))
            p[i + 1], p[i + 2] = scale * x, scale * y
        if change <= tol:
            return p
    raise RuntimeError("projected Gauss-Seidel did not converge")


def time_stepping(
    osc: Oscillator, t_end: float, steps: int, tol: float = 1e-9
) -> tuple[Array, Array, Array]:
    """Return times (n+1,), q (n+1, 6) and qdot (n+1, 6) of midpoint time stepping from rest.

    `tol` bounds the last change of the impulses relative to the weight times the step. Raises
    RuntimeError if Gauss-Seidel stagnates. With steps below 1e-4 s, sliding can start at 1e-9 m/s,
    where the directions of slip are undetermined.
    """
    dt = t_end / steps
    times = np.linspace(0.0, t_end, steps + 1)
    q, u = np.zeros((steps + 1, 6)), np.zeros((steps + 1, 6))
    p = [0.0] * 9
    order = [0, 3, 4, 1, 5, 6, 2, 7, 8]  # foot by foot
    for k in range(steps):
        t, mid = times[k] + 0.5 * dt, q[k] + 0.5 * dt * u[k]
        w = np.hstack([W_N(osc, t, mid), W_T(osc, t, mid)])[:, order]
        rest = np.concatenate([w_tilde_N(osc, t, mid), np.zeros(6)])[order]
        inverse = np.linalg.inv(mass(osc, mid))
        free = u[k] + dt * inverse @ force(osc, t, mid, u[k])
        g, c = w.T @ inverse @ w, w.T @ free + rest
        p = _contact_impulses(osc.mu, g.tolist(), c.tolist(), p, tol * osc.m * osc.g * dt)
        u[k + 1] = free + inverse @ w @ p
        q[k + 1] = mid + 0.5 * dt * u[k + 1]
    return times, q, u

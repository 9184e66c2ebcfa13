"""Oscillator on an oblique plane (Wösle, Pfeiffer 1996, section 7): planar reference without LCP.

All three feet stay closed and z = alpha = beta = 0. The motion is x, y, gamma, and the normal
forces follow from the equations of z, alpha, beta. Sliding is integrated by DOP853 with three
linear equations for the normal forces. Standstill uses limit analysis: the largest ratio of the
load's power to the power of the friction limits over all planar twists. At the value 1 sliding
starts with the maximiser. The kinematics are those of the paper, where foot distances vary with
time although wtilde_T = 0. Units: SI. Feet: 1 uphill, 2 and 3 downhill.
`oscillator_six_coordinates` has all six coordinates, for a second integration at velocity level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import cos, hypot, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = NDArray[np.float64]

# Feet slower than this share of the fastest one are pinned (the others rotate about them).
PINNED = 1e-6
# First instant after sliding starts at the limit load, and after it starts beyond the limit.
TAU_LIMIT, TAU_JUMP = 1e-4, 1e-7


@dataclass(frozen=True)
class Oscillator:
    """The data of Appendix C, except mu, whose printed value 0.098 never lets the body stop."""

    mu: float = 0.13
    l_2: float = 0.043  # lateral offset of the unbalance axis
    m: float = 0.663
    A: float = 0.85e-3
    B: float = 1.6e-3
    C: float = 1.75e-3
    g: float = 9.81
    a_1: float = 0.0424
    a_2: float = 0.0496
    Delta_a: float = 0.0035
    b_1: float = 0.001
    b_2: float = 0.025
    b_3: float = 0.031
    h_S: float = 0.0374
    Delta_h: float = 0.0045
    l_1: float = 0.0104
    l_3: float = 0.0165
    delta: float = 0.115
    m_E: float = 0.055
    r_E: float = 0.011
    Omega: float = 19.6

    @cached_property
    def F_0(self) -> float:
        return self.m_E * self.r_E * self.Omega**2

    @cached_property
    def mass(self) -> Array:
        """Return the mass matrix of x, y, gamma."""
        return np.diag([self.m, self.m, self.C])

    @property
    def period(self) -> float:
        return 2.0 * pi / self.Omega

    def feet(self, t: float, gamma: float) -> list[tuple[float, float]]:
        """Return the positions (x_i, y_i) of the feet from the centre of mass."""
        c, co, si = cos(self.Omega * t), cos(gamma), sin(gamma)
        a_1, a_2 = self.a_1 + self.Delta_a * c, self.a_2 - self.Delta_a * c
        body = ((-a_1, self.b_1), (a_2, -self.b_2), (a_2, self.b_3))
        return [(x * co - y * si, x * si + y * co) for x, y in body]

    def height(self, t: float) -> float:
        return self.h_S + self.Delta_h * sin(self.Omega * t)

    def load(self, t: float, gamma: float) -> tuple[float, float, float, float, float, float]:
        """Return h for z = alpha = beta = 0 with zero velocities."""
        c, s, co, si = cos(self.Omega * t), sin(self.Omega * t), cos(gamma), sin(gamma)
        weight, f = self.m * self.g, self.F_0
        l_1, l_3 = self.l_1 - self.Delta_a * c, self.l_3 + self.Delta_h * s
        return (
            weight * sin(self.delta) + f * co * c,
            f * si * c,
            -weight * cos(self.delta) + f * s,
            f * (l_1 * si * s - self.l_2 * co * s + l_3 * si * c),
            -f * (l_1 * co * s + self.l_2 * si * s + l_3 * co * c),
            f * self.l_2 * c,
        )

    def planar_load(self, t: float, gamma: float) -> Array:
        h = self.load(t, gamma)
        return np.array([h[0], h[1], h[5]])

    def normal_forces_at_rest(self, t: float, gamma: float) -> Array:
        """Return the normal forces at rest, unique because total friction balances the load."""
        h, foot, height = self.load(t, gamma), np.array(self.feet(t, gamma)), self.height(t)
        rows = np.vstack([np.ones(3), foot[:, 1], -foot[:, 0]])
        return np.linalg.solve(rows, [-h[2], -h[3] + height * h[1], -h[4] - height * h[0]])

    def slip(
        self, t: float, gamma: float, v: tuple[float, float, float]
    ) -> tuple[list[float], list[tuple[float, float]], Array]:
        """Return normal forces, slip velocities and acceleration while every foot slides.

        Rows 3 to 5 with f_i = -mu N_i e_i: sum N = -h_3, sum N (y - mu H e_y) = -h_4,
        sum N (x - mu H e_x) = h_5.
        """
        h, foot, height = self.load(t, gamma), self.feet(t, gamma), self.height(t)
        u = [(v[0] - v[2] * y, v[1] + v[2] * x) for x, y in foot]
        e = [(ux / r, uy / r) for ux, uy in u for r in (hypot(ux, uy),)]
        k = self.mu * height
        p = [x - k * ex for (x, _), (ex, _) in zip(foot, e, strict=True)]
        q = [y - k * ey for (_, y), (_, ey) in zip(foot, e, strict=True)]
        total, px, py = -h[2], h[4], -h[3]
        # barycentric coordinates of (px, py)/total in the triangle of the points (p_i, q_i)
        n = []
        area = (p[1] - p[0]) * (q[2] - q[0]) - (p[2] - p[0]) * (q[1] - q[0])
        for i in range(3):
            j, l = (i + 1) % 3, (i + 2) % 3
            cross = p[j] * q[l] - p[l] * q[j]
            n.append((total * cross + px * (q[j] - q[l]) + py * (p[l] - p[j])) / area)
        f = [(-self.mu * ni * ex, -self.mu * ni * ey) for ni, (ex, ey) in zip(n, e, strict=True)]
        turn = sum(x * fy - y * fx for (x, y), (fx, fy) in zip(foot, f, strict=True))
        fx, fy = sum(f[i][0] for i in range(3)), sum(f[i][1] for i in range(3))
        a = np.array([(h[0] + fx) / self.m, (h[1] + fy) / self.m, (h[5] + turn) / self.C])
        return n, u, a

    def limit(self, t: float, gamma: float) -> tuple[float, Array]:
        """Return max_v h^T v / sum mu N_i |u_i(v)| at rest and its maximiser, |v| = 1.

        The body can stay at rest exactly while the value is at most 1. The maximiser minimises the
        convex dissipation D(v) on the plane h^T v = 1. First the three rotations about a foot are
        tried, where D is not smooth, then Newton's method.
        """
        h = self.planar_load(t, gamma)
        foot, capacity = self.feet(t, gamma), self.mu * self.normal_forces_at_rest(t, gamma)
        maps = [np.array([[1.0, 0.0, -y], [0.0, 1.0, x]]) for x, y in foot]
        for i, (x, y) in enumerate(foot):
            v = np.array([y, -x, 1.0]) / (h @ [y, -x, 1.0])
            others = [j for j in range(3) if j != i]
            grad = sum(_derivatives(maps[j], capacity[j], v)[0] for j in others)
            factor = float(grad @ v)
            # force of the pinned foot that completes the balance of forces
            if factor > 0.0 and hypot(*(factor * h - grad)[:2]) <= capacity[i]:
                return 1.0 / factor, v / np.linalg.norm(v)
        lengths = np.array([1.0, 1.0, 20.0])  # rotations of 20 rad/s move feet at about 1 m/s
        normal = lengths * h
        v = lengths * normal / (normal @ normal)
        plane = lengths[:, None] * np.linalg.svd(normal[None])[2][1:].T

        def dissipation(v: Array) -> float:
            return float(sum(c * np.hypot(*(w @ v)) for c, w in zip(capacity, maps, strict=True)))

        for _ in range(100):
            parts = [_derivatives(w, c, v) for w, c in zip(maps, capacity, strict=True)]
            grad = plane.T @ sum(g for g, _ in parts)
            step = plane @ np.linalg.solve(plane.T @ sum(k for _, k in parts) @ plane, -grad)
            size = 1.0
            while size > 1e-3 and dissipation(v + size * step) > dissipation(v) * (1.0 + 1e-15):
                size *= 0.5
            v = v + size * step
            if np.linalg.norm(step) <= 1e-13 * np.linalg.norm(v):
                return 1.0 / dissipation(v), v / np.linalg.norm(v)
        raise RuntimeError("limit analysis did not converge")


def _derivatives(w: Array, c: float, v: Array) -> tuple[Array, Array]:
    """Return gradient and Hessian of c |w v|."""
    u = w @ v
    r = float(np.hypot(*u))
    e = u / r
    return c * w.T @ e, c / r * w.T @ (np.eye(2) - np.outer(e, e)) @ w


@dataclass(frozen=True)
class Slide:
    """A phase of sliding from t0 to t1. `state` gives (x, y, gamma, velocities) in between."""

    t0: float
    t1: float
    start: Array
    end: Array
    state: Callable[[float], Array]
    slowest: float  # least ratio of slowest to fastest foot: small values would mean a pinned foot
    least_N: float


@dataclass(frozen=True)
class Motion:
    slides: tuple[Slide, ...]
    stops: tuple[float, ...]  # onsets of standstill, with t = 0 if it is an equilibrium
    starts: tuple[float, ...]  # ends of standstill, without a motion that starts at t = 0
    t_end: float

    @property
    def sticks(self) -> list[tuple[float, float]]:
        return list(zip(self.stops, (*self.starts, self.t_end), strict=False))

    def __call__(self, t: float) -> Array:
        """Return (x, y, gamma, xdot, ydot, gammadot) at t."""
        past = [s for s in self.slides if s.t0 <= t]
        if not past:
            return np.zeros(6)
        last = past[-1]
        return last.state(t) if t < last.t1 else last.end


def _speed(v: Array) -> float:
    return sqrt(v[0] * v[0] + v[1] * v[1] + (0.05 * v[2]) ** 2)


def _start_at_limit(osc: Oscillator, t: float, gamma: float, v: Array, tau: float) -> Array:
    """Return the velocity at t + tau after leaving rest at the limit load with the maximiser v.

    qdd = alpha tau v and velocities along v + tau w: the linear terms of
    qdd(t + tau, v + tau w) = alpha tau v are three equations for alpha and w normal to v.
    """
    lengths = np.array([1.0, 1.0, 20.0])

    def acc(time: float, twist: Array) -> Array:
        return osc.slip(time, gamma, tuple(twist))[2]

    e, d = 1e-6, np.linalg.norm(v / lengths)
    by_time = (acc(t + e, v) - acc(t - e, v)) / (2.0 * e)
    normal = lengths[:, None] * np.linalg.svd((v / lengths)[None])[2][1:].T
    turns = [(acc(t, v + e * d * n) - acc(t, v - e * d * n)) / (2.0 * e * d) for n in normal.T]
    alpha, w_1, w_2 = np.linalg.solve(np.column_stack([v, -turns[0], -turns[1]]), by_time)
    if alpha <= 0.0:
        raise RuntimeError("the limit load is left at once")
    return 0.5 * alpha * tau**2 * (v + tau * (normal @ [w_1, w_2]))


def _start_beyond_limit(osc: Oscillator, t: float, gamma: float, v: Array) -> Array:
    """Return the acceleration from rest beyond the limit load, a = qdd(velocity along a)."""
    load = osc.planar_load(t, gamma)
    a = v * (v @ load) / (v @ osc.mass @ v)
    scale = np.array([1.0, 1.0, 20.0])
    for _ in range(60):
        f = (osc.slip(t, gamma, tuple(a))[2] - a) / scale
        jac = np.empty((3, 3))
        for k in range(3):
            b = a.copy()
            b[k] += 1e-7 * scale[k]
            jac[:, k] = ((osc.slip(t, gamma, tuple(b))[2] - b) / scale - f) / 1e-7
        step = scale * np.linalg.solve(jac, -f)
        while not (a + step) @ load > 0.0:
            step *= 0.5
        a = a + step
        if np.linalg.norm(step / scale) <= 1e-12 * np.linalg.norm(a / scale):
            return a
    raise RuntimeError("no direction of first sliding")


def _slide(
    osc: Oscillator, t0: float, q0: Array, v0: Array, t1: float, rtol: float, threshold: float
) -> Slide:
    """Slide from t0 until standstill or t1. Local time keeps the resolution of events."""

    def rhs(tau: float, z: Array) -> Array:
        return np.concatenate([z[3:], osc.slip(t0 + tau, z[2], (z[3], z[4], z[5]))[2]])

    def rest(_: float, z: Array) -> float:
        return _speed(z[3:]) - threshold

    rest.terminal, rest.direction = True, -1.0  # type: ignore[attr-defined]
    unit = np.array([1.0, 1.0, 20.0, 1.0, 1.0, 20.0])
    z0, atol = np.concatenate([q0, v0]), 1e-4 * rtol * unit
    run = solve_ivp(rhs, (0.0, t1 - t0), z0, "DOP853", None, True, rest, rtol=rtol, atol=atol)
    if not run.success:
        raise RuntimeError(run.message)
    end, t = run.y[:, -1].copy(), t0 + float(run.t[-1])
    if run.status == 1:
        # all velocities vanish together, linearly in the remaining time
        a = osc.slip(t, end[2], (end[3], end[4], end[5]))[2]
        left = _speed(end[3:]) / _speed(a)
        end[:3] += 0.5 * left * end[3:]
        end[3:] = 0.0
        t += left
    slowest, least = np.inf, np.inf
    for tau, z in zip(run.t, run.y.T, strict=True):
        n, u, _ = osc.slip(t0 + tau, z[2], (z[3], z[4], z[5]))
        speeds = [hypot(*ui) for ui in u]
        slowest, least = min(slowest, min(speeds) / max(speeds)), min(least, *n)
    if slowest < PINNED or least <= 0.0:
        raise RuntimeError(f"not covered: foot ratio {slowest:.1e}, least normal force {least:.1e}")
    last = float(run.t[-1])
    return Slide(t0, t, z0, end, lambda t: run.sol(min(t - t0, last)), slowest, least)


def _next_start(osc: Oscillator, t: float, gamma: float, t_end: float) -> float | None:
    """Return the first time after t at which the load reaches its limit.

    Peaks shorter than 1/64 period may be missed.
    """
    n = max(2, int((t_end - t) / (osc.period / 64.0)) + 1)
    times = np.linspace(t, t_end, n + 1)
    values = [osc.limit(time, gamma)[0] - 1.0 for time in times]
    for lo, hi, b in zip(times[:-1], times[1:], values[1:], strict=True):
        if b > 0.0:
            return float(brentq(lambda s: osc.limit(s, gamma)[0] - 1.0, lo, hi, xtol=1e-15))
    return None


def simulate(
    osc: Oscillator,
    t_end: float,
    rtol: float = 1e-12,
    threshold: float = 1e-8,
    tau_limit: float = TAU_LIMIT,
) -> Motion:
    """Return the motion from rest at t = 0.

    Below the speed `threshold` (m/s) the remaining motion to a stop is linear. `tau_limit` is the
    first time step after the limit load, by a series. Raises RuntimeError if a foot is pinned while
    others slide, if a foot has no load, or without convergence.
    """
    t, q = 0.0, np.zeros(3)
    slides: list[Slide] = []
    stops: list[float] = []
    starts: list[float] = []
    while t < t_end:
        factor, v = osc.limit(t, q[2])
        if factor > 1.0:
            a = _start_beyond_limit(osc, t, q[2], v)
            tau, v0 = TAU_JUMP, TAU_JUMP * a
            q0 = q + 0.5 * tau * v0
        else:
            stops.append(t)
            start = _next_start(osc, t, q[2], t_end)
            if start is None or start + tau_limit >= t_end:
                break
            starts.append(start)
            t, tau = start, tau_limit
            v0 = _start_at_limit(osc, t, q[2], osc.limit(t, q[2])[1], tau)
            q0 = q + tau * v0 / 3.0
        slides.append(_slide(osc, t + tau, q0, v0, t_end, rtol, threshold))
        t, q = slides[-1].t1, slides[-1].end[:3]
    return Motion(tuple(slides), tuple(stops), tuple(starts), t_end)

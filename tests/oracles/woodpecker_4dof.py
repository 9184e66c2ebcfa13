"""An independent reference for the woodpecker toy with four coordinates, by NumPy and SciPy only.

It implements Slavic and Boltezar (45), (46) with the gaps of five points to the sides x = +-r_0 of
the pole, without small angles. It is event-driven, with DOP853 in smooth phases. Every contact
decision enumerates the contact states and accepts those that meet all inequalities. Two sticking
corners are four conditions on three coordinates. The motion is unique, forces form a segment, and
the contacts stick while that segment is not empty. The library under test is never imported. Units:
SI. Coordinates: x, y, phi_M of the sleeve, phi_S of the bird. Corners: L/U lower/upper, R/L side of
the pole; `slip+`/`slip-` is the sign of the tangential velocity of the toy, upwards positive.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import acos, atan2, cos, hypot, sin

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853, solve_ivp
from scipy.optimize import brentq, linprog

Array = NDArray[np.float64]
State = tuple[str, ...]
Label = tuple[str, tuple[int, ...]]

NAMES = ("beak", "LR", "UR", "LL", "UL")
SIGN = {"slip+": 1.0, "slip-": -1.0}
FREE: State = ("open",) * 5

# data of section 4; R_S is the radius of the tip of the beak where it is rounded
M_M, J_M, M_S, J_S, C_PHI, GRAV = 3.0e-4, 5.0e-9, 4.5e-3, 7.0e-7, 0.0056, 9.81
R_0, R_M, H_M, L_M, L_G, H_S, L_S, R_S = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201, 0.002
CORNERS = ((R_M, -H_M), (R_M, H_M), (-R_M, -H_M), (-R_M, H_M))  # in the frame of the sleeve

# LR and UL touch together at x = 0: r_M cos(phi) + h_M sin(phi) = r_0
PHI_JAM = atan2(H_M, R_M) - acos(R_0 / hypot(R_M, H_M))
START = ((0.0, 0.0, PHI_JAM, -0.2788), (0.0, -0.3411, 0.0, -7.4583))  # both slide down

# Event times are accurate to 1e-10 s, normal velocities below 1 m/s. The clearance is 6e-4 m.
G_TOL = 1e-11  # m, members of I_S (8)
V_TOL = 1e-11  # m/s, members of I_N and I_H; ends accumulations of flights
F_TOL, A_TOL = 1e-10, 1e-8  # slack of inequalities: forces of order 0.1 N, 100 m/s^2
P_TOL, VI_TOL = 1e-14, 1e-12  # the same in impacts; smaller impulses count as zero
# An indicator that starts at zero is monitored above ARM. Below -WRONG it is an error.
ARM, WRONG = 1e-15, 1e-12
SHORT = 5e-7  # s, shorter flights are computed by series
SCALE = np.array([1e-3, 1e-2, 0.1, 0.1, 0.1, 0.3, 5.0, 5.0])  # size of q, u: scales atol
RANK = 1e-10  # relative, singular values below it are zero, others exceed 1e-4


@dataclass(frozen=True)
class Event:
    """An instant, with the total impulses of both phases.

    Impulses of two corners that both stick are one choice of many, but `u_plus` is unique.
    """

    t: float
    kind: str
    contacts: tuple[str, ...]
    q: Array
    u_minus: Array
    u_plus: Array
    Lambda_N: Array
    Lambda_T: Array
    state_before: State
    state_after: State


@dataclass(frozen=True)
class Kinematics:
    """The gaps and (10) of all contacts. Rows of W_N and W_T are contacts."""

    g_N: Array
    W_N: Array
    W_T: Array
    w_bar_N: Array
    w_bar_T: Array


def mass(q: Array) -> Array:
    """Return the mass matrix (45)."""
    _, _, a, b = q.tolist()
    m, sa, ca = M_S + M_M, L_M * M_S * sin(a), L_M * M_S * cos(a)
    sb, cb, ab = L_G * M_S * sin(b), L_G * M_S * cos(b), L_G * L_M * M_S * cos(a - b)
    return np.array(
        [
            [m, 0.0, -sa, -sb],
            [0.0, m, ca, cb],
            [-sa, ca, J_M + L_M**2 * M_S, ab],
            [-sb, cb, ab, J_S + L_G**2 * M_S],
        ]
    )


def force(q: Array, u: Array) -> Array:
    """Return the forces (46)."""
    (_, _, a, b), (_, _, da, db) = q.tolist(), u.tolist()
    turn = L_M * L_G * M_S * sin(b - a)
    couple = C_PHI * (b - a)
    return np.array(
        [
            M_S * (L_G * db**2 * cos(b) + L_M * da**2 * cos(a)),
            -GRAV * (M_S + M_M) + M_S * (L_G * db**2 * sin(b) + L_M * da**2 * sin(a)),
            couple - GRAV * L_M * M_S * cos(a) + turn * db**2,
            -couple - GRAV * L_G * M_S * cos(b) - turn * da**2,
        ]
    )


def energy(q: Array, u: Array) -> float:
    """Return kinetic plus potential energy."""
    _, y, a, b = q.tolist()
    height = M_M * y + M_S * (y + L_M * sin(a) + L_G * sin(b))
    return float(0.5 * u @ mass(q) @ u + GRAV * height + 0.5 * C_PHI * (a - b) ** 2)


def kinematics(q: Array, u: Array, tip: float = 0.0) -> Kinematics:
    """Return the kinematics of the beak and of the corners of the sleeve.

    The beak is a point, or a disc of radius `tip` that ends at l_S.
    """
    (x, _, a, b), (_, _, da, db) = q.tolist(), u.tolist()
    px = (L_G - L_S + tip) * cos(b) - H_S * sin(b)
    py = (L_G - L_S + tip) * sin(b) + H_S * cos(b)
    ax, ay = L_M * cos(a), L_M * sin(a)
    gap = [x + ax + px - tip - R_0]
    w_n, w_t = [[1.0, 0.0, -ay, -py]], [[0.0, 1.0, ax, px - tip]]
    bar_n, bar_t = [-ax * da**2 - px * db**2], [-ay * da**2 - py * db**2]
    for r, h in CORNERS:
        cx, cy = r * cos(a) - h * sin(a), r * sin(a) + h * cos(a)
        side = 1.0 if r > 0.0 else -1.0
        gap.append(side * (x + cx) - R_0)
        w_n.append([side, 0.0, -side * cy, 0.0])
        w_t.append([0.0, 1.0, cx, 0.0])
        bar_n.append(-side * cx * da**2)
        bar_t.append(-cy * da**2)
    return Kinematics(*(np.array(part) for part in (gap, w_n, w_t, bar_n, bar_t)))


def _segment(base: Array, null: Array) -> float:
    """Return the slack of base + null s >= 0 for the best s, negative if there is none.

    In one dimension it is the length of the segment of s.
    """
    if null.shape[1] == 0:
        return float(np.min(base, initial=np.inf))
    if null.shape[1] > 1:  # the largest margin t of base + null s >= t, cut at 1
        upper = np.column_stack([-null, np.ones(len(base))])
        bounds = [(None, None)] * null.shape[1] + [(None, 1.0)]
        goal = np.eye(1, null.shape[1] + 1, null.shape[1])[0]
        return float(linprog(-goal, upper, base, bounds=bounds).x[-1])
    slope = null[:, 0]
    still = np.abs(slope) < RANK * np.max(np.abs(slope))
    up, down = slope > 0.0, slope < 0.0
    low = np.max(-base[up & ~still] / slope[up & ~still], initial=-np.inf)
    high = np.min(-base[down & ~still] / slope[down & ~still], initial=np.inf)
    return float(min(high - low, np.min(base[still], initial=np.inf)))


def _solve(a: Array, b: Array) -> tuple[Array, Array, float]:
    """Return the shortest solution of a x = b, a basis of the null space, and the residual."""
    if len(b) == 0:
        return b, np.zeros((0, 0)), 0.0
    if len(b) < 4:  # dependent are two corners with both directions each
        x = np.linalg.solve(a, b)
        return x, np.zeros((len(b), 0)), 0.0
    left, s, right = np.linalg.svd(a)
    rank = int(np.sum(s > RANK * s[0]))
    x = right[:rank].T @ ((left.T @ b)[:rank] / s[:rank])
    return x, right[rank:].T, float(np.max(np.abs(a @ x - b)))


class _Case:
    """The directions of one hypothesis: (contact, closed, tangential branch) of each contact."""

    def __init__(self, k: Kinematics, mu: Array, contacts: Iterable[tuple[int, bool, str]]) -> None:
        self.hyp = [c for c in contacts if c[1] or c[2] == "stick"]
        parts: list[tuple[Array, Array, float]] = []
        for i, closed, tang in self.hyp:
            if closed:
                push = k.W_N[i] - SIGN.get(tang, 0.0) * mu[i] * k.W_T[i]
                parts.append((k.W_N[i], push, k.w_bar_N[i]))
            if tang == "stick":
                parts.append((k.W_T[i], k.W_T[i], k.w_bar_T[i]))
        self.w, self.d = (np.reshape([p[j] for p in parts], (-1, 4)) for j in (0, 1))
        self.bar = np.array([bar for _, _, bar in parts])
        self.mu = mu

    def spread(self, x: Array) -> tuple[Array, Array]:
        """Return normal and tangential forces of all contacts from the unknowns."""
        n, t, j = np.zeros(5), np.zeros(5), 0
        for i, closed, tang in self.hyp:
            if closed:
                n[i], j = x[j], j + 1
            if tang == "stick":
                t[i], j = x[j], j + 1
            else:
                t[i] = -SIGN.get(tang, 0.0) * self.mu[i] * n[i]
        return n, t


class _Toy:  # contact laws of one parameter set
    def __init__(self, mu: float | Sequence[float], e_beak: float, tip: float) -> None:
        self.mu = np.broadcast_to(np.asarray(mu, float), 5)
        self.eps = np.array([e_beak, 0.0, 0.0, 0.0, 0.0])
        self.tip = tip

    def kinematics(self, q: Array, u: Array) -> Kinematics:
        return kinematics(q, u, self.tip)

    def motion(self, state: State, x: Array) -> tuple[Array, Array, Array, Array, float]:
        """Return acceleration, lambda_N and lambda_T, shape (5, 1 + k): shortest and null space."""
        q, u = x[:4], x[4:]
        k, minv = self.kinematics(q, u), np.linalg.inv(mass(q))
        case = _Case(k, self.mu, ((i, s != "open", s) for i, s in enumerate(state)))
        free = minv @ force(q, u)
        lam, null, rest = _solve(case.w @ minv @ case.d.T, -case.w @ free - case.bar)
        columns = [case.spread(c) for c in (lam, *null.T)]
        lam_n, lam_t = (np.array(part).T for part in zip(*columns, strict=True))
        acc = free + minv @ case.d.T @ lam if len(lam) else free
        return acc, lam_n, lam_t, np.column_stack([k.g_N, k.W_T @ u]), rest

    def rhs(self, state: State, _: float, x: Array) -> Array:
        return np.concatenate([x[4:], self.motion(state, x)[0]])

    def inequalities(self, state: State, lam_n: Array, lam_t: Array) -> tuple[list[Label], Array]:
        """Return all force expressions that must be >= 0, with the columns of the forces."""
        label: list[Label] = []
        rows = [np.zeros((0, lam_n.shape[1]))]
        for i, s in enumerate(state):
            if s == "stick":
                label += [("limit+", (i,)), ("limit-", (i,))]
                rows += [[self.mu[i] * lam_n[i] - lam_t[i]], [self.mu[i] * lam_n[i] + lam_t[i]]]
            elif s != "open":
                label.append(("force", (i,)))
                rows.append([lam_n[i]])
        return label, np.vstack(rows)

    def indicators(self, state: State, x: Array) -> tuple[list[Label], Array]:
        """Return the indicators that stay positive while the contact state lasts."""
        _, lam_n, lam_t, rest, _ = self.motion(state, x)
        label, table = self.inequalities(state, lam_n, lam_t)
        values = table[:, 0].tolist()
        if table.shape[1] > 1:
            moves = np.abs(table[:, 1]) > RANK
            group = tuple(sorted({label[j][1][0] for j in np.flatnonzero(moves)}))
            slack = _segment(table[moves, 0], table[moves, 1:])
            values = [slack, *table[~moves, 0].tolist()]
            label = [("slack", group), *(label[j] for j in np.flatnonzero(~moves))]
        for i, s in enumerate(state):
            if s == "open":
                label.append(("gap", (i,)))
                values.append(rest[i, 0])
            elif s in SIGN:
                label.append(("speed", (i,)))
                values.append(SIGN[s] * rest[i, 1])
        return label, np.array(values)

    def settle(
        self, q: Array, u: Array, allowed: dict[int, tuple[str, ...]]
    ) -> tuple[Array, Array, State]:
        """Project on the closed contacts, then find the state by (9)-(16)."""
        k, metric = self.kinematics(q, u), np.linalg.inv(mass(q))
        closed = [i for i in range(5) if abs(k.g_N[i]) <= G_TOL and k.W_N[i] @ u <= V_TOL]
        rest = [i for i in closed if abs(k.W_T[i] @ u) <= V_TOL]
        for _ in range(2):  # nonlinear gaps: 1e-11 m, then zero
            k = self.kinematics(q, u)
            q = q - _pull(metric, k.W_N[closed]) @ k.g_N[closed]
        k = self.kinematics(q, u)
        still = np.vstack([k.W_N[closed], k.W_T[rest]])
        u = u - _pull(metric, still) @ (still @ u)
        choices: list[tuple[str, ...]] = [("open",)] * 5
        for i in closed:  # a moving contact slides in its direction or leaves
            moving = "slip+" if k.W_T[i] @ u > 0.0 else "slip-"
            options = ("stick", "slip+", "slip-", "open") if i in rest else (moving, "open")
            choices[i] = allowed.get(i, options)
        found: list[tuple[State, Array]] = []
        x, k = np.concatenate([q, u]), self.kinematics(q, u)
        for state in product(*choices):
            acc, lam_n, lam_t, _, residual = self.motion(state, x)
            _, table = self.inequalities(state, lam_n, lam_t)
            ok = residual <= A_TOL and _segment(table[:, 0], table[:, 1:]) >= -F_TOL
            for i in closed:
                s = state[i]
                if s == "open":
                    ok &= bool(k.W_N[i] @ acc + k.w_bar_N[i] >= -A_TOL)  # (12)
                elif s in SIGN and i in rest:
                    ok &= bool(SIGN[s] * (k.W_T[i] @ acc + k.w_bar_T[i]) >= -A_TOL)  # (15)
            if ok:
                found.append((state, acc))
        _unique([acc for _, acc in found], "acceleration", 1e-5)
        if len(rest) > 1 and np.max(np.abs(np.concatenate([u, found[0][1]]))) <= A_TOL:
            raise RuntimeError("the toy is locked")
        return q, u, found[0][0]

    def impact(self, q: Array, u: Array) -> tuple[Array, Array, Array]:
        """Velocity after the impact and total impulses (19)-(22) with Poisson's law."""
        k, minv = self.kinematics(q, u), np.linalg.inv(mass(q))
        members = [i for i in range(5) if abs(k.g_N[i]) <= G_TOL]
        branches = ("stick", "slip+", "slip-")
        # compression: no impulse, or gdot_NC = 0 with one of the three tangential branches
        closing = [(True, t) for t in branches]
        u_c, n_c, t_c = self._phase(k, minv, u, np.zeros(5), members, [(False, "none"), *closing])
        # expansion: Poisson part e Lambda_NC is given, and more only where gdot_NE = 0
        leaving = [(False, t) for t in branches]
        u_e, n_e, t_e = self._phase(k, minv, u_c, self.eps * n_c, members, leaving + closing)
        return u_e, n_c + n_e, t_c + t_e

    def _phase(
        self,
        k: Kinematics,
        minv: Array,
        u0: Array,
        base: Array,
        members: list[int],
        options: list[tuple[bool, str]],
    ) -> tuple[Array, Array, Array]:
        """One impact phase; `base` is the normal impulse transferred in any case.

        An option is (gdot_N = 0 is enforced by an extra normal impulse, tangential branch).
        """
        found: list[tuple[Array, Array, Array]] = []
        for hyp in product(options, repeat=len(members)):
            case = _Case(k, self.mu, ((i, *h) for i, h in zip(members, hyp, strict=True)))
            tangs = dict(zip(members, (tang for _, tang in hyp), strict=True))
            given = np.array([-SIGN.get(tangs.get(i, ""), 0.0) * self.mu[i] for i in range(5)])
            start = u0 + minv @ (k.W_N.T @ base + k.W_T.T @ (given * base))
            imp, null, residual = _solve(case.w @ minv @ case.d.T, -case.w @ start)
            u = start + minv @ case.d.T @ imp if len(imp) else start
            columns = np.column_stack([imp, null]) if len(imp) else np.zeros((0, 1))
            parts = [case.spread(c) for c in columns.T]
            more_n, more_t = (np.array(part).T for part in zip(*parts, strict=True))
            rows, ok = [], residual <= VI_TOL
            for i, (kept, tang) in zip(members, hyp, strict=True):
                if kept:
                    rows.append(more_n[i])
                else:
                    ok &= bool(k.W_N[i] @ u >= -VI_TOL)
                if tang == "stick":
                    total = more_n[i] + np.eye(1, columns.shape[1])[0] * base[i]
                    rows += [self.mu[i] * total - more_t[i], self.mu[i] * total + more_t[i]]
                elif tang in SIGN:
                    ok &= bool(SIGN[tang] * (k.W_T[i] @ u) >= -VI_TOL)
            table = np.reshape(rows, (-1, columns.shape[1]))
            if ok and _segment(table[:, 0], table[:, 1:]) >= -P_TOL:
                found.append((u, base + more_n[:, 0], given * base + more_t[:, 0]))
        _unique([u for u, _, _ in found], "impact", 1e-8)
        return found[0]


def _unique(results: list[Array], what: str, tol: float) -> None:
    """Require that all hypotheses describe one solution (several may, at a corner of a law)."""
    if not results:
        raise RuntimeError(f"no admissible contact state ({what})")
    if np.max(np.abs(np.array(results) - results[0])) > tol * (1.0 + np.max(np.abs(results[0]))):
        raise RuntimeError(f"contact state not unique ({what})")


def _pull(metric: Array, w: Array) -> Array:
    """Return the smallest change in the mass metric per unit of w x."""
    return metric @ w.T @ np.linalg.pinv(w @ metric @ w.T, RANK)


def _flow(toy: _Toy, state: State, x0: Array, t0: float, rtol: float, t: float) -> Array:
    """Return the state at t by a separate integration from t0 (dense output is less accurate)."""
    tol = {"rtol": rtol, "atol": 0.1 * rtol * SCALE}
    rhs = partial(toy.rhs, state)
    return solve_ivp(rhs, (t0, t), x0, "DOP853", **tol).y[:, -1] if t > t0 else x0


def _short_flight(toy: _Toy, state: State, x0: Array) -> tuple[float, Array, Label] | None:
    """Return the first open contact that touches at the start and falls back within SHORT.

    g = v t + a t^2/2 + j t^3/6 is wrong by (omega t)^2/12 of its size, below 1e-8."""
    rhs, best = partial(toy.rhs, state, 0.0), None
    k = toy.kinematics(x0[:4], x0[4:])
    for i in (i for i in range(5) if state[i] == "open" and abs(k.g_N[i]) <= G_TOL):
        v, bend = float(k.W_N[i] @ x0[4:]), float(k.W_N[i] @ rhs(x0)[4:] + k.w_bar_N[i])
        tau = -2.0 * v / bend if v > V_TOL and bend < 0.0 else np.inf
        for _ in range(3 if tau < SHORT else 0):
            x = x0 + tau * rhs(x0 + 0.5 * tau * rhs(x0))
            end = toy.kinematics(x[:4], x[4:])
            tau = -2.0 * v / (bend + (end.W_N[i] @ rhs(x)[4:] + end.w_bar_N[i] - bend) / 3.0)
        if tau < SHORT and (best is None or tau < best[0]):
            best = (tau, x0 + tau * rhs(x0 + 0.5 * tau * rhs(x0)), ("gap", (i,)))
    return best


def _run_phase(
    toy: _Toy, state: State, x0: Array, t_left: float, rtol: float
) -> tuple[float, Array, Label] | None:
    """Integrate to the first event of this contact state; None if it lies beyond t_left."""
    short = _short_flight(toy, state, x0)
    if short is not None:
        return short if short[0] <= t_left else None
    # phase-local time keeps the resolution of event times at rounding level of the phase length
    tol = {"rtol": rtol, "atol": 0.1 * rtol * SCALE}
    solver = DOP853(partial(toy.rhs, state), 0.0, x0, t_left, max_step=1e-3, **tol)
    label, values = toy.indicators(state, x0)
    armed = values > ARM
    first = np.geomspace(1e-6, 1.0, 60)  # dense near the start: short flights after an impact
    while solver.status == "running":
        left = solver.y.copy()
        if solver.step() is not None:
            raise RuntimeError("integration failed")
        t0, t1, dense = float(solver.t_old), float(solver.t), solver.dense_output()
        times = t0 + (t1 - t0) * (first if t0 == 0.0 else np.linspace(0.125, 1.0, 8))
        hits: dict[int, int] = {}
        for j, t in enumerate(times):
            values = toy.indicators(state, dense(t))[1]
            for k, value in enumerate(values.tolist()):
                if armed[k] and value <= 0.0:
                    hits.setdefault(k, j)
                elif not armed[k] and value < -WRONG:
                    raise RuntimeError(f"impacts accumulate or wrong state: {label[k]} {state}")
            armed |= values > ARM
            if hits:
                break
        roots = []
        for k, j in hits.items():
            f = _indicator(toy, state, k, dense)
            lo = float(times[j - 1]) if j else t0
            roots.append((brentq(f, lo, times[j]) if f(lo) > 0.0 > f(times[j]) else times[j], k))
        if roots:
            guess, k = min(roots)
            path = partial(_flow, toy, state, left, t0, max(0.1 * rtol, 3e-14))
            f = _indicator(toy, state, k, path)
            width = 1e-11  # dense output is usually better than this
            while width < 1e-3 and (f(max(guess - width, t0)) < 0.0 or f(guess + width) > 0.0):
                width *= 10.0
            tau = brentq(f, max(guess - width, t0), guess + width, xtol=1e-16)
            return (tau, path(tau), label[k]) if tau <= t_left else None
    return None


def _indicator(
    toy: _Toy, state: State, k: int, path: Callable[[float], Array]
) -> Callable[[float], float]:
    return lambda t: float(toy.indicators(state, path(t))[1][k])


def _kind(before: str, after: str) -> str:
    if "open" in (before, after):
        return "detach" if after == "open" else "touch"
    return after if after == "stick" else "slip" if before == "stick" else "reversal"


def _allowed(trigger: Label) -> dict[int, tuple[str, ...]]:
    """Return the states allowed for the triggering contacts, which are at a boundary."""
    left = {
        "force": ("open",),  # lambda_N has fallen to zero
        "limit+": ("slip-", "open"),  # lambda_T = +mu lambda_N, then gdot_T < 0
        "limit-": ("slip+", "open"),
        "slack": ("slip-", "slip+", "open"),  # every contact of the segment is at a limit
    }
    return dict.fromkeys(trigger[1], left[trigger[0]]) if trigger[0] in left else {}


def simulate(
    t_end: float,
    mu: float | Sequence[float] = 0.3,
    e_beak: float = 0.5,
    tip: float = 0.0,
    start: tuple[Sequence[float], Sequence[float]] | None = None,
    max_events: int | None = None,
    rtol: float = 1e-12,
) -> list[Event]:
    """Return the events from `start` = (q, u) at t = 0 until `t_end` or `max_events`.

    Raises RuntimeError without a unique contact state, and if the toy locks.

    """
    toy, events, t = _Toy(mu, e_beak, tip), [], 0.0
    q, u = (np.array(v, float) for v in start or START)
    state, trigger = FREE, ("start", (0,))
    while True:
        u_minus, before, imp_n, imp_t = u, state, np.zeros(5), np.zeros(5)
        k = toy.kinematics(q, u)
        hit = bool(np.any((np.abs(k.g_N) <= G_TOL) & (k.W_N @ u < -V_TOL)))
        if hit:
            u, imp_n, imp_t = toy.impact(q, u)
        q, u, state = toy.settle(q, u, {} if hit else _allowed(trigger))
        who = [i for i in range(5) if (imp_n[i] > P_TOL if hit else state[i] != before[i])]
        main = trigger[1][0] if trigger[1][0] in who or not who else who[0]
        kind = "impact" if hit else _kind(before[main], state[main])
        names = tuple(NAMES[i] for i in who)
        if hit or (who and trigger[0] != "start"):
            events.append(Event(t, kind, names, q, u_minus, u, imp_n, imp_t, before, state))
        full = max_events is not None and len(events) >= max_events
        if full or t >= t_end:
            return events
        # y is cyclic: integrated from zero, a long fall loses no digits
        x0 = np.concatenate([q * [1.0, 0.0, 1.0, 1.0], u])
        done = _run_phase(toy, state, x0, t_end - t, rtol)
        if done is None:
            return events
        tau, x, trigger = done
        t, q, u = t + tau, x[:4] + q * [0.0, 1.0, 0.0, 0.0], x[4:]


if __name__ == "__main__":
    for ev in simulate(2.0, float((*sys.argv, "0.3")[1]), max_events=40):
        print(f"{ev.t:.12f} {ev.kind:8s} {'+'.join(ev.contacts):9s} {' '.join(ev.state_after)}")

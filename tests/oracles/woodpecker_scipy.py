"""An independent reference for the 3-DOF woodpecker toy (section 14.1), by NumPy and SciPy only.

It is event-driven, with DOP853 in smooth phases. Every contact decision enumerates all contact
states and accepts those that meet all inequalities. No complementarity solver is used, and the
library under test is never imported. `linear_check` repeats every phase with matrix exponentials,
as the equations are linear in each contact state. Units: SI. Contact order: beak, lower, upper;
`slip+`/`slip-` is the sign of the tangential velocity.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853, solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

Array = NDArray[np.float64]
State = tuple[str, ...]

NAMES = ("beak", "lower", "upper")
SIGN = {"slip+": 1.0, "slip-": -1.0}

# data of section 14.1 (c)
M_M, J_M, M_S, J_S, C_PHI, GRAV = 3.0e-4, 5.0e-9, 4.5e-3, 7.0e-7, 0.0056, 9.81
R_0, R_M, H_M, L_M, L_G, H_S, L_S = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201

# section 14.1: M qdd = h = H0 + H1 q with q = (y, phi_M, phi_S)
ARMS = np.array([1.0, L_M, L_G])  # dependence of the height of the bird on q
MASS = M_S * np.outer(ARMS, ARMS) + np.diag([M_M, J_M, J_S])
MINV = np.linalg.inv(MASS)
H0 = -GRAV * (M_S * ARMS + np.array([M_M, 0.0, 0.0]))
H1 = C_PHI * np.array([[0.0, 0.0, 0.0], [0.0, -1.0, 1.0], [0.0, 1.0, -1.0]])
# (14.1), rows are contacts; gaps g_N = G0 + W_N q are the ones consistent with W_N
W_N = np.array([[0.0, 0.0, -H_S], [0.0, H_M, 0.0], [0.0, -H_M, 0.0]])
W_T = np.array([[1.0, L_M, L_G - L_S], [1.0, R_M, 0.0], [1.0, R_M, 0.0]])
G0 = np.array([L_M + L_G - L_S - R_0, R_M - R_0, R_M - R_0])

START = ((0.0, -(R_M - R_0) / H_M, -0.2788), (-0.3411, 0.0, -7.4583))  # lower contact slides

# Members of I_S (8.1). Event times are accurate to 1e-10 s and normal velocities below 1 m/s, so a
# closing contact is within 1e-10 m. The clearance of the sleeve (6e-4 m) is 1e6 times larger.
G_TOL = 1e-10
# Members of I_N, I_H.  Rounding and event location leave far less than 1e-12 m/s.
V_TOL = 1e-10
# Slack of the inequalities: forces of order 0.05 N, accelerations of order 10 m/s^2.
F_TOL, A_TOL = 1e-10, 1e-8
# Slack in impacts (impulses of order 1e-4 N s); smaller impulses count as zero.
P_TOL, VI_TOL = 1e-14, 1e-12
# An indicator that starts at zero (a gap just opened, ...) is monitored once it exceeds ARM, which
# is above its rounding errors and below the height of a flight of 5 microseconds. WRONG is an
# error.
ARM, WRONG = 1e-15, 1e-12
SCALE = np.array([1e-2, 0.1, 0.1, 0.3, 5.0, 5.0])  # size of y, phi, ydot, phidot: scales atol
OMEGA = 458.0  # free angular frequency (72.9 Hz), scales time in the matrix exponentials


@dataclass(frozen=True)
class Event:
    """An instant, with total impulses of compression and expansion, arrays in contact order."""

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
class _Mode:
    """The motion in one contact state, affine in x = (q, u)."""

    a: Array  # xdot = a x + b
    b: Array
    ind: Array  # indicators ind x + off, positive while the state is admissible
    off: Array
    label: tuple[tuple[str, int], ...]  # (type, contact) of each indicator

    def rhs(self, _: float, x: Array) -> Array:
        return self.a @ x + self.b

    def indicator(self, k: int, path: Callable[[float], Array]) -> Callable[[float], float]:
        return lambda t: float(self.ind[k] @ path(t) + self.off[k])


def energy(q: Array, u: Array) -> float:
    """Return kinetic plus potential energy."""
    return float(0.5 * u @ MASS @ u - H0 @ q - 0.5 * q @ H1 @ q)


def _push(i: int, tang: str, mu: Array) -> Array:
    """Return the contact force per unit normal force, (5.7), lambda_T = -mu s lambda_N."""
    return W_N[i] - SIGN.get(tang, 0.0) * mu[i] * W_T[i]


def _directions(
    contacts: Iterable[tuple[int, bool, str]], mu: Array
) -> tuple[Array, Array, list[tuple[str, int]]]:
    """Return W, W + N_G of (5.11) and names of unknowns for (contact, closed, branch)."""
    rows, cols, unknowns = [], [], []
    for i, closed, tang in contacts:
        if closed:
            rows.append(W_N[i])
            cols.append(_push(i, tang, mu))
            unknowns.append(("n", i))
        if tang == "stick":
            rows.append(W_T[i])
            cols.append(W_T[i])
            unknowns.append(("t", i))
    return np.reshape(rows, (-1, 3)).T, np.reshape(cols, (-1, 3)).T, unknowns


def _lambda_maps(state: State, mu: Array) -> tuple[Array, Array, Array]:
    """Return rows [c0, c1..c3] of lambda_N, lambda_T, qdd = c0 + c1 q by (5.11), (5.14), (5.15)."""
    w, d, unknowns = _directions(((i, s != "open", s) for i, s in enumerate(state)), mu)
    h = np.column_stack([H0, H1])
    lam = np.linalg.solve(w.T @ MINV @ d, -w.T @ MINV @ h)  # (5.15), wbar = 0
    lam_n, lam_t = np.zeros((3, 4)), np.zeros((3, 4))
    for (what, i), row in zip(unknowns, lam, strict=True):
        (lam_n if what == "n" else lam_t)[i] = row
    for i, s in enumerate(state):
        if s in SIGN:
            lam_t[i] = -SIGN[s] * mu[i] * lam_n[i]  # (5.7)
    return lam_n, lam_t, MINV @ (h + d @ lam)  # (5.11)


class _Toy:  # contact laws of one parameter set
    def __init__(self, mu: float | Sequence[float], e_beak: float) -> None:
        self.mu = np.broadcast_to(np.asarray(mu, float), 3)
        self.eps = np.array([e_beak, 0.0, 0.0])
        self._modes: dict[State, _Mode] = {}

    def mode(self, state: State) -> _Mode:
        if state not in self._modes:
            lam_n, lam_t, acc = _lambda_maps(state, self.mu)
            a, b = np.zeros((6, 6)), np.zeros(6)
            a[:3, 3:], a[3:, :3], b[3:] = np.eye(3), acc[:, 1:], acc[:, 0]
            zero = np.zeros(3)
            watch: list[tuple[str, int, tuple[Any, ...]]] = []
            for i, s in enumerate(state):
                if s == "open":
                    watch.append(("gap", i, (G0[i], W_N[i], zero)))
                    continue
                watch.append(("force", i, (lam_n[i], zero)))
                if s == "stick":  # friction reserves of (6.11)
                    watch.append(("limit+", i, (self.mu[i] * lam_n[i] - lam_t[i], zero)))
                    watch.append(("limit-", i, (self.mu[i] * lam_n[i] + lam_t[i], zero)))
                else:
                    watch.append(("speed", i, (0.0, zero, SIGN[s] * W_T[i])))
            table = np.array([np.hstack(row) for _, _, row in watch])
            label = tuple((kind, i) for kind, i, _ in watch)
            self._modes[state] = _Mode(a, b, table[:, 1:], table[:, 0], label)
        return self._modes[state]

    def settle(
        self, q: Array, u: Array, allowed: dict[int, tuple[str, ...]]
    ) -> tuple[Array, Array, State]:
        """Project on the closed contacts, then find the state by (6.5), (6.10), (6.11)."""
        touching = [i for i in range(3) if abs(G0[i] + W_N[i] @ q) <= G_TOL]
        closed = [i for i in touching if abs(W_N[i] @ u) <= V_TOL]  # I_N
        rest = [i for i in closed if abs(W_T[i] @ u) <= V_TOL]  # I_H
        q = _project(q, W_N[touching], -G0[touching])
        u = _project(u, np.vstack([W_N[closed], W_T[rest]]), np.zeros(len(closed) + len(rest)))
        choices: list[tuple[str, ...]] = [("open",)] * 3
        for i in closed:  # a moving contact slides in its direction or leaves (6.10)
            moving = "slip+" if W_T[i] @ u > 0.0 else "slip-"
            options = ("stick", "slip+", "slip-", "open") if i in rest else (moving, "open")
            choices[i] = allowed.get(i, options)
        found: list[tuple[State, Array]] = []
        # Two sticking contacts: four constraints, three coordinates, forces not unique.  Skipping
        # them loses no motion, since the ends of the force set solve a slip hypothesis, too.
        for state in (c for c in product(*choices) if c.count("stick") < 2):
            lam_n, lam_t, acc = (c[:, 0] + c[:, 1:] @ q for c in _lambda_maps(state, self.mu))
            ok = True
            for i in closed:
                s = state[i]
                ok &= bool(W_N[i] @ acc >= -A_TOL if s == "open" else lam_n[i] >= -F_TOL)  # (6.5)
                if s == "stick":
                    ok &= bool(abs(lam_t[i]) <= self.mu[i] * lam_n[i] + F_TOL)  # (6.11)
                elif s in SIGN and i in rest:
                    ok &= bool(SIGN[s] * (W_T[i] @ acc) >= -A_TOL)  # (6.11)
            if ok:
                found.append((state, acc))
        _unique([acc for _, acc in found], "acceleration", 1e-6)
        if len(rest) > 1 and np.max(np.abs(found[0][1])) <= A_TOL:
            raise RuntimeError("the toy is locked in two contacts")
        return q, u, found[0][0]

    def impact(self, q: Array, u: Array) -> tuple[Array, Array, Array]:
        """Velocity after the impact and total impulses Lambda_N, Lambda_T (section 8)."""
        members = [i for i in range(3) if abs(G0[i] + W_N[i] @ q) <= G_TOL]  # I_S (8.1)
        # compression: no impulse, or gdot_NC = 0 with one of the three tangential branches
        closing = [(True, t) for t in ("stick", "slip+", "slip-")]
        u_c, n_c, t_c = self._phase(u, np.zeros(3), members, [(False, "none"), *closing])
        # expansion: Poisson part e Lambda_NC is given, Lambda_NP = 0 or gdot_NE = 0 (8.28)-(8.30)
        leaving = [(False, t) for t in ("stick", "slip+", "slip-")]
        u_e, n_e, t_e = self._phase(u_c, self.eps * n_c, members, leaving + closing)
        return u_e, n_c + n_e, t_c + t_e

    def _phase(
        self, u0: Array, base: Array, members: list[int], options: list[tuple[bool, str]]
    ) -> tuple[Array, Array, Array]:
        """One impact phase; `base` is the normal impulse transferred in any case.

        An option is (gdot_N = 0 is enforced by an extra normal impulse, tangential branch).
        With nu = eps_T = 0 both phases have the bounds |Lambda_T| <= mu Lambda_N (8.23), (8.31).
        """
        found: list[tuple[Array, Array, Array]] = []
        hyps = product(options, repeat=len(members))
        for hyp in (c for c in hyps if c.count((True, "stick")) < 2):  # as in settle
            case = [(i, *h) for i, h in zip(members, hyp, strict=True)]
            start = u0 + sum(MINV @ _push(i, tang, self.mu) * base[i] for i, _, tang in case)
            w, d, unknowns = _directions(case, self.mu)
            imp = np.linalg.solve(w.T @ MINV @ d, -w.T @ start)  # (8.5) in (8.6)
            u = start + MINV @ d @ imp  # (8.5)
            imp_n, imp_t = base.copy(), np.zeros(3)
            for (what, i), value in zip(unknowns, imp, strict=True):
                (imp_n if what == "n" else imp_t)[i] += value
            ok = True
            for i, kept, tang in case:
                # (8.13) in compression, (8.30) in expansion
                ok &= bool(imp_n[i] - base[i] >= -P_TOL if kept else W_N[i] @ u >= -VI_TOL)
                if tang == "stick":
                    ok &= bool(abs(imp_t[i]) <= self.mu[i] * imp_n[i] + P_TOL)  # (8.23), (8.31)
                elif tang in SIGN:
                    imp_t[i] = -SIGN[tang] * self.mu[i] * imp_n[i]
                    ok &= bool(SIGN[tang] * (W_T[i] @ u) >= -VI_TOL)  # (8.23), (8.31)
            if ok:
                found.append((u, imp_n, imp_t))
        _unique([u for u, _, _ in found], "impact", 1e-8)
        return found[0]


def _unique(results: list[Array], what: str, tol: float) -> None:
    """Require that all hypotheses describe one solution (several may, at a corner of a law)."""
    if not results:
        raise RuntimeError(f"no admissible contact state ({what})")
    if np.max(np.abs(np.array(results) - results[0])) > tol:
        raise RuntimeError(f"contact state not unique ({what})")


def _project(x: Array, w: Array, target: Array) -> Array:
    """Return x with the smallest change in the mass metric that gives w x = target."""
    return x - MINV @ w.T @ np.linalg.pinv(w @ MINV @ w.T, 1e-10) @ (w @ x - target)


def _first_crossing(mode: _Mode, values: Array, armed: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return (indicator, sample) of each first crossing of zero. `armed` is updated in place."""
    hits = []
    for k, row in enumerate(values):
        for j, value in enumerate(row):
            if armed[k] and value <= 0.0:
                hits.append((k, j))
                break
            if not armed[k] and value < -WRONG:
                raise RuntimeError(f"impacts accumulate or wrong contact state: {mode.label[k]}")
            armed[k] |= value > ARM
    return hits


def _flow(mode: _Mode, x0: Array, t0: float, rtol: float, t: float) -> Array:
    """Return the state at t by a separate integration from t0 (dense output is less accurate)."""
    tol = {"rtol": rtol, "atol": 0.1 * rtol * SCALE}
    return solve_ivp(mode.rhs, (t0, t), x0, "DOP853", **tol).y[:, -1] if t > t0 else x0


def _run_phase(
    mode: _Mode, x0: Array, t_left: float, rtol: float
) -> tuple[float, Array, tuple[str, int]] | None:
    """Integrate to the first event of this contact state; None if it lies beyond t_left."""
    # phase-local time keeps the resolution of event times at rounding level of the phase length
    tol = {"rtol": rtol, "atol": 0.1 * rtol * SCALE}
    solver = DOP853(mode.rhs, 0.0, x0, t_left, max_step=1e-3, **tol)
    armed = mode.ind @ x0 + mode.off > ARM
    first = np.geomspace(1e-6, 1.0, 60)  # dense near the start: short flights after an impact
    while solver.status == "running":
        left = solver.y.copy()
        if solver.step() is not None:
            raise RuntimeError("integration failed")
        t0, t1, dense = float(solver.t_old), float(solver.t), solver.dense_output()
        times = t0 + (t1 - t0) * (first if t0 == 0.0 else np.linspace(0.125, 1.0, 8))
        values = mode.ind @ dense(times) + mode.off[:, None]
        roots = []
        for k, j in _first_crossing(mode, values, armed):
            lo = float(times[j - 1]) if j else t0
            f = mode.indicator(k, dense)
            roots.append((brentq(f, lo, times[j]) if f(lo) > 0.0 > f(times[j]) else times[j], k))
        if roots:
            guess, k = min(roots)
            path = partial(_flow, mode, left, t0, max(0.1 * rtol, 3e-14))
            f = mode.indicator(k, path)
            width = 1e-11  # dense output is usually better than this
            while width < 1e-3 and (f(max(guess - width, t0)) < 0.0 or f(guess + width) > 0.0):
                width *= 10.0
            tau = brentq(f, max(guess - width, t0), guess + width, xtol=1e-16)
            return (tau, path(tau), mode.label[k]) if tau <= t_left else None
    return None


def _kind(before: str, after: str) -> str:
    if "open" in (before, after):
        return "detach" if after == "open" else "touch"
    return after if after == "stick" else "slip" if before == "stick" else "reversal"


def _allowed(trigger: tuple[str, int]) -> dict[int, tuple[str, ...]]:
    """Return the states allowed for the triggering contact, which is at a boundary."""
    left = {
        "force": ("open",),  # lambda_N has fallen to zero
        "limit+": ("slip-", "open"),  # (6.11): lambda_T = +mu lambda_N, then gdot_T < 0
        "limit-": ("slip+", "open"),
    }
    return {trigger[1]: left[trigger[0]]} if trigger[0] in left else {}


def simulate(
    t_end: float,
    mu: float | Sequence[float] = 0.3,
    e_beak: float = 0.5,
    start: tuple[Sequence[float], Sequence[float]] | None = None,
    max_events: int | None = None,
    rtol: float = 1e-12,
) -> list[Event]:
    """Return the events from `start` = (q, u) at t = 0 until `t_end` or `max_events`.

    Raises RuntimeError without a unique contact state, if the toy locks in two contacts, and if
    impacts accumulate.

    """
    toy, events, t = _Toy(mu, e_beak), [], 0.0
    q, u = (np.array(v, float) for v in start or START)
    state: State = ("open",) * 3
    trigger = ("start", 0)
    while True:
        u_minus, before, imp_n, imp_t = u, state, np.zeros(3), np.zeros(3)
        hit = bool(np.any((np.abs(G0 + W_N @ q) <= G_TOL) & (W_N @ u < -V_TOL)))
        if hit:
            u, imp_n, imp_t = toy.impact(q, u)
        q, u, state = toy.settle(q, u, {} if hit else _allowed(trigger))
        who = [i for i in range(3) if (imp_n[i] > P_TOL if hit else state[i] != before[i])]
        main = trigger[1] if trigger[1] in who or not who else who[0]
        kind = "impact" if hit else _kind(before[main], state[main])
        if hit or (who and trigger[0] != "start"):
            names = tuple(NAMES[i] for i in who)
            events.append(Event(t, kind, names, q, u_minus, u, imp_n, imp_t, before, state))
        full = max_events is not None and len(events) >= max_events
        if full or t >= t_end:
            return events
        y0 = q[0]  # y is cyclic: integrated from zero, a long fall loses no digits
        done = _run_phase(toy.mode(state), np.hstack([0.0, q[1:], u]), t_end - t, rtol)
        if done is None:
            return events
        tau, x, trigger = done
        t, q, u = t + tau, np.hstack([x[0] + y0, x[1:3]]), x[3:]


def cycle(events: Sequence[Event]) -> tuple[float, float]:
    """Return (period, drop) between the last two beak impacts."""
    one, two = [e for e in events if e.kind == "impact" and "beak" in e.contacts][-2:]
    return two.t - one.t, float(one.q[0] - two.q[0])


def _exact(gen: Array, z0: Array, unit: Array, t: float) -> Array:
    return (expm(gen * t) @ np.append(z0, 1.0))[:6] * unit


def linear_check(
    events: Sequence[Event], mu: float | Sequence[float] = 0.3, grid: int = 400
) -> Iterator[tuple[float, float]]:
    """Yield (time error, largest scaled state error) of each phase by matrix exponentials."""
    toy = _Toy(mu, 0.0)
    unit = np.array([1.0, 1.0, 1.0, OMEGA, OMEGA, OMEGA])  # equal sizes keep expm accurate
    for one, two in pairwise(events):
        mode, gap = toy.mode(one.state_after), two.t - one.t
        gen = np.zeros((7, 7))
        gen[:6, :6], gen[:6, 6] = mode.a * unit / unit[:, None], mode.b / unit
        path = partial(_exact, gen, np.hstack([0.0, one.q[1:], one.u_plus]) / unit, unit)
        # independent scan for the first crossing, slightly beyond the primary solution's event
        n = grid + int(gap / 1e-4)
        times = np.linspace(0.0, gap * (1.0 + 1.0 / n), n + 1)
        values = np.array([mode.ind @ path(t) + mode.off for t in times]).T
        hits = _first_crossing(mode, values, values[:, 0] > ARM)
        spans = [(mode.indicator(k, path), times[j - 1], times[j]) for k, j in hits]
        tau = min((brentq(f, lo, hi, xtol=1e-16) for f, lo, hi in spans), default=0.0)
        end = np.hstack([two.q[0] - one.q[0], two.q[1:], two.u_minus])
        yield tau - gap, float(np.max(np.abs(path(tau) - end) / SCALE))


if __name__ == "__main__":
    for ev in simulate(1.0, float((*sys.argv, "0.3")[1]), max_events=14):
        print(f"{ev.t:.12f} {ev.kind:8s} {'+'.join(ev.contacts):6s} {' '.join(ev.state_after)}")

"""Is a solution one? Laws, log and energy checked from its own arrays."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsmb.arguments import as_number
from nsmb.enums import ContactState, EventKind
from nsmb.text import text_table

if TYPE_CHECKING:
    from nsmb.base_system import System
    from nsmb.solution import Solution

__all__ = ["SolutionCheck", "Violation", "check_solution"]

Floats = NDArray[np.float64]
_SHOWN = 20
_PLACES = 2000  # between the samples, where the dense output is looked at


@dataclass(frozen=True)
class Violation:
    """One row that breaks a rule."""

    rule: str
    """Which rule, as in :attr:`SolutionCheck.rules`."""
    row: int
    """Row of the samples; of the events for rules that begin with ``event`` or ``impact``; -1:
    between the samples."""
    t: float
    """s"""
    contact: str
    """Name of the contact; empty: of the whole system."""
    value: float
    """By how much the rule is broken, in its unit."""
    tolerance: float
    """What would have been accepted."""


@dataclass(frozen=True, eq=False)
class SolutionCheck:
    """What :meth:`nsmb.Solution.check` returns."""

    violations: tuple[Violation, ...]
    """All rows that break a rule, in the order of the rules."""
    rules: dict[str, int]
    """Rules that were checked, and on how many rows; rules that need what the solution does not
    have are not there."""

    @property
    def ok(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        if self.ok:
            return f"SolutionCheck: ok, {len(self.rules)} rules"
        table = text_table(
            ("rule", "row", "t / s", "contact", "by", "tolerance"),
            lambda k: (
                (v := self.violations[k]).rule,
                str(v.row),
                f"{v.t:.9g}",
                v.contact,
                f"{v.value:.3e}",
                f"{v.tolerance:.1e}",
            ),
            len(self.violations),
            left=(0, 3),
            max_rows=_SHOWN,
        )
        return f"SolutionCheck: {len(self.violations)} violations\n{table}"


def check_solution(solution: Solution, *, tolerance: float, energy: float) -> SolutionCheck:
    """See `Solution.check`."""
    for name, value in (("tolerance", tolerance), ("energy", energy)):
        if not as_number(name, value) > 0.0:
            raise ValueError(f"{name}: expected a number > 0, got {value}")
    book = _Book(solution, tolerance)
    book.samples()
    book.log()
    if solution.system is not None:
        book.friction(solution.system)
        book.impacts(solution.system)
        book.between(solution.system)
        book.energy(energy)
    return SolutionCheck(tuple(book.violations), book.rules)


def _size(values: Floats) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0))


class _Book:
    """Rules and what breaks them. Sizes that tolerances are parts of are the largest of the run."""

    def __init__(self, solution: Solution, tolerance: float) -> None:
        self.solution = solution
        self.tolerance = tolerance
        self.rules: dict[str, int] = {}
        self.violations: list[Violation] = []
        s = solution
        self.length = max(_size(s.g_N), 0.1 * _size(s.q))
        self.speed = max(_size(s.gamma_N), _size(s.gamma_T), _size(s.u))
        self.force = max(_size(s.lambda_N), _size(s.lambda_T))
        self.unilateral = np.array([name not in s.gapless for name in s.contact_names], dtype=bool)
        counts = [
            sum(tangent in (name, f"{name}.1", f"{name}.2") for tangent in s.tangent_names)
            for name in s.contact_names
        ]
        ends = np.cumsum([0, *counts])
        self.tangents = [np.arange(a, b) for a, b in pairwise(ends)]

    def rule(self, name: str, excess: Floats, tolerance: float, *, event: bool = False) -> None:
        """Rows of `excess`, by contact if it has columns, that are larger than the tolerance."""
        self.rules[name] = int(excess.size)
        columns = excess.reshape(excess.shape[0], -1)
        times = self.solution.events.t if event else self.solution.t
        names = self.solution.contact_names if excess.ndim > 1 else ("",)
        for row, column in np.argwhere(columns > tolerance):
            self.add(
                name, int(row), float(times[row]), names[column], columns[row, column], tolerance
            )

    def add(
        self, rule: str, row: int, t: float, contact: str, value: float, tolerance: float
    ) -> None:
        self.violations.append(Violation(rule, row, t, contact, float(value), tolerance))

    def by_contact(self, table: Floats) -> Floats:
        """Norms of the rows of each contact, (..., nc)."""
        norms = [np.linalg.norm(table[..., rows], axis=-1) for rows in self.tangents]
        return np.stack(norms, axis=-1) if norms else np.zeros((*table.shape[:-1], 0))

    # ---- samples ------------------------------------------------------------------------------

    def samples(self) -> None:
        """Chapter 9: of distance (or velocity) and force one is zero, the other not negative."""
        s = self.solution
        gap, speed, force = (self.tolerance * x for x in (self.length, self.speed, self.force))
        finite = np.asarray(np.isfinite(s.lambda_N).all(axis=1), dtype=np.bool_)
        known = finite[:, None] & self.unilateral
        closed = np.not_equal(s.contact_state, ContactState.OPEN)

        def at(mask: NDArray[np.bool_], values: Floats) -> Floats:
            return np.where(mask, np.nan_to_num(values, posinf=0.0, neginf=0.0), 0.0)

        slips = self.by_contact(s.gamma_T)
        tangential = self.by_contact(s.lambda_T)
        self.rule("g_N >= 0", at(known & ~self._without_point(), -s.g_N), gap)
        self.rule("closed: g_N = 0", at(known & closed, np.abs(s.g_N)), gap)
        self.rule("closed: gamma_N = 0", at(known & closed, np.abs(s.gamma_N)), speed)
        self.rule("lambda_N >= 0", at(known, -s.lambda_N), force)
        self.rule("open: lambda = 0", at(known & ~closed, np.abs(s.lambda_N) + tangential), force)
        touching = np.abs(at(known, s.g_N)) <= gap
        self.rule("g_N lambda_N = 0", at(known & ~touching, np.abs(s.lambda_N)), force)
        sticks = s.contact_state == ContactState.STICK
        rough = tangential > force
        self.rule("stick: gamma_T = 0", at(sticks & rough, slips), speed)
        power = (
            np.stack(
                [(s.gamma_T[:, rows] * s.lambda_T[:, rows]).sum(axis=1) for rows in self.tangents],
                axis=-1,
            )
            if self.tangents
            else np.zeros((s.t.size, 0))
        )
        self.rule("slip against friction", np.nan_to_num(power), speed * max(self.force, 1e-300))
        for sign, state in ((1.0, ContactState.SLIP_POSITIVE), (-1.0, ContactState.SLIP_NEGATIVE)):
            one = (
                np.stack([-sign * s.gamma_T[:, r[:1]].sum(axis=1) for r in self.tangents], -1)
                if self.tangents
                else np.zeros((s.t.size, 0))
            )
            self.rule(f"{state.label}: direction", at(s.contact_state == state, one), speed)
        if s.t.size > 1:
            loss = s.friction_loss
            fall = np.maximum.accumulate(loss, axis=0) - loss
            self.rule("friction_loss grows", fall, self.tolerance * max(_size(loss), 1e-300))
            self.rule("t grows", np.concatenate([[0.0], -np.diff(s.t)]), 0.0)

    def _without_point(self) -> NDArray[np.bool_]:
        """(n, nc) slots whose gap is none: contact points that come and go."""
        features = self.solution.features
        if features.shape[1] == 0:
            return np.zeros(self.solution.g_N.shape, dtype=np.bool_)
        open_ = self.solution.contact_state == ContactState.OPEN
        result: NDArray[np.bool_] = (features[:, :, 0] < 0) | open_
        return result

    # ---- log ----------------------------------------------------------------------------------

    def log(self) -> None:
        """Events and samples tell the same story."""
        s, e = self.solution, self.solution.events
        state = s.contact_state
        if s.t.size < 2:
            return
        changes = (np.diff(state, axis=0) != 0) & (np.diff(s.t) > 0.0)[:, None]
        excess = np.concatenate([np.zeros((1, state.shape[1])), changes.astype(np.float64)])
        self.rule("states change at events only", excess, 0.0)
        if len(e) == 0:
            return
        first = np.searchsorted(s.t, e.t, side="left")
        last = np.searchsorted(s.t, e.t, side="right") - 1
        self.rule("event: is a sample", (last < first).astype(np.float64), 0.0, event=True)
        here = last >= first
        opening = np.concatenate([[True], np.diff(e.t) > 0.0]) & here & (e.t > s.t[0])
        closing = np.concatenate([np.diff(e.t) > 0.0, [True]]) & here
        first, last = np.clip(first, 0, s.t.size - 1), np.clip(last, 0, s.t.size - 1)
        before = (state[first] != e.state_minus) & opening[:, None]
        after = (state[last] != e.state_plus) & closing[:, None]
        self.rule("event: states before", before.astype(np.float64), 0.0, event=True)
        self.rule("event: states after", after.astype(np.float64), 0.0, event=True)
        speed = self.tolerance * self.speed
        jump = np.abs(s.u[first] - e.u_minus).max(axis=1, initial=0.0) * opening
        self.rule("event: velocities before", jump, speed, event=True)
        jump = np.abs(s.u[last] - e.u_plus).max(axis=1, initial=0.0) * closing
        self.rule("event: velocities after", jump, speed, event=True)
        moved = np.abs(s.q[last] - e.q).max(axis=1, initial=0.0) * here
        self.rule("event: coordinates", moved, self.tolerance * max(_size(s.q), 1e-300), event=True)
        impact = e.kind == EventKind.IMPACT
        still = np.abs(e.u_plus - e.u_minus).max(axis=1, initial=0.0) * ~impact
        self.rule("event: no jump without impact", still, speed, event=True)

    # ---- what needs the system ----------------------------------------------------------------

    def friction(self, system: System) -> None:
        """|λ_T| <= β + μ λ_N, an ellipse for two directions; on its rim where the contact slips."""
        s = self.solution
        if s.t.size == 0 or system.nc == 0:
            return
        slips = self.by_contact(s.gamma_T)
        bound, force = np.zeros(s.lambda_N.shape), np.zeros(s.lambda_N.shape)
        given = np.zeros(s.lambda_N.shape)
        if not self.unilateral.all():
            for k in range(s.t.size):
                given[k] = system.contact_kinematics(s.t[k], s.q[k], s.u[k])["bound"]
        for i, contact in enumerate(system.contacts):
            law, rows = contact.law, self.tangents[i]
            mu = np.full(s.t.size, law.mu)
            if law.curve is not None:
                curve = law.curve._core(law.mu)
                mu = np.array([curve.coefficient(v) for v in slips[:, i]])
            normal = i if contact.is_unilateral else -1
            if contact.normal is not None:
                normal = system.contact_names.index(contact.normal)
            bound[:, i] = given[:, i] + (mu * s.lambda_N[:, normal] if normal >= 0 else 0.0)
            stretch = np.array([1.0, law.aspect])[: rows.size]
            force[:, i] = np.linalg.norm(s.lambda_T[:, rows] / stretch, axis=1)
        tolerance = self.tolerance * self.force
        self.rule("friction cone", np.nan_to_num(force - bound), tolerance)
        slides = s.contact_state > ContactState.STICK
        rim = np.where(slides & (slips > self.tolerance * self.speed), np.abs(bound - force), 0.0)
        self.rule("slip: friction at its limit", np.nan_to_num(rim), tolerance)

    def impacts(self, system: System) -> None:
        """Momentum, impulses and laws of every impact, (8.52), (8.87), (8.97)."""
        e = self.solution.events
        rows = np.flatnonzero(e.kind == EventKind.IMPACT)
        names = (
            "impact: momentum", "impact: energy", "impact: Lambda_N >= 0", "impact: no approach",
            "impact: cone", "impact: compression", "impact: expansion",
        )  # fmt: skip
        for name in names:
            self.rules[name] = int(rows.size)
        for row in rows:
            self._impact(system, int(row))

    def _impact(self, system: System, row: int) -> None:
        e = self.solution.events
        t, q, u, v = float(e.t[row]), e.q[row], e.u_minus[row], e.u_plus[row]
        k = system.contact_kinematics(t, q, u)
        Minv = np.linalg.inv(system.mass_matrix(t, q))
        if system.nb > 0:
            W = system.constraint_kinematics(t, q, u)["W"]
            Minv = Minv - Minv @ W @ np.linalg.pinv(W.T @ Minv @ W, rcond=1e-9) @ W.T @ Minv
        N, T, NC, TC = e.Lambda_N[row], e.Lambda_T[row], e.Lambda_NC[row], e.Lambda_TC[row]
        change = Minv @ (k["W_N"] @ N + k["W_T"] @ T)
        speed = self.tolerance * max(_size(u), _size(v), _size(change))
        self._excess("impact: momentum", row, t, "", _size(v - u - change), speed)
        T_A, T_E = (system.kinetic_energy(t, q, w) for w in (u, v))
        off = abs(T_A - T_E - float(e.energy_loss[row]))
        self._excess("impact: energy", row, t, "", off, self.tolerance * max(T_A, T_E, 1e-300))
        impulse = self.tolerance * max(_size(N), _size(T), 1e-300)
        u_C = u + Minv @ (k["W_N"] @ NC + k["W_T"] @ TC)
        gamma_NC, gamma_TC = (k[f"W_{d}"].T @ u_C + k[f"w_tilde_{d}"] for d in "NT")
        gamma_NE = k["W_N"].T @ v + k["w_tilde_N"]

        def corner(rule: str, i: int, velocity: float, force: float) -> None:
            """Neither is negative, one is zero, each measured by its own tolerance."""
            x, y = velocity / max(speed, 1e-300), force / impulse
            name = system.contact_names[i]
            self._excess(
                rule, row, t, name, max(-x, -y, min(x, y)) * self.tolerance, self.tolerance
            )

        for i, contact in enumerate(system.contacts):
            law, rows = contact.law, self.tangents[i]
            takes_part = bool(e.contacts[row, i]) or N[i] > impulse
            if not contact.is_unilateral or not takes_part:
                continue
            stretch = np.array([1.0, law.aspect])[: rows.size]
            self._excess("impact: Lambda_N >= 0", row, t, contact.name, -N[i], impulse)
            self._excess("impact: no approach", row, t, contact.name, -gamma_NE[i], speed)
            total = float(np.linalg.norm(T[rows] / stretch))
            self._excess("impact: cone", row, t, contact.name, total - law.mu * N[i], impulse)
            if not (NC.any() or TC.any()):
                continue  # a law of one phase
            corner("impact: compression", i, float(gamma_NC[i]), float(NC[i]))
            if law.mu > 0.0:
                reserve = law.mu * NC[i] - float(np.linalg.norm(TC[rows] / stretch))
                slip = float(np.linalg.norm(gamma_TC[rows]))
                corner("impact: compression", i, slip, reserve)
            given_back = (1.0 + law.e_N) * NC[i]
            corner("impact: expansion", i, float(gamma_NE[i]), float(N[i] - given_back))

    def _excess(
        self, rule: str, row: int, t: float, contact: str, value: float, tolerance: float
    ) -> None:
        if value > tolerance:
            self.add(rule, row, t, contact, value, tolerance)

    def between(self, system: System) -> None:
        """Penetration between the samples."""
        s = self.solution
        start, end = s._data["step_start"], s._data["step_end"]
        if start.size == 0 or system.nc == 0 or s.features.shape[1] > 0:
            return
        chosen = np.unique(np.linspace(0, start.size - 1, min(start.size, _PLACES)).astype(int))
        times = 0.5 * (start[chosen] + end[chosen])
        motion = s.at(times)
        gap = self.tolerance * self.length
        self.rules["g_N >= 0 between samples"] = int(times.size)
        for t, q, u in zip(times, motion.q, motion.u, strict=True):
            g_N = system.contact_kinematics(t, q, u)["g_N"]
            for i in np.flatnonzero(self.unilateral & (g_N < -gap)):
                self.add("g_N >= 0 between samples", -1, t, s.contact_names[i], -g_N[i], gap)

    def energy(self, part: float) -> None:
        """The balance of `Solution.energy`, where works are known."""
        balance = self.solution.energy
        if not np.isfinite(balance.residual).all():
            return
        excess = np.abs(balance.residual) - part * balance.turnover
        self.rules["energy balance"] = int(excess.size)
        for row in np.flatnonzero(excess > 0.0):
            value, size = abs(balance.residual[row]), part * balance.turnover[row]
            self.add("energy balance", int(row), float(balance.t[row]), "", value, float(size))

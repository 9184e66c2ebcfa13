"""The collection of violated rules, and the scales of their tolerances."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsmb.common.text import text_table
from nsmb.system.options import EventDriven

if TYPE_CHECKING:
    from nsmb.solution.record import Record

__all__ = ["Book", "SolutionCheck", "Violation", "size"]

Floats = NDArray[np.float64]
_SHOWN = 20
_LOOKS = 100  # number of times at which speeds between the samples are evaluated


@dataclass(frozen=True)
class Violation:
    """One row that violates a rule."""

    rule: str
    """Name of the rule, as in :attr:`SolutionCheck.rules`."""
    row: int
    """Index of the sample, or of the event for rules whose name starts with ``event`` or
    ``impact``; -1 between the samples."""
    t: float
    """Time of the row, in s."""
    contact: str
    """Name of the contact; empty for the whole system."""
    value: float
    """Amount of the violation, in the unit of the rule."""
    tolerance: float
    """Largest accepted value."""


@dataclass(frozen=True, eq=False)
class SolutionCheck:
    """The result of :meth:`nsmb.Solution.check`."""

    violations: tuple[Violation, ...]
    """All rows that violate a rule, in the order of the rules."""
    rules: dict[str, int]
    """Number of checked rows by rule. Rules that require data missing from the solution are left
    out."""

    @property
    def ok(self) -> bool:
        """True if no rule is violated."""
        return not self.violations

    def __bool__(self) -> bool:
        return self.ok

    def worst(self) -> tuple[tuple[Violation, int], ...]:
        """Return, for each violated rule, its worst violation and the number of violations."""
        found: dict[str, tuple[Violation, int]] = {}
        for violation in self.violations:
            worst, count = found.get(violation.rule, (violation, 0))
            larger = not violation.value <= worst.value
            found[violation.rule] = (violation if larger else worst, count + 1)
        return tuple(found.values())

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


def size(values: Floats) -> float:
    """Return the largest finite magnitude."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0))


class Book:
    """The checked rules and their violations.

    Tolerances are relative to the largest gap, velocity or force of the run. The tolerances of the
    method are added: `start_tolerance` for gaps, and ten times `rest_velocity` for velocities.
    """

    def __init__(self, solution: Record, tolerance: float) -> None:
        s = solution
        method = s.method if isinstance(s.method, EventDriven) else EventDriven()
        self.solution = solution
        self.tolerance = tolerance
        self.rules: dict[str, int] = {}
        self.violations: list[Violation] = []
        self.rest = 10.0 * method.rest_velocity
        self.gap = tolerance * max(size(s.g_N), 0.1 * size(s.q))
        self.gap += max(method.start_tolerance, 100.0 * method.gap_tolerance)
        # In a run from rest to rest, all samples may have zero velocity.
        times = np.linspace(*s.t_span, _LOOKS)
        between = s.at(times).u if s.has_dense_output and s.t.size > 1 else s.u
        fastest = max(size(s.gamma_N), size(s.gamma_T), size(s.u), size(between))
        self.speed = tolerance * fastest + self.rest
        self.largest_force = max(size(s.lambda_N), size(s.lambda_T))
        self.force = tolerance * self.largest_force
        self.unilateral = np.array([name not in s.gapless for name in s.contact_names], dtype=bool)
        counts = [
            sum(tangent in (name, f"{name}.1", f"{name}.2") for tangent in s.tangent_names)
            for name in s.contact_names
        ]
        ends = np.cumsum([0, *counts])
        self.tangents = [np.arange(a, b) for a, b in pairwise(ends)]
        self.columns = np.arange(ends[-1])

    def result(self) -> SolutionCheck:
        """Return the violations, without those at the instant at which a run failed."""
        s = self.solution
        found = self.violations
        if not s.success and s.t.size:
            found = [v for v in found if v.t < s.t[-1]]
        return SolutionCheck(tuple(found), self.rules)

    def rows(self, rule: str, excess: Floats, tolerance: float, *, event: bool = False) -> None:
        """Check rows of samples or events, by contact if `excess` has columns."""
        times = self.solution.events.t if event else self.solution.t
        self.table(rule, times, excess, tolerance, np.arange(times.size))

    def between(self, rule: str, times: Floats, excess: Floats, tolerance: float) -> None:
        """Check times between the samples, by contact."""
        self.table(rule, times, excess, tolerance, np.full(times.size, -1))

    def table(
        self, rule: str, times: Floats, excess: Floats, tolerance: float, rows: NDArray[np.intp]
    ) -> None:
        self.rules[rule] = self.rules.get(rule, 0) + int(excess.size)
        columns = excess if excess.ndim > 1 else excess[:, None]
        names = self.solution.contact_names if excess.ndim > 1 else ("",)
        for row, column in np.argwhere(~(columns <= tolerance)):  # NaN violates every rule
            at = float(times[row])
            self.add(rule, int(rows[row]), at, names[column], columns[row, column], tolerance)

    def one(
        self,
        rule: str,
        row: int,
        t: float,
        contact: str,
        value: float | Floats,
        tolerance: float | Floats,
    ) -> None:
        """Check one number, or the worst of several."""
        if isinstance(value, float) and isinstance(tolerance, float):  # fast path without arrays
            if not value <= tolerance:  # NaN violates every rule
                self.add(rule, row, t, contact, value, tolerance)
            return
        if not (value <= tolerance).all():  # type: ignore[union-attr]  # one of them is an array
            values, limits = np.broadcast_arrays(np.atleast_1d(value), np.atleast_1d(tolerance))
            worst = int(np.argmax(np.nan_to_num(values - limits, nan=np.inf)))
            self.add(rule, row, t, contact, float(values[worst]), float(limits[worst]))

    def add(
        self, rule: str, row: int, t: float, contact: str, value: float, tolerance: float
    ) -> None:
        self.violations.append(Violation(rule, row, t, contact, float(value), tolerance))

    def by_contact(self, table: Floats) -> Floats:
        """Return norms of the rows of each contact, (..., nc)."""
        norms = [np.linalg.norm(table[..., rows], axis=-1) for rows in self.tangents]
        return np.stack(norms, axis=-1) if norms else np.zeros((*table.shape[:-1], 0))

    def first_tangents(self, table: Floats) -> Floats:
        """Return the first column of each contact, 0 for contacts without friction, (n, nc)."""
        columns = [table[:, rows[:1]].sum(axis=1) for rows in self.tangents]
        return np.stack(columns, axis=-1) if columns else np.zeros((len(table), 0))

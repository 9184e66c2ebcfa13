"""What breaks a rule, and the sizes that say what is small."""

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
_LOOKS = 100  # times at which speeds between the samples are looked at


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

    def worst(self) -> tuple[tuple[Violation, int], ...]:
        """Of every broken rule the row that breaks it most, and how many rows do."""
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
    """The largest finite magnitude."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0))


class Book:
    """Rules and what breaks them.

    Tolerances are parts of the largest gap, velocity or force of the run, and at least what the
    method itself takes for nothing: lengths of 1e-9 m, by which a start may penetrate, and ten
    times its `rest_velocity`.
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
        # A run from rest to rest may have no sample with speed.
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
        """What was found; the instant at which a run failed is what it could not do."""
        s = self.solution
        found = self.violations
        if not s.success and s.t.size:
            found = [v for v in found if v.t < s.t[-1]]
        return SolutionCheck(tuple(found), self.rules)

    def rows(self, rule: str, excess: Floats, tolerance: float, *, event: bool = False) -> None:
        """Rows of samples or events, by contact if `excess` has columns."""
        times = self.solution.events.t if event else self.solution.t
        self.table(rule, times, excess, tolerance, np.arange(times.size))

    def between(self, rule: str, times: Floats, excess: Floats, tolerance: float) -> None:
        """Places between the samples, by contact."""
        self.table(rule, times, excess, tolerance, np.full(times.size, -1))

    def table(
        self, rule: str, times: Floats, excess: Floats, tolerance: float, rows: NDArray[np.intp]
    ) -> None:
        self.rules[rule] = self.rules.get(rule, 0) + int(excess.size)
        columns = excess if excess.ndim > 1 else excess[:, None]
        names = self.solution.contact_names if excess.ndim > 1 else ("",)
        for row, column in np.argwhere(~(columns <= tolerance)):  # NaN breaks every rule
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
        """One number, or several of which the worst counts."""
        if isinstance(value, float) and isinstance(tolerance, float):  # most are: without arrays
            if not value <= tolerance:  # NaN breaks every rule
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
        """Norms of the rows of each contact, (..., nc)."""
        norms = [np.linalg.norm(table[..., rows], axis=-1) for rows in self.tangents]
        return np.stack(norms, axis=-1) if norms else np.zeros((*table.shape[:-1], 0))

    def first_tangents(self, table: Floats) -> Floats:
        """First column of each contact, 0 for contacts without friction, (n, nc)."""
        columns = [table[:, rows[:1]].sum(axis=1) for rows in self.tangents]
        return np.stack(columns, axis=-1) if columns else np.zeros((len(table), 0))

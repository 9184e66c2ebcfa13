"""Forces and components of a run by name, at its samples and at any time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import as_number, unknown_name
from nsmb.common.labels import Labels
from nsmb.solution.solution import Sample, Solution

__all__ = [
    "Column",
    "force_column",
    "force_columns",
    "force_names",
    "force_unit",
    "known_forces",
    "stretch",
]

Vector = NDArray[np.float64]

_NAMES = {
    "lambda_N": "contact_names",
    "element_force": "element_names",
    "lambda_T": "tangent_names",
    "lambda_B": "constraint_names",
}


@dataclass(frozen=True)
class Column:
    """One column of the forces of a solution."""

    variable: str
    """``lambda_N``, ``element_force``, ``lambda_T`` or ``lambda_B``."""
    index: int
    name: str
    """As tables call it: ``element_force[spring]``."""

    def of_samples(self, solution: Solution) -> Vector:
        """(n,) at the samples."""
        return np.asarray(getattr(solution, self.variable)[:, self.index])

    def acts(self, solution: Solution) -> NDArray[np.bool_]:
        """(n,) whether the contact is closed, or the element acts, at the samples."""
        if self.variable == "element_force":
            return np.asarray(solution.element_mode[:, self.index] > 0)
        if self.variable == "lambda_N":
            return np.asarray(solution.contact_state[:, self.index] > 0)
        return np.full(solution.t.size, True)

    def at(
        self, solution: Solution, times: Vector, side: Literal["left", "right"] = "right"
    ) -> Vector:
        """(m,) at any times."""
        return self.of(solution.at(times, side))

    def of(self, sample: Sample) -> Vector:
        """Of what `Solution.at` has returned."""
        return np.asarray(getattr(sample, self.variable)[..., self.index])


def force_names(labels: Labels) -> list[str]:
    """The one-sided forces: of contacts with a gap and of force elements, as tables call them."""
    contacts = [name for name in labels.contact_names if name not in labels.gapless]
    return [f"lambda_N[{name}]" for name in contacts] + [
        f"element_force[{name}]" for name in labels.element_names
    ]


def known_forces(labels: Labels) -> dict[str, Column]:
    """Columns by the names of tables, ``"lambda_T[tip]"``, and by those of their owners: of a
    contact its normal force, of a force element or a constraint the force of it."""
    known: dict[str, Column] = {}
    for variable, group in _NAMES.items():
        for index, own in enumerate(getattr(labels, group)):
            column = Column(variable, index, f"{variable}[{own}]")
            known[column.name] = column
            known.setdefault(own, column)
    return known


def force_column(labels: Labels, name: str) -> Column:
    """The column of a force, by one of `known_forces`.

    Raises
    ------
    ValueError
        For a name that is no force of the run.
    """
    known = known_forces(labels)
    if name not in known:
        raise unknown_name("force", name, list(known))
    return known[name]


def force_columns(labels: Labels, forces: str | Sequence[str]) -> list[Column]:
    """The columns of one force or of several, none twice.

    Raises
    ------
    ValueError
        For names that are no forces of the run, none at all, or one given twice.
    """
    names = [forces] if isinstance(forces, str) else forces
    if not isinstance(names, Sequence) or not names or not all(isinstance(n, str) for n in names):
        raise ValueError(f"forces: expected one name or several, got {forces!r}")
    columns = [force_column(labels, name) for name in names]
    if len({column.name for column in columns}) < len(columns):
        raise ValueError(f"forces: expected each one once, got {list(names)}")
    return columns


def force_unit(unit: str) -> float:
    """How many of these are a newton."""
    factors = {"N": 1.0, "kN": 1e-3}
    if unit not in factors:
        raise ValueError(f"unit: expected 'N' or 'kN', got {unit!r}")
    return factors[unit]


def stretch(
    solution: Solution, t_start: float | None, t_end: float | None = None
) -> tuple[float, float]:
    """Begin and end of a part of a run, s; None: those of the run."""
    first, last = solution.t_span
    start = first if t_start is None else as_number("t_start", t_start)
    end = last if t_end is None else as_number("t_end", t_end)
    if not first <= start < end <= last:
        raise ValueError(
            f"t_start, t_end: expected {first:g} <= t_start < t_end <= {last:g}, got {start:g} "
            f"and {end:g}"
        )
    return start, end

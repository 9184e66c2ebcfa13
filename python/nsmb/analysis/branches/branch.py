"""Branches of solutions over a parameter, and branches of periodic orbits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.branches.curve import Curve
from nsmb.analysis.branches.special_points import SpecialPoint
from nsmb.analysis.common import records
from nsmb.analysis.figures import plots
from nsmb.analysis.orbits.orbit import RECORDS, PeriodicOrbit
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.pictures.plot_style import BLACK

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from nsmb.system.base import System

__all__ = [
    "Branch",
    "Joined",
    "Measure",
    "OrbitBranch",
    "joined",
    "measure_orbit",
    "section_columns",
]

Vector = NDArray[np.float64]

_SAMPLES = 400


class Joined(NamedTuple):
    """The points and the status of a branch that joins two directions."""

    values: Vector
    points: list[Any]
    special_points: list[SpecialPoint]
    status: str
    message: str


P = TypeVar("P")
Measure = str | Callable[[P], float]


@dataclass(frozen=True, eq=False, repr=False)
class Branch(ShownAsTable, records.Saved, Generic[P]):
    """Solutions along a parameter, in the order of arclength.

    The result of :func:`nsmb.analysis.continuation`.

    There is a class for each kind of solution: `OrbitBranch`, `EquilibriumBranch`, `ResponseBranch`
    and, over two parameters, `Locus`.
    """

    parameter: str
    """The followed parameter; for a `Locus`, the second parameter."""
    values: Vector
    """Values of the parameter, shape (k,); for a `Locus`, values of both, shape (k, 2)."""
    points: list[P]
    """The k solutions."""
    special_points: list[SpecialPoint]
    """Special points in the order of the branch."""
    status: str
    """``finished`` if the span is covered. Otherwise the reason why the branch first ends inside
    the span: ``branch_end``, ``inadmissible``, ``max_points`` or ``interrupted``."""
    message: str
    """The point at which the branch ends, and the reason."""

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.points)

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Stability of each solution, shape (k,); harmonic balance does not determine it."""
        return np.array([point.stable for point in self.points], dtype=np.bool_)  # type: ignore[attr-defined]

    def of_kind(self, kind: str) -> list[SpecialPoint]:
        """Return the special points of one kind.

        Parameters
        ----------
        kind : str
            One of the kinds of `SpecialPoint`, such as ``"fold"``.
        """
        return [point for point in self.special_points if point.kind == kind]

    def measure(self, measure: Measure[P]) -> Vector:
        """Return one number per solution, shape (k,).

        Parameters
        ----------
        measure : str or callable
            A name that the kind of branch defines, or a function of a solution: see
            :meth:`OrbitBranch.measure`, :meth:`EquilibriumBranch.measure` and
            :meth:`ResponseBranch.measure`.

        Raises
        ------
        ValueError
            If the name is unknown.
        """
        if callable(measure):
            return np.array([float(measure(point)) for point in self.points])
        return np.array([self._measured(point, measure) for point in self.points])

    def _measured(self, point: P, name: str) -> float:
        """Return one measure of a solution by its name."""
        raise NotImplementedError

    def _usual_measure(self) -> str:
        """Return the name of the measure that is plotted by default."""
        raise NotImplementedError

    def plot(
        self,
        measure: Measure[P] | None = None,
        ax: Axes | None = None,
        *,
        color: str = BLACK,
        labels: bool = True,
        system: System | None = None,
    ) -> Axes:
        """Plot a measure of the solutions over the parameter.

        Stable solutions are solid, unstable ones dashed. Special points have one marker for each
        kind, explained in the legend, and are labelled with the value of the parameter. Several
        branches may share axes.

        Parameters
        ----------
        measure : str or callable, optional
            As for :meth:`measure`. Default: the first velocity of orbits at the section, as in a
            bifurcation diagram; the first coordinate of equilibria; the amplitude of the first
            coordinate of responses.
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        color : str
            Colour of the curve.
        labels : bool
            Write the value of the parameter beside each special point.
        system : System, optional
            The system that gives the units of the axes. Default: that of the first solution.

        Returns
        -------
        Axes

        Raises
        ------
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        ValueError
            If the branch has no points.
        """
        if not self.points:
            raise ValueError("branch: must have at least one point, got none. Read its message.")
        chosen = self._usual_measure() if measure is None else measure
        return plots.plot_branch(self, chosen, ax, color=color, labels=labels, system=system)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with one row per solution: the parameter, stability and measures.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` installs it.
        """
        pandas = import_extra("pandas", "data")
        frame: pd.DataFrame = pandas.DataFrame(self._columns())
        return frame

    def _columns(self) -> dict[str, Any]:
        """Return the columns of the table."""
        return {self.parameter: self.values}


@dataclass(frozen=True, eq=False, repr=False)
class OrbitBranch(Branch[PeriodicOrbit]):
    """Periodic orbits along a parameter, in the order of arclength."""

    _format: ClassVar[str] = "nsmb-branch"
    _called: ClassVar[str] = "branch of orbits"

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """Floquet multipliers of each orbit by decreasing modulus, shape (k, n)."""
        return np.array([orbit.multipliers for orbit in self.points], dtype=np.complex128)

    @property
    def periods(self) -> Vector:
        """Periods of the orbits, shape (k,), in s."""
        return np.array([orbit.period for orbit in self.points])

    def measure(self, measure: Measure[PeriodicOrbit]) -> Vector:
        """Return one number per orbit, shape (k,).

        Parameters
        ----------
        measure : str or callable
            A component of the state at the section (``"phi"``, ``"phi_dot"``), ``"period"``,
            ``"drift:y"``; ``"max:phi"``, ``"min:phi"`` or ``"amplitude:phi"`` along the orbit; or a
            function of the orbit.

        Raises
        ------
        ValueError
            If the system has no such name.
        """
        return super().measure(measure)

    def _measured(self, point: PeriodicOrbit, name: str) -> float:
        return measure_orbit(point, name)

    def _usual_measure(self) -> str:
        # A bifurcation diagram also shows a velocity. The period of a forced orbit is constant.
        return self.points[0].system.labels.velocities[0]

    def plot_multipliers(self, ax: Axes | None = None) -> Axes:
        """Plot the Floquet multipliers beside the unit circle, coloured by the parameter.

        Trivial multipliers are hollow. Multipliers with a modulus above 3 are not drawn. A line of
        text gives their number and the largest modulus.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.

        Returns
        -------
        Axes

        Raises
        ------
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        """
        return plots.plot_multipliers(self, ax)

    def _columns(self) -> dict[str, Any]:
        columns = {
            self.parameter: self.values,
            "period": self.periods,
            "stable": self.stable,
            "largest_multiplier": [
                float(np.abs(orbit.nontrivial).max(initial=0.0)) for orbit in self.points
            ],
        }
        return columns | section_columns(self.points)

    @classmethod
    def _parts(cls) -> tuple[type, ...]:
        return (*RECORDS, PeriodicOrbit, SpecialPoint)

    def __repr__(self) -> str:
        low, high = float(self.values.min()), float(self.values.max())
        lines = [
            f"Branch of {self.points[0].system.name} over {self.parameter}: {self.status}",
            f"  {len(self)} orbits from {low:.8g} to {high:.8g}, {int(self.stable.sum())} stable",
        ]
        return "\n".join(lines + [f"  {point}" for point in self.special_points])


def section_columns(orbits: Sequence[PeriodicOrbit]) -> dict[str, Any]:
    """Return columns with the states of orbits at their section."""
    return {
        name: [
            orbit.section_state[i] if orbit.section_state.size else orbit.y[i] for orbit in orbits
        ]
        for i, name in enumerate(orbits[0].names)
    }


def measure_orbit(orbit: PeriodicOrbit, what: str) -> float:
    """Return one measure of an orbit; see :meth:`OrbitBranch.measure`."""
    if what == "period":
        return orbit.period
    kind, _, name = what.partition(":")
    if kind == "drift":
        return float(orbit.drift[orbit.system.labels.component(name)])
    if kind in ("max", "min", "amplitude"):
        i = orbit.system.labels.component(name)
        solution = orbit.solution
        sample = solution.at(np.linspace(*solution.t_span, _SAMPLES))
        rows = [
            np.concatenate([part.q, part.u, part.x], axis=1)[:, i] for part in (sample, solution)
        ]
        values = np.concatenate(rows)
        return float(
            values.max()
            if kind == "max"
            else values.min()
            if kind == "min"
            else 0.5 * np.ptp(values)
        )
    i = orbit.system.labels.component(what)
    return float(orbit.section_state[i] if orbit.section_state.size else orbit.y[i])


def joined(curves: Sequence[tuple[int, Curve[Any]]], parameter: str) -> Joined:
    """Join curves from one start to one branch in the order of arclength.

    `curves` holds (-1, the curve along which the parameter first falls) and (+1, the curve along
    which it first grows), or one of them.
    """
    values: list[float] = []
    points: list[Any] = []
    special: list[SpecialPoint] = []
    status, message = "finished", ""
    for sign, curve in curves:
        backward = sign < 0
        count = len(curve.points)
        if backward:
            values, points = curve.values[::-1], curve.points[::-1]
        else:
            offset = max(len(points) - 1, 0)
            values += curve.values[1 if points else 0 :]
            points += curve.points[1 if points else 0 :]
        found = curve.found[::-1] if backward else curve.found
        for item in found:
            index = max(count - 2 - item.index, 0) if backward else offset + item.index
            special.append(
                SpecialPoint(
                    item.kind,
                    parameter,
                    item.value,
                    (min(item.bracket), max(item.bracket)),
                    index,
                    item.point,
                    item.message,
                )
            )
        if status == "finished" and curve.status != "finished":
            status, message = curve.status, curve.message
        elif status == "finished" and not message and curve.inside:
            message = curve.message
    return Joined(np.array(values), points, special, status, message)

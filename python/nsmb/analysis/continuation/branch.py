"""Branches of periodic orbits or equilibria over a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common import records
from nsmb.analysis.continuation.curve import Curve
from nsmb.analysis.continuation.special_points import SpecialPoint
from nsmb.analysis.figures import plots
from nsmb.analysis.maps.sections import component
from nsmb.analysis.orbits.orbit import RECORDS, PeriodicOrbit
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Branch", "joined"]

Vector = NDArray[np.float64]

_SAMPLES = 400


@dataclass(frozen=True, eq=False, repr=False)
class Branch(ShownAsTable, records.Saved):
    """Periodic orbits along a parameter, in the order of arclength."""

    _format: ClassVar[str] = "nsmb-branch"
    _called: ClassVar[str] = "branch of orbits"

    parameter: str
    values: Vector
    """(k,) of the parameter."""
    orbits: list[PeriodicOrbit]
    special_points: list[SpecialPoint]
    status: str
    """``finished``: the range is covered; ``branch_end``, ``inadmissible``, ``max_points``: of the
    ends that are none of the range, the first."""
    message: str

    @property
    def stable(self) -> NDArray[np.bool_]:
        """(k,)"""
        return np.array([orbit.stable for orbit in self.orbits], dtype=np.bool_)

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """(k, n) Floquet multipliers of each orbit by falling modulus."""
        return np.array([orbit.multipliers for orbit in self.orbits], dtype=np.complex128)

    @property
    def periods(self) -> Vector:
        """(k,) s"""
        return np.array([orbit.period for orbit in self.orbits])

    def measure(self, what: str | Callable[[PeriodicOrbit], float]) -> Vector:
        """(k,) one number per orbit.

        Parameters
        ----------
        what : str or callable
            A component of the state at the section (``"phi"``, ``"phi_dot"``), ``"period"``,
            ``"drift:y"``; ``"max:phi"``, ``"min:phi"`` or ``"amplitude:phi"`` along the orbit; or a
            function of the orbit.

        Raises
        ------
        ValueError
            For a name the system does not have.
        """
        return np.array([measure(orbit, what) for orbit in self.orbits])

    def of_kind(self, kind: str) -> list[SpecialPoint]:
        """The special points of one kind."""
        return [point for point in self.special_points if point.kind == kind]

    def to_dataframe(self) -> pd.DataFrame:
        """One row per orbit: the parameter, period, stability, largest multiplier, section state.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[analysis]`` brings it.
        """
        pandas = import_extra("pandas", "analysis")
        columns: dict[str, Any] = {
            self.parameter: self.values,
            "period": self.periods,
            "stable": self.stable,
            "largest_multiplier": [
                float(np.abs(orbit.nontrivial).max(initial=0.0)) for orbit in self.orbits
            ],
        }
        for i, name in enumerate(self.orbits[0].names):
            columns[name] = [
                orbit.section_state[i] if orbit.section_state.size else orbit.y[i]
                for orbit in self.orbits
            ]
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def plot(
        self, measure: str | Callable[[PeriodicOrbit], float] = "period", **options: Any
    ) -> Axes:
        """Picture of a measure: :func:`nsmb.analysis.plot_branch`."""
        return plots.plot_branch(self, measure, **options)

    def plot_multipliers(self, **options: Any) -> Axes:
        """The multipliers beside the unit circle: :func:`nsmb.analysis.plot_multipliers`."""
        return plots.plot_multipliers(self, **options)

    @classmethod
    def _parts(cls) -> tuple[type, ...]:
        return (*RECORDS, PeriodicOrbit, SpecialPoint)

    def __repr__(self) -> str:
        low, high = float(self.values.min()), float(self.values.max())
        lines = [
            f"Branch of {self.orbits[0].system.name} over {self.parameter}: {self.status}",
            f"  {len(self.orbits)} orbits from {low:.8g} to {high:.8g}, "
            f"{int(self.stable.sum())} stable",
        ]
        return "\n".join(lines + [f"  {point}" for point in self.special_points])


def measure(orbit: PeriodicOrbit, what: str | Callable[[PeriodicOrbit], float]) -> float:
    """One number of an orbit, see :meth:`Branch.measure`."""
    if callable(what):
        return float(what(orbit))
    if what == "period":
        return orbit.period
    kind, _, name = what.partition(":")
    if kind == "drift":
        return float(orbit.drift[component(orbit.system, name)])
    if kind in ("max", "min", "amplitude"):
        i = component(orbit.system, name)
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
    i = component(orbit.system, what)
    return float(orbit.section_state[i] if orbit.section_state.size else orbit.y[i])


def joined(
    curves: Sequence[tuple[int, Curve[Any]]], parameter: str
) -> tuple[Vector, list[Any], list[SpecialPoint], str, str]:
    """One branch, in the order of arclength, of curves that begin at one point: (-1, the curve in
    which the parameter falls at first) and (+1, the one in which it grows), or one of them."""
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
    return np.array(values), points, special, status, message

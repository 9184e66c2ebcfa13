"""Orbits at the points of a diagram, and branches that start from them, without widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.branches.branch import OrbitBranch
from nsmb.analysis.branches.follow import Options
from nsmb.analysis.branches.follow_orbits import follow_orbits
from nsmb.analysis.exploring.origin import Origin
from nsmb.analysis.maps.poincare import PoincareMap
from nsmb.analysis.orbits.find_orbit import periodic_orbit
from nsmb.analysis.orbits.orbit import PeriodicOrbit
from nsmb.common.arguments import whole
from nsmb.explorer.bounded_run import bounded_method, bounded_run
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System

__all__ = ["Cloud", "DrawnBranch", "OrbitAtPoint", "OrbitsOfDiagram"]

Floats = NDArray[np.float64]

_SHOWN = 16  # section points shown of a run without a period
_MOST_EVENTS = 5000  # largest number of events of such a run
_BRANCH_POINTS = 80


class Cloud(Protocol):
    """A bifurcation diagram; see `nsmb.analysis.results.BifurcationDiagram`."""

    @property
    def parameter(self) -> str: ...
    @property
    def values(self) -> Floats: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def points(self) -> Floats: ...
    @property
    def periods(self) -> NDArray[np.int64]: ...
    @property
    def status(self) -> tuple[str, ...]: ...
    @property
    def messages(self) -> tuple[str, ...]: ...
    def state(self, row: int) -> State: ...


@dataclass(frozen=True, eq=False)
class OrbitAtPoint:
    """The motion at a point of a diagram."""

    value: float
    """Value of the parameter."""
    system: System
    solution: Solution
    """One period of the orbit; without an orbit, the run from the point."""
    orbit: PeriodicOrbit | None
    """The periodic orbit; None if Newton's method found none."""
    points: Floats
    """Observed values of the diagram at the section points of `solution`, shape (p, d)."""
    message: str
    """The reason why there is no orbit; otherwise empty."""

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """Floquet multipliers, shape (n,); empty without an orbit."""
        if self.orbit is None:
            return np.zeros(0, dtype=np.complex128)
        return self.orbit.multipliers


@dataclass(frozen=True, eq=False)
class DrawnBranch:
    """A branch, and the positions of the section points of its orbits in the diagram."""

    branch: OrbitBranch
    heights: tuple[Floats, ...] = field(repr=False)
    """Observed values of each orbit, shape (p, d) for p section points, ordered consistently from
    orbit to orbit."""


class OrbitsOfDiagram:
    """Orbits and branches of a diagram.

    Parameters
    ----------
    diagram : BifurcationDiagram
    origin : Origin
    branches : sequence of OrbitBranch
        Initial branches, over the parameter of the diagram.

    Raises
    ------
    ValueError
        If a branch is over another parameter.
    """

    def __init__(
        self, diagram: Cloud, origin: Origin, branches: Sequence[OrbitBranch] = ()
    ) -> None:
        self.diagram, self.origin = diagram, origin
        self.selected: OrbitAtPoint | None = None
        self.branches: list[DrawnBranch] = []
        for branch in branches:
            if not isinstance(branch, OrbitBranch) or branch.parameter != diagram.parameter:
                got = getattr(branch, "parameter", type(branch).__name__)
                raise ValueError(
                    f"branches: expected branches over {diagram.parameter!r}, got {got!r}"
                )
            self.branches.append(self.drawn(branch))

    def click(self, row: int) -> OrbitAtPoint:
        """Select and return the orbit at a row of the diagram.

        Raises
        ------
        ValueError
            If the row does not exist or has no point.
        """
        diagram, origin = self.diagram, self.origin
        number = whole("row", row, 0)
        if number >= diagram.values.size:
            raise ValueError(f"row: expected 0 to {diagram.values.size - 1}, got {row}")
        value, state = float(diagram.values[number]), diagram.state(number)
        system = origin.build(value)
        period = int(diagram.periods[number])
        orbit = periodic_orbit(
            system,
            section=origin.section,
            start=state,
            section_points=period or None,
            transient=0,
            method=origin.method,
            throw=False,
        )
        if orbit.success:
            self.selected = self._at(value, orbit)
        else:
            why = f"no periodic orbit ({orbit.status}: {orbit.message}); the run from here on"
            self.selected = self._run(value, system, state, why)
        return self.selected

    def click_branch(self, branch: int, index: int) -> OrbitAtPoint:
        """Select and return the orbit with the number `index` of a branch.

        Raises
        ------
        ValueError
            If the branch or the orbit does not exist.
        """
        if not 0 <= branch < len(self.branches):
            raise ValueError(f"branch: expected 0 to {len(self.branches) - 1}, got {branch}")
        found = self.branches[branch].branch
        if not 0 <= index < len(found.points):
            raise ValueError(f"index: expected 0 to {len(found.points) - 1}, got {index}")
        self.selected = self._at(float(found.values[index]), found.points[index])
        return self.selected

    def start_branch(
        self, span: tuple[float, float] | None = None, *, max_points: int = _BRANCH_POINTS
    ) -> OrbitBranch:
        """Follow the selected orbit over the parameter.

        Parameters
        ----------
        span : (float, float), optional
            Range of the parameter; default: that of the diagram.
        max_points : int
            Maximum number of points in each direction.

        Raises
        ------
        ValueError
            If nothing is selected, or if the selected point has no orbit.
        """
        if self.selected is None or self.selected.orbit is None:
            raise ValueError(
                "branch: expected a point with a periodic orbit to be selected; click on one first"
            )
        if span is None:
            value, values = self.selected.value, self.diagram.values
            span = min(float(values.min()), value), max(float(values.max()), value)
        branch = follow_orbits(
            self.selected.orbit, self.diagram.parameter, span, Options(max_points=max_points)
        )
        self.branches.append(self.drawn(branch))
        return branch

    def drawn(self, branch: OrbitBranch) -> DrawnBranch:
        """Return the branch with the section points of its orbits."""
        heights: list[Floats] = []
        for orbit in branch.points:
            points = self._points(orbit)
            if heights and heights[-1].shape == points.shape:
                points = _in_order(points, heights[-1])
            heights.append(points)
        return DrawnBranch(branch, tuple(heights))

    # ---- details -----------------------------------------------------------------------------

    def _at(self, value: float, orbit: PeriodicOrbit) -> OrbitAtPoint:
        return OrbitAtPoint(
            value, orbit.system, orbit.solution, orbit, self._points(orbit), orbit.message
        )

    def _points(self, orbit: PeriodicOrbit) -> Floats:
        """Return the observed values at the section points of one period, shape (p, d)."""
        origin = self.origin
        seen = PoincareMap(orbit.system, origin.section, method=orbit.method, t_max=origin.t_max)
        start = State(orbit.t, orbit.q, orbit.u, orbit.x)
        return origin.observed(seen.iterate(max(orbit.section_points, 1), start=start))

    def _run(self, value: float, system: System, state: State, message: str) -> OrbitAtPoint:
        origin = self.origin
        seen = PoincareMap(system, origin.section, method=origin.method, t_max=origin.t_max)
        points = seen.iterate(_SHOWN, start=state)
        if not len(points):
            raise ValueError(f"row: expected a run that meets the section, got {points.message}")
        method = bounded_method(seen.method, _MOST_EVENTS)
        solution = bounded_run(system, state, float(points.t[-1]), method, lambda: True)
        return OrbitAtPoint(value, system, solution, None, origin.observed(points), message)


def _in_order(points: Floats, before: Floats) -> Floats:
    """Return the points cyclically shifted so that they best match those of the orbit before."""
    turns = [np.roll(points, -k, axis=0) for k in range(len(points))]
    return min(turns, key=lambda turned: float(np.abs(turned - before).sum()))

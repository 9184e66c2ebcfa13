"""Poincaré maps: a motion at its intersections with a section."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.errors import AnalysisInterrupted
from nsmb.analysis.common.sweep import progress_bar
from nsmb.analysis.maps.crossings import Crossings
from nsmb.analysis.maps.map_derivative import MapDerivative, map_derivative
from nsmb.analysis.maps.points import SectionPoints, core_options
from nsmb.analysis.maps.sections import Section, SurfaceSection
from nsmb.common.arguments import as_instance, as_number, whole
from nsmb.simulation.simulator import Simulator
from nsmb.system.base import State, SystemLike, as_system
from nsmb.system.options import EventDriven

if TYPE_CHECKING:
    pass

__all__ = ["PoincareMap"]

Vector = NDArray[np.float64]

_BLOCK = 10_000  # points per call of the core, which Ctrl-C may lose
_FEW = 10  # points after which the time between them is roughly known
_WAIT_PERIODS = 1000.0
_WAIT_TIME = 1000.0  # s
_WAIT_INTERVALS = 1000.0


class PoincareMap:
    """The Poincaré map of a system: from one intersection with a section to the next.

    Parameters
    ----------
    system : System or Model
    section : Section
        :func:`on_event`, :func:`every` or :func:`crossing`.
    method : EventDriven, optional
        Default: ``system.recommended.method``.
    t_max : float, optional
        Longest time in s to wait for the next point; then the section counts as not met. Default:
        1000 periods of the system. Without a period, it is 1000 s, and after ten points at most
        1000 times the longest interval between them.

    Raises
    ------
    ValueError
        If the system does not have what the section requires.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb.analysis import PoincareMap, on_event
    >>> points = PoincareMap(nsmb.systems.bouncing_ball(), on_event("impact", "floor")).iterate(3)
    >>> points["y_dot"].round(4).tolist()
    [3.1006, 2.1704, 1.5193]
    """

    def __init__(
        self,
        system: SystemLike,
        section: Section,
        *,
        method: EventDriven | None = None,
        t_max: float | None = None,
    ) -> None:
        system = as_system("system", system)
        if method is not None:
            as_instance("method", method, EventDriven)
        if not isinstance(section, Section):
            raise ValueError(
                f"section: expected on_event(...), every(...) or crossing(...), got {section!r}"
            )
        section.check(system)
        self.system = system
        self.section = section
        usual = system.recommended
        self.method = usual.event_driven("a Poincaré map") if method is None else method
        self._adapts = t_max is None and system.period is None
        if t_max is None:
            self.t_max = _WAIT_TIME if system.period is None else _WAIT_PERIODS * system.period
        else:
            self.t_max = as_number("t_max", t_max)
            if not 0.0 < self.t_max < math.inf:
                raise ValueError(f"t_max: expected a finite number > 0 in s, got {t_max!r}")

    def iterate(
        self,
        count: int,
        *,
        start: State | None = None,
        skip: int = 0,
        progress: bool | None = False,
    ) -> SectionPoints:
        """Return the next points of the section.

        Parameters
        ----------
        count : int
            Number of points.
        start : State, optional
            Default: ``system.initial_state``. A point at the start is not counted. Contacts may be
            closed at the start.
        skip : int
            Number of points to discard first, as a transient. Memory use does not depend on it.
        progress : bool, optional
            Show a progress bar; None: only on a terminal.

        Returns
        -------
        SectionPoints
            The points; fewer than `count` if the run ended early or the section was not met.

        Raises
        ------
        ValueError
            If a number is invalid, or if the start penetrates a contact.
        AnalysisInterrupted
            If Ctrl-C is pressed; its ``result`` holds the points met before.
        """
        count, skip = whole("count", count, 1), whole("skip", skip, 0)
        simulator = Simulator(self.system, self.method, output_step=0.0)
        if start is not None:
            as_instance("start", start, State, "make one with State(t, q, u)")
            simulator.reset(start.t, start.q, start.u, start.x)
        parts: list[dict[str, Any]] = []
        status, message, met = "finished", "", 0
        bar = progress_bar(progress, skip + count)
        try:
            for part in self._parts(simulator, skip + count):
                late = max(0, skip - met)  # points of the transient
                met += part["t"].size
                bar.update(part["t"].size)
                parts.append({name: part[name][late:] for name in _TABLES})
                status = part["status"]
        except KeyboardInterrupt:
            message = f"interrupted at t = {simulator.t:.6g} s, {max(0, met - skip)} points met"
            raise AnalysisInterrupted(
                message, self._points(parts, "interrupted", message)
            ) from None
        finally:
            bar.close()
        if status == "section_not_met":
            message = (
                f"section {self.section.describe()!r}: not met for a long time before t = "
                f"{simulator.t:.6g} s, {met} points met. Check that the motion reaches the "
                "section, or pass a larger t_max."
            )
        elif status != "finished":
            message = simulator._core.message
        return self._points(parts, status, message)

    def derivative(
        self,
        start: State | None = None,
        *,
        count: int = 1,
        sensitivity: bool | str | Sequence[str] = True,
    ) -> MapDerivative:
        """Return the derivative of the map by the state at the start and by parameters.

        Parameters
        ----------
        start : State, optional
            Default: ``system.initial_state``. Its time is held fixed.
        count : int
            Number of applications of the map.
        sensitivity : bool or sequence of str
            Names of parameters by which to differentiate.

        Returns
        -------
        MapDerivative

        Raises
        ------
        ValueError
            If the points are not met, or if a parameter is unknown.
        """
        names = () if isinstance(sensitivity, bool) else sensitivity
        by = (names,) if isinstance(names, str) else tuple(names)
        points = self.iterate(whole("count", count, 1), start=start)
        if not points.success:
            raise ValueError(f"start: must lead to {count} points of the section. {points.message}")
        return map_derivative(points, self.method, start, by)

    def _parts(self, simulator: Simulator, count: int) -> Iterator[dict[str, Any]]:
        """Yield tables of the next points until `count` are met or the run ends."""
        crossings, options, wait = None, {}, self.t_max
        if isinstance(self.section, SurfaceSection):
            crossings = Crossings(simulator, self.section)
        else:
            options = core_options(self.system, self.section)
            wait = max(wait, 2.0 * options.get("period", 0.0))
        few, longest, last = self._adapts, 0.0, np.nan
        while count > 0:
            block = min(count, _FEW if few else _BLOCK)
            end = simulator.t + wait
            if crossings is not None:
                part = crossings.iterate(block, end)
            else:
                part = simulator._core.iterate(count=block, t_max=end, **options)
            found = part["t"].size
            count -= found
            if part["status"] == "ready":  # t_max was reached first
                part["status"] = "finished" if found else "section_not_met"
            yield part
            if part["status"] != "finished":
                return
            if self._adapts:
                longest = float(np.fmax.reduce(np.diff(part["t"], prepend=last), initial=longest))
                last = part["t"][-1]
                few = few and found < _FEW
                if not few and longest > 0.0:
                    wait = min(self.t_max, _WAIT_INTERVALS * longest)

    def _points(self, parts: list[dict[str, Any]], status: str, message: str) -> SectionPoints:
        system = self.system
        n = len(system.labels.components)
        widths = {
            "t": (), "y_minus": (n,), "y_plus": (n,),
            "Lambda_N": (system.nc,), "Lambda_T": (system.nt,),
        }  # fmt: skip
        tables = {}
        for name, width in widths.items():
            table = np.concatenate([np.zeros((0, *width)), *(part[name] for part in parts)])
            table.flags.writeable = False
            tables[name] = table
        return SectionPoints(system, self.section, **tables, status=status, message=message)

    def __repr__(self) -> str:
        return f"<PoincareMap of {self.system.name}: {self.section.describe()}>"


_TABLES = ("t", "y_minus", "y_plus", "Lambda_N", "Lambda_T")

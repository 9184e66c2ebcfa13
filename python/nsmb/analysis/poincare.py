"""Poincaré maps: a motion seen where it meets a section."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.crossings import Crossings
from nsmb.analysis.interruption import AnalysisInterrupted
from nsmb.analysis.map_derivative import MapDerivative, map_derivative
from nsmb.analysis.sections import Crossing, Every, OnEvent, Section, component, state_names
from nsmb.analysis.summary import spread
from nsmb.analysis.sweeps import progress_bar
from nsmb.arguments import as_instance, as_number, whole
from nsmb.base_system import State, System
from nsmb.extras import import_extra
from nsmb.options import EventDriven
from nsmb.simulate import Simulator

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["PoincareMap", "Points"]

Vector = NDArray[np.float64]

_BLOCK = 10_000  # points of one call of the core: what Ctrl-C may lose
_FEW = 10  # points, after which the time between them is known roughly
_WAIT_PERIODS = 1000.0
_WAIT_TIME = 1000.0  # s
_WAIT_INTERVALS = 1000.0


@dataclass(frozen=True, eq=False)
class Points:
    """Points of a section in the order of time, see :meth:`PoincareMap.iterate`."""

    system: System
    section: Section
    t: Vector
    """(m,) s"""
    y_minus: Vector
    """(m, ny) y = (q, u, x) before the event of the point; without event as `y_plus`."""
    y_plus: Vector
    """(m, ny) behind all events of the instant."""
    Lambda_N: Vector
    """(m, nc) N s, normal impulses at the point."""
    Lambda_T: Vector
    """(m, nt) N s, tangential impulses at the point."""
    status: str
    """``"finished"``; ``"section_not_met"``; or why the simulation ended, see `nsmb.Solution`."""
    message: str
    """What happened, where, and what to try; empty when finished."""

    def __len__(self) -> int:
        return int(self.t.size)

    @property
    def success(self) -> bool:
        """Whether all points asked for were met."""
        return self.status == "finished"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of `y_minus` and `y_plus`, see :func:`state_names`."""
        return state_names(self.system)

    def __getitem__(self, name: str) -> Vector:
        """(m,) a component of `y_plus` by its name."""
        column: Vector = self.y_plus[:, component(self.system, name)]
        return column

    def state(self, index: int = -1) -> State:
        """The state behind a point, by default the last: where another run may start."""
        return as_state(self.system, float(self.t[index]), self.y_plus[index])

    def __repr__(self) -> str:
        lines = [
            f"Points of {self.system.name}, {self.section.describe()}: {self.status}",
            f"  {len(self)} points, t from {spread(self.t)} s",
        ]
        lines += [f"  {name} from {spread(self[name])}" for name in self.names]
        return "\n".join(lines + ([f"  note {self.message}"] if self.message else []))

    def plot(self, x: str, y: str, **options: Any) -> Axes:
        """Picture of two components: :func:`nsmb.analysis.plots.plot_poincare`."""
        from nsmb.analysis import plots

        return plots.plot_poincare(self, x, y, **options)

    def to_dataframe(self) -> pd.DataFrame:
        """One row per point: ``t``, the components of `y_plus`, those before the event with a minus
        behind the name, and ``Lambda_N[beak]``, ...

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[analysis]`` brings it.
        """
        pandas = import_extra("pandas", "analysis")
        columns: dict[str, Any] = {"t": self.t}
        columns |= dict(zip(self.names, self.y_plus.T, strict=True))
        columns |= {f"{k}-": v for k, v in zip(self.names, self.y_minus.T, strict=True)}
        for name, names in (
            ("Lambda_N", self.system.contact_names),
            ("Lambda_T", self.system.tangent_names),
        ):
            table = getattr(self, name)
            columns |= {f"{name}[{label}]": table[:, i] for i, label in enumerate(names)}
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame


class PoincareMap:
    """The map from one meeting with a section to the next.

    Parameters
    ----------
    system : System
    section : Section
        :func:`on_impact`, :func:`on_event`, :func:`every` or :func:`crossing`.
    method : EventDriven, optional
        Default ``system.recommended.method``.
    t_max : float, optional
        s, longest time to wait for the next point before the section counts as not met. Default:
        1000 periods of the system; where it has none 1000 s, and with ten points met no more than
        1000 times the longest interval between them.

    Raises
    ------
    ValueError
        If the system does not have what the section needs.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb.analysis import PoincareMap, on_impact
    >>> points = PoincareMap(nsmb.systems.bouncing_ball(), on_impact("floor")).iterate(3)
    >>> points["u:y"].round(4).tolist()
    [3.1006, 2.1704, 1.5193]
    """

    def __init__(
        self,
        system: System,
        section: Section,
        *,
        method: EventDriven | None = None,
        t_max: float | None = None,
    ) -> None:
        as_instance("system", system, System)
        if method is not None:
            as_instance("method", method, EventDriven)
        if not isinstance(section, Section):
            raise ValueError(
                f"section: expected on_impact(...), on_event(...), every(...) or crossing(...), "
                f"got {section!r}"
            )
        section.check(system)
        self.system = system
        self.section = section
        self.method = system.recommended.method if method is None else method
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
    ) -> Points:
        """The next points of the section.

        Parameters
        ----------
        count : int
            How many.
        start : State, optional
            Default: ``system.initial_state``. A point there is not counted. It may lie on closed
            contacts.
        skip : int
            Points met and forgotten before: the transient. Memory does not grow with it.
        progress : bool, optional
            Show a progress bar; None: on a terminal.

        Returns
        -------
        Points
            Fewer than `count` if the run could not go on or the section was not met.

        Raises
        ------
        ValueError
            For bad numbers and for a start that penetrates.
        AnalysisInterrupted
            Ctrl-C; its ``result`` holds the points met before.
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
                late = max(0, skip - met)  # of the transient
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
                f"section {self.section.describe()!r}: not met for a long time before "
                f"t = {simulator.t:.6g} s, {met} points met; does the motion come there, or is a "
                "larger t_max needed?"
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
        """The derivative of the map by the state at the start and by parameters.

        Parameters
        ----------
        start : State, optional
            Default: ``system.initial_state``. The derivative is taken at fixed time of the start.
        count : int
            How many times the map is applied.
        sensitivity : bool or sequence of str
            Names of parameters to differentiate by.

        Returns
        -------
        MapDerivative

        Raises
        ------
        ValueError
            If the points are not met, and for an unknown parameter.
        """
        names = () if isinstance(sensitivity, bool) else sensitivity
        by = (names,) if isinstance(names, str) else tuple(names)
        return map_derivative(self, start, whole("count", count, 1), by)

    def _parts(self, simulator: Simulator, count: int) -> Iterator[dict[str, Any]]:
        """Tables of the next points, until `count` are met or the run cannot go on."""
        crossings, options, wait = None, {}, self.t_max
        if isinstance(self.section, Crossing):
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
            if part["status"] == "ready":  # t_max came first
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

    def _points(self, parts: list[dict[str, Any]], status: str, message: str) -> Points:
        system = self.system
        widths = {
            "t": (), "y_minus": (len(state_names(system)),), "y_plus": (len(state_names(system)),),
            "Lambda_N": (system.nc,), "Lambda_T": (system.nt,),
        }  # fmt: skip
        tables = {}
        for name, width in widths.items():
            table = np.concatenate([np.zeros((0, *width)), *(part[name] for part in parts)])
            table.flags.writeable = False
            tables[name] = table
        return Points(system, self.section, **tables, status=status, message=message)

    def __repr__(self) -> str:
        return f"<PoincareMap of {self.system.name}: {self.section.describe()}>"


_TABLES = ("t", "y_minus", "y_plus", "Lambda_N", "Lambda_T")


def core_options(system: System, section: Section) -> dict[str, Any]:
    """The section as arguments of ``iterate`` of the core."""
    if isinstance(section, Every):
        period = section.period_of(system)
        return {"period": period, "t_0": section.phase * period}
    if isinstance(section, OnEvent):
        names = system.contact_names
        contact = -1 if section.contact is None else names.index(section.contact)
        return {"kind": -1 if section.kind is None else int(section.kind), "contact": contact}
    raise ValueError(
        f"section: expected on_event(...), on_impact(...) or every(...), got {section.describe()!r}"
    )


def as_state(system: System, t: float, y: Vector) -> State:
    """(t, y) as a State."""
    nq, nu = system.nq, system.nu
    return State(t, y[:nq].copy(), y[nq : nq + nu].copy(), y[nq + nu :].copy())

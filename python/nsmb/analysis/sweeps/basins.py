"""Basins of attraction: the long-term motion over a grid of starts."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.common.checkpoint import fingerprint
from nsmb.analysis.common.errors import AnalysisInterrupted, CheckpointError
from nsmb.analysis.common.sweep import SweepResult, run_chains
from nsmb.analysis.maps.periodicity import NOTHING, find_period
from nsmb.analysis.maps.poincare import PoincareMap
from nsmb.analysis.maps.sections import Section, StroboscopicSection
from nsmb.analysis.sweeps.basins_result import Attractor, BasinMap
from nsmb.analysis.sweeps.observe import Observe, check_observe, observed, observed_names
from nsmb.common.arguments import as_column, as_instance, as_number, whole
from nsmb.system.base import State, System, SystemLike, as_system
from nsmb.system.options import EventDriven

__all__ = ["basins"]

Vector = NDArray[np.float64]

_SAME_CHAOS = 0.05  # distance of two pieces of one chaotic motion, relative to all motions
_PERIOD_TOL = 1e-6


@dataclass(frozen=True, eq=False)
class _Task:
    """The data that all starts share."""

    system: System
    section: Section
    names: tuple[str, ...]
    start: State
    observe: Observe | None
    transient: int
    samples: int
    method: EventDriven | None
    t_max: float | None


@dataclass(frozen=True, eq=False)
class _End:
    """The motion to which one start leads."""

    table: Vector
    """Points of one period, or all points if there is no period, shape (p, d)."""
    period: int
    status: str
    message: str


def _end(task: _Task, values: tuple[float, ...], before: _End | None = None) -> _End:
    system, start = task.system, task.start
    t, y = start.t, np.concatenate([start.q, start.u, np.zeros(system.nx)])
    y[system.nq + system.nu :][: start.x.size] = start.x
    for name, value in zip(task.names, values, strict=True):
        if name == "t":
            t = value
        else:
            y[system.labels.component(name)] = value
    q, u, x = np.split(y, [system.nq, system.nq + system.nu])
    varied = any(name in system.states for name in task.names)
    state = State(t, q, u, x if varied else start.x)
    section_map = PoincareMap(system, task.section, method=task.method, t_max=task.t_max)
    points = section_map.iterate(task.samples, start=state, skip=task.transient)
    if not points.success:
        return _End(np.zeros((0, 0)), 0, points.status, points.message)
    table = observed(points, task.observe)
    period = find_period(table, _PERIOD_TOL) if np.isfinite(table).all() else 0
    return _End(table[:period] if period else table, period, "finished", "")


def basins(
    system: SystemLike,
    axes: Mapping[str, ArrayLike],
    *,
    section: Section | None = None,
    attractors: Sequence[ArrayLike | Attractor] | None = None,
    observe: Observe | None = None,
    transient: int = 200,
    samples: int = 64,
    tol: float = 1e-3,
    start: State | None = None,
    method: EventDriven | None = None,
    t_max: float | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    key: str | None = None,
    progress: bool | None = None,
    chunk: int | None = None,
) -> BasinMap:
    """Find the attractor to which each start of a grid leads.

    Two starts lead to the same attractor if the points of their late motions form the same set.
    Every point of one motion must then have a point of the other within `tol`. Motions without a
    period (chaotic motions) are the same if half of the points of each have a point of the other
    within 0.05 of the spread of all motions.

    Parameters
    ----------
    system : System or Model
    axes : mapping of str to (k,) array_like
        Components of the start, named as in ``system.labels.components``, or ``"t"``, and the
        values of each.
    section : Section, optional
        Section at which the motion is observed; default: ``every()``.
    attractors : sequence, optional
        Known attractors, which get the first labels: observed points (p, d), or attractors of other
        basins. Further attractors are added as they are found.
    observe : str, sequence of str, or callable
        Observed quantities that distinguish attractors, see :func:`bifurcation_diagram`. Default:
        all velocities.
    transient, samples : int
        Points discarded, and points compared, 2 or more. Motions with a period longer than half of
        `samples` count as chaotic.
    tol : float
        Distance within which points are equal, in each component relative to the spread of all late
        motions.
    start : State, optional
        State with the components that are not varied; default: ``system.initial_state``.
    method, t_max
        See :class:`PoincareMap`.
    executor, checkpoint, progress
        See :func:`sweep`; the points are the starts.
    key : str, optional
        Version of the code of your own functions, see :func:`bifurcation_diagram`.
    chunk : int, optional
        Number of starts per task; default: one row of the last axis.

    Returns
    -------
    BasinMap

    Raises
    ------
    ValueError
        If a component is unknown, or if another argument is invalid.
    AnalysisInterrupted
        If Ctrl-C is pressed; its ``result`` holds what was computed before.
    AnalysisError
        If the checkpoint cannot be written (full disk); its ``result`` is the same.

    Examples
    --------
    Rattling of a loose gear wheel from six starts:

    >>> import nsmb
    >>> from nsmb import analysis
    >>> gear = nsmb.systems.gear_rattling(alpha=1.481)
    >>> starts = {"s": [-0.7, -0.3], "s_dot": [-1.0, 0.0, 1.0]}
    >>> found = analysis.basins(gear, starts, section=analysis.on_event("impact"))
    >>> found.labels.shape, bool((found.labels >= 0).all())
    ((2, 3), True)
    """
    system = as_system("system", system)
    if start is not None:
        as_instance("start", start, State, "make one with State(t, q, u)")
    if not isinstance(axes, Mapping) or not axes:
        raise ValueError(f"axes: expected names with values, got {axes!r}")
    grid = {}
    for name, values in axes.items():
        if name != "t":
            system.labels.component(name)
        grid[name] = as_column(f"axes[{name!r}]", values)
        if grid[name].size == 0 or not np.isfinite(grid[name]).all():
            raise ValueError(f"axes[{name!r}]: expected one finite number or more, got {values!r}")
    if not as_number("tol", tol) > 0.0:
        raise ValueError(f"tol: expected a number > 0, got {tol!r}")
    check_observe(system, observe)
    task = _Task(
        system, StroboscopicSection(None) if section is None else section, tuple(grid),
        system.initial_state if start is None else start, observe,
        whole("transient", transient, 0), whole("samples", samples, 2), method, t_max,
    )  # fmt: skip
    PoincareMap(system, task.section, method=method, t_max=t_max)
    known = [_attractor(k, given) for k, given in enumerate(attractors or ())]
    mesh = np.meshgrid(*grid.values(), indexing="ij")
    points = [tuple(row) for row in np.stack([part.ravel() for part in mesh], axis=1).tolist()]
    collect = functools.partial(_collect, task, grid, known, tol)
    row = list(grid.values())[-1].size if chunk is None else whole("chunk", chunk, 1)
    try:
        return collect(
            run_chains(
                functools.partial(_end, task),
                tuple(points),
                [range(k, min(k + row, len(points))) for k in range(0, len(points), row)],
                executor=executor,
                checkpoint=checkpoint,
                key=fingerprint(checkpoint, key, task, points),
                progress=progress,
                chunk=row,
                classes=(_End,),
            )
        )
    except AnalysisInterrupted as stopped:
        raise AnalysisInterrupted(stopped.args[0], collect(stopped.result)) from None
    except CheckpointError as failed:
        raise CheckpointError(failed.args[0], collect(failed.result)) from None


def _attractor(k: int, given: ArrayLike | Attractor) -> Attractor:
    if isinstance(given, Attractor):
        return given
    table = np.asarray(given, dtype=np.float64)
    if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
        raise ValueError(
            f"attractors[{k}]: expected finite points of shape (p, d), got shape {table.shape}"
        )
    period = find_period(np.tile(table, (2, 1)), _PERIOD_TOL)
    return Attractor(table[:period], period)


def _collect(
    task: _Task,
    grid: dict[str, Vector],
    known: list[Attractor],
    tol: float,
    result: SweepResult[tuple[float, ...], _End],
) -> BasinMap:
    tables = [end.table for end in result.results if end is not None and end.table.size]
    d = tables[0].shape[1] if tables else (known[0].points.shape[1] if known else 1)
    for k, attractor in enumerate(known):
        if attractor.points.shape[1] != d:
            raise ValueError(
                f"attractors[{k}]: expected points of shape (p, {d}), as observed, got "
                f"{attractor.points.shape}"
            )
    found = _Gallery(known, tables, tol)
    status, messages = list(result.status), list(result.messages)
    labels = np.full(len(result.points), -1, dtype=np.int64)
    for i, end in enumerate(result.results):
        if end is None:
            continue
        status[i], messages[i] = end.status, end.message
        if end.status == "finished":
            labels[i] = found.label(end.table, end.period)
    shape = tuple(values.size for values in grid.values())
    return BasinMap(
        grid,
        labels.reshape(shape),
        tuple(found.attractors),
        observed_names(task.system, task.observe, d),
        tuple(status),
        tuple(messages),
    )


class _Gallery:
    """The attractors found so far."""

    def __init__(self, known: list[Attractor], tables: list[Vector], tol: float) -> None:
        self.attractors = list(known)
        self._known = len(known)
        self._tol = tol
        everything = [*tables, *(attractor.points for attractor in known)]
        low = np.min([table.min(axis=0) for table in everything], axis=0) if everything else 0.0
        high = np.max([table.max(axis=0) for table in everything], axis=0) if everything else 1.0
        size = np.maximum(np.abs(low), np.abs(high))
        # A single motion only has the spread of its rounding errors.
        self._scale = np.maximum(np.maximum(high - low, 1e-6 * size), NOTHING / tol)

    def label(self, table: Vector, period: int) -> int:
        for k, attractor in enumerate(self.attractors):
            if self._same(table, period, attractor):
                if k >= self._known and period > 0 and attractor.period == 0:
                    self.attractors[k] = Attractor(table, period)  # the other had not settled yet
                return k
        self.attractors.append(Attractor(table, period))
        return len(self.attractors) - 1

    def _same(self, table: Vector, period: int, attractor: Attractor) -> bool:
        difference = (table[:, None, :] - attractor.points[None, :, :]) / self._scale
        distance = np.abs(difference).max(axis=2)
        there, back = distance.min(axis=1), distance.min(axis=0)
        if max(there.max(), back.max()) <= self._tol:
            return True
        chaotic = period == 0 and attractor.period == 0
        return chaotic and max(np.median(there), np.median(back)) <= _SAME_CHAOS

"""Bifurcation diagrams by brute force: attractors over a parameter."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.common.checkpoint import fingerprint
from nsmb.analysis.common.errors import AnalysisInterrupted, CheckpointError
from nsmb.analysis.common.sweep import SweepResult, run_chains
from nsmb.analysis.exploring.origin import Origin
from nsmb.analysis.maps.periodicity import find_period
from nsmb.analysis.maps.poincare import PoincareMap
from nsmb.analysis.maps.sections import Section, StroboscopicSection
from nsmb.analysis.sweeps.diagram_result import BifurcationDiagram
from nsmb.analysis.sweeps.observe import Observe, check_observe, observed, observed_names
from nsmb.analysis.sweeps.starts import carried_over
from nsmb.common.arguments import as_column, as_instance, as_number, left_out, whole
from nsmb.system.base import State, System, SystemLike, as_system
from nsmb.system.options import EventDriven

__all__ = ["bifurcation_diagram"]

Vector = NDArray[np.float64]
Builder = Callable[[float], SystemLike]
Follow = Literal["up", "down", "both"]


@dataclass(frozen=True, eq=False)
class _Task:
    """The data that all values share."""

    system: System | Builder
    parameter: str
    section: Section
    observe: Observe | None
    transient: int
    samples: int
    start: State | None
    method: EventDriven | None
    t_max: float | None
    follow: bool

    def build(self, value: float) -> System:
        if isinstance(self.system, System):
            return self.system.with_parameters(**{self.parameter: value})
        return as_system("value returned by `system`", self.system(value))


@dataclass(frozen=True, eq=False)
class _Row:
    """The result at one value."""

    table: Vector
    status: str
    message: str
    found: State | None
    good: tuple[float, State, float | None] | None
    """Value, state and period in time from which the next value continues: those of this value, or
    of the last successful value before."""


def _row(task: _Task, value: float, before: _Row | None) -> _Row:
    """Return the attractor at one value, starting from the previous one if there is one."""
    system = task.build(value)
    start, message = task.start, ""
    good = before.good if before is not None and task.follow else None
    if good is not None:
        start = carried_over(good[1], good[2], system, _period(task, system))
        if start is None:
            start = task.start
            message = (
                f"restarted from `start`: no admissible state near that of {task.parameter} = "
                f"{good[0]}"
            )
    section_map = PoincareMap(system, task.section, method=task.method, t_max=task.t_max)
    points = section_map.iterate(task.samples, start=start, skip=task.transient)
    found = points.state() if points.success else None
    if found is not None:
        good = value, found, _period(task, system)
    message = "; ".join(part for part in (points.message, message) if part)
    return _Row(observed(points, task.observe), points.status, message, found, good)


def _period(task: _Task, system: System) -> float | None:
    """Return the period to which the phase refers, in s."""
    if isinstance(task.section, StroboscopicSection):
        return task.section.period_of(system)
    return system.period


def bifurcation_diagram(
    system: System | Builder,
    parameter: str,
    values: ArrayLike,
    *,
    section: Section | None = None,
    observe: Observe | None = None,
    transient: int = 200,
    samples: int = 100,
    follow: Follow | None = "up",
    restarts: int | None = None,
    start: State | None = None,
    method: EventDriven | None = None,
    t_max: float | None = None,
    period_tol: float = 1e-4,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    key: str | None = None,
    progress: bool | None = None,
    chunk: int = 1,
) -> BifurcationDiagram:
    """Compute the long-term motion over a parameter by simulation.

    Parameters
    ----------
    system : System or callable
        A system with named parameters, or a function that returns a system for a value. Executors
        with processes require that it can be pickled.
    parameter : str
        Name of the parameter; for a function, the label of its argument.
    values : (k,) array_like
    section : Section, optional
        Default: ``every()``, once per period of the system.
    observe : str, sequence of str, or callable
        Components of the state after the section points, named as in ``system.labels.components``,
        or a function of :class:`SectionPoints` that returns (m,) or (m, d) numbers. Default: all
        velocities.
    transient, samples : int
        Points discarded and points stored at every value.
    follow : {"up", "down", "both", None}
        Start each value from the end of its lower (``"up"``) or upper (``"down"``) neighbour, so
        that an attractor is followed as long as it exists. ``"both"`` shows where several
        attractors coexist. None: start every value from `start`. The phase of the forcing is kept.
        Contacts that penetrate at the new value are separated along the shortest path. If that
        fails, the value starts from `start`, and ``messages`` reports this. After a failed value,
        the last successful state is used.
    restarts : int, optional
        Number of pieces that are followed independently, and possibly in parallel; default: 1. The
        first value of each piece starts from `start`. Only with `follow`. The result depends on
        this number, but not on the executor.
    start : State, optional
        Default: ``initial_state`` of each system.
    method : EventDriven, optional
    t_max : float, optional
        Longest time in s to wait for the next point, see :class:`PoincareMap`. Crossings are
        searched in steps that depend on it.
    period_tol : float
        Distance within which points are equal for `periods`, relative to the spread of the diagram.
    executor, checkpoint, progress, chunk
        See :func:`sweep`; the points are the values. In a piece that is followed, a task has
        `chunk` values and as many more as fit into 50 ms.
    key : str, optional
        Version of the code of your own functions in the checkpoint, see :func:`sweep`. These are
        `system` or `observe`, functions in the system, and its builder. Required if there are any.

    Returns
    -------
    BifurcationDiagram

    Raises
    ------
    ValueError
        If an argument is invalid: the parameter, section or component does not exist, or the
        checkpoint belongs to another computation.
    AnalysisInterrupted
        If Ctrl-C is pressed; its ``result`` holds what was computed before.
    AnalysisError
        If the checkpoint cannot be written (full disk); its ``result`` is the same.

    Examples
    --------
    Rattling of a loose gear wheel, before and after a period doubling:

    >>> import nsmb
    >>> from nsmb import analysis
    >>> gear = nsmb.systems.gear_rattling()
    >>> diagram = analysis.bifurcation_diagram(gear, "alpha", [1.4, 1.5], samples=16)
    >>> diagram.periods.tolist(), diagram.points.shape
    ([1, 2], (2, 16, 1))
    """
    alpha = as_column("values", values)
    if alpha.size == 0 or not np.isfinite(alpha).all():
        raise ValueError(f"values: expected one finite number or more, got {alpha.tolist()}")
    if follow not in ("up", "down", "both", None):
        raise ValueError(f"follow: expected 'up', 'down', 'both' or None, got {follow!r}")
    if not isinstance(system, System) and not callable(system):
        raise ValueError(f"system: expected a nsmb.System or a function, got {system!r}")
    if not isinstance(parameter, str):
        raise ValueError(f"parameter: expected the name of a parameter, got {parameter!r}")
    if start is not None:
        as_instance("start", start, State, "make one with State(t, q, u)")
    task = _Task(
        system, parameter, StroboscopicSection(None) if section is None else section, observe,
        whole("transient", transient, 0), whole("samples", samples, 1), start, method, t_max,
        follow is not None,
    )  # fmt: skip
    _check(task, alpha)
    if not as_number("period_tol", period_tol) >= 0.0:
        raise ValueError(f"period_tol: expected a number >= 0, got {period_tol!r}")
    if follow is None:
        left_out("restarts", restarts, "for follow=None", "Every value starts from `start` there.")
    pieces = 1 if restarts is None else whole("restarts", restarts, 1)
    k = alpha.size
    rising = np.argsort(alpha, kind="stable")
    directions: list[str] = ["up", "down"] if follow == "both" else [follow or ""]
    chains: list[list[int]] = []
    for shift, direction in enumerate(directions):
        order = rising[::-1] if direction == "down" else rising
        number = k if follow is None else min(pieces, k)
        chains += [(part + shift * k).tolist() for part in np.array_split(order, number)]
    if follow is None:  # one task for several values
        size = whole("chunk", chunk, 1)
        chains = [list(range(i, min(i + size, k))) for i in range(0, k, size)]
    given = tuple(np.tile(alpha, len(directions)).tolist())
    labels = tuple(direction for direction in directions for _ in range(k))
    collect = functools.partial(_collect, task, labels, period_tol)
    try:
        return collect(
            run_chains(
                functools.partial(_row, task),
                given,
                chains,
                executor=executor,
                checkpoint=checkpoint,
                key=fingerprint(checkpoint, key, task, given, None if follow is None else chains),
                progress=progress,
                chunk=whole("chunk", chunk, 1),
                classes=(_Row, State),
            )
        )
    except AnalysisInterrupted as stopped:
        raise AnalysisInterrupted(stopped.args[0], collect(stopped.result)) from None
    except CheckpointError as failed:
        raise CheckpointError(failed.args[0], collect(failed.result)) from None


def _check(task: _Task, values: Vector) -> None:
    """Reject arguments that would fail at every value."""
    system = _first(task, values)
    PoincareMap(system, task.section, method=task.method, t_max=task.t_max)
    check_observe(system, task.observe)


def _first(task: _Task, values: Vector) -> System:
    """Return the system at the first value for which it can be built."""
    refused: Exception | None = None
    for value in values.tolist():
        try:
            return task.build(value)
        except Exception as error:  # becomes a status of this value, unless all values fail
            refused = refused or error
    assert refused is not None
    raise refused


def _collect(
    task: _Task, direction: tuple[str, ...], period_tol: float, result: SweepResult[float, _Row]
) -> BifurcationDiagram:
    system = _first(task, np.array(result.points))
    rows = [row for row in result.results if row is not None and row.table.size]
    d = max((row.table.shape[1] for row in rows), default=1)
    names = observed_names(system, task.observe, d)
    k, m = len(result.points), task.samples
    points = np.full((k, m, len(names)), np.nan)
    states = np.full((k, 1 + len(system.labels.components)), np.nan)
    status, messages = list(result.status), list(result.messages)
    for i, row in enumerate(result.results):
        if row is None:
            continue
        points[i, : len(row.table)] = row.table
        status[i], messages[i] = row.status, row.message
        if row.found is not None:
            f = row.found
            states[i] = np.concatenate([[f.t], f.q, f.u, f.x])
    scale = np.zeros(len(names))
    if rows:
        size = np.nanmax(np.abs(points), axis=(0, 1))
        spread = np.nanmax(points, axis=(0, 1)) - np.nanmin(points, axis=(0, 1))
        scale = np.maximum(spread, 1e-6 * size)  # allows for a motion without any change
    periods = [
        find_period(table, period_tol, scale=scale) if np.isfinite(table).all() else 0
        for table in points
    ]
    diagram = BifurcationDiagram(
        task.parameter,
        np.array(result.points),
        names,
        points,
        np.array(periods, dtype=np.int64),
        direction,
        tuple(status),
        tuple(messages),
        states,
        system.nq,
        system.nu,
    )
    shown = functools.partial(observed, observe=task.observe)
    return diagram.made_of(Origin(task.build, task.section, shown, task.method, task.t_max))

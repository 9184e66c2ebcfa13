"""Figures of one motion: phase portraits, states of contacts, Poincaré sections, histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.figures.plot_style import (
    BLACK,
    BLUE,
    GREY,
    MANY_DOTS,
    axis_text,
    describe_failure,
    dot_size,
    legend_above,
    new_axes,
    scaled,
    style_axes,
    system_of,
    unit_of,
)
from nsmb.common.arguments import unknown_name
from nsmb.events.enums import EventKind
from nsmb.pictures.plot import _span
from nsmb.pictures.rows import draw_states, rows_of
from nsmb.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.analysis.figures.plot_data import PeriodData, PointData
    from nsmb.system.base import System

__all__ = ["plot_contact_states", "plot_histogram", "plot_phase", "plot_poincare"]

Floats = NDArray[np.float64]

_POINTS = 4000  # of the curve; beside them 8 between two events
_MOST_POINTS = 200_000
_JUMP: dict[str, Any] = {"color": "#D55E00", "linewidth": 0.9, "linestyle": (0, (4, 2))}
# marker and colour; impacts are drawn last, where the jump ends
_MARKS = {
    EventKind.TOUCH: ("v", "#56B4E9"),
    EventKind.DETACH: ("^", "#CC79A7"),
    EventKind.STICK: ("s", "#0072B2"),
    EventKind.SLIP: ("D", "#E69F00"),
    EventKind.REVERSAL: ("P", "#009E73"),
    EventKind.SWITCH: ("*", "#7F7F7F"),
    EventKind.USER: ("X", "#000000"),
    EventKind.IMPACT: ("o", "#D55E00"),
}


def plot_phase(
    solution: Solution | PeriodData,
    x: str,
    y: str,
    *,
    ax: Axes | None = None,
    events: bool = True,
    since: float | None = None,
) -> Axes:
    """Phase portrait: one component of the state over another, events marked by their kind.

    Dashed lines are the jumps of impacts; the mark of an impact is where its jump ends.

    Parameters
    ----------
    solution : Solution or PeriodicOrbit
        Run with dense output; of an orbit one period.
    x, y : str
        Components of the state, see `nsmb.analysis.state_names`: ``"phi"``, ``"phi_dot"``.
    ax : Axes, optional
        To draw in; default: those of a new figure.
    events : bool
        Whether events are marked.
    since : float, optional
        s, what lies before is left out; default: the start of the run.

    Returns
    -------
    Axes
        Nothing is shown or saved.

    Raises
    ------
    ValueError
        For an unknown component, a `since` outside the run, or a solution without dense output.
    ImportError
        If Matplotlib is not installed; ``pip install nsmb[plot]`` brings it.
    """
    solution = _motion(solution)
    columns = [_component(solution, name) for name in (x, y)]
    span = _since(solution, since)
    knots = np.unique(np.concatenate([span, solution.events.t]))
    knots = knots[(knots >= span[0]) & (knots <= span[1])]
    curve = _curve(solution, knots, columns)
    hits = np.unique(solution.events.of_kind("impact").t)
    jumps = _jumps(solution, hits[(hits > span[0]) & (hits <= span[1])], columns)
    units = [unit_of(name, solution._system_or_none) for name in (x, y)]
    scales = [scaled(unit, curve[:, i]) for i, unit in enumerate(units)]
    factor = np.array([f for _, f in scales])

    ax = new_axes(ax, 5.2, 4.2)
    ax.plot(*(factor * curve).T, color=BLACK, linewidth=0.9, zorder=2)
    handles = []
    if jumps.size:
        broken = np.full((len(jumps), 3, 2), np.nan)
        broken[:, :2] = factor * jumps
        handles += ax.plot(*broken.reshape(-1, 2).T, label="jump", zorder=2.5, **_JUMP)
    if events:
        handles += _mark_events(ax, solution, span, columns, factor)
    legend_above(ax, handles)
    ax.set_xlabel(axis_text(x, scales[0][0]))
    ax.set_ylabel(axis_text(y, scales[1][0]))
    style_axes(ax)
    describe_failure(ax, solution.status)
    return ax


def plot_contact_states(
    solution: Solution | PeriodData, ax: Axes | None = None, *, since: float | None = None
) -> Axes:
    """States of the contacts over time, a row per contact; force elements below.

    Open is empty. Bars of sticking fill the row, those of slip only its upper (positive), lower
    (negative) or middle part (in a plane); black lines are impacts. So they are read without
    colour, too.

    Parameters
    ----------
    solution : Solution or PeriodicOrbit
    ax : Axes, optional
        To draw in; default: those of a new figure.
    since : float, optional
        s, what lies before is left out; default: the start of the run.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For a `since` outside the run, or a system without contacts and force elements.
    ImportError
        If Matplotlib is not installed; ``pip install nsmb[plot]`` brings it.
    """
    solution = _motion(solution)
    rows = len(rows_of(solution))
    if rows == 0:
        raise ValueError(
            f"solution: expected a system with contacts or force elements, got "
            f"{solution.system_name!r}, which has none; plot_phase shows its motion"
        )
    span = _since(solution, since)
    ax = new_axes(ax, 7.2, 0.8 + 0.34 * rows)
    draw_states(ax, solution, span)
    ax.grid(visible=False)
    ax.set_xlim(*span)
    ax.set_xlabel("t / s")
    return ax


def plot_poincare(
    points: PointData,
    x: str,
    y: str,
    *,
    side: Literal["minus", "plus"] = "plus",
    ax: Axes | None = None,
    system: System | None = None,
) -> Axes:
    """Points of a Poincaré map, one component of the state over another.

    Many points are drawn as pixels in vector files: ``figure.savefig("map.pdf", dpi=300)``.

    Parameters
    ----------
    points : Points
        From ``PoincareMap.iterate``.
    x, y : str
        Two of ``points.names``.
    side : {"plus", "minus"}
        The state behind the section, or before it, where it is an event.
    ax : Axes, optional
        To draw in; default: those of a new figure.
    system : System, optional
        Tells the units of the axes; default: that of `points`, if it carries one.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown component or side.
    ImportError
        If Matplotlib is not installed; ``pip install nsmb[plot]`` brings it.
    """
    if side not in ("minus", "plus"):
        raise ValueError(f"side: expected 'minus' or 'plus', got {side!r}")
    columns = {name: _column(points.names, name) for name in (x, y)}
    states = points.y_plus if side == "plus" else points.y_minus
    ax = new_axes(ax, 4.6, 4.2)
    shown = []
    for name, write in ((x, ax.set_xlabel), (y, ax.set_ylabel)):
        values = states[:, columns[name]]
        unit, factor = scaled(unit_of(name, system_of(points, system)), values)
        write(axis_text(name, unit))
        shown.append(factor * values)
    count = len(states)
    ax.plot(
        *shown, linestyle="none", marker="o", color=BLUE, markeredgewidth=0.0,
        markersize=dot_size(count), rasterized=count > MANY_DOTS, snap=False, zorder=2,
    )  # fmt: skip
    style_axes(ax)
    describe_failure(ax, points.status)
    return ax


def plot_histogram(
    values: ArrayLike,
    *,
    period: float | None = None,
    bins: int = 60,
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Histogram as a probability density, as of the phases of impacts.

    Parameters
    ----------
    values : (n,) array_like
        Finite numbers.
    period : float, optional
        For phases: values are taken modulo it, bins fill one period, and a dashed line is the
        uniform density 1/period.
    bins : int
        Number of bins of equal width.
    label : str
        Of the horizontal axis.
    ax : Axes, optional
        To draw in; default: those of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For no values, values that are not finite, a period <= 0, or less than one bin.
    ImportError
        If Matplotlib is not installed; ``pip install nsmb[plot]`` brings it.
    """
    sample = np.asarray(values, dtype=np.float64).ravel()
    if sample.size == 0 or not np.all(np.isfinite(sample)):
        raise ValueError(f"values: expected finite numbers, at least one, got {values!r}")
    if bins < 1:
        raise ValueError(f"bins: expected a number of at least 1, got {bins!r}")
    if period is not None and not 0.0 < period < np.inf:
        raise ValueError(f"period: expected a number > 0, got {period!r}")
    limits = None
    if period is not None:
        sample = np.mod(sample, period)
        limits = (0.0, float(period))
    density, edges = np.histogram(sample, bins=bins, range=limits, density=True)
    ax = new_axes(ax, 5.2, 3.2)
    ax.stairs(density, edges, fill=True, facecolor="#A6CEE8", edgecolor=BLUE, linewidth=0.9)
    if period is not None:
        ax.axhline(1.0 / period, color=GREY, linewidth=0.9, linestyle=(0, (4, 2)), label="uniform")
        legend_above(ax, ax.lines[-1:])
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel(label)
    ax.set_ylabel("probability density")
    style_axes(ax)
    return ax


def _motion(result: Solution | PeriodData) -> Solution:
    """A solution, or one period of an orbit."""
    return result if isinstance(result, Solution) else result.solution


def _column(names: Sequence[str], name: str) -> int:
    if name not in names:
        raise unknown_name("component", name, names)
    return list(names).index(name)


def _component(solution: Solution, name: str) -> int:
    """Column of y = (q, u, x), names as in `nsmb.analysis.state_names`."""
    return solution.labels.component(name)


def _since(solution: Solution, since: float | None) -> tuple[float, float]:
    first, last = solution.t_span
    if since is not None and not first <= since < last:
        raise ValueError(f"since: expected a time in [{first:.10g}, {last:.10g}) s, got {since!r}")
    return _span(solution, None if since is None else (since, last))


def _states(solution: Solution, t: Floats, side: Literal["left", "right"]) -> Floats:
    sample = solution.at(t, side)
    return np.hstack([sample.q, sample.u, sample.x])


def _curve(solution: Solution, knots: Floats, columns: Sequence[int]) -> Floats:
    """Components of the smooth arcs between knots, rows of NaN between the arcs."""
    length = np.diff(knots)
    total = max(float(length.sum()), np.finfo(float).tiny)
    least = int(np.clip(_MOST_POINTS // max(length.size, 1), 2, 8))
    counts = np.maximum(least, np.ceil(_POINTS * length / total).astype(int))
    ends = np.cumsum(counts) - 1
    starts = ends - counts + 1
    fraction = (np.arange(counts.sum()) - np.repeat(starts, counts)) / np.repeat(counts - 1, counts)
    t = np.repeat(knots[:-1], counts) + fraction * np.repeat(length, counts)
    t[ends] = knots[1:]
    y = _states(solution, t, "right")[:, columns]
    y[ends] = _states(solution, knots[1:], "left")[:, columns]
    return np.insert(y, ends[:-1] + 1, np.nan, axis=0)


def _jumps(solution: Solution, hits: Floats, columns: Sequence[int]) -> Floats:
    """(m, 2, 2) both sides of the impacts."""
    before, after = _states(solution, hits, "left"), _states(solution, hits, "right")
    return np.stack([before[:, columns], after[:, columns]], axis=1)


def _mark_events(
    ax: Axes,
    solution: Solution,
    span: tuple[float, float],
    columns: Sequence[int],
    factor: Floats,
) -> list[Any]:
    events = solution.events
    inside = (events.t >= span[0]) & (events.t <= span[1])
    states = np.hstack([events.q, events.u_plus, events.x])[:, columns]
    handles = []
    for kind, (marker, color) in _MARKS.items():
        chosen = inside & (events.kind == kind)
        if np.any(chosen):
            handles += ax.plot(
                *(factor * states[chosen]).T, linestyle="none", marker=marker, color=color,
                markersize=4.5 if marker in "sDo" else 6.5, markeredgecolor="white",
                markeredgewidth=0.4, label=kind.label, zorder=3,
                rasterized=int(chosen.sum()) > MANY_DOTS,
            )  # fmt: skip
    return handles

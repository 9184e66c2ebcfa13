"""Figures of a run: coordinates, gaps and states of contacts over time.

Matplotlib is imported when a figure is created.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import one_of
from nsmb.common.extras import import_extra
from nsmb.common.labels import contact_of
from nsmb.events.cycle import last_cycle
from nsmb.pictures.rows import (
    MANY_IMPACTS,
    draw_states,
    legend_above,
    rows_of,
    tidy,
    with_gap,
    within,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from nsmb.pictures.subjects import Motion

__all__ = ["overview", "plot"]

Floats = NDArray[np.float64]
Span = tuple[float, float]

# Colours after Okabe and Ito, distinguishable with any colour vision.
_LINES = ("#000000", "#009E73", "#CC79A7", "#56B4E9", "#8C6D1F", "#7F7F7F")
_IMPACT = "#7F7F7F"
_POINTS = 3000  # points of a curve, plus 10 for each event, so that long runs keep their peaks
_MOST_POINTS = 30_000
_FEW_SAMPLES = 200  # without dense output, up to this number each sample is marked
_MOST_COORDINATES = 100
_LONGEST_HEADING = 14  # letters of the label of a panel
_PREFIXES = (("", 1.0), ("m", 1e3), ("µ", 1e6), ("n", 1e9))


def plot(
    solution: Motion,
    *,
    coordinates: Sequence[str] | None = None,
    t_span: Span | None = None,
    axes: Sequence[Axes] | None = None,
    figure: Figure | SubFigure | None = None,
    title: str | None = None,
) -> Figure | SubFigure:
    """Plot coordinates, gaps and states over time; thin vertical lines are impacts.

    Coordinates with the same unit share a panel. The last panel shows the states of the contacts
    and, below them, the intervals in which force elements act; diamonds are their switches.

    Parameters
    ----------
    solution : Solution
    coordinates : sequence of str, optional
        Names of the coordinates to show; default: all. Required for more than 100 coordinates.
    t_span : (float, float), optional
        Interval to show, s; default: the whole run.
    axes : sequence of Axes, optional
        Axes to draw in, from top to bottom: one per unit, one for gaps if there are contacts with
        a gap, and one for states if there are contacts or force elements.
    figure : Figure or SubFigure, optional
        Figure to draw in if no `axes` are given; default: a new one. The default title of a new
        figure is the name of the system.
    title : str, optional
        Title above the first panel.

    Returns
    -------
    Figure or SubFigure
        Nothing is shown or saved: ``solution.plot().savefig("run.pdf")``.

    Raises
    ------
    ValueError
        If a coordinate is unknown, `t_span` is empty or outside the run, the number of `axes` is
        wrong, or both `axes` and `figure` are given.
    ImportError
        If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
    """
    panels = _panels(solution, coordinates)
    span = _span(solution, t_span)
    heights = _heights(solution, panels)
    if axes is None:
        if figure is None:
            figure = _new_figure(7.2, 1.1 + 1.35 * sum(heights))
            title = _name(solution) if title is None else title
        made = figure.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)
        axes = list(made[:, 0])
        for ax in axes[:-1]:
            ax.tick_params(labelbottom=False)
    elif figure is not None:
        raise ValueError(
            "figure: must be left out where axes are given, got both. Leave it out; the axes have "
            "a figure."
        )
    elif len(axes) != len(heights):
        raise ValueError(f"axes: expected {len(heights)} axes, got {len(axes)}")

    t = _grid(solution, span)
    q = solution.at(t).q if solution.has_dense_output else solution.q[within(solution.t, span)]
    for ax, (unit, columns) in zip(axes, panels, strict=False):
        names = [solution.coordinates[i] for i in columns]
        _lines(ax, t, q[:, columns], names, unit, _heading(names))
    if with_gap(solution):
        _draw_gaps(axes[len(panels)], solution, span, t)
    if rows_of(solution):
        draw_states(axes[-1], solution, span)
    hits = solution.events.of_kind("impact").t
    for ax in axes:
        _draw_impacts(ax, np.unique(hits[within(hits, span)]))
        if span[0] < span[1]:
            ax.set_xlim(*span)
    axes[-1].set_xlabel("t / s")
    if figure is not None:
        figure.align_ylabels(axes)
    if title:
        axes[0].set_title(title, loc="left", fontsize="medium", fontweight="bold")
    return figure if figure is not None else axes[0].figure


def overview(solution: Motion, *, title: str | None = None) -> Figure:
    """Plot the whole run and, next to it, the last cycle (see `nsmb.events.last_cycle`).

    The command line draws this figure. Only the whole run is drawn if there is no cycle, the run is
    shorter than three cycles, or it continues for more than two cycles without the impact that
    bounds them.

    Parameters
    ----------
    solution : Solution
    title : str, optional
        Title; default: the name of the system.

    Returns
    -------
    Figure
    """
    title = _name(solution) if title is None else title
    try:
        cycle = last_cycle(solution.events)
    except ValueError:
        cycle = None
    first, last = solution.t_span
    if (
        cycle is None
        or last - first < 3.0 * cycle.period
        or last - cycle.events.t[-1] > 2.0 * cycle.period
    ):
        figure = _new_figure(7.2, _height(solution))
        plot(solution, figure=figure, title=title)
        return figure
    figure = _new_figure(11.0, _height(solution))
    left, right = figure.subfigures(1, 2, squeeze=False)[0]
    plot(solution, figure=left, title=title)
    margin = 0.04 * cycle.period
    start, end = float(cycle.events.t[0]), float(cycle.events.t[-1])
    plot(
        solution,
        t_span=(max(first, start - margin), min(last, end + margin)),
        figure=right,
        title=f"last cycle, {cycle.contact} to {cycle.contact}: {1e3 * cycle.period:.2f} ms",
    )
    return figure


# ---- panels ----------------------------------------------------------------------------------


def _panels(solution: Motion, names: Sequence[str] | None) -> list[tuple[str, list[int]]]:
    """Return unit and columns of q of each panel."""
    if names is None and len(solution.coordinates) > _MOST_COORDINATES:
        first, last = solution.coordinates[0], solution.coordinates[-1]
        raise ValueError(
            "coordinates: must be names of the coordinates to plot, out of "
            f"{len(solution.coordinates)} from {first!r} to {last!r}, got None, which shows all "
            f"where there are {_MOST_COORDINATES} at most"
        )
    names = solution.coordinates if names is None else names
    panels: dict[str, list[int]] = {}
    for name in names:
        column = _column(solution, name)
        panels.setdefault(solution.coordinate_units[column], []).append(column)
    return list(panels.items())


def _lines(
    ax: Axes, t: Floats, curves: Floats, names: Sequence[str], unit: str, label: str, **style: Any
) -> None:
    prefix, scale = _prefix(unit, curves)
    style = {"linewidth": 1.0} | style
    groups: dict[str, Any] = {}
    for i, name in enumerate(names):
        group = contact_of(name)
        color = groups[group].get_color() if group in groups else _LINES[len(groups) % len(_LINES)]
        (line,) = ax.plot(t, scale * curves[:, i], color=color, label=group, **style)
        groups.setdefault(group, line)
    ax.set_ylabel(_axis_label(label, prefix + unit))
    if len(groups) > 1:
        legend_above(ax, list(groups.values()))
    tidy(ax)


def _heading(names: Sequence[str]) -> str:
    """Return the label of a panel: the names if they fit, otherwise "q"."""
    text = ", ".join(names)
    return text if len(text) <= _LONGEST_HEADING else "q"


def _draw_gaps(ax: Axes, solution: Motion, span: Span, t: Floats) -> None:
    """Draw the gaps of the run, with the contact points that the run stored."""
    system = solution._system_or_none
    style: dict[str, Any] = {}
    if system is not None and solution.has_dense_output and not system._core.has_features:
        sample = solution.at(t)
        gaps = np.array(
            [
                system.contact_quantities(*row)["g_N"]
                for row in zip(t.tolist(), sample.q, sample.u, strict=True)
            ]
        )
    else:
        inside = within(solution.t, span)
        t, gaps = solution.t[inside], solution.g_N[inside]
        if solution.features.shape[1]:
            t, gaps = _in_slots(t, gaps, solution.features[inside])
        style = {"marker": "."} if t.size < _FEW_SAMPLES else {}
    columns = with_gap(solution)
    names = [solution.contact_names[i] for i in columns]
    _lines(ax, t, gaps[:, columns], names, "m", "gap g_N", **style)


def _in_slots(t: Floats, gaps: Floats, features: NDArray[np.int32]) -> tuple[Floats, Floats]:
    """Return curves, interrupted where a slot is unused or changes its pair of features."""
    gaps = np.where(features[:, :, 0] >= 0, gaps, np.nan)
    changed = (features[1:] != features[:-1]).any(axis=2)
    rows = np.flatnonzero(changed.any(axis=1))
    breaks = np.where(changed[rows], np.nan, gaps[rows])
    return np.insert(t, rows + 1, t[rows]), np.insert(gaps, rows + 1, breaks, axis=0)


def _draw_impacts(ax: Axes, times: Floats) -> None:
    if times.size > MANY_IMPACTS:
        return
    alpha = float(np.clip(12.0 / max(1, times.size), 0.1, 0.6))
    ax.vlines(
        times, 0.0, 1.0, transform=ax.get_xaxis_transform(), color=_IMPACT, linewidth=0.6,
        alpha=alpha, zorder=0.5,
    )  # fmt: skip


# ---- details ---------------------------------------------------------------------------------


def _name(solution: Motion) -> str:
    return solution.system_name + ("" if solution.success else f" ({solution.status})")


def _height(solution: Motion) -> float:
    return 1.1 + 1.35 * sum(_heights(solution, _panels(solution, None)))


def _heights(solution: Motion, panels: Sequence[object]) -> list[float]:
    heights = [1.0] * (len(panels) + bool(with_gap(solution)))
    rows = len(rows_of(solution))
    return [*heights, 0.22 + 0.2 * rows] if rows else heights


def _new_figure(width: float, height: float) -> Figure:
    pyplot = import_extra("matplotlib.pyplot", "plot")
    from nsmb.pictures.notebook_figure import NotebookFigure

    figure: Figure = pyplot.figure(
        figsize=(width, height), layout="constrained", FigureClass=NotebookFigure
    )
    return figure


def _column(solution: Motion, name: str) -> int:
    return solution.coordinates.index(one_of("coordinate", name, solution.coordinates))


def _span(solution: Motion, t_span: Span | None) -> Span:
    first, last = solution.t_span
    if t_span is None:
        return first, last
    start, end = float(t_span[0]), float(t_span[1])
    if not first <= start < end <= last:
        raise ValueError(
            f"t_span: expected {first:.10g} <= start < end <= {last:.10g}, got ({start}, {end})"
        )
    return start, end


def _grid(solution: Motion, span: Span) -> Floats:
    """Return the times of the curves, including events, at which curves have kinks."""
    if not solution.has_dense_output:
        return solution.t[within(solution.t, span)]
    events = solution.events.t
    events = events[within(events, span)]
    points = min(_POINTS + 10 * events.size, _MOST_POINTS)
    return np.union1d(np.linspace(*span, points), events)


def _prefix(unit: str, values: Floats) -> tuple[str, float]:
    """Return the SI prefix and factor that bring values in metres to at least one."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if unit != "m" or largest == 0.0:
        return "", 1.0
    return next((p for p in _PREFIXES if largest * p[1] >= 1.0), _PREFIXES[-1])


def _axis_label(name: str, unit: str) -> str:
    return f"{name} / {unit}" if unit not in ("", "-") else name

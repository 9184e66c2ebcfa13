"""Figures of one run: phase portraits with events, and the states of contacts.

Matplotlib is imported when a figure is created.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nsmb.events.enums import EventKind
from nsmb.pictures.plot import _span
from nsmb.pictures.plot_style import (
    BLACK,
    MANY_DOTS,
    axis_text,
    describe_failure,
    legend_above,
    new_axes,
    scaled,
    style_axes,
    unit_of,
)
from nsmb.pictures.rows import draw_states, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.subjects import Motion

__all__ = ["plot_contact_states", "plot_phase", "usual_coordinate"]

Floats = NDArray[np.float64]
Span = tuple[float, float]

_POINTS = 4000  # points of the curve, plus 8 between two events
_MOST_POINTS = 200_000
_RESTS = 1e-6  # smallest motion, relative to the largest range with the same unit
_RETURNS = 0.8  # smallest net change of a drifting coordinate, relative to its range
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
    solution: Motion,
    x: str | None = None,
    y: str | None = None,
    *,
    t_span: Span | None = None,
    events: bool = True,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Plot one component of the state over another, see :meth:`Solution.plot_phase`."""
    x = solution.coordinates[usual_coordinate(solution)] if x is None else x
    names = (x, _rate_of(solution, x) if y is None else y)
    columns = [solution.labels.component(name) for name in names]
    span = _span(solution, t_span)
    knots = np.unique(np.concatenate([span, solution.events.t]))
    knots = knots[(knots >= span[0]) & (knots <= span[1])]
    curve = _curve(solution, knots, columns)
    hits = np.unique(solution.events.of_kind("impact").t)
    jumps = _jumps(solution, hits[(hits > span[0]) & (hits <= span[1])], columns)
    units = [unit_of(name, solution) for name in names]
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
    ax.set_xlabel(axis_text(names[0], scales[0][0]))
    ax.set_ylabel(axis_text(names[1], scales[1][0]))
    style_axes(ax)
    if title is None:
        describe_failure(ax, solution.status)
    else:
        ax.set_title(title, loc="left", fontsize="medium", fontweight="bold")
    return ax


def plot_contact_states(
    solution: Motion, ax: Axes | None = None, *, t_span: Span | None = None
) -> Axes:
    """Plot the states of contacts over time, see :meth:`Solution.plot_contact_states`."""
    rows = len(rows_of(solution))
    if rows == 0:
        raise ValueError(
            f"solution: must be of a system with contacts or force elements, got "
            f"{solution.system_name!r}, which has none. Show its motion with plot_phase."
        )
    span = _span(solution, t_span)
    ax = new_axes(ax, 7.2, 0.8 + 0.34 * rows)
    draw_states(ax, solution, span)
    ax.grid(visible=False)
    ax.set_xlim(*span)
    ax.set_xlabel("t / s")
    return ax


def usual_coordinate(solution: Motion) -> int:
    """Return the index of the first coordinate that moves without drift, or 0."""
    travel, width = np.abs(solution.q[-1] - solution.q[0]), np.ptp(solution.q, axis=0)
    units = np.array(solution.labels.coordinate_units)
    widest = np.array([width[units == unit].max() for unit in units])
    moves = np.flatnonzero((travel <= _RETURNS * width) & (width > _RESTS * widest))
    return int(moves[0]) if moves.size else 0


def _rate_of(solution: Motion, coordinate: str) -> str:
    """Return the name of the velocity of a coordinate."""
    labels = solution.labels
    i = labels.component(coordinate)
    if i >= len(labels.coordinates) or len(labels.velocities) != len(labels.coordinates):
        raise ValueError(
            f"y: must be given where {coordinate!r} is not a coordinate with its own velocity, got "
            "None. Name the second component."
        )
    return labels.velocities[i]


def _states(solution: Motion, t: Floats, side: Literal["left", "right"]) -> Floats:
    sample = solution.at(t, side)
    return np.hstack([sample.q, sample.u, sample.x])


def _curve(solution: Motion, knots: Floats, columns: Sequence[int]) -> Floats:
    """Return components of the smooth arcs between knots, with rows of NaN between the arcs."""
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


def _jumps(solution: Motion, hits: Floats, columns: Sequence[int]) -> Floats:
    """Return the components before and after the impacts, shape (m, 2, 2)."""
    before, after = _states(solution, hits, "left"), _states(solution, hits, "right")
    return np.stack([before[:, columns], after[:, columns]], axis=1)


def _mark_events(
    ax: Axes,
    solution: Motion,
    span: Span,
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

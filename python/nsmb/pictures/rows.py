"""The panel of contact states and force elements over time, and shared parts of panels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsmb.common.labels import contact_of
from nsmb.events.enums import ContactState

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.subjects import Motion

__all__ = [
    "MANY_IMPACTS",
    "STATES",
    "Bar",
    "draw_states",
    "force_color",
    "impact_marks",
    "legend_above",
    "rows_of",
    "state_bars",
    "state_color",
    "state_legend",
    "tidy",
    "with_gap",
    "within",
]

Floats = NDArray[np.float64]
Span = tuple[float, float]

# Colours after Okabe and Ito, distinguishable with any colour vision. Bars also differ by their
# position: slip in a plane is in the middle of its row.
STATES = {
    # colour, lower edge and height of the bar within a row of height 1
    ContactState.STICK: ("#0072B2", 0.14, 0.72),
    ContactState.SLIP_POSITIVE: ("#E69F00", 0.50, 0.36),
    ContactState.SLIP_NEGATIVE: ("#D55E00", 0.14, 0.36),
    ContactState.SLIP: ("#CC79A7", 0.32, 0.36),
}
_ACTS = ("#009E73", 0.14, 0.72)  # force elements
MANY_IMPACTS = 300  # above this number, lines across the panels would cover the curves


def state_color(state: ContactState | int) -> str:
    """Return the colour of a contact state; white if the state is unknown."""
    style = STATES.get(ContactState(state))
    return "#FFFFFF" if style is None else style[0]


def force_color(state: ContactState | int) -> str:
    """Return the colour of a contact force, that of the state, or grey if the contact opens."""
    return "#555555" if state == ContactState.OPEN else state_color(state)


class Bar(NamedTuple):
    """A state of one row and its time intervals."""

    row: int
    """Row from the top."""
    spans: list[Span]
    """Time intervals, s."""
    color: str
    bottom: float
    """Lower edge within a row of height 1."""
    height: float


def state_bars(solution: Motion, span: Span) -> list[Bar]:
    """Return the bars of the panel: states of contacts, and active force elements."""
    row_of, nc = _row_of(solution), len(solution.contact_names)
    edges = np.append(solution.t, solution.t_span[1])
    found = [
        (row, solution.contact_state[:, column] == state, style)
        for column, row in row_of.items()
        if column < nc
        for state, style in STATES.items()
    ]
    acts = solution.element_mode != 0
    found += [(row_of[nc + e], acts[:, e], _ACTS) for e in range(acts.shape[1])]
    bars = []
    for row, present, style in found:
        spans = [(a, b) for a, b in _runs(present, edges) if b >= span[0] and a <= span[1]]
        bars.append(Bar(row, spans, *style))
    return bars


def state_legend(solution: Motion) -> list[tuple[str, str]]:
    """Return label and colour of each kind of bar."""
    entries = [(state.label, STATES[state][0]) for state in _possible_states(solution)]
    return entries + [("acts", _ACTS[0])] * bool(solution.element_names)


def impact_marks(solution: Motion, span: Span) -> tuple[Floats, NDArray[np.intp]]:
    """Return times (k,) in s and rows (k,) from the top of all impacts."""
    hits = solution.events.of_kind("impact")
    hits = hits[within(hits.t, span)]
    row_of = _row_of(solution)
    event, contact = np.nonzero(hits.contacts)
    rows = np.array([row_of[column] for column in contact.tolist()], dtype=np.intp)
    return hits.t[event], rows


def draw_states(ax: Axes, solution: Motion, span: Span) -> None:
    from matplotlib.patches import Patch

    names = list(rows_of(solution))
    n = len(names)
    for row, spans, color, bottom, height in state_bars(solution, span):
        seen = [(a, b - a) for a, b in spans]
        ax.broken_barh(seen, (n - 1 - row + bottom, height), facecolor=color, linewidth=0, zorder=2)
    ax.hlines(
        np.arange(n) + 0.5, 0.0, 1.0, transform=ax.get_yaxis_transform(), color="#D0D0D0",
        linewidth=0.8, zorder=1,
    )  # fmt: skip
    ax.set_ylim(0.0, n)
    ax.set_yticks(n - 0.5 - np.arange(n), names)
    handles = [_mark_impacts(ax, solution, span)] if with_gap(solution) else []
    handles += [Patch(color=color, label=label) for label, color in state_legend(solution)]
    if solution.element_names:
        handles.append(_mark_switches(ax, solution, span))
    legend_above(ax, handles)
    tidy(ax)
    ax.tick_params(axis="y", length=0)


def _possible_states(solution: Motion) -> list[ContactState]:
    """Return the states of closed contacts that can occur in the system."""
    if not solution.contact_names:
        return []
    planar = bool(set(solution.contact_names) & set(solution.tangent_names))
    spatial = bool(set(solution.tangent_names) - set(solution.contact_names))
    slips = [ContactState.SLIP_POSITIVE, ContactState.SLIP_NEGATIVE] * planar
    return [ContactState.STICK, *slips, *[ContactState.SLIP] * spatial]


def _mark_impacts(ax: Axes, solution: Motion, span: Span) -> Any:
    times, rows = impact_marks(solution, span)
    y = len(rows_of(solution)) - 1.0 - rows
    return ax.vlines(
        times, y + 0.05, y + 0.95, color="#000000", zorder=3, label="impact",
        linewidth=0.9 if np.unique(times).size <= MANY_IMPACTS else 0.3,
    )  # fmt: skip


def _mark_switches(ax: Axes, solution: Motion, span: Span) -> Any:
    switches = solution.events.of_kind("switch")
    switches = switches[within(switches.t, span)]
    event, element = np.nonzero(switches.elements)
    y = len(solution.element_names) - 0.5 - element
    (marks,) = ax.plot(
        switches.t[event], y, color="#000000", zorder=3, label="switch", linestyle="none",
        marker="d", markersize=3.5 if event.size <= MANY_IMPACTS else 1.0,
    )  # fmt: skip
    return marks


def _runs(present: NDArray[np.bool_], edges: Floats) -> list[Span]:
    """Return maximal time intervals; sample k represents the time from edges[k] to edges[k + 1]."""
    keep = np.diff(edges) > 0.0  # the first side of an event has no duration
    bounds = np.append(edges[:-1][keep], edges[-1])
    flips = np.flatnonzero(np.diff(present[keep].astype(np.int8), prepend=0, append=0))
    return [(float(bounds[a]), float(bounds[b])) for a, b in flips.reshape(-1, 2)]


def with_gap(solution: Motion) -> list[int]:
    """Return the columns of contacts with a gap."""
    return [i for i in _used(solution) if solution.contact_names[i] not in solution.gapless]


def _used(solution: Motion) -> list[int]:
    """Return the columns of contacts without slots that were unused in the whole run."""
    gapless = np.array(
        [name in solution.gapless for name in solution.contact_names], dtype=np.bool_
    )
    used = gapless | np.isfinite(solution.g_N).any(axis=0)
    return np.flatnonzero(used).tolist() or list(range(len(used)))


def rows_of(solution: Motion) -> dict[str, list[int]]:
    """Return the rows of the panel from top to bottom with their columns: contacts and elements.

    The contact points of a contact share its row.
    """
    first = len(solution.contact_names)
    rows: dict[str, list[int]] = {}
    for column in _used(solution):
        rows.setdefault(contact_of(solution.contact_names[column]), []).append(column)
    return rows | {name: [first + e] for e, name in enumerate(solution.element_names)}


def _row_of(solution: Motion) -> dict[int, int]:
    """Return the row of each displayed column."""
    rows = enumerate(rows_of(solution).values())
    return {column: row for row, columns in rows for column in columns}


def within(t: Floats, span: Span) -> NDArray[np.bool_]:
    return (t >= span[0]) & (t <= span[1])


def legend_above(ax: Axes, handles: Sequence[Any]) -> None:
    """Add a legend above the axes with as many rows as needed; nothing without handles."""
    if not handles:
        return
    width = 0.92 * ax.get_window_extent().width  # leaves some width for labels of the axes
    for rows in range(1, len(handles) + 1):
        legend = ax.legend(
            handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), frameon=False,
            ncols=math.ceil(len(handles) / rows), fontsize="small", borderaxespad=0.0,
            handlelength=1.4, columnspacing=1.2,
        )  # fmt: skip
        if legend.get_window_extent().width <= width:
            return


def tidy(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#ECECEC", linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)

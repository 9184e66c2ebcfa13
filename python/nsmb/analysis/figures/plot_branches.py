"""Figures of branches with their special points, and of Floquet multipliers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.figures.label_places import add_label, place_labels
from nsmb.pictures.plot_style import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    axis_text,
    figure_of,
    legend_above,
    new_axes,
    scaled,
    style_axes,
    system_of,
    unit_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.analysis.figures.plot_data import (
        BranchData,
        Measure,
        MultiplierData,
        OrbitData,
        SpecialData,
    )
    from nsmb.system.base import System

__all__ = ["plot_branch", "plot_multipliers"]

Floats = NDArray[np.float64]

# Marker, colour and letters of the label.
_KINDS = {
    "fold": ("o", "#D55E00", "F"),
    "period doubling": ("s", BLUE, "PD"),
    "Neimark-Sacker": ("D", "#009E73", "NS"),
    "branch point": ("P", "#CC79A7", "BP"),
    "grazing": ("^", ORANGE, "G"),
    "sliding": ("v", "#56B4E9", "S"),
    "Hopf": ("D", "#009E73", "H"),
    "contact opens": ("^", "#56B4E9", "open"),
    "contact closes": ("v", ORANGE, "closed"),
    "slip begins": ("s", "#E69F00", "slip"),
    "event sequence": ("X", GREY, "ES"),
    "end": ("o", "#FFFFFF", "end"),
}
_DASHED = (0, (3.5, 1.8))
_TRIVIAL = ("o", "s", "D", "^", "v", "P")
_LARGEST = 3.0  # largest modulus that is drawn


def plot_branch(
    branch: BranchData,
    measure: Measure,
    ax: Axes | None = None,
    *,
    color: str = BLACK,
    labels: bool = True,
    system: System | None = None,
) -> Axes:
    """Plot a measure over the parameter; see :meth:`Branch.plot`."""
    system = system_of(branch.points[0], system)
    text = measure if isinstance(measure, str) else getattr(measure, "__name__", "measure")
    way, _, name = text.rpartition(":")  # "max:phi"
    unit = "s" if name == "period" else "rad" if way == "phase" else unit_of(name, system)
    heights = np.asarray(branch.measure(measure), dtype=np.float64)
    unit, factor = scaled(unit, heights)
    heights = factor * heights
    points = list(branch.special_points)
    values = branch.values if branch.values.ndim == 1 else branch.values[:, -1]
    places = [_place(values, heights, point) for point in points]

    ax = new_axes(ax, 6.4, 4.0)
    stability = _stability(branch)
    known = stability is not None
    if stability is None:
        stability = np.ones(len(values), dtype=np.bool_)
    for stable, curve in _runs(values, heights, stability, points, places):
        ax.plot(
            *curve.T, color=color, linewidth=1.2, linestyle="-" if stable else _DASHED, zorder=2,
            label=("stable" if stable else "unstable") if known else "_branch",
        )  # fmt: skip
    for point, (x, y) in zip(points, places, strict=True):
        marker, face, letters = _KINDS.get(point.kind, ("h", BLACK, point.kind))
        ax.plot(
            x, y, linestyle="none", marker=marker, color=face, markersize=5.0, zorder=3,
            markeredgecolor=BLACK if point.kind == "end" else "white",
            markeredgewidth=0.8 if point.kind == "end" else 0.4, label=point.kind,
        )  # fmt: skip
        if labels and point.kind != "end":
            add_label(ax, f"{letters} {_number(point.value, point.accuracy)}", x, y)
    ax.set_xlabel(axis_text(branch.parameter, unit_of(branch.parameter, system)))
    ax.set_ylabel(f"{way} {axis_text(name, unit)}".strip())
    style_axes(ax)
    legend_above(ax, _handles(ax))
    place_labels(ax)
    return ax


def plot_multipliers(result: OrbitData | MultiplierData, ax: Axes | None = None) -> Axes:
    """Plot multipliers beside the unit circle; see :meth:`PeriodicOrbit.plot_multipliers`."""
    branch = cast("MultiplierData", result) if hasattr(result, "points") else None
    multipliers = np.atleast_2d(np.asarray(result.multipliers))
    if multipliers.size == 0:
        raise ValueError(
            "result: expected Floquet multipliers, got none: the orbit was not found; see its "
            "status and message"
        )
    ax = new_axes(ax, 4.4 if branch is None else 5.0, 4.2)
    angle = np.linspace(0.0, 2.0 * np.pi, 361)
    ax.plot(np.cos(angle), np.sin(angle), color=GREY, linewidth=0.9, zorder=1)
    ax.axhline(0.0, color="#D0D0D0", linewidth=0.6, zorder=0)
    ax.axvline(0.0, color="#D0D0D0", linewidth=0.6, zorder=0)
    orbits: Sequence[Any] = [result] if branch is None else branch.points
    kinds = np.array([list(orbit.multiplier_kinds) for orbit in orbits], dtype=np.str_)
    kinds = kinds.reshape(multipliers.shape)
    nontrivial = kinds == ""
    handles = []
    if branch is None:
        handles += ax.plot(
            multipliers.real[nontrivial], multipliers.imag[nontrivial], linestyle="none",
            marker="o", markersize=5.0, color=BLUE, zorder=3, label="nontrivial",
        )  # fmt: skip
    else:
        values = np.repeat(np.asarray(branch.values)[:, None], multipliers.shape[1], axis=1)
        dots = ax.scatter(
            multipliers.real[nontrivial], multipliers.imag[nontrivial], c=values[nontrivial],
            s=9.0, cmap="viridis", linewidths=0.0, zorder=2,
        )  # fmt: skip
        bar = figure_of(ax).colorbar(dots, ax=ax, shrink=0.85)
        system = system_of(orbits[0], None)
        bar.set_label(axis_text(branch.parameter, unit_of(branch.parameter, system)))
        bar.outline.set_linewidth(0.5)
    for i, kind in enumerate(sorted(set(kinds[~nontrivial].tolist()))):
        chosen = kinds == kind
        # Several may coincide, so each marker is larger than the previous one.
        handles += ax.plot(
            multipliers.real[chosen], multipliers.imag[chosen], linestyle="none",
            marker=_TRIVIAL[i % len(_TRIVIAL)], markersize=6.5 + 2.5 * i, markerfacecolor="none",
            markeredgecolor=BLACK, markeredgewidth=0.8, label=kind, zorder=2.5,
        )  # fmt: skip
    _limit(ax, multipliers)
    ax.set_aspect("equal")
    ax.set_xlabel(r"Re $\Lambda$")
    ax.set_ylabel(r"Im $\Lambda$")
    style_axes(ax)
    ax.grid(visible=False)
    legend_above(ax, handles)
    return ax


# ---- branches --------------------------------------------------------------------------------


def _stability(branch: BranchData) -> NDArray[np.bool_] | None:
    """Return the stability of the points, or None if it is unknown or for a locus."""
    if branch.values.ndim > 1:
        return None
    return getattr(branch, "stable", None)


def _place(values: Floats, heights: Floats, point: SpecialData) -> tuple[float, float]:
    """Return the position of a special point on the curve, between points index and index + 1."""
    i = int(np.clip(point.index, 0, len(values) - 1))
    j = min(i + 1, len(values) - 1)
    step = values[j] - values[i]
    part = (point.value - values[i]) / step if step != 0.0 else 0.5
    if not 0.0 <= part <= 1.0:  # outside of both, as at a fold
        part = 0.5
    return point.value, float(heights[i] + part * (heights[j] - heights[i]))


def _runs(
    values: Floats,
    heights: Floats,
    stable: NDArray[np.bool_],
    points: list[Any],
    places: list[tuple[float, float]],
) -> list[tuple[bool, Floats]]:
    """Return pieces of equal stability, which meet in a special point or halfway."""
    runs: list[tuple[bool, Floats]] = []
    piece = [(float(values[0]), float(heights[0]))]
    for i in range(len(values) - 1):
        after = (float(values[i + 1]), float(heights[i + 1]))
        between = [place for point, place in zip(points, places, strict=True) if point.index == i]
        if stable[i] != stable[i + 1]:
            middle = ((piece[-1][0] + after[0]) / 2.0, (piece[-1][1] + after[1]) / 2.0)
            meet = between or [middle]
            runs.append((bool(stable[i]), np.array([*piece, meet[0]])))
            piece = [*meet]
        else:
            piece += between
        piece.append(after)
    runs.append((bool(stable[-1]), np.array(piece)))
    return runs


def _number(value: float, accuracy: float) -> str:
    """Return a number with its significant digits, between 3 and 5."""
    digits = 5
    if value != 0.0 and accuracy > 0.0:
        digits = int(np.clip(math.log10(abs(value) / accuracy), 3, 5))
    return f"{value:#.{digits}g}".replace("-", "\N{MINUS SIGN}")


def _handles(ax: Axes) -> list[Any]:
    """Return one handle for each label, with those of the curves first."""
    handles: dict[str, Any] = {}
    for line in ax.lines:
        label = str(line.get_label())
        if not label.startswith("_"):
            handles.setdefault(label, line)
    order = ["stable", "unstable", *_KINDS]
    return sorted(handles.values(), key=lambda h: _rank(str(h.get_label()), order))


def _rank(label: str, order: list[str]) -> int:
    return order.index(label) if label in order else len(order)


# ---- multipliers -----------------------------------------------------------------------------


def _limit(ax: Axes, multipliers: NDArray[np.complex128]) -> None:
    """Limit the axes to the unit circle and its surroundings, and note the points outside."""
    size = np.abs(multipliers[np.isfinite(multipliers)])
    radius = 1.15 * max(1.0, min(float(np.max(size, initial=0.0)), _LARGEST))
    ax.set_xlim(-radius, radius)
    ax.set_ylim(-radius, radius)
    outside = size[size > _LARGEST]
    if outside.size:
        text = f"{outside.size} of {size.size} outside, up to |Λ| = {outside.max():.3g}"
        ax.text(0.0, -0.98 * radius, text, fontsize="x-small", ha="center")

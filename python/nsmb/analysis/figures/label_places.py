"""Placement of labels beside their points, clear of curves and of one another."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["add_label", "place_labels"]

Floats = NDArray[np.float64]

_GID = "nsmb label"
_DISTANCES = (6.0, 11.0, 18.0, 28.0, 42.0, 60.0, 80.0)  # distances of the text, in points
_LEADER = 8.0  # points; labels at larger distances have a leader line
_ANGLES = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False) + np.pi / 4.0
_MOST_PIECES = 5000  # largest number for one curve
_PAD = 1.5  # points around a text
# Costs of a position, in points of distance: outside of the axes, over another label, over a marked
# point, and over 2 points of a curve.
_OUTSIDE, _LABEL, _POINT, _CURVE = 1000.0, 300.0, 100.0, 6.0


def add_label(ax: Axes, text: str, x: float, y: float) -> None:
    """Add a label to the point (x, y) in data coordinates, to be placed by `place_labels`."""
    ax.annotate(
        text, (x, y), (0.0, 0.0), textcoords="offset points", ha="center", va="center",
        fontsize="x-small", gid=_GID, zorder=4, annotation_clip=False,
        arrowprops={
            "arrowstyle": "-", "linewidth": 0.5, "color": "#7F7F7F", "shrinkA": 0.0, "shrinkB": 3.0,
        },
    )  # fmt: skip


def place_labels(ax: Axes) -> None:
    """Place all labels of `ax` one after the other, each at the position of lowest cost."""
    from matplotlib.text import Text

    labels: list[Any] = [text for text in ax.texts if text.get_gid() == _GID]
    if not labels:
        return
    figure: Any = ax.figure
    figure.canvas.figure.draw_without_rendering()  # determines the layout
    point = figure.dpi / 72.0  # in pixels
    frame = ax.get_window_extent()
    anchors = ax.transData.transform([label.xy for label in labels])
    curves = _curves(ax, 2.0 * point)
    taken: list[Floats] = []
    for label, anchor in zip(labels, anchors, strict=True):
        half = np.array(Text.get_window_extent(label).size) / 2.0 + _PAD * point
        best = np.inf
        for distance, angle in product(_DISTANCES, _ANGLES):
            way = np.array([np.cos(angle), np.sin(angle)])
            offset = (distance * point + half) * way
            box = np.array([anchor + offset - half, anchor + offset + half])
            cost = (
                distance
                + _OUTSIDE * bool(np.any(box[0] < frame.min) or np.any(box[1] > frame.max))
                + _LABEL * sum(bool(np.all(box[0] < b[1]) and np.all(box[1] > b[0])) for b in taken)
                + _POINT * _inside(anchors, box)
                + _CURVE * _inside(curves, box)
            )
            if cost < best:
                best, place = cost, (distance, offset, box)
        distance, offset, box = place
        taken.append(box)
        label.set_position(tuple(offset / point))
        label.arrow_patch.set_visible(distance > _LEADER)


def _inside(points: Floats, box: Floats) -> int:
    return int(np.all((points > box[0]) & (points < box[1]), axis=1).sum())


def _curves(ax: Axes, step: float) -> Floats:
    """Return points at most `step` apart on all lines in data, shape (n, 2), in pixels."""
    pieces = [np.zeros((0, 2))]
    for line in ax.lines:
        if line.get_transform() != ax.transData:
            continue
        xy = ax.transData.transform(np.column_stack([line.get_xdata(), line.get_ydata()]))
        xy = xy[np.all(np.isfinite(xy), axis=1)]
        pieces.append(xy)
        if line.get_linestyle() == "None" or len(xy) < 2:
            continue
        length = np.hypot(*np.diff(xy, axis=0).T)
        way = np.append(0.0, np.cumsum(length))
        fine = np.linspace(0.0, way[-1], min(int(way[-1] / step) + 2, _MOST_PIECES))
        pieces.append(np.column_stack([np.interp(fine, way, column) for column in xy.T]))
    return np.concatenate(pieces)

"""Marks of springs, joints and centres of mass in planar figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.instant import Instant
    from nsmb.pictures.plane import Plane
    from nsmb.pictures.scene import Scene

__all__ = ["JointMarks"]

Floats = NDArray[np.float64]

_EDGE = "#333333"
_GUIDE: dict[str, Any] = {"color": _EDGE, "linewidth": 0.8, "linestyle": (0, (8, 2, 1.5, 2))}
_OVERHANG = 0.06  # extension of a guide beyond both ends, relative to the size of the figure


class JointMarks:
    """The artists of springs, joints and centres of mass; `show` updates them to an instant.

    A circle is a hinge, on a triangle if it is fixed to the ground. A square is a slider, on a line
    along which it moves. A crossed circle is a centre of mass.
    """

    def __init__(self, ax: Axes, plane: Plane, unit: float, size: float) -> None:
        self._ax, self._plane, self._unit, self._size = ax, plane, unit, size
        self._springs: list[Any] = []
        self._guides: list[Any] = []
        self._slides: list[Any] = []
        self._marks: dict[str, list[Any]] = {}

    def show(self, scene: Scene, now: Instant) -> None:
        """Update all marks to an instant."""
        for k, (a, b) in enumerate(scene.springs_at(now.t, now.q)):
            if k == len(self._springs):
                self._springs += self._ax.plot([], [], color="#555555", linewidth=1.0, zorder=3)
            zigzag = _spring(self._plane.of(a), self._plane.of(b), 0.02 * self._size)
            self._springs[k].set_data(*(self._unit * zigzag).T)
        for k, (a, b, along) in enumerate(scene.guides_at(now.t, now.q)):
            self._show_guide(k, self._plane.of(a), self._plane.of(b), self._plane.of(along))
        self._show_places("support", scene.supports_at(now.t, now.q))
        self._show_places("center", scene.centers_at(now.t, now.q))
        self._show_places("hinge", scene.joints_at(now.t, now.q))

    def _show_guide(self, k: int, a: Floats, b: Floats, along: Floats) -> None:
        if k == len(self._guides):
            self._guides += self._ax.plot([], [], zorder=1.5, **_GUIDE)
            self._slides += self._ax.plot(
                [], [], marker="s", markersize=5.0, markerfacecolor="white",
                markeredgecolor=_EDGE, linestyle="none", zorder=4,
            )  # fmt: skip
        self._slides[k].set_data(*(self._unit * b[:, None]))
        length = float(np.hypot(*along))
        if length < 1e-6:  # it slides along the line of sight
            return
        e = along / length
        first, last = sorted((0.0, float(e @ (b - a))))
        margin = _OVERHANG * self._size
        ends = a + np.outer([first - margin, last + margin], e)
        self._guides[k].set_data(*(self._unit * ends).T)

    def _show_places(self, kind: str, places: Floats) -> None:
        if len(places) and kind not in self._marks:
            self._marks[kind] = self._make(kind)
        for mark in self._marks.get(kind, ()):
            mark.set_data(*(self._unit * self._plane.of(places)).T)

    def _make(self, kind: str) -> list[Any]:
        from matplotlib.path import Path

        triangle = Path([(0, 0), (-1, -1.7), (1, -1.7), (0, 0)], closed=True)
        base = Path(
            [(-1.6, -1.75), (1.6, -1.75), *((x - d, y) for x in (-1.4, -0.7, 0.0, 0.7, 1.4)
                                            for d, y in ((0.0, -1.75), (0.5, -2.4)))],
            [Path.MOVETO, Path.LINETO] * 6,
        )  # fmt: skip
        style: dict[str, Any] = {"linestyle": "none", "markeredgecolor": _EDGE}
        marks: list[dict[str, Any]]
        if kind == "hinge":
            marks = [{"marker": "o", "markersize": 5.0, "markerfacecolor": "white", "zorder": 4}]
        elif kind == "support":
            marks = [
                {"marker": triangle, "markersize": 17.0, "markerfacecolor": "white", "zorder": 3.5},
                {"marker": base, "markersize": 24.0, "markerfacecolor": "none", "zorder": 3.4},
            ]
        else:
            marks = [
                {"marker": mark, "markersize": 7.0, "markerfacecolor": fill, "zorder": 3.8}
                for mark, fill in (("o", "#FFD966"), ("+", "none"))
            ]
        return [self._ax.plot([], [], **style, **mark)[0] for mark in marks]


def _spring(a: Floats, b: Floats, width: float) -> Floats:
    """Return a zigzag line (n, 2) between two points."""
    along = b - a
    length = float(np.hypot(*along))
    across = np.array([-along[1], along[0]]) * (width / length if length > 0.0 else 0.0)
    s = np.concatenate([[0.0], np.linspace(0.15, 0.85, 12), [1.0]])
    side = np.concatenate([[0.0, 0.0], np.tile([1.0, -1.0], 5), [0.0, 0.0]])
    return np.asarray(a + s[:, None] * along + side[:, None] * across)

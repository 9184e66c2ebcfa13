"""Which part of the plane a picture shows, and how large it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.instant import Instant
from nsmb.pictures.scene import Outline
from nsmb.pictures.subjects import contact_frames, scene_of

if TYPE_CHECKING:
    from nsmb.pictures.subjects import Subject

__all__ = ["View", "center_of", "figure_size", "view_of"]

Floats = NDArray[np.float64]

_MARGIN = 0.08  # of the size of the picture
_LONGEST, _SHORTEST = 5.6, 2.2  # inches, sides of the axes


@dataclass(frozen=True)
class View:
    """Part of the x-y plane, m."""

    x: tuple[float, float]
    y: tuple[float, float]

    @property
    def size(self) -> float:
        """m, the longer side."""
        return max(self.x[1] - self.x[0], self.y[1] - self.y[0])

    def shifted(self, x: float, y: float) -> View:
        """The same view from elsewhere."""
        return View((self.x[0] + x, self.x[1] + x), (self.y[0] + y, self.y[1] + y))


def view_of(system: Subject, instants: Sequence[Instant], follow: str | None = None) -> View:
    """What has to be seen: bodies, their contacts, and the ground near them.

    With `follow`, the name of a body, relative to the centre of that body.
    """
    scene = scene_of(system)
    moving, starts, ends = [], [np.empty((0, 2))], [np.empty((0, 2))]
    for now in instants:
        outlines = scene.outlines(now.t, now.q)
        shift = center_of(outlines, follow) if follow is not None else np.zeros(2)
        places = [outline.points[:, :2] for outline in outlines if not outline.is_ground]
        frames = [f for f in contact_frames(system, now.t, now.q) if f is not None]
        places += [np.asarray(f.point, dtype=np.float64)[None, :2] for f in frames]
        places += [end[None, :2] for pair in scene.springs_at(now.t, now.q) for end in pair]
        moving += [place - shift for place in places]
        for outline in outlines:
            if outline.is_ground:
                points = _corners(outline) - shift
                starts.append(points if outline.closed or len(points) == 1 else points[:-1])
                ends.append(np.roll(points, -1, axis=0)[: len(starts[-1])])
    start, end = np.vstack(starts), np.vstack(ends)
    seen = np.vstack(moving) if moving else start
    if len(seen) == 0:
        raise ValueError(
            f"system.scene: expected something to draw, got no outline, contact or spring in "
            f"{system.name!r}; give bodies outlines (Body.outline) before building it, or set "
            "system.scene"
        )
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = float((high - low).max()) or 1.0
    seen = np.vstack([low, high, _near(start, end, low, high, 0.3 * size)])
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = float((high - low).max()) or 1.0
    missing = np.maximum(0.0, 0.35 * size - (high - low)) / 2.0 + _MARGIN * size
    low, high = low - missing, high + missing
    return View((float(low[0]), float(high[0])), (float(low[1]), float(high[1])))


def _corners(outline: Outline) -> Floats:
    """Points (n, 2) of an outline without those on straight lines between others."""
    points = outline.points[:, :2]
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    sizes = np.hypot(*before.T) * np.hypot(*after.T)
    bends = (np.abs(turn) > 1e-9 * sizes) | ((before * after).sum(axis=1) < 0.0)
    if not outline.closed:
        bends[[0, -1]] = True
    return np.asarray(points[bends] if bends.any() else points)


def _near(start: Floats, end: Floats, low: Floats, high: Floats, reach: float) -> Floats:
    """Corners of the ground within `reach` of the box, and of edges that pass by the part next to
    its lower left corner, so that long edges do not widen the view."""
    least, most = low - reach, high + reach
    corners = start[((start >= least) & (start <= most)).all(axis=1)]
    step = end - start
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (least - start) / step, (most - start) / step
    outside = (start < least) | (start > most)
    still = step == 0.0
    enter = np.where(still, np.where(outside, np.inf, -np.inf), np.minimum(a, b)).max(axis=1)
    leave = np.where(still, np.inf, np.maximum(a, b)).min(axis=1)
    enter, leave = np.maximum(enter, 0.0), np.minimum(leave, 1.0)
    passes = enter <= leave
    p = start[passes] + enter[passes, None] * step[passes]
    q = start[passes] + leave[passes, None] * step[passes]
    return np.vstack([corners, np.clip(low, np.minimum(p, q), np.maximum(p, q))])


def center_of(outlines: Sequence[Outline], body: str) -> Floats:
    """(2,) m, middle of the corners of a body."""
    points = [outline.points[:, :2] for outline in outlines if outline.body == body]
    if not points:
        names = ", ".join(dict.fromkeys(outline.body for outline in outlines))
        raise ValueError(f"body: expected one of {names}, got {body!r}")
    corners = np.vstack(points)
    return np.asarray(corners.mean(axis=0))


def figure_size(view: View, has_legend: bool) -> tuple[float, float]:
    """Inches, for axes of the shape of the view, with labels and legend beside."""
    width, height = view.x[1] - view.x[0], view.y[1] - view.y[0]
    scale = _LONGEST / view.size
    return (
        max(scale * width, _SHORTEST) + 0.8 + (1.3 if has_legend else 0.0),
        max(scale * height, _SHORTEST) + 0.8,
    )

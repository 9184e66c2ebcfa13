"""The plane and region that a figure shows, its size, and the scale of its arrows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.instant import FoundForces, Instant
from nsmb.pictures.plane import OBLIQUE, XY, Plane, plane_of
from nsmb.pictures.scene import ContactFrame, Outline, Scene
from nsmb.pictures.solids import Ground
from nsmb.pictures.subjects import contact_frames, is_solid, scene_of

if TYPE_CHECKING:
    from nsmb.pictures.subjects import Subject

__all__ = ["View", "center_of", "contact_forces", "figure_size", "half_lines", "view_of"]

Floats = NDArray[np.float64]

_MARGIN = 0.08  # relative to the size of the figure
_LONGEST, _SHORTEST = 5.6, 2.2  # inches, sides of the axes
_ARROW = 0.28  # arrow of the largest force, relative to the size of the figure
_AROUND = 0.15  # ground around solids, relative to their size
_UPRIGHT = 1.0 - 1e-6  # cosine of a plane along two axes
_TOGETHER = 100_000  # positions and edges that are evaluated together
_FAR = 60.0  # distance beyond which ground is omitted, relative to the size of moving parts


@dataclass(frozen=True, eq=False)
class View:
    """A region of a plane, m."""

    x: tuple[float, float]
    y: tuple[float, float]
    plane: Plane = XY
    box: Floats | None = None
    """Lower and upper corner of a box in space, shape (2, 3), m; for solids only."""

    @property
    def size(self) -> float:
        """Length of the longer side, m."""
        return max(self.x[1] - self.x[0], self.y[1] - self.y[0])

    def shifted(self, x: float, y: float) -> View:
        """Return the shifted view."""
        moved = (self.x[0] + x, self.x[1] + x), (self.y[0] + y, self.y[1] + y)
        return View(*moved, self.plane, self.box)


def view_of(
    system: Subject,
    instants: Sequence[Instant],
    follow: str | None = None,
    *,
    forces: bool = False,
    solids: bool = False,
) -> tuple[View, float | None]:
    """Return the view of bodies, contacts, nearby ground and force arrows.

    With `follow`, the name of a body, the view is relative to the centre of that body. With
    `solids`, it includes solids.

    Returns
    -------
    View
    float or None
        N per metre of arrow, as 1, 2 or 5 times a power of ten; None without forces.
    """
    if is_solid(system):
        return _solid_view(system, instants, follow, forces)
    scene = scene_of(system)
    plane = plane_of(system, instants)
    moving, starts, ends = [], [np.empty((0, 2))], [np.empty((0, 2))]
    shifts: list[Floats] = []
    endless: list[Floats] = []
    for now in instants:
        outlines = scene.outlines(now.t, now.q)
        shift = center_of(outlines, follow, plane) if follow is not None else np.zeros(2)
        shifts.append(shift)
        places = [
            plane.of(outline.points)
            for outline in outlines
            if not outline.is_ground and not outline.is_endless
        ]
        endless += [plane.of(o.points) - shift for o in outlines if o.is_endless]
        frames = [f for f in contact_frames(system, now.t, now.q) if f is not None]
        places += [plane.of(np.asarray(f.point, dtype=np.float64))[None] for f in frames]
        links = scene.springs_at(now.t, now.q)
        places += [plane.of(end)[None] for pair in links for end in pair]
        places += [plane.of(scene.joints_at(now.t, now.q))]
        places += [plane.of(scene.solids_at(now.t, now.q))] if solids else []
        moving += [place - shift for place in places if place.size]
        for outline in outlines:
            if outline.is_ground:
                points = _corners(plane.outline(outline), outline.closed) - shift
                starts.append(points if outline.closed or len(points) == 1 else points[:-1])
                ends.append(np.roll(points, -1, axis=0)[: len(starts[-1])])
    start, end = np.vstack(starts), np.vstack(ends)
    seen = np.vstack(moving) if moving else start
    if len(seen) == 0 and endless:
        seen = np.vstack(endless)
    if len(seen) == 0:
        raise ValueError(
            f"system.scene: expected something to draw, got no outline, contact or spring in "
            f"{system.name!r}; give bodies outlines (Body.outline) before building it, or set "
            "system.scene"
        )
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = float((high - low).max()) or 1.0
    if len(start):
        seen = np.vstack([low, high, _nearest(start, end, seen, _FAR * size)])
        low, high = seen.min(axis=0), seen.max(axis=0)
        size = float((high - low).max()) or 1.0
    seen = np.vstack([low, high, _near(start, end, low, high, 0.3 * size)])
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = float((high - low).max()) or 1.0
    scale = _force_scale(instants, size) if forces else None
    if scale is not None:
        tips = [
            tip - shift
            for now, shift in zip(instants, shifts, strict=True)
            for tip in _tips(system, now, plane, scale)
        ]
        seen = np.vstack([low, high, *tips])
        low, high = seen.min(axis=0), seen.max(axis=0)
        size = float((high - low).max())
    missing = np.maximum(0.0, 0.35 * size - (high - low)) / 2.0 + _MARGIN * size
    low, high = low - missing, high + missing
    return View((float(low[0]), float(high[0])), (float(low[1]), float(high[1])), plane), scale


def _solid_view(
    system: Subject, instants: Sequence[Instant], follow: str | None, forces: bool
) -> tuple[View, float | None]:
    """Return the oblique view of all solids and the nearby ground."""
    scene = scene_of(system)
    corners = [_bounded(scene, now) for now in instants]
    low, high = np.vstack(corners).min(axis=0), np.vstack(corners).max(axis=0)
    size = float((high - low).max())
    box = np.array([low - _AROUND * size, high + _AROUND * size * np.array([1.0, 1.0, 0.0])])
    poses = scene.poses(instants[0].t, instants[0].q)
    for solid in scene.solids:
        if not isinstance(solid.shape, Ground):
            continue
        r, A = poses[solid.marker]
        axis = int(np.argmax(np.abs(A[:, 2])))
        side = 0 if A[axis, 2] > 0.0 else 1  # side of the box that the ground may bound
        if abs(A[axis, 2]) > _UPRIGHT and abs(r[axis] - box[side, axis]) <= _FAR * size:
            box[side, axis] = r[axis]
    shifts = [np.zeros(2)]
    seen = [box[list(k), [0, 1, 2]] for k in np.ndindex(2, 2, 2)]
    places = OBLIQUE.of(np.array(seen))
    if follow is not None:
        shifts = [center_of(scene.outlines(now.t, now.q), follow, OBLIQUE) for now in instants]
        moved = zip(corners, shifts, strict=True)
        places = np.vstack([OBLIQUE.of(points) - shift for points, shift in moved])
    (x0, y0), (x1, y1) = places.min(axis=0), places.max(axis=0)
    view = View((float(x0), float(x1)), (float(y0), float(y1)), OBLIQUE, box)
    return view, _force_scale(instants, view.size) if forces else None


def _bounded(scene: Scene, now: Instant) -> Floats:
    """Return the corners of the boxes around all bounded solids, shape (n, 3)."""
    corners = scene.solids_at(now.t, now.q).reshape(len(scene.solids), -1, 3)
    ends = [not isinstance(solid.shape, Ground) for solid in scene.solids]
    return np.asarray(corners[np.array(ends)].reshape(-1, 3))


def _force_scale(instants: Sequence[Instant], size: float) -> float | None:
    forces = [now.largest_force for now in instants]
    largest = max(forces, default=0.0)
    if any(now.found is not None for now in instants) and largest > 0.0:
        largest = float(np.median([force for force in forces if force > 0.0]))  # no outliers
    if largest == 0.0:
        return None
    least = largest / (_ARROW * size)
    power = 10.0 ** np.floor(np.log10(least))
    return float(next((f for f in (1.0, 2.0, 5.0) if f * power >= least), 10.0) * power)


def half_lines(found: FoundForces, scale: float, size: float) -> Floats:
    """Return vectors from contacts to one end of their force lines, shape (n, 3), m.

    Long lines, as of impacts in an animation, are cut off.
    """
    half = found.force / (2.0 * scale)
    length = np.linalg.norm(half, axis=1)
    cut = np.minimum(1.0, np.divide(_ARROW * size, length, where=length > 0.0, out=length + 1.0))
    return np.asarray(half * cut[:, None])


def _tips(system: Subject, now: Instant, plane: Plane, scale: float) -> list[Floats]:
    """Return the end points of arrows, each of shape (2,), m."""
    if now.found is not None:
        return list(plane.of(now.found.point))
    frames = contact_frames(system, now.t, now.q)
    return [
        plane.of(np.asarray(frame.point, dtype=np.float64)) + force / scale
        for i, frame in enumerate(frames)
        if frame is not None
        for _, force in contact_forces(system, now, i, frame, plane)
    ]


def contact_forces(
    system: Subject, now: Instant, i: int, frame: ContactFrame, plane: Plane
) -> list[tuple[str, Floats]]:
    """Return kind ("normal" or "friction") and projected force (2,) in N for contact `i`.

    For two tangential directions, the frame gives the first one.
    """
    if now.lambda_N is None or now.lambda_T is None:
        return []
    contact = system.contacts[i]
    found = []
    if contact.is_unilateral:
        normal = plane.of(np.asarray(frame.normal, dtype=np.float64))
        found.append(("normal", normal * now.lambda_N[i]))
    if contact.tangents:
        row = sum(other.tangents for other in system.contacts[:i])
        tangent = plane.of(np.asarray(frame.tangent, dtype=np.float64))
        found.append(("friction", tangent * now.lambda_T[row]))
    return found


def _corners(points: Floats, closed: bool) -> Floats:
    """Return the points (n, 2) of an outline without points on straight lines between others."""
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    sizes = np.hypot(*before.T) * np.hypot(*after.T)
    bends = (np.abs(turn) > 1e-9 * sizes) | ((before * after).sum(axis=1) < 0.0)
    if not closed:
        bends[[0, -1]] = True
    return np.asarray(points[bends] if bends.any() else points)


def _nearest(start: Floats, end: Floats, places: Floats, reach: float) -> Floats:
    """Return the point of the ground closest to any of `places`, empty if beyond `reach`.

    It keeps ground in view onto which bodies fall or against which they swing.
    """
    step = end - start
    squares = (step**2).sum(axis=1)
    best, found = reach, np.zeros((0, 2))
    _, first = np.unique(np.hstack([start, end]), axis=0, return_index=True)
    start, step, squares = (table[np.sort(first)] for table in (start, step, squares))
    lengths = np.where(squares > 0.0, squares, 1.0)
    for part in np.array_split(places, max(1, places.shape[0] * len(start) // _TOGETHER)):
        away = part[:, None] - start
        s = np.clip((away * step).sum(axis=2) / lengths, 0.0, 1.0)
        off = s[:, :, None] * step - away
        distances = np.hypot(off[..., 0], off[..., 1])
        i, k = np.unravel_index(int(np.argmin(distances)), distances.shape)
        if distances[i, k] < best:
            best, found = float(distances[i, k]), (part[i] + off[i, k])[None]
    return found


def _near(start: Floats, end: Floats, low: Floats, high: Floats, reach: float) -> Floats:
    """Return corners of the ground within `reach` of the box, and points on edges that pass by.

    On a passing edge it is the point closest to the lower left corner, so that long edges do not
    widen the view.
    """
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


def center_of(outlines: Sequence[Outline], body: str, plane: Plane = XY) -> Floats:
    """Return the mean of the corners of a body, shape (2,), m."""
    points = [plane.of(outline.points) for outline in outlines if outline.body == body]
    if not points:
        names = ", ".join(dict.fromkeys(outline.body for outline in outlines))
        raise ValueError(f"body: expected one of {names}, got {body!r}")
    corners = np.vstack(points)
    return np.asarray(corners.mean(axis=0))


def figure_size(view: View, has_legend: bool) -> tuple[float, float]:
    """Return the size of a figure with axes of the shape of the view, labels and legend, inches."""
    width, height = view.x[1] - view.x[0], view.y[1] - view.y[0]
    scale = _LONGEST / view.size
    return (
        max(scale * width, _SHORTEST) + 0.8 + (1.3 if has_legend else 0.0),
        max(scale * height, _SHORTEST) + 0.8,
    )

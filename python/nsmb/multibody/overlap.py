"""Overlap of two outlines that is too deep for the search of contact points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.geometry.contours.base import Contour
from nsmb.geometry.contours.curves import Line
from nsmb.geometry.contours.involutes import GearTeeth

__all__ = ["Region", "overlap", "region"]

Array = NDArray[np.float64]
Placed = tuple[Contour, Array, Array]
"""Contour, origin (2,) and axes (2, 2) of its frame in the plane of the contact."""

_POINTS = 400  # per curve; polygons have their corners
_BLOCK = 1 << 20  # pairs of edges processed together
_FAR = 1e3  # m, for an infinite contour
_ROUNDING = 1e-9  # of the size of the outline


@dataclass(frozen=True, eq=False)
class Region:
    """An outline in the plane, and the material bounded by it."""

    points: Array
    """Points (n, 2); a closed outline repeats the first point at the end."""
    kind: str
    """closed: material inside; hole: material outside; line: material on the left; open: none."""
    error: float
    """Maximum distance of the polygon of points from the curve, m."""
    holes: tuple[Array, ...] = ()
    """Holes of the same body, without material."""

    @property
    def size(self) -> float:
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))


def region(contour: Placed, others: Sequence[Placed]) -> Region:
    """Return the region of a contour; `others` are all contours of the same body."""
    points, kind, error = _outline(contour)
    holes = []
    if kind == "closed":
        outlines = (_outline(other) for other in others)
        holes = [inner for inner, other, _ in outlines if other == "hole"]
    return Region(points, kind, error, tuple(holes))


def _outline(placed: Placed) -> tuple[Array, str, float]:
    contour, r, A = placed
    if isinstance(contour, Line):
        return r + contour.points(2, _FAR) @ A.T, "line", 0.0
    local = contour.points(_POINTS)
    error = 4.0 * contour.sagitta(_POINTS) if isinstance(contour, GearTeeth) else 0.0
    if len(local) == _POINTS and not hasattr(contour, "corners"):
        middle = 0.5 * (local[:-2] + local[2:])
        # This is four times the sagitta of an edge.
        error = float(np.linalg.norm(local[1:-1] - middle, axis=1).max(initial=0.0))
    size = float(np.linalg.norm(np.ptp(local, axis=0)))
    closed = len(local) > 3 and bool(np.linalg.norm(local[0] - local[-1]) <= 1e-9 * size)
    kind = "open"
    if closed:
        local = np.vstack([local[:-1], local[:1]])
        x, y = local[:-1].T
        turns_left = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) > 0.0
        kind = "closed" if turns_left else "hole"
    return r + local @ A.T, kind, error


def overlap(first: Region, second: Region) -> float:
    """Return a lower bound of the penetration depth, m; 0 if bodies are apart or only touch."""
    least = first.error + second.error
    least += _ROUNDING * (_extent(first) + _extent(second))
    depth = max(_depth(first, second), _depth(second, first))
    if "closed" == first.kind == second.kind:  # equal outlines on each other
        for middle in (_center(first), _center(second)):
            depth = max(depth, float(np.minimum(_into(first, middle), _into(second, middle))[0]))
    return depth if depth > least else 0.0


def _extent(one: Region) -> float:
    return 0.0 if one.kind == "line" else one.size


def _center(one: Region) -> Array:
    return np.asarray(one.points[:-1].mean(axis=0, keepdims=True))


def _depth(outline: Region, body: Region) -> float:
    """Return how deep the outline penetrates the body."""
    if body.kind == "open" or outline.kind == "line":
        return 0.0
    if body.kind == "line":
        return float(_into(body, outline.points).max(initial=0.0))
    low, high = body.points.min(axis=0), body.points.max(axis=0)
    places, crosses = _pieces(outline.points, body.points, low, high)
    if body.kind == "hole" and not crosses:  # outside a ring, or a plate with a hole
        return 0.0
    if body.kind == "closed":
        places = places[((places > low) & (places < high)).all(axis=1)]
    return float(_into(body, places).max(initial=0.0))


def _into(body: Region, places: Array) -> Array:
    """Return depths (n,) in the material, negative or 0 outside."""
    if body.kind == "line":
        along = body.points[1] - body.points[0]
        left = np.array([-along[1], along[0]]) / np.linalg.norm(along)
        return np.asarray((places - body.points[0]) @ left)
    result = np.array(_signed(body.points, places))
    if body.kind == "hole":
        return -result
    for hole in body.holes:
        result = np.minimum(result, -_signed(hole, places))
    return result


def _signed(polygon: Array, places: Array) -> Array:
    """Return distances (n,) from the boundary, positive inside."""
    a, step = polygon[:-1], np.diff(polygon, axis=0)
    result = np.empty(len(places))
    rows = max(1, _BLOCK // len(a))
    for begin in range(0, len(places), rows):
        p = places[begin : begin + rows, None, :]
        x, y = np.moveaxis(p - a, 2, 0)
        length = np.maximum((step**2).sum(axis=1), np.finfo(float).tiny)
        s = np.clip((x * step[:, 0] + y * step[:, 1]) / length, 0.0, 1.0)
        distance = np.hypot(x - s * step[:, 0], y - s * step[:, 1]).min(axis=1)
        # Adjacent edges agree on their common corner, however flat they are.
        above, ends_above = y < 0.0, p[..., 1] - polygon[1:, 1] < 0.0
        left = (x * step[:, 1] - y * step[:, 0]) * np.sign(step[:, 1]) < 0.0
        inside = ((above != ends_above) & left).sum(axis=1) % 2 == 1
        result[begin : begin + rows] = np.where(inside, distance, -distance)
    return result


def _pieces(outline: Array, other: Array, low: Array, high: Array) -> tuple[Array, bool]:
    """Return the corners of an outline, and midpoints of its edges cut by `other`.

    Also return whether the two cross.

    `low` and `high` bound the other outline.
    """
    a = outline if len(outline) == 1 else outline[:-1]
    step = np.zeros((1, 2)) if len(outline) == 1 else np.diff(outline, axis=0)
    c, way = other[:-1], np.diff(other, axis=0)
    near = ((np.minimum(a, a + step) <= high) & (np.maximum(a, a + step) >= low)).all(axis=1)
    if not near.any():
        return np.zeros((0, 2)), False
    a, step = a[near], step[near]
    places = [outline, a + 0.5 * step]
    crosses = False
    rows = max(1, _BLOCK // len(c))
    for begin in range(0, len(a), rows):
        p, d = a[begin : begin + rows, None], step[begin : begin + rows, None]
        area = d[..., 0] * way[:, 1] - d[..., 1] * way[:, 0]
        x, y = np.moveaxis(c - p, 2, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            s = (x * way[:, 1] - y * way[:, 0]) / area
            at_other = (x * d[..., 1] - y * d[..., 0]) / area
        cuts = (s > 0.0) & (s < 1.0) & (at_other >= 0.0) & (at_other <= 1.0)
        for i in np.flatnonzero(cuts.any(axis=1)):
            crosses = True
            ends = np.concatenate([[0.0], np.sort(s[i, cuts[i]]), [1.0]])
            middles = 0.5 * (ends[:-1] + ends[1:])
            places.append(p[i] + middles[:, None] * d[i])
    return np.vstack(places), crosses

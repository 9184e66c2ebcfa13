"""Defaults for the search of contact points between contours."""

from __future__ import annotations

import numpy as np

from nsmb.geometry.contours.base import Contour
from nsmb.geometry.contours.curves import Circle, Point
from nsmb.geometry.contours.involutes import GearTeeth
from nsmb.geometry.contours.polygons import Polygon, Polyline

__all__ = [
    "can_touch",
    "contact_points",
    "is_permanent",
    "is_straight",
    "search_distance",
    "skin",
    "thickness",
]

_SEARCH = 0.1  # fraction of the smaller contour
_PART_OF_PITCH = 0.25  # fraction of the base pitch, between two gears
_LEAST_POINTS = 8  # two boxes lie flat on each other with four points, in a corner with more
_MOST_POINTS = 64


def _has_one_feature(contour: Contour) -> bool:
    core = contour._core
    endless = core.pieces == 1 and bool(np.isinf(core.range(0)[:2]).all())
    return contour.features == 1 or endless


def _curvatures(contour: Contour) -> np.ndarray:
    """Return the curvatures at some points of each piece."""
    core = contour._core
    if isinstance(getattr(core, "points", None), np.ndarray):  # straight edges
        return np.zeros(1)
    values = []
    for piece in range(core.pieces):
        begin, end, _ = core.range(piece)
        low, high = max(begin, -1e3), min(end, 1e3)
        values.append(core.at(piece, np.linspace(low, high, 65))["kappa"])
    return np.concatenate(values) if values else np.zeros(0)


def is_straight(contour: Contour) -> bool:
    """Return True if no point of the contour is curved, and False for a point."""
    kappa = _curvatures(contour)
    return kappa.size > 0 and not kappa.any()


def _is_convex(contour: Contour) -> bool:
    return bool((_curvatures(contour) >= 0.0).all())


def can_touch(first: Contour, second: Contour) -> bool:
    """Return True if some features of the two contours can touch."""
    if first._core.pieces == 0 or second._core.pieces == 0:
        return first._core.pieces + second._core.pieces > 0
    vertices = first._core.vertices + second._core.vertices
    return vertices > 0 or not (is_straight(first) and is_straight(second))


def is_permanent(first: Contour, second: Contour) -> bool:
    """Return True if there is one contact point, whatever the poses."""
    one = _has_one_feature(first) and _has_one_feature(second)
    return one and _is_convex(first) and _is_convex(second)


def contact_points(first: Contour, second: Contour, nodes: int = 0) -> int:
    """Return the default number of contact points; `nodes` are those of deforming contours."""
    if isinstance(first, GearTeeth) and isinstance(second, GearTeeth):
        # Count pairs of teeth that fit on the shorter flank, plus an approaching pair, on both
        # sides.
        pairs = min(
            gear.base_radius * (gear.rolls[1] - gear.rolls[0]) / gear.base_pitch
            for gear in (first, second)
        )
        return 2 * (int(pairs) + 2)
    if nodes:  # any node may touch, and two do where one passes from piece to piece
        return min(nodes + 2, _MOST_POINTS)
    if is_permanent(first, second):
        return 1
    polygons = [c for c in (first, second) if isinstance(c, Polygon | Polyline)]
    corners = _convex_corners(min(polygons, key=_size)) if polygons else 0
    usual = min(max(corners, _LEAST_POINTS), _MOST_POINTS)
    return min(usual, _pairs_of_features(first, second), _pairs_of_features(second, first))


def _pairs_of_features(round_one: Contour, straight: Contour) -> int:
    """Return the number of contact points of a point or disc with straight pieces.

    Each pair of features has at most one. For other contours, return the maximum number.
    """
    of_circle = isinstance(round_one, Circle) and round_one.radius > 0.0
    if not (of_circle or isinstance(round_one, Point)) or not is_straight(straight):
        return _MOST_POINTS
    # Vertices do not touch vertices.
    return straight._core.pieces + (straight._core.vertices if of_circle else 0)


def _convex_corners(contour: Polygon | Polyline) -> int:
    """Count the corners that can lie on an edge at once, including the ends of an open chain."""
    points = np.asarray(contour.corners)
    if isinstance(contour, Polygon):
        points = np.vstack([points[-1:], points, points[:1]])
    x, y = np.diff(points, axis=0).T
    turns = int(np.sum(x[:-1] * y[1:] - y[:-1] * x[1:] > 0.0))
    return turns if isinstance(contour, Polygon) else turns + 2


def _size(contour: Contour) -> float:
    """Return the largest extension, infinite for an infinite contour."""
    core = contour._core
    if core.pieces == 0:
        return 0.0
    begin, end, _ = core.range(0)
    if not np.isfinite(end - begin):
        return np.inf
    return float(np.linalg.norm(np.ptp(contour.points(), axis=0)))


def _of_pitch(first: Contour, second: Contour) -> float:
    """Return the search distance and skin of gears, less than the base pitch between flanks."""
    pitches = [gear.base_pitch for gear in (first, second) if isinstance(gear, GearTeeth)]
    return _PART_OF_PITCH * min(pitches)


def search_distance(first: Contour, second: Contour) -> float:
    """Return the distance within which candidates are searched, m."""
    if isinstance(first, GearTeeth) and isinstance(second, GearTeeth):
        return _of_pitch(first, second)
    sizes = [s for s in (_size(first), _size(second)) if 0.0 < s < np.inf]
    sizes = sizes or [s for s in (first._core.size, second._core.size) if 0.0 < s < np.inf]
    return _SEARCH * min(sizes, default=1.0)


def thickness(contour: Contour) -> float:
    """Return the smallest width of the convex hull, m; infinite for infinite contours and holes."""
    core = contour._core
    if core.pieces == 0 or not np.isfinite(_size(contour)):
        return np.inf
    points = contour.points()
    if not np.allclose(points[0], points[-1], rtol=0, atol=1e-9 * _size(contour)):
        return _size(contour)
    x, y = points[:-1].T
    if float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) < 0.0:  # a hole, traversed clockwise
        return np.inf
    edges = np.diff(points, axis=0)
    edges = edges[np.linalg.norm(edges, axis=1) > 0.0]
    edges = edges[:: max(1, len(edges) // 200)]
    normals = np.column_stack([-edges[:, 1], edges[:, 0]])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return float(np.ptp(points @ normals.T, axis=0).min())


def skin(first: Contour, second: Contour) -> float:
    """Return the maximum penetration accepted as a contact, m."""
    if isinstance(first, GearTeeth) and isinstance(second, GearTeeth):
        return _of_pitch(first, second)
    thinner = min(thickness(first), thickness(second))
    return 0.5 * thinner if np.isfinite(thinner) else search_distance(first, second)

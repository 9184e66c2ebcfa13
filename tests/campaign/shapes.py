"""Distances of discs, polygons and half planes in NumPy, vectorised over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.overlaps import common_part

Array = NDArray[np.float64]


# Numbering of points: sides of a polygon, points of a corner, and those of the second body.
MOST_SIDES, STEP, FIRST = 100, 300, 120_000


@dataclass
class Touching:
    """The points where two bodies are close at one time."""

    point: Array
    """Points, shape (c, 2)."""
    normal: Array
    """Normals out of the first body, shape (c, 2)."""
    gap: Array
    """Gaps, shape (c,)."""
    corner: Array
    """Index of the point, shape (c,). A corner at a convex corner is one point on all sides."""


def placed(outline: Array, q: Array) -> Array:
    """Return corners of a body, shape (m, a, 2), at x, y, angle, shape (m, 3)."""
    c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
    turn = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    return np.asarray(np.einsum("mij,aj->mai", turn, outline) + q[:, None, :2])


def signed_distance(points: Array, polygon: Array) -> Array:
    """Return distances (m, p) of points (m, p, 2) to polygons (m, b, 2), negative inside."""
    a, b = polygon, np.roll(polygon, -1, axis=1)
    edge = (b - a)[:, None]
    arm = points[:, :, None] - a[:, None]
    share = np.clip((arm * edge).sum(-1) / (edge * edge).sum(-1), 0.0, 1.0)
    distance = np.linalg.norm(arm - share[..., None] * edge, axis=-1).min(-1)
    y = points[:, :, None, 1]
    y0, y1 = a[:, None, :, 1], b[:, None, :, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        x = a[:, None, :, 0] + (y - y0) / (y1 - y0) * (b - a)[:, None, :, 0]
    crosses = ((y0 > y) != (y1 > y)) & (points[:, :, None, 0] < x)
    return np.where(crosses.sum(-1) % 2 == 1, -distance, distance)


def penetration(first: Any, q1: Array | None, second: Any, q2: Array) -> Array:
    """Return the depth of the second body, disc or polygon, in the first, shape (m,).

    The first body may be the ground. For two polygons it is the depth of corners. `crossing` finds
    overlaps without a corner inside.
    """
    if q1 is None:  # a half plane
        normal = np.asarray(first["normal"], float)
        if isinstance(second, float):
            return np.asarray(second - (q2[:, :2] - first["point"]) @ normal)
        return np.asarray(-((placed(second, q2) - first["point"]) @ normal).min(axis=1))
    if isinstance(first, float) and isinstance(second, float):
        return np.asarray(first + second - np.linalg.norm(q2[:, :2] - q1[:, :2], axis=1))
    if isinstance(first, float):
        return penetration(second, q2, first, q1)
    if isinstance(second, float):
        return np.asarray(second - signed_distance(q2[:, None, :2], placed(first, q1))[:, 0])
    A, B = placed(first, q1), placed(second, q2)
    depth = np.maximum(-signed_distance(B, A).min(axis=1), -signed_distance(A, B).min(axis=1))
    return np.asarray(depth)


def crossing(first: Array, q1: Array, second: Array, q2: Array) -> float:
    """Return the common area at one time."""
    from shapely.geometry import Polygon

    one = Polygon(placed(first, q1[None])[0])
    return float(common_part(one, Polygon(placed(second, q2[None])[0])).area)


def touching(
    first: Any, q1: Array | None, second: Any, q2: Array, reach: float, inside: float = -1e-6
) -> Touching:
    """Return points nearer than `reach` at one time: corners over edges, discs over any shape.

    `inside` is the margin by which a corner must lie within the ends of an edge. Two touching
    corners have no unique normal, so that either edge may act.
    """
    found: list[tuple[Array, Array, float, int]] = []
    if q1 is None:
        n = np.asarray(first["normal"], float)
        corners = (
            q2[None, :2] - second * n if isinstance(second, float) else placed(second, q2[None])[0]
        )
        for k, p in enumerate(corners):
            found.append((p, n, float((p - first["point"]) @ n), k))
    elif isinstance(first, float) and isinstance(second, float):
        arm = q2[:2] - q1[:2]
        d = float(np.linalg.norm(arm))
        found.append((q1[:2] + first * arm / d, arm / d, d - first - second, 0))
    elif isinstance(first, float):
        back = touching(second, q2, first, q1, reach, inside)
        return Touching(back.point, -back.normal, back.gap, back.corner)
    else:
        A = placed(first, q1[None])[0]
        if isinstance(second, float):
            found += _over(q2[None, :2], A, second, inside)
        else:
            B = placed(second, q2[None])[0]
            found += _over(B, A, 0.0, inside)
            found += [(p, -n, g, FIRST + k) for p, n, g, k in _over(A, B, 0.0, inside)]
    near = [f for f in found if abs(f[2]) < reach]
    if not near:
        return Touching(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0, int))
    return Touching(*(np.array(column) for column in zip(*near, strict=True)))


def _over(
    points: Array, polygon: Array, radius: float, inside: float
) -> list[tuple[Array, Array, float, int]]:
    """Return points, or centres of discs, outside of edges and corners of a polygon."""
    found = []
    a, b = polygon, np.roll(polygon, -1, axis=0)
    edges = b - a
    before = np.roll(edges, 1, axis=0)
    convex = before[:, 0] * edges[:, 1] - before[:, 1] * edges[:, 0] > 0.0
    for k, p in enumerate(points):
        for i in range(len(a)):
            edge = edges[i]
            length = float(np.linalg.norm(edge))
            outward = np.array([edge[1], -edge[0]]) / length
            height = float((p - a[i]) @ outward)
            along = float((p - a[i]) @ edge) / length
            least = inside if radius == 0.0 else max(inside, 0.0)
            if least <= along <= length - least:
                j = (i + 1) % len(a)
                place = MOST_SIDES + i
                if radius == 0.0 and convex[i] and along < -inside:
                    place = i
                elif radius == 0.0 and convex[j] and along > length + inside:
                    place = j
                found.append((p - radius * outward, outward, height - radius, place + STEP * k))
            arm = p - a[i]
            distance = float(np.linalg.norm(arm))
            if radius > 0.0 and distance > 0.0:
                place = 2 * MOST_SIDES + i + STEP * k
                found.append((a[i], arm / distance, distance - radius, place))
    return found

"""Distances to all triangles of a surface by brute force, and the side of a point."""

import numpy as np
from numpy.typing import NDArray

from tests.oracles.convex_distance import origin_to_triangles, signed_distance

Floats = NDArray[np.float64]


def distances(point: Floats, triangles: Floats) -> Floats:
    """Return distances (n,) of a point to triangles (n, 3, 3)."""
    return origin_to_triangles(triangles - point)


def winding(point: Floats, triangles: Floats) -> float:
    """Return the winding number, 1 inside a closed surface and 0 outside.

    It is the sum of solid angles of the triangles over 4π (van Oosterom and Strackee).
    """
    a, b, c = (triangles - point).transpose(1, 0, 2)
    x, y, z = (np.linalg.norm(p, axis=1) for p in (a, b, c))
    top = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
    return float(np.arctan2(top, x * y * z + ab * z + bc * x + ca * y).sum() / (2.0 * np.pi))


def height_over(point: Floats, triangles: Floats) -> Floats:
    """Return heights (n,) of a point over triangles, NaN where its projection is outside."""
    a, b, c = triangles.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    height = np.einsum("ij,ij->i", normal, point - a)
    foot = point - height[:, None] * normal
    inside = np.ones(len(a), dtype=bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(q - p, foot - p), normal) >= 0.0
    return np.where(inside, height, np.nan)


def height_at(point: Floats, triangles: Floats) -> float:
    """Return z of a surface without overhangs below or above a point."""
    a, b, c = triangles[..., :2].transpose(1, 0, 2)
    area = _cross(b - a, c - a)
    share = np.stack([_cross(b - point[:2], c - point[:2]), _cross(c - point[:2], a - point[:2])])
    share = np.vstack([share, area - share.sum(axis=0)]) / area
    k = int(np.argmax(share.min(axis=0)))
    return float(share[:, k] @ triangles[k, :, 2])


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def hull_distance(points: Floats, triangles: Floats) -> float:
    """Return the least signed distance of the hull of some points to triangles."""
    return min(signed_distance(points, triangle) for triangle in triangles)


def soup_distance(first: Floats, second: Floats) -> float:
    """Return the distance of disjoint triangles (n, 3, 3) and (m, 3, 3).

    Pairs are tried in the order of the distance of their bounding balls, until no other can be
    nearer.
    """
    centers = [triangles.mean(axis=1) for triangles in (first, second)]
    radii = [
        np.linalg.norm(triangles - center[:, None], axis=2).max(axis=1)
        for triangles, center in zip((first, second), centers, strict=True)
    ]
    apart = np.linalg.norm(centers[0][:, None] - centers[1], axis=2)
    apart -= radii[0][:, None] + radii[1]
    nearest = np.inf
    for k in np.argsort(apart, axis=None):
        i, j = np.unravel_index(k, apart.shape)
        if apart[i, j] > nearest:
            break
        nearest = min(nearest, signed_distance(first[i], second[j]))
    return float(nearest)

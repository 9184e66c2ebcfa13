"""The signed distance of two convex bodies from the hull of their Minkowski difference.

Bodies are rounded hulls of points: a sphere has one point, a capsule two. The distance is that of
the origin to the hull of all differences, facet by facet. If the origin is inside, the depth is the
least distance to the plane of a facet.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize
from scipy.spatial import ConvexHull, QhullError

Floats = NDArray[np.float64]


def signed_distance(a: Floats, b: Floats, rounding: float = 0.0) -> float:
    """Return the distance of the hulls of points (n, 3) and (m, 3), less `rounding`."""
    differences = (b[None, :, :] - a[:, None, :]).reshape(-1, 3)
    try:
        hull = ConvexHull(differences)
    except (QhullError, ValueError):
        return _flat_distance(differences) - rounding
    inside = float(hull.equations[:, 3].max())
    if inside <= 0.0:
        return inside - rounding
    triangles = differences[hull.simplices]
    return float(origin_to_triangles(triangles).min()) - rounding


def origin_to_triangles(triangles: Floats) -> Floats:
    """Return distances (n,) of the origin to triangles (n, 3, 3), by their planes or edges."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    unit = normal / np.where(length > 0.0, length, 1.0)[:, None]
    height = np.einsum("ij,ij->i", unit, a)
    foot = height[:, None] * unit
    inside = length > 0.0
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(q - p, foot - p), normal) >= 0.0
    edges = np.minimum(
        np.minimum(origin_to_segments(a, b), origin_to_segments(b, c)), origin_to_segments(c, a)
    )
    return np.where(inside, np.abs(height), edges)


def origin_to_segments(a: Floats, b: Floats) -> Floats:
    d = b - a
    square = np.einsum("ij,ij->i", d, d)
    s = -np.einsum("ij,ij->i", a, d) / np.where(square > 0.0, square, 1.0)
    return np.asarray(np.linalg.norm(a + np.clip(s, 0.0, 1.0)[:, None] * d, axis=1))


def _flat_distance(points: Floats) -> float:
    """Return the distance of the origin to a flat hull, by all triangles of its points."""
    n = len(points)
    if n == 1:
        return float(np.linalg.norm(points[0]))
    i, j = np.triu_indices(n, 1)
    least = float(origin_to_segments(points[i], points[j]).min())
    triples = [(i, j, k) for i in range(n) for j in range(i) for k in range(j)]
    if triples:
        least = min(least, float(origin_to_triangles(points[np.array(triples)]).min()))
    return least


def distance_by_programming(a: Floats, b: Floats) -> float:
    """Return the distance of two disjoint hulls by minimisation over convex combinations."""
    n, m = len(a), len(b)

    def square(w: Floats) -> float:
        d = w[n:] @ b - w[:n] @ a
        return float(d @ d)

    def slope(w: Floats) -> Floats:
        d = w[n:] @ b - w[:n] @ a
        return 2.0 * np.concatenate([-a @ d, b @ d])

    ones = np.zeros((2, n + m))
    ones[0, :n] = ones[1, n:] = 1.0
    start = np.concatenate([np.full(n, 1.0 / n), np.full(m, 1.0 / m)])
    result = minimize(
        square,
        start,
        jac=slope,
        bounds=[(0.0, 1.0)] * (n + m),
        constraints={"type": "eq", "fun": lambda w: ones @ w - 1.0, "jac": lambda w: ones},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-16},
    )
    return float(np.sqrt(max(result.fun, 0.0)))


def can_be_parted(a: Floats, b: Floats) -> bool:
    """Return True if a plane separates the points, by a linear programme."""
    rows = np.vstack(
        [np.column_stack([a, -np.ones(len(a))]), np.column_stack([-b, np.ones(len(b))])]
    )
    result = linprog(
        np.zeros(4),
        A_ub=rows,
        b_ub=-np.ones(len(rows)),
        bounds=[(None, None)] * 4,
        method="highs",
    )
    return bool(result.status == 0)


def cylinder_support(
    center: Floats, axis: Floats, radius: float, length: float
) -> Callable[[Floats], Floats]:
    """Return the support function max nᵀ p of a cylinder, for directions n (k, 3)."""

    def support(n: Floats) -> Floats:
        along = n @ axis
        across = np.linalg.norm(n - along[:, None] * axis, axis=1)
        return np.asarray(n @ center + radius * across + 0.5 * length * np.abs(along))

    return support


def points_support(points: Floats, rounding: float = 0.0) -> Callable[[Floats], Floats]:
    """Return the support function of the rounded hull of points (m, 3)."""
    return lambda n: np.asarray((n @ points.T).max(axis=1) + rounding)


def largest_gap(
    first: Callable[[Floats], Floats], second: Callable[[Floats], Floats], rng: np.random.Generator
) -> float:
    """Return the largest gap found by a random search, a lower bound of the distance."""

    def gap(n: Floats) -> Floats:
        return np.asarray(-second(-n) - first(n))

    n = rng.normal(size=(3000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    best = -np.inf
    for start in n[np.argsort(-gap(n))[:6]]:
        here, value, step = start, float(gap(start[None])[0]), 0.05
        while step > 1e-12:
            tries = here + step * rng.normal(size=(24, 3))
            tries /= np.linalg.norm(tries, axis=1)[:, None]
            values = gap(tries)
            k = int(values.argmax())
            if values[k] > value:
                here, value = tries[k], float(values[k])
            else:
                step *= 0.6
        best = max(best, value)
    return best

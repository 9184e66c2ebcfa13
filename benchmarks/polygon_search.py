"""Contact search of two polygons: cost over the number of points, and of brute force.

Two discs with rough rims touch; both have n points. Times are per placement. Brute force applies
the same exact tests to all pairs of edges. The distance is 1e-4 of the radius ("fixed") or a tenth
of the spacing of the points ("spacing").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import benchmark, exponents, timed
from nsmb._core import geometry

Floats = NDArray[np.float64]

SIZES = (100, 300, 1000, 3000, 10000, 30000, 100000)
BRUTE_UP_TO = 3000
PLACEMENTS = 50


def rim(n: int, rng: np.random.Generator) -> Floats:
    angle = 2.0 * np.pi * np.arange(n) / n
    radius = 1.0 + 0.3 / n * rng.uniform(-1.0, 1.0, n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def placements(rng: np.random.Generator, n: int, distance: float) -> tuple[Floats, Floats]:
    direction = rng.uniform(0.0, 2.0 * np.pi, PLACEMENTS)
    far = 2.0 + distance * rng.uniform(-0.5, 1.0, PLACEMENTS)
    first = np.column_stack([np.zeros((PLACEMENTS, 2)), rng.uniform(-3, 3, PLACEMENTS)])
    place = far[:, None] * np.column_stack([np.cos(direction), np.sin(direction)])
    return first, np.column_stack([place, rng.uniform(-3, 3, PLACEMENTS)])


def search(
    discs: list[geometry.Chain], poses: tuple[Floats, Floats], distance: float, use_tree: bool
) -> tuple[float, dict[str, Any]]:
    """Return seconds per search, and the results of the last placements."""
    found, seconds = timed(
        lambda: geometry.find_candidates(
            discs[0], poses[0], discs[1], poses[1], distance, distance, use_tree=use_tree
        ),
        repeats=5 if use_tree else 1,
    )
    return seconds / len(poses[0]), found


def size_row(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    points = [rim(n, rng) for _ in range(2)]
    discs, seconds = timed(lambda: [geometry.Chain(p, closed=True) for p in points])
    row: dict[str, Any] = {"n": n, "build": seconds / 2}
    for way, distance in (("fixed", 1e-4), ("spacing", 0.1 * 2.0 * np.pi / n)):
        poses = placements(rng, n, distance)
        row[way], found = search(discs, poses, distance, True)
        row[f"{way}_boxes"] = found["box_tests"] / PLACEMENTS
        row[f"{way}_points"] = found["point_tests"] / PLACEMENTS
        row[f"{way}_found"] = len(found["row"]) / PLACEMENTS
        if n <= BRUTE_UP_TO:
            few = max(1, min(PLACEMENTS, 1_000_000 // n**2))
            some = (poses[0][:few], poses[1][:few])
            row[f"{way}_brute"], everything = search(discs, some, distance, False)
            kept = found["row"] < few
            row[f"{way}_same"] = bool(
                np.array_equal(found["first"][kept], everything["first"])
                and np.array_equal(found["second"][kept], everything["second"])
            )
    return row


@benchmark("polygon_search", "Contacts of two polygons: tree of boxes beside all pairs of edges")
def measure(sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    rows = [size_row(n) for n in sizes]
    keys = ("build", "fixed", "spacing", "fixed_brute", "spacing_brute")
    return {"sizes": rows, "exponents": exponents(rows, keys)}

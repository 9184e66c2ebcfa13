"""Outlines as convex parts, and contacts of two outlines from their poses, against Shapely."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

from nsmb._core import geometry
from tests.geometry.shapes import Array, convex_polygon, placed, star_polygon
from tests.support.overlaps import common_part

SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
ELL = np.array([(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)])
HERE = (0.0, 0.0, 0.0)
RIGHT, LEFT = 2 * 1 + 1, 2 * 3 + 1  # features of a square


def chain(points: Any) -> geometry.Chain:
    return geometry.Chain(points, closed=True)


def touches(
    first: Any, pose_1: Any, second: Any, pose_2: Any, margin: float = 0.0
) -> dict[tuple[int, int], float]:
    """Return {features: g_N} at one pair of poses."""
    f = geometry.outline_touches(chain(first), [pose_1], chain(second), [pose_2], margin)
    return dict(zip(zip(f["first"], f["second"], strict=True), f["g_N"], strict=True))


def overlap(first: Any, pose_1: Any, second: Any, pose_2: Any) -> float:
    f = geometry.outline_touches(chain(first), [pose_1], chain(second), [pose_2], 0.0)
    return float(f["overlap"][0])


def edges_in_contact(found: dict[tuple[int, int], float]) -> set[tuple[int, int]]:
    """Return (body, edge) of each touch."""
    return {(1, a) if a % 2 else (2, b) for a, b in found}


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_convex_and_fill_the_polygon(seed: int) -> None:
    points = star_polygon(np.random.default_rng(seed), 3 + 2 * seed, 0.6)
    n = len(points)
    parts = geometry.outline_parts(chain(points))
    shapes = [shapely.Polygon(points[corners]) for corners in parts]
    assert sum(shape.area for shape in shapes) == pytest.approx(shapely.Polygon(points).area)
    for shape in shapes:
        assert shape.exterior.is_ccw
        assert shape.convex_hull.area == pytest.approx(shape.area, rel=1e-9)
    sides = [
        (a, b) for corners in parts for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    own = [side for side in sides if (side[0] + 1) % n == side[1]]
    assert sorted(own) == [(i, (i + 1) % n) for i in range(n)]
    cuts = set(sides) - set(own)
    assert {(b, a) for a, b in cuts} == cuts  # each cut has two sides


def test_a_convex_polygon_is_one_part() -> None:
    for corners in (3, 4, 7, 100):
        angles = 2.0 * np.pi * np.arange(corners) / corners
        points = np.column_stack([np.cos(angles), np.sin(angles)])
        assert geometry.outline_parts(chain(points)) == [list(range(corners))]
    assert geometry.outline_parts(chain([(0, 0), (1, 0), (2, 0), (2, 1), (0, 1)])) == [
        [0, 1, 2, 3, 4]
    ]


def test_holes_and_open_chains_have_no_parts() -> None:
    hole = geometry.Chain(SQUARE, closed=True, hole=True)
    for other in (hole, geometry.Chain(SQUARE, closed=False)):
        with pytest.raises(ValueError, match="chain: expected a closed polygon that is not a hole"):
            geometry.outline_parts(other)


@pytest.mark.parametrize("offset", [0.0, 0.5, -0.5, 1e-9, -1e-9, 1e-16, 0.3])
@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-12, 0.0])
@pytest.mark.parametrize("size", [1.0, 1e-6, 1e3])
def test_flush_sides_touch_whatever_rounding_says(offset: float, depth: float, size: float) -> None:
    """One square beside another one of the same height, slightly overlapping."""
    found = touches(
        size * SQUARE, HERE, size * SQUARE, (size * (1.0 - depth), size * offset, 0.0), 1e-15 * size
    )
    assert len(found) == 2
    assert edges_in_contact(found) <= {(1, RIGHT), (2, LEFT)}
    np.testing.assert_allclose(list(found.values()), -depth * size, atol=2e-16 * size)


def test_flush_boxes_on_one_floor_keep_their_corners_when_they_tremble() -> None:
    rng = np.random.default_rng(1)
    expected = touches(SQUARE, HERE, SQUARE, (1.0 - 1e-4, 0.0, 0.0)).keys()
    for _ in range(200):
        x, y, phi = rng.uniform(-1e-8, 1e-8, 3)
        assert touches(SQUARE, HERE, SQUARE, (1.0 - 1e-4 + x, y, phi)).keys() == expected


def test_a_box_in_a_concave_corner_touches_both_sides() -> None:
    found = touches(ELL, HERE, SQUARE, (1.0 - 1e-6, 1.0 - 1e-7, 0.0))
    sides = {edge for body, edge in edges_in_contact(found) if body == 1} | {
        {2 * 0 + 1: 2 * 2 + 1, LEFT: 2 * 3 + 1}[edge]
        for body, edge in edges_in_contact(found)
        if body == 2
    }
    assert sides == {2 * 2 + 1, 2 * 3 + 1}
    gaps = sorted(found.values())
    np.testing.assert_allclose(gaps, [-1e-6, -1e-6, -1e-7, -1e-7], rtol=1e-6)


def penetration(first: Array, second: Array) -> float:
    """Return the penetration of two convex polygons: least depth over the normals of all sides."""
    best = -np.inf
    for one, other in ((first, second), (second, first)):
        for a, b in zip(one, np.roll(one, -1, axis=0), strict=True):
            t = (b - a) / np.linalg.norm(b - a)
            best = max(best, float(np.min((other - a) @ np.array([t[1], -t[0]]))))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_deepest_touch_is_the_penetration(seed: int) -> None:
    """Slightly overlapping convex polygons separate by this displacement, and by no smaller one."""
    rng = np.random.default_rng(seed)
    count = 0
    while count < 50:
        first, second = convex_polygon(rng, 6), convex_polygon(rng, 5)
        poses = [(*rng.uniform(-1.5, 1.5, 2), rng.uniform(-3, 3)) for _ in range(2)]
        one, two = placed(first, poses[0]), placed(second, poses[1])
        depth = penetration(one, two)
        if not -0.05 < depth < 0.0:
            continue
        count += 1
        found = touches(first, poses[0], second, poses[1])
        assert min(found.values()) == pytest.approx(depth, abs=1e-5)
        both = common_part(shapely.Polygon(one), shapely.Polygon(two))
        corners = np.array(both.exterior.coords)
        extent = max(np.linalg.norm(a - b) for a in corners for b in corners)
        assert overlap(first, poses[0], second, poses[1]) == pytest.approx(
            both.area / extent, rel=1e-9
        )


def star(rng: np.random.Generator, n: int) -> Array:
    return star_polygon(rng, n, 0.5)


@pytest.mark.parametrize("kind", [convex_polygon, star])
def test_polygons_apart_do_not_touch_and_those_that_overlap_do(kind: Any) -> None:
    rng = np.random.default_rng(7)
    counts = [0, 0]
    for _ in range(400):
        first, second = kind(rng, 8), kind(rng, 7)
        poses = [(*rng.uniform(-1.5, 1.5, 2), rng.uniform(-3, 3)) for _ in range(2)]
        one, two = (
            shapely.Polygon(placed(p, pose)) for p, pose in zip((first, second), poses, strict=True)
        )
        found = touches(first, poses[0], second, poses[1])
        area = common_part(one, two).area
        if area > 1e-6:
            counts[1] += 1
            assert found
            assert overlap(first, poses[0], second, poses[1]) > 0.0
        elif one.distance(two) > 1e-9:
            counts[0] += 1
            assert not found
            assert overlap(first, poses[0], second, poses[1]) == 0.0
    assert min(counts) > 50


def test_what_is_near_has_its_distance() -> None:
    found = touches(SQUARE, HERE, SQUARE, (1.02, 0.4, -0.1), 0.1)
    one, two = shapely.Polygon(SQUARE), shapely.Polygon(placed(SQUARE, (1.02, 0.4, -0.1)))
    assert min(found.values()) == pytest.approx(one.distance(two), rel=1e-12)
    assert touches(SQUARE, HERE, SQUARE, (1.02, 1.02, 0.0), 0.1) == {}  # corner beside corner


def test_the_order_of_the_outlines_changes_no_gap() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        first, second = star_polygon(rng, 7, 0.5), star_polygon(rng, 6, 0.5)
        poses = [(*rng.uniform(-1.2, 1.2, 2), rng.uniform(-3, 3)) for _ in range(2)]
        there = touches(first, poses[0], second, poses[1])
        back = touches(second, poses[1], first, poses[0])
        assert {(b, a) for a, b in back} == there.keys()
        for (a, b), gap in there.items():
            assert back[b, a] == pytest.approx(gap, abs=1e-12)

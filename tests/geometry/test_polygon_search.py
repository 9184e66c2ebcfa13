"""Polygons against polygons: samples of (33)-(36), the tree against all pairs, rigid motions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

from nsmb import geometry
from nsmb._core import geometry as core
from tests.geometry.shapes import Array, all_pairs, convex_polygon, placed, star_polygon

SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
ELL = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]  # concave at (1, 1)


@pytest.mark.parametrize(
    ("point", "h", "is_inside"),
    [
        ((0.3, 0.01), 0.01, True),
        ((0.02, 0.05), 0.05, False),  # (34): 68.2° > 45°
        ((0.98, 0.05), 0.05, False),  # (35)
        ((0.3, -0.01), -0.01, False),  # (33)
        ((0.5, 0.2), 0.2, False),  # (36) only
    ],
)
def test_sample_cases_of_the_exact_test(point: Any, h: float, is_inside: bool) -> None:
    square = core.Chain(SQUARE, closed=True)
    test = core.test_edge(square, 0, point, 0.1)
    assert test["h"] == pytest.approx(h, abs=1e-16)
    assert test["inside"] is is_inside


def test_point_on_a_bisector_belongs_to_one_edge() -> None:
    """A point exactly on a bisector belongs to the edge that starts at the corner."""
    square = core.Chain(SQUARE, closed=True)
    for corner, point in enumerate([(0.0625, 0.0625), (0.9375, 0.0625), (0.9375, 0.9375)]):
        owners = [i for i in range(4) if core.test_edge(square, i, point, 0.1)["inside"]]
        assert owners == [corner]


def test_inside_near_the_border_belongs_to_exactly_one_edge() -> None:
    """An interior point has one edge even behind the concave corner, where no edge has the foot."""
    ell, shape = core.Chain(ELL, closed=True), shapely.Polygon(ELL)
    rng = np.random.default_rng(2)
    points = [p for p in rng.uniform(0, 2, (2000, 2)) if shape.contains(shapely.Point(p))]
    near = 0
    for point in points:
        tests = [core.test_edge(ell, i, point, 0.3) for i in range(6)]
        depths = [test["h"] for test in tests if test["inside"]]
        assert len(depths) <= 1, point
        distance = shape.exterior.distance(shapely.Point(point))
        if distance < 0.2:
            near += 1
            assert len(depths) == 1, point
            # The nearest edge, or beyond the concave corner the edge on this side of the bisector.
            behind = point[0] < 1 and point[1] < 1 and np.hypot(*(1 - point)) < 0.2
            factor = 1.0 if not behind else np.sqrt(0.5)
            assert factor * distance - 1e-12 <= depths[0] <= distance + 1e-12
    assert near > 500


def found_pairs(f: dict[str, Any], row: int) -> dict[str, dict[tuple[int, int], float]]:
    """Return {direction: {(vertex, edge): g_N}}."""
    pairs: dict[str, dict[tuple[int, int], float]] = {"1 on 2": {}, "2 on 1": {}}
    for i in range(*np.searchsorted(f["row"], [row, row + 1])):
        first, second = int(f["first"][i]), int(f["second"][i])
        assert first % 2 != second % 2
        if first % 2 == 0:
            pairs["1 on 2"][first // 2, second // 2] = f["g_N"][i]
        else:
            pairs["2 on 1"][second // 2, first // 2] = f["g_N"][i]
    return pairs


@pytest.mark.parametrize("kind", ["convex", "concave", "mixed"])
def test_tree_finds_what_all_pairs_find(kind: str) -> None:
    """10,000 configurations in total, apart, touching and overlapping: none missed, none added."""
    rng = np.random.default_rng(["convex", "concave", "mixed"].index(kind))
    compared = missed = 0
    for _ in range(34):
        n_1, n_2 = rng.integers(3, 40, 2)
        a = convex_polygon(rng, n_1) if kind != "concave" else star_polygon(rng, n_1, 0.5)
        b = convex_polygon(rng, n_2) if kind == "convex" else star_polygon(rng, n_2, 0.6)
        core_1, core_2 = (core.Chain(p, closed=True) for p in (a, b))
        placements = 99
        direction = rng.uniform(0, 2 * np.pi, placements)
        far = rng.uniform(1.2, 2.4, placements)
        poses_1 = np.column_stack([rng.uniform(-1, 1, (placements, 2)), direction * 3])
        offset = far[:, None] * np.column_stack([np.cos(direction), np.sin(direction)])
        poses_2 = np.column_stack([poses_1[:, :2] + offset, rng.uniform(-4, 4, placements)])
        distance, skin = 0.08, 0.05
        f = core.find_candidates(core_1, poses_1, core_2, poses_2, distance, skin)
        for row in range(placements):
            points_1, points_2 = placed(a, poses_1[row]), placed(b, poses_2[row])
            found = found_pairs(f, row)
            for name, tips, edges in (
                ("1 on 2", points_1, points_2),
                ("2 on 1", points_2, points_1),
            ):
                truth = all_pairs(tips, edges, distance, skin)
                expected = set(zip(truth.vertex.tolist(), truth.edge.tolist(), strict=True))
                compared += len(expected)
                missed += len(expected ^ set(found[name]))
                for vertex, edge, g_N in zip(truth.vertex, truth.edge, truth.g_N, strict=True):
                    assert found[name][vertex, edge] == pytest.approx(g_N, abs=1e-13)
    assert compared > 3000
    assert missed == 0


def test_tree_agrees_with_the_same_tests_on_all_elements() -> None:
    """Curved contours against polygons are included."""
    rng = np.random.default_rng(7)
    star = geometry.Polygon(star_polygon(rng, 60, 0.3))
    for partner in (geometry.Ellipse(0.6, 0.3), geometry.Arc(0.5, 0.0, 2.0), geometry.Line()):
        poses = [rng.uniform(-2, 2, (400, 3)) for _ in range(2)]
        results = [
            core.find_candidates(
                star._core, poses[0], partner._core, poses[1], 0.1, 0.05, use_tree=use_tree
            )
            for use_tree in (True, False)
        ]
        assert len(results[0]["row"]) > 30
        for name in ("row", "first", "second"):
            np.testing.assert_array_equal(results[0][name], results[1][name])
        # Newton's method may start elsewhere.
        np.testing.assert_allclose(results[0]["g_N"], results[1]["g_N"], rtol=0, atol=1e-13)
        assert results[0]["point_tests"] < 0.5 * results[1]["point_tests"]


def test_candidates_move_with_the_bodies() -> None:
    rng = np.random.default_rng(11)
    a, b = star_polygon(rng, 30, 0.4), star_polygon(rng, 25, 0.4)
    first = geometry.find_contacts(
        geometry.Polygon(a), geometry.Polygon(b), 0.2, pose_2=(1.6, 0.1, 0.3)
    )
    turn = np.array([[np.cos(2.0), np.sin(2.0)], [-np.sin(2.0), np.cos(2.0)]])
    place = np.array([5.0, -3.0])
    x, y = np.array([1.6, 0.1]) @ turn + place
    second = geometry.find_contacts(
        geometry.Polygon(a), geometry.Polygon(b), 0.2, pose_1=(*place, 2.0), pose_2=(x, y, 2.3)
    )
    assert len(first) == len(second) > 2
    for p, q in zip(first, second, strict=True):
        assert (p.first, p.second) == (q.first, q.second)
        assert p.g_N == pytest.approx(q.g_N, abs=1e-13)


def test_corner_in_a_concave_corner_keeps_both_edges() -> None:
    """Penetration of the size of rounding must not lose either contact."""
    ell, square = geometry.Polygon(ELL), geometry.Polygon(SQUARE)
    for dx in (-1e-10, 0.0, 1e-10):
        for dy in (-1e-10, 0.0, 1e-10):
            found = geometry.find_contacts(
                ell, square, 0.05, pose_2=(1.0 + dx, 1.0 + dy, 0.0), skin=0.01
            )
            edges = {p.first for p in found if p.second == 0}
            assert edges == {2 * 2 + 1, 2 * 3 + 1}


def test_peg_in_a_polygonal_hole_has_a_contact_per_corner_and_wall() -> None:
    """A box of side 1 in a square hole of side 1.2, closer to the left and to the floor."""
    hole = geometry.Polygon([(0.0, 0.0), (1.2, 0.0), (1.2, 1.2), (0.0, 1.2)], hole=True)
    box = geometry.Polygon(SQUARE)
    found = geometry.find_contacts(hole, box, 0.3, pose_2=(0.05, 0.02, 0.0), skin=0.1)
    gaps = sorted(round(p.g_N, 12) for p in found)
    assert gaps == [0.02, 0.02, 0.05, 0.05, 0.15, 0.15, 0.18, 0.18]
    for p in found:
        # n_1 points into the walls, away from the centre of the box.
        assert np.dot(p.n_1, p.r_1 - np.array([0.6, 0.6])) > 0.0


def test_far_side_of_a_thin_plate_is_not_touched() -> None:
    """A point at rest on a plate is also behind its lower edge, by less than the skin."""
    plate = geometry.Polygon([(-1.0, 0.0), (1.0, 0.0), (1.0, 0.02), (-1.0, 0.02)])
    box = geometry.Polygon(SQUARE)
    found = geometry.find_contacts(plate, box, 0.05, pose_2=(-0.5, 0.02 + 1e-4, 0.0), skin=0.05)
    assert {(p.first, p.second) for p in found} == {(2 * 2 + 1, 0), (2 * 2 + 1, 2)}


def test_deep_in_an_edge_is_skipped_beyond_the_skin() -> None:
    plate, box = geometry.Line(), geometry.Polygon(SQUARE)
    assert geometry.find_contacts(plate, box, 0.1, pose_2=(0.0, -0.2, 0.0), skin=0.1) == ()
    assert len(geometry.find_contacts(plate, box, 0.1, pose_2=(0.0, -0.05, 0.0), skin=0.1)) == 2


def test_straight_corners_are_not_touched() -> None:
    """A point in the middle of an edge is not a corner."""
    box = geometry.Polygon([(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    found = geometry.find_contacts(geometry.Line(), box, 0.1, pose_2=(0.0, 0.05, 0.0))
    assert {p.second for p in found} == {0, 4}


def polygon_of(n: int, rng: np.random.Generator) -> Array:
    return star_polygon(rng, n, 1.0 / n)


def test_search_does_little_for_many_points() -> None:
    """Tested boxes grow slower than the square root of the points (two touching discs)."""
    counts = []
    for n in (1000, 16000):
        rng = np.random.default_rng(n)
        discs = [core.Chain(polygon_of(n, rng), closed=True) for _ in range(2)]
        poses = np.array([[0.0, 0.0, 0.1]]), np.array([[2.0005, 0.0, 0.7]])
        f = core.find_candidates(discs[0], poses[0], discs[1], poses[1], 1e-3, 1e-3)
        assert len(f["row"]) > 0
        counts.append(f["box_tests"])
    assert counts[1] < 8 * counts[0]

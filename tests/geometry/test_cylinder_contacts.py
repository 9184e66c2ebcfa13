"""Cylinders against all shapes: the largest gap over all directions, points, closed forms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from nsmb._core import geometry
from tests.geometry.solid_zoo import (
    Floats,
    box,
    capsule,
    hull,
    placed,
    pose,
    random_poses,
    sphere,
    turned,
)
from tests.oracles.convex_distance import cylinder_support, largest_gap, points_support

Support = Callable[[Floats], Floats]
CYLINDER = geometry.cylinder(0.4, 0.9)
SOLIDS = {
    "sphere": sphere(0.3),
    "capsule": capsule(0.2, 1.0),
    "box": box(1.0, 0.7, 0.5),
    "hull": hull(16, seed=1),
}
ROUND = {"cylinder": (0.4, 0.9), "disc": (0.5, 0.1)}
OTHERS = [*SOLIDS, *ROUND]
LYING = Rotation.from_euler("y", 0.5 * np.pi).as_matrix()


def shape_of(name: str) -> geometry.Shape:
    return SOLIDS[name].shape if name in SOLIDS else geometry.cylinder(*ROUND[name])


def support_of(name: str, row: Floats) -> Support:
    if name in SOLIDS:
        return points_support(placed(SOLIDS[name].points, row), SOLIDS[name].radius)
    radius, length = ROUND[name]
    return cylinder_support(row[:3], row[3:].reshape(3, 3)[:, 2], radius, length)


def touch(first: geometry.Shape, p: Floats, second: geometry.Shape, q: Floats) -> dict[str, Any]:
    return geometry.shape_contacts(first, p[None], second, q[None], 0.1)


@pytest.mark.parametrize("name", OTHERS)
def test_no_direction_has_a_larger_gap(name: str) -> None:
    """A gap along a normal is never too large, and a search finds no larger one."""
    rng = np.random.default_rng(11)
    n = 20
    p, q = random_poses(n, 0.45, rng), random_poses(n, 0.45, rng)
    found = geometry.shape_contacts(CYLINDER, p, shape_of(name), q, 100.0)
    seen = 0
    for i in range(n):
        row = np.flatnonzero(found["row"] == i)
        k = row[found["g_N"][row].argmin()]
        g, normal = found["g_N"][k], found["normal"][k]
        own, its = support_of("cylinder", p[i]), support_of(name, q[i])
        along = float((-its(-normal[None]) - own(normal[None]))[0])
        core = SOLIDS[name].radius if name in SOLIDS else 0.0
        if len(getattr(SOLIDS.get(name), "points", q)) == 1 and g + core <= 0.0:
            continue  # centre within the cylinder: a point has many normals with the same depth
        seen += 1
        assert abs(g - along) < 1e-14
        assert g > largest_gap(own, its, rng) - 1e-12
    assert seen > n // 2


@pytest.mark.parametrize("name", OTHERS)
def test_points_are_apart_by_the_gap_along_the_normal(name: str) -> None:
    rng = np.random.default_rng(12)
    p, q = random_poses(100, 0.5, rng), random_poses(100, 0.5, rng)
    found = geometry.shape_contacts(CYLINDER, p, shape_of(name), q, 100.0)
    assert np.array_equal(np.unique(found["row"]), np.arange(100))
    step = found["r_2"] - found["r_1"] - found["g_N"][:, None] * found["normal"]
    assert np.abs(step).max() < 1e-13
    # Both points are on their surfaces: no support is below them.
    for i in range(0, len(step), 7):
        for side, label, row in (("r_1", "cylinder", p), ("r_2", name, q)):
            support = support_of(label, row[found["row"][i]])
            n = rng.normal(size=(200, 3))
            n /= np.linalg.norm(n, axis=1)[:, None]
            assert (n @ found[side][i] <= support(n) + 1e-12).all()


@pytest.mark.parametrize("name", OTHERS)
def test_the_order_of_the_shapes_and_rigid_motions_change_no_gap(name: str) -> None:
    rng = np.random.default_rng(13)
    p, q = random_poses(60, 0.5, rng), random_poses(60, 0.5, rng)
    A, r = Rotation.random(random_state=rng).as_matrix(), np.array([2.0, -1.0, 3.0])
    least = [np.full(60, np.inf) for _ in range(3)]
    cases = [
        (CYLINDER, p, shape_of(name), q),
        (shape_of(name), q, CYLINDER, p),
        (CYLINDER, turned(p, r, A), shape_of(name), turned(q, r, A)),
    ]
    for gap, case in zip(least, cases, strict=True):
        found = geometry.shape_contacts(*case, 100.0)
        np.minimum.at(gap, found["row"], found["g_N"])
    assert np.abs(least[0] - least[1]).max() < 1e-12
    assert np.abs(least[0] - least[2]).max() < 1e-12


@pytest.mark.parametrize("gap", [1e-3, 1e-9, 0.0, -1e-6])
@pytest.mark.parametrize("floor", ["half-space", "box", "disc"])
def test_standing_it_touches_with_four_places_of_its_rim(gap: float, floor: str) -> None:
    ground = {
        "half-space": (geometry.half_space(), 0.0),
        "box": (geometry.box([3.0, 3.0, 1.0]), 0.5),
        "disc": (geometry.cylinder(2.0, 1.0), 0.5),
    }
    shape, top = ground[floor]
    found = touch(shape, pose(), CYLINDER, pose((0.3, 0.2, top + 0.45 + gap)))
    assert np.abs(found["g_N"] - gap).max() < 1e-15
    assert np.allclose(found["normal"], [0.0, 0.0, 1.0], atol=1e-15)
    r = found["r_2"][:, :2] - [0.3, 0.2]
    rim = np.abs(np.linalg.norm(r, axis=1) - 0.4) < 1e-14
    assert rim.sum() >= 3  # enough to support it
    assert np.linalg.matrix_rank(r[rim] - r[rim][0], tol=0.1) == 2


@pytest.mark.parametrize("floor", ["half-space", "box", "cylinder"])
def test_lying_it_touches_with_both_ends(floor: str) -> None:
    ground = {
        "half-space": (geometry.half_space(), pose(), 0.0),
        "box": (geometry.box([3.0, 3.0, 1.0]), pose(), 0.5),
        "cylinder": (geometry.cylinder(0.5, 3.0), pose(A=LYING), 0.5),
    }
    shape, p, top = ground[floor]
    found = touch(shape, p, CYLINDER, pose((0.3, 0.0, top + 0.4 + 1e-3), LYING))
    assert np.abs(found["g_N"] - 1e-3).max() < 1e-15
    x = found["r_2"][:, 0]
    assert np.isclose(x.min(), -0.15)
    assert np.isclose(x.max(), 0.75)


@pytest.mark.parametrize("lying", [False, True])
def test_on_a_narrow_beam_the_points_are_on_the_beam(lying: bool) -> None:
    """Most of the rim and the ends are beside the beam.

    The edges of the beam carry points, and no point is outside it.
    """
    height = 0.5 + (0.4 if lying else 0.45)
    q = pose((0.0, 0.0, height), LYING if lying else None)
    found = touch(geometry.box([0.2, 4.0, 1.0]), pose(), CYLINDER, q)
    assert len(found["g_N"]) >= 2
    assert np.abs(found["g_N"]).max() < 1e-15
    assert np.abs(found["r_1"][:, 0]).max() < 0.1 + 1e-14
    assert np.isclose(np.ptp(found["r_1"][:, 0]), 0.2)


def test_crossed_cylinders_touch_at_one_place() -> None:
    across = Rotation.from_euler("x", 0.5 * np.pi).as_matrix()
    found = touch(CYLINDER, pose(A=LYING), CYLINDER, pose((0.1, 0.2, 0.81), across))
    assert found["g_N"] == pytest.approx([0.01], abs=1e-15)
    assert np.allclose(found["r_1"], [[0.1, 0.0, 0.4]], atol=1e-15)
    assert found["feature_1"].tolist() == [2]


def test_coincident_cylinders_give_no_nan() -> None:
    others: list[NDArray[np.float64]] = [pose(), pose(A=LYING)]
    for q in others:
        found = touch(CYLINDER, pose(), CYLINDER, q)
        assert len(found["g_N"]) > 0
        assert all(np.isfinite(value).all() for value in found.values())


@pytest.mark.parametrize("tilt", [0.1, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("floor", ["half-space", "box", "cylinder"])
def test_a_tilted_cap_that_is_in_another_body_has_places_all_around(
    floor: str, tilt: float
) -> None:
    """A penetrating cap has points in all directions across the axis, to support it in any tilt.

    Parts above the other body have no point, and a mere touch has only the lowest one or two.
    """
    shape = {
        "half-space": geometry.half_space(),
        "box": geometry.box([60.0, 60.0, 60.0]),
        "cylinder": geometry.cylinder(30.0, 60.0),
    }[floor]
    base = pose(np.zeros(3) if floor == "half-space" else np.array([0.0, 0.0, -30.0]), np.eye(3))
    A = Rotation.from_euler("zx", [0.3, tilt]).as_matrix()
    for depth in (0.0, 3.0):
        low = 0.45 * np.cos(tilt) + 0.4 * np.sin(tilt)
        found = touch(shape, base, CYLINDER, pose(np.array([0.1, 0.2, low - depth]), A))
        np.testing.assert_allclose(found["g_N"].min(), -depth, atol=1e-12 * 60.0)
        assert np.isin(len(found["g_N"]), [1, 2] if depth == 0.0 else [4])
        np.testing.assert_allclose(found["r_2"][:, 2], found["g_N"], atol=1e-12 * 60.0)
    arms = found["r_2"] - np.array([0.1, 0.2, low - 3.0])
    turns = np.arange(16) * np.pi / 8
    directions = np.outer(np.cos(turns), A[:, 0]) + np.outer(np.sin(turns), A[:, 1])
    # Three points on quarters are at most 90 degrees away.
    assert ((directions @ arms.T).max(axis=1) > -1e-12).all()
    assert (np.linalg.norm(arms - np.outer(arms @ A[:, 2], A[:, 2]), axis=1) < 0.4 + 1e-12).all()

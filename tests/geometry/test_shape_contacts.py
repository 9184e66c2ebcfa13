"""Contact points of shapes in space: gap, normal and features against independent distances."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from nsmb._core import geometry
from tests.geometry.solid_zoo import (
    Floats,
    Solid,
    box,
    capsule,
    hull,
    hull_faces,
    least_gap,
    placed,
    pose,
    random_poses,
    sphere,
    turned,
)
from tests.oracles.convex_distance import signed_distance

FAR = 100.0  # m, beyond all bodies
ZOO = {
    "sphere": sphere(0.4),
    "capsule": capsule(0.2, 1.0),
    "box": box(1.0, 0.7, 0.5),
    "rod": box(0.3, 2.0, 0.6),
    "hull": hull(16, seed=1),
}
PAIRS = list(combinations_with_replacement(ZOO, 2))
TOUCHING = [1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-3]


def contacts(
    a: Solid, p: Floats, b: Solid, q: Floats, reach: float = FAR
) -> dict[str, NDArray[Any]]:
    return geometry.shape_contacts(a.shape, np.atleast_2d(p), b.shape, np.atleast_2d(q), reach)


def defined(distance: Floats, a: Solid, b: Solid) -> NDArray[np.bool_]:
    """Return True where the oracle gives the depth: not for overlapping points and segments."""
    flat = len(a.points) + len(b.points) < 6
    return np.asarray(distance + a.radius + b.radius > (1e-9 if flat else -np.inf))


@pytest.mark.parametrize(("name_1", "name_2"), PAIRS)
def test_least_gap_is_the_signed_distance(name_1: str, name_2: str) -> None:
    a, b = ZOO[name_1], ZOO[name_2]
    rng = np.random.default_rng(5)
    p, q = random_poses(150, 0.5, rng), random_poses(150, 0.5, rng)
    found = contacts(a, p, b, q)
    exact = np.array(
        [
            signed_distance(placed(a.points, u), placed(b.points, v), a.radius + b.radius)
            for u, v in zip(p, q, strict=True)
        ]
    )
    known = defined(exact, a, b)
    assert (exact[known] < 0.0).any()
    assert (exact[known] > 0.0).any()
    # measured: 3e-15
    assert np.abs(least_gap(found, 150) - exact)[known].max() < 1e-13


@pytest.mark.parametrize(("name_1", "name_2"), PAIRS)
def test_points_are_apart_by_the_gap_along_the_normal(name_1: str, name_2: str) -> None:
    a, b = ZOO[name_1], ZOO[name_2]
    rng = np.random.default_rng(6)
    found = contacts(a, random_poses(200, 0.5, rng), b, random_poses(200, 0.5, rng))
    normal = found["normal"]
    assert np.abs(np.linalg.norm(normal, axis=1) - 1.0).max() < 1e-14
    step = found["r_2"] - found["r_1"] - found["g_N"][:, None] * normal
    assert np.abs(np.einsum("ij,ij->i", step, normal)).max() < 1e-13
    for side, shape in (("feature_1", a.shape), ("feature_2", b.shape)):
        assert found[side].min() >= 0
        assert found[side].max() < shape.features


@pytest.mark.parametrize(("name_1", "name_2"), PAIRS)
def test_rigid_motions_and_the_order_of_the_shapes_change_nothing(name_1: str, name_2: str) -> None:
    a, b = ZOO[name_1], ZOO[name_2]
    rng = np.random.default_rng(7)
    p, q = random_poses(100, 0.5, rng), random_poses(100, 0.5, rng)
    found = contacts(a, p, b, q)
    A = Rotation.random(random_state=rng).as_matrix()
    r = np.array([3.0, -2.0, 1.0])
    moved = contacts(a, turned(p, r, A), b, turned(q, r, A))
    assert np.array_equal(found["row"], moved["row"])
    assert np.array_equal(found["feature_1"], moved["feature_1"])
    assert np.abs(found["g_N"] - moved["g_N"]).max() < 1e-13
    assert np.abs(found["r_1"] @ A.T + r - moved["r_1"]).max() < 1e-12
    swapped = contacts(b, q, a, p)
    gap, other = least_gap(found, 100), least_gap(swapped, 100)
    assert np.abs(gap - other).max() < 1e-13
    # If there are more than four points, the selection may depend on the order of the shapes.
    few = np.bincount(found["row"]) < 4
    i = np.lexsort((found["feature_2"], found["feature_1"], found["row"]))
    j = np.lexsort((swapped["feature_1"], swapped["feature_2"], swapped["row"]))
    i, j = i[few[found["row"][i]]], j[few[swapped["row"][j]]]
    assert np.array_equal(found["feature_1"][i], swapped["feature_2"][j])
    assert np.abs(found["r_1"][i] - swapped["r_2"][j]).max() < 1e-12
    assert np.abs(found["normal"][i] + swapped["normal"][j]).max() < 1e-12


@pytest.mark.parametrize(("name_1", "name_2"), [*PAIRS, ("needle", "tetrahedron")])
def test_what_is_looked_for_changes_no_gap(name_1: str, name_2: str) -> None:
    """Bodies farther apart than the reach have no points, even if only edges separate them."""
    zoo = {**ZOO, "needle": capsule(0.02, 1.0), "tetrahedron": hull(4, seed=2, size=0.7)}
    a, b = zoo[name_1], zoo[name_2]
    rng = np.random.default_rng(9)
    p, q = random_poses(2000, 0.4, rng), random_poses(2000, 0.4, rng)
    far = least_gap(contacts(a, p, b, q), 2000)
    for reach in (1e-2, 1e-6):
        near = least_gap(contacts(a, p, b, q, reach), 2000)
        assert (far > reach).sum() > 100
        expected = np.where(far <= reach, far, np.inf)
        np.testing.assert_allclose(near, expected, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("name", ["capsule", "box", "hull", "triangles"])
def test_faces_cut_into_triangles_are_the_faces(name: str) -> None:
    """Edges within a flat face lead out of it to one side only.

    They do not separate bodies behind the face.
    """
    whole = box(1.0, 0.7, 0.5)
    cut = Solid(geometry.polyhedron(*hull_faces(whole.points)), whole.points)
    other = cut if name == "triangles" else ZOO[name]
    rng = np.random.default_rng(10)
    p, q = random_poses(1000, 0.6, rng), random_poses(1000, 0.6, rng)
    exact = least_gap(contacts(whole, p, whole if name == "triangles" else other, q), 1000)
    np.testing.assert_allclose(least_gap(contacts(cut, p, other, q), 1000), exact, atol=1e-13)


@pytest.mark.parametrize(("name_1", "name_2"), PAIRS)
def test_nothing_beyond_reach_and_everything_within(name_1: str, name_2: str) -> None:
    a, b = ZOO[name_1], ZOO[name_2]
    rng = np.random.default_rng(8)
    p, q = random_poses(200, 0.7, rng), random_poses(200, 0.7, rng)
    gap = least_gap(contacts(a, p, b, q), 200)
    near = contacts(a, p, b, q, reach=0.2)
    assert (near["g_N"] <= 0.2).all()
    assert np.array_equal(np.unique(near["row"]), np.flatnonzero(gap <= 0.2))
    assert np.bincount(near["row"]).max() <= 4


def test_the_last_axis_as_a_hint_changes_nothing() -> None:
    a, b = ZOO["hull"], ZOO["box"]
    p = np.tile(pose(), (300, 1))
    way = np.linspace(3.0, 0.2, 300)[:, None] * np.array([1.0, 0.3, 0.2])
    axes = Rotation.from_rotvec([0.3, 0.2, 0.1]).as_matrix().ravel()
    q = np.hstack([way, np.tile(axes, (300, 1))])
    free = geometry.shape_contacts(a.shape, p, b.shape, q, 0.1)
    remembering = geometry.shape_contacts(a.shape, p, b.shape, q, 0.1, remember=True)
    assert 0 < len(np.unique(free["row"])) < 300
    for key, value in free.items():
        assert np.array_equal(value, remembering[key]), key


@pytest.mark.parametrize("gap", TOUCHING)
@pytest.mark.parametrize("angle", [0.0, 0.25 * np.pi, 0.3, 1e-3, 1e-7])
def test_cube_on_cube_touches_with_the_normal_of_the_faces(gap: float, angle: float) -> None:
    cube = box(1.0, 1.0, 1.0)
    turn = Rotation.from_euler("z", angle).as_matrix()
    for seed in range(20):
        A = Rotation.random(random_state=seed).as_matrix()
        p = turned(pose()[None], np.zeros(3), A)
        q = turned(pose((0.1, -0.2, 1.0 + gap), turn)[None], np.zeros(3), A)
        found = contacts(cube, p, cube, q, reach=0.1)
        assert len(found["g_N"]) == 4
        assert np.abs(found["g_N"] - gap).max() < 1e-14
        assert np.abs(found["normal"] - A[:, 2]).max() < 1e-15


@pytest.mark.parametrize("solid", [box(1.0, 2.0, 3.0), hull(20, seed=3)])
def test_polyhedra_stand_on_a_plane_with_their_vertices(solid: Solid) -> None:
    plane = Solid(geometry.half_space(), np.zeros((0, 3)))
    rng = np.random.default_rng(2)
    q = random_poses(100, 0.5, rng)
    found = contacts(plane, np.tile(pose(), (100, 1)), solid, q)
    lowest = np.array([placed(solid.points, row)[:, 2].min() for row in q])
    assert np.abs(least_gap(found, 100) - lowest).max() < 1e-14
    assert np.array_equal(found["normal"], np.tile([0.0, 0.0, 1.0], (len(found["row"]), 1)))


def test_box_on_a_plane_stands_on_four_vertices() -> None:
    cube = box(1.0, 1.0, 1.0)
    plane = Solid(geometry.half_space(), np.zeros((0, 3)))
    found = contacts(plane, pose(), cube, pose((0.3, 0.2, 0.5)), reach=0.1)
    assert np.array_equal(found["feature_2"], [18, 19, 20, 21])
    feet = [[-0.2, -0.3], [0.8, -0.3], [-0.2, 0.7], [0.8, 0.7]]
    assert np.allclose(found["r_2"][:, :2], feet, atol=1e-15)
    deep = contacts(plane, pose(), cube, pose((0.3, 0.2, 0.5)), reach=10.0)
    assert np.array_equal(deep["feature_2"], found["feature_2"])


def test_capsule_lies_on_a_plane_with_both_ends() -> None:
    plane = Solid(geometry.half_space(), np.zeros((0, 3)))
    lying = Rotation.from_euler("y", 0.5 * np.pi).as_matrix()
    found = contacts(plane, pose(), ZOO["capsule"], pose((0.0, 0.0, 0.25), lying), reach=0.1)
    assert np.array_equal(found["feature_2"], [1, 2])
    assert np.allclose(found["g_N"], 0.05, atol=1e-15)
    assert np.allclose(found["r_2"], [[-0.5, 0.0, 0.05], [0.5, 0.0, 0.05]], atol=1e-15)


@pytest.mark.parametrize("name", ["capsule", "box"])
def test_what_lies_along_touches_with_two_points(name: str) -> None:
    """A capsule on a capsule or on a box: the ends of the common segment."""
    below = ZOO[name]
    lying = Rotation.from_euler("y", 0.5 * np.pi).as_matrix()
    height = 0.2 + (0.2 if name == "capsule" else 0.25) + 0.01
    p = pose((0.0, 0.0, 0.0), lying if name == "capsule" else None)
    found = contacts(below, p, ZOO["capsule"], pose((0.2, 0.0, height), lying), reach=0.1)
    assert len(found["g_N"]) == 2
    assert np.abs(found["g_N"] - 0.01).max() < 1e-15
    assert np.allclose(np.sort(found["r_1"][:, 0]), [-0.3, 0.5])


def test_two_edges_touch_in_one_point_with_their_common_normal() -> None:
    cube = box(1.0, 1.0, 1.0)
    on_edge = Rotation.from_euler("x", 0.25 * np.pi)
    across = Rotation.from_euler("z", 0.5 * np.pi) * on_edge
    height = np.sqrt(2.0) + 1e-3
    p, q = pose((0, 0, 0), on_edge.as_matrix()), pose((0, 0, height), across.as_matrix())
    found = contacts(cube, p, cube, q, 0.1)
    assert len(found["g_N"]) == 1
    assert abs(found["g_N"][0] - 1e-3) < 1e-15
    assert np.allclose(found["normal"], [[0.0, 0.0, 1.0]], atol=1e-15)
    assert ((found["feature_1"] >= 6) & (found["feature_1"] < 18)).all()


def test_parallel_edges_touch_along_their_common_piece() -> None:
    cube = box(1.0, 1.0, 1.0)
    on_edge = Rotation.from_euler("x", 0.25 * np.pi).as_matrix()
    q = pose((0.3, 0.0, np.sqrt(2.0) + 1e-3), on_edge)
    found = contacts(cube, pose((0, 0, 0), on_edge), cube, q, 0.1)
    assert np.abs(found["g_N"] - 1e-3).max() < 1e-15
    assert np.allclose(found["normal"], [0.0, 0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize(("name_1", "name_2"), PAIRS)
def test_coincident_bodies_give_no_nan(name_1: str, name_2: str) -> None:
    found = contacts(ZOO[name_1], pose(), ZOO[name_2], pose())
    assert len(found["g_N"]) > 0
    assert (found["g_N"] < 0.0).all()
    for key in ("g_N", "r_1", "r_2", "normal"):
        assert np.isfinite(found[key]).all()
    assert np.allclose(np.linalg.norm(found["normal"], axis=1), 1.0)


@pytest.mark.parametrize("place", [(0.5, 0.1, 0.2), (0.5, 0.35, 0.1), (0.5, 0.35, 0.25)])
def test_sphere_with_its_centre_on_a_box(place: tuple[float, float, float]) -> None:
    """On a face, an edge, a vertex: the gap is minus the radius, the normal is one of a face."""
    found = contacts(ZOO["sphere"], pose(place), ZOO["box"], pose())
    assert np.abs(found["g_N"] + 0.4).max() < 1e-15
    assert np.allclose(np.abs(found["normal"]).max(axis=1), 1.0)


def test_features_stay_when_a_stack_trembles() -> None:
    cube = box(1.0, 1.0, 1.0)
    rng = np.random.default_rng(4)
    known: set[tuple[int, int]] = set()
    for _ in range(200):
        small = Rotation.from_rotvec(1e-8 * rng.normal(size=3)).as_matrix()
        q = pose(np.array([0.0, 0.0, 1.0]) + 1e-8 * rng.normal(size=3), small)
        found = contacts(cube, pose(), cube, q, reach=0.01)
        known |= set(zip(found["feature_1"].tolist(), found["feature_2"].tolist(), strict=True))
    assert len(known) == 4


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="radius"):
        geometry.sphere(-1.0)
    with pytest.raises(ValueError, match="size"):
        geometry.box([1.0, 0.0, 1.0])
    points, faces = hull(8, seed=5).points, [[0, 1, 2]]
    with pytest.raises(ValueError, match="closed"):
        geometry.polyhedron(points, faces)
    with pytest.raises(ValueError, match="finite volume"):
        geometry.half_space().mass_properties(1.0)

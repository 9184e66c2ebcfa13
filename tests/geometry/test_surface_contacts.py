"""Contacts of meshes and height fields: gaps against all triangles, no contact at inner edges."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import nsmb.geometry as s
from nsmb._core import geometry
from tests.geometry.mesh_zoo import Mesh, box_mesh, icosphere, plate, potato, torus
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
)
from tests.oracles.convex_distance import signed_distance
from tests.oracles.triangle_soup import (
    distances,
    height_at,
    height_over,
    hull_distance,
    soup_distance,
    winding,
)

FAR = 10.0


def bumps(n: int, seed: int) -> s.HeightField:
    heights = 0.2 * np.random.default_rng(seed).normal(size=(n, n + 3))
    return s.HeightField(heights, (0.3, 0.25), origin=(-1.5, -1.2, 0.1))


SURFACES: dict[str, Mesh] = {
    "potato": potato(2, seed=1, roughness=0.25),
    "torus": torus(1.0, 0.4, 9),
    "box": box_mesh((1.5, 1.0, 2.0), 3),
    "bumps": bumps(10, seed=2).mesh(),
}


def surface(name: str) -> geometry.Shape:
    return bumps(10, seed=2)._core if name == "bumps" else geometry.triangle_mesh(*SURFACES[name])


def contacts(
    a: geometry.Shape, p: Floats, b: geometry.Shape, q: Floats, reach: float = FAR
) -> dict[str, NDArray[Any]]:
    return geometry.shape_contacts(a, np.atleast_2d(p), b, np.atleast_2d(q), reach)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("radius", [1e-3, 0.3])
def test_gap_of_a_sphere_is_that_to_the_nearest_triangle(name: str, radius: float) -> None:
    """Everywhere outside; inside up to a depth of the radius, where a facet is nearest."""
    triangles = SURFACES[name][0][SURFACES[name][1]]
    rng = np.random.default_rng(3)
    near = triangles[rng.integers(len(triangles), size=1500)]
    share = rng.dirichlet(np.ones(3), 1500)
    points = np.einsum("ij,ijk->ik", share, near) + rng.uniform(-0.5, 0.5, (1500, 1)) * radius * (
        rng.normal(size=(1500, 3))
    )
    turn = Rotation.random(random_state=rng).as_matrix()
    moved = pose((3.0, -2.0, 1.0), turn)
    centers = placed(points, moved)
    q = np.hstack([centers, np.tile(np.eye(3).ravel(), (1500, 1))])
    found = contacts(surface(name), np.tile(moved, (1500, 1)), geometry.sphere(radius), q)
    gap = least_gap(found, 1500)
    checked = {"outside": 0, "inside": 0}
    for k, point in enumerate(points):
        distance = distances(point, triangles).min()
        nearest = np.nan_to_num(np.abs(height_over(point, triangles)), nan=np.inf).min()
        if name == "bumps":
            if np.abs(point[:2] - (-0.15, 0.3)).max() > 0.7:  # far from its border
                continue
            is_inside = point[2] < height_at(point, triangles)
        else:
            is_inside = winding(point, triangles) > 0.5
        if not is_inside:
            checked["outside"] += 1
            assert abs(gap[k] - (distance - radius)) < 1e-12
        elif nearest < distance + 1e-13 and distance < 0.999 * radius:
            checked["inside"] += 1
            assert abs(gap[k] - (-distance - radius)) < 1e-12
    assert checked["outside"] > 150
    assert checked["inside"] > 50


@pytest.mark.parametrize("name", ["potato", "torus", "bumps"])
@pytest.mark.parametrize("solid", [box(0.5, 0.3, 0.2), hull(12, seed=4, size=0.2)])
def test_gap_of_a_hull_is_that_to_the_nearest_triangle(name: str, solid: Solid) -> None:
    triangles = SURFACES[name][0][SURFACES[name][1]]
    rng = np.random.default_rng(5)
    n = 30
    q = random_poses(n, 0.8, rng)
    if name == "bumps":
        q[:, :3] = rng.uniform((-0.65, -0.2, 0.2), (0.35, 0.8, 1.2), (n, 3))
    found = contacts(surface(name), np.tile(pose(), (n, 1)), solid.shape, q)
    gap = least_gap(found, n)
    checked = 0
    for k, row in enumerate(q):
        points = placed(solid.points, row)
        near = triangles[distances(row[:3], triangles) < 1.5]
        if len(near) == 0:
            continue
        exact = hull_distance(points, near)
        if name == "bumps":
            if exact < 1e-9 or row[2] < height_at(row[:3], triangles):
                continue
        elif exact < 1e-9 or winding(row[:3], triangles) > 0.5:
            continue
        checked += 1
        assert abs(gap[k] - exact) < 1e-12
    assert checked > 5


@pytest.mark.parametrize("solid", [box(0.5, 0.3, 0.4), hull(16, seed=1, size=0.2)])
@pytest.mark.parametrize("cells", [1, 4])
def test_shallow_depth_in_a_convex_mesh_is_the_signed_distance(solid: Solid, cells: int) -> None:
    vertices, faces = box_mesh((1.0, 1.2, 0.8), cells)
    mesh = geometry.triangle_mesh(vertices, faces)
    rng = np.random.default_rng(6)
    q = random_poses(1500, 0.5, rng)
    gap = least_gap(contacts(mesh, np.tile(pose(), (1500, 1)), solid.shape, q), 1500)
    corners = box(1.0, 1.2, 0.8).points
    exact = np.array([signed_distance(corners, placed(solid.points, row)) for row in q])
    shallow = exact > -0.02
    assert (exact[shallow] < 0.0).sum() > 20
    assert np.abs(gap - exact)[shallow].max() < 1e-12


@pytest.mark.parametrize("cells", [1, 4])
@pytest.mark.parametrize(
    "body", [geometry.capsule(0.15, 0.5), geometry.cylinder(0.2, 0.5), geometry.sphere(0.3)]
)
def test_round_bodies_on_a_box_of_triangles_are_as_on_a_box(
    body: geometry.Shape, cells: int
) -> None:
    size = (1.0, 1.2, 0.8)
    mesh = geometry.triangle_mesh(*box_mesh(size, cells))
    rng = np.random.default_rng(7)
    p, q = np.tile(pose(), (1500, 1)), random_poses(1500, 0.6, rng)
    gap = least_gap(contacts(mesh, p, body, q), 1500)
    exact = least_gap(contacts(geometry.box(size), p, body, q), 1500)
    shallow, apart = exact > -0.02, exact > 0.0
    assert (exact[shallow] < 0.0).sum() > 20
    assert np.abs(gap - exact)[apart].max() < 1e-11
    # Contact points of a cylinder within 0.02 of flat are along their own normals.
    lean = 0.5 * 0.02**2 if body.features > 3 else 0.0
    assert (np.abs(gap - exact)[shallow] < 1e-11 + lean * np.abs(exact[shallow])).all()


BODIES = {
    "sphere": geometry.sphere(0.1),
    "capsule": geometry.capsule(0.05, 0.2),
    "box": geometry.box((0.2, 0.3, 0.1)),
    "hull": hull(12, seed=2, size=0.08).shape,
    "cylinder": geometry.cylinder(0.1, 0.15),
    "mesh": geometry.triangle_mesh(*box_mesh((0.2, 0.3, 0.1), 3)),
}


@pytest.mark.parametrize("depth", [1e-3, 1e-9, 0.0, -1e-9, -1e-4, -2e-3])
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("kind", ["mesh", "height field"])
def test_nothing_is_caught_at_edges_in_a_plane(kind: str, name: str, depth: float) -> None:
    """The normal is that of the plane, and the least gap that of the half-space."""
    body, rng = BODIES[name], np.random.default_rng(8)
    ground = (
        geometry.triangle_mesh(*plate(300, seed=9))
        if kind == "mesh"
        else s.HeightField(np.zeros((30, 40)), (2.0 / 29, 2.0 / 39), origin=(-1, -1, 0))._core
    )
    n = 60
    q = random_poses(n, 0.0, rng)
    tilt = 1e-7 * rng.normal(size=(n // 2, 3))  # half of them are nearly flat
    q[: n // 2, 3:] = Rotation.from_rotvec(tilt).as_matrix().reshape(-1, 9)
    q[:, :2] = rng.uniform(-0.6, 0.6, (n, 2))
    q[:, 2] = 1.0
    plane = geometry.half_space()
    p = np.tile(pose(), (n, 1))
    q[:, 2] += depth - least_gap(contacts(plane, p, body, q, 5.0), n)
    exact = contacts(plane, p, body, q, 0.01)
    tilted = pose((1.0, 2.0, 3.0), Rotation.from_euler("xyz", [0.3, 0.2, 0.1]).as_matrix())
    A, r = tilted[3:].reshape(3, 3), tilted[:3]
    moved = np.hstack([q[:, :3] @ A.T + r, (A @ q[:, 3:].reshape(-1, 3, 3)).reshape(-1, 9)])
    found = contacts(ground, np.tile(tilted, (n, 1)), body, moved, 0.01)
    assert np.abs(found["normal"] - A[:, 2]).max() < 1e-8  # of faces 1e-16, of crossing edges less
    assert np.abs(least_gap(found, n) - least_gap(exact, n)).max() < 1e-13
    assert set(found["row"].tolist()) == set(range(n))


def test_box_on_a_table_of_triangles_stands_as_on_a_box() -> None:
    """The box stands at the height of the gap, even with crossing edges and over the border."""
    table = geometry.triangle_mesh(*box_mesh((1.0, 1.0, 0.2), 7))
    cube = geometry.box((0.3, 0.3, 0.3))
    for gap in (1e-4, 0.0, -1e-7, -1e-4):
        for turn in (0.0, 0.3):
            A = Rotation.from_euler("z", turn).as_matrix()
            found = contacts(table, pose(), cube, pose((0.45, 0.1, 0.25 + gap), A), 1e-3)
            assert len(found["g_N"]) >= 4
            assert np.abs(found["g_N"] - gap).max() < 1e-14
            assert np.abs(found["normal"] - (0.0, 0.0, 1.0)).max() < 1e-14
            spread = np.ptp(found["r_1"][:, :2], axis=0)
            assert spread[0] > 0.19
            assert found["r_1"][:, 0].max() == pytest.approx(0.5, abs=1e-9)


def test_in_a_valley_a_ball_has_two_contacts() -> None:
    valley = s.HeightField(np.abs(np.linspace(-1, 1, 21))[:, None] * np.ones(8), 0.1)
    found = contacts(valley._core, pose(), geometry.sphere(0.2), pose((1.0, 0.33, 0.25)), 0.1)
    steep = np.unique(np.round(found["normal"], 12), axis=0)
    assert np.allclose(np.abs(steep[:, 0]), np.sqrt(0.5))
    assert len(steep) == 2
    assert np.abs(found["g_N"] - (0.25 * np.sqrt(0.5) - 0.2)).max() < 1e-15


def test_in_a_corner_a_box_keeps_its_contacts_with_floor_and_wall() -> None:
    """With slight penetration of both, the part over the end of the floor is behind the wall."""
    step = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], float)
    mesh = geometry.triangle_mesh(step, [(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)])
    for deep in (1e-4, 1e-9, -1e-9, -1e-7, -1e-4):
        place = (0.8 - deep, 0.5, 0.2 + deep)
        found = contacts(mesh, pose(), geometry.box((0.4, 0.4, 0.4)), pose(place), 1e-3)
        for normal in ((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)):
            on_it = np.abs(found["normal"] - normal).max(axis=1) < 1e-12
            assert on_it.sum() == 4
            assert np.abs(found["g_N"][on_it] - deep).max() < 1e-14
        assert len(found["g_N"]) == 8


@pytest.mark.parametrize("body", [geometry.sphere(1.5), geometry.capsule(1.5, 0.4)])
@pytest.mark.parametrize("y", [0.1, -1.05])
def test_before_a_sharp_edge_nothing_touches_the_side_behind_it(
    body: geometry.Shape, y: float
) -> None:
    """A round body larger than a wedge of triangles is thick, at its edge or corner."""
    points = [[0, -1, 0], [0, 1, 0], [1, -1, 0.3], [1, 1, 0.3], [1, -1, -0.3], [1, 1, -0.3]]
    vertices, faces = hull_faces(np.array(points, dtype=np.float64))
    mesh = geometry.triangle_mesh(vertices, faces)
    found = contacts(mesh, pose(), body, pose((-0.1, y, 0.01)), 0.1)
    place = np.array([0.0, min(max(y, -1.0), 1.0), 0.0])
    z = np.clip(0.0, -0.19, 0.21) if body.features > 1 else 0.01
    exact = np.linalg.norm(place - (-0.1, y, z)) - 1.5
    assert found["g_N"] == pytest.approx([exact], abs=1e-14)


@pytest.mark.parametrize("level", [2, 3])
def test_sphere_of_triangles_tends_to_the_sphere(level: int) -> None:
    """Facets of the triangulated sphere are inside by at most 1 - cos of half an edge angle."""
    vertices, faces = icosphere(level)
    mesh = geometry.triangle_mesh(vertices, faces)
    longest = np.linalg.norm(vertices[faces] - vertices[np.roll(faces, 1, axis=1)], axis=2).max()
    q = random_poses(300, 1.5, np.random.default_rng(10))
    p = np.tile(pose(), (300, 1))
    gap = least_gap(contacts(mesh, p, geometry.sphere(0.2), q), 300)
    exact = least_gap(contacts(geometry.sphere(1.0), p, geometry.sphere(0.2), q), 300)
    apart = exact > -0.2
    assert (gap - exact)[apart].min() > -1e-12
    # Depth of a facet inside the sphere: circumradius² / 2 of an almost regular triangle.
    assert (gap - exact)[apart].max() < 1.1 * longest**2 / 6.0
    assert np.isfinite(gap[apart]).all()


def test_lowest_vertices_of_a_mesh_are_over_a_half_space() -> None:
    vertices, faces = SURFACES["potato"]
    q = random_poses(200, 0.5, np.random.default_rng(11))
    mesh, plane = geometry.triangle_mesh(vertices, faces), geometry.half_space()
    found = contacts(plane, np.tile(pose(), (200, 1)), mesh, q)
    lowest = np.array([placed(vertices, row)[:, 2].min() for row in q])
    assert np.abs(least_gap(found, 200) - lowest).max() < 1e-14
    swapped = contacts(mesh, q, plane, np.tile(pose(), (200, 1)))
    assert np.array_equal(swapped["normal"], -found["normal"])
    assert np.array_equal(swapped["g_N"], found["g_N"])


def test_two_meshes_are_apart_by_their_nearest_triangles() -> None:
    a, b = potato(1, seed=2, roughness=0.2), torus(0.8, 0.3, 5)
    p, q = np.tile(pose(), (25, 1)), random_poses(25, 1.2, np.random.default_rng(12))
    gap = least_gap(contacts(geometry.triangle_mesh(*a), p, geometry.triangle_mesh(*b), q), 25)
    checked = 0
    for k, row in enumerate(q):
        first, second = a[0][a[1]], placed(b[0], row)[b[1]]
        exact = soup_distance(first, second)
        if not 1e-6 < exact < 1.0 or winding(second[0, 0], first) > 0.5:
            continue
        checked += 1
        assert abs(gap[k] - exact) < 1e-12
    assert checked > 3


@pytest.mark.parametrize("name", SURFACES)
def test_order_of_the_shapes_and_rigid_motions_change_nothing(name: str) -> None:
    body, rng = capsule(0.1, 0.4).shape, np.random.default_rng(13)
    p, q = random_poses(100, 0.3, rng), random_poses(100, 0.8, rng)
    found = contacts(surface(name), p, body, q, 0.5)
    swapped = contacts(body, q, surface(name), p, 0.5)
    assert np.array_equal(found["g_N"], swapped["g_N"])
    assert np.array_equal(found["feature_1"], swapped["feature_2"])
    assert np.array_equal(found["r_1"], swapped["r_2"])
    step = found["r_2"] - found["r_1"] - found["g_N"][:, None] * found["normal"]
    assert np.abs(step).max() < 1e-12
    assert found["feature_1"].min() >= 0
    assert found["feature_1"].max() < surface(name).features


def test_box_tree_finds_what_all_boxes_say_after_a_refit_too() -> None:
    rng = np.random.default_rng(14)
    low = rng.uniform(0.0, 10.0, (3000, 3))
    high = low + rng.uniform(0.0, 0.3, (3000, 3))
    tree = geometry.BoxTree3(low, high)
    for _ in range(2):
        for corner in rng.uniform(0.0, 10.0, (50, 3)):
            found, tests = tree.overlapping(corner, corner + 0.5)
            expected = np.flatnonzero(((low <= corner + 0.5) & (high >= corner)).all(axis=1))
            assert sorted(found) == expected.tolist()
        move = 0.3 * rng.normal(size=3) + 0.1 * rng.normal(size=(3000, 3))
        low, high = low + move, high + move
        tree.refit(low, high)
    assert tests < 400
    with pytest.raises(ValueError, match="items: expected 3000 boxes, got 2"):
        tree.refit(low[:2], high[:2])


def test_search_in_a_large_mesh_looks_at_few_boxes() -> None:
    """With a tree over n triangles, each doubling adds a constant number of tests per search."""
    tests = []
    for n in (64, 128, 256):
        vertices, faces = s.HeightField(np.zeros((n, n)), 1.0 / n).mesh()
        corners = vertices[faces]
        tree = geometry.BoxTree3(corners.min(axis=1), corners.max(axis=1))
        place = np.array([0.37, 0.61, 0.0])
        tests.append(tree.overlapping(place - 0.5 / n, place + 0.5 / n)[1])
    assert tests[2] - tests[1] < 40
    assert tests[2] < 150

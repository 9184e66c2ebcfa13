"""Closed meshes in contact: defects with their location, trees that are refitted, crossings."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsmb.geometry
from nsmb._core.geometry import ArealInstance, ArealMesh
from tests.geometry.mesh_zoo import box_mesh, icosphere, potato, torus
from tests.oracles.triangle_soup import winding

EYE = np.eye(3)


def mesh(given, move=(0, 0, 0), turn=EYE):
    return nsmb.geometry.TriangleMesh(given[0] @ np.asarray(turn).T + move, given[1])


def instance(shape, depth=0.0):
    return ArealInstance(ArealMesh(shape._core, depth))


def corners(shape, r=(0, 0, 0), A=EYE):
    return (np.asarray(shape.vertices) @ np.asarray(A).T + r)[np.asarray(shape.triangles)]


def crossing_pairs(first, second):
    """Return all pairs with an edge of one through the other triangle, by signs of volumes."""

    def volume(a, b, c, d):
        return np.einsum("...i,...i", np.cross(b - a, c - a), d - a)

    found = set()
    for one, other, swapped in ((first, second, False), (second, first, True)):
        a, b, c = (other[None, :, k] for k in range(3))
        for k in range(3):
            p, q = one[:, None, k], one[:, None, (k + 1) % 3]
            apart = volume(a, b, c, p) * volume(a, b, c, q) < 0.0
            sides = np.sign([volume(p, q, x, y) for x, y in ((a, b), (b, c), (c, a))])
            hits = apart & (np.abs(sides.sum(axis=0)) == 3)
            found |= {(k, i) if swapped else (i, k) for i, k in np.argwhere(hits).tolist()}
    return found


def test_flat_parts_do_not_intersect_themselves() -> None:
    turn = Rotation.random(random_state=3).as_matrix()
    for cells in (1, 5):
        shape = mesh(box_mesh((1.0, 2.0, 0.3), cells), (100.0, -3.0, 7.0), turn)
        assert ArealMesh(shape._core, 0.0).depth > 0.0


def test_defects_are_named_with_their_place() -> None:
    vertices, faces = icosphere(1)
    with pytest.raises(ValueError, match=r"mesh_1: surface: .* closed .* 3 open edges, such as"):
        nsmb.geometry.mesh_crossing(mesh((vertices, faces[1:])), mesh((vertices, faces)))
    with pytest.raises(ValueError, match="inside out, with a volume of -"):
        mesh((vertices, faces[:, ::-1]))
    two = np.vstack([vertices, vertices + np.array((1.2, 0.1, 0.2))])
    both = np.vstack([faces, faces + len(vertices)])
    with pytest.raises(ValueError, match="intersect itself, got triangles") as error:
        ArealMesh(mesh((two, both))._core, 0.0)
    i, k = (int(word) for word in str(error.value).split() if word.isdigit())
    triangles = two[both]
    assert crossing_pairs(triangles[[i]], triangles[[k]])


@pytest.mark.parametrize("seed", range(3))
def test_crossings_are_those_of_all_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = mesh(potato(2, seed, 0.2)), mesh(torus(0.8, 0.3, 14))
    A = Rotation.random(random_state=seed).as_matrix()
    r = rng.uniform(-0.6, 0.6, 3)
    found = nsmb.geometry.mesh_crossing(first, second, r, A)
    expected = crossing_pairs(corners(first), corners(second, r, A))
    assert {tuple(pair) for pair in found.crossing.tolist()} == expected
    assert expected
    assert found.triangle_tests < 0.1 * len(first.triangles) * len(second.triangles)


@pytest.mark.parametrize("seed", range(4))
def test_polygons_are_closed_and_enclose_what_is_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = mesh(potato(2, seed, 0.2)), mesh(potato(3, 10 + seed, 0.1))
    A = Rotation.random(random_state=seed).as_matrix()
    r = rng.uniform(-0.8, 0.8, 3)
    found = nsmb.geometry.mesh_crossing(first, second, r, A)
    assert found.closed
    assert all(found.closed)
    assert sum(map(len, found.polygons)) == len(found.crossing)
    one, other = corners(first), corners(second, r, A)
    for own, against, active, column in (
        (one, other, found.active_1, 0),
        (other, one, found.active_2, 1),
    ):
        crossed = set(found.crossing[:, column].tolist())
        inside = {
            k for k in set(range(len(own))) - crossed if winding(own[k].mean(axis=0), against) > 0.5
        }
        assert set(active.tolist()) == crossed | inside


def test_the_polygon_of_two_spheres_is_their_circle() -> None:
    sphere = mesh(icosphere(4))
    A = Rotation.from_euler("z", 0.3).as_matrix()  # no edge on an edge
    (polygon,) = nsmb.geometry.mesh_crossing(sphere, sphere, (0.0, 0.0, 1.2), A).polygons
    # Edges of 0.07 have chords 0.07²/8 below the sphere.
    assert np.hypot(*polygon[:, :2].T) == pytest.approx(0.8, abs=2e-3)
    assert polygon[:, 2] == pytest.approx(0.6, abs=2e-3)


def test_a_tree_that_is_refitted_finds_what_one_built_anew_does() -> None:
    rng = np.random.default_rng(5)
    vertices, faces = icosphere(3)
    other = instance(mesh(icosphere(3)))
    moved = instance(mesh((vertices, faces)))
    for _ in range(3):
        wave = rng.normal(size=(3, 3))
        places = vertices + 0.15 * np.sin(vertices @ wave)
        moved.update(places)
        anew = instance(mesh((places, faces)))
        r = rng.uniform(-1.0, 1.0, 3)
        pairs = [a.near_pairs(other, r, EYE)[0] for a in (moved, anew)]
        first, second = (set(map(tuple, p.tolist())) for p in pairs)
        assert first == second
        boxes = [
            (t.min(axis=-2), t.max(axis=-2))
            for t in (places[faces], np.asarray(corners(mesh(icosphere(3)), r)))
        ]
        overlap = (boxes[0][0][:, None] <= boxes[1][1]) & (boxes[1][0] <= boxes[0][1][:, None])
        # No pair of overlapping boxes is missed, and no pair found is far apart.
        assert first == set(map(tuple, np.argwhere(overlap.all(axis=-1)).tolist()))


def test_layers_of_bodies_with_flat_faces_are_as_deep_as_asked() -> None:
    for cells, size in itertools.product((1, 4), ((1.0, 1.0, 1.0), (3.0, 0.5, 1.0))):
        found = ArealMesh(mesh(box_mesh(size, cells))._core, 0.05)
        assert np.asarray(found.depths) == pytest.approx(0.05, rel=1e-14)


def test_a_layer_that_does_not_fit_is_thinner() -> None:
    found = ArealMesh(mesh(torus(1.0, 0.1, 24))._core, 0.3)
    assert max(found.depths) < 0.15

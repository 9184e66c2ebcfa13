"""Meshes and height fields from Python: errors with their messages, masses, files, copies."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb.geometry as s
from tests.geometry.mesh_zoo import box_mesh, icosphere, plate, torus

TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=np.float64)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def test_tetrahedron_has_the_integrals_of_the_book() -> None:
    """∫ x² = 1/60, ∫ x y = 1/120 over the corner of the unit cube."""
    shift = np.array([100.0, -50.0, 30.0])
    mesh = s.TriangleMesh(TETRAHEDRON + shift, FACES)
    p = mesh.mass_properties(density=6.0)
    assert mesh.is_closed
    assert mesh.volume == pytest.approx(1.0 / 6.0, rel=1e-14)
    assert p.mass == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(p.center, shift + 0.25, rtol=1e-15)
    second = 6.0 * (np.eye(3) / 120.0 + np.ones((3, 3)) / 120.0) - np.full((3, 3), 1.0 / 16.0)
    inertia = np.trace(second) * np.eye(3) - second
    np.testing.assert_allclose(p.inertia, inertia, atol=1e-14)


@pytest.mark.parametrize("cells", [1, 5])
def test_box_of_triangles_is_the_box(cells: int) -> None:
    mesh, box = s.TriangleMesh(*box_mesh((1.0, 2.0, 3.0), cells)), s.Box((1.0, 2.0, 3.0))
    p, q = mesh.mass_properties(2.0), box.mass_properties(2.0)
    assert p.mass == pytest.approx(q.mass, rel=1e-14)
    np.testing.assert_allclose(p.inertia, q.inertia, atol=1e-13)
    np.testing.assert_allclose(p.center, 0.0, atol=1e-14)


def test_torus_of_triangles_tends_to_the_torus() -> None:
    """V = 2π² R r², I_z = m (R² + 3/4 r²): errors of order 2 in the size of the triangles."""
    R, r, errors = 1.0, 0.4, []
    for n in (16, 32, 64):
        p = s.TriangleMesh(*torus(R, r, n)).mass_properties(1.0)
        exact = 2.0 * np.pi**2 * R * r**2
        errors.append((exact - p.mass, exact * (R**2 + 0.75 * r**2) - p.inertia[2, 2]))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert (np.abs(ratios - 4.0) < 0.1).all()


def test_open_surface_has_no_volume() -> None:
    mesh = s.TriangleMesh(*plate(20, seed=1))
    assert not mesh.is_closed
    assert mesh.volume == 0.0
    with pytest.raises(ValueError, match=r"closed surface.* 20 open edges"):
        mesh.mass_properties(1.0)
    with pytest.raises(ValueError, match="closed surface"):
        s.HeightField(np.zeros((3, 3)), 1.0).mass_properties(1.0)


def changed(row: int, value: Any) -> list[tuple[int, ...]]:
    faces = list(FACES)
    faces[row] = value
    return faces


@pytest.mark.parametrize(
    ("vertices", "triangles", "message"),
    [
        (TETRAHEDRON[:, :2], FACES, r"vertices: expected shape \(n, 3\)"),
        ([*TETRAHEDRON[:3], (0, np.nan, 1)], FACES, "finite numbers, got vertex 3"),
        (TETRAHEDRON, [0, 1, 2], r"triangles: expected shape \(m, 3\)"),
        (TETRAHEDRON, np.zeros((0, 3), int), "at least one, got none"),
        (TETRAHEDRON, [(0, 1, 2.5)], "whole numbers"),
        (TETRAHEDRON, changed(2, (0, 4, 2)), "vertices 0 ... 3, got 4 in triangle 2"),
        (TETRAHEDRON, changed(1, (0, -1, 3)), "vertices 0 ... 3, got -1 in triangle 1"),
        (TETRAHEDRON, changed(3, (1, 2, 1)), r"three different .* \(1, 2, 1\) as triangle 3"),
        (TETRAHEDRON, [*FACES, (2, 1, 0)], r"each triangle once, got triangles 0 and 4 .*0, 1, 2"),
        ([*TETRAHEDRON, (1, 1, 1)], [*FACES, (0, 1, 4)], "one or two triangles.*0, 1 in tri.*0, 1"),
        (TETRAHEDRON, changed(3, (1, 3, 2)), "same orientation.*triangles 0 and 3.*vertices 1, 2"),
        (TETRAHEDRON, [f[::-1] for f in FACES], "inside out.* volume of -0.16"),
        ([(0, 0, 0), (1, 0, 0), (3, 0, 0)], [(0, 1, 2)], "triangle 0 with its vertices 0, 1, 2 on"),
    ],
)
def test_each_defect_of_a_mesh_is_named_with_its_place(
    vertices: Any, triangles: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        s.TriangleMesh(vertices, triangles)


@pytest.mark.parametrize(
    ("heights", "spacing", "origin", "message"),
    [
        (np.zeros(4), 1.0, (0, 0, 0), r"heights: expected shape \(n_x, n_y\)"),
        (np.zeros((1, 4)), 1.0, (0, 0, 0), "two or more along each axis"),
        ([[0.0, 1.0], [np.nan, 0.0]], 1.0, (0, 0, 0), r"finite numbers, got nan at \[1, 0\]"),
        (np.zeros((2, 2)), 0.0, (0, 0, 0), "dx: expected"),
        (np.zeros((2, 2)), (1.0, -1.0), (0, 0, 0), "dy: expected"),
        (np.zeros((2, 2)), (1.0, 1.0, 1.0), (0, 0, 0), "one number or two"),
        (np.zeros((2, 2)), 1.0, (0, 0), "origin"),
        (np.zeros((2, 2)), 1.0, (0, 0, np.inf), "origin"),
    ],
)
def test_misuse_of_height_fields_is_refused(
    heights: Any, spacing: Any, origin: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        s.HeightField(heights, spacing, origin)


@pytest.mark.parametrize("make", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_the_same_shape(make: Any) -> None:
    mesh = make(s.TriangleMesh(*icosphere(1)))
    assert mesh.volume == s.TriangleMesh(*icosphere(1)).volume
    field = make(s.HeightField(np.eye(3), (1.0, 2.0), origin=(1, 2, 3)))
    assert np.array_equal(field.mesh()[0][4], (2.0, 4.0, 4.0))


def test_height_field_is_the_mesh_it_says() -> None:
    """The same triangles and neighbours yield the same contacts with the same triangle features."""
    from nsmb._core import geometry
    from tests.geometry.solid_zoo import pose, random_poses

    heights = np.random.default_rng(3).normal(size=(7, 9)) * 0.1
    field = s.HeightField(heights, (0.2, 0.3), origin=(-0.6, -1.2, 0.0))
    mesh = s.TriangleMesh(*field.mesh())
    q = random_poses(200, 0.3, np.random.default_rng(4))
    for body in (geometry.sphere(0.2), geometry.box((0.2, 0.3, 0.1)), geometry.cylinder(0.1, 0.3)):
        tables = [
            geometry.shape_contacts(ground._core, np.tile(pose(), (200, 1)), body, q, 0.1)
            for ground in (field, mesh)
        ]
        keys = []
        for table in tables:
            values = np.column_stack([table["row"], table["g_N"], table["r_1"], table["normal"]])
            keys.append(values[np.lexsort(np.round(values, 9).T)])
        np.testing.assert_allclose(keys[0], keys[1], atol=1e-13)


@pytest.mark.parametrize("end", ["stl", "obj", "ply", "off", "vtu"])
def test_files_give_back_the_mesh(end: str, tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    vertices, faces = box_mesh((1.0, 2.0, 3.0), 2)
    path = tmp_path / f"box.{end}"
    meshio.Mesh(1000.0 * vertices, [("triangle", faces)]).write(path)
    mesh = s.TriangleMesh.from_file(path, scale=0.001)
    assert mesh.is_closed
    assert np.shape(mesh.vertices) == vertices.shape
    assert mesh.volume == pytest.approx(6.0, rel=1e-6)  # some files store seven digits


def test_faces_of_files_with_more_corners_are_cut(tmp_path: Path) -> None:
    pytest.importorskip("meshio")
    path = tmp_path / "cube.obj"
    corners = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    loops = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [
        f"f {a} {b} {c} {d}" for a, b, c, d in loops
    ]
    path.write_text("\n".join(lines) + "\n")
    assert s.TriangleMesh.from_file(path).volume == pytest.approx(1.0, rel=1e-15)


def test_files_that_are_no_meshes_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meshio = pytest.importorskip("meshio")
    with pytest.raises(FileNotFoundError, match=r"none\.stl"):
        s.TriangleMesh.from_file(tmp_path / "none.stl")
    for name, text, message in (
        ("a.stl", "solid nothing\n", r"a\.stl"),
        ("b.xyz", "1 2 3\n", r"must end with one of .*\.stl.*, got .*b\.xyz'\. Convert"),
        ("c.obj", "v 0 0 zero\n", r"c\.obj' cannot be read"),
    ):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            s.TriangleMesh.from_file(path)
    lines = tmp_path / "lines.vtu"
    meshio.Mesh(TETRAHEDRON, [("line", [[0, 1]])]).write(lines)
    with pytest.raises(ValueError, match="expected faces, got none"):
        s.TriangleMesh.from_file(lines)
    with pytest.raises(ValueError, match="scale"):
        s.TriangleMesh.from_file(lines, scale=0.0)
    assert capsys.readouterr() == ("", "")

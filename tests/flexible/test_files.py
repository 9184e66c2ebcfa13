"""Meshes and matrices from files, and bodies saved in files."""

from pathlib import Path

import meshio
import numpy as np
import pytest
from scipy import io, sparse

import nsmb
from nsmb import flexible
from tests.flexible.blocks import bar, brick


def gmsh_file(path: Path) -> flexible.Mesh:
    """Write a rectangle with named sides as Gmsh does, with an additional unused node."""
    mesh = flexible.Mesh.rectangle(2000.0, 1000.0, 4, 2, kind="triangle")
    points = np.column_stack([mesh.nodes, np.zeros(len(np.asarray(mesh.nodes)))])
    points = np.vstack([[(7.0, 7.0, 0.0)], points])
    left = np.asarray(mesh.facets["left"]) + 1
    cells = [("line", left), ("triangle", np.asarray(mesh.cells) + 1)]
    tags = [np.full(len(left), 5), np.full(len(np.asarray(mesh.cells)), 9)]
    meshio.Mesh(
        points,
        cells,
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={"wall": np.array([5, 1]), "plate": np.array([9, 2])},
    ).write(path, file_format="gmsh22")
    return mesh


def test_mesh_of_gmsh_keeps_names_and_units(tmp_path: Path) -> None:
    """Read in millimetres, the body is that of the mesh in metres."""
    written = gmsh_file(tmp_path / "plate.msh")
    mesh = flexible.read_mesh(tmp_path / "plate.msh", scale=1e-3)
    assert np.asarray(mesh.nodes) == pytest.approx(1e-3 * np.asarray(written.nodes), rel=1e-12)
    assert np.array_equal(np.sort(mesh.places["wall"]), np.sort(written.places["left"]))
    material = {"E": 1e3, "nu": 0.3, "density": 2.0}
    found = flexible.plane(mesh, **material)
    assert found.places["wall"].shares == pytest.approx([0.25, 0.5, 0.25])
    own = flexible.plane(flexible.Mesh.rectangle(2.0, 1.0, 4, 2, kind="triangle"), **material)
    frequencies = [flexible.reduce(e, 4).frequencies for e in (found, own)]
    assert frequencies[0] == pytest.approx(frequencies[1], rel=1e-9)


@pytest.mark.parametrize(
    ("suffix", "kind"), [("inp", "hexahedron"), ("vtk", "tetra"), ("bdf", "tetra")]
)
def test_meshes_of_other_programs(tmp_path: Path, suffix: str, kind: str) -> None:
    mesh = flexible.Mesh.box((1.0, 0.5, 0.25), (3, 2, 1), kind=kind)
    path = tmp_path / f"box.{suffix}"
    meshio.Mesh(mesh.nodes, [(kind, mesh.cells)]).write(path)
    found = flexible.read_mesh(path)
    assert found.kind == kind
    assert np.asarray(found.nodes) == pytest.approx(np.asarray(mesh.nodes), abs=1e-9)
    assert np.array_equal(found.cells, mesh.cells)


def test_matrices_from_text_make_the_body_they_are_of(tmp_path: Path) -> None:
    """Formats are Matrix Market and lines of row, column and value, one triangle, 17 digits."""
    elements = bar(10)
    io.mmwrite(tmp_path / "mass.mtx", elements.mass_matrix, symmetry="symmetric", precision=17)
    lower = sparse.tril(elements.stiffness_matrix).tocoo()
    entries = zip(lower.row.tolist(), lower.col.tolist(), lower.data.tolist(), strict=True)
    lines = [f"{i + 1}, {j + 1}, {value!r}" for i, j, value in entries]
    (tmp_path / "K.txt").write_text("# row column value\n" + "\n".join(lines) + "\n")
    M, K = flexible.read_matrix(tmp_path / "mass.mtx"), flexible.read_matrix(tmp_path / "K.txt")
    assert abs(M - elements.mass_matrix).max() <= 1e-15 * abs(M).max()
    assert abs(K - elements.stiffness_matrix).max() == 0.0
    given = flexible.FiniteElements(np.asarray(elements.nodes)[:, :2], M, K)
    a, b = (flexible.reduce(e, 4).frequencies for e in (given, elements))
    assert a == pytest.approx(b, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1 2.0\n1 x 3\n", "from 1 on in line 2, got '1 x 3'"),
        ("0 1 2.0\n", "from 1 on in line 1"),
        ("# nothing\n", "expected entries of a matrix"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n", "cannot be read"),
    ],
)
def test_texts_that_are_no_matrix_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "matrix.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        flexible.read_matrix(path)


@pytest.mark.parametrize("suffix", ["npz", "h5"])
@pytest.mark.parametrize("body", [flexible.reduce(bar(10), 3, rayleigh=(0.1, 1e-4)), brick()])
def test_body_from_its_file_moves_bit_by_bit_as_the_one_before(
    tmp_path: Path, body: nsmb.flexible.FlexibleBody, suffix: str
) -> None:
    path = tmp_path / f"body.{suffix}"
    body.save(path)
    twin = nsmb.flexible.FlexibleBody.load(path)
    ends = []
    for each in (body, twin):
        m = nsmb.Model(gravity=(0.0, -9.81))
        elastic = m.add_elastic_body("body", each)
        joint = nsmb.joints.Planar() if each.is_planar else nsmb.joints.Free()
        m.add_joint("free", joint, m.ground, elastic)
        m.add_spring_damper("spring", m.ground, elastic, c=1e4, free_length=0.1, at_2=1)
        ends.append(nsmb.simulate(m.build(), 0.1).q[-1])
    assert np.array_equal(*ends)
    assert twin.paths == body.paths
    assert np.array_equal(twin.triangles, body.triangles)
    q_e = np.arange(1.0, body.count + 1.0)
    assert np.array_equal(twin.stresses(q_e), body.stresses(q_e))
    assert np.array_equal(twin.free_frequencies, body.free_frequencies)
    for name, group in body.places.items():
        assert np.array_equal(twin.places[name].nodes, group.nodes)
        assert np.array_equal(twin.places[name].shares, group.shares)


def test_file_is_read_without_mesh_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flexible.reduce(bar(10), 3).save(tmp_path / "bar.npz")
    for module in ("skfem", "meshio", "scipy", "scipy.sparse", "scipy.linalg", "pyamg"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    body = nsmb.flexible.FlexibleBody.load(tmp_path / "bar.npz")
    m = nsmb.Model()
    m.add_joint("free", nsmb.joints.Planar(), m.ground, m.add_elastic_body("bar", body))
    assert nsmb.simulate(m.build(), 0.01).success


def test_damaged_and_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bar.npz"
    flexible.reduce(bar(10), 3).save(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match="damaged"):
        nsmb.flexible.FlexibleBody.load(path)
    nsmb.simulate(nsmb.systems.bouncing_ball(), 0.1).save(tmp_path / "run.npz")
    with pytest.raises(ValueError, match="is not a flexible body"):
        nsmb.flexible.FlexibleBody.load(tmp_path / "run.npz")

"""Meshes, robots and drawings from files keep the guarantees of SECURITY.md."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import flexible, geometry
from nsmb.geometry import Polygon

OFF = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"
READERS: dict[str, Callable[[Path], object]] = {
    "mesh.off": geometry.TriangleMesh.from_file,
    "mesh.msh": flexible.read_mesh,
    "matrix.txt": flexible.read_matrix,
    "points.csv": Polygon.from_csv,
    "drawing.svg": Polygon.from_svg,
    "drawing.dxf": Polygon.from_dxf,
    "robot.urdf": nsmb.Model.from_urdf,
}
NEEDED = {
    "mesh.off": "meshio",
    "mesh.msh": "meshio",
    "matrix.txt": "scipy",
    "drawing.svg": "svgelements",
    "drawing.dxf": "ezdxf",
    "robot.urdf": "yourdfpy",
}
SEVERAL = [".xdmf", ".med", ".cgns", ".h5m", ".exo", ".ele", ".xml", ".gz"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes pipes")
@pytest.mark.parametrize("name", READERS)
def test_special_files_are_no_meshes(tmp_path: Path, name: str) -> None:
    """Reading a pipe would block, and reading a device would not end."""
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(ValueError, match=r"`path`: must be a regular file, got .*Copy its content"):
        READERS[name](path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="`path`: must be a regular file"):
        READERS[name](path)


def test_large_meshes_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("meshio")
    path = tmp_path / "mesh.off"
    path.write_text(OFF)
    size = path.stat().st_size
    assert geometry.TriangleMesh.from_file(path, max_bytes=size).volume == pytest.approx(1 / 6)
    message = rf"must have at most {size - 1} bytes, got .* with {size}\. Pass max_bytes={size} to"
    with pytest.raises(ValueError, match=message):
        geometry.TriangleMesh.from_file(path, max_bytes=size - 1)
    with open(path, "ab") as file:  # a sparse file
        file.truncate(256 * 2**20 + 1)
    with pytest.raises(ValueError, match="must have at most 268435456 bytes"):
        geometry.TriangleMesh.from_file(path)
    with pytest.raises(ValueError, match="must have at most 268435456 bytes"):
        flexible.read_mesh(path)


@pytest.mark.parametrize(
    "suffix", [".xdmf", ".med", ".cgns", ".h5m", ".exo", ".ele", ".xml", ".gz"]
)
def test_meshes_that_lead_to_other_files_are_refused(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("meshio")
    path = tmp_path / f"mesh{suffix}"
    path.write_text(OFF)
    for read in (geometry.TriangleMesh.from_file, flexible.read_mesh):
        with pytest.raises(ValueError, match=r"`path`: must end with one of .*meshio convert"):
            read(path)


@pytest.mark.parametrize("line", ["*INCLUDE, INPUT=other.inp", " * include,input=other.inp"])
def test_meshes_that_include_others_are_refused(tmp_path: Path, line: str) -> None:
    pytest.importorskip("meshio")
    path = tmp_path / "mesh.inp"
    path.write_text(f"*NODE\n1, 0, 0, 0\n{line.replace('* ', '*')}\n")
    with pytest.raises(ValueError, match="which includes another one"):
        flexible.read_mesh(path)


def robot(folder: Path, *names: str) -> Path:
    meshes = "".join(
        f'<collision name="{k}"><geometry><mesh filename="{name}"/></geometry></collision>'
        for k, name in enumerate(names)
    )
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="one"><link name="tool">{meshes}</link></robot>')
    return path


def test_meshes_of_a_robot_stay_in_their_folder(tmp_path: Path) -> None:
    pytest.importorskip("yourdfpy")
    pytest.importorskip("meshio")
    package = tmp_path / "arm"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    for place in (package / "urdf", package / "meshes", tmp_path):
        (place / "block.off").write_text(OFF)
    (package / "urdf" / "link.off").symlink_to(tmp_path / "block.off")
    (package / "urdf" / "zero.off").symlink_to("/dev/zero")
    outside = ("../meshes/block.off", "package://arm/../../block.off", "package://x/../block.off",
               "link.off", "zero.off", os.fspath(tmp_path / "block.off"), "/etc/passwd",
               f"file://{tmp_path}/block.off")  # fmt: skip
    path = robot(package / "urdf", "block.off", *outside)
    with pytest.warns(nsmb.ModelWarning) as told:
        model = nsmb.Model.from_urdf(path, shapes=True)
    assert [record.name for record in model._records.shapes.values()] == ["0"]
    (text,) = [str(entry.message) for entry in told]
    assert "must lie in the folder" in text
    assert "Pass mesh_folder" in text
    found = robot(package / "urdf", "../meshes/block.off", "package://arm/meshes/block.off")
    model = nsmb.Model.from_urdf(found, shapes=True, mesh_folder=package)
    assert [record.name for record in model._records.shapes.values()] == ["0", "1"]
    model = nsmb.Model.from_urdf(
        robot(package / "urdf", "package://arm/meshes/block.off"), shapes=True, mesh_folder=tmp_path
    )
    assert len(model._records.shapes) == 1


def test_addresses_and_large_meshes_of_a_robot_are_left_out(tmp_path: Path) -> None:
    pytest.importorskip("yourdfpy")
    pytest.importorskip("meshio")
    (tmp_path / "block.off").write_text(OFF)
    path = robot(tmp_path, "http://example.org/block.off")
    with pytest.warns(nsmb.ModelWarning, match="must be a file, got an address http://"):
        nsmb.Model.from_urdf(path, shapes=True)
    path = robot(tmp_path, "block.off")
    with pytest.warns(nsmb.ModelWarning, match="at most 10 bytes.*Pass max_mesh_bytes="):
        nsmb.Model.from_urdf(path, shapes=True, max_mesh_bytes=10)
    with pytest.raises(ValueError, match="`mesh_folder`: must be a folder"):
        nsmb.Model.from_urdf(path, shapes=True, mesh_folder=path)
    assert len(nsmb.Model.from_urdf(path, shapes=True)._records.shapes) == 1


def test_matrices_cannot_ask_for_rows_without_entries(tmp_path: Path) -> None:
    text = tmp_path / "matrix.txt"
    text.write_text("1 1 2.0\n1000000000000 1000000000000 3.0\n")
    with pytest.raises(ValueError, match="must have rows in proportion to its entries"):
        flexible.read_matrix(text)
    market = tmp_path / "matrix.mtx"
    head = "%%MatrixMarket matrix coordinate real symmetric\n"
    for sizes, message in (
        ("2000000000 2000000000 1", "must have rows in proportion"),
        ("3 3 1000000000000", "1000000000000 entries are declared, more than the file can hold"),
    ):
        market.write_text(f"{head}{sizes}\n1 1 1.0\n")
        with pytest.raises(ValueError, match=message):
            flexible.read_matrix(market)
    market.write_text(f"{head}2 2 2\n1 1 1.0\n2 2 3.0\n")
    np.testing.assert_array_equal(flexible.read_matrix(market).toarray(), np.diag([1.0, 3.0]))

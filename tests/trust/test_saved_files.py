"""The content of saved files and the cost of reading them keep the guarantees of SECURITY.md."""

from __future__ import annotations

import hashlib
import io
import json
import os
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.common import array_files

Content = tuple[str, dict[str, np.ndarray]]


@pytest.fixture(scope="module")
def run() -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0)


@pytest.fixture(params=[".npz", ".h5", "growing.h5"])
def path(request: pytest.FixtureRequest, tmp_path: Path, run: nsmb.Solution) -> Path:
    """Return a file of the run. `growing.h5` was written during the run."""
    if request.param != ".npz":
        pytest.importorskip("h5py")
    file = tmp_path / f"run{request.param}"
    if request.param == "growing.h5":
        nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, record=nsmb.to_hdf5(file))
    else:
        run.save(file)
    return file


def checksum(header: str, data: dict[str, np.ndarray]) -> str:
    """Return the SHA-256 of the header and of names, types, shapes and bytes of the arrays."""
    digest = hashlib.sha256(header.encode())
    for name in sorted(data):
        array = data[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def archive(path: Path) -> Content:
    with np.load(path) as found:
        data = {name: found[name] for name in found.files}
    assert str(data.pop("nsmb_sha256")) == checksum(str(data["nsmb"]), without(data, "nsmb"))
    return str(data.pop("nsmb")), data


def without(data: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    return {key: array for key, array in data.items() if key != name}


def test_a_file_without_checksum_is_refused(path: Path) -> None:
    assert nsmb.Solution.load(path).t[-1] == 1.0
    if path.suffix == ".npz":
        header, data = archive(path)
        np.savez(path, nsmb=np.array(header), **data)
    else:
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "r+") as file:
            del file.attrs["nsmb_sha256"]
    with pytest.raises(ValueError, match=r"damaged \(no 'nsmb_sha256' in it\)"):
        nsmb.Solution.load(path)


def test_a_changed_file_is_refused_before_it_is_looked_at(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invalid JSON is not parsed, because its checksum is wrong."""
    if path.suffix == ".npz":
        header, data = archive(path)
        stored = np.array(checksum(header, data))
        np.savez(path, nsmb=np.array(header[:-1]), nsmb_sha256=stored, **data)
    else:
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "r+") as file:
            file.attrs["nsmb"] = file.attrs["nsmb"][:-1]

    def parsed(text: str) -> object:
        raise AssertionError(text)

    monkeypatch.setattr(json, "loads", parsed)
    with pytest.raises(ValueError, match=r"damaged \(its checksum is wrong\)"):
        nsmb.Solution.load(path)


def replaced(file: Any, folder: Path, kind: str) -> None:
    """Make the data set ``t`` of an open HDF5 file a link or virtual."""
    h5py = pytest.importorskip("h5py")
    shape = file["t"].shape
    values = np.linspace(0.0, 1.0, shape[0])
    with h5py.File(folder / "other.h5", "w") as other:
        other["t"] = values
    values.tofile(folder / "other.bin")
    del file["t"]
    if kind == "external storage":
        place = [(os.fspath(folder / "other.bin"), 0, values.nbytes)]
        file.create_dataset("t", shape, "f8", external=place)
    elif kind == "external link":
        file["t"] = h5py.ExternalLink(os.fspath(folder / "other.h5"), "t")
    elif kind == "soft link":
        file["t"] = h5py.SoftLink("/step_start")
    elif kind == "second name":
        file["t"] = file["step_start"]
    elif kind == "virtual":
        layout = h5py.VirtualLayout(shape, "f8")
        layout[:] = h5py.VirtualSource(os.fspath(folder / "other.h5"), "t", shape)
        file.create_virtual_dataset("t", layout)
    elif kind == "group":
        file.create_group("t")
    elif kind == "compressed":
        file.create_dataset("t", data=values, compression="gzip")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("external storage", "'t' is stored in another file"),
        ("external link", "'t' is a link to another location or file"),
        ("soft link", "'t' is a link to another location or file"),
        ("second name", "'.*' occurs twice"),
        ("virtual", "'t' is a virtual data set"),
        ("group", "'t' is not a data set"),
        ("compressed", "'t' is compressed"),
    ],
)
@pytest.mark.parametrize("growing", [False, True])
def test_a_file_that_leads_to_others_is_refused(
    run: nsmb.Solution, tmp_path: Path, kind: str, message: str, growing: bool
) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "run.h5"
    if growing:
        nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, record=nsmb.to_hdf5(path))
    else:
        run.save(path)
    with h5py.File(path, "r+") as file:
        replaced(file, tmp_path, kind)
        if not growing and kind == "external storage":  # even with a checksum
            data = {name: file[name][()] for name in file}
            file.attrs["nsmb_sha256"] = checksum(file.attrs["nsmb"], data)
    with pytest.raises(ValueError, match=rf"run\.h5' is not .* damaged \({message}"):
        nsmb.Solution.load(path)


def npy(shape: tuple[int, ...], content: bytes) -> bytes:
    """Return a NumPy file that declares a shape, with arbitrary content."""
    stream = io.BytesIO()
    about = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, about)
    return stream.getvalue() + content


@pytest.mark.parametrize("shape", [(10**12,), (2**62, 4), (10**15, 0), (-1,), (3,)])
def test_a_file_that_declares_more_than_it_holds_is_refused(
    run: nsmb.Solution, tmp_path: Path, shape: tuple[int, ...]
) -> None:
    path = tmp_path / "run.npz"
    run.save(path)
    with zipfile.ZipFile(path, "a") as members:
        members.writestr("more.npy", npy(shape, b"" if 0 in shape else bytes(16)))
    with pytest.raises(ValueError, match=r"damaged \('more' declares another size than it stores"):
        nsmb.Solution.load(path)


def test_compressed_and_overlapping_members_are_refused(run: nsmb.Solution, tmp_path: Path) -> None:
    """A megabyte of zeros compresses to a kilobyte, and members of an archive may share bytes."""
    path = tmp_path / "run.npz"
    run.save(path)
    whole = path.read_bytes()
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as members:
        members.writestr("more.npy", npy((10,), bytes(80)))
    with pytest.raises(ValueError, match=r"damaged \('more' is compressed\)"):
        nsmb.Solution.load(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as members:
        members.writestr("most.npy", npy((10**6,), bytes(8 * 10**6)))
    with pytest.raises(ValueError, match=r"damaged \(its members are larger than the file\)"):
        nsmb.Solution.load(path)
    path.write_bytes(whole)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as members:
        members.writestr("t.npy", npy((2,), bytes(16)))
    with pytest.raises(ValueError, match=r"damaged \('t.npy' is not a separate array\)"):
        nsmb.Solution.load(path)


@pytest.mark.parametrize("rows", [10**12, 10**7])
def test_hdf5_that_declares_more_than_it_holds_is_refused(
    run: nsmb.Solution, tmp_path: Path, rows: int
) -> None:
    """Chunks that were never written would be read as zeros."""
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "run.h5"
    run.save(path)
    with h5py.File(path, "r+") as file:
        file.create_dataset("more", (rows,), "f8", chunks=(1000,))
    with pytest.raises(ValueError, match=r"damaged \('more' declares more data than it stores"):
        nsmb.Solution.load(path)


def test_objects_in_a_file_are_refused(run: nsmb.Solution, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run.save(path)
    member = io.BytesIO()
    np.save(member, np.array([print], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "a") as members:
        members.writestr("more.npy", member.getvalue())
    with pytest.raises(ValueError, match=r"'more' holds neither numbers nor texts"):
        nsmb.Solution.load(path)
    h5py = pytest.importorskip("h5py")
    run.save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        file.create_dataset("more", data=["a", "b"], dtype=h5py.string_dtype())
    with pytest.raises(ValueError, match=r"'more' holds no numbers"):
        nsmb.Solution.load(tmp_path / "run.h5")


LOADERS: dict[str, Callable[[Path], object]] = {
    "solution": nsmb.Solution.load,
    "orbit": lambda path: nsmb.analysis.results.PeriodicOrbit.load(path),
    "diagram": lambda path: nsmb.analysis.results.BifurcationDiagram.load(path),
    "basins": lambda path: nsmb.analysis.results.BasinMap.load(path),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes pipes")
@pytest.mark.parametrize("kind", LOADERS)
def test_special_files_are_refused(tmp_path: Path, kind: str) -> None:
    """Opening a pipe without a writer would block, and reading a device would not end."""
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "device.npz").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(tmp_path / "socket.npz"))
    for name in ("pipe", "device"):
        with pytest.raises(ValueError, match=r"must be a regular file, got .*Copy its content"):
            LOADERS[kind](tmp_path / f"{name}.npz")
    with pytest.raises((ValueError, OSError)):
        LOADERS[kind](tmp_path / "socket.npz")
    with pytest.raises(IsADirectoryError):
        array_files.read(tmp_path_with_suffix(tmp_path), "a", 1, "b")


def test_a_link_to_a_regular_file_is_followed(run: nsmb.Solution, tmp_path: Path) -> None:
    run.save(tmp_path / "run.npz")
    (tmp_path / "link.npz").symlink_to(tmp_path / "run.npz")
    assert nsmb.Solution.load(tmp_path / "link.npz").t[-1] == 1.0


def tmp_path_with_suffix(folder: Path) -> Path:
    place = folder / "folder.npz"
    place.mkdir(exist_ok=True)
    return place

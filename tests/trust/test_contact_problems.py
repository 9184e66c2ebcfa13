"""Contact problems in files keep the guarantees of SECURITY.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nsmb.complementarity import fclib

h5py = pytest.importorskip("h5py")


def problem() -> fclib.StoredData:
    import scipy.sparse as sparse

    W = sparse.csc_matrix(np.eye(3) + 0.1)
    return fclib.StoredData(3, mu=np.array([0.5]), W=W, w=np.array([-1.0, 0.1, 0.2]))


def changed(path: Path, kind: str) -> None:
    values = np.arange(3.0)
    with h5py.File(path.with_name("other.hdf5"), "w") as other:
        other["q"] = values
    values.tofile(path.with_name("other.bin"))
    with h5py.File(path, "r+") as file:
        vectors: Any = file["fclib_local/vectors"]
        if kind == "own":
            file["guesses/loop"] = file["guesses"]
            return
        del vectors["q"]
        if kind == "external storage":
            place = [(os.fspath(path.with_name("other.bin")), 0, 24)]
            vectors.create_dataset("q", (3,), "f8", external=place)
        elif kind == "external link":
            vectors["q"] = h5py.ExternalLink(os.fspath(path.with_name("other.hdf5")), "q")
        elif kind == "soft link":
            vectors["q"] = h5py.SoftLink("/fclib_local/vectors/mu")
        elif kind == "virtual":
            layout = h5py.VirtualLayout((3,), "f8")
            layout[:] = h5py.VirtualSource(os.fspath(path.with_name("other.hdf5")), "q", (3,))
            vectors.create_virtual_dataset("q", layout)
        elif kind == "unpacks":
            vectors.create_dataset("q", data=np.zeros(10**6), chunks=(10**6,), compression=9)
        elif kind == "holds less":
            vectors.create_dataset("q", (10**12,), "f8", chunks=(1000,))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("external storage", "is stored in another file"),
        ("external link", "is a link to another location or file"),
        ("soft link", "is a link to another location or file"),
        ("virtual", "is a virtual data set"),
        ("own", "occurs twice"),
        ("unpacks", "declares more data than it stores"),
        ("holds less", "declares more data than it stores"),
    ],
)
def test_problems_that_lead_to_other_files_are_refused(
    tmp_path: Path, kind: str, message: str
) -> None:
    path = tmp_path / "problem.hdf5"
    x = np.zeros(3)
    guess = fclib.StoredSolution(x, x, None)
    fclib.write(problem(), path, guesses=[guess])
    np.testing.assert_array_equal(fclib.read(path).data.w, problem().w)
    changed(path, kind)
    with pytest.raises(ValueError, match=message):
        fclib.read(path)


def test_problems_that_hdf5_itself_compresses_are_read(tmp_path: Path) -> None:
    path = tmp_path / "problem.hdf5"
    fclib.write(problem(), path)
    with h5py.File(path, "r+") as file:
        q = file["fclib_local/vectors/q"][()]
        del file["fclib_local/vectors/q"]
        file["fclib_local/vectors"].create_dataset("q", data=q, compression="gzip", shuffle=True)
    np.testing.assert_array_equal(fclib.read(path).data.w, problem().w)


def test_sizes_without_content_are_refused(tmp_path: Path) -> None:
    """A matrix of 2e9 empty columns would take 16 GB."""
    path = tmp_path / "problem.hdf5"
    fclib.write(problem(), path)
    with h5py.File(path, "r+") as file:
        for name in ("m", "n"):
            file[f"fclib_local/W/{name}"][...] = 2**31 - 1
    with pytest.raises(ValueError, match="m, n justified by vectors with 4 entries, got 21"):
        fclib.read(path)
    text = tmp_path / "problem.dat"
    text.write_text("3\n1\n1\n2000000000\n2000000000\n0\n1 2 3\n0.5\n")
    with pytest.raises(ValueError, match=r"a size justified by 5 words, got 2000000000"):
        fclib.read(text)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes pipes")
def test_special_files_are_no_problems(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.dat")
    (tmp_path / "zero.hdf5").symlink_to("/dev/zero")
    for name in ("pipe.dat", "zero.hdf5"):
        with pytest.raises(ValueError, match="must be a regular file"):
            fclib.read(tmp_path / name)

"""Reading of meshes by meshio from regular files of bounded size that refer to no other files."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nsmb.common.extras import import_extra
from nsmb.common.plain_files import check_file

__all__ = ["read_mesh_content"]

# Formats of meshio that store a mesh in one file and are not compressed as a whole. Other formats
# refer to further files, by links of HDF5 and netCDF, by name, or by files in the same folder.
_IN_ONE_FILE = (
    ".avs", ".bdf", ".dat", ".dato", ".f3grid", ".fem", ".inp", ".mdpa", ".mesh", ".meshb", ".msh",
    ".nas", ".obj", ".off", ".ply", ".stl", ".su2", ".tec", ".ugrid", ".vol", ".vtk", ".vtu",
)  # fmt: skip
_INCLUDE = re.compile(rb"^[ \t]*(\*[ \t]*include|include[ \t])", re.IGNORECASE | re.MULTILINE)
_TEXTS = (".inp", ".bdf", ".fem", ".nas")  # formats of Abaqus and Nastran with include statements


def read_mesh_content(
    path: str | os.PathLike[str], max_bytes: int, option: str = "max_bytes"
) -> Any:
    """Read a mesh file with meshio.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If the file is not a regular file, is larger than `max_bytes`, has a format that may refer
        to other files, or cannot be read.
    """
    meshio = import_extra("meshio", "io")
    name = os.fspath(path)
    check_file(path, max_bytes, option)
    _check_alone(name)
    said = io.StringIO()  # the reader prints errors and exits the program
    try:
        with _quiet(said):
            return meshio.read(name)
    except (SystemExit, Exception) as error:
        reason = said.getvalue() if isinstance(error, SystemExit) else str(error)
        text = " ".join(reason.split()) or type(error).__name__
        raise ValueError(f"path: {name!r} cannot be read ({text})") from None


@contextlib.contextmanager
def _quiet(said: io.StringIO) -> Iterator[None]:
    # The reader detects text in STL files by numbers that overflow.
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        np.errstate(over="ignore"),
    ):
        yield


def _check_alone(name: str) -> None:
    """Raise ValueError for a file whose reader may open other files."""
    suffix = Path(name).suffix.lower()
    if suffix not in _IN_ONE_FILE:
        raise ValueError(
            f"`path`: must end with one of {', '.join(_IN_ONE_FILE)}, got {name!r}. Convert the "
            "mesh to VTU with `meshio convert` first."
        )
    if suffix in _TEXTS:
        with open(name, "rb") as file:
            if _INCLUDE.search(file.read()):
                raise ValueError(
                    f"`path`: must be a mesh in one file, got {name!r}, which includes another "
                    "one. Put the content of the other file in its place."
                )

"""Meshes of triangles from files, read by meshio."""

from __future__ import annotations

import contextlib
import io
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import positive
from nsmb.common.extras import import_extra

__all__ = ["read_mesh"]

Floats = NDArray[np.float64]


def read_mesh(path: str | os.PathLike[str], scale: float) -> tuple[Floats, NDArray[np.int64]]:
    """Vertices (n, 3) in m, each place once, and triangles (m, 3)."""
    scale = positive("scale", scale)
    meshio = import_extra("meshio", "mesh")
    name = os.fspath(path)
    with open(name, "rb"):  # what is missing or closed to us raises what opening raises
        pass
    said = io.StringIO()  # the reader prints what it does not understand, and ends the program
    try:
        # Whether an STL file is a text the reader finds out by numbers that overflow.
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
            np.errstate(over="ignore"),
        ):
            content = meshio.read(name)
    except (SystemExit, Exception) as error:
        reason = said.getvalue() if isinstance(error, SystemExit) else str(error)
        text = " ".join(reason.split()) or type(error).__name__
        raise ValueError(f"path: {name!r} cannot be read ({text})") from None
    faces = [_triangles(block.data) for block in content.cells if _is_face(block.type)]
    if not faces or not sum(len(block) for block in faces):
        raise ValueError(f"path: {name!r}: expected faces, got none")
    points = np.asarray(content.points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"path: {name!r}: expected points in space, got shape {points.shape}")
    vertices, triangles = _merged(points, np.vstack(faces))
    return scale * vertices, triangles


def _is_face(kind: str) -> bool:
    return kind in ("triangle", "quad", "polygon") or kind.startswith("polygon")


def _triangles(faces: Any) -> NDArray[np.int64]:
    """Each face, a loop of vertices, as a fan of triangles."""
    rows = np.asarray(faces, dtype=np.int64)
    fans = [rows[:, [0, k, k + 1]] for k in range(1, rows.shape[1] - 1)]
    return np.stack(fans, axis=1).reshape(-1, 3)


def _merged(points: Floats, triangles: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Each place once, in the order in which places come; without triangles that collapse."""
    _, first, number = np.unique(points + 0.0, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    joined = rank[number.reshape(-1)][triangles]
    a, b, c = joined.T
    return points[first[order]], joined[(a != b) & (b != c) & (c != a)]

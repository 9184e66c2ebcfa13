"""Triangle meshes from files, read by meshio."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import positive
from nsmb.common.mesh_content import read_mesh_content
from nsmb.common.plain_files import MAX_BYTES

__all__ = ["read_mesh"]

Floats = NDArray[np.float64]


def read_mesh(
    path: str | os.PathLike[str],
    scale: float,
    max_bytes: int = MAX_BYTES,
    option: str = "max_bytes",
) -> tuple[Floats, NDArray[np.int64]]:
    """Return vertices (n, 3) in m without duplicates, and triangles (m, 3)."""
    scale = positive("scale", scale)
    content = read_mesh_content(path, max_bytes, option)
    name = os.fspath(path)
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
    """Return each face, a loop of vertices, as a fan of triangles."""
    rows = np.asarray(faces, dtype=np.int64)
    fans = [rows[:, [0, k, k + 1]] for k in range(1, rows.shape[1] - 1)]
    return np.stack(fans, axis=1).reshape(-1, 3)


def _merged(points: Floats, triangles: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Merge equal points in order of appearance, and remove triangles that collapse."""
    _, first, number = np.unique(points + 0.0, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    joined = rank[number.reshape(-1)][triangles]
    a, b, c = joined.T
    return points[first[order]], joined[(a != b) & (b != c) & (c != a)]

"""Triangles that figures colour: all of a mesh in the plane, the surface of one in space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.flexible.mesh import Mesh

__all__ = ["middles_of", "triangles_of"]

Indices = NDArray[np.int64]
_HALVES = ((0, 1, 2), (0, 2, 3))
_QUARTERS = ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5))  # corners, then middles of the edges


def triangles_of(mesh: Mesh) -> Indices:
    """Return the nodes (m, 3) of triangles, counter-clockwise in the plane or from outside."""
    flat = mesh._kind.dimension == 2
    pieces = mesh._cells[:, : mesh._kind.corners] if flat else mesh.surface
    if pieces.shape[1] == 4:
        return np.asarray(pieces[:, _HALVES].reshape(-1, 3))
    middles = middles_of(mesh, pieces)
    if middles:
        nodes = np.column_stack([pieces, *middles])
        return np.asarray(nodes[:, _QUARTERS].reshape(-1, 3))
    return pieces.copy()


def middles_of(mesh: Mesh, facets: Indices) -> list[Indices]:
    """Return the middle nodes of the edges of facets, edge by edge; none for linear elements."""
    kind = mesh._kind
    if not kind.middles:
        return []
    known: dict[tuple[int, ...], int] = {}
    for j, (a, b) in enumerate(kind.middles):
        ends = np.sort(mesh._cells[:, [a, b]], axis=1)
        known.update(
            zip(map(tuple, ends.tolist()), mesh._cells[:, kind.corners + j].tolist(), strict=True)
        )
    k = facets.shape[1]
    pairs = [(0, 1)] if k == 2 else [(i, (i + 1) % k) for i in range(k)]
    return [
        np.array([known[tuple(sorted(edge))] for edge in facets[:, list(pair)].tolist()])
        for pair in pairs
    ]

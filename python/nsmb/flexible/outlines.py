"""Lines for drawing meshes: the boundary in the plane, sharp edges in space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.flexible.mesh import Mesh
from nsmb.flexible.mesh_kinds import edges_of

__all__ = ["paths_of"]

Indices = NDArray[np.int64]
_SHARP = np.cos(np.radians(25.0))  # cosine of the angle between the normals of two facets
_FEW = 12  # least number of sharp edges of a body that is not round


def paths_of(mesh: Mesh) -> list[tuple[list[int], bool]]:
    """Return the nodes of lines in order, and whether each line is closed."""
    if mesh._kind.dimension == 2:
        return _loops(mesh.surface)
    return _chains(_sharp_edges(mesh))


def _loops(edges: Indices) -> list[tuple[list[int], bool]]:
    """Return closed lines, with the material on the left."""
    after: dict[int, list[int]] = {}
    for a, b in edges.tolist():
        after.setdefault(a, []).append(b)
    loops = []
    while after:
        start = next(iter(after))
        loop, at = [], start
        while at in after:
            loop.append(at)
            ways = after[at]
            at = ways.pop()
            if not ways:
                del after[loop[-1]]
        loops.append((loop, True))
    return loops


def _sharp_edges(mesh: Mesh) -> Indices:
    facets, nodes = mesh.surface, mesh._nodes
    x = nodes[facets]
    normals = np.cross(x[:, 1] - x[:, 0], x[:, -1] - x[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    edges = np.sort(edges_of(facets), axis=1)
    owner = np.tile(np.arange(len(facets))[:, None], (1, facets.shape[1])).ravel()
    edges, number, count = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(number.ravel(), kind="stable")
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    a = normals[owner[order[first]]]
    b = normals[owner[order[first + count - 1]]]
    sharp = (np.einsum("ij,ij->i", a, b) < _SHARP) | (count != 2)
    found: Indices = edges[sharp] if sharp.sum() >= _FEW else edges
    return found


def _chains(edges: Indices) -> list[tuple[list[int], bool]]:
    """Return chains of edges that follow one another."""
    beside: dict[int, set[int]] = {}
    for a, b in edges.tolist():
        beside.setdefault(a, set()).add(b)
        beside.setdefault(b, set()).add(a)
    ends = [k for k, others in beside.items() if len(others) != 2]
    chains = []
    for start in [*ends, *beside]:
        while beside[start]:
            line = [start]
            while beside[line[-1]]:
                onward = beside[line[-1]].pop()
                beside[onward].discard(line[-1])
                line.append(onward)
                if onward in ends:
                    break
            closed = len(line) > 3 and line[0] == line[-1]
            chains.append((line[:-1] if closed else line, closed))
    return chains

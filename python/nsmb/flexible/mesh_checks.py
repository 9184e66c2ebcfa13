"""Checks for defects of a mesh, before anything is computed with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.flexible.mesh_kinds import Kind, edges_of, facets_of

__all__ = ["check_mesh"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
_SAME = 1e-9  # relative to the size of the mesh; closer nodes coincide
_STRAIGHT = 1e-6  # relative to an edge; tolerance on a node in its middle


def check_mesh(nodes: Array, cells: Indices, kind: Kind) -> None:
    """Raise ValueError for the first defect, with its position."""
    used = np.zeros(len(nodes), dtype=bool)
    used[cells] = True
    if not used.all():
        k = int(np.argmin(used))
        raise ValueError(
            f"nodes: must belong to elements, got node {k} at {nodes[k].tolist()} without an "
            "element. Leave it out."
        )
    size = float(np.linalg.norm(np.ptp(nodes, axis=0)))
    _check_apart(nodes, size)
    _check_sense(nodes, cells, kind, size)
    _check_middles(nodes, cells, kind)
    _check_hanging(nodes, cells, kind)


def _check_apart(nodes: Array, size: float) -> None:
    from scipy.spatial import cKDTree

    tree = cKDTree(nodes)
    pairs = tree.query_pairs(_SAME * size, output_type="ndarray")
    if len(pairs):
        a, b = sorted(pairs[np.argmin(pairs.min(axis=1))].tolist())
        raise ValueError(
            f"nodes: must have distinct positions, got nodes {a} and {b} both at "
            f"{nodes[a].tolist()}. Merge them to join the parts."
        )


def _check_sense(nodes: Array, cells: Indices, kind: Kind, size: float) -> None:
    """Check the Jacobians at the corners, which are negative for inverted or folded elements."""
    corners = nodes[cells[:, : kind.corners]]
    d = kind.dimension
    worst, at = np.inf, 0
    for k in range(kind.corners):
        edges = np.stack([corners[:, j] - corners[:, k] for j in _neighbours(k, kind)], axis=1)
        volume = np.linalg.det(edges)
        lowest = int(np.argmin(volume))
        if volume[lowest] < worst:
            worst, at = float(volume[lowest]), lowest
    if worst <= (1e-12 * size) ** d:
        how = "without volume" if abs(worst) <= (1e-12 * size) ** d else "inside out or folded"
        raise ValueError(
            "cells: expected elements with volume, nodes counter-clockwise or as VTK has them, got "
            f"element {at} {how}, with nodes {cells[at].tolist()} at "
            f"{nodes[cells[at, : kind.corners]].tolist()}"
        )


def _neighbours(k: int, kind: Kind) -> tuple[int, ...]:
    """Return the corners at the other ends of a corner's edges, in order of positive volume."""
    if kind.dimension == 2:
        return (k + 1) % kind.corners, (k - 1) % kind.corners
    if kind.corners == 4:
        return ((1, 2, 3), (2, 0, 3), (0, 1, 3), (0, 2, 1))[k]
    level, turn = divmod(k, 4)
    ahead, behind, across = 4 * level + (turn + 1) % 4, 4 * level + (turn - 1) % 4, (k + 4) % 8
    return (ahead, behind, across) if level == 0 else (behind, ahead, across)


def _check_middles(nodes: Array, cells: Indices, kind: Kind) -> None:
    for j, (a, b) in enumerate(kind.middles):
        ends = nodes[cells[:, a]], nodes[cells[:, b]]
        off = np.linalg.norm(nodes[cells[:, kind.corners + j]] - 0.5 * (ends[0] + ends[1]), axis=1)
        off /= np.linalg.norm(ends[1] - ends[0], axis=1)
        worst = int(np.argmax(off))
        if off[worst] > _STRAIGHT:
            raise ValueError(
                "nodes: must give straight edges, got node "
                f"{int(cells[worst, kind.corners + j])} of element {worst} off the middle of its "
                f"edge by {off[worst]:.3g} of its length. Mesh with straight edges, as Gmsh does "
                "with Mesh.SecondOrderLinear."
            )


def _check_hanging(nodes: Array, cells: Indices, kind: Kind) -> None:
    """Check for nodes inside the edges of the boundary."""
    from scipy.spatial import cKDTree

    facets = facets_of(cells, kind)
    _, first, count = np.unique(
        np.sort(facets, axis=1), axis=0, return_index=True, return_counts=True
    )
    surface = facets[first[count == 1]]
    edges = np.unique(
        np.sort(surface if kind.dimension == 2 else edges_of(surface), axis=1), axis=0
    )
    corners = np.unique(cells[:, : kind.corners])
    candidates = np.intersect1d(np.unique(surface), corners)
    tree = cKDTree(nodes[candidates])
    middle = 0.5 * (nodes[edges[:, 0]] + nodes[edges[:, 1]])
    length = np.linalg.norm(nodes[edges[:, 1]] - nodes[edges[:, 0]], axis=1)
    near = tree.query_ball_point(middle, 0.5 * (1.0 - 1e-6) * length)
    for edge, inside in zip(edges, near, strict=True):
        for k in candidates[inside].tolist():
            e = nodes[edge[1]] - nodes[edge[0]]
            d = nodes[k] - nodes[edge[0]]
            off = np.linalg.norm(d - e * (d @ e) / (e @ e))
            if off <= _STRAIGHT * np.linalg.norm(e):
                raise ValueError(
                    f"nodes: must be at ends of edges, got node {k} at {nodes[k].tolist()} "
                    f"hanging on the edge of nodes {int(edge[0])} and {int(edge[1])}. Split the "
                    "adjacent element."
                )

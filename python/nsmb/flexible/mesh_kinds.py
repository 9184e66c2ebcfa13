"""Kinds of elements, with their nodes in the order of meshio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["KINDS", "Kind", "edges_of", "facets_of"]

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Kind:
    """A kind of element."""

    dimension: int
    corners: int
    facets: tuple[tuple[int, ...], ...]
    """Corners of each facet; the outside is on the right in the plane, and in front in space."""
    middles: tuple[tuple[int, int], ...] = ()
    """Pairs of corners between which the further nodes are."""

    @property
    def nodes(self) -> int:
        return self.corners + len(self.middles)

    @property
    def corners_of_facet(self) -> int:
        return len(self.facets[0])


_TRIANGLE = ((0, 1), (1, 2), (2, 0))
_TETRA = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
_HEXA = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))

KINDS = {
    "triangle": Kind(2, 3, _TRIANGLE),
    "triangle6": Kind(2, 3, _TRIANGLE, _TRIANGLE),
    "quad": Kind(2, 4, ((0, 1), (1, 2), (2, 3), (3, 0))),
    "tetra": Kind(3, 4, _TETRA),
    "tetra10": Kind(3, 4, _TETRA, ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))),
    "hexahedron": Kind(3, 8, _HEXA),
}


def facets_of(cells: Indices, kind: Kind) -> Indices:
    """Return the corners (j, i) of the facets of all elements, inner ones twice."""
    return np.concatenate([cells[:, list(facet)] for facet in kind.facets])


def edges_of(facets: Indices) -> Indices:
    """Return the corners (j, 2) of the edges of facets, once for each facet."""
    return np.concatenate([facets, np.roll(facets, -1, axis=1)], axis=0).reshape(2, -1).T

"""Checked meshes of elements, with names of nodes and of parts of their surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, one_of, positive, whole
from nsmb.flexible.mesh_checks import check_mesh
from nsmb.flexible.mesh_kinds import KINDS, Kind, facets_of

__all__ = ["Mesh"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Nodes and elements of one kind.

    Parameters
    ----------
    nodes : (n, 2) or (n, 3) array_like
        Positions in m; (n, 2) in the plane.
    cells : (m, k) array_like of int
        Nodes of each element, in the order of meshio and VTK.
    kind : str
        ``"triangle"``, ``"triangle6"``, ``"quad"``, ``"tetra"``, ``"tetra10"`` or ``"hexahedron"``.
    places : mapping of str to sequence of int
        Named groups of nodes.
    facets : mapping of str to (j, i) array_like of int
        Named parts of the surface, by the corners of their facets, for distributed loads.

    Raises
    ------
    ValueError
        If an element is inverted, or if nodes coincide, belong to no element, or lie on an edge of
        an element to which they do not belong. The message gives the number.
    """

    nodes: ArrayLike
    cells: ArrayLike
    kind: str
    places: Mapping[str, Any] = field(default_factory=dict)
    facets: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kind = KINDS[one_of("kind", self.kind, KINDS)]
        d = kind.dimension
        shape = np.shape(self.nodes)
        if len(shape) != 2 or shape[1] != d:
            raise ValueError(f"nodes: expected shape (n, {d}) for {self.kind!r}, got {shape}")
        nodes = as_array("nodes", self.nodes, (shape[0], d))
        cells = _numbers("cells", self.cells, kind.nodes, len(nodes))
        check_mesh(nodes, cells, kind)
        places = {name: _numbers("places", v, None, len(nodes)) for name, v in self.places.items()}
        facets = {
            name: _numbers("facets", v, kind.corners_of_facet, len(nodes))
            for name, v in self.facets.items()
        }
        for name, value in (
            ("nodes", nodes), ("cells", cells), ("places", places), ("facets", facets)
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<{len(self._cells)} elements {self.kind!r}, {len(self._nodes)} nodes>"

    @property
    def _kind(self) -> Kind:
        return KINDS[self.kind]

    @property
    def _nodes(self) -> Array:
        return np.asarray(self.nodes)

    @property
    def _cells(self) -> Indices:
        return np.asarray(self.cells)

    @cached_property
    def surface(self) -> Indices:
        """Corner nodes of the facets that only one element has, shape (j, i).

        The outside is on the right of a facet in the plane, and in front of it in space.
        """
        facets = facets_of(self._cells, self._kind)
        _, first, count = np.unique(
            np.sort(facets, axis=1), axis=0, return_index=True, return_counts=True
        )
        found: Indices = facets[np.sort(first[count == 1])]
        return found

    @classmethod
    def rectangle(
        cls, length: float, height: float, nx: int, ny: int, *, kind: str = "quad"
    ) -> Mesh:
        """Create a rectangle from (0, 0) to (length, height).

        It consists of nx by ny quads, or of twice as many triangles. Its sides are ``"left"``,
        ``"right"``, ``"bottom"`` and ``"top"``.
        """
        one_of("kind", kind, ("quad", "triangle"))
        size = (positive("length", length), positive("height", height))
        counts = (whole("nx", nx, 1), whole("ny", ny, 1))
        x, y = (np.linspace(0.0, s, n + 1) for s, n in zip(size, counts, strict=True))
        nodes = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
        number = np.arange(len(nodes)).reshape(nx + 1, ny + 1)
        quads = np.stack(
            [number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1
        ).reshape(-1, 4)
        sides = {
            "left": number[0], "right": number[-1], "bottom": number[:, 0], "top": number[:, -1]
        }  # fmt: skip
        facets = {name: np.column_stack([line[:-1], line[1:]]) for name, line in sides.items()}
        cells = quads if kind == "quad" else quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
        return cls(nodes, cells, kind, sides, facets)

    @classmethod
    def box(
        cls, size: ArrayLike, counts: tuple[int, int, int], *, kind: str = "hexahedron"
    ) -> Mesh:
        """Create a box from the origin to `size`.

        It consists of `counts` hexahedra along x, y and z, or of six times as many tetrahedra. Its
        sides are ``"x_min"``, ``"x_max"``, ..., ``"z_max"``.
        """
        one_of("kind", kind, ("hexahedron", "tetra"))
        lengths = as_array("size", size, (3,)).tolist()
        n = [whole("counts", c, 1) for c in counts]
        lines = [
            np.linspace(0.0, positive("size", s), c + 1) for s, c in zip(lengths, n, strict=True)
        ]
        nodes = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
        number = np.arange(len(nodes)).reshape([c + 1 for c in n])
        corners = [
            (0, 0, 0),
            (1, 0, 0),
            (1, 1, 0),
            (0, 1, 0),
            (0, 0, 1),
            (1, 0, 1),
            (1, 1, 1),
            (0, 1, 1),
        ]
        bricks = np.stack(
            [number[i : i + n[0], j : j + n[1], k : k + n[2]] for i, j, k in corners], axis=-1
        ).reshape(-1, 8)
        places, facets = {}, {}
        for axis, letter in enumerate("xyz"):
            for end, label in ((0, "min"), (-1, "max")):
                side = np.take(number, end, axis=axis)
                squares = np.stack(
                    [side[:-1, :-1], side[1:, :-1], side[1:, 1:], side[:-1, 1:]], axis=-1
                ).reshape(-1, 4)
                places[f"{letter}_{label}"] = side.ravel()
                facets[f"{letter}_{label}"] = squares
        if kind == "hexahedron":
            return cls(nodes, bricks, kind, places, facets)
        # Six tetrahedra around one diagonal. Neighbours split their common square alike.
        paths = [(1, 2), (2, 3), (3, 7), (7, 4), (4, 5), (5, 1)]
        cells = np.stack([bricks[:, [0, a, b, 6]] for a, b in paths], axis=1).reshape(-1, 4)
        return cls(nodes, cells, kind, places)

    @classmethod
    def disc(cls, radius: float, rings: int) -> Mesh:
        """Create a disc of triangles in rings around the origin.

        Each ring has six more nodes than the previous one. Node 0 is the centre, and ``"rim"``
        names the nodes at the edge, counter-clockwise from (radius, 0).
        """
        radius, rings = positive("radius", radius), whole("rings", rings, 1)
        nodes, cells, first = [np.zeros((1, 2))], [], [0, 1]
        for k in range(1, rings + 1):
            phi = 2.0 * np.pi * np.arange(6 * k) / (6 * k)
            nodes.append(radius * k / rings * np.column_stack([np.cos(phi), np.sin(phi)]))
            first.append(first[-1] + 6 * k)
            for sector in range(6):
                inner = [
                    first[k - 1] + (sector * (k - 1) + i) % max(6 * (k - 1), 1) for i in range(k)
                ]
                outer = [first[k] + (sector * k + i) % (6 * k) for i in range(k + 1)]
                cells += [(inner[i], outer[i], outer[i + 1]) for i in range(k)]
                cells += [(inner[i], outer[i + 1], inner[i + 1]) for i in range(k - 1)]
        rim = np.arange(first[-2], first[-1])
        edges = np.column_stack([rim, np.roll(rim, -1)])
        return cls(np.vstack(nodes), np.array(cells), "triangle", {"rim": rim}, {"rim": edges})


def _numbers(name: str, given: Any, columns: int | None, count: int) -> Indices:
    try:
        rows = np.asarray(given)
        if rows.dtype.kind not in "iu":
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers of nodes, got {given!r}") from None
    if columns is None:
        rows = rows.ravel()
    elif rows.ndim != 2 or rows.shape[1] != columns or not len(rows):
        raise ValueError(f"{name}: expected shape (m, {columns}), m >= 1, got {rows.shape}")
    wrong = rows[(rows < 0) | (rows >= count)]
    if wrong.size:
        raise ValueError(f"{name}: expected nodes 0 ... {count - 1}, got {int(wrong.flat[0])}")
    return rows.astype(np.int64)

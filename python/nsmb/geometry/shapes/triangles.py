"""Triangulated surfaces: meshes and height fields."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import geometry as _geometry
from nsmb.common.arguments import as_array
from nsmb.common.plain_files import MAX_BYTES
from nsmb.geometry.shapes.base import Array, Shape
from nsmb.geometry.shapes.mesh_files import read_mesh

__all__ = ["HeightField", "TriangleMesh"]


@dataclass(frozen=True, eq=False)
class TriangleMesh(Shape):
    """A surface of triangles that share vertices and edges, closed or open.

    Bodies touch the side from which the triangles run counter-clockwise. The mesh is a surface, so
    that bodies that penetrate too deeply are lost. The limit is the radius for a sphere or capsule,
    and half of the smallest width for a body with flat faces. For two closed meshes, it is half of
    the thinner one's volume over its surface. Bodies that have passed through from behind are also
    lost. Open edges end as if a vertical wall continued below them. Bodies do not catch on edges
    between coplanar triangles. Meshes touch by :meth:`nsmb.Model.collide`.

    Examples
    --------
    >>> import nsmb.geometry
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> mesh = nsmb.geometry.TriangleMesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> mesh.is_closed, round(mesh.volume, 6)
    (True, 0.166667)

    Raises
    ------
    ValueError
        If a vertex is not finite or does not exist, or a triangle has no area or is given twice.
        Also if an edge has more than two triangles, neighbours have opposite orientations, or a
        closed surface is inside out. The message names the triangle or vertex.
    """

    vertices: ArrayLike
    """Positions of the vertices, shape (n, 3), in m."""
    triangles: ArrayLike
    """Vertices of each triangle, counter-clockwise seen from outside, shape (m, 3)."""

    def _build(self) -> _geometry.Shape:
        vertices = np.array(self.vertices, dtype=np.float64)
        if vertices.ndim != 2 or vertices.shape[1] != 3:
            raise ValueError(f"vertices: expected shape (n, 3), got shape {vertices.shape}")
        triangles = _as_triangles(self.triangles)
        for name, value in (("vertices", vertices), ("triangles", triangles)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        return _geometry.triangle_mesh(vertices, triangles)

    @property
    def is_closed(self) -> bool:
        """True if every edge has two triangles; open surfaces have the volume 0."""
        return self.volume > 0.0

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], scale: float = 1.0, *, max_bytes: int = MAX_BYTES
    ) -> TriangleMesh:
        """Return the mesh of a file that meshio reads, such as STL, OBJ, PLY, OFF, VTU or GMSH.

        Faces with more than three corners are divided into triangles. Vertices at exactly the same
        position are merged, since each triangle of an STL file has its own vertices. Triangles with
        fewer than three different vertices are removed.

        Parameters
        ----------
        path : path
            File whose suffix determines the format.
        scale : float
            Length of one unit of the file in m: 0.001 for a file in millimetres.
        max_bytes : int
            Maximum size of the file, by default 256 MiB.

        Raises
        ------
        ValueError
            If the file cannot be read, has no faces, is larger than `max_bytes`, or is a device or
            a pipe. Also if its format may refer to other files, the scale is not positive, or the
            mesh is invalid as described above.
        FileNotFoundError
            If the file does not exist.
        ImportError
            If meshio is not installed; use ``pip install nsmb[io]``.
        """
        return cls(*read_mesh(path, scale, max_bytes))


@dataclass(frozen=True, eq=False)
class HeightField(Shape):
    """Ground given by heights over a grid, with two triangles in each cell.

    ``heights[i, j]`` is the z of the vertex at x = i dx, y = j dy, all shifted by `origin`. The
    diagonal of a cell connects vertex (i, j) with (i + 1, j + 1). The body is below. The limits of
    penetration are those of :class:`TriangleMesh`.

    Examples
    --------
    >>> import numpy as np, nsmb.geometry
    >>> x = np.linspace(-1.0, 1.0, 21)
    >>> bowl = 0.5 * (x[:, None] ** 2 + x**2)
    >>> ground = nsmb.geometry.HeightField(bowl, 0.1, origin=(-1.0, -1.0, 0.0))
    >>> ground.volume
    0.0

    Raises
    ------
    ValueError
        If the heights are not a table of at least two by two finite numbers, or a spacing is not
        positive. The message gives the position in the table.
    """

    heights: ArrayLike
    """Heights, shape (n_x, n_y), in m."""
    spacing: ArrayLike
    """Distance of vertices along x and y in m; one number, or two, (dx, dy)."""
    origin: ArrayLike = (0.0, 0.0, 0.0)
    """Position of vertex (0, 0) at height zero, shape (3,), in m."""

    def _build(self) -> _geometry.Shape:
        heights = np.array(self.heights, dtype=np.float64)
        if heights.ndim != 2:
            raise ValueError(f"heights: expected shape (n_x, n_y), got shape {heights.shape}")
        spacing = np.array(self.spacing, dtype=np.float64)
        if spacing.shape not in ((), (2,)):
            raise ValueError(f"spacing: expected one number or two, got shape {spacing.shape}")
        spacing = np.array(np.broadcast_to(spacing, (2,)))
        origin = np.array(as_array("origin", self.origin, (3,)))
        for name, value in (("heights", heights), ("spacing", spacing), ("origin", origin)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        return _geometry.height_field(heights, float(spacing[0]), float(spacing[1]), origin)

    def mesh(self) -> tuple[Array, NDArray[np.int64]]:
        """Return vertices (n_x n_y, 3), with (i, j) at i n_y + j, and two triangles per cell."""
        heights, spacing = np.asarray(self.heights), np.asarray(self.spacing)
        i, j = np.meshgrid(*(np.arange(n) for n in heights.shape), indexing="ij")
        places = np.stack([i * spacing[0], j * spacing[1], heights], axis=-1).reshape(-1, 3)
        v = np.arange(heights.size, dtype=np.int64).reshape(heights.shape)
        a, b, c, d = v[:-1, :-1], v[1:, :-1], v[1:, 1:], v[:-1, 1:]
        cells = np.stack([a, b, c, a, c, d], axis=-1)
        return places + np.asarray(self.origin), cells.reshape(-1, 3)


def _as_triangles(given: ArrayLike) -> NDArray[np.int64]:
    triangles = np.array(given)
    if triangles.ndim != 2 or triangles.shape[1] != 3:
        raise ValueError(f"triangles: expected shape (m, 3), got shape {triangles.shape}")
    numbers = triangles.astype(np.int64)
    if triangles.dtype.kind not in "iu" and not np.array_equal(numbers, triangles):
        raise ValueError("triangles: expected whole numbers, numbers of vertices")
    return numbers

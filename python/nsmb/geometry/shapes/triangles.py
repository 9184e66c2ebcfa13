"""Surfaces of triangles: meshes and height fields."""

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

    Bodies touch it from the side from which its triangles run counter-clockwise. It is a surface: a
    sphere or capsule that has sunk in by more than its radius, and a body of flat faces by more
    than half of its least width, is lost, and so is what has passed through from behind. Open edges
    end as if a wall went straight down from them. Two closed meshes may be in each other by a half
    of the thinner one's volume over its surface. No body is caught at edges between triangles in
    one plane. Meshes touch by :meth:`nsmb.Model.collide`.

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
        For vertices that are not finite and numbers of vertices that do not exist; for triangles
        without area and triangles given twice; for edges of more than two triangles, neighbours
        that run in opposite senses, and a closed surface that is inside out. The message says which
        triangle or vertex it is.
    """

    vertices: ArrayLike
    """(n, 3) m."""
    triangles: ArrayLike
    """(m, 3) vertices of each triangle, counter-clockwise seen from outside."""

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
        """Whether every edge has two triangles; open surfaces have the volume 0."""
        return self.volume > 0.0

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], scale: float = 1.0, *, max_bytes: int = MAX_BYTES
    ) -> TriangleMesh:
        """The mesh of a file that meshio reads, as STL, OBJ, PLY, OFF, VTU and GMSH.

        Faces with more corners than three are cut into triangles. Vertices at the very same place
        become one, as each triangle of an STL file has vertices of its own; triangles that are left
        without three different ones go.

        Parameters
        ----------
        path : path
            Its end says which format it is.
        scale : float
            m, one unit of length of the file; 0.001 for a file in millimetres.
        max_bytes : int
            Larger files are refused; default 256 MiB.

        Raises
        ------
        ValueError
            For a file that cannot be read or holds no faces, is larger than `max_bytes`, is a
            device or a pipe, or is of a format that may lead to other files; a scale that is not
            positive, and a mesh that is not one, as above.
        FileNotFoundError
            If there is no such file.
        ImportError
            Without meshio; ``pip install nsmb[io]`` brings it.
        """
        return cls(*read_mesh(path, scale, max_bytes))


@dataclass(frozen=True, eq=False)
class HeightField(Shape):
    """Ground given by heights over a grid, two triangles in each cell.

    ``heights[i, j]`` is the z of the vertex at x = i dx, y = j dy, all moved by `origin`. The
    diagonal of a cell joins vertex (i, j) with (i + 1, j + 1). The body is below; how deep others
    may sink in and are still found says :class:`TriangleMesh`.

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
        For heights that are not a table of at least two by two finite numbers, the message says
        where; and spacings that are not positive.
    """

    heights: ArrayLike
    """(n_x, n_y) m."""
    spacing: ArrayLike
    """m, of vertices along x and y; one number or two, (dx, dy)."""
    origin: ArrayLike = (0.0, 0.0, 0.0)
    """(3,) m, where vertex (0, 0) of height zero is."""

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
        """Vertices (n_x n_y, 3), that of (i, j) at i n_y + j, and triangles, two of each cell."""
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

"""Convex hulls of points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import geometry as _geometry
from nsmb.geometry.shapes.base import Array, Shape

__all__ = ["ConvexHull"]

_FLAT = 1e-10  # of the size: triangles whose planes agree to this form one face


@dataclass(frozen=True, eq=False)
class ConvexHull(Shape):
    """The smallest convex body that contains given points.

    Examples
    --------
    >>> import nsmb.geometry
    >>> wedge = [(0, 0, 0), (2, 0, 0), (0, 1, 0), (2, 1, 0), (0, 0, 1), (0, 1, 1)]
    >>> hull = nsmb.geometry.ConvexHull(wedge)
    >>> len(hull.vertices), len(hull.faces), hull.volume
    (6, 5, 1.0)

    Raises
    ------
    ValueError
        If there are fewer than four points, all points lie in a plane, or a number is not finite.
    """

    points: ArrayLike
    """Given points, shape (n, 3), in m."""
    vertices: Array = field(init=False, repr=False)
    """Points that are corners of the hull, shape (m, 3), in m."""
    faces: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    """Vertices of each face, counter-clockwise seen from outside."""

    def _build(self) -> _geometry.Shape:
        try:
            points = np.array(self.points, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"points: expected numbers, got {self.points!r}") from None
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4:
            raise ValueError(f"points: expected shape (n, 3), n >= 4, got shape {points.shape}")
        if not np.isfinite(points).all():
            raise ValueError("points: expected finite numbers, got one that is not")
        points.setflags(write=False)
        vertices, faces = _faces_of(points)
        for name, value in (("points", points), ("vertices", vertices), ("faces", faces)):
            object.__setattr__(self, name, value)
        return _geometry.polyhedron(vertices, faces)


def _faces_of(points: Array) -> tuple[Array, tuple[tuple[int, ...], ...]]:
    """Return the corners of the hull, and its faces with coplanar triangles merged."""
    from scipy import spatial

    try:
        hull = spatial.ConvexHull(points)
    except spatial.QhullError:
        raise ValueError("points: must enclose a volume, got points in a plane") from None
    size = np.ptp(points, axis=0).max()
    face_of = _joined(hull.equations, hull.neighbors, size)
    loops = []
    for face in range(int(face_of.max()) + 1):
        members = np.flatnonzero(face_of == face)
        normal = hull.equations[members, :3].sum(axis=0)
        loops.append(_outline(points, hull.simplices[members], normal))
    corners = sorted({v for loop in loops for v in loop})
    number = {v: i for i, v in enumerate(corners)}
    vertices = points[corners]
    vertices.setflags(write=False)
    return vertices, tuple(tuple(number[v] for v in loop) for loop in loops)


def _joined(planes: Array, neighbors: NDArray[np.int32], size: float) -> NDArray[np.intp]:
    """Return the face of each triangle, the same for coplanar neighbours."""
    face = np.full(len(planes), -1)
    for start in range(len(planes)):
        if face[start] >= 0:
            continue
        face[start] = number = face.max() + 1
        left = [start]
        while left:
            for k in neighbors[left.pop()]:
                turn = np.abs(planes[k, :3] - planes[start, :3]).max()
                shift = abs(planes[k, 3] - planes[start, 3])
                if face[k] < 0 and turn <= _FLAT and shift <= _FLAT * size:
                    face[k] = number
                    left.append(k)
    return face


def _outline(points: Array, triangles: NDArray[np.int32], normal: Array) -> list[int]:
    """Return the corners of a convex face of triangles, counter-clockwise about `normal`."""
    corners = np.unique(triangles)
    center = points[corners].mean(axis=0)
    along = points[corners[0]] - center
    across = np.cross(normal / np.linalg.norm(normal), along)
    arms = points[corners] - center
    order = np.argsort(np.arctan2(arms @ across, arms @ along))
    return [int(v) for v in corners[order]]

"""Shapes of bodies in space, for figures and the viewer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_number

__all__ = [
    "Box",
    "Cylinder",
    "Extrusion",
    "Ground",
    "Shape",
    "Solid",
    "Sphere",
    "Surface",
    "half_size",
    "triangles",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Box:
    """A box centred at its marker, with edges along the axes of the marker."""

    size: ArrayLike
    """Lengths of the edges, shape (3,), m."""

    def __post_init__(self) -> None:
        size = as_array("size", self.size, (3,))
        if not (size > 0.0).all():
            raise ValueError(f"size: expected numbers > 0, got {size.tolist()}")
        object.__setattr__(self, "size", size)


@dataclass(frozen=True)
class Sphere:
    """A sphere centred at its marker."""

    radius: float
    """Radius, m."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _positive("radius", self.radius))


@dataclass(frozen=True)
class Cylinder:
    """A cylinder centred at its marker, with its axis along z."""

    radius: float
    """Radius, m."""
    length: float
    """Length, m."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _positive("radius", self.radius))
        object.__setattr__(self, "length", _positive("length", self.length))


@dataclass(frozen=True, eq=False)
class Extrusion:
    """A polygon in the x-y plane of its marker, extruded equally to both sides."""

    points: ArrayLike
    """Corners of a simple polygon, shape (n, 2), m."""
    thickness: float
    """Thickness, m."""

    def __post_init__(self) -> None:
        shape = np.shape(self.points)
        if len(shape) != 2 or shape[0] < 3 or shape[1] != 2:
            raise ValueError(f"points: expected shape (n, 2) with n >= 3, got shape {shape}")
        object.__setattr__(self, "points", as_array("points", self.points, shape))
        object.__setattr__(self, "thickness", _positive("thickness", self.thickness))

    def mesh(self) -> tuple[Floats, NDArray[np.int64]]:
        """Return vertices (2n, 3) and triangles (4n - 4, 3) of the closed surface.

        Triangles are counter-clockwise from outside.
        """
        flat = np.asarray(self.points, dtype=np.float64)
        if _twice_area(flat) < 0.0:
            flat = flat[::-1]
        n = len(flat)
        half = np.full((n, 1), 0.5 * self.thickness)
        vertices = np.vstack([np.hstack([flat, -half]), np.hstack([flat, half])])
        top = triangles(flat) + n
        bottom = triangles(flat)[:, ::-1]
        i = np.arange(n)
        j = (i + 1) % n
        sides = np.vstack([np.column_stack([i, j, j + n]), np.column_stack([i, j + n, i + n])])
        return vertices, np.vstack([bottom, top, sides])


@dataclass(frozen=True, eq=False)
class Surface:
    """A body given by the triangles of its surface, in the axes of its marker."""

    vertices: ArrayLike
    """Vertices, shape (n, 3), m."""
    faces: ArrayLike
    """Vertex indices of the triangles, counter-clockwise from outside, shape (m, 3)."""

    def __post_init__(self) -> None:
        for name, kind in (("vertices", np.float64), ("faces", np.int64)):
            table = np.array(getattr(self, name), dtype=kind)
            if table.ndim != 2 or table.shape[1] != 3 or len(table) == 0:
                raise ValueError(f"{name}: expected shape (n, 3), got shape {table.shape}")
            object.__setattr__(self, name, table)
        vertices, faces = self.mesh()
        if not np.isfinite(vertices).all():
            raise ValueError("vertices: expected finite numbers")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise ValueError(f"faces: expected numbers of {len(vertices)} vertices")

    def mesh(self) -> tuple[Floats, NDArray[np.int64]]:
        """Return vertices and triangles."""
        return np.asarray(self.vertices), np.asarray(self.faces)


@dataclass(frozen=True)
class Ground:
    """The half-space below the x-y plane of its marker, shown as a plate below moving parts."""


Shape = Box | Sphere | Cylinder | Extrusion | Surface | Ground


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape that is fixed to a body."""

    body: str
    """Name of the body."""
    marker: int
    """Index of the marker that carries it."""
    shape: Shape


def half_size(shape: Shape) -> Floats:
    """Return half the edges of a box about the marker that contains the shape, shape (3,), m."""
    if isinstance(shape, Box):
        return 0.5 * np.asarray(shape.size, dtype=np.float64)
    if isinstance(shape, Sphere):
        return np.full(3, shape.radius)
    if isinstance(shape, Cylinder):
        return np.array([shape.radius, shape.radius, 0.5 * shape.length])
    if isinstance(shape, Surface):
        corner: Floats = np.abs(shape.mesh()[0]).max(axis=0)
        return corner
    if isinstance(shape, Ground):  # its size follows from other shapes
        return np.zeros(3)
    return np.append(np.abs(np.asarray(shape.points)).max(axis=0), 0.5 * shape.thickness)


def triangles(points: Floats) -> NDArray[np.int64]:
    """Triangulate a counter-clockwise simple polygon (n, 2) by ear clipping, shape (n - 2, 3)."""
    left = list(range(len(points)))
    found = []
    while len(left) > 3:
        k = next((k for k in range(len(left)) if _is_ear(points, left, k)), None)
        if k is None:  # rounding errors or a self-intersecting polygon: take the best corner
            k = int(np.argmax([_corner(points, left, k) for k in range(len(left))]))
        found.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        del left[k]
    return np.array([*found, tuple(left)], dtype=np.int64)


def _is_ear(points: Floats, left: list[int], k: int) -> bool:
    """Return True if a corner is convex and no other corner is within its triangle."""
    if _corner(points, left, k) <= 0.0:
        return False
    a, b, c = points[left[k - 1]], points[left[k]], points[left[(k + 1) % len(left)]]
    others = points[[i for i in left if i not in (left[k - 1], left[k], left[(k + 1) % len(left)])]]
    inside = (_cross(b - a, others - a) >= 0.0) & (_cross(c - b, others - b) >= 0.0)
    return not (inside & (_cross(a - c, others - c) >= 0.0)).any()


def _corner(points: Floats, left: list[int], k: int) -> float:
    a, b, c = points[left[k - 1]], points[left[k]], points[left[(k + 1) % len(left)]]
    return float(_cross(b - a, c - b))


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _twice_area(points: Floats) -> float:
    return float(_cross(points, np.roll(points, -1, axis=0)).sum())


def _positive(name: str, value: float) -> float:
    number = as_number(name, value)
    if not 0.0 < number < np.inf:
        raise ValueError(f"{name}: expected a number > 0, got {value}")
    return number

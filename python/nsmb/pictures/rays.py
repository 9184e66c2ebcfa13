"""Where parallel rays first meet solids: depth, surface normal and who it is, pixel by pixel.

Spheres, boxes and cylinders are met exactly, others by their triangles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.plane import Plane
from nsmb.pictures.solids import Box, Cylinder, Shape, Sphere, half_size
from nsmb.pictures.surfaces import surface

__all__ = ["Placed", "Raster", "Seen", "look"]

Floats = NDArray[np.float64]
Placed = tuple[Shape, Floats, Floats, int]
"""A shape, place (3,) and axes (3, 3) of its frame, and a number for who it is."""

_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
_PARALLEL = 1e-12  # to a side: the ray does not meet it


@dataclass(frozen=True)
class Raster:
    """Pixels of a rectangle in a plane, row by row from above."""

    plane: Plane
    x: tuple[float, float]
    y: tuple[float, float]
    width: int
    height: int

    @property
    def columns(self) -> Floats:
        """(width,) m, middles of the pixels."""
        return _middles(*self.x, self.width)

    @property
    def rows(self) -> Floats:
        """(height,) m"""
        return _middles(*self.y, self.height)[::-1]

    def window(self, points: Floats) -> tuple[slice, slice]:
        """Rows and columns of the pixels around some points (n, 3)."""
        seen = self.plane.of(points)
        low, high = seen.min(axis=0), seen.max(axis=0)
        columns, rows = self.columns, self.rows
        first, last = np.searchsorted(columns, [low[0], high[0]])
        bottom, top = np.searchsorted(rows[::-1], [low[1], high[1]])
        return slice(self.height - top, self.height - bottom), slice(first, last)


def _middles(low: float, high: float, count: int) -> Floats:
    return np.asarray(low + (high - low) * (np.arange(count) + 0.5) / count)


@dataclass(frozen=True)
class Seen:
    """What each pixel shows."""

    depth: Floats
    """(height, width) m towards the eye; -inf: nothing."""
    normal: Floats
    """(height, width, 3)"""
    number: NDArray[np.int32]
    """(height, width), -1: nothing."""


def look(raster: Raster, placed: Sequence[Placed]) -> Seen:
    """Of all solids what is nearest to the eye."""
    shape = (raster.height, raster.width)
    depth, normal = np.full(shape, -np.inf), np.zeros((*shape, 3))
    number = np.full(shape, -1, dtype=np.int32)
    plane, columns, rows = raster.plane, raster.columns, raster.rows
    for solid, r, A, who in placed:
        window = raster.window(r + (_CORNERS * half_size(solid)) @ A.T)
        across, upwards = np.meshgrid(columns[window[1]], rows[window[0]])
        if not across.size:
            continue
        origin = across[..., None] * plane.right + upwards[..., None] * plane.up
        local = (origin - r) @ A
        met, n = _meet(solid, local, A.T @ plane.normal)
        nearer = met > depth[window]
        depth[window][nearer] = met[nearer]
        normal[window][nearer] = n[nearer] @ A.T
        number[window][nearer] = who
    return Seen(depth, normal, number)


def _meet(shape: Shape, o: Floats, d: Floats) -> tuple[Floats, Floats]:
    """Largest s with o + s d on the surface, -inf where there is none, and the normal there."""
    if isinstance(shape, Sphere):
        along = o @ d
        root = shape.radius**2 - (o**2).sum(axis=-1) + along**2
        s = np.where(root >= 0.0, np.sqrt(np.maximum(root, 0.0)) - along, -np.inf)
        return s, _at(o, d, s) / shape.radius
    if isinstance(shape, Box):
        far, near, axis = _slabs(o, d, 0.5 * np.asarray(shape.size, dtype=np.float64))
        s = np.where(near <= far, far, -np.inf)
        return s, np.eye(3)[axis] * np.sign(d)
    if isinstance(shape, Cylinder):
        return _cylinder(shape, o, d)
    return _mesh(shape, o, d)


def _at(o: Floats, d: Floats, s: Floats) -> Floats:
    return np.asarray(o + np.where(np.isfinite(s), s, 0.0)[..., None] * d)


def _slabs(o: Floats, d: Floats, half: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Where rays leave and enter a box, or part of one, and through which pair of sides."""
    slope = np.where(np.abs(d) < _PARALLEL, _PARALLEL, d)
    a, b = (-half - o) / slope, (half - o) / slope
    leaves, enters = np.maximum(a, b), np.minimum(a, b)
    axis = leaves.argmin(axis=-1)
    return leaves.min(axis=-1), enters.max(axis=-1), axis


def _cylinder(shape: Cylinder, o: Floats, d: Floats) -> tuple[Floats, Floats]:
    half = np.array([0.5 * shape.length])
    far, near, _ = _slabs(o[..., 2:], d[2:], half)
    across = max(float(d[:2] @ d[:2]), _PARALLEL)
    along = o[..., :2] @ d[:2]
    root = along**2 - across * ((o[..., :2] ** 2).sum(axis=-1) - shape.radius**2)
    reach = np.sqrt(np.maximum(root, 0.0))
    mantle, inner = (reach - along) / across, (-reach - along) / across
    s = np.minimum(far, mantle)
    s = np.where((root >= 0.0) & (np.maximum(near, inner) <= s), s, -np.inf)
    n = _at(o, d, s) * (1.0, 1.0, 0.0) / shape.radius
    n[far < mantle] = (0.0, 0.0, np.sign(d[2]))
    return s, n


def _mesh(shape: Shape, o: Floats, d: Floats) -> tuple[Floats, Floats]:
    vertices, triangles = surface(shape)
    s, n = np.full(o.shape[:-1], -np.inf), np.zeros(o.shape)
    for a, b, c in vertices[triangles]:
        out = np.cross(b - a, c - a)
        size = float(np.linalg.norm(out))
        slope = float(out @ d)
        if slope <= _PARALLEL * size:  # seen from behind
            continue
        met = ((a - o) @ out) / slope
        p = o + met[..., None] * d
        inside = met > s
        for start, end in ((a, b), (b, c), (c, a)):
            inside &= (p - start) @ np.cross(out, end - start) >= 0.0
        s[inside] = met[inside]
        n[inside] = out / size
    return s, n

"""Triangulated surfaces of solids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.in_space import Mesh
from nsmb.pictures.solids import Box, Cylinder, Ground, Shape, Sphere

__all__ = ["plate", "surface"]

Floats = NDArray[np.float64]


def surface(shape: Shape, *, corners: int = 32) -> Mesh:
    """Return vertices (n, 3) and triangles (m, 3) of a surface, counter-clockwise from outside.

    The vertices of round solids are on their surface, with `corners` vertices around a circle.
    """
    if isinstance(shape, Box):
        return _box(np.asarray(shape.size, dtype=np.float64))
    if isinstance(shape, Sphere):
        angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, corners // 2 + 1)
        return revolved(shape.radius * np.column_stack([np.cos(angle), np.sin(angle)]), corners)
    if isinstance(shape, Cylinder):
        r, z = shape.radius, 0.5 * shape.length
        return revolved(np.array([(0.0, -z), (r, -z), (r, z), (0.0, z)]), corners)
    if isinstance(shape, Ground):
        raise ValueError("shape: must be bounded, got nsmb.pictures.solids.Ground")
    return shape.mesh()


def plate(under: Floats, thickness: float, beyond: float) -> Mesh:
    """Return a plate from z = 0 downwards that extends `beyond` (m) the given points (n, 3)."""
    low, high = under[:, :2].min(axis=0) - beyond, under[:, :2].max(axis=0) + beyond
    vertices, faces = _box(np.array([*(high - low), thickness]))
    middle = np.array([*(0.5 * (low + high)), -0.5 * thickness])
    return vertices + middle, faces


def revolved(profile: Floats, around: int) -> Mesh:
    """Revolve a profile (n, 2) of (radius, z) about z; its ends are on the axis, lowest first."""
    angle = 2.0 * np.pi / around * np.arange(around)
    inner = profile[1:-1]
    rings = np.empty((len(inner), around, 3))
    rings[..., 0] = inner[:, :1] * np.cos(angle)
    rings[..., 1] = inner[:, :1] * np.sin(angle)
    rings[..., 2] = inner[:, 1:]
    ends = [(0.0, 0.0, profile[0, 1]), (0.0, 0.0, profile[-1, 1])]
    vertices = np.vstack([rings.reshape(-1, 3), ends])
    bottom, top = len(vertices) - 2, len(vertices) - 1
    i = np.arange(around)
    j = (i + 1) % around
    faces = [np.column_stack([j, i, np.full(around, bottom)])]
    for k in range(len(inner) - 1):
        a, b, c, d = (x + around * y for x, y in ((i, k), (j, k), (j, k + 1), (i, k + 1)))
        faces += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    last = around * (len(inner) - 1)
    faces.append(np.column_stack([i + last, j + last, np.full(around, top)]))
    return vertices, np.vstack(faces)


def _box(size: Floats) -> Mesh:
    corners = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = [half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))]
    return 0.5 * size * corners, np.array(faces)

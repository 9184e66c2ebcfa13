"""An independent implementation of areal pressure.

Each triangle has a layer of tetrahedra beneath it. All triangles of one surface are clipped at all
cells of the other one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Faces = NDArray[np.int64]


def mitres(x: Array, faces: Faces, longest: float = 4.0) -> Array:
    """Return the vectors from inner vertices to surface vertices per unit of depth, shape (k, 3).

    They follow the angle-weighted mean of the adjacent normals. Their length puts the inner vertex
    at a mean distance of one below these planes.
    """
    corners = x[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    angles = np.zeros(faces.shape)
    for k in range(3):
        a, b = (corners[:, (k + i) % 3] - corners[:, k] for i in (1, 2))
        cosine = np.einsum("ij,ij->i", a, b) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        angles[:, k] = np.arccos(np.clip(cosine, -1.0, 1.0))
    mean = np.zeros_like(x)
    np.add.at(mean, faces, angles[:, :, None] * normals[:, None])
    mean /= np.linalg.norm(mean, axis=1)[:, None]
    along = np.einsum("fki,fi->fk", mean[faces], normals)
    sums = np.zeros((2, len(x)))
    np.add.at(sums[0], faces, angles * along)
    np.add.at(sums[1], faces, angles * along**2)
    length = np.clip(sums[0] / sums[1], 0.0, longest)
    return np.asarray(length[:, None] * mean)


@dataclass(frozen=True)
class Layer:
    """A layer of tetrahedra, shape (n, 4, 3), with the depths of their corners, shape (n, 4)."""

    corners: Array
    depths: Array

    @classmethod
    def of(cls, x: Array, faces: Faces, depths: Array) -> Layer:
        inner = x - depths[:, None] * mitres(x, faces)
        ordered = np.sort(faces, axis=1)
        a, b = x[ordered], inner[ordered]
        d, zero = depths[ordered], np.zeros(len(faces))
        cells, deep = [], []
        for outside in (3, 2, 1):  # number of corners on the surface, the last one twice
            inside = range(outside - 1, 3)
            cells.append(np.stack([*(a[:, i] for i in range(outside)), *(b[:, i] for i in inside)],
                                  axis=1))  # fmt: skip
            deep.append(np.stack([zero] * outside + [d[:, i] for i in inside], axis=1))
        return cls(np.concatenate(cells), np.concatenate(deep))

    def volumes(self) -> Array:
        a = self.corners
        edges = a[:, 1:] - a[:, :1]
        return np.asarray(np.abs(np.linalg.det(edges)) / 6.0)


@dataclass(frozen=True)
class Pressed:
    """The integrals ∫ δ n dA and ∫ δ x × n dA of a surface in a layer, about the origin."""

    force: Array
    moment: Array
    area: float
    pairs: int


def press(x: Array, faces: Faces, layer: Layer, most: int) -> Pressed | None:
    """Integrate over all pairs of triangles and cells whose boxes meet, unless there are too many.

    n points into the base.
    """
    triangles = x[faces]
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    below, above = layer.corners.min(axis=1), layer.corners.max(axis=1)
    is_near = ((below <= high.max(axis=0)) & (above >= low.min(axis=0))).all(axis=1)
    cells = np.flatnonzero(is_near)
    meet = np.ones((len(triangles), len(cells)), dtype=np.bool_)
    for axis in range(3):
        meet &= low[:, None, axis] <= above[cells, axis]
        meet &= below[cells, axis] <= high[:, None, axis]
    if meet.sum() > most:
        return None
    force, moment, area, pairs = np.zeros(3), np.zeros(3), 0.0, 0
    for i, j in np.argwhere(meet):
        k = cells[j]
        piece = clip(triangles[i], layer.corners[k])
        if len(piece) < 3:
            continue
        normal = np.cross(triangles[i, 1] - triangles[i, 0], triangles[i, 2] - triangles[i, 0])
        normal /= np.linalg.norm(normal)
        c = layer.corners[k]
        slope = np.linalg.solve(c[1:] - c[0], layer.depths[k, 1:] - layer.depths[k, 0])
        # Midpoints of edges integrate a product of two linear functions exactly.
        for j in range(1, len(piece) - 1):
            part = piece[[0, j, j + 1]]
            size = 0.5 * float(np.cross(part[1] - part[0], part[2] - part[0]) @ normal)
            middles = 0.5 * (part + np.roll(part, -1, axis=0))
            delta = layer.depths[k, 0] + (middles - c[0]) @ slope
            force -= size / 3.0 * delta.sum() * normal
            moment -= size / 3.0 * np.cross(delta @ middles, normal)
            area += size
        pairs += 1
    return Pressed(force, moment, area, pairs)


def clip(triangle: Array, cell: Array) -> Array:
    """Return the corners of the part of a triangle inside a tetrahedron."""
    piece = triangle
    for k in range(4):
        face = np.delete(cell, k, axis=0)
        normal = np.cross(face[1] - face[0], face[2] - face[0])
        side = 1.0 if (cell[k] - face[0]) @ normal > 0.0 else -1.0
        heights = side * ((piece - face[0]) @ normal)
        kept = []
        for p, q, a, b in zip(piece, np.roll(piece, -1, axis=0), heights, np.roll(heights, -1),
                              strict=True):  # fmt: skip
            if a >= 0.0:
                kept.append(p)
            if (a > 0.0 > b) or (a < 0.0 < b):
                kept.append(p + a / (a - b) * (q - p))
        piece = np.array(kept)
        if len(piece) < 3:
            break
    return piece

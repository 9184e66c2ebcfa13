"""Closed meshes of simple bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, positive, whole
from nsmb.geometry.shapes.triangles import TriangleMesh

__all__ = ["box_mesh", "sphere_mesh", "tube_mesh"]

Numbers = NDArray[np.int64]


def box_mesh(size: ArrayLike, cells: ArrayLike = 1) -> TriangleMesh:
    """Return the mesh of a box about the origin, with two triangles per rectangle of a face.

    Parameters
    ----------
    size : (3,) array_like
        Edge lengths, m.
    cells : int or (3,) array_like of int
        Number of rectangles along each axis.

    Raises
    ------
    ValueError
        If a size is not positive, or a number of cells is less than one.
    """
    lengths = as_array("size", size, (3,))
    for length in lengths:
        positive("size", length)
    n = np.broadcast_to(np.asarray(cells), (3,))
    counts = [whole("cells", k, 1) for k in n.tolist()]
    places = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        i, j = np.meshgrid(np.arange(counts[u]), np.arange(counts[v]), indexing="ij")
        for side in (0, counts[axis]):
            square = np.zeros((4, i.size, 3), dtype=np.int64)
            square[:, :, axis] = side
            for corner, (a, b) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
                square[corner, :, u], square[corner, :, v] = i.ravel() + a, j.ravel() + b
            if side == 0:
                square = square[::-1]
            places.append(square.transpose(1, 0, 2).reshape(-1, 3))
    grid, numbers = np.unique(np.concatenate(places), axis=0, return_inverse=True)
    vertices = (grid / np.array(counts) - 0.5) * lengths
    squares = numbers.reshape(-1, 4)
    return TriangleMesh(vertices, np.vstack([squares[:, [0, 1, 2]], squares[:, [0, 2, 3]]]))


def sphere_mesh(radius: float, level: int = 3) -> TriangleMesh:
    """Return a mesh of 20 · 4ˡᵉᵛᵉˡ triangles with vertices on a sphere, from an icosahedron.

    Raises
    ------
    ValueError
        If the radius is not positive, or the level is negative.
    """
    R = positive("radius", radius)
    phi = 0.5 * (1.0 + np.sqrt(5.0))
    ring = np.array([(-1, phi, 0), (1, phi, 0), (-1, -phi, 0), (1, -phi, 0)], dtype=float)
    vertices = np.vstack([ring, np.roll(ring, 1, axis=1), np.roll(ring, 2, axis=1)])
    edges = np.linalg.norm(vertices[:, None] - vertices, axis=-1) < 2.1
    np.fill_diagonal(edges, val=False)
    faces = [
        (i, j, k)
        for i in range(12)
        for j in range(i + 1, 12)
        for k in range(j + 1, 12)
        if edges[i, j] and edges[j, k] and edges[k, i]
    ]
    triangles = np.array(
        [f if np.linalg.det(vertices[list(f)]) > 0.0 else (f[0], f[2], f[1]) for f in faces]
    )
    for _ in range(whole("level", level, 0)):
        sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        pairs, number = np.unique(sides, axis=0, return_inverse=True)
        middle = number.reshape(-1, 3) + len(vertices)
        vertices = np.vstack([vertices, 0.5 * vertices[pairs].sum(axis=1)])
        vertices /= np.linalg.norm(vertices, axis=1)[:, None]
        a, b, c = triangles.T
        ab, bc, ca = middle.T
        triangles = np.concatenate(
            [np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
    vertices = R * vertices / np.linalg.norm(vertices, axis=1)[:, None]
    return TriangleMesh(vertices, triangles)


def tube_mesh(line: ArrayLike, radius: float, sectors: int = 20) -> TriangleMesh:
    """Return the mesh of a round wire about a line, with flat ends.

    Vertex i · sectors + k belongs to section i. Sections are normal to the line and do not rotate
    about it from one to the next. The centres of the two ends are the last vertices.

    Parameters
    ----------
    line : (n, 3) array_like
        Points of the line, n >= 2, in m. The curvature must be less than 1/radius.
    radius : float
        Radius of the wire, m.
    sectors : int
        Number of vertices per section, at least three.

    Raises
    ------
    ValueError
        If there are fewer than two points, adjacent points coincide, or a number is invalid.
    """
    x = np.asarray(line, dtype=float)
    if x.ndim != 2 or x.shape[1] != 3 or len(x) < 2:
        raise ValueError(f"line: expected shape (n, 3), n >= 2, got {x.shape}")
    x = as_array("line", x, (len(x), 3))
    R, n = positive("radius", radius), whole("sectors", sectors, 3)
    steps = np.linalg.norm(np.diff(x, axis=0), axis=1)
    if not (steps > 0.0).all():
        raise ValueError(
            f"`line`: adjacent points must differ, got equal points at index {steps.argmin()}"
        )
    tangents = np.gradient(x, np.concatenate([[0.0], np.cumsum(steps)]), axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    side = np.eye(3)[np.abs(tangents[0]).argmin()]
    angle = 2.0 * np.pi * np.arange(n) / n
    rings = []
    for t, place in zip(tangents, x, strict=True):
        side = side - (side @ t) * t
        side = side / np.linalg.norm(side)
        rings.append(
            place + R * (np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * np.cross(t, side))
        )
    vertices = np.vstack([*rings, x[:1], x[-1:]])
    first, k = np.meshgrid(n * np.arange(len(x) - 1), np.arange(n), indexing="ij")
    a, b = (first + k).ravel(), (first + (k + 1) % n).ravel()
    around = np.arange(n)
    start, end = np.full(n, n * len(x)), np.full(n, n * len(x) + 1)
    last = n * (len(x) - 1) + around
    triangles = np.concatenate(
        [
            np.stack([a, b, b + n], axis=1),
            np.stack([a, b + n, a + n], axis=1),
            np.stack([start, (around + 1) % n, around], axis=1),
            np.stack([end, last, last - around + (around + 1) % n], axis=1),
        ]
    )
    return TriangleMesh(vertices, triangles)

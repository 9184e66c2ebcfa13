"""Meshes of triangles, closed and open."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay

Floats = NDArray[np.float64]
Faces = NDArray[np.int64]
Mesh = tuple[Floats, Faces]


def joined(corners: Floats) -> Mesh:
    """Return triangles (m, 3, 3) as a mesh in which equal points are merged."""
    places, number = np.unique(np.round(corners.reshape(-1, 3), 12), axis=0, return_inverse=True)
    return places, number.reshape(-1, 3).astype(np.int64)


def box_mesh(size: tuple[float, float, float], cells: int = 1) -> Mesh:
    """Return a box with each face in cells² squares."""
    grid = np.linspace(-0.5, 0.5, cells + 1)
    found = []
    for axis in range(3):
        for side in (-0.5, 0.5):
            for i in range(cells):
                for j in range(cells):
                    square = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                    p = np.zeros((4, 3))
                    p[:, axis] = side
                    p[:, (axis + 1) % 3] = [grid[a] for a, _ in square]
                    p[:, (axis + 2) % 3] = [grid[b] for _, b in square]
                    p = p if side > 0 else p[::-1]
                    found += [p[[0, 1, 2]], p[[0, 2, 3]]]
    vertices, faces = joined(np.array(found))
    return vertices * size, faces


def icosphere(level: int) -> Mesh:
    """Return the icosahedron with triangles repeatedly cut into four, on the unit sphere."""
    phi = 0.5 * (1.0 + np.sqrt(5.0))
    ring = [(0.0, a, b * phi) for a in (-1, 1) for b in (-1, 1)]
    v = np.array([np.roll(p, k) for p in ring for k in range(3)])
    near = [
        (i, j, k)
        for i in range(12)
        for j in range(i + 1, 12)
        for k in range(j + 1, 12)
        if max(np.linalg.norm(v[i] - v[j]), np.linalg.norm(v[j] - v[k])) < 2.1
        and np.linalg.norm(v[k] - v[i]) < 2.1
    ]
    corners = v[np.array(near)] / np.linalg.norm(v[0])
    turned = np.einsum("ij,ij->i", np.cross(corners[:, 0], corners[:, 1]), corners[:, 2]) < 0.0
    corners[turned] = corners[turned][:, ::-1]
    for _ in range(level):
        a, b, c = corners.transpose(1, 0, 2)
        ab, bc, ca = (p / np.linalg.norm(p, axis=1)[:, None] for p in (a + b, b + c, c + a))
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        corners = np.concatenate([np.stack(part, axis=1) for part in parts])
    return joined(corners)


def potato(level: int, seed: int, roughness: float) -> Mesh:
    """Return a sphere with each vertex moved in or out, so that no large part is convex."""
    vertices, faces = icosphere(level)
    factor = 1.0 + roughness * np.random.default_rng(seed).uniform(-1.0, 1.0, len(vertices))
    return vertices * factor[:, None], faces


def torus(R: float, r: float, n: int) -> Mesh:
    """Return 2n by n squares around a ring."""
    u, v = np.meshgrid(np.arange(2 * n), np.arange(n), indexing="ij")
    a, b = np.pi * u / n, 2.0 * np.pi * v / n
    out = R + r * np.cos(b)
    vertices = np.stack([out * np.cos(a), out * np.sin(a), r * np.sin(b)], axis=-1)
    number = np.arange(2 * n * n).reshape(2 * n, n)
    p, q = number, np.roll(number, -1, axis=0)
    s, t = np.roll(q, -1, axis=1), np.roll(p, -1, axis=1)
    return vertices.reshape(-1, 3), np.stack([p, q, s, p, s, t], axis=-1).reshape(-1, 3)


def plate(n: int, seed: int, half: float = 1.0) -> Mesh:
    """Return a square in the x-y plane, with triangles of random corners."""
    rng = np.random.default_rng(seed)
    edge = np.linspace(-half, half, 6)
    rim = [(x, y) for x in edge for y in edge if max(abs(x), abs(y)) == half]
    points = np.vstack([rim, rng.uniform(-0.98 * half, 0.98 * half, (n, 2))])
    faces = Delaunay(points).simplices.astype(np.int64)
    a, b, c = points[faces].transpose(1, 0, 2)
    turned = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0] < 0.0
    faces[turned] = faces[turned][:, ::-1]
    return np.column_stack([points, np.zeros(len(points))]), faces

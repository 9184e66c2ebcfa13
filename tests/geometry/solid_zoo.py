"""Shapes in space as rounded hulls of points, and random poses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from nsmb._core import geometry

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Solid:
    shape: geometry.Shape
    points: Floats  # (n, 3) m; the shape is their hull with `radius` around it
    radius: float = 0.0


def hull_faces(points: Floats) -> tuple[Floats, list[list[int]]]:
    """Return the vertices of the hull and its triangles, counter-clockwise from outside."""
    hull = ConvexHull(points)
    number = {int(v): i for i, v in enumerate(hull.vertices)}
    faces = []
    for simplex, equation in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = points[simplex]
        ordered = simplex if np.cross(b - a, c - a) @ equation[:3] > 0.0 else simplex[::-1]
        faces.append([number[int(v)] for v in ordered])
    return points[hull.vertices], faces


def corners(size: tuple[float, float, float]) -> Floats:
    signs = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])
    return np.asarray(0.5 * signs * np.array(size))


def box(*size: float) -> Solid:
    return Solid(geometry.box(size), corners(size))  # type: ignore[arg-type]


def hull(n: int, seed: int, size: float = 0.5) -> Solid:
    points, faces = hull_faces(size * np.random.default_rng(seed).normal(size=(n, 3)))
    return Solid(geometry.polyhedron(points, faces), points)


def sphere(radius: float) -> Solid:
    return Solid(geometry.sphere(radius), np.zeros((1, 3)), radius)


def capsule(radius: float, length: float) -> Solid:
    half = np.array([0.0, 0.0, 0.5 * length])
    return Solid(geometry.capsule(radius, length), np.array([-half, half]), radius)


def pose(r: object = (0.0, 0.0, 0.0), A: object = None) -> Floats:
    """Return a row of poses: origin and axes."""
    axes = np.eye(3) if A is None else np.asarray(A, dtype=np.float64)
    return np.concatenate([np.asarray(r, dtype=np.float64), axes.ravel()])


def random_poses(n: int, spread: float, rng: np.random.Generator) -> Floats:
    axes = Rotation.random(n, random_state=rng).as_matrix().reshape(n, 9)
    return np.hstack([spread * rng.normal(size=(n, 3)), axes])


def turned(poses: Floats, r: Floats, A: Floats) -> Floats:
    """Return the poses after a rigid motion of the whole scene."""
    axes = A @ poses[:, 3:].reshape(-1, 3, 3)
    return np.hstack([r + poses[:, :3] @ A.T, axes.reshape(-1, 9)])


def placed(points: Floats, row: Floats) -> Floats:
    return np.asarray(points @ row[3:].reshape(3, 3).T + row[:3])


def least_gap(found: dict[str, NDArray[np.generic]], rows: int) -> Floats:
    gap = np.full(rows, np.inf)
    np.minimum.at(gap, found["row"], found["g_N"])
    return gap

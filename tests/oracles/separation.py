"""Proofs of the signed distance of two convex bodies in space, for many poses at once.

A direction n separates two bodies by ``gap(n) = min n.x over the second - max n.x over the first``.
The signed distance is the largest gap of all unit directions. Hence every n gives a lower bound.
Where bodies are apart, two points, one in each, give an upper bound. Both together prove a
distance. Where polyhedra overlap, the largest gap is along the normal of a face or along the common
normal of two edges, which are finitely many.

Bodies are rounded hulls of points (sphere: one point, capsule: two, box, hull), cylinders along z,
and the half-space z <= 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

Array = NDArray[np.float64]


def axes_of(poses: Array) -> Array:
    """Return the axes (n, 3, 3) of poses (n, 12), which hold the origin, then axes row by row."""
    return poses[:, 3:].reshape(-1, 3, 3)


def to_local(poses: Array, p: Array) -> Array:
    """Return points (n, 3) in the frames of the bodies."""
    return np.asarray(np.einsum("nji,nj->ni", axes_of(poses), p - poses[:, :3]))


class Body(ABC):
    """A convex body in its own frame."""

    size: float
    """Largest extent in m."""

    @abstractmethod
    def local_support(self, n: Array) -> Array:
        """Return max n.x, shape (k,), for directions (k, 3)."""

    @abstractmethod
    def local_furthest(self, n: Array) -> Array:
        """Return a point of the body with the maximum, shape (k, 3)."""

    def furthest(self, poses: Array, n: Array) -> Array:
        """Return a furthest point at poses (k, 12), shape (k, 3)."""
        local = self.local_furthest(np.einsum("nji,nj->ni", axes_of(poses), n))
        return np.asarray(poses[:, :3] + np.einsum("nij,nj->ni", axes_of(poses), local))

    @abstractmethod
    def local_outside(self, p: Array) -> Array:
        """Return distances (k,) of points beyond the surface planes in m, at most 0 inside."""

    def local_clamped(self, p: Array) -> Array:
        """Return points (k, 3) near the surface moved into the body, where possible."""
        return p

    def clamped(self, poses: Array, p: Array) -> Array:
        local = self.local_clamped(to_local(poses, p))
        return np.asarray(poses[:, :3] + np.einsum("nij,nj->ni", axes_of(poses), local))

    def support(self, poses: Array, n: Array) -> Array:
        """Return max n.x at poses (k, 12), shape (k,)."""
        local = np.einsum("nji,nj->ni", axes_of(poses), n)
        return np.asarray(np.einsum("ni,ni->n", n, poses[:, :3]) + self.local_support(local))

    def outside(self, poses: Array, p: Array) -> Array:
        return self.local_outside(to_local(poses, p))


@dataclass(frozen=True, eq=False)
class Rounded(Body):
    """The rounded hull of points."""

    points: Array
    rounding: float = 0.0
    planes: Array = field(init=False)
    """Unit normals and negative offsets, shape (f, 4)."""
    edges: Array = field(init=False)
    """Distinct unit directions, shape (e, 3)."""

    def __post_init__(self) -> None:
        extent = float(np.ptp(self.points, axis=0).max()) + 2.0 * self.rounding
        object.__setattr__(self, "size", extent)
        planes = np.zeros((0, 4))
        edges = np.zeros((0, 3))
        if len(self.points) > 3:
            hull = ConvexHull(self.points)
            planes = hull.equations
            pairs = {tuple(sorted((s[i], s[i - 1]))) for s in hull.simplices for i in range(3)}
            edges = np.array([self.points[j] - self.points[i] for i, j in sorted(pairs)])
        elif len(self.points) == 2:
            edges = np.diff(self.points, axis=0)
        object.__setattr__(self, "planes", planes)
        object.__setattr__(self, "edges", _distinct(edges))

    def local_support(self, n: Array) -> Array:
        height = (n @ self.points.T).max(axis=1)
        return np.asarray(height + self.rounding * np.linalg.norm(n, axis=1))

    def local_furthest(self, n: Array) -> Array:
        unit = n / np.linalg.norm(n, axis=1)[:, None]
        return np.asarray(self.points[(n @ self.points.T).argmax(axis=1)] + self.rounding * unit)

    def local_outside(self, p: Array) -> Array:
        if len(self.points) > 3:
            return np.asarray((p @ self.planes[:, :3].T + self.planes[:, 3]).max(axis=1))
        a, b = self.points[0], self.points[-1]
        d = b - a
        square = float(d @ d)
        s = np.clip((p - a) @ d / square, 0.0, 1.0) if square else np.zeros(len(p))
        return np.asarray(np.linalg.norm(p - a - s[:, None] * d, axis=1) - self.rounding)


@dataclass(frozen=True, eq=False)
class Round(Body):
    """A cylinder along z."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", max(2.0 * self.radius, self.length))

    def local_support(self, n: Array) -> Array:
        across = np.hypot(n[:, 0], n[:, 1])
        return np.asarray(self.radius * across + 0.5 * self.length * np.abs(n[:, 2]))

    def local_furthest(self, n: Array) -> Array:
        across = np.hypot(n[:, 0], n[:, 1])
        out = np.copysign(0.5 * self.length, n)
        out[:, :2] = n[:, :2] * (self.radius / np.where(across > 0.0, across, 1.0))[:, None]
        return np.asarray(out)

    def local_clamped(self, p: Array) -> Array:
        out = p.copy()
        out[:, 2] = np.clip(p[:, 2], -0.5 * self.length, 0.5 * self.length)
        across = np.hypot(p[:, 0], p[:, 1])
        out[:, :2] *= np.minimum(1.0, self.radius / np.maximum(across, 1e-300))[:, None]
        return out

    def local_outside(self, p: Array) -> Array:
        beyond = np.hypot(p[:, 0], p[:, 1]) - self.radius
        return np.maximum(beyond, np.abs(p[:, 2]) - 0.5 * self.length)


@dataclass(frozen=True, eq=False)
class Below(Body):
    """The half-space z <= 0."""

    size: float = 0.0

    def local_support(self, n: Array) -> Array:
        along = np.hypot(n[:, 0], n[:, 1]) <= 1e-12 * n[:, 2]
        return np.where(along, 0.0, np.inf)

    def local_furthest(self, n: Array) -> Array:
        return np.zeros_like(n)

    def local_outside(self, p: Array) -> Array:
        return np.asarray(p[:, 2])


def _distinct(edges: Array) -> Array:
    """Return the unit directions, with one of each set of parallel ones."""
    kept: list[Array] = []
    for e in edges:
        u = e / np.linalg.norm(e)
        if all(np.linalg.norm(np.cross(u, k)) > 1e-15 for k in kept):
            kept.append(u)
    return np.array(kept).reshape(-1, 3)


def gap_along(a: Body, p: Array, b: Body, q: Array, n: Array) -> Array:
    """Return the gaps (k,) of the bodies along directions n (k, 3).

    Positions are relative to the first body, so that a common distance from the origin causes no
    cancellation.
    """
    near, far = p.copy(), q.copy()
    far[:, :3] -= p[:, :3]
    near[:, :3] = 0.0
    return np.asarray(-b.support(far, -n) - a.support(near, n))


def largest_gap_of_polyhedra(a: Rounded, p: Array, b: Rounded, q: Array) -> Array:
    """Return the largest gap (k,) over normals of faces and common normals of edges.

    It is the signed distance where the unrounded hulls overlap, and a lower bound where they are
    apart.
    """
    A, B = axes_of(p), axes_of(q)
    normals = [np.einsum("nij,fj->nfi", A, a.planes[:, :3])]
    normals.append(-np.einsum("nij,fj->nfi", B, b.planes[:, :3]))
    d, e = np.einsum("nij,fj->nfi", A, a.edges), np.einsum("nij,fj->nfi", B, b.edges)
    cross = np.cross(d[:, :, None], e[:, None]).reshape(len(p), -1, 3)
    normals += [cross, -cross]
    n = np.concatenate(normals, axis=1)
    length = np.linalg.norm(n, axis=2)
    n = n / np.where(length > 1e-14, length, 1.0)[..., None]
    x = np.einsum("nij,vj->nvi", A, a.points)
    y = np.einsum("nij,vj->nvi", B, b.points) + (q - p)[:, None, :3]
    high = np.einsum("nfi,nvi->nfv", n, x).max(axis=2)
    low = np.einsum("nfi,nvi->nfv", n, y).min(axis=2)
    gap = np.where(length > 1e-14, low - high, -np.inf).max(axis=1)
    return np.asarray(gap - a.rounding - b.rounding)

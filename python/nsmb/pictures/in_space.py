"""Planar outlines as bodies in space: prisms, bands along lines, arrows, and their poses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.pictures.framing import View
from nsmb.pictures.scene import Outline
from nsmb.pictures.solids import Extrusion, triangles

__all__ = [
    "apart",
    "arrow_between",
    "arrow_mesh",
    "clipped",
    "edges_of",
    "extent",
    "in_space",
    "matrix",
    "motion_between",
    "placed_back",
    "plane_of",
    "prism",
]

Floats = NDArray[np.float64]
Faces = NDArray[np.int64]
Mesh = tuple[Floats, Faces]

_MOST_CORNERS = 400  # of a polygon with lids
_BAND, _LINE = 0.02, 0.006  # widths of ground lines and other lines, relative to the scene size
_AROUND = 0.5  # ground that is kept around the view, relative to its size


def prism(points: Floats, closed: bool, thickness: float, size: float, is_ground: bool) -> Mesh:
    """Return vertices and triangles of the prism over an outline (n, 2) in its own plane.

    Lines get a width, and ground its material on the left. Holes, and very fine outlines that are
    not star-shaped about their middle, become walls without lids. Triangles share no vertices, so
    that edges appear sharp.
    """
    if not closed:
        return apart(*_band(points, thickness, size, is_ground))
    n = len(points)
    following = np.roll(points, -1, axis=0)
    area = (points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]).sum()
    if 3 <= n <= _MOST_CORNERS and area > 0.0:
        return apart(*Extrusion(points, thickness).mesh())
    half = np.full((n, 1), 0.5 * thickness)
    vertices = np.vstack([np.hstack([points, -half]), np.hstack([points, half])])
    i = np.arange(n)
    j = (i + 1) % n
    faces = np.vstack([np.column_stack([i, j, j + n]), np.column_stack([i, j + n, i + n])])
    middle = points.mean(axis=0)
    a, b = points - middle, following - middle
    if (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] > 0.0).all():  # star-shaped about the middle
        ends = np.array([[*middle, -half[0, 0]], [*middle, half[0, 0]]])
        bottom, top = np.full(n, 2 * n), np.full(n, 2 * n + 1)
        lids = [np.column_stack([j, i, bottom]), np.column_stack([i + n, j + n, top])]
        vertices, faces = np.vstack([vertices, ends]), np.vstack([faces, *lids])
    return apart(vertices, faces)


def apart(vertices: Floats, faces: Faces) -> Mesh:
    """Return the mesh with separate vertices for each triangle."""
    return vertices[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3)


def _band(points: Floats, thickness: float, size: float, is_ground: bool) -> Mesh:
    width = (_BAND if is_ground else _LINE) * size
    if len(points) == 1:
        angle = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
        circle = points + width * np.column_stack([np.cos(angle), np.sin(angle)])
        return Extrusion(circle, thickness).mesh()
    vertices, faces, count = [], [], 0
    for a, b in pairwise(points):
        along = b - a
        length = float(np.hypot(*along))
        if length == 0.0:
            continue
        left = width * np.array([-along[1], along[0]]) / length
        right = np.zeros(2) if is_ground else -0.5 * left
        left = left if is_ground else 0.5 * left
        corners, mesh = Extrusion([a + right, b + right, b + left, a + left], thickness).mesh()
        vertices.append(corners)
        faces.append(mesh + count)
        count += len(corners)
    return np.vstack(vertices), np.vstack(faces)


def clipped(points: Floats, closed: bool, view: View) -> Floats:
    """Return the part of ground (n, 2) in and around a view; it may be empty."""
    reach = _AROUND * view.size
    low = np.array([view.x[0] - reach, view.y[0] - reach])
    high = np.array([view.x[1] + reach, view.y[1] + reach])
    if ((points >= low) & (points <= high)).all():
        return points
    for axis, sign, limit in ((0, 1.0, low[0]), (0, -1.0, -high[0]), (1, 1.0, low[1]),
                              (1, -1.0, -high[1])):  # fmt: skip
        points = _cut(points, closed, axis, sign, float(limit))
        if len(points) == 0:
            break
    return points


def _cut(points: Floats, closed: bool, axis: int, sign: float, limit: float) -> Floats:
    """Clip a polygon or line to sign · coordinate >= limit (Sutherland and Hodgman)."""
    height = sign * points[:, axis] - limit
    kept: list[Floats] = []
    for k in range(len(points)):
        if k > 0 or closed:
            a, b = height[k - 1], height[k]
            if (a < 0.0) != (b < 0.0):
                kept.append(points[k - 1] + a / (a - b) * (points[k] - points[k - 1]))
        if height[k] >= 0.0:
            kept.append(points[k])
    return np.array(kept).reshape(-1, 2)


def motion_between(before: Outline, after: Outline) -> Floats:
    """Return the rigid motion (4, 4) that best maps one outline to another (least squares)."""
    middle, place = before.points.mean(axis=0), after.points.mean(axis=0)
    C = (after.points - place).T @ (before.points - middle)
    U, _, Vt = np.linalg.svd(C)
    turn = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt)) or 1.0])
    A = U @ turn @ Vt
    return matrix(place - A @ middle, A)


def matrix(r: Floats, A: Floats) -> Floats:
    """Return the transformation (4, 4) of a position and an orientation (or scale)."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = A, r
    return found


def arrow_mesh() -> Mesh:
    """Return an arrow along z from 0 to 1, with width 0.1 and a head at its end."""
    angle = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    rings = [(0.02, 0.0), (0.02, 0.75), (0.05, 0.75)]
    vertices = [np.column_stack([r * circle, np.full(12, z)]) for r, z in rings]
    i = np.arange(12)
    j = (i + 1) % 12
    faces = [triangles(circle)[:, ::-1]]
    for k in range(len(rings) - 1):
        a, b, c, d = i + 12 * k, j + 12 * k, j + 12 * (k + 1), i + 12 * (k + 1)
        faces += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    tip = 12 * len(rings)
    faces.append(np.column_stack([i + 24, j + 24, np.full(12, tip)]))
    return np.vstack([*vertices, [(0.0, 0.0, 1.0)]]), np.vstack(faces)


def arrow_between(tail: Floats, tip: Floats, width: float) -> Floats:
    """Return the transformation (4, 4) of the unit arrow, or rod along z, between two points."""
    along = tip - tail
    length = float(np.linalg.norm(along))
    e = along / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    side = np.eye(3)[int(np.argmin(np.abs(e)))]
    across = np.cross(e, side)
    across /= np.linalg.norm(across)
    A = np.column_stack([across, np.cross(e, across), e])
    return matrix(tail, A @ np.diag([width, width, max(length, 1e-12)]))


def plane_of(outline: Outline) -> Floats:
    """Return a frame (4, 4) whose x-y plane contains an outline given by a function."""
    n = outline.normal
    side = np.eye(3)[int(np.argmin(np.abs(n)))]
    e_y = np.cross(n, side) if abs(n[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    return matrix(outline.points[0], np.column_stack([np.cross(e_y, n), e_y, n]))


def placed_back(kept: Floats, flat: Floats, points: Floats, frame: Floats) -> Floats:
    """Return points of the view in the frame of an outline, by an affine map."""
    local = (points - frame[:3, 3]) @ frame[:3, :2]
    known = np.column_stack([flat, np.ones(len(flat))])
    if len(flat) < 3 or np.linalg.matrix_rank(known) < 3:
        # for points on a line, a point to its left makes the map unique
        along, inner = flat[-1] - flat[0], local[-1] - local[0]
        flat = np.vstack([flat, flat[0] + (-along[1], along[0])])
        local = np.vstack([local, local[0] + (-inner[1], inner[0])])
        known = np.column_stack([flat, np.ones(len(flat))])
    to_local = np.linalg.lstsq(known, local, rcond=None)[0]
    return np.asarray(np.column_stack([kept, np.ones(len(kept))]) @ to_local)


def extent(points: ArrayLike) -> float:
    """Return the longest side of the bounding box of points, m."""
    return float(np.ptp(np.asarray(points, dtype=np.float64), axis=0).max())


def edges_of(outlines: Sequence[Outline]) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield the body and the ends of each straight piece."""
    for outline in outlines:
        points = outline.points
        ends = np.roll(points, -1, axis=0) if outline.closed else points[1:]
        for a, b in zip(points[: len(ends)], ends, strict=True):
            yield outline.body, a, b


def in_space(point: ArrayLike) -> Floats:
    """Return a point in the plane or in space as an array of shape (3,)."""
    place = np.zeros(3)
    given = np.asarray(point, dtype=np.float64)
    place[: given.size] = given
    return place

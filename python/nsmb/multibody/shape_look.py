"""Drawings of shapes: solids for the viewer, outlines for figures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nsmb.common.frames import Frame
from nsmb.geometry import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    Sphere,
    TriangleMesh,
)
from nsmb.multibody.parts import Place, ShapeOnBody
from nsmb.pictures import solids
from nsmb.pictures.scene import SceneItem

__all__ = ["outlines_of", "solids_of"]

Array = NDArray[np.float64]
_POINTS = 48  # of a circle
_FAR = 100.0  # m, where infinite ground ends
_XY = np.eye(3)
_XZ = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_YZ = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
MarkerOf = Callable[[Place], int]


def solids_of(shape: ShapeOnBody, marker_of: MarkerOf) -> list[solids.Solid]:
    form, body = shape.shape, shape.place.body

    def at(r: Array, solid: solids.Shape) -> solids.Solid:
        return solids.Solid(body, marker_of(_moved(shape.place, r)), solid)

    middle = np.zeros(3)
    if isinstance(form, Sphere):
        return [at(middle, solids.Sphere(form.radius))]
    if isinstance(form, Box):
        return [at(middle, solids.Box(form.size))]
    if isinstance(form, Cylinder):
        return [at(middle, solids.Cylinder(form.radius, form.length))]
    if isinstance(form, Capsule):
        ends = [at(end, solids.Sphere(form.radius)) for end in _ends(form.length)]
        return [at(middle, solids.Cylinder(form.radius, form.length)), *ends]
    if isinstance(form, ConvexHull | HeightField | TriangleMesh):
        # The surface is about its own centre, where drawings put the bounding box.
        vertices, faces = _mesh(form)
        middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
        return [at(middle, solids.Surface(vertices - middle, faces))]
    if isinstance(form, HalfSpace):
        return [at(middle, solids.Ground())]
    return []


def outlines_of(shape: ShapeOnBody, marker_of: MarkerOf) -> list[SceneItem]:
    """Return flat parts that look like the shape from any side."""
    form = shape.shape
    items = []

    def add(points: Array, turn: Array, r: Array, *, closed: bool = True) -> None:
        marker = marker_of(_moved(shape.place, r, turn))
        items.append(SceneItem(shape.place.body, marker, points, closed, has_solid=True))

    middle = np.zeros(3)
    if isinstance(form, HalfSpace):
        for turn in (_XZ, _YZ):  # the body is on the left of its line
            add(np.array([[_FAR, 0.0], [-_FAR, 0.0]]), turn, middle, closed=False)
    if isinstance(form, Sphere):
        for turn in (_XY, _XZ, _YZ):
            add(_circle(form.radius), turn, middle)
    if isinstance(form, Box):
        size = np.asarray(form.size)
        for turn in (_XY, _XZ, _YZ):
            width, height, depth = np.abs(turn.T @ size)
            for side in (-0.5, 0.5):
                add(_rectangle(width, height), turn, side * depth * turn[:, 2])
    if isinstance(form, Cylinder | Capsule):
        for end in _ends(form.length):
            for turn in (_XY, _XZ, _YZ) if isinstance(form, Capsule) else (_XY,):
                add(_circle(form.radius), turn, end)
        for turn in (_XZ, _YZ):
            add(_rectangle(2.0 * form.radius, form.length), turn, middle)
    if isinstance(form, ConvexHull):
        for face in form.faces:
            corners = form.vertices[list(face)]
            turn = _in_plane(corners)
            add((corners - corners[0]) @ turn[:, :2], turn, corners[0])
    if isinstance(form, TriangleMesh):
        vertices = np.asarray(form.vertices)
        middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
        for turn in (_XY, _XZ, _YZ):
            add(_outline_of((vertices - middle) @ turn[:, :2]), turn, middle)
    if isinstance(form, HeightField):
        for line, turn in _profiles(form):
            add(line @ turn[:, :2], turn, turn[:, 2] * (turn[:, 2] @ line[0]), closed=False)
    return items


def _in_plane(corners: Array) -> Array:
    """Return axes with e_x and e_y in the plane of a face with counter-clockwise corners."""
    x = corners[1] - corners[0]
    z = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def _mesh(form: ConvexHull | HeightField | TriangleMesh) -> tuple[Array, NDArray[np.int64]]:
    if isinstance(form, HeightField):
        return form.mesh()
    if isinstance(form, TriangleMesh):
        return np.asarray(form.vertices), np.asarray(form.triangles)
    fans = [(f[0], f[k], f[k + 1]) for f in form.faces for k in range(1, len(f) - 1)]
    return form.vertices, np.array(fans, dtype=np.int64)


def _profiles(form: HeightField) -> list[tuple[Array, Array]]:
    """Return lines through the middle of the ground along x and y, with the body on the left."""
    n_x, n_y = np.shape(form.heights)
    places = form.mesh()[0].reshape(n_x, n_y, 3)
    return [(places[::-1, n_y // 2], _XZ), (places[n_x // 2, ::-1], _YZ)]


def _outline_of(points: Array) -> Array:
    """Return the corners of the convex hull of points in the plane, counter-clockwise."""
    ordered = np.unique(points, axis=0)
    loops = []
    for row in (ordered, ordered[::-1]):
        loop: list[Array] = []
        for p in row:
            while len(loop) > 1 and _turn(loop[-2], loop[-1], p) <= 0.0:
                loop.pop()
            loop.append(p)
        loops += loop[:-1]
    return np.array(loops)


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _moved(place: Place, r: Array, turn: Array = _XY) -> Place:
    A = np.asarray(place.frame.A)
    return Place(place.body, Frame(np.asarray(place.frame.r) + A @ r, A @ turn))


def _ends(length: float) -> list[Array]:
    return [np.array([0.0, 0.0, side * length]) for side in (-0.5, 0.5)]


def _circle(radius: float) -> Array:
    angle = np.linspace(0.0, 2.0 * np.pi, _POINTS, endpoint=False)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def _rectangle(width: float, height: float) -> Array:
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    return corners * (width, height)

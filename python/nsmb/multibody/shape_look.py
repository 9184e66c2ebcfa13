"""What shapes look like: solids for the viewer, outlines for pictures."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nsmb.multibody.frames import Frame
from nsmb.multibody.parts import Place, ShapeOnBody
from nsmb.pictures import solids
from nsmb.pictures.scene import SceneItem
from nsmb.shapes import Box, Capsule, ConvexHull, Cylinder, HalfSpace, Sphere

__all__ = ["outlines_of", "solids_of"]

Array = NDArray[np.float64]
_POINTS = 48  # of a circle
_FAR = 100.0  # m, where ground ends that has no end
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
    if isinstance(form, ConvexHull):
        fans = [(loop[0], *pair) for loop in form.faces for pair in pairwise(loop[1:])]
        return [at(middle, solids.Surface(form.vertices, fans))]
    if isinstance(form, HalfSpace):
        return [at(middle, solids.Ground())]
    return []


def outlines_of(shape: ShapeOnBody, marker_of: MarkerOf) -> list[SceneItem]:
    """Flat parts whose pictures from any side are that of the shape."""
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
        for loop in form.faces:
            corners = form.vertices[list(loop)]
            turn = _axes_of(corners)
            add((corners - corners[0]) @ turn[:, :2], turn, corners[0])
    return items


def _axes_of(corners: Array) -> Array:
    """(3, 3) axes of a flat convex polygon as columns, the last one out of the body."""
    arms = corners - corners[0]
    normal = np.cross(arms[:-1], arms[1:]).sum(axis=0)
    e_x, e_z = (v / np.linalg.norm(v) for v in (arms[1], normal))
    return np.column_stack([e_x, np.cross(e_z, e_x), e_z])


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

"""Drawings of models: contours, outlines, springs, hinges, and lines for other bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.frames import Frame
from nsmb.geometry.contours.curves import Line
from nsmb.multibody.assembly import Assembly
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.deformable import Drawing, StressLook, von_mises
from nsmb.multibody.joints import (
    Cylindrical,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Rod,
    Spherical,
    Universal,
)
from nsmb.multibody.parts import GROUND, ContourOnBody, Place
from nsmb.multibody.ritz import Elastic as Slender
from nsmb.multibody.shape_look import outlines_of, solids_of
from nsmb.pictures.scene import Outline, Scene, SceneItem, StressField

__all__ = ["scene_of_model"]

Array = NDArray[np.float64]
T = TypeVar("T")

_HINGES = (Revolute, Spherical, Universal, Cylindrical, Rod)  # drawn as circles
_SLIDES = (Prismatic, Cylindrical)
_LOOSE = (Free, Planar)  # do not hold a point of their bodies
_FAR = 100.0  # m, where infinite lines end
_NEAR = 1e-9  # m: distance of identical points
_PIECES = 16  # straight pieces of the line of an elastic body


def scene_of_model(assembly: Assembly, model: Blueprint) -> Scene:
    """Return the scene of contours and outlines, springs between points, and hinges.

    A slender elastic body without outline is drawn as its axis, and an elastic body of nodes as the
    lines of its mesh. A rigid body without outline gets lines from its centre of mass to its
    joints, springs and contours.
    """
    # Deforming contours are drawn with their bodies.
    rigid = [(contour, marker) for contour, marker in assembly.contours if not contour.nodes]
    items = [_item(contour, marker) for contour, marker in rigid]
    shapes = list(model.shapes.values())
    items += [item for shape in shapes for item in outlines_of(shape, assembly.marker)]
    solids = [solid for shape in shapes for solid in solids_of(shape, assembly.marker)]
    shaped = {shape.place.body for shape in shapes}
    laws = [law.places for law in model.laws.values()]
    laws += [switch.places for switch in model.switches.values()]
    joints = [*model.joints.values(), *model.loops.values()]
    hinges = [joint.second for joint in joints if isinstance(joint.joint, _HINGES)]
    hinges += [joint.first for joint in joints if isinstance(joint.joint, Rod)]
    contours = _by_body((c.place.body, c) for c, _ in rigid)
    joined = _by_body(
        (place.body, place)
        for joint in joints
        for place in (joint.first, joint.second)
        if not isinstance(joint.joint, _LOOSE)
    )
    sprung = _by_body((place.body, place) for pair in laws for place in pair or ())
    links, centers, soft = [], [], []
    stressed = _stressed(assembly, model)
    for name, body in model.bodies.items():
        own = contours.get(name, [])
        if name in shaped or any(contour.is_outline for contour in own):
            continue
        elastic = model.elastic.get(name)
        if isinstance(elastic, Slender):
            along = elastic.start + elastic.length * np.linspace(0.0, 1.0, _PIECES + 1)
            line = [assembly.point(name, elastic.place(x)) for x in along.tolist()]
            links += [(name, *pair) for pair in pairwise(line)]
            continue
        drawing = None if elastic is None else elastic._drawing()
        if elastic is not None and drawing is not None:
            soft.append(_Soft(name, *_stands(assembly, name, elastic.count), drawing))
            continue
        places = [*joined.get(name, ()), *sprung.get(name, ())]
        ends = [np.asarray(place.frame.r) for place in places]
        ends += [_middle(contour) for contour in own if not isinstance(contour.contour, Line)]
        center = np.asarray(body.center)
        legs = [end for end in _apart(ends, center) if not _covered(end, center, own)]
        if not legs and (own or not body.mass):
            continue
        points = [assembly.point(name, place) for place in (center, *legs)]
        links += [(name, points[0], point) for point in points[1:] or points]
        if body.mass:
            centers.append(points[0])
    springs = [assembly.ends(pair) for pair in laws if pair is not None]
    circles = dict.fromkeys(assembly.marker(place) for place in hinges)
    fixed = [place for j in joints if isinstance(j.joint, _HINGES) for place in (j.first, j.second)]
    supports = dict.fromkeys(assembly.marker(place) for place in fixed if place.body == GROUND)
    guides = [
        (*assembly.ends((j.first, j.second)), j.joint._direction())
        for j in joints
        if isinstance(j.joint, _SLIDES)
    ]
    poses = _Poses(assembly)
    return Scene(
        items, poses, springs=springs, joints=list(circles), supports=list(supports),
        guides=guides, links=links, centers=centers,
        solids=solids, deforming=_Deformed(soft, poses) if soft else None,
        stresses=_Stresses(stressed, poses) if stressed else None,
    )  # fmt: skip


def _by_body(parts: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    found: dict[str, list[T]] = {}
    for body, part in parts:
        found.setdefault(body, []).append(part)
    return found


class _Poses:
    """Poses of all markers by a separate core, so that drawing does not slow down the system."""

    def __init__(self, assembly: Assembly) -> None:
        self._tree, self._markers = assembly.picture_tree(), list(assembly.markers)
        self._core: _multibody.ModelSystem | None = None

    def __call__(self, t: float, q: Array) -> list[tuple[Array, Array]]:
        if self._core is None:
            self._core = _multibody.ModelSystem(self._tree, markers=self._markers)
        return self._core.marker_poses(t, q)


@dataclass(frozen=True, eq=False)
class _Soft:
    """A body that is drawn deformed."""

    body: str
    frame: int
    """Marker of its floating frame."""
    coordinates: slice
    drawing: Drawing


class _Deformed:
    """Outlines of deformed bodies."""

    def __init__(self, bodies: Sequence[_Soft], poses: _Poses) -> None:
        self._bodies, self._poses = tuple(bodies), poses

    def __call__(self, t: float, q: Array) -> list[Outline]:
        poses = self._poses(t, q)
        outlines = []
        for soft in self._bodies:
            r, A = poses[soft.frame]
            place = soft.drawing.places + soft.drawing.shapes @ q[soft.coordinates]  # (2.18)
            points = r + place @ A.T
            normal = A[:, 2] if soft.drawing.is_planar else np.zeros(3)
            for path, closed in soft.drawing.paths:
                line = points[list(path)]
                if normal[2] < 0.0:  # seen from behind: the body stays on the left
                    line, normal = line[::-1], -normal
                outlines.append(Outline(soft.body, line, closed, normal))
        return outlines


def _stands(assembly: Assembly, name: str, count: int) -> tuple[int, slice]:
    """Return the marker of the floating frame of an elastic body, and its coordinates."""
    first = assembly.coordinate_places.of[f"{name}.q1"]
    return assembly.marker(Place(name, Frame())), slice(first, first + count)


@dataclass(frozen=True, eq=False)
class _Stressed:
    """A body whose stresses can be drawn."""

    body: str
    frame: int
    coordinates: slice
    look: StressLook


def _stressed(assembly: Assembly, model: Blueprint) -> list[_Stressed]:
    looks = ((name, body, body._stress_look()) for name, body in model.elastic.items())
    return [
        _Stressed(name, *_stands(assembly, name, body.count), look)
        for name, body, look in looks
        if look is not None
    ]


class _Stresses:
    """Stresses of the moving bodies."""

    def __init__(self, bodies: Sequence[_Stressed], poses: _Poses) -> None:
        self._bodies, self._poses = tuple(bodies), poses

    def __call__(self, t: float, q: Array) -> list[StressField]:
        poses = self._poses(t, q)
        fields = []
        for stressed in self._bodies:
            (r, A), q_e, look = poses[stressed.frame], q[stressed.coordinates], stressed.look
            points = r + (look.places + look.shapes @ q_e) @ A.T  # (2.18)
            values = von_mises(look.stresses @ q_e)
            fields.append(
                StressField(stressed.body, points, look.triangles, values, look.is_planar)
            )
        return fields


def _item(contour: ContourOnBody, marker: int) -> SceneItem:
    shape = contour.contour
    endless = isinstance(shape, Line)
    points = shape.points(2, _FAR) if isinstance(shape, Line) else shape.points()
    closed = len(points) > 2 and bool(np.allclose(points[0], points[-1]))
    return SceneItem(contour.place.body, marker, points, closed, is_endless=endless)


def _middle(contour: ContourOnBody) -> Array:
    """Return the middle (3,) of a contour in the body frame, m."""
    points = contour.contour.points()
    frame = contour.place.frame
    closed = len(points) > 2 and np.allclose(points[0], points[-1])
    middle = points[: -1 if closed else None].mean(axis=0)
    place: Array = np.asarray(frame.r) + np.asarray(frame.A)[:, :2] @ middle
    return place


def _apart(places: Sequence[Array], center: Array) -> list[Array]:
    """Return the points that differ from the centre and from one another."""
    found = [center]
    for place in places:
        if all(np.abs(place - other).max() > _NEAR for other in found):
            found.append(np.asarray(place))
    return found[1:]


def _covered(end: Array, center: Array, contours: Sequence[ContourOnBody]) -> bool:
    """Return True if the bounds of a closed contour contain the line to `end`, which is omitted."""
    for contour in contours:
        points = contour.contour.points()
        if len(points) < 3 or not np.allclose(points[0], points[-1]):
            continue
        low, high = points.min(axis=0), points.max(axis=0)
        frame = contour.place.frame
        local = (np.array([end, center]) - np.asarray(frame.r)) @ np.asarray(frame.A)[:, :2]
        if ((local >= low) & (local <= high)).all():
            return True
    return False

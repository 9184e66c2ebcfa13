"""Names and positions of the parts of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsmb.common.arguments import unknown_name
from nsmb.common.frames import Frame, as_frame
from nsmb.geometry.contours.base import Contour
from nsmb.geometry.contours.polygons import Polygon, Polyline
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.handles import Body
from nsmb.multibody.parts import GROUND, ContourOnBody, Marker, Place, ShapeOnBody
from nsmb.system.discontinuities import Discontinuity, as_discontinuities

__all__ = ["Register"]

_RESERVED = (GROUND, "environment")


class Register:
    """Register of the names in use and the positions of the parts of a model.

    Parameters
    ----------
    records : Blueprint
        Records of the model, to which markers, contours and shapes are added.
    """

    def __init__(self, records: Blueprint) -> None:
        self._records = records

    def add_discontinuities(self, what: str, given: Sequence[Discontinuity]) -> None:
        self._records.discontinuities += as_discontinuities(f"{what}: discontinuities", given)

    def new_name(self, kind: str, name: str) -> str:
        """Return `kind` and name for messages. Raise ValueError if the name is in use."""
        groups: dict[str, tuple[Any, ...]] = {
            "joint": (self._records.joints, self._records.loops, self._records.elastic),
            "loop": (self._records.joints, self._records.loops, self._records.elastic),
        }
        default = (
            self._records.laws,
            self._records.elements,
            self._records.switches,
            self._records.loads,
            self._records.frictions,
            self._records.contacts,
            self._records.surface_contacts,
            self._records.stops,
        )
        if not isinstance(name, str) or not name:
            raise ValueError(f"name of a {kind}: expected a text that is not empty, got {name!r}")
        if kind in ("joint", "loop") and "." in name:
            raise ValueError(f"{kind} {name!r}: must have a name without a dot")
        if any(name in group for group in groups.get(kind, default)):
            raise ValueError(
                f"{kind} {name!r}: must have a unique name, got a name that is already in use"
            )
        return f"{kind} {name!r}"

    def new_body(self, name: str) -> str:
        """Return the body for messages. Raise ValueError if the name is in use."""
        if not isinstance(name, str):
            raise ValueError(f"name of a body: expected a text, got {name!r}")
        what = f"body {name!r}"
        if name in self._records.bodies or name in _RESERVED or not name:
            raise ValueError(f"{what}: must have a unique name, got a name that is already in use")
        return what

    def pair_of_bodies(self, first: object, second: object, also: str = "") -> tuple[str, str]:
        """Return names of two bodies of this model, in alphabetical order."""
        if not isinstance(first, Body) or not isinstance(second, Body):
            raise ValueError(f"expected two bodies{also}, got {first!r} and {second!r}")
        names = [self.place(body).body for body in (first, second)]
        if names[0] == names[1]:
            raise ValueError(f"expected two bodies, got {names[0]!r} twice")
        return min(names), max(names)

    def frame(self, body: str, argument: str, at: Any, angle: float) -> Frame:
        """Return the frame `at`, which elastic bodies interpret in their own way."""
        elastic = self._records.elastic.get(body)
        if elastic is not None:
            at = elastic._frame_at(argument, at)
        return as_frame(argument, at, angle)

    def place(
        self, end: Body | Marker, at: Any = None, angle: float = 0.0, argument: str = "at"
    ) -> Place:
        if isinstance(end, Marker):
            key = end.place.body, end.name
            if self._records.markers.get(key) is not end:
                raise ValueError(
                    f"marker {end.name!r}: must be a marker of this model, got a marker of "
                    "another model"
                )
            if at is not None or angle != 0.0:
                raise ValueError(f"{argument}: must be left out with the marker {end.name!r}")
            self._records.used_markers.add(key)
            return end.place
        if not isinstance(end, Body):
            raise ValueError(f"body: expected a body or marker of this model, got {end!r}")
        if end._register is not self or (
            end.name != GROUND and end.name not in self._records.bodies
        ):
            raise ValueError(
                f"body {end.name!r}: must be a body of this model, got a body of another model"
            )
        return Place(end.name, self.frame(end.name, argument, at, angle))

    def add_marker(self, marker: Marker, is_output: bool) -> Marker:
        key = marker.place.body, marker.name
        if key in self._records.markers:
            raise ValueError(
                f"marker {marker.name!r} of body {key[0]!r}: must have a unique name, got a name "
                "that is already in use"
            )
        self._records.markers[key] = marker
        if is_output:
            self._records.used_markers.add(key)
        return marker

    def add_contour(self, contour: ContourOnBody) -> ContourOnBody:
        key = contour.place.body, contour.name
        if key in self._records.contours:
            raise ValueError(
                f"contour {contour.name!r} of body {key[0]!r}: must have a unique name, got a "
                "name that is already in use"
            )
        self._records.contours[key] = contour
        return contour

    def boundary(self, body: str, name: str, at: Any) -> tuple[Contour, tuple[Place, ...]]:
        """Return the undeformed edge of a flexible body and the positions of its corners."""
        what = f"boundary {name!r} of body {body!r}"
        elastic = self._records.elastic.get(body)
        if elastic is None:
            raise ValueError(
                f"{what}: must be on a flexible body, got a rigid body. Use Body.contour."
            )
        numbers, closed = elastic._boundary(what, at)
        places = tuple(Place(body, self.frame(body, what, k, 0.0)) for k in numbers)
        corners = np.array([np.asarray(place.frame.r) for place in places])
        moves = np.array([elastic._moves(place.frame)[2] for place in places])
        if corners[:, 2].any() or moves.any():
            raise ValueError(f"{what}: expected nodes that stay in the x-y plane of the body")
        try:
            contour = Polygon(corners[:, :2]) if closed else Polyline(corners[:, :2])
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
        if isinstance(contour, Polygon) and contour.reversed:
            raise ValueError(
                f"{what}: expected nodes with the body on the left, got some that run clockwise"
            )
        return contour, places

    def add_shape(self, shape: ShapeOnBody) -> ShapeOnBody:
        key = shape.place.body, shape.name
        if not isinstance(shape.name, str) or not shape.name or key in self._records.shapes:
            raise ValueError(
                f"shape {shape.name!r} of body {key[0]!r}: must have a unique name, got a name "
                "that is empty or already in use"
            )
        self._records.shapes[key] = shape
        return shape

    def coordinate(self, coordinate: str) -> tuple[str, int]:
        """Return joint and index of a coordinate that is the integral of a velocity."""
        joint, _, own = coordinate.partition(".")
        known = []
        for name, record in self._records.joints.items():
            names, _, velocities = record.joint._names()
            both = [n for n in names if n in velocities]
            known += [f"{name}.{n}" if n else name for n in both]
            if name == joint and own in both:
                return name, names.index(own)
        raise unknown_name("coordinate", coordinate, known)

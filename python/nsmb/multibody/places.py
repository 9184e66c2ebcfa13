"""Names and places of the parts of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsmb.common.arguments import unknown_name
from nsmb.geometry.contours.base import Contour
from nsmb.geometry.contours.polygons import Polygon, Polyline
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.frames import Frame, as_frame
from nsmb.multibody.parts import GROUND, Body, ContourOnBody, Marker, Place, ShapeOnBody
from nsmb.system.discontinuities import Discontinuity, as_discontinuities

__all__ = ["Places"]


class Places(Blueprint):
    """The part of :class:`Model` that knows what is taken and where things are."""

    def _add_discontinuities(self, what: str, given: Sequence[Discontinuity]) -> None:
        self._discontinuities += as_discontinuities(f"{what}: discontinuities", given)

    def _new_name(self, kind: str, name: str) -> str:
        """`kind` and name for messages; refuses names given twice."""
        groups: dict[str, tuple[Any, ...]] = {
            "joint": (self._joints, self._loops, self._elastic),
            "loop": (self._joints, self._loops, self._elastic),
        }
        default = (
            self._laws,
            self._elements,
            self._switches,
            self._loads,
            self._frictions,
            self._contacts,
            self._surface_contacts,
            self._stops,
        )
        if not isinstance(name, str) or not name:
            raise ValueError(f"name of a {kind}: expected a text that is not empty, got {name!r}")
        if kind in ("joint", "loop") and "." in name:
            raise ValueError(f"{kind} {name!r}: expected a name without dot")
        if any(name in group for group in groups.get(kind, default)):
            raise ValueError(f"{kind} {name!r}: expected a name of its own, got one that is taken")
        return f"{kind} {name!r}"

    def _frame(self, body: str, argument: str, at: Any, angle: float) -> Frame:
        """The frame at `at`, which elastic bodies understand in their own way."""
        elastic = self._elastic.get(body)
        if elastic is not None:
            at = elastic._frame_at(argument, at)
        return as_frame(argument, at, angle)

    def _place(
        self, end: Body | Marker, at: Any = None, angle: float = 0.0, argument: str = "at"
    ) -> Place:
        if isinstance(end, Marker):
            key = end.place.body, end.name
            if self._markers.get(key) is not end:
                raise ValueError(f"marker {end.name!r}: expected a marker of this model")
            if at is not None or angle != 0.0:
                raise ValueError(f"{argument}: expected none with the marker {end.name!r}")
            self._used_markers.add(key)
            return end.place
        if not isinstance(end, Body):
            raise ValueError(f"body: expected a body or marker of this model, got {end!r}")
        if end._model is not self or (end.name != GROUND and end.name not in self._bodies):
            raise ValueError(f"body {end.name!r}: expected a body of this model, got another's")
        return Place(end.name, self._frame(end.name, argument, at, angle))

    def _add_marker(self, marker: Marker, is_output: bool) -> Marker:
        key = marker.place.body, marker.name
        if key in self._markers:
            raise ValueError(
                f"marker {marker.name!r} of body {key[0]!r}: expected a name of its own, got one "
                "that is taken"
            )
        self._markers[key] = marker
        if is_output:
            self._used_markers.add(key)
        return marker

    def _add_contour(self, contour: ContourOnBody) -> ContourOnBody:
        key = contour.place.body, contour.name
        if key in self._contours:
            raise ValueError(
                f"contour {contour.name!r} of body {key[0]!r}: expected a name of its own, got one "
                "that is taken"
            )
        self._contours[key] = contour
        return contour

    def _boundary(self, body: str, name: str, at: Any) -> tuple[Contour, tuple[Place, ...]]:
        """The edge of a flexible body at rest, and where its corners are."""
        what = f"boundary {name!r} of body {body!r}"
        elastic = self._elastic.get(body)
        if elastic is None:
            raise ValueError(f"{what}: expected a flexible body, got a rigid one; use Body.contour")
        numbers, closed = elastic._boundary(what, at)
        places = tuple(Place(body, self._frame(body, what, k, 0.0)) for k in numbers)
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

    def _add_shape(self, shape: ShapeOnBody) -> ShapeOnBody:
        key = shape.place.body, shape.name
        if not isinstance(shape.name, str) or not shape.name or key in self._shapes:
            raise ValueError(
                f"shape {shape.name!r} of body {key[0]!r}: expected a name of its own, got one "
                "that is empty or taken"
            )
        self._shapes[key] = shape
        return shape

    def _coordinate(self, coordinate: str) -> tuple[str, int]:
        """Joint and number of a coordinate that is a velocity's integral."""
        joint, _, own = coordinate.partition(".")
        known = []
        for name, record in self._joints.items():
            names, _, velocities = record.joint._names()
            both = [n for n in names if n in velocities]
            known += [f"{name}.{n}" if n else name for n in both]
            if name == joint and own in both:
                return name, names.index(own)
        raise unknown_name("coordinate", coordinate, known)

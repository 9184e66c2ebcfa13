"""Pairs of shapes with permanent contact points, for exact location of events.

A sphere always has one nearest point with a half-space, a sphere or the side of a cylinder. So has
each corner, each rim and each end of a capsule with a half-space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.frames import Frame
from nsmb.geometry import Box, Capsule, ConvexHull, Cylinder, HalfSpace, Sphere
from nsmb.geometry.shapes.base import Shape
from nsmb.multibody.parts import Place, ShapeOnBody, SurfaceContactRecord
from nsmb.system.contact_laws import ContactLaw

__all__ = ["surface_contacts"]

Array = NDArray[np.float64]
_Kind = _multibody.Skeleton
_MIDDLE = np.zeros(3)


@dataclass(frozen=True)
class _Part:
    """A smooth surface of a shape, in a frame parallel to that of the shape."""

    surface: _multibody.Surface
    r: Array


def surface_contacts(
    what: str,
    name: str,
    law: ContactLaw,
    first: ShapeOnBody,
    second: ShapeOnBody,
    inside: bool,
) -> list[SurfaceContactRecord]:
    """Return a record for each contact point, whose first shape determines the tangents."""
    pair = _parts(first.shape, second.shape, inside)
    if pair is None:
        first, second = second, first
        pair = None if inside else _parts(first.shape, second.shape, inside)
    if pair is None:
        raise ValueError(
            f"{what}: must be a pair of shapes with permanent contact points, such as a sphere "
            f"and a half-space{', the second within the first' if inside else ''}, got "
            f"{second.label!r} and {first.label!r}. Use Model.collide for others."
        )
    on, parts = pair
    records = []
    for k, part in enumerate(parts):
        own = f"{name}[{k}]" if len(parts) > 1 else name
        records.append(
            SurfaceContactRecord(
                own,
                law,
                (first.place, _moved(second.place, part.r)),
                (on, part.surface),
                (first, second),
            )
        )
    return records


def _moved(place: Place, r: Array) -> Place:
    frame = place.frame
    A = np.asarray(frame.A)
    return Place(place.body, Frame(np.asarray(frame.r) + A @ r, A))


def _parts(
    first: Shape, second: Shape, inside: bool
) -> tuple[_multibody.Surface, Sequence[_Part]] | None:
    """Return the surface of `first` and the parts of `second`, or None if unsupported."""
    if isinstance(first, HalfSpace) and not inside:
        parts = _on_plane(second)
        return (_multibody.Surface(_Kind.Plane), parts) if parts else None
    if not isinstance(second, Sphere):
        return None
    ball = [_Part(_multibody.Surface(_Kind.Point, second.radius), _MIDDLE)]
    kind = {Sphere: _Kind.Point, Cylinder: _Kind.Line}.get(type(first))
    if kind is None:
        return None
    radius = -first.radius if inside else first.radius  # type: ignore[attr-defined]
    return _multibody.Surface(kind, radius), ball


def _on_plane(shape: Shape) -> list[_Part]:
    def points(places: Sequence[Array], radius: float = 0.0) -> list[_Part]:
        return [_Part(_multibody.Surface(_Kind.Point, radius), r) for r in places]

    if isinstance(shape, Sphere):
        return points([_MIDDLE], shape.radius)
    if isinstance(shape, Box):
        half = 0.5 * np.asarray(shape.size)
        return points([half * (x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    if isinstance(shape, ConvexHull):
        return points(list(np.asarray(shape.vertices)))
    ends = [np.array([0.0, 0.0, z]) for z in (-0.5, 0.5)]
    if isinstance(shape, Capsule):
        return points([shape.length * end for end in ends], shape.radius)
    if isinstance(shape, Cylinder):
        rim = _multibody.Surface(_Kind.Circle, 0.0, shape.radius)
        return [_Part(rim, shape.length * end) for end in ends]
    return []

"""Records of the parts of a model, from which :mod:`nsmb.multibody.assembly` builds a system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.frames import Frame
from nsmb.geometry.contours.base import Contour
from nsmb.geometry.shapes.base import Shape
from nsmb.multibody.joints import Joint
from nsmb.multibody.laws import Law
from nsmb.multibody.motion import Motion
from nsmb.multibody.user_force import CoreForce
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.forces import GapForce
from nsmb.system.inputs import Input

__all__ = [
    "GROUND",
    "BodyRecord",
    "ContactRecord",
    "ContourOnBody",
    "ElementRecord",
    "FrictionRecord",
    "JointRecord",
    "LawRecord",
    "LoadRecord",
    "Marker",
    "ModelWarning",
    "Place",
    "ShapeOnBody",
    "SurfaceContactRecord",
    "SurfaceRecord",
    "SwitchRecord",
]

GROUND = "ground"


class ModelWarning(UserWarning):
    """A part of a model that nothing uses, or of a file that is not taken over."""


@dataclass(frozen=True, eq=False)
class Place:
    """A frame fixed in a body."""

    body: str
    frame: Frame


@dataclass(frozen=True, eq=False)
class Marker:
    """A frame fixed in a body, with a name; stands for body and place in all calls."""

    name: str
    place: Place


@dataclass(frozen=True, eq=False)
class ContourOnBody:
    """A contour fixed in a body, in the x-y plane of `place`."""

    name: str
    place: Place
    contour: Contour
    is_outline: bool = False
    """Drawn, never touched."""
    nodes: tuple[Place, ...] = ()
    """Where its corners ride on an elastic body; `contour` is that at rest, in its frame."""
    nodes_touch: bool = True

    @property
    def label(self) -> str:
        return f"{self.place.body}.{self.name}"


@dataclass(frozen=True, eq=False)
class ShapeOnBody:
    """A shape in space fixed in a body, in the frame at `place`."""

    name: str
    place: Place
    shape: Shape
    material: str = ""
    group: str = ""

    @property
    def label(self) -> str:
        return f"{self.place.body}.{self.name}"


@dataclass(frozen=True, eq=False)
class BodyRecord:
    name: str
    mass: float
    inertia: NDArray[np.float64]
    center: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointRecord:
    """A joint of the tree, or one that closes a loop."""

    name: str
    joint: Joint
    first: Place
    second: Place
    motions: tuple[tuple[int, Motion, bool], ...] = ()
    """Coordinate, motion, is it locked."""


@dataclass(frozen=True, eq=False)
class LawRecord:
    """A force law between two places, or on a joint coordinate."""

    name: str
    law: Law
    sign: str
    places: tuple[Place, Place] | None = None
    coordinate: str = ""
    inputs: tuple[Input, ...] = ()


@dataclass(frozen=True, eq=False)
class SwitchRecord:
    name: str
    law: GapForce
    rest: float
    direction: float
    places: tuple[Place, Place] | None = None
    coordinate: str = ""


@dataclass(frozen=True, eq=False)
class LoadRecord:
    name: str
    function: Callable[..., Any]
    place: Place
    inputs: tuple[Input, ...] = ()


@dataclass(frozen=True, eq=False)
class ElementRecord:
    """A force element between places and on joint coordinates."""

    name: str
    element: CoreForce
    places: tuple[Place, ...]
    coordinates: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class FrictionRecord:
    name: str
    velocity: str
    bound: float


@dataclass(frozen=True, eq=False)
class StopRecord:
    """Limits of a coordinate of a joint, or of one that closes a loop."""

    name: str
    joint: str
    coordinate: str
    """Its own name in the joint."""
    lower: float
    upper: float
    """m or rad; infinite: none."""
    law: ContactLaw

    def sides(self) -> list[tuple[str, float, float]]:
        """Name of the contact, limit, and the sign with which the coordinate leaves it."""
        both = (("lower", self.lower, 1.0), ("upper", self.upper, -1.0))
        return [(f"{self.name}.{end}", limit, d) for end, limit, d in both if np.isfinite(limit)]


@dataclass(frozen=True, eq=False)
class ContactRecord:
    name: str
    law: ContactLaw
    first: ContourOnBody
    second: ContourOnBody
    points: int
    search_distance: float
    skin: float


@dataclass(frozen=True, eq=False)
class SurfaceContactRecord:
    """One contact point of two smooth surfaces."""

    name: str
    law: ContactLaw
    places: tuple[Place, Place]
    surfaces: tuple[Any, Any]
    """Of the core."""
    shapes: tuple[ShapeOnBody, ShapeOnBody]


@dataclass(frozen=True, eq=False)
class SurfaceRecord:
    """The law of two materials; None: they pass through each other."""

    law: ContactLaw | None
    mu_R: float
    mu_D: float

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
    "SwitchRecord",
]

GROUND = "ground"


class ModelWarning(UserWarning):
    """Warning about an unused part of a model, or a part of a file that is not imported."""


@dataclass(frozen=True, eq=False)
class Place:
    """A frame fixed in a body."""

    body: str
    frame: Frame


@dataclass(frozen=True, eq=False)
class Marker:
    """A named frame fixed in a body, accepted in place of body and position in all calls."""

    name: str
    place: Place


@dataclass(frozen=True, eq=False)
class ContourOnBody:
    """A contour fixed in a body, in the x-y plane of `place`."""

    name: str
    place: Place
    contour: Contour
    is_outline: bool = False
    """True for a contour that is drawn but never touches."""
    nodes: tuple[Place, ...] = ()
    """Elastic-body nodes that carry the corners of `contour`, undeformed in the body frame."""
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
    """Index of the coordinate, motion, and whether it is locked."""


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
    """Limits of a coordinate of a joint, or of a joint that closes a loop."""

    name: str
    joint: str
    coordinate: str
    """Name of the coordinate within the joint."""
    lower: float
    upper: float
    """In m or rad, infinite for no limit."""
    law: ContactLaw

    def sides(self) -> list[tuple[str, float, float]]:
        """Return the name of each contact, its limit, and the sign of motion away from it."""
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
    """Surfaces of the core."""
    shapes: tuple[ShapeOnBody, ShapeOnBody]

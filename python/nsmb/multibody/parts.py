"""What a model consists of: handles for the user, records for :mod:`nsmb.multibody.assembly`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.geometry.contours.base import Contour
from nsmb.geometry.shapes.base import Shape
from nsmb.multibody.frames import Frame
from nsmb.multibody.joints import Joint
from nsmb.multibody.laws import Law
from nsmb.multibody.motion import Motion
from nsmb.multibody.user_force import CoreForce
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.forces import GapForce
from nsmb.system.inputs import Input

__all__ = [
    "GROUND",
    "Body",
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


class _Owner(Protocol):
    """The model a body is part of."""

    def _frame(self, body: str, argument: str, at: Any, angle: float) -> Frame: ...
    def _add_marker(self, marker: Marker, is_output: bool) -> Marker: ...
    def _add_contour(self, contour: ContourOnBody) -> ContourOnBody: ...
    def _boundary(self, body: str, name: str, at: Any) -> tuple[Contour, tuple[Place, ...]]: ...
    def _add_shape(self, shape: ShapeOnBody) -> ShapeOnBody: ...


@dataclass(frozen=True)
class Body:
    """A body of a model, to be given to its other functions."""

    name: str
    _model: _Owner = field(repr=False, compare=False)

    def marker(
        self,
        name: str,
        at: Frame | ArrayLike | None = None,
        angle: float = 0.0,
        *,
        is_output: bool = False,
    ) -> Marker:
        """A place on the body, to be given instead of body and place.

        Parameters
        ----------
        name : str
            Unique on the body.
        at, angle : Frame or array_like, float
            As for :meth:`Model.add_joint`.
        is_output : bool
            For :meth:`MultibodySystem.position` alone: no :class:`ModelWarning` when no part of
            the model uses it.

        Raises
        ------
        ValueError
            For a name given twice, or numbers that are not finite.
        """
        marker = Marker(name, Place(self.name, self._model._frame(self.name, "at", at, angle)))
        return self._model._add_marker(marker, is_output)

    def contour(
        self,
        name: str,
        contour: Contour,
        at: Frame | ArrayLike | None = None,
        angle: float = 0.0,
    ) -> ContourOnBody:
        """A contour in the x-y plane of the frame at `at`, for :meth:`Model.add_contact`.

        Raises
        ------
        ValueError
            For a name given twice, something else than a contour, or numbers that are not finite.
        """
        return self._add_contour(name, contour, at, angle, is_outline=False)

    def boundary(
        self,
        name: str,
        at: str | ArrayLike | None = None,
        *,
        nodes_touch: bool = True,
    ) -> ContourOnBody:
        """An edge of a flexible body in the plane, for :meth:`Model.add_contact`: it deforms.

        Straight pieces join its nodes, which is exact for linear and bilinear elements. Points,
        circles, other contours and boundaries of other bodies touch the pieces; its nodes touch
        pieces of theirs. Distances, directions of forces and accelerations are those of the edge as
        it moves and deforms.

        Parameters
        ----------
        name : str
            Unique among the contours of the body.
        at : str or sequence of int, optional
            A named side; or nodes in their order with the body on the left, for a closed edge with
            the first again at the end; default the whole outline.
        nodes_touch : bool
            Whether nodes of sides touch straight pieces of others, or only corners do. Where two
            boundaries lie on each other it is enough that the nodes of one of them do.

        Raises
        ------
        ValueError
            For a name given twice, a body that is not a planar :class:`nsmb.flexible.FlexibleBody`,
            nodes that are no edge of it.
        """
        contour, nodes = self._model._boundary(self.name, name, at)
        place = Place(self.name, Frame())
        return self._model._add_contour(
            ContourOnBody(name, place, contour, nodes=nodes, nodes_touch=bool(nodes_touch))
        )

    def outline(
        self,
        name: str,
        contour: Contour,
        at: Frame | ArrayLike | None = None,
        angle: float = 0.0,
    ) -> ContourOnBody:
        """As :meth:`contour`, for pictures alone."""
        return self._add_contour(name, contour, at, angle, is_outline=True)

    def shape(
        self,
        name: str,
        shape: Shape,
        at: Frame | ArrayLike | None = None,
        angle: float = 0.0,
        *,
        material: str = "",
        group: str = "",
    ) -> ShapeOnBody:
        """A shape in space in the frame at `at`, for :meth:`Model.collide` and
        :meth:`Model.add_contact`.

        Parameters
        ----------
        name : str
            Unique among the shapes of the body.
        shape : Shape
            One of :mod:`nsmb.geometry`.
        at, angle : Frame or array_like, float
            As for :meth:`Model.add_joint`.
        material : str
            Names the laws of :meth:`Model.collide`.
        group : str
            For :meth:`Model.let_pass`.

        Raises
        ------
        ValueError
            For a name given twice, something else than a shape, or numbers that are not finite.
        """
        what = f"shape {name!r} of body {self.name!r}"
        if not isinstance(shape, Shape):
            raise ValueError(f"{what}: expected one of nsmb.geometry, got {shape!r}")
        for argument, value in (("material", material), ("group", group)):
            if not isinstance(value, str):
                raise ValueError(f"{what}: {argument}: expected a text, got {value!r}")
        place = Place(self.name, self._model._frame(self.name, "at", at, angle))
        return self._model._add_shape(ShapeOnBody(name, place, shape, material, group))

    def _add_contour(
        self, name: str, contour: Contour, at: Any, angle: float, *, is_outline: bool
    ) -> ContourOnBody:
        if not isinstance(contour, Contour):
            raise ValueError(
                f"contour {name!r} of body {self.name!r}: expected one of nsmb.geometry, "
                f"got {contour!r}"
            )
        place = Place(self.name, self._model._frame(self.name, "at", at, angle))
        return self._model._add_contour(ContourOnBody(name, place, contour, is_outline))


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

"""Handles of the parts of a model: strings that are keys, with what a part knows or carries."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from numpy.typing import ArrayLike

from nsmb.common.frames import Frame
from nsmb.geometry.contours.base import Contour
from nsmb.geometry.shapes.base import Shape
from nsmb.multibody.parts import ContourOnBody, Marker, Place, ShapeOnBody

__all__ = ["Body", "Handle", "JointHandle", "StopHandles"]


class Handle(str):
    """A part of a model.

    A handle is the name of the part, a string. It is a key wherever a name is expected.

    Examples
    --------
    >>> import nsmb
    >>> m = nsmb.Model()
    >>> rod = m.add_body("rod", mass=0.4, inertia=3e-3)
    >>> hinge = m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, rod)
    >>> spring = m.add_torsion_spring("spring", hinge, c=2.0)
    >>> sol = nsmb.simulate(m.build(initial={hinge: 0.1}), t_end=0.1)
    >>> sol.elements[spring].force.shape == sol[hinge].shape == sol.t.shape
    True
    """

    @property
    def name(self) -> str:
        """The name as a plain string."""
        return str(self)

    def __dir__(self) -> list[str]:
        """List the members for completion, without those of strings."""
        return sorted({*super().__dir__()} - {*dir(str)} | {*object.__dir__(object())})


class JointHandle(Handle):
    """A joint of a model."""

    coordinates: tuple[str, ...]
    """Names of its coordinates, prescribed ones among them; none if it closes a loop."""
    velocities: tuple[str, ...]
    """Names of its velocities."""

    @classmethod
    def _of(
        cls, name: str, coordinates: tuple[str, ...] = (), velocities: tuple[str, ...] = ()
    ) -> JointHandle:
        joint = cls(name)
        joint.coordinates, joint.velocities = (
            tuple(f"{name}.{own}" if own else str(name) for own in names)
            for names in (coordinates, velocities)
        )
        return joint


class StopHandles(NamedTuple):
    """The contacts of both limits of a joint."""

    lower: Handle | None
    """None: without a lower limit."""
    upper: Handle | None


class _Register(Protocol):
    """The part of a model that knows what its bodies carry."""

    def frame(self, body: str, argument: str, at: Any, angle: float) -> Frame: ...
    def add_marker(self, marker: Marker, is_output: bool) -> Marker: ...
    def add_contour(self, contour: ContourOnBody) -> ContourOnBody: ...
    def boundary(self, body: str, name: str, at: Any) -> tuple[Contour, tuple[Place, ...]]: ...
    def add_shape(self, shape: ShapeOnBody) -> ShapeOnBody: ...


class Body(Handle):
    """A body of a model: carries markers, contours and shapes."""

    _register: _Register

    @classmethod
    def _of(cls, register: _Register, name: str) -> Body:
        body = cls(name)
        body._register = register
        return body

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
        marker = Marker(name, Place(self.name, self._register.frame(self.name, "at", at, angle)))
        return self._register.add_marker(marker, is_output)

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
        contour, nodes = self._register.boundary(self.name, name, at)
        place = Place(self.name, Frame())
        return self._register.add_contour(
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
        place = Place(self.name, self._register.frame(self.name, "at", at, angle))
        return self._register.add_shape(ShapeOnBody(name, place, shape, material, group))

    def _add_contour(
        self, name: str, contour: Contour, at: Any, angle: float, *, is_outline: bool
    ) -> ContourOnBody:
        if not isinstance(contour, Contour):
            raise ValueError(
                f"contour {name!r} of body {self.name!r}: expected one of nsmb.geometry, "
                f"got {contour!r}"
            )
        place = Place(self.name, self._register.frame(self.name, "at", at, angle))
        return self._register.add_contour(ContourOnBody(name, place, contour, is_outline))

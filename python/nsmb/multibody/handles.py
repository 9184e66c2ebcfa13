"""Handles of the parts of a model: strings that serve as keys, with access to the part."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from numpy.typing import ArrayLike

from nsmb.common.frames import Frame
from nsmb.geometry.contours.base import Contour
from nsmb.geometry.shapes.base import Shape
from nsmb.multibody.parts import ContourOnBody, Marker, Place, ShapeOnBody

__all__ = ["Body", "Handle", "JointHandle", "StopHandles"]


class Handle(str):
    """A handle of a part of a model.

    A handle is the name of the part, as a string. It can be used wherever a name is expected.

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
        """Return the members for completion, without those of strings."""
        return sorted({*super().__dir__()} - {*dir(str)} | {*object.__dir__(object())})


class JointHandle(Handle):
    """A handle of a joint."""

    coordinates: tuple[str, ...]
    """Names of its coordinates, including prescribed ones; empty if it closes a loop."""
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
    """Handles of the contacts of both limits of a joint."""

    lower: Handle | None
    """Contact of the lower limit, or None without a lower limit."""
    upper: Handle | None


class _Register(Protocol):
    """The part of a model that stores markers, contours and shapes of its bodies."""

    def frame(self, body: str, argument: str, at: Any, angle: float) -> Frame: ...
    def add_marker(self, marker: Marker, is_output: bool) -> Marker: ...
    def add_contour(self, contour: ContourOnBody) -> ContourOnBody: ...
    def boundary(self, body: str, name: str, at: Any) -> tuple[Contour, tuple[Place, ...]]: ...
    def add_shape(self, shape: ShapeOnBody) -> ShapeOnBody: ...


class Body(Handle):
    """A body of a model, with markers, contours and shapes."""

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
        """Add a marker, a named frame on the body that can be passed in place of body and position.

        Parameters
        ----------
        name : str
            Name, unique on the body.
        at, angle : Frame or array_like, float
            As for :meth:`Model.add_joint`.
        is_output : bool
            True for a marker used only by :meth:`MultibodySystem.position`. It causes no
            :class:`ModelWarning` if no part of the model uses it.

        Raises
        ------
        ValueError
            If the name is in use, or a number is not finite.
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
        """Add a contour in the x-y plane of the frame `at`, for :meth:`Model.add_contact`.

        Raises
        ------
        ValueError
            If the name is in use, `contour` is not a contour, or a number is not finite.
        """
        return self._add_contour(name, contour, at, angle, is_outline=False)

    def boundary(
        self,
        name: str,
        at: str | ArrayLike | None = None,
        *,
        nodes_touch: bool = True,
    ) -> ContourOnBody:
        """Add a deforming edge of a planar flexible body, for :meth:`Model.add_contact`.

        The nodes are connected by straight pieces, which is exact for linear and bilinear elements.
        Points, circles, other contours and boundaries of other bodies touch these pieces, and the
        nodes touch pieces of other contours. Distances, force directions and accelerations are
        those of the moving and deforming edge.

        Parameters
        ----------
        name : str
            Name, unique among the contours of the body.
        at : str or sequence of int, optional
            A named side, or nodes in order with the body on the left. For a closed edge, repeat the
            first node at the end. The default is the whole outline.
        nodes_touch : bool
            Whether nodes of sides touch straight pieces of other contours, or only corners do.
            Where two boundaries lie on each other, it suffices that the nodes of one of them touch.

        Raises
        ------
        ValueError
            If the name is in use, the body is not a planar :class:`nsmb.flexible.FlexibleBody`, or
            the nodes are not one of its edges.
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
        """Add a contour as :meth:`contour` does, for drawing only."""
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
        """Add a shape in space in the frame `at`.

        Shapes are used by :meth:`Model.collide` and :meth:`Model.add_contact`.

        Parameters
        ----------
        name : str
            Name, unique among the shapes of the body.
        shape : Shape
            A shape of :mod:`nsmb.geometry`.
        at, angle : Frame or array_like, float
            As for :meth:`Model.add_joint`.
        material : str
            Name of its material for :meth:`Model.collide`.
        group : str
            Name of its group for :meth:`Model.let_pass`.

        Raises
        ------
        ValueError
            If the name is in use, `shape` is not a shape, or a number is not finite.
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

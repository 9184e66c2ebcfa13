"""Joints between bodies, as arguments of :class:`nsmb.Model`.

A joint connects frame F on the first body with frame G on the second. Axes have the same components
in both. A coordinate has the name of the joint. If there are several, a dot and their own name
follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_array, as_number, check_signature
from nsmb.common.frames import as_direction
from nsmb.geometry.contours.base import Contour
from nsmb.system.callback_values import call, returned

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "Joint",
    "OnCurve",
    "Planar",
    "Prismatic",
    "Revolute",
    "Rod",
    "Screw",
    "Spherical",
    "Universal",
    "User",
]

Array = NDArray[np.float64]
Row = tuple[str, int, int]

_E_Z = (0.0, 0.0, 1.0)
_TOGETHER: tuple[Row, ...] = (("along", 0, 0), ("along", 1, 0), ("along", 2, 0))
_PARALLEL_Z: tuple[Row, ...] = (("perpendicular", 0, 2), ("perpendicular", 1, 2))


class Joint(ABC):
    """Base class of all joints."""

    coordinates: ClassVar[tuple[str, ...]] = ()
    """Own names of the coordinates; a single empty name gives the coordinate the joint's name."""
    units: ClassVar[tuple[str, ...]] = ()
    velocities: ClassVar[tuple[str, ...] | None] = None
    """Names of the velocities; None for those of the coordinates, with q̇ = u."""
    turns_freely: ClassVar[bool] = False
    """True if velocities are components ``omega_x``, ... of an angular velocity."""
    rows: ClassVar[tuple[Row, ...] | None] = None
    """Equations that close a loop, about e_z of its frames; None if it cannot close one."""

    @abstractmethod
    def _core(self) -> _multibody.Joint:
        """Return the joint of the core."""

    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the names of coordinates, their units, and the names of velocities."""
        velocities = self.coordinates if self.velocities is None else self.velocities
        return self.coordinates, self.units, velocities

    def _direction(self) -> Array:
        """Return the direction that is e_z in the closing rows."""
        return np.array(_E_Z)

    def _parallel(self) -> tuple[int, ...]:
        """Return the axes of both frames that the closing rows keep parallel, about this e_z."""
        pairs = {(i, k) for kind, i, k in self.rows or () if kind == "perpendicular"}
        if len(pairs) == 3:
            return (0, 1, 2)
        return (2,) if pairs >= {(0, 2), (1, 2)} else ()


@dataclass(frozen=True)
class _WithAxis(Joint):
    axis: ArrayLike = _E_Z
    """Axis, shape (3,), or (2,) in the x-y plane; any length."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", tuple(as_direction("axis", self.axis).tolist()))

    def _direction(self) -> Array:
        return np.array(self.axis)


@dataclass(frozen=True)
class Fixed(Joint):
    """A joint without motion."""

    rows = (*_TOGETHER, ("perpendicular", 0, 1), ("perpendicular", 1, 2), ("perpendicular", 2, 0))

    def _core(self) -> _multibody.Joint:
        return _multibody.FixedJoint()


@dataclass(frozen=True)
class Revolute(_WithAxis):
    """A joint that rotates about `axis`, by default e_z, as in planar systems."""

    coordinates = ("",)
    units = ("rad",)
    rows = (*_TOGETHER, *_PARALLEL_Z)

    def _core(self) -> _multibody.Joint:
        return _multibody.RevoluteJoint(self.axis)


@dataclass(frozen=True)
class Prismatic(_WithAxis):
    """A joint that translates along `axis`, such as (1, 0) or (0, 1) in planar systems."""

    axis: ArrayLike = (1.0, 0.0, 0.0)
    """Axis, shape (3,), or (2,) in the x-y plane; any length."""
    coordinates = ("",)
    units = ("m",)
    rows = (*_TOGETHER[:2], *_PARALLEL_Z, ("perpendicular", 0, 1))

    def _core(self) -> _multibody.Joint:
        return _multibody.PrismaticJoint(self.axis)


@dataclass(frozen=True)
class Cylindrical(_WithAxis):
    """A joint that translates along `axis` and rotates about it."""

    coordinates = ("shift", "angle")
    units = ("m", "rad")
    rows = (*_TOGETHER[:2], *_PARALLEL_Z)

    def _core(self) -> _multibody.Joint:
        return _multibody.CylindricalJoint(self.axis)


@dataclass(frozen=True)
class Screw(Joint):
    """A joint that rotates about `axis` and translates along it by `pitch` times the angle."""

    pitch: float
    """Displacement per angle, m/rad."""
    axis: ArrayLike = _E_Z
    """Axis, shape (3,), or (2,) in the x-y plane; any length."""
    coordinates = ("",)
    units = ("rad",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pitch", as_number("pitch", self.pitch))
        object.__setattr__(self, "axis", tuple(as_direction("axis", self.axis).tolist()))

    def _core(self) -> _multibody.Joint:
        return _multibody.ScrewJoint(self.pitch, self.axis)


@dataclass(frozen=True)
class Universal(Joint):
    """A joint that rotates about e_x of F, then about e_y of G."""

    coordinates = ("alpha", "beta")
    units = ("rad", "rad")
    rows = (*_TOGETHER, ("perpendicular", 0, 1))

    def _core(self) -> _multibody.Joint:
        return _multibody.UniversalJoint()


@dataclass(frozen=True)
class Planar(Joint):
    """A joint that translates in the x-y plane of F, then rotates about e_z."""

    coordinates = ("x", "y", "phi")
    units = ("m", "m", "rad")
    rows = (("along", 2, 0), *_PARALLEL_Z)

    def _core(self) -> _multibody.Joint:
        return _multibody.PlanarJoint()


@dataclass(frozen=True)
class Spherical(Joint):
    """A joint with free rotation, nq = 4 and nu = 3.

    Coordinates are a unit quaternion (w, x, y, z). Velocities are the relative angular velocity in
    components of G.
    """

    coordinates = ("qw", "qx", "qy", "qz")
    units = ("-", "-", "-", "-")
    velocities = ("omega_x", "omega_y", "omega_z")
    turns_freely = True
    rows = _TOGETHER

    def _core(self) -> _multibody.Joint:
        return _multibody.SphericalJoint()


@dataclass(frozen=True)
class Free(Joint):
    """A joint without constraints, nq = 7 and nu = 6.

    Coordinates are the origin of G in F and a unit quaternion (w, x, y, z). Velocities are that of
    the origin in components of F and the angular velocity in components of G.
    """

    coordinates = ("x", "y", "z", "qw", "qx", "qy", "qz")
    units = ("m", "m", "m", "-", "-", "-", "-")
    velocities = ("x", "y", "z", "omega_x", "omega_y", "omega_z")
    turns_freely = True

    def _core(self) -> _multibody.Joint:
        return _multibody.FreeJoint()


@dataclass(frozen=True)
class Rod(Joint):
    """A joint that keeps the distance of two points, for closing loops only."""

    length: float
    """Length, m, > 0."""
    rows = (("distance", 0, 0),)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", as_number("length", self.length))
        if not 0.0 < self.length < np.inf:
            raise ValueError(f"length: expected a number > 0, got {self.length}")

    def _core(self) -> _multibody.Joint:
        raise ValueError("joint: must have coordinates, got Rod. Use add_loop.")


@dataclass(frozen=True, eq=False)
class OnCurve(Joint):
    """A joint that keeps a point of the second body on a curve, for closing loops only.

    The curve lies in the x-y plane of the first body's frame. In space, motion along e_z remains
    free.

    The constraint is the height over the curve, g = nᵀ(d - r) in m, and its force acts along n.
    Here d is the point seen from the frame, and r is its projection onto the curve. n is the normal
    there, into the body of the contour.

    Raises
    ------
    TypeError
        If the curve is not a contour.
    ValueError
        If the contour has corners, or does not have exactly one piece.
    """

    curve: Contour
    """Smooth contour of one piece.

    It may be a circle, ellipse, arc, parabola, line, spline, user curve or involute. An open curve
    continues beyond its ends. Where it comes near itself, the nearest branch counts."""
    rows = (("curve", 0, 0),)

    def __post_init__(self) -> None:
        if not isinstance(self.curve, Contour):
            raise TypeError(f"curve: expected a contour of nsmb.geometry, got {self.curve!r}")
        core = self.curve._core
        if core.pieces != 1:
            raise ValueError(
                f"curve: must be one smooth piece, got {core.pieces} pieces: {self.curve!r}"
            )

    def _core(self) -> _multibody.Joint:
        raise ValueError("joint: must have coordinates, got OnCurve. Use add_loop.")


@dataclass(frozen=True, eq=False)
class User(Joint):
    """A user-defined joint given by the six expressions (2.28).

    Components are in F, translation above rotation:
    ``(ṙ, ω) = S u + j`` and ``(r̈, ω̇) = S u̇ + b``. Each evaluation calls Python.

    Derivatives are compared with finite differences near `reference` when a model is built.
    """

    names: Sequence[str]
    """Names of the coordinates."""
    position: Callable[[float, Array], tuple[ArrayLike, ArrayLike]]
    """Function (t, q) -> r (3,), A_FG (3, 3)."""
    subspace: Callable[[float, Array], ArrayLike]
    """Function (t, q) -> S (6, nu)."""
    bias: Callable[[float, Array, Array], ArrayLike] | None = None
    """Function (t, q, u) -> b (6,), by default zero."""
    prescribed: Callable[[float, Array], ArrayLike] | None = None
    """Function (t, q) -> j (6,), motion prescribed in time, by default none."""
    coordinate_units: Sequence[str] | None = None
    velocity_names: Sequence[str] | None = None
    """Names of the velocities where q̇ is not u."""
    coordinate_rates: Callable[[Array, Array], ArrayLike] | None = None
    """Function (q, u) -> q̇, by default u."""
    normalise: Callable[[Array], ArrayLike] | None = None
    """Function q -> q on its manifold."""
    reference: ArrayLike | None = None
    """Coordinates (nq,) at which F and G coincide, by default zeros."""

    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        names = tuple(self.names)
        units = tuple(self.coordinate_units or [""] * len(names))
        velocities = names if self.velocity_names is None else tuple(self.velocity_names)
        return names, units, velocities

    def _core(self) -> _multibody.Joint:
        names, _, velocities = self._names()
        nq, nu = len(names), len(velocities)
        optional: dict[str, Any] = {
            "bias": _checked("bias", self.bias, "t, q, u", (6,)),
            "prescribed": _checked("prescribed", self.prescribed, "t, q", (6,)),
            "coordinate_rates": _checked("coordinate_rates", self.coordinate_rates, "q, u", (nq,)),
            "normalise": _checked("normalise", self.normalise, "q", (nq,)),
            "reference": None
            if self.reference is None
            else as_array("reference", self.reference, (nq,)),
        }
        check_signature("position", self.position, "t, q")

        def position(t: float, q: Array) -> tuple[Array, Array]:
            given = call("position(t, q)", self.position, t, q)
            try:
                r, A = given
            except (TypeError, ValueError) as error:
                raise ValueError(f"position(t, q): expected r and A_FG; {error}") from error
            r = returned("position(t, q): r", r, (3,))
            return r, returned("position(t, q): A_FG", A, (3, 3))

        check_signature("subspace", self.subspace, "t, q")

        def subspace(t: float, q: Array) -> Array:
            S = call("subspace(t, q)", self.subspace, t, q)
            S = np.reshape(S, (6, 1)) if nu == 1 and np.shape(S) == (6,) else S
            return returned("subspace(t, q)", S, (6, nu))

        try:
            return _multibody.FunctionJoint(list(names), nu, position, subspace, **optional)
        except ValueError as error:
            text = str(error)
            for part, culprit in (("velocity of", "subspace or prescribed"), ("bias of", "bias")):
                if text.startswith(part):
                    text = f"{culprit}: {text}"
            raise ValueError(text) from None


def _checked(
    name: str, function: Callable[..., Any] | None, arguments: str, shape: tuple[int, ...]
) -> Callable[..., Array] | None:
    """Return a user function whose errors name it."""
    if function is None:
        return None
    if not callable(function):
        raise ValueError(f"{name}: expected a function of ({arguments}), got {function!r}")
    check_signature(name, function, arguments)
    what = f"{name}({arguments})"
    return lambda *values: returned(what, call(what, function, *values), shape)

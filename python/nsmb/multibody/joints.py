"""Joints between bodies, as arguments of :class:`nsmb.Model`.

A joint leads from frame F on the first body to frame G on the second; axes have the same components
in both. Coordinates have the joint's name, followed by a dot and their own where there are several.
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
    """What all joints have in common."""

    coordinates: ClassVar[tuple[str, ...]] = ()
    """Their own names; a single empty one: the coordinate has the joint's name."""
    units: ClassVar[tuple[str, ...]] = ()
    velocities: ClassVar[tuple[str, ...] | None] = None
    """Names of the velocities; None: q̇ = u, the same as the coordinates."""
    turns_freely: ClassVar[bool] = False
    """Whether velocities are components ``omega_x``, ... of an angular velocity."""
    rows: ClassVar[tuple[Row, ...] | None] = None
    """Equations with which it closes a loop, about e_z of its frames; None: it cannot."""

    @abstractmethod
    def _core(self) -> _multibody.Joint:
        """The joint of the core."""

    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Coordinates, their units, velocities."""
        velocities = self.coordinates if self.velocities is None else self.velocities
        return self.coordinates, self.units, velocities

    def _direction(self) -> Array:
        """What e_z of the closing rows is."""
        return np.array(_E_Z)

    def _parallel(self) -> tuple[int, ...]:
        """Axes of both frames that the closing rows keep parallel, about the same e_z."""
        pairs = {(i, k) for kind, i, k in self.rows or () if kind == "perpendicular"}
        if len(pairs) == 3:
            return (0, 1, 2)
        return (2,) if pairs >= {(0, 2), (1, 2)} else ()


@dataclass(frozen=True)
class _WithAxis(Joint):
    axis: ArrayLike = _E_Z
    """(3,), or (2,) in the x-y plane; any length."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", tuple(as_direction("axis", self.axis).tolist()))

    def _direction(self) -> Array:
        return np.array(self.axis)


@dataclass(frozen=True)
class Fixed(Joint):
    """No motion."""

    rows = (*_TOGETHER, ("perpendicular", 0, 1), ("perpendicular", 1, 2), ("perpendicular", 2, 0))

    def _core(self) -> _multibody.Joint:
        return _multibody.FixedJoint()


@dataclass(frozen=True)
class Revolute(_WithAxis):
    """Turns about `axis`; the default is that of planar systems."""

    coordinates = ("",)
    units = ("rad",)
    rows = (*_TOGETHER, *_PARALLEL_Z)

    def _core(self) -> _multibody.Joint:
        return _multibody.RevoluteJoint(self.axis)


@dataclass(frozen=True)
class Prismatic(_WithAxis):
    """Shifts along `axis`; (1, 0) and (0, 1) lie in the plane of planar systems."""

    axis: ArrayLike = (1.0, 0.0, 0.0)
    """(3,), or (2,) in the x-y plane; any length."""
    coordinates = ("",)
    units = ("m",)
    rows = (*_TOGETHER[:2], *_PARALLEL_Z, ("perpendicular", 0, 1))

    def _core(self) -> _multibody.Joint:
        return _multibody.PrismaticJoint(self.axis)


@dataclass(frozen=True)
class Cylindrical(_WithAxis):
    """Shifts along `axis` and turns about it."""

    coordinates = ("shift", "angle")
    units = ("m", "rad")
    rows = (*_TOGETHER[:2], *_PARALLEL_Z)

    def _core(self) -> _multibody.Joint:
        return _multibody.CylindricalJoint(self.axis)


@dataclass(frozen=True)
class Screw(Joint):
    """Turns about `axis` and shifts along it by `pitch` times the angle."""

    pitch: float
    """m/rad."""
    axis: ArrayLike = _E_Z
    """(3,), or (2,) in the x-y plane; any length."""
    coordinates = ("",)
    units = ("rad",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pitch", as_number("pitch", self.pitch))
        object.__setattr__(self, "axis", tuple(as_direction("axis", self.axis).tolist()))

    def _core(self) -> _multibody.Joint:
        return _multibody.ScrewJoint(self.pitch, self.axis)


@dataclass(frozen=True)
class Universal(Joint):
    """Turns about e_x of F, then about e_y of G."""

    coordinates = ("alpha", "beta")
    units = ("rad", "rad")
    rows = (*_TOGETHER, ("perpendicular", 0, 1))

    def _core(self) -> _multibody.Joint:
        return _multibody.UniversalJoint()


@dataclass(frozen=True)
class Planar(Joint):
    """Shifts in the x-y plane of F, then turns about e_z."""

    coordinates = ("x", "y", "phi")
    units = ("m", "m", "rad")
    rows = (("along", 2, 0), *_PARALLEL_Z)

    def _core(self) -> _multibody.Joint:
        return _multibody.PlanarJoint()


@dataclass(frozen=True)
class Spherical(Joint):
    """Turns freely: a unit quaternion (w, x, y, z) and the relative angular velocity in components
    of G, nq = 4 and nu = 3."""

    coordinates = ("qw", "qx", "qy", "qz")
    units = ("-", "-", "-", "-")
    velocities = ("omega_x", "omega_y", "omega_z")
    turns_freely = True
    rows = _TOGETHER

    def _core(self) -> _multibody.Joint:
        return _multibody.SphericalJoint()


@dataclass(frozen=True)
class Free(Joint):
    """No bond: origin of G in F and unit quaternion (w, x, y, z); velocities are those of the
    origin in components of F and the angular velocity in components of G. nq = 7, nu = 6."""

    coordinates = ("x", "y", "z", "qw", "qx", "qy", "qz")
    units = ("m", "m", "m", "-", "-", "-", "-")
    velocities = ("x", "y", "z", "omega_x", "omega_y", "omega_z")
    turns_freely = True

    def _core(self) -> _multibody.Joint:
        return _multibody.FreeJoint()


@dataclass(frozen=True)
class Rod(Joint):
    """Keeps the distance of two points; closes loops only."""

    length: float
    """m, > 0."""
    rows = (("distance", 0, 0),)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", as_number("length", self.length))
        if not 0.0 < self.length < np.inf:
            raise ValueError(f"length: expected a number > 0, got {self.length}")

    def _core(self) -> _multibody.Joint:
        raise ValueError("joint: expected one with coordinates, got Rod; use add_loop")


@dataclass(frozen=True, eq=False)
class OnCurve(Joint):
    """Keeps the point of the second body on a curve in the x-y plane of the first one's frame;
    closes loops only. In space it leaves motion along e_z free.

    The constraint is the height over the curve, g = nᵀ(d - r) in m, with d the point seen from the
    frame, r its foot and n the normal there into the body of the contour; its force acts along n.

    Raises
    ------
    TypeError
        If the curve is no contour.
    ValueError
        For a contour with corners, of several pieces or of none.
    """

    curve: Contour
    """Smooth, of one piece: circle, ellipse, arc, parabola, line, spline, user's curve, involute.
    An open one goes on behind its ends. Where it comes near itself the nearest branch counts."""
    rows = (("curve", 0, 0),)

    def __post_init__(self) -> None:
        if not isinstance(self.curve, Contour):
            raise TypeError(f"curve: expected a contour of nsmb.geometry, got {self.curve!r}")
        core = self.curve._core
        if core.pieces != 1:
            raise ValueError(
                f"curve: expected one smooth piece, got {core.pieces} pieces: {self.curve!r}"
            )

    def _core(self) -> _multibody.Joint:
        raise ValueError("joint: expected one with coordinates, got OnCurve; use add_loop")


@dataclass(frozen=True, eq=False)
class User(Joint):
    """A joint from the six expressions (2.28), components in F, translation above rotation:
    ``(ṙ, ω) = S u + j`` and ``(r̈, ω̇) = S u̇ + b``. Calls Python in each evaluation.

    Derivatives are compared with differences near `reference` when a model is built.
    """

    names: Sequence[str]
    """Of the coordinates."""
    position: Callable[[float, Array], tuple[ArrayLike, ArrayLike]]
    """(t, q) -> r (3,), A_FG (3, 3)."""
    subspace: Callable[[float, Array], ArrayLike]
    """(t, q) -> S (6, nu)."""
    bias: Callable[[float, Array, Array], ArrayLike] | None = None
    """(t, q, u) -> b (6,); None: zero."""
    prescribed: Callable[[float, Array], ArrayLike] | None = None
    """(t, q) -> j (6,), motion prescribed in time; None: there is none."""
    coordinate_units: Sequence[str] | None = None
    velocity_names: Sequence[str] | None = None
    """Where q̇ is not u."""
    coordinate_rates: Callable[[Array, Array], ArrayLike] | None = None
    """(q, u) -> q̇; None: u."""
    normalise: Callable[[Array], ArrayLike] | None = None
    """q -> q on its manifold."""
    reference: ArrayLike | None = None
    """(nq,) where F and G coincide; None: zeros."""

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
    """The function of a user, whose errors name it."""
    if function is None:
        return None
    if not callable(function):
        raise ValueError(f"{name}: expected a function of ({arguments}), got {function!r}")
    check_signature(name, function, arguments)
    what = f"{name}({arguments})"
    return lambda *values: returned(what, call(what, function, *values), shape)

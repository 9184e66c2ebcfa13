"""Contact laws and contacts, as arguments of the systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system
from nsmb.common.arguments import (
    as_column,
    as_number,
    check_signature,
    in_range,
    positive,
    unknown_name,
)
from nsmb.common.extras import import_extra

__all__ = [
    "CallbackContact",
    "CallbackFriction",
    "Contact",
    "ContactLaw",
    "FrictionTable",
    "LinearContact",
    "LinearFriction",
    "Stribeck",
    "callback_stop",
    "two_sided_stop",
]

Vector = NDArray[np.float64]
PositionFunction = Callable[[float, Vector], ArrayLike]
VelocityFunction = Callable[[float, Vector, Vector], float]
_TANGENTIAL = {"w_T": "t, q", "w_tilde_T": "t, q", "w_bar_T": "t, q, u"}


@dataclass(frozen=True)
class Stribeck:
    """Friction that falls with the slip speed.

    ``μ(v) = mu_d + (μ_0 - mu_d) exp(-(v/v_s)^delta) + k v``; μ_0, the coefficient at rest, is
    ``mu`` of the contact: at a transition between sticking and sliding both coefficients are the
    same, as (23) of Wösle and Pfeiffer and chapter 1 of the book ask for.
    """

    mu_d: float
    """Coefficient far above `v_s`."""
    v_s: float
    """Speed over which the coefficient falls, m/s."""
    delta: float = 1.0
    """Exponent."""
    k: float = 0.0
    """Viscous part, s/m."""

    def __post_init__(self) -> None:
        for name in ("mu_d", "k"):
            object.__setattr__(self, name, in_range(name, getattr(self, name), 0.0))
        for name in ("v_s", "delta"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))

    def _core(self, mu_0: float) -> _system.FrictionCurve:
        return _system.StribeckCurve(mu_0, self.mu_d, self.v_s, self.delta, self.k)


@dataclass(frozen=True)
class FrictionTable:
    """Measured friction coefficients over the slip speed, monotone between the points.

    Needs SciPy (``pip install nsmb[tables]``); beyond the last speed the coefficient stays.

    Raises
    ------
    ValueError
        For speeds that do not begin at 0 or do not increase, coefficients below 0, or not as many
        coefficients as speeds; when a system is built, for a first coefficient that is not ``mu``.
    ImportError
        When a system is built without SciPy.
    """

    speeds: ArrayLike
    """(k,) m/s, increasing, the first 0."""
    coefficients: ArrayLike
    """(k,) μ at these speeds; the first must be ``mu`` of the contact."""

    def __post_init__(self) -> None:
        speeds = as_column("speeds", self.speeds)
        values = as_column("coefficients", self.coefficients)
        if speeds.size < 2 or speeds.shape != values.shape:
            raise ValueError(
                f"coefficients: expected as many as speeds, at least two, got {values.size} and "
                f"{speeds.size} speeds"
            )
        if not (np.isfinite(speeds).all() and speeds[0] == 0.0 and (np.diff(speeds) > 0.0).all()):
            raise ValueError(f"speeds: expected 0 and increasing numbers, got {speeds.tolist()}")
        if not (np.isfinite(values).all() and (values >= 0.0).all()):
            raise ValueError(f"coefficients: expected numbers >= 0, got {values.tolist()}")
        object.__setattr__(self, "speeds", tuple(speeds.tolist()))
        object.__setattr__(self, "coefficients", tuple(values.tolist()))

    def _core(self, mu_0: float) -> _system.FrictionCurve:
        speeds, values = np.asarray(self.speeds), np.asarray(self.coefficients)
        spline = import_extra("scipy.interpolate", "tables").PchipInterpolator(speeds, values)
        # Highest power first there, constant first here.
        return _system.CubicCurve(speeds.tolist(), spline.c[::-1].T.ravel().tolist())


@dataclass(frozen=True)
class ContactLaw:
    """Law of a unilateral contact: Coulomb friction, and what impacts do.

    Source: Pfeiffer & Glocker, chapters 6 (friction) and 8 (impacts); Wösle & Pfeiffer for two
    tangential directions.
    """

    mu: float = 0.0
    """Friction coefficient μ >= 0; sticking, sliding and impacts share it."""
    e_N: float = 0.0
    """Normal restitution ε_N in [0, 1]."""
    e_T: float = 0.0
    """Tangential restitution ε_T in [0, 1], (8.37)."""
    nu: float = 0.0
    """Reversibility ν of the friction impulse in [0, 1], (8.37)."""
    aspect: float = 1.0
    """Two tangential directions: coefficient along the second one is ``aspect * mu``."""
    curve: Stribeck | FrictionTable | None = None
    """Dependence of the sliding coefficient on the slip speed; `mu` is its value at rest, which
    impacts have at any speed."""

    def __post_init__(self) -> None:
        for name in ("e_N", "e_T", "nu"):
            object.__setattr__(self, name, in_range(name, getattr(self, name), 0.0, 1.0))
        object.__setattr__(self, "mu", in_range("mu", self.mu, 0.0))
        object.__setattr__(self, "aspect", positive("aspect", self.aspect))
        if self.curve is not None and not isinstance(self.curve, Stribeck | FrictionTable):
            raise ValueError(f"curve: expected a Stribeck or a FrictionTable, got {self.curve!r}")

    def _core(self) -> _system.UnilateralContact:
        curve = None if self.curve is None else self.curve._core(self.mu)
        return _system.UnilateralContact(self.mu, self.e_N, self.e_T, self.nu, self.aspect, curve)


@dataclass(frozen=True)
class Contact:
    """Name and law of one contact of a system, and its number of tangential directions."""

    name: str
    law: ContactLaw
    tangents: int = 1
    normal: str | None = None
    """Friction alone: name of the contact whose normal force enters the bound, or None."""
    is_unilateral: bool = True
    """Whether it is a contact with a gap, and not friction alone."""

    def __post_init__(self) -> None:
        if not isinstance(self.law, ContactLaw):
            raise ValueError(f"contact {self.name!r}: law: expected a ContactLaw, got {self.law!r}")
        if not isinstance(self.tangents, int) or self.tangents not in (1, 2):
            raise ValueError(
                f"contact {self.name!r}: tangents: expected 1 or 2, got {self.tangents}"
            )

    def _core(self, others: Sequence[Contact]) -> _system.ContactDescription:
        """`others`: all contacts of the system, in order."""
        if self.is_unilateral:
            return _system.ContactDescription(
                self.name, self.law._core(), _system.ContactKind.Unilateral, self.tangents, -1
            )
        index = -1
        if self.normal is not None:
            names = [contact.name for contact in others if contact.is_unilateral]
            if self.normal not in names:
                raise unknown_name(f"contact {self.name!r}: normal", self.normal, names)
            index = [contact.name for contact in others].index(self.normal)
        return _system.ContactDescription(
            self.name, self.law._core(), _system.ContactKind.Friction, self.tangents, index
        )


@dataclass(frozen=True, eq=False)
class LinearContact:
    """Contact with affine gap ``g_N = w_N·q + gap + w_tilde_N t``, for :class:`LinearSystem`.

    Relative velocities are ``γ_N = w_N·u + w_tilde_N`` and ``γ_T = w_T·u + w_tilde_T`` (4.38).
    """

    w_N: ArrayLike
    """(n,) direction of the normal force."""
    w_T: ArrayLike | None = None
    """(n,) direction of the friction force, or (n, 2) for friction in a plane; None: the contact
    has no tangential direction."""
    gap: float = 0.0
    """g_N at q = 0, t = 0, in m."""
    law: ContactLaw = ContactLaw()
    name: str = ""
    """Empty: ``contact_1``, ``contact_2``, ... in order."""
    w_tilde_N: float = 0.0
    """Prescribed normal velocity, m/s."""
    w_tilde_T: ArrayLike = 0.0
    """Prescribed tangential velocity, m/s, one number per direction: minus the speed of a belt."""

    def __post_init__(self) -> None:
        if isinstance(self.w_T, ContactLaw):
            raise ValueError(
                f"{_told(self, 'w_T')}: expected a direction, got a ContactLaw; it is given as law="
            )


@dataclass(frozen=True, eq=False)
class LinearFriction:
    """Friction without a gap of its own, for :class:`LinearSystem`: clutches, guides, spinning.

    ``|λ_T| <= bound + mu λ_N`` with the normal force of another contact or of none; several may
    share one normal force.
    """

    w_T: ArrayLike
    """(n,) direction of the friction force, or (n, 2)."""
    bound: float = 0.0
    """Given part of the bound, N (or N m)."""
    mu: float = 0.0
    """Part per unit of the normal force of the contact `normal`."""
    normal: str | None = None
    """Name of a contact of the system."""
    name: str = ""
    """Empty: ``contact_1``, ``contact_2``, ... in order."""
    w_tilde_T: ArrayLike = 0.0
    """Prescribed velocity, one number per direction."""
    aspect: float = 1.0
    """Two directions: the bound along the second one is `aspect` times that along the first."""

    def __post_init__(self) -> None:
        for name in ("bound", "mu"):
            object.__setattr__(self, name, in_range(_told(self, name), getattr(self, name), 0.0))
        object.__setattr__(self, "aspect", positive(_told(self, "aspect"), self.aspect))


def _told(part: Any, argument: str, kind: str = "contact") -> str:
    """The argument of a part that may have a name."""
    return f"{kind} {part.name!r}: {argument}" if part.name else argument


def check_functions(kind: str, part: Any, arguments: Mapping[str, str]) -> None:
    """Every argument that is given is a function of these; the first one has to be."""
    for i, (name, expected) in enumerate(arguments.items()):
        function = getattr(part, name)
        if function is None and i > 0:
            continue
        told = _told(part, name, kind)
        if not callable(function):
            raise ValueError(f"{told}: expected a function of ({expected}), got {function!r}")
        check_signature(told, function, expected)


def _check_tangents(part: Any) -> None:
    if not isinstance(part.tangents, int) or part.tangents not in (1, 2):
        raise ValueError(f"{_told(part, 'tangents')}: expected 1 or 2, got {part.tangents}")


def two_sided_stop(
    w: ArrayLike,
    lower: float,
    upper: float,
    law: ContactLaw = ContactLaw(),  # noqa: B008 - immutable
    name: str = "stop",
    w_T: ArrayLike | None = None,
) -> tuple[LinearContact, LinearContact]:
    """Two contacts ``name.lower`` and ``name.upper`` that keep ``lower <= w·q <= upper``.

    Parameters
    ----------
    w : (n,) array_like
        Direction of the distance.
    lower, upper : float
        Its limits, m.
    law : ContactLaw
        Of both.
    name : str
    w_T : (n,) or (n, 2) array_like, optional
        Tangential directions of both.

    Raises
    ------
    ValueError
        If there is no room between the stops.
    """
    low, high = _room(lower, upper)
    direction = as_column("w", w)
    return (
        LinearContact(direction, w_T, -low, law, f"{name}.lower"),
        LinearContact(-direction, w_T, high, law, f"{name}.upper"),
    )


def _room(lower: float, upper: float) -> tuple[float, float]:
    low, high = as_number("lower", lower), as_number("upper", upper)
    if not low < high:
        raise ValueError(f"upper: expected a number > lower = {low}, got {high}")
    return low, high


@dataclass(frozen=True, eq=False)
class CallbackContact:
    """Contact given by functions of ``(t, q)``, for :class:`CallbackSystem`.

    Only `gap` is needed. What can be derived and is missing is taken by central differences, which
    cost accuracy and time: give `w_N`, `w_tilde_N` and the w̄ terms where you know them.

    Steps are 6e-6 (first) and 1e-4 (second differences) of the `scale` that the system was given,
    along the motion of τ, the time in which the first coordinate moves by its scale, at most 1 s.
    For gaps that bend over the scale L of the coordinates errors are below 1e-9 g/L for `w_N`,
    1e-9 L/τ² for w̄ terms when the directions are given, and some 1e-7 L/τ² for w̄_N without
    `w_N`. Coordinates far larger than their scale, and t far above 1 s, cost more by rounding. Of
    a prescribed motion of angular frequency ω, w̃_N is wrong by (6e-6 ω)²/6 and w̄_N by (1e-4 ω)²/6,
    relatively: above some 10 rad/s give `w_tilde_N`, and `w_N` or `w_bar_N` with it.
    """

    gap: Callable[[float, Vector], float]
    """g_N(t, q) in m."""
    w_N: PositionFunction | None = None
    """(t, q) -> (nu,) ∂g_N/∂q·B; None: differences of `gap`."""
    w_T: PositionFunction | None = None
    """(t, q) -> (nu,), or (nu, 2) with `tangents` = 2; None: there is no tangential direction."""
    law: ContactLaw = ContactLaw()
    name: str = ""
    """Empty: ``contact_1``, ``contact_2``, ... in order."""
    w_tilde_N: Callable[[float, Vector], float] | None = None
    """(t, q) -> ∂g_N/∂t; None: differences of `gap`, exactly zero if it does not depend on t."""
    w_tilde_T: Callable[[float, Vector], ArrayLike] | None = None
    """(t, q) -> prescribed tangential velocity (or two); None: zero, for no gap tells it."""
    w_bar_N: VelocityFunction | None = None
    """(t, q, u) -> w̄_N of (4.45); None: differences along the motion."""
    w_bar_T: Callable[[float, Vector, Vector], ArrayLike] | None = None
    """(t, q, u) -> w̄_T of (4.45) (or two); None: differences of γ_T along the motion."""
    tangents: int = 1
    """2: friction in a plane."""

    def __post_init__(self) -> None:
        normal = {"gap": "t, q", "w_N": "t, q", "w_tilde_N": "t, q", "w_bar_N": "t, q, u"}
        check_functions("contact", self, normal | _TANGENTIAL)
        _check_tangents(self)


@dataclass(frozen=True, eq=False)
class CallbackFriction:
    """Friction without a gap of its own, for :class:`CallbackSystem`.

    ``|λ_T| <= bound + mu λ_N``, as with :class:`LinearFriction`.
    """

    w_T: PositionFunction
    """(t, q) -> (nu,), or (nu, 2) with `tangents` = 2."""
    bound: VelocityFunction | float = 0.0
    """Given part of the bound, N: a number >= 0, or (t, q, u) -> it."""
    mu: float = 0.0
    """Part per unit of the normal force of the contact `normal`."""
    normal: str | None = None
    """Name of a contact of the system."""
    name: str = ""
    """Empty: ``contact_1``, ``contact_2``, ... in order."""
    w_tilde_T: Callable[[float, Vector], ArrayLike] | None = None
    """(t, q) -> prescribed velocity."""
    w_bar_T: Callable[[float, Vector, Vector], ArrayLike] | None = None
    """(t, q, u) -> w̄_T; None: differences along the motion."""
    tangents: int = 1
    """2: friction in a plane."""
    aspect: float = 1.0
    """Two directions: the bound along the second one is `aspect` times that along the first."""

    def __post_init__(self) -> None:
        check_functions("contact", self, _TANGENTIAL)
        if callable(self.bound):
            check_signature(_told(self, "bound"), self.bound, "t, q, u")
        else:
            in_range(_told(self, "bound"), self.bound, 0.0)
        object.__setattr__(self, "mu", in_range(_told(self, "mu"), self.mu, 0.0))
        object.__setattr__(self, "aspect", positive(_told(self, "aspect"), self.aspect))
        _check_tangents(self)


@dataclass(frozen=True, eq=False)
class CallbackConstraint:
    """Bilateral constraint ``g(t, q) = 0``, for :class:`CallbackSystem`.

    It is kept exactly, in position and velocity; constraints may depend on each other, as those of
    a closed loop in a plane do. What is not given is taken by differences, as for
    :class:`CallbackContact`.
    """

    g: Callable[[float, Vector], float]
    """g(t, q) in m or rad."""
    W: PositionFunction | None = None
    """(t, q) -> (nu,) ∂g/∂q·B."""
    w_tilde: Callable[[float, Vector], float] | None = None
    """(t, q) -> ∂g/∂t."""
    w_bar: Callable[[float, Vector, Vector], float] | None = None
    """(t, q, u) -> g̈ without the terms in u̇."""
    name: str = ""
    """Empty: ``constraint_1``, ``constraint_2``, ... in order."""

    def __post_init__(self) -> None:
        check_functions(
            "constraint", self, {"g": "t, q", "W": "t, q", "w_tilde": "t, q", "w_bar": "t, q, u"}
        )


def callback_stop(
    distance: Callable[[float, Vector], float],
    lower: float,
    upper: float,
    law: ContactLaw = ContactLaw(),  # noqa: B008 - immutable
    name: str = "stop",
    w_N: PositionFunction | None = None,
) -> tuple[CallbackContact, CallbackContact]:
    """Two contacts that keep ``lower <= distance(t, q) <= upper``, without friction.

    Their names are ``name.lower`` and ``name.upper``; `w_N` is the direction of the distance.

    Parameters
    ----------
    distance : callable (t, q) -> float
        m
    lower, upper : float
        Its limits, m.
    law : ContactLaw
        Of both.
    name : str
    w_N : callable (t, q) -> (n,), optional
        Direction of the distance; None: differences of it.

    Raises
    ------
    ValueError
        If there is no room between the stops.
    """
    low, high = _room(lower, upper)
    back = None if w_N is None else partial(_opposite, w_N)
    return (
        CallbackContact(partial(_above, distance, low), w_N, law=law, name=f"{name}.lower"),
        CallbackContact(partial(_below, distance, high), back, law=law, name=f"{name}.upper"),
    )


# Functions of a module, unlike those made on the spot, can be pickled.
def _above(distance: Callable[[float, Vector], float], low: float, t: float, q: Vector) -> float:
    return distance(t, q) - low


def _below(distance: Callable[[float, Vector], float], high: float, t: float, q: Vector) -> float:
    return high - distance(t, q)


def _opposite(direction: PositionFunction, t: float, q: Vector) -> Vector:
    return -np.asarray(direction(t, q), dtype=np.float64)

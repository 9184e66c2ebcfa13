"""Contact laws and contacts, as arguments of the systems."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system

__all__ = ["CallbackContact", "Contact", "LinearContact", "UnilateralContact"]

Vector = NDArray[np.float64]
PositionFunction = Callable[[float, Vector], ArrayLike]
VelocityFunction = Callable[[float, Vector, Vector], float]


@dataclass(frozen=True)
class UnilateralContact:
    """Unilateral contact with Coulomb friction and its impact law.

    Source: Pfeiffer & Glocker, chapters 6 (friction) and 8 (impacts).
    """

    mu: float = 0.0
    """Friction coefficient μ >= 0; sticking, sliding and impacts share it."""
    e_N: float = 0.0
    """Normal restitution ε_N in [0, 1]."""
    e_T: float = 0.0
    """Tangential restitution ε_T in [0, 1], (8.37)."""
    nu: float = 0.0
    """Reversibility ν of the friction impulse in [0, 1], (8.37)."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            try:
                object.__setattr__(self, field.name, float(value))
            except (TypeError, ValueError):
                raise ValueError(f"{field.name}: expected a number, got {value!r}") from None

    def _core(self) -> _system.UnilateralContact:
        return _system.UnilateralContact(self.mu, self.e_N, self.e_T, self.nu)


@dataclass(frozen=True)
class Contact:
    """Name and law of one contact of a system."""

    name: str
    law: UnilateralContact


@dataclass(frozen=True, eq=False)
class LinearContact:
    """Contact with affine gap ``g_N = w_N·q + gap + w_tilde_N t``, for :class:`LinearSystem`.

    Relative velocities are ``γ_N = w_N·u + w_tilde_N`` and ``γ_T = w_T·u + w_tilde_T`` (4.38).
    """

    w_N: ArrayLike
    """(n,) direction of the normal force."""
    w_T: ArrayLike | None = None
    """(n,) direction of the friction force; None: the contact has no tangential direction."""
    gap: float = 0.0
    """g_N at q = 0, t = 0, in m."""
    law: UnilateralContact = UnilateralContact()
    name: str = ""
    """Empty: ``contact_1``, ``contact_2``, ... in order."""
    w_tilde_N: float = 0.0
    """Prescribed normal velocity, m/s."""
    w_tilde_T: float = 0.0
    """Prescribed tangential velocity, m/s: minus the speed of a moving belt."""


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
    """(t, q) -> (nu,); None: the contact has no tangential direction."""
    law: UnilateralContact = UnilateralContact()
    name: str = ""
    """Empty: ``contact_1``, ``contact_2``, ... in order."""
    w_tilde_N: Callable[[float, Vector], float] | None = None
    """(t, q) -> ∂g_N/∂t; None: differences of `gap`, exactly zero if it does not depend on t."""
    w_tilde_T: Callable[[float, Vector], float] | None = None
    """(t, q) -> prescribed tangential velocity; None: zero, for no gap tells it."""
    w_bar_N: VelocityFunction | None = None
    """(t, q, u) -> w̄_N of (4.45); None: differences along the motion."""
    w_bar_T: VelocityFunction | None = None
    """(t, q, u) -> w̄_T of (4.45); None: differences of γ_T along the motion."""

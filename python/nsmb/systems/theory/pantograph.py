"""A mechanism whose accelerations are not unique: section 5.4 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.system import State
from nsmb.system.callback import CallbackSystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import FLOOR, SIDEWAYS, UP, block
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["PantographParameters", "pantograph"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class PantographParameters(Parameters):
    """Data of the mechanism; the book has no numbers."""

    m_1: float = parameter(1.0, "kg", "inner mass", "chosen", positive=True)
    m_2: float = parameter(1.0, "kg", "outer mass", "chosen", positive=True)
    g: float = parameter(10.0, "m/s²", "gravity", "chosen")
    mu_1: float = parameter(0.2, "-", "friction coefficient of the inner mass", "chosen")
    mu_2: float = parameter(0.4, "-", "friction coefficient of the outer mass", "chosen")
    r: float = parameter(
        1.0, "m", "distance of the inner mass at the start", "chosen", positive=True
    )
    v: float = parameter(1.0, "m/s", "its velocity at the start, outwards", "chosen")


@parametric(PantographParameters, recommended=TWO_SECONDS)
def pantograph(p: PantographParameters) -> CallbackSystem:
    """Pantograph with two masses on the floor: dependent contacts, accelerations not unique (5.4).

    ===========  ==========================================================================
    coordinates  ``r`` > 0 distance of the inner mass (m), ``phi`` inclination (rad)
    contacts     ``inner`` mass at r, ``outer`` mass at 2 r, both on the floor at φ = 0
    source       Pfeiffer & Glocker, section 5.4, (5.39)-(5.66); all numbers chosen
    ===========  ==========================================================================

    While the masses slide outwards, λ_N1 + 2 λ_N2 = M_2 g, and every r̈ between -μ_1 g M_2/M_1 and
    -μ_2 g M_2/M_1 satisfies the laws. A simulation takes one of them.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    return _build(p)


def _contact(i: int, name: str, mu: float) -> Contact:
    """Return the contact of the mass at the distance i r from the pivot, (5.47)-(5.52)."""

    def w_N(t: float, q: Vector) -> Vector:
        return i * np.array([np.sin(q[1]), q[0] * np.cos(q[1])])

    def w_T(t: float, q: Vector) -> Vector:
        return i * np.array([np.cos(q[1]), -q[0] * np.sin(q[1])])

    def w_bar_N(t: float, q: Vector, u: Vector) -> float:
        turn = 2.0 * u[0] * u[1] * np.cos(q[1]) - q[0] * u[1] ** 2 * np.sin(q[1])
        return float(i * turn)

    def w_bar_T(t: float, q: Vector, u: Vector) -> float:
        turn = 2.0 * u[0] * u[1] * np.sin(q[1]) + q[0] * u[1] ** 2 * np.cos(q[1])
        return float(-i * turn)

    return Contact(
        lambda t, q: float(i * q[0] * np.sin(q[1])),
        w_N=w_N,
        w_T=w_T,
        law=ContactLaw(mu=mu),
        name=name,
        w_tilde_N=lambda t, q: 0.0,
        w_bar_N=w_bar_N,
        w_bar_T=w_bar_T,
    )


def _build(p: PantographParameters) -> CallbackSystem:
    """Build the system from (5.46) with the sums of masses (5.45)."""
    M_1, M_2 = p.m_1 + 4.0 * p.m_2, p.m_1 + 2.0 * p.m_2

    def forces(t: float, q: Vector, u: Vector) -> list[float]:
        return [
            M_1 * q[0] * u[1] ** 2 - M_2 * p.g * np.sin(q[1]),
            -2.0 * M_1 * q[0] * u[0] * u[1] - M_2 * p.g * q[0] * np.cos(q[1]),
        ]

    system = CallbackSystem(
        ["r", "phi"],
        lambda t, q: np.diag([M_1, M_1 * q[0] ** 2]),
        forces,
        [_contact(1, "inner", p.mu_1), _contact(2, "outer", p.mu_2)],
        potential_energy=lambda t, q: float(M_2 * p.g * q[0] * np.sin(q[1])),
        coordinate_units=["m", "rad"],
        initial_state=State(0.0, np.array([p.r, 0.0]), np.array([p.v, 0.0])),
    )

    def mass(i: int, q: Vector) -> Vector:
        return np.asarray(i * q[0] * np.array([np.cos(q[1]), np.sin(q[1])]))

    def points(t: float, q: Vector) -> list[ArrayLike]:
        feet = [block(0.12 * p.r, 0.1 * p.r) + mass(i, q) for i in (1, 2)]
        return [FLOOR, np.vstack([np.zeros(2), mass(2, q)]), *feet]

    system.scene = Scene.from_function(
        points,
        bodies=["ground", "bar", "inner", "outer"],
        markers=lambda t, q: [(0.0, 0.0)],
        joints=[0],
        contacts=lambda t, q: [ContactFrame(mass(i, q), UP, SIDEWAYS) for i in (1, 2)],
    )
    return system

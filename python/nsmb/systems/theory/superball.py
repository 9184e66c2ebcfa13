"""A ball thrown under a table: section 8.13 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import ContactFrame
from nsmb.system import LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import CEILING, FLOOR, SIDEWAYS, UP, Part, disc, parts_scene
from nsmb.systems._recommended import POISSON

__all__ = ["SuperballParameters", "superball"]

_BOOK = "Pfeiffer & Glocker, section 8.13"


@dataclass(frozen=True, kw_only=True)
class SuperballParameters(Parameters):
    """Data of the ball and its initial state."""

    m: float = parameter(1.0, "kg", "mass", _BOOK)
    J_S: float = parameter(0.004, "kg m²", "moment of inertia", _BOOK)
    R: float = parameter(0.1, "m", "radius", _BOOK)
    g: float = parameter(0.0, "m/s²", "gravity", _BOOK)
    l: float = parameter(1.0, "m", "height of the table's lower side", _BOOK)
    mu: float = parameter(1.0, "-", "friction coefficient of both contacts", _BOOK)
    e_N: float = parameter(1.0, "-", "normal restitution", _BOOK)
    e_T: float = parameter(1.0, "-", "tangential restitution", _BOOK)
    nu: float = parameter(1.0, "-", "reversibility of the friction impulse", _BOOK)
    x: float = parameter(0.0, "m", "position at the start", _BOOK)
    y: float = parameter(0.9, "m", "height of the centre at the start", _BOOK)
    v_x: float = parameter(1.0, "m/s", "velocity at the start, under the table", _BOOK)
    v_y: float = parameter(-1.0, "m/s", "velocity at the start, upwards", _BOOK)


@parametric(SuperballParameters, recommended=POISSON)
def superball(p: SuperballParameters) -> LinearSystem:
    """Ball thrown under a table: a superball returns, a plain ball does not (8.13).

    ===========  =========================================================================
    coordinates  ``x``, ``y`` centre (m), ``phi`` counterclockwise (rad)
    contacts     ``floor``, ``table``
    source       Pfeiffer & Glocker, section 8.13, (8.102), (8.103)
    ===========  =========================================================================

    ν = ε_T = 1 is the superball, ν = ε_T = 0 the plain ball.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    law = ContactLaw(mu=p.mu, e_N=p.e_N, e_T=p.e_T, nu=p.nu)
    system = LinearSystem(
        np.diag([p.m, p.m, p.J_S]),
        force=[0.0, -p.m * p.g, 0.0],
        contacts=[
            Contact(w_N=[0.0, 1.0, 0.0], w_T=[1.0, 0.0, p.R], gap=-p.R, law=law, name="floor"),
            Contact(
                w_N=[0.0, -1.0, 0.0], w_T=[-1.0, 0.0, p.R], gap=p.l - p.R, law=law, name="table"
            ),
        ],
        coordinates=["x", "y", "phi"],
        coordinate_units=["m", "m", "rad"],
        initial_state=State(0.0, np.array([p.x, p.y, 0.0]), np.array([p.v_x, p.v_y, 0.0])),
    )

    def contacts(t: float, q: NDArray[np.float64]) -> list[ContactFrame | None]:
        floor = ContactFrame((q[0], q[1] - p.R), UP, SIDEWAYS)
        return [floor, ContactFrame((q[0], q[1] + p.R), (0.0, -1.0), (-1.0, 0.0))]

    system.scene = parts_scene(
        [
            Part("ground", FLOOR),
            Part("ground", CEILING, lambda t, q: (0.0, p.l)),
            Part("ball", disc(p.R), lambda t, q: q),
            Part("ball", np.array([(0.0, 0.0), (p.R, 0.0)]), lambda t, q: q),
        ],
        contacts=contacts,
    )
    return system

"""Two masses on one line: sections 7.4 and 8.12 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.pictures.scene import ContactFrame
from nsmb.system import LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import FLOOR, SIDEWAYS, UP, Part, disc, parts_scene
from nsmb.systems._recommended import POISSON

__all__ = ["TwoBallsParameters", "TwoPointMassesParameters", "two_balls", "two_point_masses"]

_BALLS = "Pfeiffer & Glocker, section 8.12"


@dataclass(frozen=True, kw_only=True)
class TwoPointMassesParameters(Parameters):
    """Data of the two masses; the book has no numbers."""

    m_1: float = parameter(1.0, "kg", "mass on the left", "chosen")
    m_2: float = parameter(2.0, "kg", "mass on the right", "chosen")
    e_N: float = parameter(0.5, "-", "normal restitution", "chosen")
    v_1: float = parameter(3.0, "m/s", "velocity of the left one at the start", "chosen")
    v_2: float = parameter(-1.0, "m/s", "velocity of the right one at the start", "chosen")
    d: float = parameter(1.0, "m", "distance at the start", "chosen")


@parametric(TwoPointMassesParameters, recommended=POISSON)
def two_point_masses(p: TwoPointMassesParameters) -> LinearSystem:
    """Two point masses that collide on a line (7.4).

    ===========  =====================================================================
    coordinates  ``x_1``, ``x_2`` (m)
    contacts     ``collision``, gap x_2 - x_1
    source       Pfeiffer & Glocker, section 7.4, (7.18)-(7.25); all numbers chosen
    ===========  =====================================================================

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    collision = Contact(w_N=[-1.0, 1.0], law=ContactLaw(e_N=p.e_N), name="collision")
    system = LinearSystem(
        np.diag([p.m_1, p.m_2]),
        contacts=[collision],
        coordinates=["x_1", "x_2"],
        coordinate_units=["m", "m"],
        initial_state=State(0.0, np.array([0.0, p.d]), np.array([p.v_1, p.v_2])),
    )
    r = 0.15 * abs(p.d) or 0.1
    system.scene = parts_scene(
        [
            Part("first", disc(r), lambda t, q: (q[0] - r, 0.0)),
            Part("second", disc(r), lambda t, q: (q[1] + r, 0.0)),
        ],
        contacts=lambda t, q: [ContactFrame((q[0], 0.0), (-1.0, 0.0), UP)],
    )
    return system


@dataclass(frozen=True, kw_only=True)
class TwoBallsParameters(Parameters):
    """Data of the two balls."""

    m_1: float = parameter(1.0, "kg", "mass of the ball on the ground", _BALLS)
    m_2: float = parameter(1.0, "kg", "mass of the ball that falls on it", _BALLS)
    e_1: float = parameter(1.0, "-", "normal restitution of the ground", _BALLS)
    e_2: float = parameter(0.5, "-", "normal restitution between the balls", "chosen")
    g: float = parameter(0.0, "m/s²", "gravity", "chosen")
    v: float = parameter(1.0, "m/s", "speed of the falling ball at the start", _BALLS)
    H: float = parameter(0.1, "m", "its height above the other at the start", "chosen")


@parametric(TwoBallsParameters, recommended=POISSON)
def two_balls(p: TwoBallsParameters) -> LinearSystem:
    """Ball that falls on a ball on the ground; the Poisson and Newton laws differ (8.12).

    ===========  ==========================================================================
    coordinates  ``y_1``, ``y_2`` heights of the balls above their positions in contact (m)
    contacts     ``ground`` gap y_1, ``balls`` gap y_2 - y_1
    source       Pfeiffer & Glocker, section 8.12, (8.101)
    ===========  ==========================================================================

    The impact law is an option of the method: ``EventDriven(impact_law="newton")``.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    system = LinearSystem(
        np.diag([p.m_1, p.m_2]),
        force=[-p.m_1 * p.g, -p.m_2 * p.g],
        contacts=[
            Contact(w_N=[1.0, 0.0], law=ContactLaw(e_N=p.e_1), name="ground"),
            Contact(w_N=[-1.0, 1.0], law=ContactLaw(e_N=p.e_2), name="balls"),
        ],
        coordinates=["y_1", "y_2"],
        coordinate_units=["m", "m"],
        initial_state=State(0.0, np.array([0.0, p.H]), np.array([0.0, -p.v])),
    )
    r = 0.5 * abs(p.H) or 0.05
    system.scene = parts_scene(
        [
            Part("ground", FLOOR),
            Part("lower", disc(r), lambda t, q: (0.0, q[0] + r)),
            Part("upper", disc(r), lambda t, q: (0.0, q[1] + 3.0 * r)),
        ],
        contacts=lambda t, q: [
            ContactFrame((0.0, q[0]), UP, SIDEWAYS),
            ContactFrame((0.0, q[1] + 2.0 * r), UP, SIDEWAYS),
        ],
    )
    return system

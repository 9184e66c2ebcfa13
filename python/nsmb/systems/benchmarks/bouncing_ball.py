"""A ball that bounces on the floor: impacts accumulate until it rests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.system import LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import TWO_SECONDS
from nsmb.systems._scenes import bouncing_ball_scene

__all__ = ["BouncingBallParameters", "bouncing_ball"]


@dataclass(frozen=True, kw_only=True)
class BouncingBallParameters(Parameters):
    """Data of the ball; it comes to rest at √(2H/g) (1 + e_N)/(1 - e_N)."""

    m: float = parameter(1.0, "kg", "mass", "chosen")
    g: float = parameter(9.81, "m/s²", "gravity", "chosen")
    H: float = parameter(1.0, "m", "height of the start above the floor", "chosen")
    e_N: float = parameter(0.7, "-", "normal restitution", "chosen")


@parametric(BouncingBallParameters, recommended=TWO_SECONDS)
def bouncing_ball(p: BouncingBallParameters) -> LinearSystem:
    """Ball bouncing on the floor until it rests.

    Coordinate ``y`` (height, m), contact ``floor``.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    # One coordinate: the height y of the lowest point above the floor.
    floor = Contact(w_N=[1.0], law=ContactLaw(e_N=p.e_N), name="floor")
    system = LinearSystem(
        [[p.m]],
        force=[-p.m * p.g],
        contacts=[floor],
        coordinates=["y"],
        coordinate_units=["m"],
        initial_state=State(0.0, np.array([p.H]), np.array([0.0])),
    )
    system.scene = bouncing_ball_scene(0.1 * p.H)
    return system

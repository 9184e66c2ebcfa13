"""A mass that falls on a wall with spring and damper: section 3.2.3 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.system import LinearSystem, State
from nsmb.system.forces import ForceElement, GapForce, LawName
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import FLOOR, Part, block, parts_scene
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["SpringDamperWallParameters", "spring_damper_wall"]

_BOOK = "Pfeiffer & Glocker, section 3.2.3"

_LAWS: tuple[LawName, ...] = ("elastic_gap", "gap_damper", "clipped", "relaxing_wall")


@dataclass(frozen=True, kw_only=True)
class SpringDamperWallParameters(Parameters):
    """Data of the mass, the wall and its law, and the initial state."""

    m: float = parameter(1.3, "kg", "mass", "chosen: the book gives no numbers")
    c: float = parameter(400.0, "N/m", "stiffness of the wall", "chosen")
    d: float = parameter(9.0, "N s/m", "damping of the wall", "chosen")
    g: float = parameter(9.81, "m/s²", "gravity", "chosen")
    law: int | str = parameter(
        "relaxing_wall", "-", "(3.16), (3.17), (3.18), (3.20)-(3.23) in turn", _BOOK, choices=_LAWS
    )
    H: float = parameter(0.3, "m", "height of the start above the relaxed wall", "chosen")
    v: float = parameter(0.0, "m/s", "speed at the start, downwards", "chosen")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.H < 0.0:
            raise ValueError(f"parameter 'H': expected a number >= 0, got {self.H:g}")


@parametric(SpringDamperWallParameters, recommended=TWO_SECONDS)
def spring_damper_wall(p: SpringDamperWallParameters) -> LinearSystem:
    """Mass falling on a wall with spring and damper, four laws (3.16)-(3.23).

    ===========  =========================================================================
    coordinates  ``gamma``, height of the mass above the relaxed wall (m)
    contacts     none; force element ``wall``, which starts and ends at events ``switch``
    states       law 3: ``wall.wall``, position of the wall, which relaxes after the mass has left
    laws         0 elastic (3.16); 1 damper that acts while gamma < 0 (3.17); 2 clipped at
                 zero force (3.18); 3 consistent (3.20)-(3.23)
    source       Pfeiffer & Glocker, section 3.2.3; data and start chosen
    ===========  =========================================================================

    Without gravity law 3 has the restitution exp(-ζ/√(1 - ζ²) (π - 2 arcsin ζ)) for
    ζ = d/(2 √(c m)) < 1.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    wall = ForceElement(w=[1.0], law=GapForce(p.c, p.d, _LAWS[int(p.law)]), name="wall")
    system = LinearSystem(
        [[p.m]],
        force=[-p.m * p.g],
        elements=[wall],
        coordinates=["gamma"],
        coordinate_units=["m"],
        initial_state=State(0.0, np.array([p.H]), np.array([-p.v])),
    )
    size, low = max(abs(p.H), 0.1), -max(abs(p.H), 0.1)
    plate = size * np.array([(0.4, 0.0), (-0.4, 0.0)])
    system.scene = parts_scene(
        [
            Part("ground", FLOOR, lambda t, q: (0.0, low)),
            Part("wall", plate, lambda t, q: (0.0, min(0.0, q[0]))),
            Part("mass", block(0.5 * size, 0.3 * size), lambda t, q: (0.0, q[0])),
        ],
        markers=lambda t, q: [(0.0, low), (0.0, min(0.0, q[0]))],
        springs=[(0, 1)],
    )
    return system

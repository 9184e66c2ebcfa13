"""A rod that rocks on two obstacles: section 8.11 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.system import State
from nsmb.system.callback import CallbackSystem
from nsmb.system.parametric import parameter, parametric
from nsmb.systems._recommended import TWO_SECONDS
from nsmb.systems._scenes import rod_scene
from nsmb.systems.theory.rod_on_obstacles import RodParameters, free_rod, obstacle

__all__ = ["RockingRodParameters", "rocking_rod"]

_BOOK = "Pfeiffer & Glocker, section 8.11"


@dataclass(frozen=True, kw_only=True)
class RockingRodParameters(RodParameters):
    """Data of Figs. 8.8, 8.9."""

    b: float = parameter(0.2, "m", "half the distance of the obstacles", _BOOK)
    mu: float = parameter(100.0, "-", "friction coefficient of both obstacles", "chosen; μ ≫ 1")
    phi: float = parameter(0.1, "rad", "inclination at the start, on obstacle 2", "chosen")


@parametric(RockingRodParameters, recommended=TWO_SECONDS)
def rocking_rod(p: RockingRodParameters) -> CallbackSystem:
    """Rod that rocks on two obstacles until it rests, or comes to rest at once (8.11).

    ===========  =========================================================================
    coordinates  ``x``, ``y`` mass centre (m), ``phi`` counterclockwise (rad)
    contacts     ``obstacle_1`` at (-b, 0), ``obstacle_2`` at (b, 0); completely inelastic
    source       Pfeiffer & Glocker, section 8.11, Figs. 8.8, 8.9; start chosen
    ===========  =========================================================================

    With β = b/l < 1/√3 every impact multiplies φ̇ by (1 - 3β²)/(1 + 3β²). Otherwise the first
    impact stops the rod. Gaps are those of an infinite line: check that the obstacles stay below
    the rod.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    sin, cos = np.sin(p.phi), np.cos(p.phi)
    start = State(0.0, np.array([p.b * (1.0 - cos), p.b * sin, -p.phi]), np.zeros(3))
    contacts = [obstacle(1, -p.b, p.mu, 0.0), obstacle(2, p.b, p.mu, 0.0)]
    system = free_rod(p, contacts, start)
    system.scene = rod_scene(p.l, [-p.b, p.b])
    return system

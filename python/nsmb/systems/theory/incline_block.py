"""A block thrown up an incline: the introduction of chapter 6 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import ContactFrame
from nsmb.system import LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import FLOOR, Part, block, parts_scene, turned
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["InclineBlockParameters", "incline_block"]


@dataclass(frozen=True, kw_only=True)
class InclineBlockParameters(Parameters):
    """Data of the block; the book has no numbers."""

    m: float = parameter(1.0, "kg", "mass", "chosen")
    g: float = parameter(10.0, "m/s²", "gravity", "chosen")
    alpha: float = parameter(0.5, "rad", "angle of the incline", "chosen")
    mu: float = parameter(0.3, "-", "friction coefficient", "chosen")
    v: float = parameter(2.0, "m/s", "speed at the start, up the incline", "chosen")


@parametric(InclineBlockParameters, recommended=TWO_SECONDS)
def incline_block(p: InclineBlockParameters) -> LinearSystem:
    """Block thrown up an incline: it stops and sticks, or slides back (chapter 6).

    ===========  ==================================================================
    coordinates  ``x`` down the slope, ``y`` away from it (m)
    contacts     ``slope``, γ_T > 0 down the slope
    source       Pfeiffer & Glocker, introduction of chapter 6; all numbers chosen
    ===========  ==================================================================

    It sticks iff tan α <= μ, with λ_T = -m g sin α; otherwise friction jumps from +μ λ_N to -μ λ_N.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    # x points down the slope: gravity pulls in the positive and the start is in the negative
    # direction.
    slope = Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=ContactLaw(mu=p.mu), name="slope")
    system = LinearSystem(
        p.m * np.eye(2),
        force=p.m * p.g * np.array([np.sin(p.alpha), -np.cos(p.alpha)]),
        contacts=[slope],
        coordinates=["x", "y"],
        coordinate_units=["m", "m"],
        initial_state=State(0.0, np.zeros(2), np.array([-p.v, 0.0])),
    )
    down = turned(-p.alpha)  # the slope falls to the right

    def contacts(t: float, q: NDArray[np.float64]) -> list[ContactFrame | None]:
        return [ContactFrame(down @ (q[0], 0.0), down[:, 1], down[:, 0])]

    system.scene = parts_scene(
        [
            Part("ground", FLOOR @ down.T),
            Part("block", block(0.12, 0.08), lambda t, q: (*(down @ q), -p.alpha)),
        ],
        contacts=contacts,
    )
    return system

"""Two stacked masses: sections 6.5 and 6.6 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.system import LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import stack_scene
from nsmb.systems._recommended import TWO_SECONDS

__all__ = [
    "StackedMassesHorizontalParameters",
    "StackedMassesVerticalParameters",
    "stacked_masses_horizontal",
    "stacked_masses_vertical",
]

_LIFT = "Pfeiffer & Glocker, section 6.5"
_PUSH = "Pfeiffer & Glocker, section 6.6"


@dataclass(frozen=True, kw_only=True)
class StackedMassesVerticalParameters(Parameters):
    """Data of the lifted stack."""

    m: float = parameter(1.0, "kg", "mass of each", _LIFT)
    g: float = parameter(10.0, "m/s²", "gravity", _LIFT)
    F_1: float = parameter(12.0, "N", "force on the lower mass, upwards", _LIFT)
    F_2: float = parameter(11.0, "N", "force on the upper mass, upwards", _LIFT)


@parametric(StackedMassesVerticalParameters, recommended=TWO_SECONDS)
def stacked_masses_vertical(p: StackedMassesVerticalParameters) -> LinearSystem:
    """Two stacked masses lifted by two forces, which open one or both contacts (6.5).

    ===========  =========================================================================
    coordinates  ``y_1`` lower, ``y_2`` upper mass, above their positions in contact (m)
    contacts     ``ground`` gap y_1, ``masses`` gap y_2 - y_1
    source       Pfeiffer & Glocker, section 6.5, (6.37)-(6.54)
    ===========  =========================================================================

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    system = LinearSystem(
        p.m * np.eye(2),
        force=[p.F_1 - p.m * p.g, p.F_2 - p.m * p.g],  # (6.37)
        contacts=[
            Contact(w_N=[1.0, 0.0], name="ground"),
            Contact(w_N=[-1.0, 1.0], name="masses"),
        ],
        coordinates=["y_1", "y_2"],
        coordinate_units=["m", "m"],
    )
    system.scene = stack_scene(["lower", "upper"], lambda q, i: (0.0, q[i]))
    return system


@dataclass(frozen=True, kw_only=True)
class StackedMassesHorizontalParameters(Parameters):
    """Data of the pushed stack."""

    m: float = parameter(1.0, "kg", "mass of each", _PUSH)
    g: float = parameter(10.0, "m/s²", "gravity", _PUSH)
    mu: float = parameter(1.0, "-", "friction coefficient of both contacts", _PUSH)
    F_1: float = parameter(20.0, "N", "force on the lower mass, to the right", _PUSH)
    F_2: float = parameter(10.0, "N", "force on the upper mass, to the right", _PUSH)


@parametric(StackedMassesHorizontalParameters, recommended=TWO_SECONDS)
def stacked_masses_horizontal(p: StackedMassesHorizontalParameters) -> LinearSystem:
    """Two stacked masses pushed by two forces, which make one or both contacts slip (6.6).

    ===========  =========================================================================
    coordinates  ``x_1``, ``y_1`` lower, ``x_2``, ``y_2`` upper mass (m)
    contacts     ``ground``, ``masses``; γ_T is the velocity of the body above
    source       Pfeiffer & Glocker, section 6.6, (6.55)-(6.64)
    ===========  =========================================================================

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    return _pushed(p)


def frictional_stack(mu_1: float, mu_2: float) -> list[Contact]:
    """Return the contacts of (6.38), (6.57) for q = (x_1, y_1, x_2, y_2)."""
    ground, masses = ContactLaw(mu=mu_1), ContactLaw(mu=mu_2)
    return [
        Contact(w_N=[0.0, 1.0, 0.0, 0.0], w_T=[1.0, 0.0, 0.0, 0.0], law=ground, name="ground"),
        Contact(w_N=[0.0, -1.0, 0.0, 1.0], w_T=[-1.0, 0.0, 1.0, 0.0], law=masses, name="masses"),
    ]


def _pushed(p: StackedMassesHorizontalParameters) -> LinearSystem:
    system = LinearSystem(
        p.m * np.eye(4),
        force=[p.F_1, -p.m * p.g, p.F_2, -p.m * p.g],
        contacts=frictional_stack(p.mu, p.mu),
        coordinates=["x_1", "y_1", "x_2", "y_2"],
        coordinate_units=["m"] * 4,
        initial_state=State(0.0, np.zeros(4), np.zeros(4)),
    )
    system.scene = stack_scene(["lower", "upper"], lambda q, i: (q[2 * i], q[2 * i + 1]))
    return system

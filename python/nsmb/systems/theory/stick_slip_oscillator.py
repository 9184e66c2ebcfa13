"""Two stacked masses with a spring and harmonic forces: section 6.6 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.system import Force, Harmonic, LinearSystem, State
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import Part, stack_scene
from nsmb.systems._recommended import TWO_SECONDS
from nsmb.systems.theory.stacked_masses import frictional_stack

__all__ = ["StickSlipOscillatorParameters", "stick_slip_oscillator"]

_BOOK = "Pfeiffer & Glocker, section 6.6"


@dataclass(frozen=True, kw_only=True)
class StickSlipOscillatorParameters(Parameters):
    """Data of the oscillator; index 1 is the lower mass."""

    m_1: float = parameter(1.0, "kg", "lower mass", _BOOK)
    m_2: float = parameter(1.0, "kg", "upper mass", _BOOK)
    c_1: float = parameter(
        150.0, "N/m", "stiffness between environment and lower mass", _BOOK, least=0.0
    )
    c_2: float = parameter(0.0, "N/m", "stiffness between the masses", _BOOK, least=0.0)
    F_1: float = parameter(60.0, "N", "amplitude of the force on the lower mass", _BOOK)
    F_2: float = parameter(15.0, "N", "amplitude of the force on the upper mass", _BOOK)
    omega_1: float = parameter(2.0 * np.pi, "rad/s", "frequency of the lower force", _BOOK)
    omega_2: float = parameter(2.0 * np.pi, "rad/s", "frequency of the upper force", _BOOK)
    phase_1: float = parameter(0.0, "rad", "phase of the lower force", _BOOK)
    phase_2: float = parameter(np.pi, "rad", "phase of the upper force", _BOOK)
    g: float = parameter(10.0, "m/s²", "gravity", _BOOK)
    mu_1: float = parameter(1.0, "-", "friction coefficient of the ground", _BOOK)
    mu_2: float = parameter(1.0, "-", "friction coefficient between the masses", _BOOK)


@parametric(StickSlipOscillatorParameters, recommended=TWO_SECONDS)
def stick_slip_oscillator(p: StickSlipOscillatorParameters) -> LinearSystem:
    """Two stacked masses under harmonic forces: stick, slip and reversal (6.6).

    ===========  =========================================================================
    coordinates  ``x_1``, ``y_1`` lower, ``x_2``, ``y_2`` upper mass (m)
    contacts     ``ground``, ``masses``; γ_T is the velocity of the body above
    source       Pfeiffer & Glocker, section 6.6, (6.65); start at rest chosen
    ===========  =========================================================================

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    # Forces (6.65); springs are relaxed at x_1 = x_2 = 0.
    K = np.zeros((4, 4))
    K[0, 0] = p.c_1 + p.c_2
    K[2, 2] = p.c_2
    K[0, 2] = K[2, 0] = -p.c_2
    force = Force(
        constant=[0.0, -p.m_1 * p.g, 0.0, -p.m_2 * p.g],
        harmonics=[
            Harmonic([p.F_1, 0.0, 0.0, 0.0], p.omega_1, p.phase_1),
            Harmonic([0.0, 0.0, p.F_2, 0.0], p.omega_2, p.phase_2),
        ],
    )
    system = LinearSystem(
        np.diag([p.m_1, p.m_1, p.m_2, p.m_2]),
        K,
        force=force,
        contacts=frictional_stack(p.mu_1, p.mu_2),
        coordinates=["x_1", "y_1", "x_2", "y_2"],
        coordinate_units=["m"] * 4,
        initial_state=State(0.0, np.zeros(4), np.zeros(4)),  # chosen: the book gives no start
    )
    system.scene = stack_scene(
        ["lower", "upper"],
        lambda q, i: (q[2 * i], q[2 * i + 1]),
        more=[Part("ground", np.array([(-0.6, 0.0), (-0.6, 0.15)]))],
        markers=lambda t, q: [(-0.6, 0.05), (q[0] - 0.15, q[1] + 0.05)],
        springs=[(0, 1)],
    )
    return system

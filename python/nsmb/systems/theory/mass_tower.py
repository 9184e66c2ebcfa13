"""A tower of masses on a shaking table: section 1.3 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.system import Force, Harmonic, LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import stack_scene
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["MassTowerParameters", "mass_tower"]


@dataclass(frozen=True, kw_only=True)
class MassTowerParameters(Parameters):
    """Data of the tower; the book gives only the number of masses, ten (Fig. 1.4 is a sketch)."""

    n: int = parameter(
        10, "-", "number of masses", "Pfeiffer & Glocker, section 1.3", positive=True
    )
    m: float = parameter(1.0, "kg", "mass of each", "chosen")
    g: float = parameter(10.0, "m/s²", "gravity", "chosen")
    mu: float = parameter(0.5, "-", "friction coefficient at the table", "chosen")
    mu_top: float = parameter(
        0.2, "-", "friction coefficient below the top mass; linear between", "chosen"
    )
    c: float = parameter(
        5.0, "N/m", "stiffness that centres each mass on the table", "chosen", least=0.0
    )
    amplitude: float = parameter(0.1, "m", "amplitude of the table", "chosen")
    omega: float = parameter(2.0 * np.pi, "rad/s", "frequency of the table", "chosen")


@parametric(MassTowerParameters, recommended=TWO_SECONDS)
def mass_tower(p: MassTowerParameters) -> LinearSystem:
    """Tower of n masses on a shaking table, with 3^n combinations of stick and slip (1.3).

    ===========  =========================================================================
    coordinates  ``x_1`` … ``x_n``, then ``y_1`` … ``y_n``, relative to the table (m)
    contacts     ``contact_1`` at the table … ``contact_n`` below the top mass; γ_T is the
                 velocity of the mass above
    source       Pfeiffer & Glocker, section 1.3, Fig. 1.4; all numbers except n = 10 chosen
    ===========  =========================================================================

    The table is at A cos ω t, so m A ω² cos ω t acts on every mass. With the same friction
    coefficient everywhere and c = 0 all contacts reach their limit at the same instant.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    # Row i of `above` is the coordinate of mass i minus that of the mass below.
    above = np.eye(p.n) - np.eye(p.n, k=-1)
    zero = np.zeros(p.n)
    contacts = [
        Contact(
            w_N=np.concatenate([zero, row]),
            w_T=np.concatenate([row, zero]),
            law=ContactLaw(mu=float(mu)),
            name=f"contact_{i + 1}",
        )
        for i, (row, mu) in enumerate(zip(above, np.linspace(p.mu, p.mu_top, p.n), strict=True))
    ]
    inertia = np.concatenate([np.full(p.n, p.m * p.amplitude * p.omega**2), zero])
    system = LinearSystem(
        p.m * np.eye(2 * p.n),
        np.diag(np.concatenate([np.full(p.n, p.c), zero])),
        force=Force(
            constant=np.concatenate([zero, np.full(p.n, -p.m * p.g)]),
            harmonics=[Harmonic(inertia, p.omega)],
        ),
        contacts=contacts,
        coordinates=[f"{axis}_{i + 1}" for axis in "xy" for i in range(p.n)],
        coordinate_units=["m"] * (2 * p.n),
        initial_state=State(0.0, np.zeros(2 * p.n), np.zeros(2 * p.n)),
    )
    system.scene = stack_scene(
        [f"mass_{i + 1}" for i in range(p.n)], lambda q, i: (q[i], q[p.n + i]), height=0.04
    )
    return system

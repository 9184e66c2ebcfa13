"""A pinion at constant speed and a gear that rattles in the backlash."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nsmb.gears import Gear, GearPair
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.gears._wheels import (
    add_wheel,
    elastic_teeth,
    inertia_of_teeth,
    teeth_parameter,
)

__all__ = ["SpurGearsWithBacklashParameters", "spur_gears_with_backlash"]

_PRINTED = "printed: Ebrahimi (2007), table 7.2"
_THESIS = "printed: Ebrahimi (2007), section 7.3, second example"
_MISSING = "chosen: the source does not say"
# The gear starts from rest under a force that grows from zero, which gives no error scale.
_METHOD = EventDriven(atol=1e-12)


@dataclass(frozen=True, kw_only=True)
class SpurGearsWithBacklashParameters(Parameters):
    """Data of the gears."""

    omega_1: float = parameter(0.5, "rad/s", "pinion", _THESIS)
    z_1: int = parameter(14, "1", "teeth of the pinion", _PRINTED, positive=True)
    z_2: int = parameter(39, "1", "teeth of the gear", _PRINTED, positive=True)
    m_n: float = parameter(0.005, "m", "module", _PRINTED, positive=True)
    alpha_n: float = parameter(math.radians(20.0), "rad", "pressure angle", _PRINTED)
    addendum: float = parameter(1.0, "-", "of the module", _PRINTED, positive=True)
    dedendum: float = parameter(1.05, "-", "of the module", _PRINTED, positive=True)
    b: float = parameter(0.02, "m", "width", _PRINTED, positive=True)
    I_1: float = parameter(0.367e-3, "kg m²", "pinion, which is driven", _PRINTED, positive=True)
    I_2: float = parameter(2.214e-2, "kg m²", "gear", _PRINTED, positive=True)
    E: float = parameter(2.1e11, "N/m²", "Young's modulus", _PRINTED, positive=True)
    s: float = parameter(1.0, "-", "shape factor", _PRINTED, positive=True)
    k: float = parameter(0.8, "-", "c_min/c_max", _PRINTED)
    backlash: float = parameter(
        0.008, "-", "backlash normal to the flanks, of the module", _PRINTED
    )
    K_e: float = parameter(
        5.6e7, "N/m", "spring of a tooth; 3.6e9 in set 2", _THESIS, positive=True
    )
    D_e: float = parameter(1e4, "N s/m", "damper of a tooth; 1e5 in set 2", _THESIS, least=0.0)
    m_th: float | None = parameter(
        None, "kg", "tooth that moves; left out: of steel, beyond the root circle", _MISSING,
        positive=True,
    )  # fmt: skip
    D: float = parameter(2e3, "N s/m", "damping of a pair of teeth", f"{_MISSING}; 7 % of critical")
    transition: float = parameter(1e-7, "m", "depth within which it grows", _MISSING)
    teeth: int | str = teeth_parameter()


@parametric(SpurGearsWithBacklashParameters, recommended=Recommended(_METHOD, t_end=0.1))
def spur_gears_with_backlash(p: SpurGearsWithBacklashParameters) -> MultibodySystem:
    """Pinion at constant speed that drives a gear from rest, with alternating flanks.

    ===========  =========================================================================
    coordinates  ``phi_2`` (rad), anticlockwise; the pinion rotates by ω_1 t
    modes        ``mesh.left``, ``mesh.right``: flanks touch
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 7.3, second example
    ===========  =========================================================================

    At the start the gear is at rest in the middle of its backlash, and it is not loaded. The pinion
    is undercut: its path of contact ends where the line of action touches its base circle. Damping
    of flanks and mass of teeth are not given in the source.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the gears are not valid.
    """
    one = Gear(
        z=p.z_1, m_n=p.m_n, alpha_n=p.alpha_n, addendum=p.addendum, dedendum=p.dedendum,
        width=p.b, E=p.E,
    )  # fmt: skip
    word = p.choice("teeth")
    massless = word in ("quasi-static", "static")
    pair = GearPair(
        gear_1=one, gear_2=one.mate(p.z_2), backlash=p.backlash, shape=p.s, stiffness_ratio=p.k,
        damping=0.0 if massless else p.D, transition=p.transition,
    )  # fmt: skip
    teeth = elastic_teeth(word, p.K_e, p.D_e, p.m_th)
    phases = pair.phases(flank="middle")
    m = Model(gravity=(0.0, 0.0), name="spur_gears_with_backlash")
    gears = ((one, p.I_1), (pair.gear_2, p.I_2))
    bodies = [
        add_wheel(
            m, f"gear_{k + 1}", gear, inertia, phases[k], inertia_of_teeth(pair, k == 0, teeth)
        )
        for k, (gear, inertia) in enumerate(gears)
    ]
    drive = np.polynomial.Polynomial([0.0, p.omega_1])
    m.add_joint("phi_1", joints.Revolute(), m.ground, bodies[0], motion=drive)
    m.add_joint("phi_2", joints.Revolute(), m.ground, bodies[1], at=(pair.a_w, 0.0))
    spins = (p.omega_1, 0.0)
    m.add_gear_pair("mesh", bodies[0], bodies[1], pair, phases=phases, teeth=teeth, spins=spins)
    return m.build()

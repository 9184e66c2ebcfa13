"""Impact between one pair of teeth of two equal gears."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nsmb.gears import Gear, GearPair
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.gears._wheels import (
    add_wheel,
    elastic_teeth,
    inertia_of_teeth,
    teeth_parameter,
)

__all__ = ["SpurGearsParameters", "spur_gears"]

_PRINTED = "printed: Ebrahimi (2007), table 7.1"
_THESIS = "printed: Ebrahimi (2007), section 7.3, first example"
_MISSING = "chosen: the source does not say"


@dataclass(frozen=True, kw_only=True)
class SpurGearsParameters(Parameters):
    """Data of the gears."""

    omega_1: float = parameter(1.745, "rad/s", "gear 1; gear 2 is at rest", _THESIS)
    z: int = parameter(97, "1", "teeth of both gears", _PRINTED, positive=True)
    x: float = parameter(0.0, "-", "profile shift", _PRINTED)
    m_n: float = parameter(0.006, "m", "module", _PRINTED, positive=True)
    alpha_n: float = parameter(math.radians(20.0), "rad", "pressure angle", _PRINTED)
    addendum: float = parameter(1.0, "-", "of the module", _PRINTED, positive=True)
    dedendum: float = parameter(1.0315, "-", "of the module", _PRINTED, positive=True)
    b: float = parameter(0.05, "m", "width", _PRINTED, positive=True)
    I_1: float = parameter(2.27, "kg m²", "gear 1", _PRINTED, positive=True)
    I_2: float = parameter(4.1, "kg m²", "gear 2", _PRINTED, positive=True)
    E: float = parameter(2.1e11, "N/m²", "Young's modulus", _PRINTED, positive=True)
    s: float = parameter(0.85, "-", "shape factor", _PRINTED, positive=True)
    k: float = parameter(0.8, "-", "c_min/c_max", _PRINTED)
    K_e: float = parameter(2e9, "N/m", "spring of a tooth", _THESIS, positive=True)
    D_e: float = parameter(2e5, "N s/m", "damper of a tooth", _THESIS, least=0.0)
    m_th: float | None = parameter(
        None, "kg", "tooth that moves; left out: of steel, beyond the root circle", _MISSING,
        positive=True,
    )  # fmt: skip
    D: float = parameter(0.0, "N s/m", "damping of a pair of teeth", _MISSING)
    xi: float = parameter(
        0.0, "m", "first touch, on the path of contact from the pitch point", _MISSING
    )
    teeth: int | str = teeth_parameter()


@parametric(SpurGearsParameters, recommended=Recommended(t_end=1e-3))
def spur_gears(p: SpurGearsParameters) -> MultibodySystem:
    """Two equal spur gears in which the left flanks of one pair of teeth collide.

    ===========  =========================================================================
    coordinates  ``phi_1``, ``phi_2`` (rad), both anticlockwise
    modes        ``mesh.left``: flanks touch
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 7.3, first example
    ===========  =========================================================================

    Right flanks do not touch. Elastic teeth are stiff: use the integrator ``cvode``. Mass of a
    tooth, damping of the flanks and position on the path of contact are not given in the source.
    Inertias are those of whole gears, including the teeth.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the gears are not valid.
    """
    one = Gear(
        z=p.z, x=p.x, m_n=p.m_n, alpha_n=p.alpha_n, addendum=p.addendum, dedendum=p.dedendum,
        width=p.b, E=p.E,
    )  # fmt: skip
    pair = GearPair(
        gear_1=one, gear_2=one.mate(p.z), shape=p.s, stiffness_ratio=p.k, damping=p.D,
        flanks=("left",),
    )  # fmt: skip
    teeth = elastic_teeth(p.choice("teeth"), p.K_e, p.D_e, p.m_th)
    phases = pair.phases(xi=p.xi)
    m = Model(gravity=(0.0, 0.0), name="spur_gears")
    bodies = []
    for k, inertia in enumerate((p.I_1, p.I_2)):
        moving = inertia_of_teeth(pair, k == 0, teeth)
        body = add_wheel(m, f"gear_{k + 1}", one, inertia, phases[k], moving)
        m.add_joint(f"phi_{k + 1}", joints.Revolute(), m.ground, body, at=(k * pair.a_w, 0.0))
        bodies.append(body)
    spins = (p.omega_1, 0.0)
    m.add_gear_pair("mesh", bodies[0], bodies[1], pair, phases=phases, teeth=teeth, spins=spins)
    return m.build(velocities={"phi_1": p.omega_1})

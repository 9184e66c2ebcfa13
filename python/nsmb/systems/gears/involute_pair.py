"""A driven pair of spur gears with backlash, rigid involute flanks: example 2 of Ebrahimi."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nsmb.multibody import MultibodySystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.gears.involute_gears import driven_pair, mesh_of

__all__ = ["InvolutePairParameters", "involute_pair"]

_TABLE = "printed: Ebrahimi, table 7.2"


@dataclass(frozen=True, kw_only=True)
class InvolutePairParameters(Parameters):
    """Data of the pair."""

    z_1: int = parameter(14, "-", "teeth of the driving gear", _TABLE)
    z_2: int = parameter(39, "-", "teeth of the driven gear", _TABLE)
    m: float = parameter(5e-3, "m", "normal module", _TABLE, positive=True)
    alpha: float = parameter(
        math.radians(20.0), "rad", "normal pressure angle", _TABLE, positive=True
    )
    x_1: float = parameter(0.0, "-", "profile shift of the driving gear", "chosen: none is printed")
    x_2: float = parameter(0.0, "-", "profile shift of the driven gear", "chosen: none is printed")
    h_a: float = parameter(1.0, "-", "addendum coefficient", _TABLE, positive=True)
    h_f: float = parameter(1.05, "-", "dedendum coefficient", _TABLE, positive=True)
    b_n: float = parameter(
        0.008, "-", "normal backlash factor: backlash along the line of action in modules",
        f"{_TABLE}; chosen: reference length of the factor", positive=True,
    )  # fmt: skip
    a: float | None = parameter(
        None, "m", "distance of the axes; left out: that of teeth without backlash", "chosen",
        positive=True,
    )  # fmt: skip
    I_2: float = parameter(
        2.214e-2, "kg m²", "moment of inertia of the driven gear", _TABLE, positive=True
    )
    omega_1: float = parameter(0.5, "rad/s", "constant speed of the driving gear", _TABLE)
    T_2: float = parameter(0.0, "N m", "torque on the driven gear against the driver", "chosen")
    d_2: float = parameter(0.0, "N m s", "damping of the driven gear", "chosen", least=0.0)
    e_N: float = parameter(0.5, "-", "restitution of all flanks", "chosen: no damping is printed")
    mu: float = parameter(0.0, "-", "friction coefficient of the flanks", _TABLE)


# 0.9 s per tooth
@parametric(InvolutePairParameters, recommended=Recommended(t_end=2.0))
def involute_pair(p: InvolutePairParameters) -> MultibodySystem:
    """Pair of spur gears with backlash, whose flanks are set-valued contacts of exact involutes.

    ===========  =========================================================================
    coordinates  ``phi_2`` (rad) of the driven gear, at rest in the middle of its backlash
    contacts     ``flanks[0]``, ``flanks[1]``, ...: flanks in mesh, working and rear ones
    source       Ebrahimi, section 7.3, table 7.2; restitution and start chosen
    ===========  =========================================================================

    The thesis has elastic flanks. Here flanks are rigid, and impacts are instantaneous. Gear 1
    rotates counter-clockwise, and gear 2 in the opposite direction: in contact, ω_2 = -ω_1 z_1/z_2
    to rounding. Thinner teeth of gear 2 give the backlash. The flanks of the driving gear end at
    its base circle, which shortens the path of contact.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the gears do not mesh.
    """
    from numpy.polynomial import Polynomial

    mesh = mesh_of(
        z_1=p.z_1, z_2=p.z_2, m=p.m, alpha=p.alpha, x_1=p.x_1, x_2=p.x_2, h_a=p.h_a, h_f=p.h_f,
        play=p.b_n * p.m, distance=p.a,
    )  # fmt: skip
    return driven_pair(
        mesh,
        Polynomial([0.0, p.omega_1]),
        start=0.0,
        I_2=p.I_2,
        law=ContactLaw(e_N=p.e_N, mu=p.mu),
        d_2=p.d_2,
        T_2=p.T_2,
        speed_2=0.0,
    )

"""One-stage rattling between the flanks of two involute gears, after section 12.1."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nsmb.multibody import MultibodySystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.gears.involute_gears import driven_pair, mesh_of

__all__ = ["InvoluteRattleParameters", "involute_rattle"]

_BOOK = "Pfeiffer & Glocker, section 12.1"
_SIZE = "chosen: size of a passenger car's gearbox"
_Z_1, _Z_2, _MODULE, _ALPHA = 23, 37, 2.5e-3, math.radians(20.0)
_INERTIA, _PLAY, _OMEGA = 1e-3, 1e-4, 2.0 * math.pi * 50.0
_R_1, _R_2 = (0.5 * _MODULE * z * math.cos(_ALPHA) for z in (_Z_1, _Z_2))


@dataclass(frozen=True, kw_only=True)
class InvoluteRattleParameters(Parameters):
    """Data of the pair; the defaults give α = 1.4, β = γ = 0.1 of :func:`gear_rattling`."""

    z_1: int = parameter(_Z_1, "-", "teeth of the driving gear", _SIZE)
    z_2: int = parameter(_Z_2, "-", "teeth of the loose gear", _SIZE)
    m: float = parameter(_MODULE, "m", "module", _SIZE, positive=True)
    alpha: float = parameter(_ALPHA, "rad", "pressure angle of the rack", _SIZE, positive=True)
    v: float = parameter(_PLAY, "m", "backlash along the line of action", _SIZE, positive=True)
    A: float = parameter(
        1.4 * _PLAY / _R_1, "rad", "amplitude of the driving gear",
        f"derived: α = A r_b1/v = 1.4, {_BOOK}",
    )  # fmt: skip
    omega: float = parameter(_OMEGA, "rad/s", "frequency of the driving gear", _SIZE, positive=True)
    I: float = parameter(_INERTIA, "kg m²", "inertia of the loose gear", _SIZE, positive=True)
    d: float = parameter(
        0.1 * _INERTIA * _OMEGA, "N m s", "damping of the loose gear",
        f"derived: β = d/(I ω) = 0.1, {_BOOK}", least=0.0)  # fmt: skip
    T: float = parameter(
        0.1 * _INERTIA * _OMEGA**2 * _PLAY / _R_2, "N m", "drag moment of the loose gear",
        f"derived: γ = T r_b2/(I ω² v) = 0.1, {_BOOK}",
    )  # fmt: skip
    e: float = parameter(0.9, "-", "restitution of all flanks", _BOOK)
    mu: float = parameter(0.0, "-", "friction coefficient of the flanks", f"{_BOOK}: none")


# ten periods of the driving gear
@parametric(InvoluteRattleParameters, recommended=Recommended(t_end=0.2))
def involute_rattle(p: InvoluteRattleParameters) -> MultibodySystem:
    """Loose gear that rattles between the involute flanks of the driving gear.

    ===========  =========================================================================
    coordinates  ``phi_2`` (rad) of the loose gear; the driving gear rotates by A sin ωt
    contacts     ``flanks[0]``, ``flanks[1]``, ...: flanks in mesh, working and rear ones
    source       Pfeiffer & Glocker, section 12.1, (12.14); gears and start chosen
    ===========  =========================================================================

    Gaps between involutes are linear in the angles. For any teeth in mesh, this system is therefore
    :func:`gear_rattling` with the amplitude r_b1 A: α = r_b1 A/v, β = d/(I ω), γ = T r_b2/(I ω² v),
    s = (r_b1 φ_1 + r_b2 (φ_2 - φ_2(0)))/v - 1/2.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the gears do not mesh.
    """
    mesh = mesh_of(
        z_1=p.z_1, z_2=p.z_2, m=p.m, alpha=p.alpha, x_1=0.0, x_2=0.0, h_a=1.0, h_f=1.25,
        play=p.v,
    )  # fmt: skip
    return driven_pair(
        mesh,
        _Swing(p.A, p.omega),
        start=0.0,
        I_2=p.I,
        law=ContactLaw(e_N=p.e, mu=p.mu),
        d_2=p.d,
        T_2=p.T,
        speed_2=mesh.ratio * p.A * p.omega,
    )


@dataclass(frozen=True)
class _Swing:
    """The prescribed rotation φ_1(t) with its derivatives."""

    A: float
    omega: float

    def __call__(self, t: float) -> tuple[float, float, float]:
        s, c = math.sin(self.omega * t), math.cos(self.omega * t)
        return self.A * s, self.A * self.omega * c, -self.A * self.omega**2 * s

"""Ready-made gearboxes that rattle: section 12.1 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb.system import LinearSystem
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import NEWTON
from nsmb.systems.gears.gear_train import DriveWheel, GearTrain, LooseWheel

__all__ = [
    "GearboxBranchedParameters",
    "GearboxTwoStageParameters",
    "gearbox_branched",
    "gearbox_two_stage",
]

_CHOSEN = "chosen: near the normalised data of Pfeiffer & Glocker, fig. 12.3"
_SIZE = "chosen: size of a car's gearbox"


@dataclass(frozen=True, kw_only=True)
class GearboxTwoStageParameters(Parameters):
    """Data of two stages; the book has none. Stage 1 alone: α = 1.5, β = 0.1, γ = 0.1."""

    A: float = parameter(5e-3, "rad", "amplitude of the drive", _CHOSEN)
    omega: float = parameter(300.0, "rad/s", "frequency of the drive", _SIZE)
    r_e: float = parameter(0.03, "m", "base radius of the drive", _SIZE)
    I_1: float = parameter(1e-3, "kg m²", "moment of inertia of wheel 1", _SIZE)
    I_2: float = parameter(1e-3, "kg m²", "moment of inertia of wheel 2", _SIZE)
    r_1: float = parameter(0.04, "m", "base radius of wheel 1, both meshes", _SIZE)
    r_2: float = parameter(0.04, "m", "base radius of wheel 2", _SIZE)
    v_1: float = parameter(1e-4, "m", "backlash of mesh 1", _SIZE)
    v_2: float = parameter(1e-4, "m", "backlash of mesh 2", _SIZE)
    d_1: float = parameter(0.03, "N m s", "damping of wheel 1", _CHOSEN)
    d_2: float = parameter(0.03, "N m s", "damping of wheel 2", _CHOSEN)
    T_1: float = parameter(0.0225, "N m", "drag moment of wheel 1", _CHOSEN)
    T_2: float = parameter(0.0225, "N m", "drag moment of wheel 2", _CHOSEN)
    e: float = parameter(0.9, "-", "restitution of all flanks", _CHOSEN)


# (12.8) where several meshes are closed
@parametric(GearboxTwoStageParameters, recommended=NEWTON)
def gearbox_two_stage(p: GearboxTwoStageParameters) -> LinearSystem:
    """Two loose wheels in a chain, which rattle behind a drive (12.1).

    ===========  =========================================================================
    coordinates  ``s_1``, ``s_2``, plays of the meshes, in [-v, 0] (m)
    contacts     ``1.driving``, ``1.driven``, ``2.driving``, ``2.driven`` flanks
    source       Pfeiffer & Glocker, section 12.1; all numbers and the start chosen
    ===========  =========================================================================

    Raises
    ------
    ValueError
        For an unknown parameter or a value out of range.
    """
    train = GearTrain(
        DriveWheel(p.A, p.omega, p.r_e),
        [
            LooseWheel("1", p.I_1, p.r_1, p.v_1, p.e, p.d_1, p.T_1),
            LooseWheel("2", p.I_2, p.r_2, p.v_2, p.e, p.d_2, p.T_2, parent="1"),
        ],
    )
    return train._system()


@dataclass(frozen=True, kw_only=True)
class GearboxBranchedParameters(Parameters):
    """Data of a gearbox in direct gear; the book shows it (fig. 12.1) and gives no number."""

    A: float = parameter(5e-3, "rad", "amplitude of the drive", _CHOSEN)
    omega: float = parameter(300.0, "rad/s", "frequency of the drive", _SIZE)
    r_e: float = parameter(0.03, "m", "base radius of the drive, constant mesh", _SIZE)
    r_counter: float = parameter(0.045, "m", "countershaft in the constant mesh", _SIZE)
    R_first: float = parameter(0.018, "m", "countershaft in the mesh of first gear", _SIZE)
    r_first: float = parameter(0.055, "m", "loose wheel of first gear", _SIZE)
    R_third: float = parameter(0.032, "m", "countershaft in the mesh of third gear", _SIZE)
    r_third: float = parameter(0.042, "m", "loose wheel of third gear", _SIZE)
    R_idler: float = parameter(0.018, "m", "countershaft in the mesh of the idler", _SIZE)
    r_idler: float = parameter(0.025, "m", "idler of reverse gear, both meshes", _SIZE)
    r_reverse: float = parameter(0.055, "m", "loose wheel of reverse gear", _SIZE)
    I_counter: float = parameter(2e-3, "kg m²", "moment of inertia of the countershaft", _SIZE)
    I_first: float = parameter(2e-3, "kg m²", "first gear", _SIZE)
    I_third: float = parameter(1e-3, "kg m²", "third gear", _SIZE)
    I_idler: float = parameter(2e-4, "kg m²", "idler", _SIZE)
    I_reverse: float = parameter(2e-3, "kg m²", "reverse gear", _SIZE)
    v: float = parameter(1e-4, "m", "backlash of all meshes", _SIZE)
    e: float = parameter(0.9, "-", "restitution of all flanks", _CHOSEN)
    beta: float = parameter(0.1, "-", "damping d/(I ω) of all wheels", _CHOSEN)
    T: float = parameter(0.02, "N m", "drag moment of all wheels", _CHOSEN)


@parametric(GearboxBranchedParameters, recommended=NEWTON)
def gearbox_branched(p: GearboxBranchedParameters) -> LinearSystem:
    """Gearbox in direct gear: countershaft, two loose wheels and reverse gear rattle (12.1).

    ===========  =========================================================================
    coordinates  ``s_counter`` constant mesh, ``s_first``, ``s_third``, ``s_idler``,
                 ``s_reverse``: plays of the meshes, in [-v, 0] (m)
    contacts     ``counter.driving``, ``counter.driven``, and so on
    source       Pfeiffer & Glocker, section 12.1, fig. 12.1: one, two and three stages; all
                 numbers and the start chosen
    ===========  =========================================================================

    Raises
    ------
    ValueError
        For an unknown parameter or a value out of range.
    """

    def wheel(name: str, I: float, r: float, parent: str | None, R: float | None) -> LooseWheel:
        return LooseWheel(name, I, r, p.v, p.e, p.beta * I * p.omega, p.T, parent, R)

    train = GearTrain(
        DriveWheel(p.A, p.omega, p.r_e),
        [
            wheel("counter", p.I_counter, p.r_counter, None, None),
            wheel("first", p.I_first, p.r_first, "counter", p.R_first),
            wheel("third", p.I_third, p.r_third, "counter", p.R_third),
            wheel("idler", p.I_idler, p.r_idler, "counter", p.R_idler),
            wheel("reverse", p.I_reverse, p.r_reverse, "idler", None),
        ],
    )
    return train._system()

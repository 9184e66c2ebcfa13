"""Ready-made gearboxes that rattle: section 12.1 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb.gears.rattling import DriveWheel, LooseWheel, RattlingTrain
from nsmb.system import LinearSystem
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import NEWTON
from nsmb.systems.gears.gearbox_wheels import GEARBOX_CHOSEN, GEARBOX_SIZE, GearboxWheels

__all__ = [
    "GearboxBranchedParameters",
    "GearboxTwoStageParameters",
    "gearbox_branched",
    "gearbox_two_stage",
]


@dataclass(frozen=True, kw_only=True)
class GearboxTwoStageParameters(Parameters):
    """Data of two stages; the book has none. For stage 1 alone, α = 1.5, β = 0.1, γ = 0.1."""

    A: float = parameter(5e-3, "rad", "amplitude of the drive", GEARBOX_CHOSEN)
    omega: float = parameter(300.0, "rad/s", "frequency of the drive", GEARBOX_SIZE)
    r_e: float = parameter(0.03, "m", "base radius of the drive", GEARBOX_SIZE)
    I_1: float = parameter(1e-3, "kg m²", "moment of inertia of wheel 1", GEARBOX_SIZE)
    I_2: float = parameter(1e-3, "kg m²", "moment of inertia of wheel 2", GEARBOX_SIZE)
    r_1: float = parameter(0.04, "m", "base radius of wheel 1, both meshes", GEARBOX_SIZE)
    r_2: float = parameter(0.04, "m", "base radius of wheel 2", GEARBOX_SIZE)
    v_1: float = parameter(1e-4, "m", "backlash of mesh 1", GEARBOX_SIZE)
    v_2: float = parameter(1e-4, "m", "backlash of mesh 2", GEARBOX_SIZE)
    d_1: float = parameter(0.03, "N m s", "damping of wheel 1", GEARBOX_CHOSEN)
    d_2: float = parameter(0.03, "N m s", "damping of wheel 2", GEARBOX_CHOSEN)
    T_1: float = parameter(0.0225, "N m", "drag moment of wheel 1", GEARBOX_CHOSEN)
    T_2: float = parameter(0.0225, "N m", "drag moment of wheel 2", GEARBOX_CHOSEN)
    e: float = parameter(0.9, "-", "restitution of all flanks", GEARBOX_CHOSEN)


# (12.8) if several meshes are closed
@parametric(
    GearboxTwoStageParameters,
    recommended=NEWTON,
    evaluations="nsmb.systems.gears.rattling_theory",
)
def gearbox_two_stage(p: GearboxTwoStageParameters) -> LinearSystem:
    """Two loose wheels in a chain that rattle behind a drive (12.1).

    ===========  =========================================================================
    coordinates  ``s_1``, ``s_2``, clearances of the meshes, in [-v, 0] (m)
    contacts     ``1.driving``, ``1.driven``, ``2.driving``, ``2.driven`` flanks
    source       Pfeiffer & Glocker, section 12.1; all numbers and the start chosen
    ===========  =========================================================================

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    train = RattlingTrain(
        DriveWheel(p.A, p.omega, p.r_e),
        [
            LooseWheel("1", p.I_1, p.r_1, p.v_1, p.e, p.d_1, p.T_1),
            LooseWheel("2", p.I_2, p.r_2, p.v_2, p.e, p.d_2, p.T_2, parent="1"),
        ],
    )
    return train._system()


@dataclass(frozen=True, kw_only=True)
class GearboxBranchedParameters(GearboxWheels):
    """Data of a gearbox with a drive of one frequency; the book gives no numbers."""

    A: float = parameter(5e-3, "rad", "amplitude of the drive", GEARBOX_CHOSEN)
    omega: float = parameter(300.0, "rad/s", "frequency of the drive", GEARBOX_SIZE, positive=True)


@parametric(GearboxBranchedParameters, recommended=NEWTON)
def gearbox_branched(p: GearboxBranchedParameters) -> LinearSystem:
    """Gearbox of five gears and reverse whose loose wheels rattle (12.1).

    ===========  =========================================================================
    coordinates  ``s_counter`` constant mesh, ``s_first``, ``s_third``, ``s_idler``,
                 ``s_reverse``: clearances of the meshes, in [-v, 0] (m); with loose="all" also
                 ``s_second``, ``s_fifth``
    contacts     ``counter.driving``, ``counter.driven``, and so on
    source       Pfeiffer & Glocker, section 12.1, fig. 12.1; all numbers and the start chosen
    ===========  =========================================================================

    In fourth gear, the direct gear, the countershaft is loose: forward gears rattle in two stages,
    reverse in three. In any other gear the countershaft is loaded and follows the drive. There is
    no ``s_counter`` then, forward gears rattle in one stage, reverse in two, and the engaged gear
    has no loose wheel. :func:`gearbox_run_up` is the same gearbox driven by an accelerating engine.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    return p.train(p.A, p.omega, p.omega)._system()

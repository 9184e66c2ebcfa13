"""A landing airplane and its undercarriages: Pfeiffer & Glocker, section 14.4."""

from __future__ import annotations

from nsmb.system import System
from nsmb.system.options import EventDriven
from nsmb.system.parametric import parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.machines.landing_gear_data import LandingGearParameters
from nsmb.systems.machines.landing_gear_equations import numbers, template
from nsmb.systems.machines.landing_gear_scene import landing_gear_scene

__all__ = ["LandingGearParameters", "landing_gear"]


@parametric(
    LandingGearParameters,
    recommended=Recommended(EventDriven(impact_law="newton"), 1.0),
    evaluations="nsmb.systems.machines.landing_gear_evaluation",
)
def landing_gear(p: LandingGearParameters) -> System:
    """Landing airplane with tyres, bending, and struts with two gas stages, friction and stops.

    ===========  =========================================================================
    coordinates  (14.33): ``x`` forwards, ``y`` downwards (m) and ``alpha``, nose up (rad), of the
                 fuselage; ``y_22``, ``y_23`` wheels of main and nose legs, downwards, zero where
                 the tyres touch (m); ``phi_2``, ``phi_3`` their rotation (rad); elastic: ``q_11``
                 to ``q_15`` fuselage, ``q_21``, ``q_22`` main legs, ``q_31``, ``q_32`` nose leg (m)
    contacts     ``main_lower``, ``main_upper``, ``nose_lower``, ``nose_upper``: stops of the
                 struts, inelastic; friction without gap in ``main_guide``, ``nose_guide``, with a
                 bound from the tyre forces, (14.87), (14.88)
    elements     ``main_strut``, ``main_tyre``, ``nose_strut``, ``nose_tyre`` with their modes
    source       Pfeiffer & Glocker, section 14.4, (14.33)-(14.92); speeds, pitch and numbers of
                 functions printed, all other data chosen
    ===========  =========================================================================

    At the start the main tyres touch the ground, the nose is in the air, the wheels are at rest and
    the struts are extended. There are two main legs. Forces and impulses of contacts are the sums
    for both. :func:`landing_gear.forces` returns the forces on one leg, and
    :func:`landing_gear.airframe` the matrices.

    Notes
    -----
    * Matrices are sums over mass elements with the Jacobians (14.54)-(14.58) of the straight
      airplane, linear in pitch and deformation as in the book. The result agrees with
      (14.50)-(14.52). Shape functions are the lowest modes of each body from cubic splines, free
      for the fuselage, clamped for the legs.
    * The friction of a guide needs F_R and F_Sp at the same instant. Both are functions of the
      state, so that the bound is known before the contact problem is solved. Stop and guide have
      the same direction. If both are closed, only their sum is determined.
    * The brakes M_B act as given from t_S on, even on a wheel that has come to rest.
    * If the gas volume vanishes, a run ends with a status that names the strut.
    * ``docs/systems/landing_gear.md`` compares the claims of the book with computed results.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range, for example legs that are not on the
        fuselage, or a high pressure that is not above the low one.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    system = template(bool(p.elastic)).with_parameters(**numbers(p))
    system.scene = landing_gear_scene(p)
    return system

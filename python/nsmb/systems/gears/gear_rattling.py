"""One-stage gear rattling: section 12.1 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.gears.rattling_scene import meshes_scene
from nsmb.system import Force, Harmonic, LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._recommended import POISSON
from nsmb.systems.gears.gear_rattling_map import GearRattlingMap

__all__ = ["GearRattlingParameters", "gear_rattling"]

_BOOK = "Pfeiffer & Glocker, section 12.1"


@dataclass(frozen=True, kw_only=True)
class GearRattlingParameters(Parameters):
    """Data of fig. 12.3 in normalised form; the figures vary `alpha`."""

    alpha: float = parameter(
        1.4, "-", "amplitude of the driving wheel: r_e A/v", f"chosen: four impacts, {_BOOK}"
    )
    beta: float = parameter(0.1, "-", "damping: d/(I ω)", _BOOK)
    gamma: float = parameter(0.1, "-", "drag moment: T_r r/(I ω² v)", _BOOK)
    e: float = parameter(0.9, "-", "restitution of both flanks", _BOOK)


# normalised time
@parametric(
    GearRattlingParameters,
    recommended=Recommended(POISSON.method, 40.0),
    evaluations="nsmb.systems.gears.rattling_theory",
)
def gear_rattling(p: GearRattlingParameters) -> LinearSystem:
    """Loose gear wheel that rattles in its backlash, one stage, normalised (12.14).

    ===========  =========================================================================
    coordinates  ``s``, clearance over backlash, in [-1, 0]; time is τ = ω t
    contacts     ``driving`` flank at s = 0, ``driven`` flank at s = -1
    source       Pfeiffer & Glocker, section 12.1, (12.14); start chosen
    ===========  =========================================================================

    In terms of the physical quantities of :class:`nsmb.gears.RattlingTrain`, α = r_e A/v, β = d/(I
    ω), γ = T_r r/(I ω² v). :func:`gear_rattling.impact_map` is the exact map of this wheel from
    impact to impact.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    # (12.14): s̈ + β ṡ = ë + β ė + γ with e = α sin τ.
    flank = ContactLaw(e_N=p.e)
    system = LinearSystem(
        [[1.0]],
        D=[[p.beta]],
        force=Force(
            constant=[p.gamma],
            # ë = -α sin τ = α cos(τ + π/2), β ė = α β cos τ
            harmonics=[Harmonic([p.alpha], 1.0, 0.5 * np.pi), Harmonic([p.alpha * p.beta], 1.0)],
        ),
        contacts=[
            Contact(w_N=[-1.0], law=flank, name="driving"),
            Contact(w_N=[1.0], gap=1.0, law=flank, name="driven"),
        ],
        coordinates=["s"],
        coordinate_units=["-"],
        # chosen: rest in the middle of the backlash
        initial_state=State(0.0, np.array([-0.5]), np.zeros(1)),
    )
    system.scene = meshes_scene(["wheel"], [1.0])
    return system


@gear_rattling.evaluation
def impact_map(
    alpha: float = 1.4, beta: float = 0.1, gamma: float = 0.1, e: float = 0.9
) -> GearRattlingMap:
    """Return the exact map of the wheel from impact to impact, (12.15) and (12.16).

    Parameters
    ----------
    alpha : float
        Amplitude of the driving wheel.
    beta : float
        Damping; 0 gives the undamped map (12.19) if `gamma` is 0, too.
    gamma : float
        Drag moment.
    e : float
        Restitution.

    Returns
    -------
    GearRattlingMap

    Raises
    ------
    ValueError
        If a number is not finite, ``beta < 0`` or ``e`` is outside [0, 1].

    Examples
    --------
    >>> import nsmb
    >>> impacts = nsmb.systems.gear_rattling.impact_map(alpha=3.0).iterate(0.0, -0.5, 0.0, 100)
    >>> impacts.status
    'finished'
    """
    return GearRattlingMap(alpha, beta, gamma, e)

"""How ready-made systems are run unless told otherwise: the law of the source, a telling time."""

from __future__ import annotations

from nsmb.system.options import EventDriven, Recommended

__all__ = ["recommended"]

_T_END = 2.0  # s
_NEWTON = EventDriven(impact_law="newton")

_RECOMMENDED = {
    # no friction in impacts, as in both sources
    "percussion_drill": Recommended(_NEWTON, _T_END),
    # (12.8) where several meshes are closed
    "gearbox_two_stage": Recommended(_NEWTON, _T_END),
    "gearbox_branched": Recommended(_NEWTON, _T_END),
    # Newton's law with Coulomb's friction in impacts, as in the source
    "slider_crank": Recommended(EventDriven(impact_law="moreau"), _T_END),
    # a thousand impacts per millisecond, most of them tiny; this leaves a hundred
    "electric_brush": Recommended(EventDriven(rest_velocity=1e-6), 0.01),
    # normalised time
    "gear_rattling": Recommended(t_end=40.0),
    "impact_oscillator": Recommended(t_end=60.0),
    "ship_turning_gear": Recommended(t_end=60.0),
}


def recommended(name: str) -> Recommended:
    """The method of the source and the end of the run for the system of that name."""
    return _RECOMMENDED.get(name, Recommended(t_end=_T_END))

"""Teeth that give way along the circumference."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb._core import gears as _gears
from nsmb.common.arguments import in_range, one_of, positive
from nsmb.gears.gear import Gear

__all__ = ["ElasticTeeth"]

_MOTIONS = ("dynamic", "quasi-static", "static")


@dataclass(frozen=True, kw_only=True)
class ElasticTeeth:
    """Spring and damper between each tooth and its gear, along the root circle (7.18).

    Raises
    ------
    ValueError
        For numbers out of range, and teeth without mass in a motion that needs damping.

    Examples
    --------
    Stiffness and damping are found with finite elements: a force at a tooth of a gear that is held,
    over its displacement and velocity.

    >>> from nsmb import gears
    >>> gears.ElasticTeeth(K=2e9, D=2e5).motion
    'dynamic'
    """

    K: float
    """N/m"""
    D: float = 0.0
    """N s/m"""
    mass: float | None = None
    """kg, of a tooth; None: what is beyond the root circle of its gear."""
    motion: str = "dynamic"
    """``dynamic``: (7.18), two states a tooth. ``quasi-static``: without mass, one state a tooth,
    its damper relaxes. ``static``: without mass and damper, no states, each pair of teeth in series
    with its two springs."""
    all_teeth: bool = True
    """False: states for teeth in and near the mesh alone. A tooth that has left it comes to rest
    for some pitches and hands its states to one that comes, the others are rigid."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "K", positive("K", self.K))
        object.__setattr__(self, "D", in_range("D", self.D, 0.0))
        one_of("motion", self.motion, _MOTIONS)
        if self.mass is not None:
            object.__setattr__(self, "mass", positive("mass", self.mass))
        if self.motion == "quasi-static":
            positive("D of quasi-static teeth", self.D)

    def mass_of(self, gear: Gear) -> float:
        """kg, of one tooth of a gear; 0 unless the motion is dynamic."""
        if self.motion != "dynamic":
            return 0.0
        return gear.tooth_mass if self.mass is None else self.mass

    def inertia_of(self, gear: Gear) -> float:
        """kg m², of all teeth of a gear, what its body has less."""
        return gear.z * self.mass_of(gear) * gear.r_d**2

    def stiffness_at_base(self, gear: Gear) -> float:
        """N/m, of a tooth along the line of action, K (r_d/r_b)²."""
        return self.K * (gear.r_d / gear.r_b) ** 2

    def _core_motion(self) -> _gears.Teeth:
        return {
            "dynamic": _gears.Teeth.Dynamic,
            "quasi-static": _gears.Teeth.Relaxing,
            "static": _gears.Teeth.Static,
        }[self.motion]

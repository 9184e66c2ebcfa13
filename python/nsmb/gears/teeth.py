"""Teeth that deflect along the circumference."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb._core import gears as _gears
from nsmb.common.arguments import in_range, one_of, positive
from nsmb.gears.gear import Gear

__all__ = ["ElasticTeeth"]

_MOTIONS = ("dynamic", "quasi-static", "static")


@dataclass(frozen=True, kw_only=True)
class ElasticTeeth:
    """A spring and a damper between each tooth and its gear, along the root circle (7.18).

    Raises
    ------
    ValueError
        If a number is out of range, or quasi-static teeth have no damping.

    Examples
    --------
    Stiffness and damping follow from a finite-element model: a force on a tooth of a fixed gear,
    divided by its displacement and velocity.

    >>> from nsmb import gears
    >>> gears.ElasticTeeth(K=2e9, D=2e5).motion
    'dynamic'
    """

    K: float
    """Stiffness, N/m."""
    D: float = 0.0
    """Damping, N s/m."""
    mass: float | None = None
    """Mass of a tooth in kg; by default the mass outside the root circle of its gear."""
    motion: str = "dynamic"
    """Model of the motion of the teeth.

    ``dynamic`` is (7.18), with two states per tooth. ``quasi-static`` has massless teeth with one
    state each, whose dampers relax. ``static`` has massless teeth without dampers and states: each
    pair of teeth is in series with its two springs."""
    all_teeth: bool = True
    """False for states only of teeth in and near the mesh; the others are rigid.

    A tooth that has left the mesh comes to rest over some pitches. It then passes its states to an
    approaching tooth."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "K", positive("K", self.K))
        object.__setattr__(self, "D", in_range("D", self.D, 0.0))
        one_of("motion", self.motion, _MOTIONS)
        if self.mass is not None:
            object.__setattr__(self, "mass", positive("mass", self.mass))
        if self.motion == "quasi-static":
            positive("D of quasi-static teeth", self.D)

    def mass_of(self, gear: Gear) -> float:
        """Return the mass of one tooth of a gear, kg; 0 unless the motion is dynamic."""
        if self.motion != "dynamic":
            return 0.0
        return gear.tooth_mass if self.mass is None else self.mass

    def inertia_of(self, gear: Gear) -> float:
        """Return the inertia of all teeth of a gear, to be subtracted from its body, kg m²."""
        return gear.z * self.mass_of(gear) * gear.r_d**2

    def stiffness_at_base(self, gear: Gear) -> float:
        """Return the stiffness of a tooth along the line of action, K (r_d/r_b)², N/m."""
        return self.K * (gear.r_d / gear.r_b) ** 2

    def _core_motion(self) -> _gears.Teeth:
        return {
            "dynamic": _gears.Teeth.Dynamic,
            "quasi-static": _gears.Teeth.Relaxing,
            "static": _gears.Teeth.Static,
        }[self.motion]

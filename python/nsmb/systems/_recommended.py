"""How ready-made systems are run unless told otherwise."""

from __future__ import annotations

from nsmb.system.options import EventDriven, Recommended

__all__ = ["NEWTON", "TWO_SECONDS"]

TWO_SECONDS = Recommended(t_end=2.0)
NEWTON = Recommended(EventDriven(impact_law="newton"), 2.0)

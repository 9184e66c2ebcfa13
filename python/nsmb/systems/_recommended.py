"""Recommended methods and end times of ready-made systems."""

from __future__ import annotations

from nsmb.system.options import EventDriven
from nsmb.system.recommended import Recommended
from nsmb.system.stepping_options import Midpoint

__all__ = ["NEWTON", "POISSON", "TWO_SECONDS", "in_steps"]

TWO_SECONDS = Recommended(t_end=2.0)
NEWTON = Recommended(EventDriven(impact_law="newton"), 2.0)
POISSON = Recommended(EventDriven(impact_law="poisson"), 2.0)


def in_steps(step: float, t_end: float, tol: float = 1e-8) -> Recommended:
    """Return a recommendation for models with `Model.collide`."""
    return Recommended(Midpoint(step, tol=tol), t_end)

"""Nonlinear dynamics: Poincaré maps, periodic orbits, bifurcations, basins, statistics."""

from __future__ import annotations

# Maps, sweeps and brute force.
from nsmb.analysis.sections import Crossing as Crossing
from nsmb.analysis.sections import Every as Every
from nsmb.analysis.sections import OnEvent as OnEvent
from nsmb.analysis.sections import Section as Section
from nsmb.analysis.sections import component as component
from nsmb.analysis.sections import crossing as crossing
from nsmb.analysis.sections import every as every
from nsmb.analysis.sections import on_event as on_event
from nsmb.analysis.sections import on_impact as on_impact
from nsmb.analysis.sections import state_names as state_names

__all__ = [
    "Crossing",
    "Every",
    "OnEvent",
    "Section",
    "component",
    "crossing",
    "every",
    "on_event",
    "on_impact",
    "state_names",
]

"""Nonlinear dynamics: Poincaré maps, periodic orbits, bifurcations, basins, statistics."""

from __future__ import annotations

# Figures.
from nsmb.analysis.plots import plot_basins as plot_basins
from nsmb.analysis.plots import plot_branch as plot_branch
from nsmb.analysis.plots import plot_contact_states as plot_contact_states
from nsmb.analysis.plots import plot_diagram as plot_diagram
from nsmb.analysis.plots import plot_histogram as plot_histogram
from nsmb.analysis.plots import plot_lyapunov as plot_lyapunov
from nsmb.analysis.plots import plot_multipliers as plot_multipliers
from nsmb.analysis.plots import plot_phase as plot_phase
from nsmb.analysis.plots import plot_poincare as plot_poincare

__all__ = [
    "plot_basins",
    "plot_branch",
    "plot_contact_states",
    "plot_diagram",
    "plot_histogram",
    "plot_lyapunov",
    "plot_multipliers",
    "plot_phase",
    "plot_poincare",
]

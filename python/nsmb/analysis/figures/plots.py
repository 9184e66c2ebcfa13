"""Figures for papers: what `nsmb.analysis` finds, drawn with Matplotlib.

Every function draws in the axes it is given, or in those of a new figure, and returns them; nothing
is shown or saved. Colours are told apart with any colour vision, lines and marks without colour,
too. Symbols are set by Matplotlib itself. Matplotlib is imported when a figure is made, not before.
"""

from __future__ import annotations

from nsmb.analysis.figures.plot_branches import plot_branch as plot_branch
from nsmb.analysis.figures.plot_branches import plot_multipliers as plot_multipliers
from nsmb.analysis.figures.plot_motion import plot_contact_states as plot_contact_states
from nsmb.analysis.figures.plot_motion import plot_histogram as plot_histogram
from nsmb.analysis.figures.plot_motion import plot_phase as plot_phase
from nsmb.analysis.figures.plot_motion import plot_poincare as plot_poincare
from nsmb.analysis.figures.plot_sweeps import plot_basins as plot_basins
from nsmb.analysis.figures.plot_sweeps import plot_diagram as plot_diagram
from nsmb.analysis.figures.plot_sweeps import plot_lyapunov as plot_lyapunov

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

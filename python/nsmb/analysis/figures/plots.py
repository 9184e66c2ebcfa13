"""Figures that the methods ``plot`` of results draw with Matplotlib.

Each function draws in the given axes, or in those of a new figure, and returns them. Figures are
neither shown nor saved. Colours are distinguishable with any colour vision, lines and markers even
without colour. Matplotlib is imported when a figure is made.
"""

from __future__ import annotations

from nsmb.analysis.figures.plot_branches import plot_branch as plot_branch
from nsmb.analysis.figures.plot_branches import plot_multipliers as plot_multipliers
from nsmb.analysis.figures.plot_motion import plot_poincare as plot_poincare
from nsmb.analysis.figures.plot_sweeps import plot_basins as plot_basins
from nsmb.analysis.figures.plot_sweeps import plot_diagram as plot_diagram

__all__ = ["plot_basins", "plot_branch", "plot_diagram", "plot_multipliers", "plot_poincare"]

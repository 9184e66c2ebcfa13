"""Analyses of many runs: bifurcation diagrams, basins, sets of initial states."""

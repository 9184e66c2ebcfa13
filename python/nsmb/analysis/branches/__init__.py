"""Branches over parameters by arclength: orbits, special points, curves of folds and doublings."""

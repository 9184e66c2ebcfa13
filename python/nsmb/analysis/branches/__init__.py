"""Arclength continuation: branches of orbits, special points, loci of folds and doublings."""

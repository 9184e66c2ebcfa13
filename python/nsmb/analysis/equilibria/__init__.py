"""Equilibria, sets of sticking equilibria, and their branches over a parameter."""

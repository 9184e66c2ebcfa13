"""Rest: equilibria, sets of sticking ones, their branches over a parameter."""

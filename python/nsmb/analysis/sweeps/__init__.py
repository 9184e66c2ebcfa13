"""Many runs: bifurcation diagrams, basins, sets of starts."""

"""Results of a run: samples, events, energies, tables, files, derivatives and checks."""

from nsmb.solution.solution import Solution as Solution

__all__ = ["Solution"]

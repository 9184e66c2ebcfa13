"""What a run leaves behind: samples, events, energies, tables, files, derivatives, checks."""

from nsmb.solution.solution import Solution as Solution

__all__ = ["Solution"]

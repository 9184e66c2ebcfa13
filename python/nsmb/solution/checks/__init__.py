"""Checks of the contact laws, the log and the energy of a run, row by row: `Solution.check`."""

from nsmb.solution.checks.book import SolutionCheck as SolutionCheck
from nsmb.solution.checks.book import Violation as Violation
from nsmb.solution.checks.check import check_solution as check_solution

__all__ = ["SolutionCheck", "Violation", "check_solution"]

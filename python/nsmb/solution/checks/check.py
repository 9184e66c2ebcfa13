"""The check of all rules for one solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nsmb.common.arguments import as_number
from nsmb.solution.checks.book import Book, SolutionCheck
from nsmb.solution.checks.energies import check_energy
from nsmb.solution.checks.impacts import check_impacts
from nsmb.solution.checks.log import check_log, check_order
from nsmb.solution.checks.motion import check_motion
from nsmb.solution.checks.samples import check_friction, check_samples

if TYPE_CHECKING:
    from nsmb.solution.energy import EnergyBalance
    from nsmb.solution.record import Record
from nsmb.system.options import EventDriven

__all__ = ["check_solution"]


def check_solution(
    solution: Record,
    balance: Callable[[], EnergyBalance],
    *,
    tolerance: float | None,
    energy: float | None,
    points: int,
) -> SolutionCheck:
    """Check a solution, see `Solution.check`."""
    if "step_status" in solution._data:
        raise ValueError(
            "check: must be called on a run with nsmb.EventDriven(...), got a run with "
            "nsmb.Midpoint(...). Use its step_residual and step_status, which measure how well "
            "it satisfies the contact laws."
        )
    usual = _usual(solution)
    given = {
        "tolerance": max(1e-6, usual) if tolerance is None else tolerance,
        "energy": max(1e-5, 10.0 * usual) if energy is None else energy,
    }
    for name, value in given.items():
        if not as_number(name, value) > 0.0:
            raise ValueError(f"{name}: expected a number > 0, got {value}")
    if isinstance(points, bool) or not isinstance(points, int) or points < 0:
        raise ValueError(f"points: expected an integer >= 0, got {points!r}")
    book = Book(solution, given["tolerance"])
    check_order(book)
    if solution.t.size == 0 or book.violations:
        return book.result()  # other rules cannot be evaluated if times are not in order
    check_samples(book)
    check_log(book)
    system = None if solution._has_parameters_set else solution._system_or_none
    if system is not None:
        check_friction(book, system)
        check_impacts(book, system)
        check_motion(book, system, points)
        check_energy(book, balance(), given["energy"])
    return book.result()


def _usual(solution: Record) -> float:
    """Return the usual error of a numerical integrator, 1000 times its tolerance; otherwise 0."""
    method, system = solution.method, solution._system_or_none
    if method is None:
        return 0.0
    if not isinstance(method, EventDriven):
        return 0.0
    linear = system is not None and system._core.is_linear
    closed_form = method.integrator == "linear_flow" or (method.integrator == "auto" and linear)
    return 0.0 if closed_form else 1e3 * float(method.in_force["rtol"])

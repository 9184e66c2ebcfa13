"""All checks of one run."""

from __future__ import annotations

import dataclasses
from typing import Any

from tests.campaign.body_check import CHECKS
from tests.campaign.case import IN_STEPS, Case
from tests.campaign.findings import Finding, Findings, tolerances
from tests.campaign.impacts import check_impacts
from tests.campaign.lagrange import Lagrangian
from tests.campaign.log import check_energy, check_log
from tests.campaign.machines import check_machines
from tests.campaign.reference import Linear
from tests.campaign.smooth import check_forces, check_gaps, check_reported, pieces, some

MOST_INTERVALS = 3000


def check(case: Case, sol: Any) -> Findings:
    """Return everything that is wrong with the run, up to the time it reached."""
    found = Findings()
    if sol.t.size == 0 or case.family in IN_STEPS:
        return found  # ended before its first sample, or has its own checks
    if case.family == "bodies":
        check_bodies(case, sol, found)
    else:
        check_rows(case, sol, found)
    check_own(sol, found)
    if not sol.success:  # the last instant could not be solved
        found = Findings(f for f in found if f.t < sol.t[-1])
    return found


def check_bodies(case: Case, sol: Any, found: Findings) -> None:
    tol = tolerances(sol, case.method, False)
    CHECKS[case.spec["kind"]](case.spec, sol, tol, case.method.get("impact_law", "poisson"), found)
    check_log(sol, tol, found)


def check_rows(case: Case, sol: Any, found: Findings) -> None:
    if case.spec.get("kind") == "machines":
        tol = tolerances(sol, case.method, False)
        check_machines(case.spec, sol, tol, found)
        return check_log(sol, tol, found)
    ref: Any = Lagrangian(case.spec) if case.family == "energies" else Linear(case.spec)
    # Spatial friction, callables and nonlinear systems are integrated numerically.
    closed_form = case.family == "linear" and not ref.switch_times
    tol = tolerances(sol, case.method, closed_form and "integrator" not in case.method)
    if (
        ref.switch_times and not case.spec["told"]
    ):  # an undeclared jump is integrated within the step tolerance
        tol = dataclasses.replace(tol, rtol=10.0 * tol.rtol)
    intervals = some(pieces(sol, ref.switch_times, ref.longest), MOST_INTERVALS)
    if len(intervals):
        check_gaps(ref, sol, intervals, tol, found)
        check_forces(ref, sol, intervals, tol, found)
    check_reported(ref, sol, tol, found)
    check_impacts(ref, sol, case.method.get("impact_law", "poisson"), tol, found)
    check_log(sol, tol, found)
    check_energy(ref, sol, tol, found)


def check_own(sol: Any, found: Findings) -> None:
    """Require that the public `Solution.check` finds nothing in a correct run."""
    for worst, count in sol.check().worst():
        what = f"Solution.check: {worst.rule}"
        found.append(
            Finding(what, worst.value, worst.tolerance, worst.t, f"{count} rows {worst.contact}")
        )

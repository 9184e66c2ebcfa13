"""Messages about a run that has reached its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nsmb.events.enums import StepStatus
from nsmb.system.base import System
from nsmb.system.method import Method
from nsmb.system.method_options import ImpactOptions
from nsmb.system.options import EventDriven
from nsmb.system.stepping_options import Hybrid, Midpoint, Stepping

if TYPE_CHECKING:
    from nsmb.solution.solution import Solution

__all__ = [
    "balance_message",
    "gain_message",
    "overlap_hint",
    "overlap_message",
    "unsolved_message",
]

# Allowed error of the balance as a multiple of rtol, because errors of steps accumulate.
_LOST = 1e4


def balance_message(solution: Solution, method: Method) -> str:
    """Return the text of an `EnergyBalanceWarning`, or "" if the energy balance closes.

    The balance is checked only with bilateral constraints, whose projections could remove energy.
    """
    if not isinstance(method, EventDriven):
        return ""  # the balance of a stepped run includes the errors of its steps
    if not solution.constraint_names or not solution.has_dense_output:
        return ""
    balance = solution.energy
    part = min(1e-2, max(1e-9, _LOST * method.in_force.get("rtol", 0.0)))
    if not balance.relative > part:
        return ""
    row = int(np.argmax(np.abs(balance.residual) > part * balance.turnover))
    worst = float(np.abs(balance.residual).max())
    names = ", ".join(repr(name) for name in solution.constraint_names)
    return (
        f"the energy balance has a residual of {worst:.3g} J of {balance.turnover[-1]:.3g} J "
        f"turned over at t = {balance.t[row]:.6g} s, with constraints {names}. See "
        "solution.energy. Compare with a smaller rtol, and check W and w_bar of constraints that "
        "are functions."
    )


def overlap_hint(error: ValueError) -> str:
    """Return the error message of the core about a start, with a remedy if bodies overlap."""
    hint = "; the bodies overlap there: move them apart, or change the sign of the gap"
    return f"{error}{hint if 'expected g_N' in str(error) else ''}"


def overlap_message(system: System, method: Method, t: float, q: ArrayLike) -> str:
    """Return a message about bodies that overlap, or "" if none do.

    Stepped runs cause penetrations that their next steps stop. For these runs only overlaps count
    that are too deep for contact detection."""
    if isinstance(method, Stepping):
        for name, depth in system.overlaps(t, q, beyond_skin=True).items():
            return (
                f"t = {t:.17g} s: the bodies of contact {name!r} overlap by at least {depth:.3g} "
                "m, which is too deep for contact detection. Use a smaller step, or nsmb.Hybrid."
            )
        return ""
    for name, depth in system.overlaps(t, q).items():
        if depth > 1e3 * method.start_tolerance:
            return (
                f"t = {t:.17g} s: the bodies of contact {name!r} overlap by at least {depth:.3g} "
                "m, because an impact has been missed. Look for a prescribed motion that jumps, "
                "or try a smaller max_step."
            )
    return ""


def unsolved_message(solution: Solution, method: Method) -> str:
    """Return the warning about steps whose impact was not solved; empty if there are none."""
    if not isinstance(method, Midpoint | Hybrid) or method.impact_law == "moreau":
        return ""
    if not solution.stats.get("missed_steps"):
        return ""
    unsolved = int(np.count_nonzero(solution.step_status == StepStatus.UNSOLVED))
    if unsolved == 0:
        return ""
    return (
        f"steps whose impact has no impulses: {unsolved} of {solution.stats['steps']}, with "
        f'impact_law="{method.impact_law}", which solves at most 400 rows of contacts together; '
        'remedy: use impact_law="moreau"'
    )


def gain_message(solution: Solution, method: Method) -> str:
    """Return the text of an `EnergyGainWarning`, or "" if no impact created energy."""
    gains = solution.stats["energy_gains"]
    if gains == 0 or not isinstance(method, ImpactOptions):
        return ""
    impact_law = method.impact_law
    if impact_law == "poisson":
        remedy = "give all contacts the same e_N"  # then T_E <= T_A (8.57)
    elif not isinstance(method, EventDriven):
        remedy = "give all contacts e_N = 0, or the same e_N without friction"
    else:
        remedy = 'use impact_law="poisson" with the same e_N for all contacts'
    largest = solution.stats["largest_energy_gain"]
    return (
        f"impacts that created energy: {gains}, the largest gain {largest:.3g} J, with "
        f'impact_law="{impact_law}"; remedy: {remedy}'
    )

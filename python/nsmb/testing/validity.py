"""Validation of a run against its own laws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from nsmb.system.options import EventDriven
from nsmb.testing.script import of_solution

if TYPE_CHECKING:
    from nsmb.solution.solution import Solution

__all__ = ["assert_valid"]


def assert_valid(
    solution: Solution,
    *,
    tol: float | None = None,
    points: int = 300,
    energy: Literal["conserved", "decreasing"] | None = None,
    finished: bool = True,
    method: EventDriven | None = None,
) -> None:
    """Raise AssertionError unless a run satisfies the contact laws and agrees with its events.

    The rules are those of :meth:`nsmb.Solution.check`: gaps, states, forces and friction at samples
    and between them; laws, momentum and energy of impacts; agreement of events and states; and the
    energy balance.

    Parameters
    ----------
    solution : Solution
        The run, with its `system`.
    tol : float, optional
        `tolerance` of :meth:`nsmb.Solution.check`.
    points : int
        Number of times to check in addition to the samples, and as many between events.
    energy : {"conserved", "decreasing"}, optional
        Requirement for the sum of kinetic energy, potential energy and losses in contacts.
        ``conserved``: the sum is constant. ``decreasing``: the sum does not increase, for systems
        with dampers. None: no requirement, for systems with drives and time-dependent loads. `tol`
        is relative to the largest kinetic energy plus the range of the potential energy.
    finished : bool
        Require that the run reached its end.
    method : EventDriven, optional
        Method of the run, for the script in the message; default ``solution.method``.

    Raises
    ------
    AssertionError
        If a rule is violated. The message has one line for each violated rule, and a script that
        repeats the run.
    ValueError
        If the system of the solution is not available, or if `energy` is given and the system does
        not define a potential energy.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import testing
    >>> sol = nsmb.simulate(nsmb.systems.woodpecker(), 0.3)
    >>> testing.assert_valid(sol)
    """
    _ = solution.system  # raises an error if it is not available
    if energy not in ("conserved", "decreasing", None):
        raise ValueError(f"energy: expected 'conserved', 'decreasing' or None, got {energy!r}")
    lines = []
    if finished and not solution.success:
        lines.append(f"status is {solution.status!r}: {solution.message}")
    result = solution.check(tolerance=tol, points=points)
    for worst, count in result.worst():
        where = f" at {worst.contact}" if worst.contact else ""
        lines.append(
            f"{worst.rule}: by {worst.value:.3g}, allowed {worst.tolerance:.3g}{where}; "
            f"{count} times, worst at t = {worst.t:.17g} s"
        )
    in_order = not any("t grows" in v.rule or "within" in v.rule for v in result.violations)
    if energy is not None and solution.t.size and in_order:
        lines += _energy(solution, energy, 1e-6 if tol is None else tol)
    if lines:
        text = "\n".join(f"  {line}" for line in lines)
        used = solution.method if method is None else method
        program = of_solution(solution, used if isinstance(used, EventDriven) else None)
        raise AssertionError(
            f"run of {solution.system_name} is not valid:\n{text}\n\nrepeat it with\n\n{program}"
        )


def _energy(
    solution: Solution, energy: Literal["conserved", "decreasing"], tol: float
) -> list[str]:
    """Check the sum of T + V + springs and all losses of contacts."""
    balance = solution.energy
    if np.isnan(balance.potential).any():
        raise ValueError(
            "energy: must be checked for a system with a potential energy, got a system without it"
        )
    total = balance.total + balance.friction_loss + balance.impact_loss
    swing = tol * (float(balance.kinetic.max() + np.ptp(balance.potential)) + 1e-9)
    settled = np.append(np.diff(solution.t) > 0.0, True)  # only the last row of each instant
    total, t = total[settled], solution.t[settled]
    if energy == "conserved":
        off, statement = np.abs(total - total[0]), "energy plus losses remain constant (J)"
    else:
        off, statement = np.diff(total, prepend=total[0]), "energy plus losses do not rise (J)"
    worst = int(np.argmax(off))
    if off[worst] <= swing:
        return []
    return [f"{statement}: {off[worst]:.3g}, allowed {swing:.3g}; at t = {t[worst]:.17g} s"]

"""A run against the laws it was computed with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nsmb.base_system import System
from nsmb.enums import ContactState, EventKind
from nsmb.options import EventDriven
from nsmb.testing.script import of_solution
from nsmb.testing.violations import Violations

if TYPE_CHECKING:
    from nsmb.solution import Solution

__all__ = ["assert_valid"]

Floats = NDArray[np.float64]
_OPEN, _STICK = int(ContactState.OPEN), int(ContactState.STICK)


def assert_valid(
    solution: Solution,
    *,
    tol: float = 1e-6,
    points: int = 300,
    energy: Literal["conserved", "decreasing"] | None = None,
    finished: bool = True,
    method: EventDriven | None = None,
) -> None:
    """Raise AssertionError unless a run satisfies the laws of contacts and its own log.

    Looked at are samples, events and, with dense output, `points` times besides:

    - no gap is negative; closed contacts are closed, do not separate, and stick or slip as their
      state says;
    - forces: λ_N >= 0, none where open, friction within its cone and never giving power;
    - impacts: ``M (u⁺ - u⁻) = W Λ``, no impulse pulls, friction within its cone, nothing approaches
      afterwards, the energies of the log are those of the velocities;
    - the log: in order, its states follow each other and are those of the samples;
    - friction losses never fall, and the energy balance, if asked for.

    Of contact points that come and go only what does not need to know which is which is looked at.

    Parameters
    ----------
    solution : Solution
        With its `system`.
    tol : float
        What is allowed, relative to 1 plus the largest coordinate (gaps, m), velocity (m/s), force
        and impulse of the run. A tolerance of the integrator of 1e-8 leaves about 1e-7.
    points : int
        Times besides the samples.
    energy : {"conserved", "decreasing"}, optional
        ``conserved``: kinetic and potential energy and what the log says was lost stay the same;
        ``decreasing``: they do not grow (dampers). None: not looked at (drives, loads in time).
    finished : bool
        Whether the run must have reached its end.
    method : EventDriven, optional
        Of the run, for the script in the message.

    Raises
    ------
    AssertionError
        With one line for each broken statement, and a script that repeats the run.
    ValueError
        If the solution does not know its system.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import testing
    >>> sol = nsmb.simulate(nsmb.systems.woodpecker(), 0.3)
    >>> testing.assert_valid(sol)
    """
    if solution.system is None:
        raise ValueError("solution: expected one that knows its system, got one without")
    found = Violations()
    if finished and not solution.success:
        t = solution.t[-1] if solution.t.size else np.nan
        found.judge(f"status is {solution.status!r}: {solution.message}", t, 1.0, 0.0)
    _check_order(solution, found)
    if solution.t.size and not found:
        _check_motion(solution, solution.system, tol, points, found)
        _check_forces(solution, solution.system, tol, found)
        _check_impacts(solution, solution.system, tol, found)
        _check_log(solution, tol, found)
        _check_energy(solution, solution.system, tol, energy, found)
    if found:
        lines = "\n".join(f"  {violation}" for violation in found)
        raise AssertionError(
            f"run of {solution.system_name} is not valid:\n{lines}\n\n"
            f"it is repeated by\n\n{of_solution(solution, method)}"
        )


def _sizes(solution: Solution, tol: float) -> tuple[float, float]:
    """What is allowed of a gap and of a velocity."""
    return (
        tol * (1.0 + float(np.abs(solution.q).max(initial=0.0))),
        tol * (1.0 + float(np.abs(solution.u).max(initial=0.0))),
    )


def _times(solution: Solution, points: int) -> Floats:
    """Samples, an even grid, and the middle between events that follow each other."""
    if not solution.has_dense_output or points == 0:
        return np.unique(solution.t)
    events = np.unique(solution.events.t)
    middle = 0.5 * (events[:-1] + events[1:])[:points]
    return np.unique(np.concatenate([solution.t, np.linspace(*solution.t_span, points), middle]))


def _tangents(system: System) -> list[slice]:
    """Columns of the tangential directions of each contact."""
    ends = np.cumsum([contact.tangents for contact in system.contacts]).tolist()
    return [slice(e - c.tangents, e) for e, c in zip(ends, system.contacts, strict=True)]


def _per_contact(system: System, values: Floats) -> Floats:
    """(m, nc) length of what has a column per tangential direction."""
    columns = [np.linalg.norm(values[:, own], axis=1) for own in _tangents(system)]
    return np.column_stack(columns) if columns else np.zeros((len(values), 0))


def _in_cone(system: System, values: Floats) -> Floats:
    """(m, nc) of friction; with elliptic bounds in units of the first direction."""
    scaled = np.array(values, dtype=np.float64)
    for own, contact in zip(_tangents(system), system.contacts, strict=True):
        if contact.tangents == 2 and contact.law.aspect > 0.0:
            scaled[:, own.stop - 1] /= contact.law.aspect
    return _per_contact(system, scaled)


def _check_motion(
    solution: Solution, system: System, tol: float, points: int, found: Violations
) -> None:
    gap, speed = _sizes(solution, tol)
    names = system.contact_names
    if solution.has_dense_output:
        times = _times(solution, points)
        here = solution.at(times)
        q, u, state = here.q, here.u, here.contact_state
    else:
        times, q, u, state = solution.t, solution.q, solution.u, solution.contact_state
    quantities = [
        system.contact_quantities(t, *y) for t, *y in zip(times.tolist(), q, u, strict=True)
    ]
    g_N, gamma_N, gamma_T = (
        np.array([values[key] for values in quantities]) for key in ("g_N", "gamma_N", "gamma_T")
    )
    has_gap = np.array([contact.is_unilateral for contact in system.contacts], dtype=bool)
    g_N = np.where(has_gap & np.isfinite(g_N), g_N, 0.0)
    found.judge("no gap is negative (m)", times, -g_N, gap, names)
    if solution.features.shape[1]:
        return
    closed = (state != _OPEN) & has_gap
    found.judge("closed contacts are closed (m)", times, np.where(closed, g_N, 0.0), gap, names)
    apart = np.where(closed, np.abs(gamma_N), 0.0)
    found.judge("closed contacts do not separate (m/s)", times, apart, speed, names)
    slip = _per_contact(system, gamma_T)
    rough = np.array([c.law.mu > 0.0 or not c.is_unilateral for c in system.contacts], dtype=bool)
    sticking = np.where((state == _STICK) & rough, slip, 0.0)
    found.judge("sticking contacts do not slip (m/s)", times, sticking, speed, names)
    first = np.column_stack(
        [gamma_T[:, own.start] for own in _tangents(system)] or [times[:, None]]
    )
    for value, sign in ((ContactState.SLIP_POSITIVE, -1.0), (ContactState.SLIP_NEGATIVE, 1.0)):
        wrong = np.where((state == value) & rough, sign * first, 0.0) if system.nc else 0.0 * first
        found.judge("contacts slip as their state says (m/s)", times, wrong, speed, names)


def _check_forces(solution: Solution, system: System, tol: float, found: Violations) -> None:
    t, names = solution.t, system.contact_names
    lambda_N, state = solution.lambda_N, solution.contact_state
    has_gap = np.array([contact.is_unilateral for contact in system.contacts], dtype=bool)
    size = tol * (1.0 + float(np.abs(lambda_N[np.isfinite(lambda_N)]).max(initial=0.0)))
    found.judge("forces are numbers", t, ~np.isfinite(lambda_N), 0.0, names)
    found.judge("no contact pulls (N)", t, np.where(has_gap, -lambda_N, 0.0), size, names)
    idle = np.where((state == _OPEN) & has_gap, np.abs(lambda_N), 0.0)
    found.judge("open contacts have no force (N)", t, idle, 0.0, names)
    mu = np.array([_largest_mu(contact.law) for contact in system.contacts])
    excess = _in_cone(system, solution.lambda_T) - mu * np.abs(lambda_N)
    found.judge("friction is within its cone (N)", t, np.where(has_gap, excess, 0.0), size, names)
    power = solution.lambda_T * solution.gamma_T
    given = np.column_stack([power[:, own].sum(axis=1) for own in _tangents(system)] or [0.0 * t])
    largest = 1.0 + float(np.abs(solution.gamma_T).max(initial=0.0))
    found.judge("friction gives no power (W)", t, given, size * largest, names or ("",))


def _largest_mu(law: Any) -> float:
    """A friction curve may rise above its value at rest; only a table tells where to."""
    curve = law.curve
    if curve is None:
        return float(law.mu)
    if hasattr(curve, "coefficients"):
        return float(max(curve.coefficients))
    return np.inf if curve.k > 0.0 else float(max(law.mu, curve.mu_d))


def _check_impacts(solution: Solution, system: System, tol: float, found: Violations) -> None:
    impacts = solution.events.of_kind(EventKind.IMPACT)
    names = system.contact_names
    mu = np.array([_largest_mu(contact.law) for contact in system.contacts])
    mu = np.where(np.isinf(mu), 0.0, mu)
    _, speed = _sizes(solution, tol)
    has_gap = np.array([contact.is_unilateral for contact in system.contacts], dtype=bool)
    for k in range(len(impacts)):
        t = float(impacts.t[k])
        M = system.mass_matrix(t, impacts.q[k])
        before, after = impacts.u_minus[k], impacts.u_plus[k]
        kinetic = 0.5 * before @ M @ before, 0.5 * after @ M @ after
        limit = tol * (1e-9 + kinetic[0] + kinetic[1])
        loss = float(impacts.energy_loss[k])
        found.judge(
            "energy_loss is that of the velocities (J)",
            t,
            abs(kinetic[0] - kinetic[1] - loss),
            limit,
        )
        work = impacts.work_N[k].sum() + impacts.work_T[k].sum()
        found.judge("work of the impulses is -energy_loss (J)", t, abs(work + loss), limit)
        Lambda_N, Lambda_T = impacts.Lambda_N[k], impacts.Lambda_T[k]
        size = tol * (1e-9 + np.abs(Lambda_N).max(initial=0.0))
        found.judge("no impulse pulls (N s)", t, -Lambda_N[None], size, names)
        excess = _in_cone(system, Lambda_T[None]) - mu * Lambda_N
        found.judge(
            "impulses are within the cone (N s)", t, np.where(has_gap, excess, 0.0), size, names
        )
        if solution.features.shape[1] or system.nb:
            continue
        kinematics = system.contact_kinematics(t, impacts.q[k], after)
        W_N, W_T = kinematics["W_N"], kinematics["W_T"]
        left = np.linalg.solve(M, M @ (after - before) - W_N @ Lambda_N - W_T @ Lambda_T)
        found.judge("M (u+ - u-) = W Lambda (m/s)", t, np.abs(left)[None], speed, ())
        is_last = k + 1 == len(impacts) or impacts.t[k + 1] > t
        touching = has_gap & (impacts.state_minus[k] != _OPEN) | impacts.contacts[k]
        approach = -(W_N.T @ after + kinematics["w_tilde_N"])
        if is_last and (solution.success or t < solution.t[-1]):
            found.judge(
                "nothing approaches after an impact (m/s)",
                t,
                np.where(touching, approach, 0.0)[None],
                speed,
                names,
            )


def _check_order(solution: Solution, found: Violations) -> None:
    """Nothing can be evaluated where this does not hold."""
    t, events = solution.t, solution.events.t
    found.judge("samples are in order (s)", t[1:], -np.diff(t), 0.0)
    found.judge("events are in order (s)", events[1:], -np.diff(events), 0.0)
    if t.size and not found:
        first, last = solution.t_span
        outside = np.maximum(first - events, events - last)
        found.judge("events are within the run (s)", events, outside, 0.0)


def _check_log(solution: Solution, tol: float, found: Violations) -> None:
    events, names = solution.events, solution.contact_names
    state = solution.contact_state[0]
    for k in range(len(events)):
        minus, plus = events.state_minus[k], events.state_plus[k]
        # The kinds of change of one instant are rows with the same two sides.
        again = (
            k > 0
            and events.t[k] == events.t[k - 1]
            and np.array_equal(minus, events.state_minus[k - 1])
            and np.array_equal(plus, events.state_plus[k - 1])
        )
        if not again and (k > 0 or events.t[k] > solution.t[0]):
            found.judge(
                "states of the log follow each other",
                events.t[k],
                (minus != state)[None],
                0.0,
                names,
            )
        state = plus
    if len(events):
        last = solution.contact_state[-1:] != state
        found.judge("the last states are those of the log", solution.t[-1], last, 0.0, names)
    if len(events) and solution.has_dense_output:
        gap, speed = _sizes(solution, tol)
        first = np.flatnonzero(np.diff(events.t, prepend=-np.inf) > 0.0)
        last_row = np.flatnonzero(np.diff(events.t, append=np.inf) > 0.0)
        if not solution.success:  # what an unfinished instant left behind is no motion
            whole = events.t[first] < solution.t[-1]
            first, last_row = first[whole], last_row[whole]
        t = events.t[first]
        found.judge(
            "places of the log are those of the motion (m)",
            t,
            np.abs(events.q[first] - solution.at(t).q),
            gap,
            solution.coordinates,
        )
        inner = t > solution.t[0]
        difference = np.abs(events.u_minus[first] - solution.at(t, "left").u)[inner]
        found.judge(
            "velocities before events are those of the motion (m/s)", t[inner], difference, speed
        )
        difference = np.abs(events.u_plus[last_row] - solution.at(t, "right").u)
        found.judge("velocities after events are those of the motion (m/s)", t, difference, speed)


def _check_energy(
    solution: Solution,
    system: System,
    tol: float,
    energy: Literal["conserved", "decreasing"] | None,
    found: Violations,
) -> None:
    t = solution.t
    friction = solution.friction_loss.sum(axis=1)
    size = tol * (1e-9 + float(np.abs(friction).max(initial=0.0)))
    found.judge("friction losses do not fall (J)", t[1:], -np.diff(friction), size)
    if energy is None:
        return
    if energy not in ("conserved", "decreasing"):
        raise ValueError(f"energy: expected 'conserved', 'decreasing' or None, got {energy!r}")
    rows = list(zip(t.tolist(), solution.q, solution.u, strict=True))
    kinetic = np.array([system.kinetic_energy(*row) for row in rows])
    potential = np.array([system.potential_energy(at, q) for at, q, _ in rows])
    if np.isnan(potential).any():
        raise ValueError(
            "energy: expected a system that knows its potential energy, got one that does not"
        )
    lost = np.zeros(len(t))
    for at, loss in zip(solution.events.t, solution.events.energy_loss, strict=True):
        if at > t[0]:  # the first sample is behind what happens at the start
            lost[np.searchsorted(t, at, side="right") - 1 :] += loss
    total = kinetic + potential + friction + lost
    swing = tol * (1e-9 + float(kinetic.max() + np.ptp(potential)))
    settled = np.append(np.diff(t) > 0.0, True)  # not between the rows of one instant
    if energy == "conserved":
        found.judge(
            "energy and losses stay the same (J)",
            t[settled],
            np.abs(total - total[0])[settled],
            swing,
        )
    else:
        found.judge(
            "energy and losses do not grow (J)", t[settled][1:], np.diff(total[settled]), swing
        )

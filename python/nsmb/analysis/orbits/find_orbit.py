"""Search for a periodic orbit: from a run to a guess, and from the guess to the orbit."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.errors import AnalysisError
from nsmb.analysis.maps.poincare import PoincareMap
from nsmb.analysis.maps.sections import Section, StroboscopicSection, every
from nsmb.analysis.orbits.flow import Flow
from nsmb.analysis.orbits.guess import Recurrence, mesh_of, recurrence
from nsmb.analysis.orbits.newton import Unreachable, newton
from nsmb.analysis.orbits.orbit import PeriodicOrbit, failed_orbit, orbit_of
from nsmb.analysis.orbits.shooting import Evaluation, Mesh, Shooting
from nsmb.analysis.orbits.tangent import invariant_in_time, repeats_after
from nsmb.common.arguments import as_number, as_states, fraction, left_out
from nsmb.system.base import State, System, SystemLike, as_system
from nsmb.system.options import EventDriven

__all__ = ["periodic_orbit"]

Vector = NDArray[np.float64]

_TRANSIENT = 200
_SEEN = 64
_DEFAULT_RTOL = 1e-11
_MOST_TURNS = 20  # repetitions in an orbit without a period in time that are reduced to one
_CLOSED = 1e-6  # relative to the size of the motion, between steps of a run
_AT_REST = 1e-7  # relative to the size of the first guess


def periodic_orbit(
    system: SystemLike,
    *,
    section: Section | None = None,
    start: State | None = None,
    section_points: int | None = None,
    period: float | None = None,
    transient: int | None = None,
    method: EventDriven | None = None,
    segments: int = 1,
    tol: float = 1e-10,
    max_iterations: int = 20,
    throw: bool = True,
) -> PeriodicOrbit:
    """Find a periodic orbit by shooting, with the exact derivative of the flow.

    A run provides the guess. After `transient` points of the section, it is observed until it
    returns. Newton's method then closes the motion, starting at a point between two events. If
    contacts are closed at that point, the search is restricted to states that keep them closed.
    Both stable and unstable orbits are found. For an unstable orbit, give a `start` near it, and
    `section_points` or `period`.

    Parameters
    ----------
    system : System or Model
    section : Section, optional
        Section at which points are counted. Default: ``every()`` for systems with a period in time.
    start : State, optional
        Default: ``system.initial_state``.
    section_points : int, optional
        Number of section points in a period. Default: as observed in the run.
    period : float, optional
        Period in s of an autonomous system without a section; None with a section.
    transient : int, optional
        Section points before the guess is taken; default: 200, or 0 if `section_points` is given.
    method : EventDriven, optional
        Default: ``system.recommended.method`` with rtol = 1e-11.
    segments : int
        Number of pieces of the orbit (multiple shooting). Use more for long or very unstable
        orbits.
    tol : float
        Largest gap allowed, with each component in units of its travel along the motion. If
        rounding prevents this, ten times as much is accepted.
    max_iterations : int
    throw : bool
        Raise if no orbit is found. If False, return the last iterate, with status and message.

    Returns
    -------
    PeriodicOrbit

    Raises
    ------
    ValueError
        If the section does not fit the system, an autonomous system has neither section nor period,
        the system does not repeat after its period, or a number is out of range.
    AnalysisError
        If no orbit is found; its ``result`` is the last iterate.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import analysis
    >>> orbit = analysis.periodic_orbit(
    ...     nsmb.systems.woodpecker(), section=analysis.on_event("impact", "beak")
    ... )
    >>> orbit.stable, round(orbit.period, 6)
    (True, 0.145976)
    """
    system = as_system("system", system)
    section = _section(system, section, period)
    if section is None and section_points is not None:
        raise ValueError(
            f"section_points: must be None without a section, got {section_points!r}. Pass "
            "`section`."
        )
    if section is None:
        left_out("transient", transient, "without a section", "Give section, or a later start.")
    if section is not None and period is not None:
        raise ValueError(
            f"period: must be None with a section, got {period!r}. Give `section_points`, the "
            "number of points of the section in a period."
        )
    count = None if section_points is None else _whole("section_points", section_points, 1)
    waiting = _whole("transient", _TRANSIENT if transient is None else transient, 0)
    if transient is None and count is not None:
        waiting = 0
    pieces = _whole("segments", segments, 1)
    iterations = _whole("max_iterations", max_iterations, 1)
    tolerance = fraction("tol", tol)
    if method is None:
        usual = system.recommended.event_driven("find_orbit")
        exact = usual.integrator == "linear_flow"
        method = usual if exact else dataclasses.replace(usual, rtol=_DEFAULT_RTOL)
    flow = Flow(system, method)
    begin = system.initial_state if start is None else start
    if not isinstance(begin, State):
        raise ValueError(
            f"start: must be a nsmb.State, got {start!r}. Create one with nsmb.State(t, q, u)."
        )
    begin = _with_walls(system, begin)
    cycle = _base_period(system, section, begin)
    if system.period is not None:
        _check_repeats(system, section, begin, system.period)
    try:
        if section is None:
            assert period is not None
            seen = Recurrence(begin, as_number("period", period), 1)
        else:
            seen = _seen(flow, section, begin, count, waiting, cycle)
        if cycle is not None:
            _check_repeats(system, section, seen.state, seen.duration)
        orbit = _closed(flow, section, seen, cycle, pieces, tolerance, iterations)
    except Unreachable as error:
        orbit = failed_orbit(flow, section, begin, error)
    if throw and not orbit.success:
        raise AnalysisError(f"{orbit.status}: {orbit.message}", orbit)
    return orbit


def _with_walls(system: System, state: State) -> State:
    """Return the state with all internal states; walls that are not given are relaxed."""
    x = np.zeros(system.nx)
    given = as_states("start.x", state.x, system._core.nx_own, system.nx)
    x[: given.size] = given
    return State(state.t, state.q, state.u, x)


def _whole(name: str, value: object, least: int) -> int:
    number = as_number(name, value)
    if not math.isfinite(number) or number != int(number) or number < least:
        raise ValueError(f"{name}: expected a whole number >= {least}, got {value!r}")
    return int(number)


def _section(system: System, section: Section | None, period: float | None) -> Section | None:
    if section is None:
        if system.period is not None:
            section = every()
        elif period is None and not _autonomous(system, system.initial_state):
            raise ValueError(
                f"section: expected every(period) for {system.name!r}, which depends on time and "
                "whose period is not known. Pass the period to the system or to every(). "
                "Incommensurate harmonics have no common period."
            )
        elif period is None:
            raise ValueError(
                f"section: expected one for the autonomous system {system.name!r}, such as "
                'on_event("impact", "...") or crossing("..."); or give start and period in s'
            )
        elif not 0.0 < as_number("period", period) < math.inf:
            raise ValueError(f"period: expected a number > 0 in s, got {period!r}")
    elif not isinstance(section, Section):
        raise ValueError(
            f"section: expected on_event(...), every(...) or crossing(...), got {section!r}"
        )
    if section is not None:
        section.check(system)
    return section


def _check_repeats(system: System, section: Section | None, state: State, duration: float) -> None:
    """Raise ValueError unless the system itself repeats after the duration of the motion."""
    y = np.concatenate([state.q, state.u, state.x])
    if repeats_after(system, duration, state.t, y):
        return
    if system.period is not None:
        raise ValueError(
            f"period: expected the period of {system.name!r} in s, but with the {system.period:.8g}"
            f" given the system does not repeat after {duration:.8g} s"
        )
    name = "section" if section is None else section.describe()
    raise ValueError(
        f"section: expected every(period) with the period of {system.name!r}, got {name!r}, but "
        f"the system does not repeat after {duration:.8g} s; incommensurate harmonics have no "
        "period in common"
    )


def _autonomous(system: System, start: State) -> bool:
    y = np.concatenate([start.q, start.u, start.x])
    return invariant_in_time(system, [(start.t, y)])


def _base_period(
    system: System, section: Section | None, start: State
) -> StroboscopicSection | None:
    """Return the section that defines the period of the system in time; None if autonomous."""
    if system.period is not None:
        return StroboscopicSection(None)
    if _autonomous(system, start):
        return None
    if isinstance(section, StroboscopicSection):
        return section
    shown = "none" if section is None else repr(section.describe())
    raise ValueError(
        f"section: expected every(period), got {shown}: {system.name!r} depends on time and its "
        "period is not known. Pass the period to the system or to every()."
    )


def _seen(
    flow: Flow,
    section: Section,
    start: State,
    count: int | None,
    transient: int,
    base_period: StroboscopicSection | None,
) -> Recurrence:
    """Return the recurrence observed in a run."""
    wanted = _SEEN + 1 if count is None else count + 1
    points = PoincareMap(flow.system, section, method=flow.method).iterate(
        wanted, start=start, skip=transient
    )
    t, y = points.t, points.y_plus
    if transient == 0 and isinstance(section, StroboscopicSection):
        length = section.period_of(flow.system)
        phase = start.t / length - section.phase
        if abs(phase - round(phase)) < 1e-9:  # the start lies on the section itself
            t = np.append(start.t, t[:-1])
            y = np.vstack([np.concatenate([start.q, start.u, start.x]), y[:-1]])
    if t.size < wanted:
        unmet = points.status in ("finished", "ready", "section_not_met")
        status = "section_not_met" if unmet else "simulation_failed"
        raise Unreachable(
            status,
            f"the run met the section {section.describe()!r} {t.size} times of {wanted} after a "
            f"transient of {transient}: {points.message or points.status}. Try another section, "
            "another start, or a shorter transient.",
        )
    cycle = None if base_period is None else base_period.period_of(flow.system)
    return recurrence(flow, t, y, count=count, cycle=cycle)


def _closed(
    flow: Flow,
    section: Section | None,
    seen: Recurrence,
    base_period: StroboscopicSection | None,
    segments: int,
    tol: float,
    max_iterations: int,
) -> PeriodicOrbit:
    """Apply Newton's method to the guess, and reduce a repeated orbit to one repetition."""
    mesh = mesh_of(flow, seen.state, seen.duration, segments=segments, base_period=base_period)
    shooting = Shooting(flow, mesh)
    found = newton(shooting.evaluate, shooting.start, tol=tol, max_iterations=max_iterations)
    if not found.converged or found.evaluation is None:
        q, u, x = flow.split(mesh.states[0])
        error = Unreachable(found.status, found.message)
        return failed_orbit(flow, section, State(mesh.t_0, q, u, x), error)
    if mesh.cycles == 0 and _at_rest(found.evaluation):
        message = (
            "Newton's method converged to a state of rest. Pass another start, or use "
            "equilibrium()."
        )
        q, u, x = flow.split(mesh.states[0])
        error = Unreachable("no_convergence", message)
        return failed_orbit(flow, section, State(mesh.t_0, q, u, x), error)
    orbit = orbit_of(flow, section, found.evaluation, found.residuals)
    for divisor in range(_MOST_TURNS if mesh.cycles == 0 else mesh.cycles, 1, -1):
        if mesh.cycles % divisor or not _closes(orbit, mesh, divisor):
            continue
        part = orbit.period / divisor
        if mesh.cycles and not repeats_after(flow.system, part, orbit.t, orbit.y):
            continue
        start = State(orbit.t, orbit.q, orbit.u, orbit.x)
        shorter = Recurrence(start, part, max(1, seen.count // divisor))
        cut = _closed(flow, section, shorter, base_period, segments, tol, max_iterations)
        if cut.success:
            return cut
    return orbit


def _at_rest(evaluation: Evaluation) -> bool:
    mesh = evaluation.mesh
    travel = evaluation.runs[0].rate_start / mesh.scale * mesh.duration
    return float(np.abs(travel[~mesh.invariant]).max(initial=0.0)) < _AT_REST


def _closes(orbit: PeriodicOrbit, mesh: Mesh, divisor: int) -> bool:
    """Return True if the motion returns after a part of its period."""
    turn = mesh.turn / divisor
    if np.abs(turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi))).max(initial=0.0) > 1e-9:
        return False
    end = orbit.solution.at(orbit.t + orbit.period / divisor)
    apart = (np.concatenate([end.q, end.u, end.x]) - orbit.y - turn) / mesh.scale
    return float(np.abs(apart[~mesh.invariant]).max(initial=0.0)) < _CLOSED

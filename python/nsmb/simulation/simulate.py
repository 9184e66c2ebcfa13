"""Simulation of a system from start to end."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from nsmb.common.arguments import as_array
from nsmb.common.progress import Progress
from nsmb.events import At, When
from nsmb.simulation.choice import choose
from nsmb.simulation.ends import set_output
from nsmb.simulation.recording import ToHdf5
from nsmb.simulation.run_messages import balance_message, gain_message, unsolved_message
from nsmb.simulation.run_results import SimulationError, SimulationInterrupted
from nsmb.simulation.simulator import Simulator, run
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System, SystemLike, as_system
from nsmb.system.method import AnyMethod

__all__ = [
    "EnergyBalanceWarning",
    "EnergyGainWarning",
    "simulate",
]


class EnergyGainWarning(UserWarning):
    """Warning that impacts of a run created energy.

    No physical collision creates energy. The impact law does not fit the contact parameters."""


class EnergyBalanceWarning(UserWarning):
    """Warning that a motion lost or gained energy without a corresponding force."""


def _usual_end(system: System) -> float:
    t_end = system.recommended.t_end
    if t_end is None:
        raise ValueError(
            f"t_end: expected a time, got None, and {system.name!r} has no recommended.t_end"
        )
    return t_end


def simulate(
    system: SystemLike,
    t_end: float | None = None,
    *,
    t_start: float | None = None,
    q: ArrayLike | None = None,
    u: ArrayLike | None = None,
    x: ArrayLike | None = None,
    inputs: Mapping[str, float] | None = None,
    method: AnyMethod = "auto",
    rtol: float | None = None,
    start: Solution | State | None = None,
    output_step: float | None = None,
    output_times: ArrayLike | None = None,
    sensitivity: bool | str | Sequence[str] = False,
    events: Sequence[When | At] = (),
    record: str | ToHdf5 | None = "memory",
    progress: bool | None = None,
    throw: bool = True,
) -> Solution:
    """Simulate `system` until `t_end`.

    Parameters
    ----------
    system : System or Model
    t_end : float, optional
        End of the run, s; default ``system.recommended.t_end``, which ready-made systems have.
    t_start, q, u, x : optional
        Initial time and state; default ``system.initial_state``.
    start : Solution or State, optional
        Initial state, or a run to continue exactly where it ended, in place of the four arguments
        above. Contact states, contact points, force elements and inputs are continued as well.
        :func:`nsmb.join` combines both runs into one.
    inputs : mapping of str to float, optional
        Constant values of inputs; by default those of the system, or those at the end of `start`.
    method : "auto", EventDriven, Midpoint, Hybrid, PositionForces or VelocityForces
        ``"auto"`` selects ``system.recommended.method`` if the system has one, otherwise
        :class:`nsmb.EventDriven`. Models whose events cannot be located are simulated by
        :class:`nsmb.Midpoint`. They have shapes with more than 4,000 contact points, or cylinders
        on boxes. The step is sqrt(r/g)/50, rounded down to 1, 2 or 5 times a power of ten. Here r
        is the smallest semi-axis of the ellipsoids with the inertia of the shapes. Without gravity,
        the step is r/(50 v), where v is the largest initial speed of a body. If all bodies are also
        at rest, the step is 1 ms. ``Solution.method`` is the selected method, and
        ``Solution.method_reason`` is the reason.
    rtol : float, optional
        Relative tolerance of the method that ``"auto"`` selects.
    output_step : float, optional
        Time between samples, s; default one thousandth of the run. With 0, samples are taken only
        at events. The states before and after every event are always samples.
    output_times : array_like, optional
        Increasing sample times, s, in place of `output_step`. ``solution(t)`` returns the state at
        any time.
    sensitivity : bool or sequence of str
        Compute the derivative of the run with respect to its initial state and the named
        parameters, see ``Solution.sensitivity``. The motion is the same with and without it.
    events : sequence of When and At
        User-defined events, at zero crossings of functions of the motion and at given times. Each
        occurrence is a row of ``Solution.events``. Functions and effects with an internal memory
        keep it from earlier runs. With `sensitivity`, effects that return changes are also
        evaluated around the instant.
    record : {"memory", "events", "nothing"} or to_hdf5
        Extent of the record. ``"memory"`` keeps everything in memory. ``"events"`` keeps the events
        and the samples at the start and end. ``"nothing"`` keeps only these two samples.
        :func:`nsmb.to_hdf5` writes everything to a file during the run, and the solution has these
        two samples. The motion, the counts and the sums in `Solution.stats` are the same.
    progress : bool, optional
        Show a progress bar. By default it is shown on a terminal, for runs longer than a second.
    throw : bool
        Raise an exception if the run does not reach `t_end`. False: return the partial solution;
        its ``status`` and ``message`` describe the failure.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If an argument is invalid; the message names the argument, the requirement and the value.
    SimulationError
        If the run cannot continue; the attribute ``solution`` holds the partial result.
    SimulationInterrupted
        If the user presses Ctrl-C; the attribute ``solution`` holds the partial result.
    Exception
        If a function of the system raises an exception, the same exception with an attribute
        ``solution``.

    Warns
    -----
    EnergyBalanceWarning
        If a run with bilateral constraints gains or loses energy without a corresponding force,
        see `Solution.energy`.
    EnergyGainWarning
        If impacts create energy, see ``stats["energy_gains"]`` and
        ``stats["largest_energy_gain"]``.
    RuntimeWarning
        If impacts of a stepped run have no impulses because too many contacts strike together.

    Examples
    --------
    >>> import nsmb
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=3.0)
    >>> sol.status, len(sol.events.of_kind("impact")) > 20
    ('finished', True)
    """
    system = as_system("system", system)
    chosen = choose(system, method, rtol)
    with Simulator(
        chosen.system,
        chosen.method,
        output_step=0.0,
        sensitivity=sensitivity,
        events=events,
        record=record,
    ) as simulator:
        simulator._method_reason = chosen.reason
        simulator.reset(t_start, q, u, x, start=start)
        if inputs:
            simulator.set(**inputs)
        end = float(as_array("t_end", _usual_end(system) if t_end is None else t_end, ()))
        if end < simulator.t:
            raise ValueError(f"t_end: expected a time >= t_start = {simulator.t}, got {end}")
        set_output(simulator._core, simulator.t, end, output_step, output_times)
        try:
            with Progress(progress, simulator.t, end) as monitor:
                run(simulator, end, one_event=False, monitor=monitor)
        except SimulationInterrupted as interruption:
            if throw:
                raise
            return interruption.solution
        solution = simulator.solution
    gains = gain_message(solution, chosen.method)
    if gains:
        warnings.warn(gains, EnergyGainWarning, stacklevel=2)
    broken = balance_message(solution, chosen.method)
    if broken:
        warnings.warn(broken, EnergyBalanceWarning, stacklevel=2)
    unsolved = unsolved_message(solution, chosen.method)
    if unsolved:
        warnings.warn(unsolved, RuntimeWarning, stacklevel=2)
    if throw and not solution.success:
        raise SimulationError(solution.message, solution)
    return solution

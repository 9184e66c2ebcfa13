"""Running a system from start to end."""

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
from nsmb.system.base import State, System
from nsmb.system.method import AnyMethod

__all__ = [
    "EnergyBalanceWarning",
    "EnergyGainWarning",
    "simulate",
]


class EnergyGainWarning(UserWarning):
    """Impacts of a run created energy, which no collision of bodies does: the impact law does not
    fit the parameters of the contacts."""


class EnergyBalanceWarning(UserWarning):
    """A motion has lost or gained energy that no force has taken or given."""


def _usual_end(system: System) -> float:
    t_end = system.recommended.t_end
    if t_end is None:
        raise ValueError(
            f"t_end: expected a time, got None, and {system.name!r} has no recommended.t_end"
        )
    return t_end


def simulate(
    system: System,
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
    """Simulate `system` to `t_end`.

    Parameters
    ----------
    system : System
    t_end : float, optional
        End of the run, s; default ``system.recommended.t_end``, which ready-made systems have.
    t_start, q, u, x : optional
        Start; default ``system.initial_state``.
    start : Solution or State, optional
        Instead of these: a state; or a run, which goes on exactly where it ended, contact states,
        contact points, force elements and inputs included. :func:`nsmb.join` makes one run of both.
    inputs : mapping of str to float, optional
        Values of inputs throughout the run; default those of the system, or at the end of `start`.
    method : "auto", EventDriven, Midpoint, Hybrid, PositionForces or VelocityForces
        ``"auto"`` takes ``system.recommended.method`` where the system has one, else
        :class:`nsmb.EventDriven`. Models whose events cannot be located (shapes with more than
        4,000 contact points, resistance to rolling, cylinders on boxes) are run by
        :class:`nsmb.Midpoint` with a step of sqrt(r/g)/50, rounded down to 1, 2 or 5 times a power
        of ten: r is the smallest semi-axis of the ellipsoids with the inertia of the shapes.
        Without gravity the step is r/(50 v), where v is the largest speed of a body at the start;
        without both it is 1 ms. ``Solution.method`` and ``Solution.method_reason`` say what was
        taken and why.
    rtol : float, optional
        Relative tolerance of the method that ``"auto"`` takes.
    output_step : float, optional
        Distance of samples, s; default a thousandth of the run, 0: samples only at events.
        Both sides of every event are samples in any case.
    output_times : array_like, optional
        Instead: samples at these increasing times, s. ``solution(t)`` tells the state at any time.
    sensitivity : bool or sequence of str
        Follow the derivative of the run by its start, and by the parameters named: the result is
        ``Solution.sensitivity``. The motion is the same with and without it.
    events : sequence of When and At
        What is to happen where functions of the motion cross zero, and at given times; each is a
        row of ``Solution.events``. Functions and effects keep what they remember of earlier runs.
        With `sensitivity` effects that return what they change are asked around the instant, too.
    record : {"memory", "events", "nothing"} or to_hdf5
        What is kept, and where: everything in memory; events, and the samples at start and end;
        these two samples alone; or everything in a file that grows with the run, see
        :func:`nsmb.to_hdf5`, and these two samples in the solution. The motion, the counts and the
        sums in `Solution.stats` are the same.
    progress : bool, optional
        Show a progress bar; default: on a terminal, for runs of more than a second.
    throw : bool
        Raise when the run does not reach `t_end`; False: return the partial solution, whose
        ``status`` and ``message`` say what happened.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        Bad input; the message names the argument, what was expected and what came.
    SimulationError
        The run could not go on; its ``solution`` holds what was computed before.
    SimulationInterrupted
        Ctrl-C; likewise.
    Exception
        Whatever a function of the system raises, unchanged, with an attribute ``solution``.

    Warns
    -----
    EnergyBalanceWarning
        Beside bilateral constraints: energy has come or gone without a force, see
        `Solution.energy`.
    EnergyGainWarning
        Impacts created energy: ``stats["energy_gains"]`` and ``stats["largest_energy_gain"]``.
    RuntimeWarning
        Impacts of a stepped run have no impulses, as too many contacts strike together.

    Examples
    --------
    >>> import nsmb
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=3.0)
    >>> sol.status, len(sol.events.of_kind("impact")) > 20
    ('finished', True)
    """
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

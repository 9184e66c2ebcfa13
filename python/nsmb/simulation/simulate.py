"""Running a system: `simulate` for a whole run, `Simulator` step by step."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.arguments import as_array, as_states
from nsmb.common.progress import Progress
from nsmb.events import At, Event, Events, When
from nsmb.simulation.core_simulator import core_simulator
from nsmb.simulation.ends import begin_at, set_output
from nsmb.simulation.run_messages import balance_message, gain_message, overlap_message
from nsmb.simulation.user_events import core_events
from nsmb.solution.sensitivity import Sensitivity, parameter_names, parameter_shifts
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System
from nsmb.system.options import EventDriven

__all__ = [
    "EnergyBalanceWarning",
    "EnergyGainWarning",
    "SimulationError",
    "SimulationInterrupted",
    "Simulator",
    "simulate",
]

Vector = NDArray[np.float64]


class SimulationError(RuntimeError):
    """A run that could not reach its end; `solution` is what was computed before."""

    def __init__(self, message: str, solution: Solution) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.solution)


class SimulationInterrupted(KeyboardInterrupt):
    """A run stopped by Ctrl-C; `solution` is what was computed before."""

    def __init__(self, message: str, solution: Solution) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.solution)


class EnergyGainWarning(UserWarning):
    """Impacts of a run created energy, which no collision of bodies does: the impact law does not
    fit the parameters of the contacts."""


class EnergyBalanceWarning(UserWarning):
    """A motion has lost or gained energy that no force has taken or given."""


def _start(
    system: System,
    t: float | None,
    q: ArrayLike | None,
    u: ArrayLike | None,
    x: ArrayLike | None,
) -> State:
    initial = system.initial_state
    return State(
        initial.t if t is None else float(as_array("t_start", t, ())),
        initial.q if q is None else as_array("q", q, (system.nq,)),
        initial.u if u is None else as_array("u", u, (system.nu,)),
        initial.x if x is None else as_states("x", x, system._core.nx_own, system.nx),
    )


class Simulator:
    """The stepping interface: run to the next event, look, go on.

    Functions of the system may say something else from one call to the next, as the force of a
    motor that a controller holds: at each call it is looked whether they do, and the motion then
    begins anew where it stands, its contacts decided under the new forces.

    Parameters
    ----------
    system : System
    method : EventDriven, optional
        Default ``system.recommended.method``.
    output_step : float
        Samples are kept at its multiples (s), and :meth:`step` stops there; 0: only at events.
    sensitivity : bool or sequence of str
        Follow the derivative of the run by its start, and by the parameters named.
    events : sequence of When and At
        What is to happen besides; :meth:`step` returns with them, too.

    Examples
    --------
    >>> import nsmb
    >>> sim = nsmb.Simulator(nsmb.systems.bouncing_ball(), output_step=0.0)
    >>> event = sim.step(t_max=10.0)
    >>> event.kind.label, round(event.t, 6)
    ('impact', 0.451524)
    """

    def __init__(
        self,
        system: System,
        method: EventDriven | None = None,
        *,
        output_step: float = 0.01,
        sensitivity: bool | str | Sequence[str] = False,
        events: Sequence[When | At] = (),
    ) -> None:
        self._system = system
        self._method = recommended_method(system) if method is None else method
        self.output_step = float(as_array("output_step", output_step, ()))
        self._run = core_simulator(system, self.method)
        self._run.set_output_step(self.output_step)
        self._by = parameter_names(system, sensitivity)
        if self._by is not None:
            self._run.follow_derivative(parameter_shifts(system, self._by))
        given, self._user_events = core_events(system, events)
        if given:
            self._run.watch(given)
        self._t_start: float | None = None  # no start yet

    @property
    def system(self) -> System:
        """What is simulated."""
        return self._system

    @system.setter
    def system(self, system: System) -> None:
        raise AttributeError("system: expected to stay what it is; make a new Simulator")

    @property
    def method(self) -> EventDriven:
        """How it is simulated."""
        return self._method

    @method.setter
    def method(self, method: EventDriven) -> None:
        raise AttributeError("method: expected to stay what it is; make a new Simulator")

    @property
    def _core(self) -> _simulation.EventDriven:
        """The run; without any other start it begins at ``system.initial_state``, which is looked
        at only then: it may be none."""
        if self._t_start is None:
            self.reset()
        return self._run

    def reset(
        self,
        t: float | None = None,
        q: ArrayLike | None = None,
        u: ArrayLike | None = None,
        x: ArrayLike | None = None,
        *,
        start: Solution | State | None = None,
    ) -> None:
        """Begin anew at (t, q, u, x); what is None comes from ``system.initial_state``.

        Parameters
        ----------
        t, q, u, x : optional
        start : Solution or State, optional
            Instead of these: a state; or a run, at whose end contacts, contact points and force
            elements stand as they are to go on.

        Raises
        ------
        ValueError
            Wrong shapes, NaN, or a start that penetrates by more than ``start_tolerance``; the
            message says whether it was given or is that of the system.
        """
        if start is not None:
            self._t_start = begin_at(self._run, self.system, start, t, q, u, x)
            return
        initial = _start(self.system, t, q, u, x)
        try:
            self._run.reset(initial.t, initial.q, initial.u, initial.x)
        except ValueError as error:
            argument, colon, rest = str(error).partition(":")
            if {"q": q, "u": u}.get(argument, argument) is not None:
                raise
            raise ValueError(
                f"initial_state.{argument}{colon}{rest}; give another start as {argument}"
            ) from None
        self._t_start = initial.t

    def step(self, t_max: float | None = None) -> Event | None:
        """Run to the next event, the next output point or `t_max`, whichever comes first.

        Returns
        -------
        Event or None
            The first event of the instant reached; None at an output point or `t_max`.
        """
        stop = np.inf if t_max is None else float(t_max)
        if self.output_step > 0.0:
            t, start = self.t, self._t_start or 0.0
            passed = np.floor((t - start) / self.output_step + 1e-9)
            stop = min(stop, start + float(passed + 1.0) * self.output_step)
        if not np.isfinite(stop):
            raise ValueError("t_max: expected a time when output_step is 0, got None")
        before = self._core.statistics["events"]
        self._advance(stop, one_event=True)
        if self._core.statistics["events"] == before:
            return None
        rows = self._core.events_from(int(before))
        labels = dataclasses.replace(self.system.labels, user_event_names=self._user_events)
        return Events.from_core(labels, rows)[0]

    def advance(self, t_end: float) -> None:
        """Run to `t_end`, or to an event that stops the run.

        Raises
        ------
        ValueError
            When `t_end` lies before the time reached.
        SimulationError
            When the run cannot go on; its ``solution`` holds what was computed.
        """
        self._advance(t_end, one_event=False)

    def _advance(self, t_end: float, *, one_event: bool) -> None:
        status = run(self, t_end, one_event=one_event, monitor=None)
        if status not in ("finished", "ready", "stopped"):
            raise SimulationError(self._core.message, self.solution)

    @property
    def t(self) -> float:
        """Time reached, s."""
        return self._core.t

    @property
    def q(self) -> NDArray[np.float64]:
        """(nq,) coordinates at :attr:`t`, behind its events."""
        return self._core.y[: self.system.nq]

    @property
    def u(self) -> NDArray[np.float64]:
        """(nu,) velocities at :attr:`t`, behind its events."""
        return self._core.y[self.system.nq : self.system.nq + self.system.nu]

    @property
    def x(self) -> NDArray[np.float64]:
        """(nx,) internal states at :attr:`t`, behind its events."""
        return self._core.y[self.system.nq + self.system.nu :]

    @property
    def element_mode(self) -> NDArray[np.int8]:
        """(ne,) 1 for force elements that act at :attr:`t`, else 0."""
        return self._core.element_mode

    @property
    def contact_state(self) -> NDArray[np.int8]:
        """(nc,) values of :class:`ContactState` behind the events at :attr:`t`."""
        return self._core.contact_state

    def _last(self, name: str) -> NDArray[np.float64]:
        if self._core.status == "ready" and self._core.last_sample()[name].size == 0:
            self.advance(self.t)  # forces are known once the contacts are decided
        return self._core.last_sample()[name]

    @property
    def g_N(self) -> NDArray[np.float64]:
        """(nc,) gaps at :attr:`t`, m."""
        return self._last("g_N")

    @property
    def gamma_N(self) -> NDArray[np.float64]:
        """(nc,) normal velocities at :attr:`t`, behind its events, m/s."""
        return self._last("gamma_N")

    @property
    def gamma_T(self) -> NDArray[np.float64]:
        """(nt,) slip velocities at :attr:`t`, behind its events, m/s."""
        return self._last("gamma_T")

    @property
    def lambda_N(self) -> NDArray[np.float64]:
        """(nc,) normal forces at :attr:`t`, behind its events, N."""
        return self._last("lambda_N")

    @property
    def lambda_T(self) -> NDArray[np.float64]:
        """(nt,) friction forces at :attr:`t`, behind its events, N."""
        return self._last("lambda_T")

    @property
    def sensitivity(self) -> Sensitivity | None:
        """Derivative of the run since :meth:`reset`, if it is followed."""
        data = self._core.variation
        if data is None or self._by is None:
            return None
        return Sensitivity.of(self.system, data, self._by)

    @property
    def solution(self) -> Solution:
        """Everything computed since :meth:`reset`, as a copy: its cost grows with the run.

        Bodies whose contact points come and go must lie apart at its end: what has passed into
        another one is a failure of the run."""
        status, message = self._core.status, self._core.message
        if status == "finished" and self.system._core.has_features:
            missed = overlap_message(self.system, self.method, self.t, self.q)
            status, message = ("integration_failure", missed) if missed else (status, message)
        return Solution.from_core(
            self.system,
            self._core.trajectory(),
            status=status,
            message=message,
            stats=self._core.statistics,
            sensitivity=self.sensitivity,
            method=self.method,
            user_events=self._user_events,
        )


def recommended_method(system: System) -> EventDriven:
    """The method of runs for which none is given; what is no system is refused elsewhere."""
    return system.recommended.method if isinstance(system, System) else EventDriven()


def _usual_end(system: System) -> float:
    t_end = system.recommended.t_end
    if t_end is None:
        raise ValueError(
            f"t_end: expected a time, got None, and {system.name!r} has no recommended.t_end"
        )
    return t_end


def run(
    simulator: Simulator,
    t_end: float,
    *,
    one_event: bool,
    monitor: Callable[[float], object] | None,
) -> str:
    """Advance; what the system or a signal raises takes the partial solution with it."""
    try:
        return simulator._core.advance(float(t_end), one_event, monitor)
    except KeyboardInterrupt:
        message = f"interrupted at t = {simulator.t:.6g} s"
        raise SimulationInterrupted(message, simulator.solution) from None
    except Exception as error:
        if simulator._core.status == "system_error":
            # The exception itself must come out unchanged, so the solution is pinned to it.
            error.solution = simulator.solution  # type: ignore[attr-defined]
        raise


def simulate(
    system: System,
    t_end: float | None = None,
    *,
    t_start: float | None = None,
    q: ArrayLike | None = None,
    u: ArrayLike | None = None,
    x: ArrayLike | None = None,
    method: EventDriven | None = None,
    rtol: float | None = None,
    start: Solution | State | None = None,
    output_step: float | None = None,
    output_times: ArrayLike | None = None,
    sensitivity: bool | str | Sequence[str] = False,
    events: Sequence[When | At] = (),
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
        contact points and force elements included. :func:`nsmb.join` makes one run of both.
    method : EventDriven, optional
        Default ``system.recommended.method``; what is given replaces all of its options.
    rtol : float, optional
        The default method with this tolerance.
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

    Examples
    --------
    >>> import nsmb
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=3.0)
    >>> sol.status, len(sol.events.of_kind("impact")) > 20
    ('finished', True)
    """
    if method is not None and rtol is not None:
        raise ValueError("rtol: expected None when method is given, put it into the method")
    if method is None:
        method = recommended_method(system)
        method = method if rtol is None else dataclasses.replace(method, rtol=rtol)
    simulator = Simulator(system, method, output_step=0.0, sensitivity=sensitivity, events=events)
    simulator.reset(t_start, q, u, x, start=start)
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
    gains = gain_message(solution, method)
    if gains:
        warnings.warn(gains, EnergyGainWarning, stacklevel=2)
    broken = balance_message(solution, method)
    if broken:
        warnings.warn(broken, EnergyBalanceWarning, stacklevel=2)
    if throw and not solution.success:
        raise SimulationError(solution.message, solution)
    return solution

"""Interactive simulation of a system, step by step."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.arguments import as_array
from nsmb.common.labels import Labels
from nsmb.events import At, Event, Events, When
from nsmb.simulation.choice import choose
from nsmb.simulation.core_simulator import core_simulator
from nsmb.simulation.ends import begin_at, start_state
from nsmb.simulation.recording import Recording, ToHdf5
from nsmb.simulation.run_messages import overlap_hint, overlap_message
from nsmb.simulation.run_results import Energy, SimulationError, SimulationInterrupted
from nsmb.simulation.user_events import Pending, core_events
from nsmb.solution.sensitivity import Sensitivity, parameter_names, parameter_shifts
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System, SystemLike, as_system
from nsmb.system.inputs import input_values
from nsmb.system.method import AnyMethod, Method
from nsmb.system.stepping_options import Stepping

__all__ = [
    "Energy",
    "SimulationError",
    "SimulationInterrupted",
    "Simulator",
    "run",
]

Vector = NDArray[np.float64]


class Simulator:
    """An interactive run: advance to the next event, inspect the state, set inputs, continue.

    New values of inputs and parameters apply from the current time on. The motion restarts at the
    current state, and the contact states are recomputed under the new forces. The states before and
    after the change are both samples. The motion also restarts if functions of the system return
    other values than at the end of the previous call.

    Parameters
    ----------
    system : System or Model
    method : "auto", EventDriven, Midpoint, Hybrid, PositionForces or VelocityForces
        As in :func:`nsmb.simulate`.
    output_step : float
        Time between samples, s; :meth:`step` also stops at these times. With 0, samples are taken
        only at events and at the end of :meth:`advance`.
    sensitivity : bool or sequence of str
        Compute the derivative of the run with respect to its initial state and the named
        parameters.
    events : sequence of When and At
        User-defined events; :meth:`step` returns at these as well.
    record : {"memory", "events", "nothing"} or to_hdf5
        Extent of the record, as in :func:`nsmb.simulate`. A file receives its last rows when
        :attr:`solution` is read, when :meth:`close` is called, or at the end of a block ``with
        nsmb.Simulator(...) as sim:``.

    Examples
    --------
    >>> import nsmb
    >>> sim = nsmb.Simulator(nsmb.systems.bouncing_ball(), output_step=0.0)
    >>> event = sim.step(t_max=10.0)
    >>> event.kind.label, round(event.t, 6)
    ('impact', 0.451524)

    A controller that holds its force for a millisecond:

    >>> motor = nsmb.Input("motor", unit="N")
    >>> cart = nsmb.LinearSystem([[2.0]], force=nsmb.Force(inputs={motor: [1.0]}))
    >>> sim = nsmb.Simulator(cart, output_step=0.0)
    >>> for k in range(2000):
    ...     sim.set(motor=50.0 * (0.1 - sim.q[0]) - 20.0 * sim.u[0])
    ...     sim.advance(1e-3 * (k + 1))
    >>> sim.q.round(3)
    array([0.1])
    """

    def __init__(
        self,
        system: SystemLike,
        method: AnyMethod = "auto",
        *,
        output_step: float = 0.01,
        sensitivity: bool | str | Sequence[str] = False,
        events: Sequence[When | At] = (),
        record: str | ToHdf5 | None = "memory",
    ) -> None:
        system = as_system("system", system)
        self._recording = Recording(record)
        chosen = choose(system, method)
        self._method, self._method_reason, system = chosen.method, chosen.reason, chosen.system
        self.output_step = float(as_array("output_step", output_step, ()))
        self._given, self._events = system, events
        self._pending: list[Pending] = []
        run = self._core_run(system)
        self._by = parameter_names(system, sensitivity)
        if self._by is not None:
            run.follow_derivative(parameter_shifts(system, self._by))
        self._user_events = self._equip(system, run)
        self._events = tuple(events)
        self._take(system, run)
        self._t_start: float | None = None  # None before the first start
        self._parameter_rows: list[tuple[int, tuple[float, ...]]] = []

    def _begin_recording(self) -> None:
        self._recording.begin(
            self._core, self.system, self.method, self.method_reason, self._user_events
        )

    def _core_run(self, system: System) -> _simulation.Simulation:
        return core_simulator(system, self._recording.method(self.method))

    def _equip(self, system: System, run: _simulation.Simulation) -> tuple[str, ...]:
        """Set output points, record and user-defined events, and return the names of the events."""
        run.set_output_step(self.output_step)
        self._recording.equip(run)
        given, names = core_events(system, self._events, self._pending)
        if given:
            run.watch(given)
        return names

    def _take(self, system: System, run: _simulation.Simulation) -> None:
        self._system, self._run = system, run
        self._nq, self._nu = system.nq, system.nu
        self._event_labels: Labels | None = None  # created for the first event that is returned

    @property
    def system(self) -> System:
        """The simulated system, with the parameters set last."""
        return self._system

    @system.setter
    def system(self, system: System) -> None:
        raise AttributeError("system: cannot be changed. Create a new Simulator.")

    @property
    def method(self) -> Method:
        """The simulation method."""
        return self._method

    @method.setter
    def method(self, method: Method) -> None:
        raise AttributeError("method: cannot be changed. Create a new Simulator.")

    @property
    def method_reason(self) -> str:
        """The reason for the choice of the method, as a sentence."""
        return self._method_reason

    @property
    def _core(self) -> _simulation.Simulation:
        """The run of the core, which starts at ``system.initial_state`` unless :meth:`reset` was
        called. The initial state is read only here, because it may be invalid."""
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
        """Restart the run at (t, q, u, x), with the original inputs and parameters of the system.

        Parameters
        ----------
        t, q, u, x : optional
            Initial time and state; default ``system.initial_state``.
        start : Solution or State, optional
            Initial state, or a run to continue from its end, in place of the four arguments above.
            Contact states, contact points, force elements and inputs are continued as well.

        Raises
        ------
        ValueError
            If a shape is wrong, a value is NaN, or bodies penetrate at the start by more than
            ``start_tolerance``. The message states whether the start was given or is that of the
            system.
        """
        self._recording.check_start()
        run = self._run
        if self._system is not self._given:
            run = self._core_run(self._given)
            self._equip(self._given, run)
        if start is not None:
            began = begin_at(run, self._given, start, t, q, u, x)
        else:
            began = self._begin(run, t, q, u, x)
        self._take(self._given, run)
        self._parameter_rows = []
        self._t_start = began

    def _begin(self, run: _simulation.Simulation, *place: Any) -> float:
        _, q, u, _ = place
        initial = start_state(self._given, *place)
        try:
            run.reset(initial.t, initial.q, initial.u, initial.x)
        except ValueError as error:
            argument, colon, rest = str(error).partition(":")
            if {"q": q, "u": u}.get(argument, argument) is not None:
                raise ValueError(overlap_hint(error)) from None
            raise ValueError(
                f"initial_state.{argument}{colon}{rest}. Pass another initial state as {argument}."
            ) from None
        return initial.t

    def set(self, **inputs: float) -> None:
        """Set values of inputs from the current time on; the other inputs keep their values.

        Raises
        ------
        ValueError
            If the system has no input of that name, or a value is not a finite number.
        """
        core = self._core
        core.inputs = input_values(self._system.inputs, inputs, core.inputs)

    @property
    def inputs(self) -> Mapping[str, float]:
        """The values of the inputs from :attr:`t` on."""
        names = self._system.labels.input_names
        return MappingProxyType(dict(zip(names, self._core.inputs.tolist(), strict=True)))

    def set_parameters(self, **changes: float) -> None:
        """Continue with other parameters from the same q, u, x and inputs.

        The system becomes ``system.with_parameters(**changes)``, and its contact states are
        recomputed. The record so far is kept. A change of parameters does no work, even if it
        changes gaps or the energy of moving bodies.

        Raises
        ------
        ValueError
            If the system has no parameter of that name, or the value is invalid. If the changed
            system has other coordinates or contacts, or its bodies penetrate (in stepped runs:
            deeper than before). If the run computes sensitivities, or is divided into parts (pass
            ``method=nsmb.EventDriven(divide=False)``).
        """
        if not changes:
            return
        core = self._core
        system = self._system.with_parameters(**changes)
        for name in ("components", "contact_names", "tangent_names", "element_names",
                     "constraint_names", "input_names"):  # fmt: skip
            before, after = getattr(self._system.labels, name), getattr(system.labels, name)
            if before != after:
                raise ValueError(f"set_parameters: must keep {name}, got {after} after {before}")
        run = self._core_run(system)
        self._equip(system, run)
        try:
            run.take_over(core)
        except ValueError as error:
            raise ValueError(f"set_parameters: {error}") from None
        if not self._parameter_rows:
            self._parameter_rows.append((0, tuple(self._system.parameters.values())))
        self._parameter_rows.append((run.sample_count, tuple(system.parameters.values())))
        self._recording.set_parameters(system.parameters, self._parameter_rows)
        self._take(system, run)

    def _apply_pending(self) -> bool:
        """Apply the pending changes of effects, and return True if the run continues afterwards."""
        goes_on = self._core.is_paused
        pending = self._pending.copy()
        self._pending.clear()
        for change in pending:
            try:
                if change.inputs:
                    self.set(**change.inputs)
                self.set_parameters(**change.parameters)
            except (TypeError, ValueError) as error:
                raise ValueError(f"effect of event {change.event!r}: {error}") from None
        return goes_on and not any(change.stops for change in pending)

    def copy(self) -> Simulator:
        """Return an independent simulator in the same state, for example to try out an input.

        Contact states, inputs and parameters are copied. The record so far is not: the record of
        the copy starts at :attr:`t`, in memory. With stepping methods except :class:`Hybrid`, the
        motion of the copy is bitwise identical. With event-driven methods and Hybrid, the motion
        restarts at the current state, and differs within the tolerances. Functions of the system
        and of events are shared, together with any internal memory.

        Returns
        -------
        Simulator

        Raises
        ------
        ValueError
            If the run cannot continue, was stopped by an exception, or computes sensitivities.

        Examples
        --------
        >>> import nsmb
        >>> motor = nsmb.Input("motor", unit="N")
        >>> cart = nsmb.LinearSystem([[2.0]], force=nsmb.Force(inputs={motor: [1.0]}))
        >>> sim = nsmb.Simulator(cart)
        >>> sim.advance(1.0)
        >>> trial = sim.copy()
        >>> trial.set(motor=4.0)
        >>> trial.advance(2.0)
        >>> trial.q, sim.q, sim.t
        (array([1.]), array([0.]), 1.0)
        """
        core = self._core
        if self._by is not None:
            raise ValueError(
                "copy: must be called on a run without sensitivities, got one with "
                "sensitivities. Create Simulator(..., sensitivity=...) and call "
                "reset(start=sim.solution)."
            )
        kept = self._recording.kind if self._recording.kind in ("events", "nothing") else "memory"
        twin = Simulator(
            self.system,
            self.method,
            output_step=self.output_step,
            events=self._events,
            record=kept,
        )
        twin._run.begin_as(core)
        twin._t_start = core.t
        twin._method_reason = self.method_reason
        return twin

    def drop_samples(self) -> None:
        """Drop all samples, events and steps so far, except for a sample of the current state.

        A loop that runs indefinitely then needs only the memory of one iteration. If the run is
        recorded in a file, the rows are written to the file first.
        """
        if self._recording.forget(self._core):
            self._parameter_rows = [(0, values) for _, values in self._parameter_rows[-1:]]

    def close(self) -> None:
        """Write the remaining rows and close the file, if the run is recorded in one."""
        try:
            if self._recording.is_open:
                self.solution  # noqa: B018 - it tells the file how the run stands
        finally:
            self._recording.close()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def step(self, t_max: float | None = None) -> Event | None:
        """Run to the next event, the next output point or `t_max`, whichever comes first.

        With a stepping method, take one step.

        Returns
        -------
        Event or None
            The first event at the time reached. None at an output point or `t_max`, or if the step
            has neither an impact nor a user-defined event.
        """
        core = self._core
        stop = math.inf if t_max is None else float(t_max)
        if isinstance(self.method, Stepping):
            stop = min(stop, core.t + 2.0 * self.method.step)
        elif self.output_step > 0.0:
            start = self._t_start or 0.0
            passed = math.floor((core.t - start) / self.output_step + 1e-9)
            stop = min(stop, start + (passed + 1.0) * self.output_step)
        if not math.isfinite(stop):
            raise ValueError("t_max: expected a time when output_step is 0, got None")
        before = core.event_count
        self._advance(stop, one_event=True)
        if core.event_count == before:
            return None
        labels = self._event_labels
        if labels is None:
            labels = dataclasses.replace(self.system.labels, user_event_names=self._user_events)
            self._event_labels = labels
        return Events.first_from_core(labels, core.events_from(before))

    def advance(self, t_end: float) -> None:
        """Run to `t_end`, or to an event that stops the run.

        Raises
        ------
        ValueError
            If `t_end` is before the current time.
        SimulationError
            If the run cannot continue; the attribute ``solution`` holds the partial result.
        """
        self._advance(t_end, one_event=False)

    def _advance(self, t_end: float, *, one_event: bool) -> None:
        status = run(self, t_end, one_event=one_event, monitor=None)
        if status not in ("finished", "ready", "stopped"):
            raise SimulationError(self._core.message, self.solution)

    @property
    def t(self) -> float:
        """The current time, in s."""
        return self._core.t

    @property
    def q(self) -> Vector:
        """Coordinates at :attr:`t`, after its events, shape (nq,)."""
        return self._core.y[: self._nq]

    @property
    def u(self) -> Vector:
        """Velocities at :attr:`t`, after its events, shape (nu,)."""
        return self._core.y[self._nq : self._nq + self._nu]

    @property
    def x(self) -> Vector:
        """Internal states at :attr:`t`, after its events, shape (nx,)."""
        return self._core.y[self._nq + self._nu :]

    def __getitem__(self, name: str) -> float:
        """Return a coordinate, a velocity, an internal state or an input at :attr:`t` by its name.

        The velocity of a coordinate ``y`` is called ``y_dot``. Unknown names raise a KeyError."""
        core = self._core
        return float(self._system.labels.pick(name, core.y, core.inputs, "simulator"))

    @property
    def element_mode(self) -> NDArray[np.int8]:
        """Modes of the force elements at :attr:`t`, shape (ne,): 1 if active, otherwise 0."""
        return self._core.element_mode

    @property
    def contact_state(self) -> NDArray[np.int8]:
        """Values of :class:`ContactState` at :attr:`t`, after its events, shape (nc,)."""
        return self._core.contact_state

    def _last(self, name: str) -> Vector:
        core = self._core
        if core.is_undecided:
            self.advance(core.t)  # forces are available once the contact states are determined
        return core.last_sample(name)

    @property
    def g_N(self) -> Vector:
        """Gaps at :attr:`t`, shape (nc,), in m."""
        return self._last("g_N")

    @property
    def gamma_N(self) -> Vector:
        """Normal velocities at :attr:`t`, after its events, shape (nc,), in m/s."""
        return self._last("gamma_N")

    @property
    def gamma_T(self) -> Vector:
        """Slip velocities at :attr:`t`, after its events, shape (nt,), in m/s."""
        return self._last("gamma_T")

    @property
    def lambda_N(self) -> Vector:
        """Normal forces at :attr:`t` with the current inputs, after its events, (nc,), in N."""
        return self._last("lambda_N")

    @property
    def lambda_T(self) -> Vector:
        """Friction forces at :attr:`t` with the current inputs, after its events, (nt,), in N."""
        return self._last("lambda_T")

    @property
    def energy(self) -> Energy:
        """Energies at :attr:`t`, after its events."""
        core = self._core
        at = _simulation.evaluate_energies(
            self._system._core,
            np.array([core.t]),
            core.y[None, :],
            core.element_mode[None, :].astype(np.float64),
            core.inputs[None, :],
        )
        return Energy(*(float(at[name][0]) for name in ("kinetic", "potential", "element_energy")))

    @property
    def sensitivity(self) -> Sensitivity | None:
        """Derivative of the run since :meth:`reset`; None unless `sensitivity` was requested.

        Inputs set during the run count as given values at given times."""
        data = self._core.variation
        if data is None or self._by is None:
            return None
        return Sensitivity.of(self.system, data, self._by)

    @property
    def solution(self) -> Solution:
        """A copy of all results since :meth:`reset` or :meth:`drop_samples`.

        The cost of the copy grows with the length of the run. For models with detected contact
        points, the status is a failure if bodies overlap at the end."""
        status, message = self._core.status, self._core.message
        if status == "finished" and self.system._core.has_features:
            missed = overlap_message(self.system, self.method, self.t, self.q)
            status, message = ("integration_failure", missed) if missed else (status, message)
        self._recording.pass_on(self._core)
        data = self._recording.left(self._core.trajectory())
        for column in data.values():
            column.setflags(write=False)  # the arrays are not shared
        if self._parameter_rows:
            rows, values = zip(*self._parameter_rows, strict=True)
            samples = self._recording.places(self._core, data["t"].size)
            place = np.searchsorted(rows, samples, side="right") - 1
            data["parameters"] = np.array(values)[place]
        stats = self._core.statistics
        self._recording.say(data, status=status, message=message, stats=stats)
        return Solution.from_core(
            self.system,
            data,
            status=status,
            message=message,
            stats=stats,
            record=self._recording.kind,
            sensitivity=self.sensitivity,
            method=self.method,
            method_reason=self.method_reason,
            user_events=self._user_events,
        )


def run(
    simulator: Simulator,
    t_end: float,
    *,
    one_event: bool,
    monitor: Callable[[float], object] | None,
) -> str:
    """Advance the run; attach the partial solution to exceptions of the system and to Ctrl-C."""
    try:
        simulator._begin_recording()
        status = simulator._core.advance(float(t_end), one_event, monitor)
        while status == "stopped" and simulator._apply_pending():
            if one_event:
                return "ready"
            status = simulator._core.advance(float(t_end), one_event, monitor)
        return status
    except KeyboardInterrupt:
        message = f"interrupted at t = {simulator.t:.6g} s"
        raise SimulationInterrupted(message, simulator.solution) from None
    except BaseException as error:
        if simulator._recording.has_failed:
            simulator._recording.close()
        if simulator._recording.has_failed or simulator._core.status in (
            "system_error",
            "interrupted",
            "stopped",
        ):
            # The exception must be raised unchanged. Therefore the solution becomes an attribute.
            error.solution = simulator.solution  # type: ignore[attr-defined]
        raise

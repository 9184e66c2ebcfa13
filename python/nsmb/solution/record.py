"""The data of a solution: samples, events and the motion between them, with their labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.labels import Labels
from nsmb.events import Events
from nsmb.solution.core_tables import core_tables
from nsmb.solution.dense_output import DenseOutput
from nsmb.solution.described import Described
from nsmb.solution.forces import contact_forces
from nsmb.solution.sample import Sample
from nsmb.system.base import System

if TYPE_CHECKING:
    from nsmb.solution.sensitivity import Sensitivity
    from nsmb.system.method import Method

__all__ = ["Record"]

Floats = NDArray[np.float64]


class Record:
    """The data part of a `Solution`, whose docstring describes the attributes."""

    def __init__(
        self,
        data: Mapping[str, NDArray[Any]],
        *,
        system: System | Described | None,
        system_name: str,
        parameters: Mapping[str, float],
        status: str,
        message: str,
        stats: Mapping[str, float | int],
        labels: Labels,
        sensitivity: Sensitivity | None = None,
        method: Method | None = None,
        method_reason: str = "",
        record: str = "memory",
    ) -> None:
        self.labels = labels
        self._system = system
        self._refusal = ""
        self._piece_systems: tuple[System, list[tuple[slice, System]]] | None = None
        self.method = method
        self.method_reason = method_reason
        self.record = record
        self.sensitivity = sensitivity
        self._dense_output: DenseOutput | None = None
        self.system_name = system_name
        self.parameters = MappingProxyType(dict(parameters))
        self.status = status
        self.message = message
        self.stats = dict(stats)
        self._data = core_tables(data, labels)
        nq, self._nu = len(labels.coordinates), len(labels.velocities)
        self.t: Floats = self._data["t"]
        self.q: Floats = self._data["y"][:, :nq]
        self.u: Floats = self._data["y"][:, nq : nq + self._nu]
        self.x: Floats = self._data["y"][:, nq + self._nu :]
        self.g_N: Floats = self._data["g_N"]
        self.gamma_N: Floats = self._data["gamma_N"]
        self.gamma_T: Floats = self._data["gamma_T"]
        self.lambda_N: Floats = self._data["lambda_N"]
        self.lambda_T: Floats = self._data["lambda_T"]
        self.friction_loss: Floats = self._data["friction_loss"]
        self.contact_state: NDArray[np.int8] = self._data["contact_state"]
        self.lambda_B: Floats = self._data["lambda_B"]
        features = self._data["features"]
        self.features: NDArray[np.int32] = features.reshape(self.t.size, features.shape[1] // 2, 2)
        self.element_gamma: Floats = self._data["element_gamma"]
        self.element_force: Floats = self._data["element_force"]
        self.element_mode: NDArray[np.int8] = self._data["element_mode"]
        nothing: Floats = np.zeros((self.t.size, 0))
        self.inputs: Floats = self._data.get("inputs", nothing)

    @property
    def system(self) -> System:
        """The simulated system.

        A loaded solution builds its system on first access, also by methods such as `plot` and
        `check`. This requires a ready-made system or one defined by :func:`nsmb.parametric`; the
        user must set any other system. Name and parameters are read from the file. If parameters
        are unusual, another process builds the system first, with limits on time and memory.

        Raises
        ------
        ValueError
            If the system is unknown, or if the system in the file cannot be built within the
            limits.
        """
        if isinstance(self._system, Described):
            try:
                if self._refusal:  # do not repeat a trial that may have taken minutes
                    raise ValueError(self._refusal)
                self._system = self._system.build()
            except ValueError as error:
                self._refusal = str(error)
                raise ValueError(f"solution.system is not available ({error})") from None
        if self._system is None:
            raise ValueError(
                f"`solution.system`: must be known, got a solution of {self.system_name!r} without "
                "its system. Set solution.system to the system that was simulated."
            )
        return self._system

    @system.setter
    def system(self, system: System | None) -> None:
        if not isinstance(system, System | None):
            raise TypeError(
                f"`solution.system`: must be a System or None, got {type(system).__name__}. Build "
                "the system that was simulated."
            )
        self._system = system

    @property
    def _system_or_none(self) -> System | None:
        """The system; None if it is unknown or cannot be built."""
        try:
            return self.system
        except ValueError:
            return None

    @cached_property
    def events(self) -> Events:
        """Impacts, changes of contact states, switches and user-defined events.

        Raises ValueError if the run did not record events; ``stats`` has their number."""
        self._check_kept("events")
        return Events.from_core(self.labels, self._data)

    def __getitem__(self, name: str) -> Floats:
        """Return a coordinate, a velocity, an internal state or an input by its name, shape (n,).

        The velocity of a coordinate ``y`` is called ``y_dot``.

        Raises KeyError for an unknown name."""
        column: Floats = self.labels.pick(name, self._data["y"], self.inputs, "solution")
        return column

    @property
    def _remedy(self) -> str:
        """The remedy in messages about data that the run did not record."""
        if self.record in ("events", "nothing"):
            return 'simulate with record="memory"'
        return f"read the whole run with nsmb.Solution.load({self.record!r})"

    @property
    def _has_events(self) -> bool:
        return self.record in ("memory", "events")

    def _check_kept(self, what: str) -> None:
        if not self._has_events:
            raise ValueError(f"{what}: the run recorded only its start and end; {self._remedy}")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the columns of `q`."""
        return self.labels.coordinates

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Units of the columns of `q`."""
        return self.labels.coordinate_units

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the columns of shape (n, nc)."""
        return self.labels.contact_names

    @property
    def tangent_names(self) -> tuple[str, ...]:
        """Names of the columns of shape (n, nt)."""
        return self.labels.tangent_names

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the columns of `x`."""
        return self.labels.states

    @property
    def element_names(self) -> tuple[str, ...]:
        """Names of the columns of shape (n, ne)."""
        return self.labels.element_names

    @property
    def gapless(self) -> frozenset[str]:
        """Names in `contact_names` that belong to a `nsmb.Friction`, which has no gap."""
        return self.labels.gapless

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the columns of `lambda_B`."""
        return self.labels.constraint_names

    @property
    def parameter_values(self) -> Mapping[str, Floats]:
        """Values of the parameters that were changed during the run, by name, shape (n,)."""
        table = self._data.get("parameters")
        if table is None:
            return MappingProxyType({})
        columns = zip(self.labels.parameter_names, table.T, strict=True)
        return MappingProxyType(
            {name: column for name, column in columns if (column != column[:1]).any()}
        )

    @property
    def _has_parameters_set(self) -> bool:
        return "parameters" in self._data

    @property
    def _pieces(self) -> list[tuple[slice, System]]:
        """Ranges of consecutive samples with the same parameters, and the system with these.

        There is one range if no parameter was changed."""
        system, table = self.system, self._data.get("parameters")
        if table is None or not self.t.size:
            return [(slice(0, self.t.size), system)]
        if self._piece_systems is None or self._piece_systems[0] is not system:
            first = [0, *(np.flatnonzero((table[1:] != table[:-1]).any(axis=1)) + 1).tolist()]
            names = self.labels.parameter_names
            systems = [
                system.with_parameters(**dict(zip(names, table[k].tolist(), strict=True)))
                for k in first
            ]
            ends = [*first[1:], self.t.size]
            spans = [slice(k, end) for k, end in zip(first, ends, strict=True)]
            self._piece_systems = system, list(zip(spans, systems, strict=True))
        return self._piece_systems[1]

    def _piece_of(self, times: Floats) -> NDArray[np.intp]:
        """Return the index in `_pieces` of each time; a range includes its end."""
        starts = [self.t[span.start] for span, _ in self._pieces[1:]]
        return np.searchsorted(np.array(starts, dtype=np.float64), times, side="left")

    def _inputs_at(self, times: Floats, side: Literal["left", "right"]) -> Floats:
        """Return inputs at times inside the run, after or before changes there, shape (m, ni)."""
        row = np.searchsorted(self.t, times, side=side) - (1 if side == "right" else 0)
        result: Floats = self.inputs[np.clip(row, 0, max(self.t.size - 1, 0))]
        return result

    @property
    def success(self) -> bool:
        """True if the run reached `t_end` or was stopped by a user-defined event."""
        return self.status in ("finished", "stopped")

    @property
    def step_t(self) -> Floats:
        """End times of the steps, shape (m,), in s.

        They are the times of the other attributes ``step_...``. In an event-driven run, the steps
        are those of the integrator."""
        ends: Floats = self._data["step_end"]
        return ends

    @property
    def step_residual(self) -> Floats:
        """Residuals of the contact laws in each step of a stepped run, shape (m,).

        They are relative to the largest relative velocity in the step."""
        return self._of_steps("step_residual")

    @property
    def step_status(self) -> NDArray[np.int8]:
        """Values of `nsmb.results.StepStatus` for each step of a stepped run, shape (m,)."""
        return self._of_steps("step_status")

    @property
    def step_iterations(self) -> NDArray[np.int32]:
        """Number of solver iterations in each step of a stepped run, shape (m,).

        With `Model.collide`, these are iterations for the contact problem of the shapes. With
        `PositionForces` and `VelocityForces`, they are the number of contact problems solved until
        the contact laws are satisfied at the end of the step."""
        return self._of_steps("step_iterations")

    @property
    def step_order(self) -> NDArray[np.int8]:
        """Order of the integrator in each step of a run with ``step_log=True``, shape (m,).

        The order is 0 for motion in closed form and for time-stepping schemes."""
        return self._of_steps("step_order")

    @property
    def step_seconds(self) -> Floats:
        """Processor time of each step of a run with ``step_log=True``, shape (m,), in s.

        Rejected attempts are included. The time for events is not."""
        return self._of_steps("step_seconds")

    @property
    def real_time_factor(self) -> Floats:
        """Processor time divided by the length of each step, with ``step_log=True``, shape (m,).

        Above 1, the computation is slower than the motion. Source: (6.19) of Ebrahimi (2007)."""
        length: Floats = self._data["step_end"] - self._data["step_start"]
        factor: Floats = self.step_seconds / length
        return factor

    def _of_steps(self, name: str) -> NDArray[Any]:
        if name not in self._data:
            wanted = "method=nsmb.Midpoint(step), or another time-stepping method"
            if name in ("step_order", "step_seconds"):
                wanted = (
                    "method=nsmb.EventDriven(step_log=True), or another method with step_log=True"
                )
            raise ValueError(f"{name}: must be read from a run with {wanted}, got a run without it")
        return self._data[name]

    @property
    def has_dense_output(self) -> bool:
        """True if `at` can evaluate the motion between the samples."""
        return self._data["coefficients"].size > 0 or (self.t.size > 0 and self.t[0] == self.t[-1])

    @property
    def t_span(self) -> tuple[float, float]:
        """First and last time of the run in s; ValueError if it ended before its first sample."""
        if self.t.size == 0:
            raise ValueError(f"t: the run ended before its first sample ({self.message})")
        ends = self._data["step_end"]
        return float(self.t[0]), float(max(self.t[-1], ends[-1] if ends.size else -np.inf))

    def at(self, t: ArrayLike, side: Literal["left", "right"] = "right") -> Sample:
        """Return the motion at any time, evaluated from the polynomials of the integration steps.

        Parameters
        ----------
        t : float or array_like
            Times between the first and the last sample, s.
        side : {"right", "left"}
            State at a time with events: after the last of them, or before the first. This also
            applies at the start and at the end of the run.

        Returns
        -------
        Sample
            The motion; ``q`` has shape (nq,) for a number, and ``t.shape + (nq,)`` for an array.

        Raises
        ------
        ValueError
            If a time is outside the run, or if the run was computed with ``dense_output=False``.
        """
        if side not in ("left", "right"):
            raise ValueError(f"side: expected 'left' or 'right', got {side!r}")
        times = np.asarray(t, dtype=np.float64)
        first, last = self.t_span
        outside = times[~((times >= first) & (times <= last))]
        if outside.size:
            start, end, wrong = (
                repr(float(value)).removesuffix(".0") for value in (first, last, outside.flat[0])
            )
            raise ValueError(f"t: expected times from {start} to {end}, got {wrong}")
        if not self.has_dense_output:
            remedy = "simulate with method=nsmb.EventDriven(dense_output=True)"
            if self.record != "memory":
                remedy = self._remedy
            raise ValueError(f"t: the run has no dense output; {remedy}")
        flat, state = self._evaluate(times.ravel(), side)
        y = flat.reshape(*times.shape, flat.shape[-1])
        nq = len(self.coordinates)
        return Sample(
            t=float(times) if times.ndim == 0 else times,
            q=y[..., :nq],
            u=y[..., nq : nq + self._nu],
            x=y[..., nq + self._nu :],
            contact_state=state.reshape(*times.shape, state.shape[-1]),
            labels=self.labels,
            _ask=None if self._system is None else partial(self._forces, times, flat, state, side),
        )

    def __call__(self, t: ArrayLike, side: Literal["left", "right"] = "right") -> Floats:
        """Return y = (q, u, x) at any time of the run, see `at`.

        Parameters
        ----------
        t : float or array_like
            Times between the first and the last sample, s.
        side : {"right", "left"}
            State at a time with events: after the last of them, or before the first.

        Returns
        -------
        ndarray
            Shape (ny,) for a number, ``t.shape + (ny,)`` for an array. The names of the components
            are `labels.components`.

        Raises
        ------
        ValueError
            As for `at`.
        """
        sample = self.at(t, side)
        return np.concatenate([sample.q, sample.u, sample.x], axis=-1)

    def _forces(
        self, times: Floats, y: Floats, state: NDArray[np.int8], side: str
    ) -> dict[str, Floats]:
        stepped = "step_status" in self._data
        found = contact_forces(self.system, self._data, times.ravel(), y, state, side, not stepped)
        return {name: table.reshape(*times.shape, table.shape[-1]) for name, table in found.items()}

    def _evaluate(self, times: Floats, side: str) -> tuple[Floats, NDArray[np.int8]]:
        """Return y and contact states at times (m,) inside the run."""
        if self._dense_output is None:
            self._dense_output = DenseOutput(self._data)
        return self._dense_output.at(times, side)

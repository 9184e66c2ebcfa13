"""Single and multiple shooting: the equations of a periodic orbit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.maps.sections import StroboscopicSection
from nsmb.analysis.orbits.flow import Flow, FlowResult
from nsmb.analysis.orbits.newton import Unreachable
from nsmb.analysis.orbits.tangent import projected, tangent_basis
from nsmb.system.base import System

__all__ = ["Evaluation", "Mesh", "Shooting"]

Vector = NDArray[np.float64]

_AT_REST = 1e-9  # travel over a duration, in units of the motion


@dataclass(frozen=True, eq=False)
class Mesh:
    """A closed motion, cut at m smooth points, as the start of Newton's method."""

    t_0: float
    """Time of the first point in s; within the first period if the system has one."""
    phases: Vector
    """Times after the first point, in units of the duration, shape (m,); phases[0] = 0."""
    states: Vector
    """States at the points, shape (m, n)."""
    contact_states: NDArray[np.int8]
    """Contact states at the points, shape (m, nc)."""
    duration: float
    """Duration in s."""
    cycles: int
    """Periods of the system in the duration; 0: autonomous, with an unknown duration."""
    scale: Vector
    """Sizes of the components along the motion, shape (n,)."""
    invariant: NDArray[np.bool_]
    """Coordinates on which the motion does not depend, shape (n,); they need not close."""
    turn: Vector
    """Given change of angles in a period, multiples of 2π, shape (n,)."""
    base_period: StroboscopicSection | None = None
    """Section that defines the period of a system in time; None: autonomous."""

    def bases(self, flow: Flow) -> list[Vector]:
        """Return the tangent spaces at the points in units of `scale`, without invariant ones."""
        return [
            tangent_basis(flow.system, t, y, states, self.scale, self.invariant)
            for t, y, states in zip(self.times, self.states, self.contact_states, strict=True)
        ]

    @property
    def times(self) -> Vector:
        """Times of the points in s, shape (m,)."""
        return self.t_0 + self.phases * self.duration


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The equations at one point."""

    F: Vector
    """Residual without units, shape (N,)."""
    J: Vector
    """Derivative, shape (N, N), or (N, N + 1) with a parameter."""
    mesh: Mesh
    """The motion at this point."""
    runs: tuple[FlowResult, ...]
    """Results of the runs, one per segment."""
    flow: Flow
    """Flow that performed the runs."""
    parameter: float = np.nan
    """Value of the parameter, if there is one."""

    @property
    def system(self) -> System:
        """The system at this value of the parameter."""
        return self.flow.system


class Shooting:
    """The equations ``F(X) = 0``: the end of each segment is the start of the next one.

    X contains the points of the mesh in the coordinates of their tangent spaces, relative to `mesh`
    and in units of its scale. For autonomous systems, duration / first duration - 1 follows. With a
    parameter, the last component is (parameter - first value) / `parameter_scale`.
    """

    def __init__(
        self,
        flow: Flow,
        mesh: Mesh,
        *,
        parameter: str | None = None,
        parameter_scale: float = 1.0,
    ) -> None:
        self.flow, self.mesh = flow, mesh
        self.parameter, self.parameter_scale = parameter, parameter_scale
        self.bases = mesh.bases(flow)
        self.value = 0.0 if parameter is None else float(flow.system.parameters[parameter])
        self._ends = np.cumsum([0] + [basis.shape[1] for basis in self.bases])
        self.size = int(self._ends[-1]) + (mesh.cycles == 0)
        self._anchor = np.zeros(0)
        self.period_moves = mesh.base_period is not None
        """True if the period may depend on the parameter. This does not change along a branch."""

    @property
    def start(self) -> Vector:
        """The unknowns X of the mesh itself."""
        return np.zeros(self.size + (self.parameter is not None))

    def with_flow(self, flow: Flow, mesh: Mesh) -> Shooting:
        """Return the equations of a neighbouring system in the coordinates of this one."""
        other = Shooting(flow, mesh, parameter=self.parameter, parameter_scale=self.parameter_scale)
        other.bases, other._anchor = self.bases, self._anchor
        other.period_moves = self.period_moves
        return other

    def _flow_at(self, value: float) -> Flow:
        if self.parameter is None or value == self.value:
            return self.flow
        try:
            system = self.flow.system.with_parameters(**{self.parameter: value})
        except ValueError as error:
            raise Unreachable("inadmissible", str(error)) from None
        return Flow(system, self.flow.method)

    def _moved(self, X: Vector) -> tuple[Flow, Mesh, float]:
        mesh = self.mesh
        value = self.value
        if self.parameter is not None:
            value = self.value + self.parameter_scale * float(X[-1])
        flow = self._flow_at(value)
        duration, t_0 = mesh.duration, mesh.t_0
        if mesh.cycles == 0:
            duration = mesh.duration * (1.0 + float(X[self._ends[-1]]))
            if not duration > 0.0:
                raise Unreachable("no_convergence", f"a duration of {duration:.3g} s")
        elif self.parameter is not None and mesh.base_period is not None:
            ratio = mesh.base_period.period_of(flow.system) / mesh.base_period.period_of(
                self.flow.system
            )
            duration, t_0 = mesh.duration * ratio, mesh.t_0 * ratio
        states = np.array(
            [
                self._projected(flow.system, t_0 + phase * duration, y, modes)
                for phase, y, modes in zip(
                    mesh.phases, self._states(X), mesh.contact_states, strict=True
                )
            ]
        )
        moved = dataclasses.replace(mesh, t_0=t_0, duration=duration, states=states)
        return flow, moved, value

    def _states(self, X: Vector) -> Vector:
        rows = [
            y + self.mesh.scale * (basis @ X[first:last])
            for y, basis, first, last in zip(
                self.mesh.states, self.bases, self._ends[:-1], self._ends[1:], strict=True
            )
        ]
        return np.array(rows)

    def _projected(self, system: System, t: float, y: Vector, modes: NDArray[np.int8]) -> Vector:
        try:
            return projected(system, t, y, modes, self.mesh.scale)
        except ValueError as error:
            raise Unreachable("no_convergence", str(error)) from None

    def evaluate(self, X: Vector) -> Evaluation:
        """Return F and its derivative at X.

        Raises
        ------
        Unreachable
            If a run fails, or if the parameter cannot take its value.
        """
        flow, mesh, value = self._moved(X)
        m, scale = mesh.phases.size, mesh.scale
        lengths = np.diff(np.append(mesh.phases, 1.0))
        names = () if self.parameter is None else (self.parameter,)
        runs = []
        for t, y, length in zip(mesh.times, mesh.states, lengths, strict=True):
            try:
                run = flow.run(t, y, length * mesh.duration, derivative=True, parameters=names)
            except ValueError as error:
                raise Unreachable("simulation_failed", str(error)) from None
            if not run.success:
                raise Unreachable("simulation_failed", f"{run.status}: {run.message}")
            runs.append(run)
        F = np.zeros(self.size)
        J = np.zeros((self.size, X.size))
        for j, run in enumerate(runs):
            after = (j + 1) % m
            rows = slice(self._ends[after], self._ends[after + 1])
            columns = slice(self._ends[j], self._ends[j + 1])
            down = self.bases[after].T / scale
            end = run.y - (mesh.turn if after == 0 else 0.0)
            F[rows] = down @ (end - mesh.states[after])
            J[rows, columns] += down @ run.D @ (scale[:, None] * self.bases[j])
            J[rows, rows] -= np.eye(rows.stop - rows.start)
            if mesh.cycles == 0:
                J[rows, self._ends[-1]] = down @ run.rate_end * lengths[j] * self.mesh.duration
        if mesh.cycles == 0:
            row = self._phase_condition(runs[0])
            F[-1] = row @ X[: self._ends[1]]
            J[-1, : self._ends[1]] = row
        if self.parameter is not None:
            J[:, -1] = self._by_parameter(X, flow, mesh, value, runs)
        return Evaluation(F, J, mesh, tuple(runs), flow, value)

    def turned(self, found: Evaluation) -> bool:
        """Return True if the motion passes its start in the opposite direction.

        This happens on a branch if an orbit has shrunk to an equilibrium in between.
        """
        if self.mesh.cycles > 0 or self._anchor.size == 0:
            return False
        now = self.bases[0].T @ (found.runs[0].rate_start / self.mesh.scale)
        return float(self._anchor @ now) <= 0.0

    def _phase_condition(self, run: FlowResult) -> Vector:
        """Return the condition f(y_ref)·(y_0 - y_ref) = 0: the start stays fixed along the
        orbit."""
        if self._anchor.size == 0:
            row = self.bases[0].T @ (run.rate_start / self.mesh.scale)
            size = float(np.linalg.norm(row))
            if not size * self.mesh.duration > _AT_REST:
                raise Unreachable(
                    "no_convergence", "the motion is at rest; equilibrium() finds states of rest"
                )
            self._anchor = row / size
        return self._anchor

    def _by_parameter(
        self, X: Vector, flow: Flow, mesh: Mesh, value: float, runs: list[FlowResult]
    ) -> Vector:
        """Return dF/dp in units of `parameter_scale`.

        Times vary with the period of the system, and starts vary with the constraints.
        """
        m, scale, h = mesh.phases.size, mesh.scale, 1e-5 * self.parameter_scale
        by_time = np.zeros(m + 1)
        starts = np.zeros((m, scale.size))
        moving = mesh.cycles > 0 and self.period_moves
        free = scale.size - int(mesh.invariant.sum())
        constrained = any(basis.shape[1] < free for basis in self.bases)
        if moving or constrained:
            up, p_up = self._neighbour(X, h / self.parameter_scale) or (mesh, value)
            low, p_low = self._neighbour(X, -h / self.parameter_scale) or (mesh, value)
            width = p_up - p_low
            self.period_moves = bool(up.duration != low.duration or up.t_0 != low.t_0)
            by_time = np.append(up.times - low.times, 0.0) / width
            by_time[-1] = (up.t_0 + up.duration - low.t_0 - low.duration) / width
            starts = (up.states - low.states) / width
        column = np.zeros(self.size)
        for j, run in enumerate(runs):
            after = (j + 1) % m
            rows = slice(self._ends[after], self._ends[after + 1])
            end = (
                run.P[:, 0]
                + run.D @ (starts[j] - run.rate_start * by_time[j])
                + run.rate_end * by_time[j + 1]
                - starts[after]
            )
            column[rows] = (self.bases[after].T / scale) @ end
        return column * self.parameter_scale

    def _neighbour(self, X: Vector, change: float) -> tuple[Mesh, float] | None:
        moved = X.copy()
        moved[-1] += change
        try:
            _, mesh, value = self._moved(moved)
        except Unreachable:
            return None
        return mesh, value

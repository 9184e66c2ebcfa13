"""Equations of periodic orbits along a branch, and orbits that branch off."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.branches.arclength import Chart, Corrected, Family, correct
from nsmb.analysis.branches.causes import (
    approach,
    cause,
    confirms_pair,
    same_cycle,
    tests_of_multipliers,
    vanishing_impact,
)
from nsmb.analysis.common.errors import AnalysisError
from nsmb.analysis.maps.sections import Section
from nsmb.analysis.orbits.flow import Flow
from nsmb.analysis.orbits.guess import mesh_of
from nsmb.analysis.orbits.newton import Unreachable, newton
from nsmb.analysis.orbits.orbit import (
    PeriodicOrbit,
    failed_orbit,
    floquet_of,
    orbit_of,
    signature_of,
)
from nsmb.analysis.orbits.shooting import Evaluation, Mesh, Shooting
from nsmb.common.arguments import as_number
from nsmb.system.base import State

__all__ = ["OrbitChart", "OrbitFamily", "double_period"]

Vector = NDArray[np.float64]

_NEAR = 0.2  # relative to half a phase; a point nearer to an event is moved
_SHRUNK = 1e-2  # relative to the scale of the mesh
_NEXT_TO_ONE = 0.3
_AMPLITUDES = (1e-3, 3e-4, 1e-4, 3e-5, 3e-3, 1e-2, 3e-2)


class OrbitChart(Chart[Evaluation]):
    """The shooting equations around one orbit."""

    def __init__(self, flow: Flow, mesh: Mesh, parameter: str, width: float) -> None:
        self.shooting = Shooting(flow, mesh, parameter=parameter, parameter_scale=width)
        self.size = self.shooting.size

    def evaluate(self, X: Vector) -> Evaluation:
        return self.shooting.evaluate(X)

    def value(self, X: Vector) -> float:
        return self.shooting.value + self.shooting.parameter_scale * float(X[-1])

    def coordinate(self, value: float) -> float:
        return (value - self.shooting.value) / self.shooting.parameter_scale


class OrbitFamily(Family[PeriodicOrbit, Evaluation]):
    """Periodic orbits over a parameter."""

    def __init__(self, section: Section | None, parameter: str, width: float, tol: float) -> None:
        self.section, self.parameter, self.width, self.tol = section, parameter, width, tol
        self._multipliers: tuple[Evaluation, NDArray[np.complex128]] | None = None
        self._flow: Flow | None = None  # flow of the last point
        self._before: OrbitChart | None = None

    def chart(self, point: PeriodicOrbit) -> OrbitChart:
        assert point.mesh is not None
        flow = self._flow
        if flow is None or flow.system is not point.system:
            flow = Flow(point.system, point.method)
        chart = OrbitChart(flow, self.centred(flow, point), self.parameter, self.width)
        if self._before is not None:
            chart.shooting.period_moves &= self._before.shooting.period_moves
        self._before = chart
        return chart

    def centred(self, flow: Flow, orbit: PeriodicOrbit) -> Mesh:
        """Return the mesh of the orbit, moved if one of its points is near an event."""
        mesh = orbit.mesh
        assert mesh is not None
        if not _crowded(orbit, mesh):
            return mesh
        state = State(orbit.t, orbit.q, orbit.u, orbit.x)
        moved = mesh_of(
            flow,
            state,
            orbit.period,
            segments=mesh.phases.size,
            base_period=mesh.base_period,
        )
        shooting = Shooting(flow, moved)
        polished = newton(shooting.evaluate, shooting.start, tol=self.tol, max_iterations=5)
        if not polished.converged or polished.evaluation is None:
            return mesh
        return polished.evaluation.mesh

    def point(self, chart: Chart[Evaluation], found: Corrected[Evaluation]) -> PeriodicOrbit:
        assert isinstance(chart, OrbitChart)
        self._flow = found.evaluation.flow
        return orbit_of(self._flow, self.section, found.evaluation, found.residuals)

    def transfer(
        self, old: Chart[Evaluation], found: Corrected[Evaluation], new: Chart[Evaluation]
    ) -> Vector | None:
        assert isinstance(old, OrbitChart)
        assert isinstance(new, OrbitChart)
        before, after = old.shooting, new.shooting
        if not np.array_equal(found.evaluation.mesh.states, after.mesh.states):
            return None
        parts: list[Vector] = []
        first = 0
        for one, other in zip(before.bases, after.bases, strict=True):
            move = before.mesh.scale * (one @ found.tangent[first : first + one.shape[1]])
            parts.append(other.T @ (move / after.mesh.scale))
            first += one.shape[1]
        return np.concatenate([*parts, found.tangent[first:]])

    def signature(self, chart: Chart[Evaluation], found: Corrected[Evaluation]) -> tuple[str, ...]:
        return signature_of(found.evaluation)

    def same(self, one: Sequence[str], other: Sequence[str]) -> bool:
        return same_cycle(one, other)

    def tests(self, chart: Chart[Evaluation], found: Corrected[Evaluation]) -> dict[str, float]:
        matrix = np.vstack([found.evaluation.J, found.tangent])
        sign, logarithm = np.linalg.slogdet(matrix)
        return {
            "fold": float(found.tangent[-1]),
            "branch point": float(sign * math.exp(min(logarithm, 700.0))),
            **tests_of_multipliers(self._values(found.evaluation)),
        }

    def confirms(self, kind: str, chart: Chart[Evaluation], found: Corrected[Evaluation]) -> bool:
        return kind != "Neimark-Sacker" or confirms_pair(self._values(found.evaluation))

    def _values(self, evaluation: Evaluation) -> NDArray[np.complex128]:
        if self._multipliers is None or self._multipliers[0] is not evaluation:
            self._multipliers = evaluation, floquet_of(evaluation.flow, evaluation)[1].nontrivial
        return self._multipliers[1]

    def check(self, chart: Chart[Evaluation], found: Corrected[Evaluation]) -> None:
        assert isinstance(chart, OrbitChart)
        if chart.shooting.turned(found.evaluation):
            raise Unreachable("branch_end", "the orbit has shrunk to an equilibrium")

    def vanishing(self, kind: str, point: PeriodicOrbit) -> float:
        return approach(point) if kind == "grazing" else math.nan

    def extrapolates(self, kind: str, point: PeriodicOrbit) -> bool:
        return kind == "grazing" and vanishing_impact(point)

    def classify(self, before: PeriodicOrbit, after: PeriodicOrbit | None) -> tuple[str, str]:
        try:
            if after is None and _shrunk(before):
                return "Hopf", "the orbit has shrunk to an equilibrium"
            return cause(before, after)
        except Unreachable as error:
            return "event sequence", (
                f"the cause is unknown because a neighbouring run failed: {error}"
            )


def _shrunk(orbit: PeriodicOrbit) -> bool:
    """Return True if an orbit of an autonomous system is small compared with its scale."""
    mesh = orbit.mesh
    if mesh is None or mesh.cycles > 0 or orbit.event_sequence:
        return False
    sample = orbit.solution.at(orbit.t + orbit.period * np.linspace(0.0, 0.99, 50))
    rows = np.concatenate([sample.q, sample.u, sample.x], axis=1)
    travel = (np.ptp(rows, axis=0) / mesh.scale)[~mesh.invariant]
    return float(travel.max(initial=0.0)) < _SHRUNK


def _crowded(orbit: PeriodicOrbit, mesh: Mesh) -> bool:
    """Return True if a point of the mesh is near an event, compared with its phase."""
    events = orbit.event_times
    if events.size == 0:
        return False
    for phase in mesh.phases:
        ahead = np.sort((events - orbit.t - phase * mesh.duration) % mesh.duration)
        after, before = float(ahead[0]), mesh.duration - float(ahead[-1])
        if min(after, before) < 0.5 * _NEAR * (after + before):
            return True
    return False


def double_period(
    orbit: PeriodicOrbit, parameter: str, value: float, amplitude: float | None, tol: float
) -> PeriodicOrbit:
    """Return the orbit of twice the period that branches off at a period doubling.

    See :meth:`SpecialPoint.switch_branch`; `orbit` is the orbit at the doubling.
    """
    flow = Flow(orbit.system, orbit.method)
    mesh = orbit.mesh
    assert mesh is not None
    assert orbit.floquet is not None
    evaluation = Shooting(flow, mesh).evaluate(Shooting(flow, mesh).start)
    values, vectors = np.linalg.eig(orbit.floquet.block)
    flip = int(np.argmin(np.abs(values + 1.0)))
    move = mesh.scale * (orbit.floquet.basis @ vectors[:, flip].real)
    moves = [move]
    for run in evaluation.runs[:-1]:
        moves.append(run.D @ moves[-1])
    doubled = dataclasses.replace(
        mesh,
        phases=np.concatenate([mesh.phases, 1.0 + mesh.phases]) / 2.0,
        states=np.vstack([mesh.states, mesh.states + mesh.turn]),
        contact_states=np.vstack([mesh.contact_states, mesh.contact_states]),
        duration=2.0 * mesh.duration,
        cycles=2 * mesh.cycles,
        turn=2.0 * mesh.turn,
    )
    chart = OrbitChart(flow, doubled, parameter, max(abs(value), 1e-3))
    row = np.zeros(chart.size + 1)
    parts = [
        basis.T @ (step / mesh.scale)
        for basis, step in zip(chart.shooting.bases, moves + [-step for step in moves], strict=True)
    ]
    along = np.concatenate(parts)
    row[: along.size] = along / np.linalg.norm(along)
    trouble = Unreachable("no_convergence", "")
    doubled_orbit: PeriodicOrbit | None = None
    for size in _AMPLITUDES if amplitude is None else (as_number("amplitude", amplitude),):
        try:
            found = correct(chart, row, size, size * row, tol=tol, max_iterations=15, like=row)
        except Unreachable as error:
            trouble = error
            continue
        doubled_orbit = _halved_mesh(flow, orbit, found, tol)
        # Right after the doubling, one multiplier is close to 1. Otherwise the orbit may lie beyond
        # a further doubling.
        if amplitude is not None or np.abs(doubled_orbit.nontrivial - 1.0).min() < _NEXT_TO_ONE:
            return doubled_orbit
    if doubled_orbit is not None:
        return doubled_orbit
    failed = failed_orbit(flow, orbit.section, State(orbit.t, orbit.q, orbit.u, orbit.x), trouble)
    raise AnalysisError(f"no orbit of twice the period found: {trouble}", failed)


def _halved_mesh(
    flow: Flow, orbit: PeriodicOrbit, found: Corrected[Evaluation], tol: float
) -> PeriodicOrbit:
    """Return the orbit of twice the period with as many segments as the original orbit."""
    mesh = found.evaluation.mesh
    here = found.evaluation.flow
    q, u, x = here.split(mesh.states[0])
    assert orbit.mesh is not None
    fewer = mesh_of(
        here,
        State(mesh.t_0, q, u, x),
        mesh.duration,
        segments=orbit.mesh.phases.size,
        base_period=mesh.base_period,
    )
    shooting = Shooting(here, fewer)
    polished = newton(shooting.evaluate, shooting.start, tol=tol, max_iterations=10)
    if polished.converged and polished.evaluation is not None:
        return orbit_of(here, orbit.section, polished.evaluation, polished.residuals)
    return orbit_of(here, orbit.section, found.evaluation, found.residuals)

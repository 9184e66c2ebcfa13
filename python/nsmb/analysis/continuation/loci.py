"""Loci of folds and period doublings in two parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common import records
from nsmb.analysis.common.interruption import AnalysisInterrupted
from nsmb.analysis.continuation.arclength import Chart, Corrected, Family
from nsmb.analysis.continuation.branch import joined
from nsmb.analysis.continuation.curve import Curve, follow_both
from nsmb.analysis.continuation.orbits import OrbitFamily
from nsmb.analysis.continuation.span import span
from nsmb.analysis.continuation.special_points import SpecialPoint, same_cycle
from nsmb.analysis.orbits.flow import Flow
from nsmb.analysis.orbits.newton import Unreachable
from nsmb.analysis.orbits.orbit import RECORDS, PeriodicOrbit, orbit_of, signature_of
from nsmb.analysis.orbits.shooting import Evaluation, Mesh, Shooting
from nsmb.common.arguments import known_name
from nsmb.common.html import ShownAsTable

__all__ = ["BifurcationLocus", "doubling_curve", "fold_curve"]

Vector = NDArray[np.float64]

_STEP = 1e-6  # of central differences, in units of the chart
_TOL = 1e-9  # differences of the derivative stand in its way below


@dataclass(frozen=True, eq=False, repr=False)
class BifurcationLocus(ShownAsTable, records.Saved):
    """Folds or period doublings along a curve in the plane of two parameters."""

    _format: ClassVar[str] = "nsmb-curve"
    _called: ClassVar[str] = "curve of special points"

    kind: str
    """``fold`` or ``period doubling``."""
    parameters: tuple[str, str]
    values: Vector
    """(k, 2) of the parameters."""
    orbits: list[PeriodicOrbit]
    """The orbits there."""
    special_points: list[SpecialPoint]
    """``fold``: the curve turns back in the second parameter, as in a cusp; the rest as of
    :class:`Branch`."""
    status: str
    """As of :class:`Branch`."""
    message: str

    @classmethod
    def _parts(cls) -> tuple[type, ...]:
        return (*RECORDS, PeriodicOrbit, SpecialPoint)

    def __repr__(self) -> str:
        name = self.orbits[0].system.name
        first, second = self.parameters
        lines = [
            f"Curve of {self.kind} points of {name} over {first} and {second}: {self.status}",
            f"  {len(self.orbits)} points, {second} from {self.values[:, 1].min():.8g} to "
            f"{self.values[:, 1].max():.8g}",
        ]
        return "\n".join(lines + [f"  {point}" for point in self.special_points])


@dataclass(frozen=True, eq=False)
class _LocusEvaluation:
    F: Vector
    J: Vector
    orbit: Evaluation


class _LocusChart(Chart[_LocusEvaluation]):
    """The shooting equations and the condition of the locus, in the points of the orbit, the first
    parameter and the second."""

    def __init__(
        self,
        kind: str,
        flow: Flow,
        mesh: Mesh,
        names: tuple[str, str],
        widths: tuple[float, float],
    ) -> None:
        self.kind, self.flow, self.mesh = kind, flow, mesh
        self.names, self.widths = names, widths
        self.shooting = Shooting(flow, mesh, parameter=names[0], parameter_scale=widths[0])
        self.size = self.shooting.size + 1
        self.first = float(flow.system.parameters[names[1]])
        U, _, Vt = np.linalg.svd(self._matrix(self.shooting.evaluate(self.shooting.start)))
        self._left, self._right = U[:, -1], Vt[-1]

    def value(self, X: Vector) -> float:
        return self.first + self.widths[1] * float(X[-1])

    def coordinate(self, value: float) -> float:
        return (value - self.first) / self.widths[1]

    def _at(self, X: Vector) -> Evaluation:
        value = self.value(X)
        if value == self.first:
            return self.shooting.evaluate(X[:-1])
        try:
            system = self.flow.system.with_parameters(**{self.names[1]: value})
        except ValueError as error:
            raise Unreachable("inadmissible", str(error)) from None
        mesh = self.mesh
        if mesh.base_period is not None:
            ratio = mesh.base_period.period_of(system) / mesh.base_period.period_of(
                self.flow.system
            )
            mesh = dataclasses.replace(mesh, t_0=mesh.t_0 * ratio, duration=mesh.duration * ratio)
        flow = Flow(system, self.flow.method)
        return self.shooting.with_flow(flow, mesh).evaluate(X[:-1])

    def _matrix(self, here: Evaluation) -> Vector:
        """Singular on the border."""
        if self.kind == "fold":
            return here.J[:, :-1]
        basis, scale = self.shooting.bases[0], self.mesh.scale
        M = reduce(lambda product, run: run.D @ product, here.runs, np.eye(scale.size))
        reduced: Vector = basis.T @ (M * scale / scale[:, None]) @ basis
        return reduced + np.eye(len(reduced))

    def _condition(self, here: Evaluation) -> float:
        """Zero where the matrix is singular, and smooth there: the last unknown of the matrix
        bordered by its singular vectors at the first point."""
        A = self._matrix(here)
        bordered = np.block([[A, self._left[:, None]], [self._right[None, :], np.zeros((1, 1))]])
        right = np.zeros(len(A) + 1)
        right[-1] = 1.0
        return float(np.linalg.solve(bordered, right)[-1])

    def evaluate(self, X: Vector) -> _LocusEvaluation:
        here = self._at(X)
        F = np.append(here.F, self._condition(here))
        J = np.zeros((self.size, self.size + 1))
        J[:-1, :-1] = here.J
        for i in range(X.size):
            step = np.zeros(X.size)
            step[i] = _STEP
            above, below = self._at(X + step), self._at(X - step)
            J[-1, i] = (self._condition(above) - self._condition(below)) / (2.0 * _STEP)
            if i == X.size - 1:
                J[:-1, i] = (above.F - below.F) / (2.0 * _STEP)
        return _LocusEvaluation(F, J, here)


class _LocusFamily(Family[PeriodicOrbit, _LocusEvaluation]):
    """Orbits on the border."""

    def __init__(
        self,
        kind: str,
        orbit: PeriodicOrbit,
        names: tuple[str, str],
        widths: tuple[float, float],
    ) -> None:
        self.kind, self.names, self.widths = kind, names, widths
        self.orbits = OrbitFamily(orbit.section, names[0], widths[0], _TOL)

    def chart(self, point: PeriodicOrbit) -> _LocusChart:
        flow = Flow(point.system, point.method)
        return _LocusChart(
            self.kind, flow, self.orbits.centred(flow, point), self.names, self.widths
        )

    def point(
        self, chart: Chart[_LocusEvaluation], found: Corrected[_LocusEvaluation]
    ) -> PeriodicOrbit:
        orbit = found.evaluation.orbit
        assert isinstance(chart, _LocusChart)
        flow = Flow(orbit.system, chart.flow.method)
        return orbit_of(flow, self.orbits.section, orbit, found.residuals)

    def transfer(
        self,
        old: Chart[_LocusEvaluation],
        found: Corrected[_LocusEvaluation],
        new: Chart[_LocusEvaluation],
    ) -> Vector | None:
        assert isinstance(new, _LocusChart)
        same = np.array_equal(found.evaluation.orbit.mesh.states, new.mesh.states)
        return found.tangent if same else None

    def signature(
        self, chart: Chart[_LocusEvaluation], found: Corrected[_LocusEvaluation]
    ) -> tuple[str, ...]:
        return signature_of(found.evaluation.orbit)

    def same(self, one: Sequence[str], other: Sequence[str]) -> bool:
        return same_cycle(one, other)

    def tests(
        self, chart: Chart[_LocusEvaluation], found: Corrected[_LocusEvaluation]
    ) -> dict[str, float]:
        return {"fold": float(found.tangent[-1])}

    def confirms(
        self,
        kind: str,
        chart: Chart[_LocusEvaluation],
        found: Corrected[_LocusEvaluation],
    ) -> bool:
        return True

    def classify(self, before: PeriodicOrbit, after: PeriodicOrbit | None) -> tuple[str, str]:
        return self.orbits.classify(before, after)


def fold_curve(
    point: SpecialPoint,
    parameter: str,
    range: Sequence[float],
    *,
    step: float | None = None,
    max_points: int = 200,
    direction: int = 0,
) -> BifurcationLocus:
    """Folds of a branch as a second parameter changes.

    Parameters
    ----------
    point : SpecialPoint
        Of kind ``fold``, from :func:`continue_orbit`.
    parameter : str
        Name of the second parameter.
    range : (low, high)
        Of the second parameter, with its present value in it.
    step : float, optional
        First step in the second parameter; default 1/50 of the range.
    max_points : int
        In each direction.
    direction : {+1, -1, 0}
        In which the second parameter changes at first; 0: both.

    Returns
    -------
    BifurcationLocus

    Raises
    ------
    ValueError
        For a point of another kind, a parameter the system does not have or the first one again, or
        a range without its present value.
    """
    return _border_curve("fold", point, parameter, range, step, max_points, direction)


def doubling_curve(
    point: SpecialPoint,
    parameter: str,
    range: Sequence[float],
    *,
    step: float | None = None,
    max_points: int = 200,
    direction: int = 0,
) -> BifurcationLocus:
    """Period doublings of a branch as a second parameter changes.

    Parameters
    ----------
    point : SpecialPoint
        Of kind ``period doubling``, from :func:`continue_orbit`.
    parameter, range, step, max_points, direction
        As for :func:`fold_curve`.

    Returns
    -------
    BifurcationLocus

    Raises
    ------
    ValueError
        As for :func:`fold_curve`.
    """
    return _border_curve("period doubling", point, parameter, range, step, max_points, direction)


def _border_curve(
    kind: str,
    point: SpecialPoint,
    parameter: str,
    range: Sequence[float],
    step: float | None,
    max_points: int,
    direction: int,
) -> BifurcationLocus:
    if not isinstance(point, SpecialPoint) or point.kind != kind:
        got = getattr(point, "kind", type(point).__name__)
        raise ValueError(f"point: expected a special point {kind!r}, got {got!r}")
    orbit = point.orbit
    if not isinstance(orbit, PeriodicOrbit):
        raise ValueError(f"point: expected one of a branch of orbits, got {type(orbit).__name__}")
    known_name("parameter", parameter, orbit.parameters)
    orbit.system.with_parameters(**{parameter: float(orbit.parameters[parameter])})
    if parameter == point.parameter:
        raise ValueError(f"parameter: expected another one than {parameter!r} of the branch")
    value = float(orbit.parameters[parameter])
    steps = span(
        "point", parameter, value, range, direction,
        step=step, max_points=max_points, tol=_TOL, accuracy=1e-8,
    )  # fmt: skip
    names = (point.parameter, parameter)
    widths = (max(abs(point.value), 1e-3), steps.high - steps.low)
    try:
        curves = follow_both(
            lambda: _LocusFamily(kind, orbit, names, widths), orbit, value, direction, steps
        )
    except AnalysisInterrupted as interruption:
        so_far = _curve(kind, names, interruption.result)
        raise AnalysisInterrupted(interruption.args[0], so_far) from None
    return _curve(kind, names, curves)


def _curve(
    kind: str, names: tuple[str, str], curves: Sequence[tuple[int, Curve[PeriodicOrbit]]]
) -> BifurcationLocus:
    seconds, orbits, special, status, message = joined(curves, names[1])
    firsts = [orbit.parameters[names[0]] for orbit in orbits]
    values = np.column_stack([firsts, seconds])
    return BifurcationLocus(kind, names, values, orbits, special, status, message)

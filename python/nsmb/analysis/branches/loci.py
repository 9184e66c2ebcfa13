"""Loci of folds and period doublings in two parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.branches.arclength import Chart, Corrected, Family
from nsmb.analysis.branches.branch import (
    Branch,
    Joined,
    Measure,
    measure_orbit,
    section_columns,
)
from nsmb.analysis.branches.causes import same_cycle
from nsmb.analysis.branches.follow import Options, follow_branch
from nsmb.analysis.branches.orbits import OrbitFamily
from nsmb.analysis.branches.special_points import SpecialPoint
from nsmb.analysis.orbits.flow import Flow
from nsmb.analysis.orbits.newton import Unreachable
from nsmb.analysis.orbits.orbit import RECORDS, PeriodicOrbit, orbit_of, signature_of
from nsmb.analysis.orbits.shooting import Evaluation, Mesh, Shooting

__all__ = ["Locus", "follow_locus"]

Vector = NDArray[np.float64]

_STEP = 1e-6  # of central differences, in units of the chart
_TOL = 1e-9  # limited by the differences of derivatives


@dataclass(frozen=True, eq=False, repr=False)
class Locus(Branch[PeriodicOrbit]):
    """Folds or period doublings along a curve in the plane of two parameters.

    A special point of kind ``fold`` is a point at which the curve turns back in the second
    parameter, as in a cusp.
    """

    _format: ClassVar[str] = "nsmb-curve"
    _called: ClassVar[str] = "curve of special points"

    kind: str
    """``fold`` or ``period doubling``."""
    parameters: tuple[str, str]
    """Parameter of the branch on which the locus starts, and the second parameter."""

    def measure(self, measure: Measure[PeriodicOrbit]) -> Vector:
        """Return one number per orbit, shape (k,).

        Parameters
        ----------
        measure : str or callable
            One of `parameters`, a name as for :meth:`OrbitBranch.measure`, or a function of the
            orbit.

        Raises
        ------
        ValueError
            If the system has no such name.
        """
        return super().measure(measure)

    def _measured(self, point: PeriodicOrbit, name: str) -> float:
        if name in self.parameters:
            return float(point.parameters[name])
        return measure_orbit(point, name)

    def _usual_measure(self) -> str:
        return self.parameters[0]

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = dict(zip(self.parameters, self.values.T, strict=True))
        columns["period"] = [orbit.period for orbit in self.points]
        return columns | section_columns(self.points)

    @classmethod
    def _parts(cls) -> tuple[type, ...]:
        return (*RECORDS, PeriodicOrbit, SpecialPoint)

    def __repr__(self) -> str:
        name = self.points[0].system.name
        first, second = self.parameters
        lines = [
            f"Curve of {self.kind} points of {name} over {first} and {second}: {self.status}",
            f"  {len(self)} points, {second} from {self.values[:, 1].min():.8g} to "
            f"{self.values[:, 1].max():.8g}",
        ]
        return "\n".join(lines + [f"  {point}" for point in self.special_points])


@dataclass(frozen=True, eq=False)
class _LocusEvaluation:
    F: Vector
    J: Vector
    orbit: Evaluation


class _LocusChart(Chart[_LocusEvaluation]):
    """The shooting equations together with the condition of the locus.

    The unknowns are the points of the orbit, the first parameter and the second parameter.
    """

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
        """Return the matrix that is singular on the locus."""
        if self.kind == "fold":
            return here.J[:, :-1]
        basis, scale = self.shooting.bases[0], self.mesh.scale
        M = reduce(lambda product, run: run.D @ product, here.runs, np.eye(scale.size))
        reduced: Vector = basis.T @ (M * scale / scale[:, None]) @ basis
        return reduced + np.eye(len(reduced))

    def _condition(self, here: Evaluation) -> float:
        """Return a smooth function that vanishes where the matrix is singular.

        It is the last unknown of a system with the matrix, bordered by its singular vectors at the
        first point.
        """
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
    """The orbits on a locus."""

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


def follow_locus(
    point: SpecialPoint, parameter: str, span: Sequence[float], options: Options
) -> Locus:
    """Follow a fold or a period doubling of orbits over a second parameter."""
    if point.kind not in ("fold", "period doubling") or not isinstance(point.point, PeriodicOrbit):
        raise ValueError(
            "problem: must be a 'fold' or a 'period doubling' of periodic orbits, got "
            f"{point.kind!r} of {type(point.point).__name__}. Choose one with branch.of_kind(...)."
        )
    orbit = point.point
    if parameter == point.parameter:
        raise ValueError(
            f"parameter: must not be that of the branch, got {parameter!r}. Name the second "
            "parameter of the plane."
        )
    if options.tol is not None:
        raise ValueError(
            f"tol: must be left out for a locus, got {options.tol!r}. The tolerance of a locus is "
            f"{_TOL:g}, because it is limited by differences of derivatives."
        )
    names = (point.parameter, parameter)
    first = max(abs(point.value), 1e-3)
    return follow_branch(
        orbit,
        orbit.system,
        parameter,
        span,
        options,
        called="point",
        family=lambda width: _LocusFamily(point.kind, orbit, names, (first, width)),
        branch=lambda found: _locus(point.kind, names, found),
        max_points=200,
        tol=_TOL,
        accuracy=1e-8,
    )


def _locus(kind: str, names: tuple[str, str], found: Joined) -> Locus:
    firsts = [orbit.parameters[names[0]] for orbit in found.points]
    found = found._replace(values=np.column_stack([firsts, found.values]))
    return Locus(names[1], *found, kind, names)

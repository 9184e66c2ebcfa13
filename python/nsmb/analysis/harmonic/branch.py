"""Forced responses along a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.branches.arclength import Chart, Corrected, Family
from nsmb.analysis.branches.branch import Branch, Measure
from nsmb.analysis.branches.follow import Options, follow_branch
from nsmb.analysis.branches.special_points import SpecialPoint
from nsmb.analysis.harmonic.balance import Balance, Balanced
from nsmb.analysis.harmonic.basis import Basis
from nsmb.analysis.harmonic.response import MOST, HarmonicResponse
from nsmb.analysis.harmonic.solve import balance_of, response_of, supported
from nsmb.analysis.orbits.newton import NewtonResult, Unreachable
from nsmb.common.arguments import unknown_name
from nsmb.system.base import State, System

__all__ = ["ResponseBranch", "follow_responses"]

Vector = NDArray[np.float64]
_MEASURES = ("amplitude", "phase", "mean")
_SHIFT = 1e-6  # relative to the range, for derivatives by the parameter


@dataclass(frozen=True, eq=False, repr=False)
class ResponseBranch(Branch[HarmonicResponse]):
    """Forced responses along a parameter, in the order of arclength, stable or not."""

    _format: ClassVar[str] = "nsmb-responses"
    _called: ClassVar[str] = "branch of forced responses"

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Not available, because harmonic balance does not determine stability.

        Raises
        ------
        AttributeError
            Always; the message gives a remedy.
        """
        raise AttributeError(
            "stable: harmonic balance does not decide on stability. Find the orbit with "
            "periodic_orbit(response.system, start=response.start) and ask it."
        )

    def amplitude(self, coordinate: str, harmonic: int = 1) -> Vector:
        """Return the amplitude of one harmonic of a coordinate, shape (k,).

        Parameters
        ----------
        coordinate : str
        harmonic : int
            Number of the harmonic; 0 selects the mean.

        Raises
        ------
        ValueError
            As for :meth:`HarmonicResponse.amplitude`.
        """
        return np.array([response.amplitude(coordinate, harmonic) for response in self.points])

    def measure(self, measure: Measure[HarmonicResponse]) -> Vector:
        """Return one number per response, shape (k,).

        Parameters
        ----------
        measure : str or callable
            ``"amplitude:x"``, ``"phase:x"`` (of the first harmonic) or ``"mean:x"`` of a
            coordinate, or a function of the response.

        Raises
        ------
        ValueError
            If the name is none of these, or if the coordinate is unknown.
        """
        return super().measure(measure)

    def _measured(self, point: HarmonicResponse, name: str) -> float:
        kind, _, coordinate = name.partition(":")
        if kind == "amplitude":
            return point.amplitude(coordinate)
        if kind == "phase":
            return point.phase(coordinate)
        if kind == "mean":
            return point.amplitude(coordinate, 0)
        known = [f"{kind}:{own}" for own in point.system.coordinates for kind in _MEASURES]
        raise unknown_name("measure", name, known)

    def _usual_measure(self) -> str:
        return f"amplitude:{self.points[0].system.coordinates[0]}"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {self.parameter: self.values}
        for name in self.points[0].system.coordinates:
            columns |= {f"{kind}:{name}": self.measure(f"{kind}:{name}") for kind in _MEASURES}
        return columns

    @classmethod
    def _parts(cls) -> tuple[type, ...]:
        return (HarmonicResponse, SpecialPoint, State)

    def __repr__(self) -> str:
        first = self.points[0]
        lines = [
            f"Branch of responses of {first.system.name} over {self.parameter}: {self.status}",
            f"  {len(self)} responses, {self.parameter} from {self.values.min():.8g} to "
            f"{self.values.max():.8g}, {len(self.of_kind('fold'))} folds",
        ]
        for name in first.system.coordinates[:MOST]:
            amplitudes = self.amplitude(name)
            lines.append(f"  {name} {amplitudes.min():.6g} to {amplitudes.max():.6g}")
        return "\n".join(lines + [f"  {point}" for point in self.special_points])


@dataclass(frozen=True, eq=False)
class _Point:
    F: Vector
    J: Vector
    balance: Balance
    inner: Balanced


class _Chart(Chart[_Point]):
    """Coefficients relative to their sizes at one response, and the parameter over its range."""

    def __init__(
        self,
        build: Callable[[float], Balance],
        point: HarmonicResponse,
        value: float,
        width: float,
    ) -> None:
        self._build, self._value, self._width = build, value, width
        parts = parts_of(point)
        self.Z = np.concatenate([part.ravel() for part in parts])
        self.size = self.Z.size
        # Coordinates, states and forces have their own sizes.
        sizes = [float(np.linalg.norm(part)) or 1.0 for part in parts]
        counts = [part.size for part in parts]
        self.scale = np.repeat(sizes, counts)

    def evaluate(self, X: Vector) -> _Point:
        Z, value = self.Z + self.scale * X[:-1], self.value(X)
        try:
            balance = self._build(value)
            shift = _SHIFT * self._width
            ahead, behind = self._build(value + shift), self._build(value - shift)
        except ValueError as error:
            raise Unreachable("inadmissible", str(error)) from None
        here = balance.evaluate(Z)
        slope = (ahead.residual(Z) - behind.residual(Z)) / (2.0 * shift) * self._width
        J = np.hstack([here.J * self.scale, slope[:, None]])
        return _Point(here.F, J, balance, here)

    def value(self, X: Vector) -> float:
        return self._value + self._width * float(X[-1])

    def coordinate(self, value: float) -> float:
        return (value - self._value) / self._width


class _Responses(Family[HarmonicResponse, _Point]):
    def __init__(self, start: HarmonicResponse, parameter: str, width: float) -> None:
        self._start, self._parameter, self._width = start, parameter, width
        self._basis = Basis(start.harmonics, start.samples)
        self._force_size = balance_size(start)

    def _system(self, value: float) -> System:
        return self._start.system.with_parameters(**{self._parameter: value})

    def _balance(self, value: float) -> Balance:
        system = self._system(value)
        return balance_of(system, self._basis, self._start.periods, self._force_size)

    def chart(self, point: HarmonicResponse) -> _Chart:
        value = float(point.system.parameters[self._parameter])
        return _Chart(self._balance, point, value, self._width)

    def point(self, chart: Chart[_Point], found: Corrected[_Point]) -> HarmonicResponse:
        assert isinstance(chart, _Chart)
        Z = chart.Z + chart.scale * found.X[:-1]
        result = NewtonResult(Z, found.evaluation.inner, found.residuals, "converged")
        return response_of(found.evaluation.balance, self._start.periods, result)

    def transfer(
        self, old: Chart[_Point], found: Corrected[_Point], new: Chart[_Point]
    ) -> Vector | None:
        assert isinstance(old, _Chart)
        assert isinstance(new, _Chart)
        tangent = found.tangent.copy()
        tangent[:-1] *= old.scale / new.scale
        return tangent / float(np.linalg.norm(tangent))

    def signature(self, chart: Chart[_Point], found: Corrected[_Point]) -> Any:
        return None

    def same(self, one: Any, other: Any) -> bool:
        return True

    def tests(self, chart: Chart[_Point], found: Corrected[_Point]) -> dict[str, float]:
        return {"fold": float(found.tangent[-1])}

    def confirms(self, kind: str, chart: Chart[_Point], found: Corrected[_Point]) -> bool:
        return True

    def classify(self, before: HarmonicResponse, after: HarmonicResponse | None) -> tuple[str, str]:
        return "branch_end", "Newton's method finds no response beyond"


def parts_of(response: HarmonicResponse) -> tuple[Vector, ...]:
    """Return the coefficients of coordinates, states and forces in the order of the equations."""
    return (
        response.coefficients, response.state_coefficients, response.lambda_N, response.lambda_T,
        response.lambda_B,
    )  # fmt: skip


def balance_size(response: HarmonicResponse) -> Vector:
    """Return the largest inertia force of the response as size of all equations, shape (n,)."""
    omega = 2.0 * np.pi / response.period
    b = Basis(response.harmonics, response.samples)
    a = omega**2 * (b.curvatures @ response.coefficients)
    system = response.system
    M = system.mass_matrix(response.t, response.start.q)
    largest = float(np.abs(a @ M).max(initial=0.0))
    return np.full(system.nu, largest if largest > 0.0 else 1.0)


def follow_responses(
    response: HarmonicResponse, parameter: str, span: Sequence[float], options: Options
) -> ResponseBranch:
    """Follow a forced response over a parameter."""
    if not response.success:
        raise ValueError(
            f"problem: must be a response that has converged, got status {response.status!r}: "
            f"{response.message}. Find one with harmonic_balance first."
        )
    supported(response.system)
    return follow_branch(
        response,
        response.system,
        parameter,
        span,
        options,
        called="response",
        family=lambda width: _Responses(response, parameter, width),
        branch=lambda found: ResponseBranch(parameter, *found),
        max_points=400,
        tol=1e-8,
        accuracy=1e-8,
    )

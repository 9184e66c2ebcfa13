"""Forced responses along a parameter."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.continuation.arclength import Chart, Corrected, Family
from nsmb.analysis.continuation.branch import joined
from nsmb.analysis.continuation.curve import follow_both
from nsmb.analysis.continuation.span import span
from nsmb.analysis.continuation.special_points import SpecialPoint
from nsmb.analysis.continuation.walker import Steps
from nsmb.analysis.harmonic.balance import Balance, Balanced
from nsmb.analysis.harmonic.basis import Basis
from nsmb.analysis.harmonic.response import MOST, HarmonicResponse
from nsmb.analysis.harmonic.solve import balance_of, response_of, supported
from nsmb.analysis.orbits.newton import NewtonResult, Unreachable
from nsmb.common.arguments import as_callable, known_name
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.system.base import System

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ResponseBranch", "continue_response"]

Vector = NDArray[np.float64]
_SHIFT = 1e-6  # of the range, for derivatives by the parameter


@dataclass(frozen=True, eq=False, repr=False)
class ResponseBranch(ShownAsTable):
    """Responses in the order of arclength: :func:`continue_response`."""

    parameter: str
    values: Vector
    """(k,) of the parameter."""
    responses: list[HarmonicResponse]
    special_points: list[SpecialPoint]
    """Of kind ``fold``; `value` is that of the parameter."""
    status: str
    message: str

    def amplitude(self, coordinate: str, harmonic: int = 1) -> Vector:
        """(k,) of one harmonic: :meth:`HarmonicResponse.amplitude`."""
        return np.array([r.amplitude(coordinate, harmonic) for r in self.responses])

    @property
    def folds(self) -> Vector:
        """Values of the parameter at which the branch turns round."""
        return np.array([point.value for point in self.special_points if point.kind == "fold"])

    def plot(
        self,
        coordinate: str | None = None,
        harmonic: int = 1,
        ax: Axes | None = None,
        **options: Any,
    ) -> Axes:
        """Amplitude over the parameter, folds marked; default: the first coordinate.

        Raises
        ------
        ImportError
            Without Matplotlib (``pip install nsmb[plot]``).
        """
        system = self.responses[0].system
        name = system.coordinates[0] if coordinate is None else coordinate
        amplitudes = self.amplitude(name, harmonic)
        pyplot = import_extra("matplotlib.pyplot", "plot")
        axes: Axes = pyplot.subplots()[1] if ax is None else ax
        axes.plot(self.values, amplitudes, **{"label": name, **options})
        for point in self.special_points:
            axes.plot(point.value, point.orbit.amplitude(name, harmonic), "o", color="black", ms=4)
        info = system.parameter_info.get(self.parameter)
        unit = f" / {info.unit}" if info is not None and info.unit not in ("", "-") else ""
        axes.set_xlabel(f"{self.parameter}{unit}")
        unit = system.coordinate_units[system.coordinates.index(name)]
        axes.set_ylabel(f"amplitude of {name} / {unit}")
        return axes

    def __repr__(self) -> str:
        first = self.responses[0]
        lines = [
            f"ResponseBranch of {first.system.name} over {self.parameter}: {self.status}, "
            f"{len(self.responses)} responses, {len(self.folds)} folds",
            f"  {self.parameter} {self.values.min():.8g} to {self.values.max():.8g}",
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
    """Coefficients by their sizes at one response, and the parameter by its range."""

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
        # coordinates, states and forces each by their own size
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
    """Coefficients of coordinates, states and forces in the order of the equations."""
    return (
        response.coefficients, response.state_coefficients, response.lambda_N, response.lambda_T,
        response.lambda_B,
    )  # fmt: skip


def balance_size(response: HarmonicResponse) -> Vector:
    """(n,) the largest inertia force of the response, as a size of the equations of all others."""
    omega = 2.0 * np.pi / response.period
    b = Basis(response.harmonics, response.samples)
    a = omega**2 * (b.curvatures @ response.coefficients)
    system = response.system
    M = system.mass_matrix(response.t, response.start.q)
    largest = float(np.abs(a @ M).max(initial=0.0))
    return np.full(system.nu, largest if largest > 0.0 else 1.0)


def continue_response(
    response: HarmonicResponse,
    parameter: str,
    range: Sequence[float],
    *,
    direction: int = 0,
    step: float | None = None,
    max_step: float | None = None,
    max_points: int = 400,
    tol: float = 1e-8,
    progress: Callable[[float], None] | None = None,
) -> ResponseBranch:
    """Responses over a parameter by pseudo-arclength, around folds, stable or not.

    Parameters
    ----------
    response : HarmonicResponse
    parameter : str
        Of the system; the frequency of its excitation, or any other.
    range : (low, high)
        Around the present value.
    direction : {0, 1, -1}
        Towards which values first; 0: both.
    step, max_step : float, optional
        In units of the parameter; default 1/50 and 1/20 of the range.
    max_points : int
    tol : float
        Largest equation left, in parts of the largest inertia force of `response`.
    progress : callable, optional
        Called with each value reached.

    Returns
    -------
    ResponseBranch

    Raises
    ------
    ValueError
        For a response that is none, an unknown parameter, numbers out of range, or a `progress`
        that cannot be called.
    """
    if not isinstance(response, HarmonicResponse) or not response.success:
        raise ValueError(f"response: expected one that converged, got {response!r}")
    supported(response.system)
    known_name("parameter", parameter, response.system.parameters)
    if progress is not None:
        as_callable("progress", progress, "value")
    value = float(response.system.parameters[parameter])
    steps = span(
        "response", parameter, value, range, direction,
        step=step, max_step=max_step, max_points=max_points, tol=tol,
    )  # fmt: skip
    steps = dataclasses.replace(steps, accuracy=1e-8)
    curves = follow_both(
        _family(response, parameter, steps), response, value, direction, steps, progress
    )
    values, responses, special, status, message = joined(curves, parameter)
    return ResponseBranch(parameter, values, responses, special, status, message)


def _family(response: HarmonicResponse, parameter: str, steps: Steps) -> Callable[[], _Responses]:
    return lambda: _Responses(response, parameter, steps.high - steps.low)

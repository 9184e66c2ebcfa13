"""Pseudo-arclength equations for curves F(X) = 0 with one more unknown than equations."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.orbits.newton import Linearized, Unreachable, newton

__all__ = ["Chart", "Corrected", "Family", "correct", "tangent_of"]

Vector = NDArray[np.float64]
E = TypeVar("E", bound=Linearized)
P = TypeVar("P")

_NEUTRAL = 1e-7  # relative size of singular values that vanish at both ends of a step
_NOTHING = 1e-9  # relative size of singular values that count as zero


@dataclass(frozen=True, eq=False)
class _Bordered(Generic[E]):
    F: Vector
    J: Vector
    inner: E


@dataclass(frozen=True, eq=False)
class Corrected(Generic[E]):
    """A solution on the curve."""

    X: Vector
    evaluation: E
    tangent: Vector
    """Unit vector along the curve."""
    residuals: tuple[float, ...]


class Chart(ABC, Generic[E]):
    """Coordinates X around one solution, with X = 0 at the solution and the parameter last."""

    size: int
    """Number N of equations."""

    @abstractmethod
    def evaluate(self, X: Vector) -> E:
        """Return F and its derivative; raise `Unreachable` where they do not exist."""

    @abstractmethod
    def value(self, X: Vector) -> float:
        """Return the parameter at X."""

    @abstractmethod
    def coordinate(self, value: float) -> float:
        """Return the last component of X for a value of the parameter."""


class Family(ABC, Generic[P, E]):
    """The problem whose solutions form a curve."""

    @abstractmethod
    def chart(self, point: P) -> Chart[E]:
        """Return coordinates around a point."""

    @abstractmethod
    def point(self, chart: Chart[E], found: Corrected[E]) -> P:
        """Return the point that a solution represents."""

    def check(self, chart: Chart[E], found: Corrected[E]) -> None:
        """Raise `Unreachable` if a solution of the equations does not solve the problem."""

    @abstractmethod
    def transfer(self, old: Chart[E], found: Corrected[E], new: Chart[E]) -> Vector | None:
        """Return the tangent in the chart `new`, or None if only its last component is known."""

    @abstractmethod
    def signature(self, chart: Chart[E], found: Corrected[E]) -> Any:
        """Return a signature that is constant along a smooth piece of the curve."""

    @abstractmethod
    def same(self, one: Any, other: Any) -> bool:
        """Return True if two signatures are equal."""

    @abstractmethod
    def tests(self, chart: Chart[E], found: Corrected[E]) -> dict[str, float]:
        """Return functions that change sign at special points, by the kind of the point."""

    def neutral(self, chart: Chart[E], found: Corrected[E]) -> bool:
        """Return True if the solution is one of a family at its value of the parameter.

        The signs of the tests for folds and branch points are then due to rounding.
        """
        J = found.evaluation.J
        if J.shape[0] == 0:
            return False
        sizes = np.linalg.svd(J, compute_uv=False)
        return bool(sizes[-1] < _NEUTRAL * sizes[0])

    @abstractmethod
    def confirms(self, kind: str, chart: Chart[E], found: Corrected[E]) -> bool:
        """Return True if a located change of sign is a special point of that kind."""

    def vanishing(self, kind: str, point: P) -> float:
        """Return a measure that falls smoothly to zero towards a point of that kind, or NaN."""
        return math.nan

    def extrapolates(self, kind: str, point: P) -> bool:
        """Return True if the curve ends at `point` because the measure `vanishing` reaches zero."""
        return True

    @abstractmethod
    def classify(self, before: P, after: P | None) -> tuple[str, str]:
        """Return kind and message of a point where the signature changes or the curve ends."""


def tangent_of(J: Vector, like: Vector) -> Vector:
    """Return the unit null vector of J (N, N + 1) that points in the direction of `like`.

    Several null vectors exist if solutions form a family at each value of the parameter. The vector
    nearest to `like` is then returned.

    Raises
    ------
    Unreachable
        If J is not finite.
    """
    if not np.isfinite(J).all():
        raise Unreachable("no_convergence", "the derivative of the equations is not finite")
    _, sizes, rows = np.linalg.svd(J)
    null = rows[int((sizes > _NOTHING * sizes[0]).sum()) :]
    if len(null) > 1:
        nearest: Vector = null.T @ (null @ like)
        if np.linalg.norm(nearest) > 0.0:
            return nearest / np.linalg.norm(nearest)
    vector: Vector = rows[-1]
    return vector if vector @ like >= 0.0 else -vector


def correct(
    chart: Chart[E],
    row: Vector,
    level: float,
    guess: Vector,
    *,
    tol: float,
    max_iterations: int,
    like: Vector,
) -> Corrected[E]:
    """Return the solution with ``row·X = level`` near `guess`.

    Raises
    ------
    Unreachable
        If Newton's method does not converge.
    """

    def bordered(X: Vector) -> _Bordered[E]:
        here = chart.evaluate(X)
        return _Bordered(np.append(here.F, row @ X - level), np.vstack([here.J, row]), here)

    result = newton(bordered, guess, tol=tol, max_iterations=max_iterations)
    if not result.converged or result.evaluation is None:
        raise Unreachable(result.status, result.message)
    inner = result.evaluation.inner
    return Corrected(result.X, inner, tangent_of(inner.J, like), result.residuals)

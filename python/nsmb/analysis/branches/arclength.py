"""Curves of solutions of F(X) = 0 with one unknown more than equations, by pseudo-arclength."""

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

_NEUTRAL = 1e-7  # likewise, at both ends of a step
_NOTHING = 1e-9  # of the largest singular value


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
    """Coordinates X around one solution, X = 0 there; the last one is the parameter."""

    size: int
    """N, number of equations."""

    @abstractmethod
    def evaluate(self, X: Vector) -> E:
        """F and its derivative; raises `Unreachable` where there is none."""

    @abstractmethod
    def value(self, X: Vector) -> float:
        """The parameter at X."""

    @abstractmethod
    def coordinate(self, value: float) -> float:
        """The last component of X for a value of the parameter."""


class Family(ABC, Generic[P, E]):
    """What the points of a curve are."""

    @abstractmethod
    def chart(self, point: P) -> Chart[E]:
        """Coordinates around a point."""

    @abstractmethod
    def point(self, chart: Chart[E], found: Corrected[E]) -> P:
        """The point a solution stands for."""

    def check(self, chart: Chart[E], found: Corrected[E]) -> None:
        """Raises `Unreachable` for a solution of the equations that is none of the problem."""

    @abstractmethod
    def transfer(self, old: Chart[E], found: Corrected[E], new: Chart[E]) -> Vector | None:
        """A tangent in the coordinates of another chart; None: only its last component is known."""

    @abstractmethod
    def signature(self, chart: Chart[E], found: Corrected[E]) -> Any:
        """What is the same all along a smooth piece of the curve."""

    @abstractmethod
    def same(self, one: Any, other: Any) -> bool:
        """Whether two signatures are."""

    @abstractmethod
    def tests(self, chart: Chart[E], found: Corrected[E]) -> dict[str, float]:
        """Functions that change sign at special points, by their kind."""

    def neutral(self, chart: Chart[E], found: Corrected[E]) -> bool:
        """Whether the solution is one of a family at its value of the parameter: the sign of what
        tells folds and branch points is then rounding."""
        J = found.evaluation.J
        if J.shape[0] == 0:
            return False
        sizes = np.linalg.svd(J, compute_uv=False)
        return bool(sizes[-1] < _NEUTRAL * sizes[0])

    @abstractmethod
    def confirms(self, kind: str, chart: Chart[E], found: Corrected[E]) -> bool:
        """Whether a change of sign found is one of that kind."""

    def vanishing(self, kind: str, point: P) -> float:
        """What falls to zero, smoothly along the curve, towards a point of that kind; NaN: not
        known."""
        return math.nan

    def extrapolates(self, kind: str, point: P) -> bool:
        """Whether it is what `vanishing` measures that vanishes where the curve ends at `point`."""
        return True

    @abstractmethod
    def classify(self, before: P, after: P | None) -> tuple[str, str]:
        """Kind and message of a point where the signature changes, or where the curve ends."""


def tangent_of(J: Vector, like: Vector) -> Vector:
    """Unit null vector of J (N, N + 1) that points as `like` does; of several, as where solutions
    are one of a family at each value of the parameter, the nearest to it.

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
    """The solution with ``row·X = level`` near `guess`.

    Raises
    ------
    Unreachable
        If Newton's method finds none.
    """

    def bordered(X: Vector) -> _Bordered[E]:
        here = chart.evaluate(X)
        return _Bordered(np.append(here.F, row @ X - level), np.vstack([here.J, row]), here)

    result = newton(bordered, guess, tol=tol, max_iterations=max_iterations)
    if not result.converged or result.evaluation is None:
        raise Unreachable(result.status, result.message)
    inner = result.evaluation.inner
    return Corrected(result.X, inner, tangent_of(inner.J, like), result.residuals)

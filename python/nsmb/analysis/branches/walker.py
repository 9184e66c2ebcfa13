"""Solutions along a chart: at a distance, at a value of the parameter, and as far as they go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.branches.arclength import Chart, Corrected, Family, correct
from nsmb.analysis.orbits.newton import Linearized, Unreachable

__all__ = ["CORNER", "Reach", "Steps", "Walker", "reach"]

Vector = NDArray[np.float64]
E = TypeVar("E", bound=Linearized)
P = TypeVar("P")

CORNER = 1e-4
"""Steps below it may turn sharply: a corner, as where a derivative jumps, stays one."""
_ASIDE = 0.5  # of the step: how far a solution may lie from the tangent
_TRIALS = 150
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Steps:
    """How a curve is followed; lengths are those of X, in which the range of the parameter is 1."""

    first: float
    longest: float
    most: int
    """Points."""
    low: float
    """Range of the parameter."""
    high: float
    tol: float
    shortest: float = 1e-5
    accuracy: float = 1e-10
    """Of special points, in units of the range."""
    max_iterations: int = 12


class Walker(Generic[P, E]):
    """Solutions in one chart by their distance `s` along its tangent."""

    def __init__(
        self, family: Family[P, E], chart: Chart[E], tangent: Vector, steps: Steps
    ) -> None:
        self.family, self.chart, self.tangent, self.steps = family, chart, tangent, steps
        self._known: dict[float, Vector] = {0.0: np.zeros(tangent.size)}

    def at(self, s: float) -> Corrected[E]:
        found = correct(
            self.chart,
            self.tangent,
            s,
            self._guess(s),
            tol=self.steps.tol,
            max_iterations=self.steps.max_iterations,
            like=self.tangent,
        )
        self.family.check(self.chart, found)
        aside = float(np.linalg.norm(found.X - s * self.tangent))
        if s > CORNER and aside > _ASIDE * s:
            raise Unreachable("no_convergence", "the nearest solution lies on another branch")
        self._known[s] = found.X
        return found

    def other_side(self, found: Corrected[E]) -> Walker[P, E]:
        """A walker that knows nothing but one solution."""
        walker: Walker[P, E] = Walker(self.family, self.chart, self.tangent, self.steps)
        walker._known = {float(self.tangent @ found.X): found.X}
        return walker

    def distance(self, found: Corrected[E]) -> float:
        """Of a solution along the tangent."""
        return float(self.tangent @ found.X)

    def forget(self, s: float) -> None:
        """Nothing is to be interpolated from the solution at s, known there to rounding."""
        for known in [other for other in self._known if abs(other - s) <= _ROUNDING * abs(s)]:
            del self._known[known]

    def at_value(self, value: float, s: float) -> Corrected[E]:
        """The solution at a value of the parameter, near the distance s."""
        row = np.zeros(self.tangent.size)
        row[-1] = 1.0
        found = correct(
            self.chart,
            row,
            self.chart.coordinate(value),
            self._guess(s),
            tol=self.steps.tol,
            max_iterations=self.steps.max_iterations,
            like=self.tangent,
        )
        self.family.check(self.chart, found)
        return found

    def _guess(self, s: float) -> Vector:
        """Through the two known solutions nearest to s, or along the tangent."""
        if len(self._known) == 1:
            ((only, X),) = self._known.items()
            return X + (s - only) * self.tangent
        a, b = sorted(self._known, key=lambda other: abs(other - s))[:2]
        if a == s:
            return self._known[a]
        slope = (self._known[b] - self._known[a]) / (b - a)
        return self._known[a] + (s - a) * slope


@dataclass(eq=False)
class Reach(Generic[E]):
    """How far solutions of one kind go along a chart."""

    last: Corrected[E]
    distance: float
    """Of the last one."""
    width: float
    """Beyond this there was none of the kind."""
    beyond: Corrected[E] | None = None
    """A solution of another kind, the nearest one."""
    trouble: Unreachable | None = None


def reach(
    walker: Walker[P, E],
    here: Corrected[E],
    width: float,
    alike: Callable[[Corrected[E]], bool],
) -> Reach[E]:
    """Bisection from `here` on; where it was misled, as beside a grazing impact, where Newton's
    method converges from near by only, it goes on beyond `width`."""
    found = Reach(here, walker.distance(here), width)
    running = 0
    for _ in range(_TRIALS):
        if abs(found.width) < walker.steps.accuracy:
            break
        s = found.distance + 0.5 * found.width
        try:
            trial = walker.at(s)
        except Unreachable as error:
            found.trouble = error
        else:
            if alike(trial):
                found.last, found.distance = trial, s
                running += 1
                # Right halfway to a border, a second time would be past it.
                found.width *= 2.0 if running > 2 else 0.5 if running == 1 else 1.0
                continue
            found.beyond = trial
            walker.forget(s)  # it may belong to another branch
        found.width *= 0.5
        running = 0
    return found

"""Solutions in a chart: at a distance, at a parameter value, and as far as they exist."""

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
"""Step below which the curve may turn sharply, because it has a corner where a derivative jumps."""
_ASIDE = 0.5  # largest distance of a solution from the tangent, relative to the step
_TRIALS = 150
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Steps:
    """Step lengths and limits for following a curve.

    Lengths are measured in X, in which the range of the parameter has the length 1.
    """

    first: float
    longest: float
    most: int
    """Largest number of points."""
    low: float
    """Lower end of the range of the parameter."""
    high: float
    tol: float
    shortest: float = 1e-5
    accuracy: float = 1e-10
    """Accuracy of special points, in units of the range."""
    max_iterations: int = 12


class Walker(Generic[P, E]):
    """Solutions in one chart, by their distance `s` along its tangent."""

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
        """Return a walker for which only one solution is known."""
        walker: Walker[P, E] = Walker(self.family, self.chart, self.tangent, self.steps)
        walker._known = {float(self.tangent @ found.X): found.X}
        return walker

    def distance(self, found: Corrected[E]) -> float:
        """Return the distance of a solution along the tangent."""
        return float(self.tangent @ found.X)

    def forget(self, s: float) -> None:
        """Remove the solution at `s`, up to rounding, from those used for interpolation."""
        for known in [other for other in self._known if abs(other - s) <= _ROUNDING * abs(s)]:
            del self._known[known]

    def at_value(self, value: float, s: float) -> Corrected[E]:
        """Return the solution at a value of the parameter, near the distance `s`."""
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
        """Return a guess from the two known solutions nearest to `s`, or along the tangent."""
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
    """The distance that solutions of one kind reach along a chart."""

    last: Corrected[E]
    distance: float
    """Distance of the last solution."""
    width: float
    """Distance beyond the last solution at which no solution of the kind was found."""
    beyond: Corrected[E] | None = None
    """The nearest solution of another kind."""
    trouble: Unreachable | None = None


def reach(
    walker: Walker[P, E],
    here: Corrected[E],
    width: float,
    alike: Callable[[Corrected[E]], bool],
) -> Reach[E]:
    """Find by bisection how far solutions of one kind extend from `here`.

    Near a grazing impact, Newton's method converges only from nearby, which can mislead the
    bisection. The search then continues beyond `width`.
    """
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
                # After one success, a second step of the same length would already reach the
                # border.
                found.width *= 2.0 if running > 2 else 0.5 if running == 1 else 1.0
                continue
            found.beyond = trial
            walker.forget(s)  # it may belong to another branch
        found.width *= 0.5
        running = 0
    return found

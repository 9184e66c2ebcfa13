"""Following a curve of solutions, and locating what is special on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.arclength import Chart, Corrected, Family, correct, tangent_of
from nsmb.analysis.newton import Linearized, Unreachable
from nsmb.extras import import_extra

__all__ = ["Curve", "Found", "Steps", "follow"]

Vector = NDArray[np.float64]
E = TypeVar("E", bound=Linearized)
P = TypeVar("P")

_LARGEST_TURN = 0.9  # cosine of the angle between neighbouring tangents
_SMALLEST = 1e-3  # of the step, at first failures; below it a border is looked for
_CORNER = 1e-4
_ASIDE = 0.5  # of the step: how far a solution may lie from the tangent
_APART = 1e-7
_TRIALS = 150


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


@dataclass(frozen=True, eq=False)
class Found(Generic[P]):
    """A special point between the points `index` and `index + 1`."""

    kind: str
    value: float
    bracket: tuple[float, float]
    index: int
    point: P
    message: str


@dataclass(eq=False)
class Curve(Generic[P]):
    """Points in one direction, the start first."""

    points: list[P]
    values: list[float]
    found: list[Found[P]] = field(default_factory=list)
    status: str = "finished"
    message: str = ""


class _Walker(Generic[P, E]):
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
        if s > _CORNER and aside > _ASIDE * s:
            raise Unreachable("no_convergence", "the nearest solution lies on another branch")
        self._known[s] = found.X
        return found

    def forget(self, s: float) -> None:
        """Nothing is to be interpolated from the solution at s."""
        self._known.pop(s, None)

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
            return s * self.tangent
        a, b = sorted(self._known, key=lambda other: abs(other - s))[:2]
        if a == s:
            return self._known[a]
        slope = (self._known[b] - self._known[a]) / (b - a)
        return self._known[a] + (s - a) * slope


def follow(
    family: Family[P, E],
    start: P,
    value: float,
    sign: int,
    steps: Steps,
    report: Callable[[float], None] | None = None,
) -> Curve[P]:
    """From `start` in the direction in which the parameter at first grows (`sign` +1) or falls."""
    curve = Curve([start], [value])
    chart = family.chart(start)
    direction = np.zeros(0)
    step = steps.first
    while len(curve.points) < steps.most:
        try:
            here = _here(chart, direction, sign, steps)
        except Unreachable as error:
            curve.status, curve.message = error.status, str(error)
            return curve
        walker: _Walker[P, E] = _Walker(family, chart, here.tangent, steps)
        there, step = _step(walker, here, step, steps)
        if isinstance(there, Unreachable):
            _border(family, walker, here, step, curve, there)
            return curve
        last = not steps.low <= chart.value(there.X) <= steps.high
        if last:
            limit = steps.high if chart.value(there.X) > steps.high else steps.low
            try:
                level = chart.coordinate(limit)
                share = level / there.X[-1] if there.X[-1] != 0.0 else 0.0
                there = walker.at_value(limit, share * float(here.tangent @ there.X))
            except Unreachable as error:
                _border(family, walker, here, step, curve, error)
                return curve
        _between(family, walker, here, there, curve)
        curve.points.append(family.point(chart, there))
        curve.values.append(chart.value(there.X))
        if report is not None:
            report(curve.values[-1])
        if last:
            curve.status, curve.message = "finished", "the range of the parameter ends here"
            return curve
        following = family.chart(curve.points[-1])
        moved = family.transfer(chart, there, following)
        sign = 1 if there.tangent[-1] >= 0.0 else -1
        direction = np.zeros(0) if moved is None else moved
        chart = following
        easy, hard = 3, 5
        if len(there.residuals) - 1 <= easy:
            step = min(1.6 * step, steps.longest)
        elif len(there.residuals) - 1 >= hard:
            step *= 0.6
    curve.status = "max_points"
    curve.message = f"max_points: {steps.most} points reached; the curve goes on"
    return curve


def _here(chart: Chart[E], direction: Vector, sign: int, steps: Steps) -> Corrected[E]:
    """The origin of a chart, with the tangent along `direction`, or by the sign of its last
    component."""
    evaluation = chart.evaluate(np.zeros(chart.size + 1))
    like = direction
    if like.size == 0:
        like = np.zeros(evaluation.J.shape[1])
        like[-1] = float(sign)
    tangent = tangent_of(evaluation.J, like)
    residual = float(np.abs(evaluation.F).max(initial=0.0))
    return Corrected(np.zeros(tangent.size), evaluation, tangent, (residual,))


def _step(
    walker: _Walker[P, E], here: Corrected[E], step: float, steps: Steps
) -> tuple[Corrected[E] | Unreachable, float]:
    """The next solution and the step that led to it; or why there is none, and the last step."""
    first = step
    while True:
        try:
            there = walker.at(step)
            # A corner, as where the derivative jumps, stays one however short the step is.
            if there.tangent @ here.tangent >= _LARGEST_TURN or step < _CORNER:
                return there, step
            walker.forget(step)
            trouble = Unreachable("no_convergence", "the curve turns too sharply")
        except Unreachable as error:
            trouble = error
        if step < max(_SMALLEST * first, steps.shortest):
            return trouble, max(step, steps.shortest)
        step *= 0.5


@dataclass(eq=False)
class _Reach(Generic[E]):
    """How far solutions of one kind go along a chart."""

    last: Corrected[E]
    distance: float
    """Of the last one."""
    width: float
    """Beyond this there was none of the kind."""
    beyond: Corrected[E] | None = None
    """A solution of another kind, the nearest one."""
    trouble: Unreachable | None = None


def _reach(
    walker: _Walker[P, E],
    here: Corrected[E],
    width: float,
    alike: Callable[[Corrected[E]], bool],
) -> _Reach[E]:
    """Bisection from `here` on; where it was misled, as beside a grazing impact, where Newton's
    method converges from near by only, it goes on beyond `width`."""
    found = _Reach(here, _distance(walker, here), width)
    running = 0
    for _ in range(_TRIALS):
        if found.width < walker.steps.accuracy:
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


def _border(
    family: Family[P, E],
    walker: _Walker[P, E],
    here: Corrected[E],
    step: float,
    curve: Curve[P],
    trouble: Unreachable,
) -> None:
    """The curve ends between here and `step`: go as far as it does and say what is there."""
    reach = _reach(walker, here, step, lambda trial: True)
    trouble = reach.trouble or trouble
    chart = walker.chart
    if reach.last is not here:
        _between(family, walker, here, reach.last, curve)
        curve.points.append(family.point(chart, reach.last))
        curve.values.append(chart.value(reach.last.X))
    kind, about = family.classify(curve.points[-1], None)
    value = curve.values[-1]
    edge = chart.value(reach.last.X + reach.width * walker.tangent)
    message = f"{about}; the branch ends here, Newton's method finds nothing beyond: {trouble}"
    if trouble.status == "inadmissible":
        kind, message = "end", f"the branch leaves what the system admits: {trouble}"
    curve.found.append(
        Found(kind, value, (value, edge), len(curve.points) - 1, curve.points[-1], message)
    )
    curve.status = trouble.status if trouble.status == "inadmissible" else "branch_end"
    curve.message = message


def _between(
    family: Family[P, E],
    walker: _Walker[P, E],
    here: Corrected[E],
    there: Corrected[E],
    curve: Curve[P],
) -> None:
    """Special points between two neighbouring solutions."""
    chart = walker.chart
    a, b = family.signature(chart, here), family.signature(chart, there)
    if family.same(a, b):
        _smooth(family, walker, here, there, curve)
        return
    width = _distance(walker, there) - _distance(walker, here)
    walker.forget(_distance(walker, there))
    reach = _reach(
        walker, here, width, lambda trial: family.same(a, family.signature(chart, trial))
    )
    low = reach.last
    if low is not here:
        _smooth(family, walker, here, low, curve, rough=(False, True))
        curve.points.append(family.point(chart, low))
        curve.values.append(chart.value(low.X))
    after = reach.beyond or there
    point = family.point(chart, after)
    kind, about = family.classify(curve.points[-1], point)
    values = (chart.value(low.X), chart.value(low.X + reach.width * walker.tangent))
    curve.found.append(
        Found(kind, values[0], values, len(curve.points) - 1, curve.points[-1], about)
    )
    if after is not there:
        curve.points.append(point)
        curve.values.append(chart.value(after.X))
        if family.same(family.signature(chart, after), b):
            _smooth(family, walker, after, there, curve, rough=(True, False))
        elif _distance(walker, after) < _distance(walker, there) - walker.steps.accuracy:
            _between(family, walker, after, there, curve)


def _distance(walker: _Walker[P, E], found: Corrected[E]) -> float:
    return float(walker.tangent @ found.X)


def _smooth(
    family: Family[P, E],
    walker: _Walker[P, E],
    here: Corrected[E],
    there: Corrected[E],
    curve: Curve[P],
    rough: tuple[bool, bool] = (False, False),
) -> None:
    """Changes of sign of the test functions on a smooth piece, located by Brent's method; those
    right beside an end that is `rough` belong to what happens there."""
    chart = walker.chart
    before, behind = family.tests(chart, here), family.tests(chart, there)
    ends = (_distance(walker, here), _distance(walker, there))
    located: list[tuple[float, Found[P]]] = []
    known = dict(zip(ends, (before, behind), strict=True))  # Newton's method may lead elsewhere now
    for kind in before.keys() & behind.keys():
        if before[kind] * behind[kind] >= 0.0:
            continue
        brentq = import_extra("scipy.optimize", "analysis").brentq

        def test(s: float, kind: str = kind) -> float:
            values = known.get(s)
            return (family.tests(chart, walker.at(s)) if values is None else values)[kind]

        try:
            root = float(brentq(test, *ends, xtol=1e-3 * walker.steps.accuracy, rtol=1e-15))
            if any(
                is_rough and abs(root - end) < _APART
                for is_rough, end in zip(rough, ends, strict=True)
            ):
                continue
            at_root = walker.at(root)
            if not family.confirms(kind, chart, at_root):
                continue
            located.append((root, _bracketed(family, walker, kind, root, at_root, ends, curve)))
        except Unreachable:
            continue
    curve.found += [found for _, found in sorted(located, key=lambda pair: pair[0])]


def _bracketed(
    family: Family[P, E],
    walker: _Walker[P, E],
    kind: str,
    root: float,
    at_root: Corrected[E],
    ends: tuple[float, float],
    curve: Curve[P],
) -> Found[P]:
    """The special point with the nearest two neighbours between which the test changes sign."""
    chart, width = walker.chart, walker.steps.accuracy
    value = chart.value(at_root.X)
    while True:
        s = [max(root - width, ends[0]), min(root + width, ends[1])]
        sides = [walker.at(side) for side in s]
        signs = [family.tests(chart, side)[kind] for side in sides]
        if signs[0] * signs[1] <= 0.0 or width > ends[1] - ends[0]:
            break
        width *= 10.0
    low, high = sorted(chart.value(side.X) for side in sides)
    bracket = (min(low, value), max(high, value))
    return Found(kind, value, bracket, len(curve.points) - 1, family.point(chart, at_root), "")

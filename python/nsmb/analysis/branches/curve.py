"""Continuation along a curve of solutions, and location of its special points."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.branches.arclength import Chart, Corrected, Family, tangent_of
from nsmb.analysis.branches.walker import CORNER, Steps, Walker, reach
from nsmb.analysis.common.errors import AnalysisInterrupted
from nsmb.analysis.orbits.newton import Linearized, Unreachable

__all__ = ["Curve", "Found", "follow_both"]

Vector = NDArray[np.float64]
E = TypeVar("E", bound=Linearized)
P = TypeVar("P")

_LARGEST_TURN = 0.9  # smallest cosine of the angle between neighbouring tangents
_SMALLEST = 1e-3  # relative to the first step; below it, the border is located
_APART = 1e-7
_INSET = 1e-6  # relative to the range
_JUMP = 1e-4  # largest distance of the two sides of a border on one branch


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
    """The points in one direction, beginning with the start."""

    points: list[P]
    values: list[float]
    found: list[Found[P]] = field(default_factory=list)
    status: str = "finished"
    message: str = ""
    inside: bool = False
    """True if the curve ends just inside the range because no derivative exists at its end."""


def follow_both(
    family: Callable[[], Family[P, E]],
    start: P,
    value: float,
    direction: int,
    steps: Steps,
    report: Callable[[float], None] | None = None,
) -> list[tuple[int, Curve[P]]]:
    """Return the curves from `start` along which the parameter first falls (-1) and grows (+1).

    A nonzero `direction` selects one of them. A curve is omitted if the range ends at the start.

    Raises
    ------
    ValueError
        If there is no curve.
    AnalysisInterrupted
        If Ctrl-C is pressed; its ``result`` holds the curves computed so far.
    """
    curves: list[tuple[int, Curve[P]]] = []
    for sign in (-1, 1) if direction == 0 else (direction,):
        if value == (steps.low if sign < 0 else steps.high):
            continue
        curve = Curve([start], [value])
        curves.append((sign, curve))
        try:
            follow(family(), curve, sign, steps, report)
        except KeyboardInterrupt:
            curve.status, curve.message = "interrupted", "interrupted by Ctrl-C"
            message = f"interrupted after {sum(len(c.points) for _, c in curves)} points"
            raise AnalysisInterrupted(message, curves) from None
    if not curves:
        raise ValueError(
            f"span: must have room in direction {direction:+d} of {value:.8g}, got the end of "
            f"({steps.low:.8g}, {steps.high:.8g}). Widen it, or follow the other direction."
        )
    return curves


def follow(
    family: Family[P, E],
    curve: Curve[P],
    sign: int,
    steps: Steps,
    report: Callable[[float], None] | None = None,
) -> None:
    """Continue a curve from its last point.

    The parameter first grows if `sign` is +1, and falls if it is -1.
    """
    chart = family.chart(curve.points[-1])
    direction = np.zeros(0)
    step = steps.first
    while len(curve.points) < steps.most:
        try:
            here = _here(chart, direction, sign, steps)
        except Unreachable as error:
            curve.status, curve.message = error.status, str(error)
            return
        walker: Walker[P, E] = Walker(family, chart, here.tangent, steps)
        found = _limit(walker, here, step, steps)
        there, step = (found, step) if found else _step(walker, here, step, steps)
        if isinstance(there, Unreachable):
            _border(family, walker, here, step, curve, there)
            return
        last = found is not None or not steps.low <= chart.value(there.X) <= steps.high
        if last and found is None:
            limit = steps.high if chart.value(there.X) > steps.high else steps.low
            try:
                level = chart.coordinate(limit)
                share = level / there.X[-1] if there.X[-1] != 0.0 else 0.0
                there = walker.at_value(limit, share * float(here.tangent @ there.X))
            except Unreachable as error:
                _border(family, walker, here, step, curve, error)
                return
        onward = _between(family, walker, here, there, curve)
        if onward is None:
            return
        there = onward
        curve.points.append(family.point(chart, there))
        curve.values.append(min(max(chart.value(there.X), steps.low), steps.high))
        if report is not None:
            report(curve.values[-1])
        if last:
            curve.status, curve.message = "finished", "the range of the parameter ends here"
            curve.inside = curve.values[-1] not in (steps.low, steps.high)
            if curve.inside:
                curve.message += ", where no derivative exists; the branch ends just inside"
            return
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
    curve.message = f"max_points: {steps.most} points reached; the curve continues"


def _onward(there: Corrected[E], low: Corrected[E]) -> Corrected[E]:
    """Return `there` with its tangent pointing away from `low`, the last solution before.

    Across a border, the tangent may change by more than a right angle.
    """
    if there.tangent @ (there.X - low.X) >= 0.0:
        return there
    return dataclasses.replace(there, tangent=-there.tangent)


def _here(chart: Chart[E], direction: Vector, sign: int, steps: Steps) -> Corrected[E]:
    """Return the origin of a chart with its tangent.

    The tangent points along `direction`. Without one, its last component has the sign `sign`.
    """
    evaluation = chart.evaluate(np.zeros(chart.size + 1))
    like = direction
    if like.size == 0:
        like = np.zeros(evaluation.J.shape[1])
        like[-1] = float(sign)
    tangent = tangent_of(evaluation.J, like)
    residual = float(np.abs(evaluation.F).max(initial=0.0))
    return Corrected(np.zeros(tangent.size), evaluation, tangent, (residual,))


def _limit(
    walker: Walker[P, E], here: Corrected[E], step: float, steps: Steps
) -> Corrected[E] | None:
    """Return the solution at the end of the range, if a step leads to it.

    The solution there may have no derivative, as where an impact first has friction or restitution.
    A solution just inside the range is then returned.
    """
    chart, slope = walker.chart, float(here.tangent[-1])
    ahead = chart.value(step * here.tangent)
    if steps.low <= ahead <= steps.high or slope == 0.0:
        return None
    limit, inward = (steps.high, -1.0) if ahead > steps.high else (steps.low, 1.0)
    for inset in (0.0, _INSET):
        value = limit + inward * inset * (steps.high - steps.low)
        s = chart.coordinate(value) / slope
        if not s > 0.0:
            return None
        try:
            there = walker.at_value(value, s)
        except Unreachable as error:
            if error.status == "no_convergence":
                return None
            continue
        aside = float(np.linalg.norm(there.X - s * here.tangent))
        turned = there.tangent @ here.tangent < _LARGEST_TURN and s >= CORNER
        return None if turned or aside > 0.5 * s else there
    return None


def _step(
    walker: Walker[P, E], here: Corrected[E], step: float, steps: Steps
) -> tuple[Corrected[E] | Unreachable, float]:
    """Return the next solution, or the reason why there is none, and the last step."""
    first = step
    while True:
        try:
            there = walker.at(step)
            # A corner, as at a jump of the derivative, is a corner for every step size.
            if there.tangent @ here.tangent >= _LARGEST_TURN or step < CORNER:
                return there, step
            walker.forget(step)
            trouble = Unreachable("no_convergence", "the curve turns too sharply")
        except Unreachable as error:
            trouble = error
        if step < max(_SMALLEST * first, steps.shortest):
            return trouble, max(step, steps.shortest)
        step *= 0.5


def _border(
    family: Family[P, E],
    walker: Walker[P, E],
    here: Corrected[E],
    step: float,
    curve: Curve[P],
    trouble: Unreachable,
) -> None:
    """Follow the curve to its end between `here` and `step`, and record the end."""
    reached = reach(walker, here, step, lambda trial: True)
    trouble = reached.trouble or trouble
    chart = walker.chart
    if reached.last is not here:
        if _between(family, walker, here, reached.last, curve) is None:
            return
        curve.points.append(family.point(chart, reached.last))
        curve.values.append(chart.value(reached.last.X))
    kind, about = family.classify(curve.points[-1], None)
    edge = chart.value(reached.last.X + reached.width * walker.tangent)
    message = f"{about}; the branch ends here. Newton's method finds no solution beyond: {trouble}"
    if trouble.status == "inadmissible":
        kind = "end"
        message = f"the branch leaves the admissible states of the system: {trouble}"
    value, bracket = _ahead(family, kind, curve, edge)
    curve.found.append(
        Found(kind, value, bracket, len(curve.points) - 1, curve.points[-1], message)
    )
    curve.status = trouble.status if trouble.status == "inadmissible" else "branch_end"
    curve.message = message


def _ahead(
    family: Family[P, E], kind: str, curve: Curve[P], edge: float
) -> tuple[float, tuple[float, float]]:
    """Return value and bracket of the end of a curve, with no solution found at `edge`.

    Near impacts that are about to graze, multipliers grow without bound and Newton's method fails
    early. The value at which the approach velocity vanishes is then extrapolated.
    """
    last = curve.values[-1]
    if not family.extrapolates(kind, curve.points[-1]):
        return last, (last, edge)
    near = family.vanishing(kind, curve.points[-1])
    for value, point in zip(curve.values[-2::-1], curve.points[-2::-1], strict=True):
        far = family.vanishing(kind, point)
        if not 0.0 < near < far:
            break
        if far > 2.0 * near:  # the difference of nearly equal values is noise
            ahead = (last - value) * near / (far - near)
            if abs(ahead) > abs(edge - last):
                return last + ahead, (last, last + 2.0 * ahead)
            break
    return last, (last, edge)


def _between(
    family: Family[P, E],
    walker: Walker[P, E],
    here: Corrected[E],
    there: Corrected[E],
    curve: Curve[P],
) -> Corrected[E] | None:
    """Record the special points between two neighbouring solutions.

    Return the second solution with its tangent pointing onward, or None if the curve ends between
    them.
    """
    chart = walker.chart
    a, b = family.signature(chart, here), family.signature(chart, there)
    if family.same(a, b):
        _smooth(family, walker, here, there, curve)
        return there
    width = walker.distance(there) - walker.distance(here)
    walker.forget(walker.distance(there))
    reached = reach(
        walker, here, width, lambda trial: family.same(a, family.signature(chart, trial))
    )
    low, after = reached.last, reached.beyond or there
    if walker.distance(after) - reached.distance > _APART:
        # The solution is not right beyond the border. Approach the border from that side.
        beyond = family.signature(chart, after)
        after = reach(
            walker.other_side(after),
            after,
            reached.distance - walker.distance(after),
            lambda trial: family.same(beyond, family.signature(chart, trial)),
        ).last
    if low is not here:
        _smooth(family, walker, here, low, curve, rough=(False, True))
        curve.points.append(family.point(chart, low))
        curve.values.append(chart.value(low.X))
    jump = float(np.linalg.norm(after.X - low.X))
    joined = jump < _JUMP
    # Between the last solution of one kind and the first of the other, if they are neighbours.
    edge = chart.value(after.X if joined else low.X + reached.width * walker.tangent)
    point = family.point(chart, after)
    kind, about = family.classify(curve.points[-1], point if joined else None)
    if not joined:
        about = f"{about}; the branch ends here. Solutions beyond are not adjacent to it."
        curve.status, curve.message = "branch_end", about
    value, bracket = curve.values[-1], (curve.values[-1], edge)
    if not joined:
        value, bracket = _ahead(family, kind, curve, edge)
    curve.found.append(Found(kind, value, bracket, len(curve.points) - 1, curve.points[-1], about))
    if joined and after is not there:
        curve.points.append(point)
        curve.values.append(chart.value(after.X))
        if family.same(family.signature(chart, after), b):
            _smooth(family, walker, after, there, curve, rough=(True, False))
        elif walker.distance(after) < walker.distance(there) - walker.steps.accuracy:
            return _between(family, walker, after, there, curve)
    return _onward(there, low) if joined else None


def _smooth(
    family: Family[P, E],
    walker: Walker[P, E],
    here: Corrected[E],
    there: Corrected[E],
    curve: Curve[P],
    rough: tuple[bool, bool] = (False, False),
) -> None:
    """Locate the sign changes of the test functions on a smooth piece, by Brent's method.

    Sign changes right at an end marked in `rough` are ignored. They belong to the border there.
    """
    from scipy.optimize import brentq

    chart = walker.chart
    before, behind = family.tests(chart, here), family.tests(chart, there)
    ends = (walker.distance(here), walker.distance(there))
    located: list[tuple[float, Found[P]]] = []
    known = dict(zip(ends, (before, behind), strict=True))  # solving again may lead elsewhere
    kinds = before.keys() & behind.keys()
    if family.neutral(chart, here) and family.neutral(chart, there):
        kinds -= {"fold", "branch point"}
    for kind in kinds:
        if before[kind] * behind[kind] >= 0.0:
            continue

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
    walker: Walker[P, E],
    kind: str,
    root: float,
    at_root: Corrected[E],
    ends: tuple[float, float],
    curve: Curve[P],
) -> Found[P]:
    """Return the special point with the narrowest bracket in which the test changes sign."""
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

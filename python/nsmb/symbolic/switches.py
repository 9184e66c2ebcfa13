"""Times at which functions of time switch, found so that no step misses a change of load.

A switch is an operation that has a jump or a kink where its argument passes through zero or a whole
number. If the argument depends on time alone, its times are known in advance. All times are found
if the argument is affine or periodic. Otherwise, those that are detected on a grid are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.symbolic.graph import Graph
from nsmb.symbolic.jumps import evaluate_node
from nsmb.system.discontinuities import Discontinuity, Repeating

__all__ = ["Switches", "find_switches"]

Array = NDArray[np.float64]

_DIFFERENCES = ("lt", "le", "eq", "ne", "min", "max")
_ZEROS = ("sign", "abs")
_WHOLE = ("floor", "ceil")
_WAVES = {"sin": 2.0 * np.pi, "cos": 2.0 * np.pi, "tan": np.pi}
# Times in s at which functions are evaluated that are neither affine nor periodic.
_FAR = np.logspace(-6, 6, 4001)
_GRID = np.unique(np.concatenate([-_FAR, np.linspace(-100.0, 100.0, 20001), _FAR]))
_PER_PERIOD = 4096
_MOST_TURNS = 1000  # periods of one wave in a common period of several
_SAME = 1e-9  # relative difference below which periods and times are equal


@dataclass(frozen=True)
class _Growth:
    """A function of time that is the sum of `rate` t and a periodic part."""

    rate: float
    period: float
    """Period in s; 0: constant, NaN: unknown."""

    def plus(self, other: _Growth, sign: float = 1.0) -> _Growth:
        return _Growth(self.rate + sign * other.rate, _common(self.period, other.period))

    def times(self, factor: float) -> _Growth:
        return _Growth(self.rate * factor, self.period)


_UNKNOWN = _Growth(0.0, np.nan)


def _common(a: float, b: float) -> float:
    """Return a common period of both, or NaN if it is unknown."""
    if a == 0.0 or b == 0.0 or np.isnan(a) or np.isnan(b):
        return a + b
    ratio = Fraction(a / b).limit_denominator(_MOST_TURNS)
    if ratio == 0 or abs(float(ratio) - a / b) > _SAME * (a / b):
        return np.nan
    return a * ratio.denominator


@dataclass(frozen=True)
class Switches:
    """The functions of time that switch, as a table that can be pickled."""

    operations: tuple[str, ...]
    arguments: tuple[tuple[int, ...], ...]
    values: tuple[float, ...]
    """Values of constants, and indices of parameters; NaN for other nodes."""
    watched: tuple[tuple[int, bool], ...]
    """Node, and True if it switches at whole numbers, False if at zero; inner nodes first."""

    def times(self, parameters: Array) -> tuple[Discontinuity, ...]:
        """Return the times for these parameters; nearby values give as many, in the same order."""
        found: list[Discontinuity] = []
        growth = self._growth(parameters)
        for node, whole in self.watched:
            for place in self._times_of(node, whole, growth[node], parameters, found):
                if not any(_is_among(place, other) for other in found):
                    found.append(place)
        return tuple(found)

    def _times_of(
        self,
        node: int,
        whole: bool,
        growth: _Growth,
        parameters: Array,
        known: Sequence[Discontinuity],
    ) -> list[Discontinuity]:
        rate, period = growth.rate, growth.period
        if period == 0.0:  # affine
            if rate == 0.0:
                return []
            start = float(self._at(node, np.zeros(1), parameters)[0])
            if whole:
                return [Repeating(-start / rate, 1.0 / abs(rate))]
            return [-start / rate] if np.isfinite(start / rate) else []

        def side(t: Array) -> Array:
            value = self._at(node, t, parameters)
            return np.floor(value) if whole else np.sign(value)

        repeats = np.isfinite(period) and abs(rate) * period <= _SAME
        grid = np.linspace(0.0, period, _PER_PERIOD + 1) if repeats else _GRID
        inside = [t for place in known for t in _inside(place, grid[0], grid[-1])]
        # Add points close to the known times, so that switches between two of them are detected.
        off = [_SAME * (period if repeats else max(abs(t), 1e-6)) for t in inside]
        near = [t + s * d for t, d in zip(inside, off, strict=True) for s in (-1.0, 1.0)]
        roots = _changes(side, np.unique(np.concatenate([grid, near])))
        if not repeats:
            return list(roots)
        end = period * (1.0 - _SAME)
        return [Repeating(0.0 if abs(t) < period - end or t >= end else t, period) for t in roots]

    def _at(self, node: int, t: Array, parameters: Array) -> Array:
        found: list[Any] = []
        with np.errstate(all="ignore"):
            for k in range(node + 1):
                operation, value = self.operations[k], self.values[k]
                if operation == "constant":
                    found.append(np.float64(value))
                elif operation == "t":
                    found.append(t)
                elif operation == "parameter":
                    found.append(parameters[int(value)])
                else:
                    found.append(evaluate_node(operation, [found[a] for a in self.arguments[k]]))
        return np.broadcast_to(np.asarray(found[node], dtype=np.float64), t.shape)

    def _growth(self, parameters: Array) -> list[_Growth]:
        nowhere = np.zeros(1)
        found: list[_Growth] = []
        for k, operation in enumerate(self.operations):
            a = [found[i] for i in self.arguments[k]]
            fixed = [g.period == 0.0 and g.rate == 0.0 for g in a]
            if operation == "t":
                growth = _Growth(1.0, 0.0)
            elif all(fixed):
                growth = _Growth(0.0, 0.0)
            elif operation in ("add", "sub"):
                growth = a[0].plus(a[1], 1.0 if operation == "add" else -1.0)
            elif operation == "neg":
                growth = a[0].times(-1.0)
            elif operation == "mul" and any(fixed):
                factor, other = self.arguments[k] if fixed[0] else self.arguments[k][::-1]
                growth = found[other].times(float(self._at(factor, nowhere, parameters)[0]))
            elif operation == "div" and fixed[1]:
                divisor = float(self._at(self.arguments[k][1], nowhere, parameters)[0])
                growth = a[0].times(1.0 / divisor if divisor != 0.0 else np.nan)
            elif operation in _WAVES and a[0].rate != 0.0:
                turn = _WAVES[operation] / abs(a[0].rate)
                growth = _Growth(0.0, _common(turn, a[0].period))
            elif operation in _WHOLE and a[0].rate != 0.0:
                step = 1.0 / abs(a[0].rate)
                growth = _Growth(a[0].rate, _common(step, a[0].period))
            else:
                growth = _repeating(operation, a)
            found.append(growth)
        return found


def _repeating(operation: str, arguments: Sequence[_Growth]) -> _Growth:
    """Return the growth of any function of periodic arguments.

    For comparisons, only the difference of the arguments must be periodic.
    """
    if operation in _DIFFERENCES and len(arguments) == 2:
        apart = arguments[0].plus(arguments[1], -1.0)
        rate = arguments[0].rate if operation in ("min", "max") else 0.0
        grows = apart.rate != 0.0
    else:
        apart = _Growth(0.0, 0.0)
        for argument in arguments:
            apart = apart.plus(argument)
        rate, grows = 0.0, any(argument.rate != 0.0 for argument in arguments)
    return _UNKNOWN if grows else _Growth(rate, apart.period)


def _changes(side: Any, grid: Array) -> list[float]:
    """Return the times at which a function with few values changes between grid points."""
    seen = side(grid)
    finite = np.isfinite(seen)
    jumps = np.flatnonzero(finite[:-1] & finite[1:] & (seen[:-1] != seen[1:]))
    low, high, left = grid[jumps], grid[jumps + 1], seen[jumps]
    for _ in range(80):  # down to adjacent floating-point numbers, also near zero
        middle = 0.5 * (low + high)
        if jumps.size == 0 or ((middle <= low) | (middle >= high)).all():
            break
        same = side(middle) == left
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    found: list[float] = []
    for t in np.where(np.abs(high) < 1e-15, 0.0, high).tolist():
        if not found or t - found[-1] > _SAME * max(abs(t), _SAME):
            found.append(t)
    return found


def _inside(place: Discontinuity, begin: float, end: float) -> list[float]:
    if isinstance(place, float):
        return [place] if begin <= place <= end else []
    first = np.ceil((begin - place.first) / place.period)
    count = min((end - place.first) / place.period - first, float(_PER_PERIOD))
    return [place.first + (first + k) * place.period for k in range(int(count) + 1)]


def _is_among(place: Discontinuity, known: Discontinuity) -> bool:
    """Return True if all times of `place` are times of `known`."""
    if isinstance(known, float):
        return isinstance(place, float) and abs(place - known) <= _SAME * abs(known)
    first = place if isinstance(place, float) else place.first
    turns = [(first - known.first) / known.period]
    if isinstance(place, Repeating):
        turns.append(place.period / known.period)
    return all(abs(turn - round(turn)) <= _SAME * max(1.0, abs(turn)) for turn in turns)


def find_switches(g: Graph, outputs: Sequence[int]) -> Switches:
    """Return the switches that enter the outputs and depend on time and parameters alone."""
    time, moving = g.of_kind("t"), g.of_kind("q", "u", "x")
    watched = []
    for node in g.reachable(outputs):
        operation, arguments = g.operations[node], g.arguments[node]
        if not g.depends[node] & time or g.depends[node] & moving:
            continue
        if operation in _DIFFERENCES:
            watched.append((g.sub(*arguments), False))
        elif operation in (*_ZEROS, *_WHOLE):
            watched.append((arguments[0], operation in _WHOLE))
    order = g.reachable([node for node, _ in watched])
    place = {node: k for k, node in enumerate(order)}
    operations, values = [], []
    for node in order:
        kind, index = g.labels.get(node, ("", 0))
        is_parameter = kind == "p"
        operations.append("parameter" if is_parameter else "t" if kind else g.operations[node])
        values.append(float(index) if is_parameter else g.values.get(node, np.nan))
    return Switches(
        tuple(operations),
        tuple(tuple(place[a] for a in g.arguments[node]) for node in order),
        tuple(values),
        tuple((place[node], whole) for node, whole in watched),
    )

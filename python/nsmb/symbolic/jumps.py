"""Operations whose derivative does not tell how they change, and jumps that would be lost.

The derivative of what jumps is zero beside the jump: a force ``-∂V/∂q`` or a rate ``ġ`` made of it
lacks the impulse, and a test for constant derivatives takes it for linear.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.symbolic.graph import Graph

__all__ = ["find_jump", "is_smooth"]

Array = NDArray[np.float64]

_SWITCHES = ("sign", "floor", "ceil", "lt", "le")
_NOT_SMOOTH = ("sign", "floor", "ceil", "abs", "min", "max", "tan", "atan2")
_NUMERIC: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "pow": np.power,
    "atan2": np.arctan2,
    "min": np.minimum,
    "max": np.maximum,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": np.vectorize(math.erf, otypes=[float]),
    "select": lambda c, a, b: np.where(c != 0.0, a, b),
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.minimum,
    "or": np.maximum,
    "not": lambda c: 1.0 - c,
    "true": lambda: 1.0,
    "false": lambda: 0.0,
}


def is_smooth(g: Graph, nodes: Sequence[int], bits: int) -> bool:
    """Whether no kink, jump or pole hides in what depends on these inputs.

    A choice between branches is smooth in inputs that do not choose. Powers, roots and quotients
    are let through: their derivatives depend on the inputs.
    """
    return not any(
        g.operations[node] in _NOT_SMOOTH or g.is_condition(node)
        for node in g.reachable(nodes, bits)
    )


def find_jump(
    g: Graph, output: int, values: Mapping[int, float], free: Sequence[int], lines: int = 8
) -> float | None:
    """Height of a jump of a node met along lines through the space of the inputs `free`.

    `values`: all inputs. None proves nothing; a height that is returned is one to which the
    difference of both sides tends as they close in on a switch. Nothing is evaluated without one.
    """
    walk = g.reachable([output])
    bits = g.mask(free)
    switches = [n for n in walk if g.operations[n] in _SWITCHES and g.depends[n] & bits]
    if not switches:
        return None
    rng = np.random.default_rng(1)
    far = np.logspace(-4, 6, 101)
    grid = np.unique(np.concatenate([-far, np.linspace(-10.0, 10.0, 401), far]))
    for direction in (*np.eye(len(free)), *rng.normal(size=(lines, len(free)))):
        base = rng.normal(size=len(free))

        def at(s: Array, base: Array = base, direction: Array = direction) -> dict[int, Array]:
            place = {n: b + d * s for n, b, d in zip(free, base, direction, strict=True)}
            return _evaluate(g, walk, {**values, **place}, s.shape)

        with np.errstate(all="ignore"):
            seen = at(grid)
            for switch in switches:
                found = _height(at, switch, output, grid, seen[switch])
                if found is not None:
                    return found
    return None


def _height(
    at: Callable[[Array], dict[int, Array]], switch: int, output: int, grid: Array, seen: Array
) -> float | None:
    changes = np.flatnonzero(np.isfinite(seen[:-1]) & np.isfinite(seen[1:]) & (np.diff(seen) != 0))
    low, high, left = grid[changes], grid[changes + 1], seen[changes]
    if not changes.size:
        return None
    for _ in range(80):  # to neighbouring numbers: 1e6 2^-80 < 1e-16
        middle = 0.5 * (low + high)
        same = at(middle)[switch] == left
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    reach = np.maximum(np.abs(low), 1e-3)
    sides = [
        (at(low - width * reach)[output], at(high + width * reach)[output])
        for width in (1e-6, 1e-8, 1e-10)
    ]
    heights = np.array([b - a for a, b in sides])
    last, size = np.abs(heights[-1]), np.maximum(*np.abs(sides[-1]))
    # A continuous output closes with the width, a pole grows: 1 % tells them from a jump.
    # Pieces that fit to six digits are taken as meant to be continuous.
    settled = (np.abs(heights - heights[-1]) <= 0.01 * last).all(axis=0)
    jumps = np.flatnonzero(settled & np.isfinite(last) & (last > 1e-6 * size))
    return float(heights[-1, jumps[0]]) if jumps.size else None


def _evaluate(
    g: Graph, walk: Sequence[int], inputs: Mapping[int, Any], shape: tuple[int, ...]
) -> dict[int, Array]:
    found: dict[int, Array] = {}
    for node in walk:
        if node in g.values:
            value: Any = g.values[node]
        elif node in inputs:
            value = inputs[node]
        else:
            operation = g.operations[node]
            function = _NUMERIC.get(operation) or getattr(np, operation)
            value = function(*(found[a] for a in g.arguments[node]))
        found[node] = np.broadcast_to(np.asarray(value, dtype=np.float64), shape)
    return found

"""Operations whose derivative misses a change, and the detection of jumps.

The derivative of a jump is zero on both sides of it. A force ``-∂V/∂q`` or a rate ``ġ`` derived
from it lacks the impulse, and a test for constant derivatives considers it linear.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.symbolic.graph import Graph

__all__ = ["evaluate_node", "find_jump", "is_smooth"]

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
    """Return True if `nodes` have no kink, jump or pole in the inputs given by `bits`.

    A choice between branches is smooth in inputs that do not enter its condition. Powers, roots and
    quotients are accepted, because their derivatives depend on the inputs.
    """
    return not any(
        g.operations[node] in _NOT_SMOOTH or g.is_condition(node)
        for node in g.reachable(nodes, bits)
    )


def find_jump(
    g: Graph, output: int, values: Mapping[int, float], free: Sequence[int], lines: int = 8
) -> float | None:
    """Return the height of a jump of a node along lines in the space of the inputs `free`.

    `values` are those of all inputs. `lines` is the largest number of lines along axes, and the
    number of lines in random directions. None does not prove continuity. A returned height is the
    limit of the difference of both sides at a switch. Without switches, nothing is evaluated.
    """
    bits = g.mask(free)
    walk = g.reachable([output])
    switches = [n for n in walk if g.operations[n] in _SWITCHES and g.depends[n] & bits]
    if not switches:
        return None
    choosing = g.reachable(switches)
    axes = [row for row, n in zip(np.eye(len(free)), free, strict=True) if n in choosing][:lines]
    rng = np.random.default_rng(1)
    for direction in (*axes, *rng.normal(size=(lines, len(free)))):
        base = rng.normal(size=len(free))

        def at(s: Array, order: Sequence[int], wanted: Sequence[int]) -> Array:
            place = {n: b + d * s for n, b, d in zip(free, base, direction, strict=True)}  # noqa: B023
            found = _evaluate(g, order, {**values, **place})
            return np.array([np.broadcast_to(found[n], s.shape) for n in wanted], dtype=np.float64)

        with np.errstate(all="ignore"):
            found = _height(
                lambda s: at(s, choosing, switches),
                lambda s: at(s, walk, [output])[0],
            )
        if found is not None:
            return found
    return None


def _height(switches: Callable[[Array], Array], output: Callable[[Array], Array]) -> float | None:
    """Return the height of a jump along one line, or None."""
    far = np.logspace(-4, 6, 101)
    grid = np.unique(np.concatenate([-far, np.linspace(-10.0, 10.0, 401), far]))
    seen = switches(grid)
    finite = np.isfinite(seen)
    which, where = np.nonzero(finite[:, :-1] & finite[:, 1:] & (seen[:, :-1] != seen[:, 1:]))
    low, high, left = grid[where], grid[where + 1], seen[which, where]
    if not where.size:
        return None
    for _ in range(56):  # down to adjacent floating-point numbers
        middle = 0.5 * (low + high)
        same = switches(middle)[which, np.arange(which.size)] == left
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    reach = np.maximum(np.abs(low), 1e-3)
    sides = [
        (output(low - width * reach), output(high + width * reach)) for width in (1e-6, 1e-8, 1e-10)
    ]
    heights = np.array([b - a for a, b in sides])
    last, size = np.abs(heights[-1]), np.maximum(*np.abs(sides[-1]))
    # The height of a continuous output falls with the width, that of a pole grows, and that of a
    # jump stays within 1 %. Pieces that agree to six digits are considered continuous.
    settled = (np.abs(heights - heights[-1]) <= 0.01 * last).all(axis=0)
    jumps = np.flatnonzero(settled & np.isfinite(last) & (last > 1e-6 * size))
    return float(heights[-1, jumps[0]]) if jumps.size else None


def _evaluate(g: Graph, walk: Sequence[int], inputs: Mapping[int, Any]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for node in walk:
        if node in g.values:
            found[node] = np.float64(g.values[node])
        elif node in inputs:
            found[node] = np.asarray(inputs[node], dtype=np.float64)
        else:
            found[node] = evaluate_node(g.operations[node], [found[a] for a in g.arguments[node]])
    return found


def evaluate_node(operation: str, arguments: Sequence[Any]) -> Any:
    """Return the value of an operation of a graph for arrays of its arguments."""
    function = _NUMERIC.get(operation) or getattr(np, operation)
    return function(*arguments)

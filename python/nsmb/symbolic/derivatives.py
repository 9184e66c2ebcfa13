"""Exact derivatives of nodes of a graph, by the chain rule from node to node.

A forward pass gives the derivatives of many outputs along one direction. A backward pass gives
those of one output with respect to many inputs. Both cost only a few times the evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nsmb.symbolic.graph import Graph

__all__ = ["gradient", "jacobian", "tangent"]


def _partial(g: Graph, node: int) -> tuple[int, ...]:
    """Return the derivatives of an operation with respect to its arguments."""
    operation, a = g.operations[node], g.arguments[node]
    one = g.one
    if operation == "add":
        return one, one
    if operation == "sub":
        return one, g.constant(-1.0)
    if operation == "neg":
        return (g.constant(-1.0),)
    if operation == "mul":
        return a[1], a[0]
    if operation == "div":
        return g.div(one, a[1]), g.neg(g.div(node, a[1]))
    if operation == "pow":
        return _partial_of_power(g, node)
    if operation == "atan2":
        square = g.add(g.mul(a[0], a[0]), g.mul(a[1], a[1]))
        return g.div(a[1], square), g.neg(g.div(a[0], square))
    if operation in ("min", "max"):
        first = g.compare("lt", *(a if operation == "min" else a[::-1]))
        return g.select(first, one, g.zero), g.select(first, g.zero, one)
    if operation == "select":
        return g.zero, g.select(a[0], one, g.zero), g.select(a[0], g.zero, one)
    if operation in ("sign", "floor", "ceil"):
        return (g.zero,)
    return (_partial_of_function(g, node, operation, a[0]),)


def _partial_of_power(g: Graph, node: int) -> tuple[int, int]:
    base, exponent = g.arguments[node]
    if exponent in g.values:
        n = g.values[exponent]
        lower = g.call("pow", base, g.constant(n - 1.0))
        return g.mul(g.constant(n), lower), g.zero
    slope = g.mul(exponent, g.call("pow", base, g.sub(exponent, g.one)))
    return slope, g.mul(node, g.call("log", base))


def _partial_of_function(g: Graph, node: int, name: str, a: int) -> int:
    one = g.one
    square = g.mul(a, a)
    if name == "sqrt":
        return g.div(g.constant(0.5), node)
    if name == "exp":
        return node
    if name == "log":
        return g.div(one, a)
    if name == "sin":
        return g.call("cos", a)
    if name == "cos":
        return g.neg(g.call("sin", a))
    if name == "tan":
        return g.add(one, g.mul(node, node))
    if name == "asin":
        return g.div(one, g.call("sqrt", g.sub(one, square)))
    if name == "acos":
        return g.neg(g.div(one, g.call("sqrt", g.sub(one, square))))
    if name == "atan":
        return g.div(one, g.add(one, square))
    if name == "sinh":
        return g.call("cosh", a)
    if name == "cosh":
        return g.call("sinh", a)
    if name == "tanh":
        return g.sub(one, g.mul(node, node))
    if name == "asinh":
        return g.div(one, g.call("sqrt", g.add(square, one)))
    if name == "acosh":
        return g.div(one, g.call("sqrt", g.sub(square, one)))
    if name == "atanh":
        return g.div(one, g.sub(one, square))
    if name == "erf":
        bell = g.call("exp", g.neg(square))
        return g.mul(g.constant(2.0 / math.sqrt(math.pi)), bell)
    if name == "abs":
        return g.call("sign", a)
    raise AssertionError(name)


def tangent(g: Graph, outputs: Sequence[int], seeds: Mapping[int, int]) -> list[int]:
    """Return the change of the outputs if the inputs change by `seeds`, with a node for each."""
    bits = g.mask(seeds)
    change: dict[int, int] = dict(seeds)
    for node in g.reachable(outputs, bits):
        if node in change:
            continue
        arguments = g.arguments[node]
        if g.is_condition(node):
            continue
        moving = [
            (k, change[a]) for k, a in enumerate(arguments) if change.get(a, g.zero) != g.zero
        ]
        if not moving:
            continue
        if g.operations[node] == "select":  # no product with the other branch, which may be NaN
            condition, a, b = arguments
            change[node] = g.select(condition, change.get(a, g.zero), change.get(b, g.zero))
            continue
        slopes = _partial(g, node)
        if g.operations[node] == "div":
            # Compute (a - (a/b) b')/b with one division.
            whole = g.sub(
                change.get(arguments[0], g.zero),
                g.mul(node, change.get(arguments[1], g.zero)),
            )
            change[node] = g.div(whole, arguments[1])
        elif g.operations[node] in ("min", "max"):
            first = g.compare(
                "lt", *(arguments if g.operations[node] == "min" else arguments[::-1])
            )
            a, b = (change.get(x, g.zero) for x in arguments)
            change[node] = g.select(first, a, b)
        else:
            change[node] = g.sum(g.mul(slopes[k], moved) for k, moved in moving)
    return [change.get(node, g.zero) for node in outputs]


def gradient(g: Graph, output: int, inputs: Sequence[int]) -> list[int]:
    """Return the derivatives of one output with respect to inputs."""
    walked = g.reachable([output], g.mask(inputs))
    if any(g.operations[node] in ("select", "min", "max") for node in walked):
        # Backwards, a branch that is not selected has the factor 0, but may be NaN.
        return [tangent(g, [output], {node: g.one})[0] for node in inputs]
    slope: dict[int, int] = {output: g.one}
    wanted = set(walked)
    for node in reversed(walked):
        if node not in slope or not g.arguments[node]:
            continue
        for argument, partial in zip(g.arguments[node], _partial(g, node), strict=True):
            if argument in wanted:
                more = g.mul(slope[node], partial)
                slope[argument] = g.add(slope.get(argument, g.zero), more)
    return [slope.get(node, g.zero) for node in inputs]


def jacobian(g: Graph, outputs: Sequence[int], inputs: Sequence[int]) -> list[list[int]]:
    """Return one column of derivatives of all outputs for each input."""
    return [tangent(g, outputs, {node: g.one}) for node in inputs]

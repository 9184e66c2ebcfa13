"""Expressions as a graph in which equal subexpressions are one node.

A graph only grows. A node is a number, its arguments have smaller numbers, and building the same
expression again gives the same node. Common subexpressions are therefore shared without a search,
and ascending numbers are an order of evaluation. Only inexpensive simplifications are made:
constants are folded, zeros and ones vanish, equal terms of a sum are added, and sin² + cos² = 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

__all__ = ["BINARY", "UNARY", "Graph"]

# Functions of the C library, and Python functions to fold constants.
UNARY: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
    "erf": math.erf,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "sign": lambda x: math.copysign(1.0, x) if x != 0.0 else 0.0,
}
BINARY: dict[str, Callable[[float, float], float]] = {
    "pow": math.pow,
    "atan2": math.atan2,
    "min": min,
    "max": max,
}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
_LOGIC = ("and", "or")
Input = tuple[str, int]


class Graph:
    """A graph of nodes ``(operation, arguments)``; an input is ``("input", (kind, index))``."""

    def __init__(self) -> None:
        self.operations: list[str] = []
        self.arguments: list[tuple[int, ...]] = []
        self.values: dict[int, float] = {}
        """Values of constants."""
        self.inputs: dict[Input, int] = {}
        self.labels: dict[int, Input] = {}
        self.depends: list[int] = []
        """Bit masks of the inputs of each node, with one bit per input in order of creation."""
        self.static = 0
        """Bits of the parameters, which are the inputs of kind ``p``."""
        self._known: dict[tuple[str, object], int] = {}
        self.zero = self.constant(0.0)
        self.one = self.constant(1.0)

    # ---- leaves ------------------------------------------------------------------------------

    def constant(self, value: float) -> int:
        value = float(value) + 0.0  # no -0.0
        key = ("constant", value)
        if key not in self._known:
            node = self._new("constant", (), 0, key)
            self.values[node] = value
        return self._known[key]

    def input(self, kind: str, index: int = 0) -> int:
        label = (kind, index)
        if label not in self.inputs:
            bit = 1 << len(self.inputs)
            node = self._new("input", (), bit, ("input", label))
            if kind == "p":
                self.static |= bit
            self.inputs[label] = node
            self.labels[node] = label
        return self.inputs[label]

    def mask(self, nodes: Iterable[int]) -> int:
        """Return the bits of these inputs."""
        bits = 0
        for node in nodes:
            bits |= self.depends[node]
        return bits

    def of_kind(self, *kinds: str) -> int:
        """Return the bits of all inputs of these kinds."""
        return self.mask(node for label, node in self.inputs.items() if label[0] in kinds)

    def _new(
        self, operation: str, arguments: tuple[int, ...], bits: int, key: tuple[str, object]
    ) -> int:
        self.operations.append(operation)
        self.arguments.append(arguments)
        self.depends.append(bits)
        self._known[key] = len(self.operations) - 1
        return self._known[key]

    def _node(self, operation: str, *arguments: int) -> int:
        key = (operation, arguments)
        if key in self._known:
            return self._known[key]
        return self._new(operation, arguments, self.mask(arguments), key)

    # ---- sums and products -------------------------------------------------------------------

    def add(self, a: int, b: int) -> int:
        if a == self.zero:
            return b
        if b == self.zero:
            return a
        if a in self.values and b in self.values:
            return self.constant(self.values[a] + self.values[b])
        if self.operations[b] == "neg":
            return self.sub(a, self.arguments[b][0])
        if self.operations[a] == "neg":
            return self.sub(b, self.arguments[a][0])
        merged = self._merged(a, b, 1.0)
        return self._node("add", *sorted((a, b))) if merged is None else merged

    def sub(self, a: int, b: int) -> int:
        if b == self.zero:
            return a
        if a == self.zero:
            return self.neg(b)
        if a in self.values and b in self.values:
            return self.constant(self.values[a] - self.values[b])
        if self.operations[b] == "neg":
            return self.add(a, self.arguments[b][0])
        merged = self._merged(a, b, -1.0)
        return self._node("sub", a, b) if merged is None else merged

    def neg(self, a: int) -> int:
        if a in self.values:
            return self.constant(-self.values[a])
        if self.operations[a] == "neg":
            return self.arguments[a][0]
        if self.operations[a] == "sub":
            return self.sub(self.arguments[a][1], self.arguments[a][0])
        factor, rest = self._split(a)
        if factor != 1.0:
            return self.mul(self.constant(-factor), rest)
        return self._node("neg", a)

    def mul(self, a: int, b: int) -> int:
        for x, y in ((a, b), (b, a)):
            if x == self.zero:
                return x
            if x == self.one:
                return y
            if x in self.values:
                if y in self.values:
                    return self.constant(self.values[x] * self.values[y])
                if self.values[x] == -1.0:
                    return self.neg(y)
                if self.operations[y] == "neg":
                    return self.mul(self.constant(-self.values[x]), self.arguments[y][0])
                factor, rest = self._split(y)
                if factor != 1.0:
                    return self.mul(self.constant(self.values[x] * factor), rest)
                return self._node("mul", x, y)
            if self.operations[x] == "neg":
                return self.neg(self.mul(self.arguments[x][0], y))
        for x, y in ((a, b), (b, a)):
            factor, rest = self._split(x)
            if factor != 1.0:
                return self.mul(self.constant(factor), self.mul(rest, y))
        for x, y in ((a, b), (b, a)):
            if self.is_static(x) and not self.is_static(y) and self.operations[y] == "mul":
                for s, rest in (self.arguments[y], self.arguments[y][::-1]):
                    if self.is_static(s):
                        return self.mul(self.mul(x, s), rest)
        if self.operations[b] == "div" and self.arguments[b][0] == self.one:
            return self.div(a, self.arguments[b][1])
        return self._node("mul", *sorted((a, b)))

    def is_static(self, a: int) -> bool:
        """Return True for a node of parameters only, which is computed once for all evaluations."""
        return self.depends[a] != 0 and not self.depends[a] & ~self.static

    def div(self, a: int, b: int) -> int:
        if b == self.one or a == self.zero:
            return a
        if a == b:
            return self.one
        if b in self.values and self.values[b] != 0.0:
            if a in self.values:
                return self.constant(self.values[a] / self.values[b])
            mantissa, _ = math.frexp(self.values[b])
            if abs(mantissa) == 0.5:  # exact
                return self.mul(self.constant(1.0 / self.values[b]), a)
        if self.operations[a] == "neg":
            return self.neg(self.div(self.arguments[a][0], b))
        if self.operations[b] == "neg":
            return self.neg(self.div(a, self.arguments[b][0]))
        return self._node("div", a, b)

    def sum(self, nodes: Iterable[int]) -> int:
        total = self.zero
        for node in nodes:
            total = self.add(total, node)
        return total

    def product(self, nodes: Iterable[int]) -> int:
        """Return the product, with factors grouped by input: parameters, then t, q, u."""
        total = self.one
        for node in sorted(nodes, key=self.depends.__getitem__):
            total = self.mul(total, node)
        return total

    def dot(self, a: Sequence[int], b: Sequence[int]) -> int:
        return self.sum(self.mul(x, y) for x, y in zip(a, b, strict=True))

    def power(self, a: int, n: int) -> int:
        """Return aⁿ for a whole number n, by squaring."""
        if n < 0:
            return self.div(self.one, self.power(a, -n))
        result, square = self.one, a
        while n > 0:
            if n & 1:
                result = self.mul(result, square)
            n >>= 1
            if n > 0:
                square = self.mul(square, square)
        return result

    def _split(self, a: int) -> tuple[float, int]:
        """Return (c, rest) with a = c rest."""
        if self.operations[a] == "mul" and self.arguments[a][0] in self.values:
            return self.values[self.arguments[a][0]], self.arguments[a][1]
        if self.operations[a] == "neg":
            return -1.0, self.arguments[a][0]
        return 1.0, a

    def _merged(self, a: int, b: int, sign: float) -> int | None:
        """Return a + sign b as one term, or None if it is not one."""
        (c, x), (d, y) = self._split(a), self._split(b)
        if x == y:
            return self.mul(self.constant(c + sign * d), x)
        if c == sign * d:
            rest = self._pythagoras(x, y)
            if rest is not None:
                return self.mul(self.constant(c), rest)
        return None

    def _pythagoras(self, a: int, b: int) -> int | None:
        """Return r if the nodes are r cos²φ and r sin²φ, otherwise None."""
        for x, y in ((a, b), (b, a)):
            for square, rest in self._squares(x, "cos"):
                sine = self.call("sin", self.arguments[square][0])
                if (sine, rest) in self._squares(y, "sin"):
                    return rest
        return None

    def _squares(self, a: int, function: str) -> list[tuple[int, int]]:
        """Return all (f, r) with a = r f², where f is a call of `function`."""
        if self.operations[a] != "mul":
            return []
        x, y = self.arguments[a]
        if x == y:
            return [(x, self.one)] if self.operations[x] == function else []
        found = []
        for square, rest in ((x, y), (y, x)):
            if self.operations[square] == "mul":
                f, g = self.arguments[square]
                if f == g and self.operations[f] == function:
                    found.append((f, rest))
        return found

    # ---- functions ---------------------------------------------------------------------------

    def call(self, function: str, *nodes: int) -> int:
        """Return the call of a function of `UNARY` or `BINARY`."""
        if all(node in self.values for node in nodes):
            fold: Callable[..., float] = (UNARY | BINARY)[function]
            try:
                return self.constant(fold(*(self.values[node] for node in nodes)))
            except (ValueError, OverflowError):
                return self.constant(math.nan) if function != "pow" else self._node("pow", *nodes)
        if function in ("min", "max"):
            if nodes[0] == nodes[1]:
                return nodes[0]
            nodes = tuple(sorted(nodes))
        return self._node(function, *nodes)

    # Conditions are nodes with the values 0 and 1, identified by their operation.

    def compare(self, relation: str, a: int, b: int) -> int:
        if a in self.values and b in self.values:
            return self._truth(_COMPARISONS[relation](self.values[a], self.values[b]))
        return self._node(relation, a, b)

    def _truth(self, value: bool) -> int:
        return self._node("true" if value else "false")

    def logic(self, operation: str, conditions: Sequence[int]) -> int:
        """Return `and` or `or` of any number of conditions."""
        neutral, absorbing = self._truth(operation == "and"), self._truth(operation != "and")
        result = neutral
        for condition in conditions:
            if condition == absorbing:
                return absorbing
            if condition in (neutral, result):
                continue
            result = condition if result == neutral else self._node(operation, result, condition)
        return result

    def negation(self, a: int) -> int:
        if self.operations[a] in ("true", "false"):
            return self._truth(self.operations[a] == "false")
        return self._node("not", a)

    def select(self, condition: int, a: int, b: int) -> int:
        """Return a where the condition holds, and b elsewhere; both are computed."""
        if self.operations[condition] == "true" or a == b:
            return a
        if self.operations[condition] == "false":
            return b
        return self._node("select", condition, a, b)

    def is_condition(self, a: int) -> bool:
        return self.operations[a] in (*_COMPARISONS, *_LOGIC, "not", "true", "false")

    # ---- walks -------------------------------------------------------------------------------

    def reachable(self, outputs: Iterable[int], bits: int = -1) -> list[int]:
        """Return the nodes that enter the outputs and depend on `bits` (-1: all), ascending."""
        wanted = (lambda node: True) if bits == -1 else (lambda node: self.depends[node] & bits)
        seen: set[int] = set()
        stack = [node for node in outputs if wanted(node)]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                stack.extend(a for a in self.arguments[node] if a not in seen and wanted(a))
        return sorted(seen)

    def substitute(self, outputs: Sequence[int], values: dict[int, int]) -> list[int]:
        """Return the outputs with inputs replaced by other nodes."""
        new = dict(values)
        for node in self.reachable(outputs, self.mask(values)):
            if node not in new:
                arguments = [new.get(a, a) for a in self.arguments[node]]
                new[node] = self._again(self.operations[node], arguments)
        return [new.get(node, node) for node in outputs]

    def _again(self, operation: str, a: Sequence[int]) -> int:
        if operation in ("add", "sub", "mul", "div", "neg", "select"):
            return int(getattr(self, operation)(*a))
        if operation in _COMPARISONS:
            return self.compare(operation, *a)
        if operation in _LOGIC:
            return self.logic(operation, a)
        if operation == "not":
            return self.negation(a[0])
        return self.call(operation, *a)

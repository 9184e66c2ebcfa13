"""Conversion of SymPy expressions to nodes of a graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from nsmb.common.arguments import unknown_name
from nsmb.common.expressions import as_expression
from nsmb.symbolic.graph import Graph
from nsmb.symbolic.symbols import Mode, Parameter, Parameters, PathRate, other_assumptions

__all__ = ["Converter", "parameter_nodes", "watched_function"]

_FUNCTIONS: dict[Any, str] = {
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.tan: "tan",
    sympy.asin: "asin",
    sympy.acos: "acos",
    sympy.atan: "atan",
    sympy.sinh: "sinh",
    sympy.cosh: "cosh",
    sympy.tanh: "tanh",
    sympy.asinh: "asinh",
    sympy.acosh: "acosh",
    sympy.atanh: "atanh",
    sympy.erf: "erf",
    sympy.Abs: "abs",
    sympy.sign: "sign",
    sympy.floor: "floor",
    sympy.ceiling: "ceil",
}
_INVERSE: dict[Any, str] = {
    sympy.cot: "tan",
    sympy.sec: "cos",
    sympy.csc: "sin",
    sympy.coth: "tanh",
    sympy.sech: "cosh",
    sympy.csch: "sinh",
}
_RELATIONS: dict[Any, tuple[str, bool]] = {  # operation, and True for exchanged sides
    sympy.StrictLessThan: ("lt", False),
    sympy.LessThan: ("le", False),
    sympy.StrictGreaterThan: ("lt", True),
    sympy.GreaterThan: ("le", True),
    sympy.Equality: ("eq", False),
    sympy.Unequality: ("ne", False),
}
_KNOWN = "sqrt, pow, " + ", ".join(
    sorted({f.__name__ for f in (*_FUNCTIONS, *_INVERSE)} | {"atan2", "Min", "Max", "Piecewise"})
)


def parameter_nodes(graph: Graph, parameters: Parameters) -> dict[Any, int]:
    """Return the inputs of parameters, by all symbols that represent them."""
    names: dict[Any, int] = {}
    for i, name in enumerate(parameters):
        node = graph.input("p", i)
        names[Parameter(name)] = names[sympy.Symbol(name)] = node
        names[sympy.Symbol(name, real=True)] = names[sympy.Symbol(name, positive=True)] = node
    for symbol in parameters._given:
        names[symbol] = names[Parameter(symbol.name)]
    return names


def watched_function(mode: Mode, pair: Any) -> sympy.Expr:
    """Return the watched function of a mode from its pair."""
    where = f"watch of {mode}"
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise ValueError(f"{where}: expected a pair (open, closed), got {pair!r}")
    is_open, closed = (as_expression(where, function) for function in pair)
    if is_open.is_negative and closed.is_negative:
        raise ValueError(
            f"{where}: must be functions that are not negative while their mode lasts, got "
            f"{pair}: neither mode can last"
        )
    return mode.select(is_open, closed)


class Converter:
    """A converter from expressions of known symbols to nodes.

    `symbols` maps each symbol to its input. A ValueError names any other symbol, and any function
    without a counterpart in machine code. `path_rate` creates the node of the rate of a path.
    """

    def __init__(
        self,
        graph: Graph,
        symbols: Mapping[Any, int],
        path_rate: Callable[[str, Any], int] | None = None,
    ) -> None:
        self.graph = graph
        self.symbols = dict(symbols)
        self._path_rate = path_rate
        self._done: dict[Any, int] = {}

    def __call__(self, where: str, value: Any) -> int:
        return self._convert(where, as_expression(where, value))

    def _convert(self, where: str, e: Any) -> int:
        node = self._done.get(e)
        if node is None:
            node = self._done[e] = self._new(where, e)
        return node

    def _new(self, where: str, e: Any) -> int:
        g = self.graph
        if e in self.symbols:
            return int(self.symbols[e])
        if e.is_Symbol:
            raise self._unknown(where, e)
        if isinstance(e, sympy.logic.boolalg.Boolean):
            return self._condition(where, e)
        if isinstance(e, PathRate) and self._path_rate is not None:
            return self._path_rate(where, e.args[0])
        if not e.free_symbols and not e.has(AppliedUndef, PathRate):
            return g.constant(self._number(where, e))
        if isinstance(e, sympy.Add):
            return g.sum(self._convert(where, a) for a in e.args)
        if isinstance(e, sympy.Mul):
            return self._product(where, e)
        if isinstance(e, sympy.Pow):
            return self._power(where, e.base, e.exp)
        if isinstance(e, sympy.Piecewise):
            return self._piecewise(where, e)
        if isinstance(e, sympy.Derivative | AppliedUndef):
            done = e.doit()
            if done != e:
                return self._convert(where, done)
            raise self._derivative(where, e)
        return self._function(where, e)

    def _number(self, where: str, e: Any) -> float:
        try:
            value = complex(e.evalf(20))
        except TypeError:
            raise ValueError(f"{where}: expected real numbers, got {e}") from None
        if value.imag != 0.0 or not math.isfinite(value.real):
            raise ValueError(f"{where}: expected real numbers, got {e}")
        return float(e) if e.is_Rational or e.is_Float else value.real

    def _product(self, where: str, e: Any) -> int:
        above, below = [], []
        for factor in e.args:
            base, exponent = factor.as_base_exp()
            if exponent.could_extract_minus_sign() and not factor.is_number:
                below.append(self._power(where, base, -exponent))
            else:
                above.append(self._convert(where, factor))
        g = self.graph
        return g.div(g.product(above), g.product(below))

    def _power(self, where: str, base: Any, exponent: Any) -> int:
        g = self.graph
        if base is sympy.S.Exp1:
            return g.call("exp", self._convert(where, exponent))
        b = self._convert(where, base)
        if exponent.is_Integer and abs(int(exponent)) <= 64:
            return g.power(b, int(exponent))
        if exponent.is_Rational and exponent.q == 2 and abs(exponent.p) <= 64:
            return g.power(g.call("sqrt", b), int(exponent.p))
        return g.call("pow", b, self._convert(where, exponent))

    def _function(self, where: str, e: Any) -> int:
        g = self.graph
        if e.func in _FUNCTIONS and len(e.args) == 1:
            return g.call(_FUNCTIONS[e.func], self._convert(where, e.args[0]))
        if e.func in _INVERSE:
            return g.div(g.one, g.call(_INVERSE[e.func], self._convert(where, e.args[0])))
        if isinstance(e, sympy.atan2):
            return g.call("atan2", *(self._convert(where, a) for a in e.args))
        if isinstance(e, sympy.Min | sympy.Max):
            nodes = [self._convert(where, a) for a in sorted(e.args, key=sympy.default_sort_key)]
            result = nodes[0]
            for node in nodes[1:]:
                result = g.call("min" if isinstance(e, sympy.Min) else "max", result, node)
            return result
        if isinstance(e, sympy.Heaviside):
            return self._convert(where, e.rewrite(sympy.Piecewise))
        if isinstance(e, sympy.Mod):
            a, b = e.args
            return self._convert(where, a - b * sympy.floor(a / b))
        if isinstance(e, sympy.frac):
            return self._convert(where, e.args[0] - sympy.floor(e.args[0]))
        raise ValueError(
            f"{where}: function {e.func.__name__!r} cannot be compiled; known are {_KNOWN}"
        )

    def _piecewise(self, where: str, e: Any) -> int:
        g = self.graph
        if e.args[-1][1] is not sympy.true:
            raise ValueError(f"{where}: expected a Piecewise that ends with (..., True), got {e}")
        result = self._convert(where, e.args[-1][0])
        for value, condition in reversed(e.args[:-1]):
            result = g.select(
                self._condition(where, condition), self._convert(where, value), result
            )
        return result

    def _condition(self, where: str, e: Any) -> int:
        g = self.graph
        if e in (sympy.true, sympy.false):
            return g.logic("and" if e == sympy.true else "or", [])
        if e.func in _RELATIONS:
            operation, exchanged = _RELATIONS[e.func]
            sides = [self._convert(where, side) for side in e.args]
            return g.compare(operation, *(reversed(sides) if exchanged else sides))
        if isinstance(e, sympy.And | sympy.Or):
            parts = [self._condition(where, a) for a in e.args]
            return g.logic("and" if isinstance(e, sympy.And) else "or", parts)
        if isinstance(e, sympy.Not):
            return g.negation(self._condition(where, e.args[0]))
        raise ValueError(f"{where}: expected comparisons as conditions, got {e}")

    def _unknown(self, where: str, e: Any) -> ValueError:
        known = list(dict.fromkeys(str(symbol) for symbol in self.symbols))
        if str(e) in known:
            return other_assumptions(f"{where}: symbol", e)
        error = unknown_name(f"{where}: symbol", str(e), known)
        return ValueError(f"{error}; numbers with a name are made by symbolic.parameters")

    def _derivative(self, where: str, e: Any) -> ValueError:
        if isinstance(e, sympy.Derivative):
            order = sum(count for _, count in e.variable_count)
            what = "accelerations" if order > 1 else "rates that are no velocities of the system"
            return ValueError(f"{where}: expected an expression without {what}, got {e}")
        return ValueError(
            f"{where}: function {e.func.__name__!r} is not known: expected coordinates of the "
            f"system, or functions among {_KNOWN}"
        )

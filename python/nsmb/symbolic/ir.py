"""Functions in LLVM assembly from nodes of a graph.

Every function is ``void f(const double* const* in, double* const* out)``. Its code is
straight-line, without branches: all loads, all operations, all stores. Quantities that depend on
parameters alone are not computed there, but read from the parameter vector, see :class:`Hoist`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nsmb.symbolic.graph import Graph

__all__ = ["INPUTS", "Hoist", "function", "module"]

# Same order as CompiledInput in the core.
INPUTS = ("t", "q", "u", "x", "p", "udot", "lambda_N", "lambda_T", "zeta", "lambda", "v")

_INTRINSICS = ("sqrt", "exp", "log", "sin", "cos", "pow", "floor", "ceil")
_LIBRARY = (
    "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf",
    "atan2",
)  # fmt: skip
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


@dataclass
class Hoist:
    """Nodes that depend on parameters alone, and their positions after the parameters."""

    graph: Graph
    parameters: int
    slots: dict[int, int] = field(default_factory=dict)

    def takes(self, node: int) -> bool:
        """Return True, and reserve a slot, if the node is read instead of computed."""
        g = self.graph
        if not g.is_static(node) or not g.arguments[node] or g.is_condition(node):
            return False
        self.slots.setdefault(node, self.parameters + len(self.slots))
        return True


def _literal(value: float) -> str:
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


class _Printer:
    def __init__(self, graph: Graph, hoist: Hoist | None) -> None:
        self.graph = graph
        self.hoist = hoist
        self.loads: list[str] = []
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.pointers: dict[str, str] = {}

    def value(self, node: int) -> str:
        return self.names[node]

    def load(self, kind: str, index: int) -> str:
        if kind not in self.pointers:
            place = INPUTS.index(kind)
            self.pointers[kind] = f"%in_{kind}"
            self.loads.append(f"  %at_{kind} = getelementptr ptr, ptr %in, i64 {place}")
            self.loads.append(f"  %in_{kind} = load ptr, ptr %at_{kind}")
        name = f"%{kind}_{index}"
        self.loads.append(f"  {name}_at = getelementptr double, ptr %in_{kind}, i64 {index}")
        self.loads.append(f"  {name} = load double, ptr {name}_at")
        return name

    def needed(self, outputs: Sequence[int]) -> list[int]:
        seen: set[int] = set()
        stack = list(outputs)
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if not (self.hoist and self.hoist.takes(node)):
                stack.extend(self.graph.arguments[node])
        return sorted(seen)

    def compute(self, outputs: Sequence[int]) -> None:
        g = self.graph
        for node in self.needed(outputs):
            if node in g.values:
                self.names[node] = _literal(g.values[node])
            elif node in g.labels:
                self.names[node] = self.load(*g.labels[node])
            elif self.hoist and node in self.hoist.slots:
                self.names[node] = self.load("p", self.hoist.slots[node])
            else:
                self.names[node] = self.operation(node)

    def operation(self, node: int) -> str:
        operation = self.graph.operations[node]
        if operation in ("true", "false"):
            return operation
        a = [self.names[argument] for argument in self.graph.arguments[node]]
        name = f"%n{node}"
        if operation in _ARITHMETIC:
            text = f"{_ARITHMETIC[operation]} double {a[0]}, {a[1]}"
        elif operation == "neg":
            text = f"fneg double {a[0]}"
        elif operation in _COMPARISONS:
            text = f"fcmp {_COMPARISONS[operation]} double {a[0]}, {a[1]}"
        elif operation in ("and", "or"):
            text = f"{operation} i1 {a[0]}, {a[1]}"
        elif operation == "not":
            text = f"xor i1 {a[0]}, true"
        elif operation == "select":
            text = f"select i1 {a[0]}, double {a[1]}, double {a[2]}"
        elif operation in ("min", "max"):
            first, second = a if operation == "min" else a[::-1]
            self.lines.append(f"  {name}_c = fcmp olt double {first}, {second}")
            text = f"select i1 {name}_c, double {a[0]}, double {a[1]}"
        elif operation == "sign":
            zero, one = _literal(0.0), _literal(1.0)
            self.lines += [
                f"  {name}_p = fcmp ogt double {a[0]}, {zero}",
                f"  {name}_n = fcmp olt double {a[0]}, {zero}",
                f"  {name}_s = select i1 {name}_n, double {_literal(-1.0)}, double {zero}",
            ]
            text = f"select i1 {name}_p, double {one}, double {name}_s"
        else:
            arguments = ", ".join(f"double {argument}" for argument in a)
            text = f"call double @{_symbol(operation)}({arguments})"
        self.lines.append(f"  {name} = {text}")
        return name


def _symbol(operation: str) -> str:
    if operation == "abs":
        return "llvm.fabs.f64"
    return f"llvm.{operation}.f64" if operation in _INTRINSICS else operation


def function(
    graph: Graph, name: str, outputs: Sequence[Sequence[int]], hoist: Hoist | None = None
) -> str:
    """Return the function that writes ``outputs[k]`` to ``out[k]``."""
    printer = _Printer(graph, hoist)
    printer.compute([node for part in outputs for node in part])
    stores = []
    for k, part in enumerate(outputs):
        if not part:
            continue
        stores.append(f"  %to_{k} = getelementptr ptr, ptr %out, i64 {k}")
        stores.append(f"  %out_{k} = load ptr, ptr %to_{k}")
        for i, node in enumerate(part):
            stores.append(f"  %out_{k}_{i} = getelementptr double, ptr %out_{k}, i64 {i}")
            stores.append(f"  store double {printer.value(node)}, ptr %out_{k}_{i}")
    body = [*printer.loads, *printer.lines, *stores, "  ret void"]
    return "\n".join([f"define void @{name}(ptr %in, ptr %out) {{", *body, "}"])


def module(functions: Mapping[str, str]) -> str:
    """Return a module of all functions by name, with the declarations they need."""
    text = "\n".join(functions.values())
    declarations = []
    for operation in ("abs", *_INTRINSICS, *_LIBRARY):
        symbol = _symbol(operation)
        if f"@{symbol}(" in text:
            arguments = "double, double" if operation in ("pow", "atan2") else "double"
            attributes = "" if symbol.startswith("llvm.") else " nounwind willreturn memory(none)"
            declarations.append(f"declare double @{symbol}({arguments}){attributes}")
    return "\n".join([*declarations, text, ""])

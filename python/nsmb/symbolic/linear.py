"""Test for linear systems with affine gaps, and their matrices as nodes of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nsmb.symbolic.derivatives import jacobian, tangent
from nsmb.symbolic.graph import Graph
from nsmb.symbolic.jumps import is_smooth
from nsmb.symbolic.model import Model

__all__ = ["LinearNodes", "NotLinear", "linear_nodes"]

Nodes = list[int]


class NotLinear(Exception):
    """Exception with the reason why a system is not linear."""


@dataclass(eq=False)
class LinearNodes:
    """A linear system in terms of parameters, with matrices by columns."""

    M: Nodes
    K: Nodes
    D: Nodes
    constant: Nodes
    ramp: Nodes
    harmonics: list[Nodes]
    """Nodes ω, φ, a, b of a cos(ωt + φ) + b sin(ωt + φ), 2 + 2 n for each harmonic."""
    inputs: list[Nodes] = field(default_factory=list)
    """Force per unit of each input."""
    contacts: list[Nodes] = field(default_factory=list)
    """Nodes w_N, w_T by columns, gap, w_tilde_N, w_tilde_T, bound of each contact."""

    def outputs(self) -> list[Nodes]:
        """Return the nodes in the order of :func:`nsmb.symbolic.program.linear_core`."""
        flat = [node for part in (*self.harmonics, *self.inputs, *self.contacts) for node in part]
        return [self.M, self.K, self.D, self.constant, self.ramp, flat]


def linear_nodes(model: Model) -> LinearNodes:
    """Return the matrices; raise `NotLinear` with the reason if the system is not linear.

    The test is structural: an expression that is constant only after a transformation is not
    linear.
    """
    if model.has_rates:
        raise NotLinear("q̇ is not u")
    if model.constraints:
        raise NotLinear(f"there is the bilateral constraint {model.constraints[0].name!r}")
    if model.elements:
        raise NotLinear(f"there is the force element {model.elements[0].name!r}")
    if model.states:
        raise NotLinear("there are internal states")
    if model.watched:
        raise NotLinear(f"there is the mode {model.symbols.x[0].name!r}")
    for name, node in model.limits.items():
        if not model.is_static(node):
            raise NotLinear(f"there is a limit, {name!r}")
    g = model.graph
    M = [entry for column in model.M for entry in column]
    _constant(model, M, "the mass matrix")
    _smooth(model, model.h, "the forces", "q", "u")
    columns_q = jacobian(g, model.h, model.q)
    columns_u = jacobian(g, model.h, model.u)
    for symbols, columns in ((model.symbols.q, columns_q), (model.symbols.u, columns_u)):
        for symbol, column in zip(symbols, columns, strict=True):
            _constant(model, column, f"the derivative of the forces with respect to {symbol}")
    zero = dict.fromkeys([*model.q, *model.u], g.zero)
    linear = LinearNodes(
        M,
        [g.neg(entry) for column in columns_q for entry in column],
        [g.neg(entry) for column in columns_u for entry in column],
        [], [], [],
    )  # fmt: skip
    linear.inputs = jacobian(g, model.h, model.v)
    for entry, column in zip(model.symbols.inputs, linear.inputs, strict=True):
        _smooth(model, model.h, "the forces", "v")
        _constant(model, column, f"the derivative of the forces with respect to {entry.name}")
    zero_v = dict.fromkeys(model.v, g.zero)
    _split_force(model, g.substitute(model.h, zero | zero_v), linear)
    for row in model.contacts:
        prefix = f"of contact {row.rows.name!r} "
        if row.rows.law.curve is not None:
            raise NotLinear(f"friction {prefix}depends on the speed")
        if row.rows.tangents == 2:
            raise NotLinear(f"friction {prefix}acts in a plane")
        directions = [*row.normal.W, *(entry for W in row.W_T for entry in W)]
        moving = [row.normal.w_tilde, *row.w_tilde_T]
        _smooth(model, [row.normal.gap], f"the gap {prefix.strip()}", "q", "u", "t")
        _constant(model, directions, f"the directions {prefix}")
        _constant(model, moving, f"the prescribed velocity {prefix}")
        _constant(model, [row.bound], f"the friction bound {prefix}")
        gap = g.substitute([row.normal.gap], zero | {model.t: g.zero})
        linear.contacts.append([*directions, *gap, *moving, row.bound])
    return linear


def _constant(model: Model, nodes: Sequence[int], what: str) -> None:
    kinds = {"q": "coordinates", "u": "velocities", "t": "time", "v": "inputs"}
    for kind, name in kinds.items():
        if any(model.depends_on(node, kind) for node in nodes):
            raise NotLinear(f"{what} depend{'s' if not what.endswith('s') else ''} on {name}")


def _smooth(model: Model, nodes: Sequence[int], what: str, *kinds: str) -> None:
    # sign(v) is not constant, although its derivative is.
    if not is_smooth(model.graph, nodes, model.graph.of_kind(*kinds)):
        verb = "have" if what.endswith("s") else "has"
        raise NotLinear(f"{what} {verb} kinks or jumps")


def _split_force(model: Model, f: Sequence[int], linear: LinearNodes) -> None:
    g = model.graph
    n = len(f)
    constant, ramp = [g.zero] * n, [g.zero] * n
    harmonics: dict[tuple[int, int], tuple[Nodes, Nodes]] = {}
    for i, node in enumerate(f):
        for factor, term in _terms(g, node, model.t):
            if term == g.one:
                constant[i] = g.add(constant[i], factor)
            elif term == model.t:
                ramp[i] = g.add(ramp[i], factor)
            else:
                phase = _phase(g, term, model.t)
                cosine, sine = harmonics.setdefault(phase, ([g.zero] * n, [g.zero] * n))
                part = cosine if g.operations[term] == "cos" else sine
                part[i] = g.add(part[i], factor)
    linear.constant, linear.ramp = constant, ramp
    linear.harmonics = [[*phase, *a, *b] for phase, (a, b) in harmonics.items()]


def _terms(g: Graph, node: int, t: int) -> list[tuple[int, int]]:
    """Return pairs (factor, term) of a sum, with terms 1, t, or functions of t."""
    bit = g.depends[t]
    if not g.depends[node] & bit:
        return [(node, g.one)]
    operation, a = g.operations[node], g.arguments[node]
    if operation == "add":
        return [*_terms(g, a[0], t), *_terms(g, a[1], t)]
    if operation in ("sub", "neg"):
        negated = [(g.neg(factor), term) for factor, term in _terms(g, a[-1], t)]
        return [*(_terms(g, a[0], t) if operation == "sub" else []), *negated]
    if operation == "mul":
        for x, y in (a, a[::-1]):
            if not g.depends[x] & bit:
                return [(g.mul(x, factor), term) for factor, term in _terms(g, y, t)]
    if operation == "div" and not g.depends[a[1]] & bit:
        return [(g.div(factor, a[1]), term) for factor, term in _terms(g, a[0], t)]
    return [(g.one, node)]


def _phase(g: Graph, term: int, t: int) -> tuple[int, int]:
    """Return (ω, φ) of cos(ωt + φ) or sin(ωt + φ)."""
    if g.operations[term] in ("sin", "cos"):
        argument = g.arguments[term][0]
        omega = tangent(g, [argument], {t: g.one})[0]
        if not g.depends[omega] & g.depends[t]:
            return omega, g.substitute([argument], {t: g.zero})[0]
    raise NotLinear("the forces depend on time by other terms than constants, ramps and harmonics")

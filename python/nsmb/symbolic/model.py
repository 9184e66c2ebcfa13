"""The equations of a system as nodes of one graph, and all quantities derived from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.physics.vector import dynamicsymbols

from nsmb.symbolic.convert import Converter, watched_function
from nsmb.symbolic.derivatives import gradient, jacobian, tangent
from nsmb.symbolic.graph import Graph
from nsmb.symbolic.jumps import find_jump, is_smooth
from nsmb.symbolic.parts import Rows
from nsmb.symbolic.symbols import Mode, Parameter, Parameters, PathRate, time
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Constraint
from nsmb.system.forces import ForceElement
from nsmb.system.geometry import EXPRESSIONS, check_part
from nsmb.system.inputs import Input, check_names

__all__ = ["ContactRow", "DistanceRow", "Model", "Symbols"]

Nodes = list[int]


@dataclass(frozen=True, eq=False)
class Symbols:
    """The symbols of a system, in order."""

    q: tuple[Any, ...]
    u: tuple[Any, ...]
    x: tuple[Any, ...]
    """States, followed by the modes."""
    parameters: Parameters
    inputs: tuple[Input, ...] = ()


@dataclass(frozen=True, eq=False)
class DistanceRow:
    """The row γ̇ = Wᵀu + w̃ of a distance, for force elements and bilateral constraints."""

    name: str
    gap: int
    rate: int
    W: Nodes
    w_tilde: int
    w_bar: int


@dataclass(frozen=True, eq=False)
class ContactRow:
    """The nodes of one contact; its tangential parts have one entry per direction."""

    rows: Rows
    normal: DistanceRow
    W_T: list[Nodes]
    w_tilde_T: Nodes
    w_bar_T: Nodes
    bound: int


@dataclass(eq=False)
class Model:
    """Inputs, M, h and rates as nodes, and rows of contacts, elements and constraints."""

    graph: Graph
    symbols: Symbols
    t: int = 0
    q: Nodes = field(default_factory=list)
    u: Nodes = field(default_factory=list)
    x: Nodes = field(default_factory=list)
    v: Nodes = field(default_factory=list)
    """Inputs that are set during a run."""
    M: list[Nodes] = field(default_factory=list)
    """Columns of the symmetric mass matrix."""
    h: Nodes = field(default_factory=list)
    qdot: Nodes = field(default_factory=list)
    xdot: Nodes = field(default_factory=list)
    V: int | None = None
    stored: int | None = None
    """Energy that depends on velocities, states or modes."""
    watched: Nodes = field(default_factory=list)
    """One watched function for each mode."""
    limits: dict[str, int] = field(default_factory=dict)
    """Quantities that must be positive, by name."""
    parts: list[tuple[str, int]] = field(default_factory=list)
    """Forces of machine elements, by name."""
    contacts: list[ContactRow] = field(default_factory=list)
    elements: list[DistanceRow] = field(default_factory=list)
    constraints: list[DistanceRow] = field(default_factory=list)
    convert: Converter = None  # type: ignore[assignment]
    differentiated: list[tuple[str, int, Any, tuple[int, ...]]] = field(default_factory=list)
    """Location, node, expression and inputs of expressions that must not jump in these inputs."""

    def __post_init__(self) -> None:
        g, s = self.graph, self.symbols
        names: dict[Any, int] = {}

        def by_name(name: str, node: int) -> None:
            names[Parameter(name)] = names[sympy.Symbol(name)] = node
            names[sympy.Symbol(name, real=True)] = names[sympy.Symbol(name, positive=True)] = node

        for i, name in enumerate(s.parameters):
            by_name(name, g.input("p", i))
        for symbol in s.parameters._given:
            names[symbol] = names[Parameter(symbol.name)]
        self.t = g.input("t")
        self.q = [g.input("q", i) for i in range(len(s.q))]
        self.u = [g.input("u", i) for i in range(len(s.u))]
        self.x = [g.input("x", i) for i in range(len(s.x))]
        self.v = [g.input("v", i) for i in range(len(s.inputs))]
        check_names(s.inputs, s.parameters)
        for entry, node in zip(s.inputs, self.v, strict=True):
            by_name(entry.name, node)
        names[time] = names[dynamicsymbols._t] = self.t  # even with a parameter of that name
        for group, nodes in ((s.q, self.q), (s.u, self.u), (s.x, self.x)):
            names.update(zip(group, nodes, strict=True))
        self.convert = Converter(g, names, self._path_rate)
        self.qdot = list(self.u) if len(s.q) == len(s.u) else []

    # ---- motion ------------------------------------------------------------------------------

    @property
    def has_rates(self) -> bool:
        """True if q̇ differs from u."""
        return self.qdot != self.u

    def along(self, outputs: Sequence[int]) -> Nodes:
        """Return the rates of outputs along the motion, with u and x held fixed."""
        return tangent(self.graph, outputs, dict(zip(self.q, self.qdot, strict=True)) | self._tick)

    @property
    def _tick(self) -> dict[int, int]:
        return {self.t: self.graph.one}

    def depends_on(self, node: int, *kinds: str) -> bool:
        return bool(self.graph.depends[node] & self.graph.of_kind(*kinds))

    def is_static(self, node: int) -> bool:
        """Return True for a node of parameters alone."""
        return not self.depends_on(node, "t", "q", "u", "x", "v")

    def only(self, where: str, value: Any, *kinds: str) -> int:
        """Return the node of an expression of parameters and, in addition, of these kinds only."""
        node = self.convert(where, value)
        forbidden = {
            "t": "time", "q": "coordinates", "u": "velocities",
            "x": "internal states and modes", "v": "inputs",
        }  # fmt: skip
        for kind, what in forbidden.items():
            if kind not in kinds and self.depends_on(node, kind):
                raise ValueError(f"{where}: expected an expression without {what}, got {value}")
        return node

    def derive_lagrange(self, kinetic: Any, potential: Any, forces: Sequence[Any]) -> None:
        """Derive d/dt ∂T/∂u - ∂T/∂q + ∂V/∂q = Q, including rheonomic terms."""
        g = self.graph
        T = self.only("kinetic", kinetic, "t", "q", "u", "v")
        V = self.only("potential", potential, "t", "q", "v")
        if not is_smooth(g, [T], g.of_kind("u")):
            raise ValueError(f"kinetic: expected a quadratic form of velocities, got {kinetic}")
        self.differentiated.append(("kinetic", T, kinetic, (*self.q, self.t)))
        self.differentiated.append(("potential", V, potential, (*self.q,)))
        momenta = gradient(g, T, self.u)
        self.M = jacobian(g, momenta, self.u)
        for i, column in enumerate(self.M):
            if any(self.depends_on(entry, "u") for entry in column):
                raise ValueError(f"kinetic: expected a quadratic form of velocities, got {kinetic}")
            if column[i] == g.zero:
                raise ValueError(
                    f"kinetic: expected the velocity of every coordinate, got an energy without "
                    f"that of {_name(self.symbols.q[i])!r}"
                )
        self._mirror()
        turning = self.along(momenta)
        from_T, from_V = gradient(g, T, self.q), gradient(g, V, self.q)
        for i, u in enumerate(self.symbols.u):
            Q = self.only(f"forces[{_name(u)}]", forces[i], "t", "q", "u", "x", "v")
            conservative = g.sub(g.sub(from_T[i], from_V[i]), turning[i])
            self.h.append(g.add(Q, conservative))
        self.V = V

    def _mirror(self) -> None:
        """Copy one half of M to the other, so that it is symmetric to the last bit."""
        for j, column in enumerate(self.M):
            for i in range(j):
                column[i] = self.M[i][j]

    def set_equations(self, mass: Any, forcing: Any, rates: Sequence[Any]) -> None:
        """Set M, h and q̇ from expressions."""
        n = len(self.u)
        self.M = [
            [self.only(f"mass matrix[{i}, {j}]", mass[i, j], "t", "q", "v") for i in range(n)]
            for j in range(n)
        ]
        self._mirror()
        self.h = [self.only(f"forcing[{i}]", forcing[i], "t", "q", "u", "x", "v") for i in range(n)]
        self.qdot = [
            self.only(f"rate of {_name(q)}", value, "t", "q", "u")
            for q, value in zip(self.symbols.q, rates, strict=True)
        ]

    # ---- rows --------------------------------------------------------------------------------

    def _affine(self, where: str, rate: int, given: Any) -> tuple[Nodes, int]:
        """Return W and w̃ of a velocity γ = Wᵀu + w̃."""
        g = self.graph
        W = [column[0] for column in jacobian(g, [rate], self.u)]
        smooth = is_smooth(g, [rate], g.of_kind("u"))
        if not smooth or any(self.depends_on(entry, "u") for entry in W):
            raise ValueError(
                f"{where}: expected an expression affine in the velocities, got {given}"
            )
        return W, g.substitute([rate], dict.fromkeys(self.u, g.zero))[0]

    def _row(self, where: str, name: str, gap: Any, kind: str) -> DistanceRow:
        node = self.only(f"{where}{kind}", gap, "t", "q")
        self.differentiated.append((f"{where}{kind}", node, gap, (*self.q, self.t)))
        rate = self.along([node])[0]
        W, w_tilde = self._affine(where + kind, rate, gap)
        if all(entry == self.graph.zero for entry in W):
            raise ValueError(f"{where}{kind}: expected an expression of the coordinates, got {gap}")
        return DistanceRow(name, node, rate, W, w_tilde, self.along([rate])[0])

    def _path_rate(self, where: str, path: Any) -> int:
        """Return the node of the rate of an expression of coordinates and time."""
        node = self.only(where, path, "t", "q")
        self.differentiated.append((where, node, path, (*self.q, self.t)))
        return self.along([node])[0]

    def _velocity_row(
        self, where: str, name: str, velocity: Any, given: bool = False
    ) -> DistanceRow:
        """Return the row of a velocity.

        If `given`, it may also be a function of time that no coordinate changes, or the rate of a
        path that does not move.
        """
        g = self.graph
        rate = self.only(where, velocity, "t", "q", "u", "v")
        W, w_tilde = self._affine(where, rate, velocity)
        is_given = given and (
            (rate != g.zero and not self.depends_on(rate, "q")) or velocity.has(PathRate)
        )
        if not is_given and all(entry == g.zero for entry in W):
            raise ValueError(
                f"{where}: expected an expression of the velocities, got {velocity}; rate() gives "
                "the velocity of an expression of the coordinates"
            )
        return DistanceRow(name, g.zero, rate, W, w_tilde, self.along([rate])[0])

    def add_contact(self, rows: Rows) -> None:
        g = self.graph
        prefix = f"contact '{rows.name}': "
        empty = DistanceRow(rows.name, g.zero, g.zero, [g.zero] * len(self.u), g.zero, g.zero)
        normal = empty if rows.gap is None else self._row(prefix, rows.name, rows.gap, "gap")
        slips = [
            self._velocity_row(prefix + "slip", rows.name, slip, given=True) for slip in rows.slips
        ] or [empty]
        self.contacts.append(
            ContactRow(
                rows,
                normal,
                [slip.W for slip in slips],
                [slip.w_tilde for slip in slips],
                [slip.w_bar for slip in slips],
                self.only(prefix + "bound", rows.bound, "t", "q", "u", "x", "v"),
            )
        )

    def add_element(self, element: ForceElement, name: str) -> None:
        check_part(element, name, EXPRESSIONS)
        if element.gap is None:
            raise ValueError(
                f"force element '{name}': gap: must be given in a LagrangianSystem, got None. Give "
                "an expression."
            )
        self.elements.append(self._row(f"force element '{name}': ", name, element.gap, "gap"))

    def add_constraint(self, constraint: Constraint, name: str) -> None:
        where = f"constraint '{name}': "
        check_part(constraint, name, EXPRESSIONS)
        if constraint.gap is not None:
            self.constraints.append(self._row(where, name, constraint.gap, "gap"))
        else:
            self.constraints.append(
                self._velocity_row(where + "velocity", name, constraint.velocity)
            )

    def set_states(self, rates: Mapping[Any, Any]) -> None:
        self.xdot = [
            self.only(f"states[{_name(x)}]", value, "t", "q", "u", "x", "v")
            for x, value in rates.items()
        ]

    def set_watched(self, watch: Mapping[Any, tuple[Any, Any]]) -> None:
        """Set watched functions after set_states(); modes are the last states, with rate zero."""
        self.xdot += [self.graph.zero] * len(watch)
        self.watched = [
            self.only(f"watch of {mode}", watched_function(mode, pair), "t", "q", "u", "x", "v")
            for mode, pair in watch.items()
        ]

    def add_energy(self, where: str, energy: Any) -> None:
        """Add an energy, to V if V is known and the energy depends on positions and time alone."""
        node = self.only(where, energy, "t", "q", "u", "x", "v")
        if self.depends_on(node, "u", "x"):
            self.stored = node if self.stored is None else self.graph.add(self.stored, node)
        elif self.V is not None:
            self.V = self.graph.add(self.V, node)

    def add_action(self, name: str, velocity: Any, force: Any) -> None:
        """Add a force along a velocity γ = Wᵀu + w̃, which adds W times the force to h."""
        g, where = self.graph, name + ": "
        rate = self.only(where + "velocity", velocity, "t", "q", "u", "v")
        node = self.only(where + "force", force, "t", "q", "u", "x", "v")
        W, _ = self._affine(where + "velocity", rate, velocity)
        self.parts.append((name, node))
        self.h = [g.add(h, g.mul(w, node)) for h, w in zip(self.h, W, strict=True)]

    def add_limit(self, name: str, value: Any) -> None:
        node = self.only(name, value, "t", "q", "u", "x", "v")
        if not self.graph.values.get(node, 0.0) > 0.0:
            self.limits[name] = node

    @property
    def states(self) -> tuple[Any, ...]:
        """The states without the modes."""
        return tuple(x for x in self.symbols.x if not isinstance(x, Mode))

    def law(self, rows: Rows) -> Nodes:
        """Return mu, e_N, e_T, nu and aspect of a contact."""
        law: ContactLaw = rows.law
        return [
            self.only(f"contact '{rows.name}': law.{name}", getattr(law, name))
            for name in ("mu", "e_N", "e_T", "nu", "aspect")
        ]

    def refuse_jumps(self, values: Sequence[float]) -> None:
        """Raise ValueError for energies and gaps that jump at these values of the parameters."""
        numbers = {self.graph.input("p", i): value for i, value in enumerate(values)}
        for i, node in enumerate((self.t, *self.q, *self.u)):
            numbers[node] = math.sin(1.0 + i)  # a generic point
        numbers |= {
            node: entry.value for node, entry in zip(self.v, self.symbols.inputs, strict=True)
        }
        for where, node, given, free in self.differentiated:
            height = find_jump(self.graph, node, numbers, free)
            if height is not None:
                raise ValueError(
                    f"{where}: expected a continuous expression, as it is differentiated, got a "
                    f"jump by {height:.3g} in {given}; give a force as a force, or the step a slope"
                )

    # ---- derivatives for stiff solvers -------------------------------------------------------

    def jacobian_outputs(self) -> list[Nodes]:
        """Return the Jacobians of the core by columns, with respect to q, u and x."""
        g = self.graph
        n, y = len(self.u), [*self.q, *self.u, *self.x]
        udot = [g.input("udot", i) for i in range(n)]
        lambda_N = [g.input("lambda_N", i) for i in range(len(self.contacts))]
        zeta = [g.input("zeta", i) for i in range(len(self.elements))]
        directions = [
            (row.normal.W, force) for row, force in zip(self.contacts, lambda_N, strict=True)
        ]
        tangents = [W for row in self.contacts for W in row.W_T]
        directions += [(W, g.input("lambda_T", i)) for i, W in enumerate(tangents)]
        directions += [(row.W, force) for row, force in zip(self.elements, zeta, strict=True)]
        directions += [(row.W, g.input("lambda", i)) for i, row in enumerate(self.constraints)]
        residual = []
        for i in range(n):
            inertia = g.dot([self.M[j][i] for j in range(n)], udot)
            forces = g.sum(g.mul(W[i], force) for W, force in directions)
            residual.append(g.sub(g.sub(inertia, self.h[i]), forces))
        w_bar = [row.normal.w_bar for row in self.contacts]
        w_bar += [entry for row in self.contacts for entry in row.w_bar_T]
        w_bar += [row.w_bar for row in self.constraints]
        rows = [row.normal.W for row in self.contacts] + tangents
        rows += [row.W for row in self.constraints]
        gammadot = [g.add(g.dot(W, udot), bar) for W, bar in zip(rows, w_bar, strict=True)]
        unmoved = [g.zero] * len(self.watched)  # watched functions have no force
        element = [row.gap for row in self.elements] + unmoved
        element += [row.rate for row in self.elements] + unmoved
        parts = (residual, gammadot, element, self.qdot, self.xdot)
        return [[d for column in jacobian(g, part, y) for d in column] for part in parts]


def _name(symbol: Any) -> str:
    return getattr(symbol, "name", None) or str(getattr(symbol, "func", symbol))

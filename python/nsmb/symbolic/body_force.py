"""Force elements of :class:`nsmb.Model` as expressions, run as machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_number, unknown_name
from nsmb.common.expressions import as_expression, as_matrix
from nsmb.symbolic import compiler, ir
from nsmb.symbolic.convert import Converter, parameter_nodes, watched_function
from nsmb.symbolic.element import Element, merge
from nsmb.symbolic.graph import Graph
from nsmb.symbolic.program import call_numbers
from nsmb.symbolic.switches import Switches, find_switches
from nsmb.symbolic.symbols import (
    InternalState,
    Kinematic,
    Mode,
    Parameters,
    as_mode,
    keys_made_by,
    time,
)
from nsmb.system.discontinuities import Discontinuity

__all__ = ["BodyForce", "Places"]

_XYZ = "xyz"
_MARKER = 18  # numbers per marker in the core: r, A row by row, v, Ω


class Places:
    """The kinematics of the markers and joint coordinates of a force element, as symbols.

    Parameters
    ----------
    markers, coordinates : int
        Number of markers and number of coordinates.

    Attributes
    ----------
    r, v, Omega : tuple of Matrix (3, 1)
        Position, velocity and angular velocity of each marker, in inertial components.
    A : tuple of Matrix (3, 3)
        Axes of each marker as columns.
    q, u : tuple of Symbol
        Joint coordinates and their rates.
    """

    def __init__(self, markers: int = 0, coordinates: int = 0) -> None:
        self.markers, self.coordinates = markers, coordinates

        def vectors(name: str) -> tuple[Any, ...]:
            return tuple(
                sympy.Matrix([Kinematic(f"{name}{k}_{c}") for c in _XYZ]) for k in range(markers)
            )

        self.r, self.v, self.Omega = vectors("r"), vectors("v"), vectors("Omega")
        self.A = tuple(
            sympy.Matrix(3, 3, lambda i, j, k=k: Kinematic(f"A{k}_{_XYZ[i]}{_XYZ[j]}"))
            for k in range(markers)
        )
        self.q = tuple(Kinematic(f"q{k}") for k in range(coordinates))
        self.u = tuple(Kinematic(f"u{k}") for k in range(coordinates))

    def distance(self, first: int = 0, second: int = 1) -> Any:
        """Return the distance of two markers."""
        d = self.r[second] - self.r[first]
        return sympy.sqrt(d.dot(d))

    def direction(self, first: int = 0, second: int = 1) -> Any:
        """Return the unit vector from the first marker to the second."""
        return (self.r[second] - self.r[first]) / self.distance(first, second)

    def rate(self, first: int = 0, second: int = 1) -> Any:
        """Return the time derivative of the distance."""
        return self.direction(first, second).dot(self.v[second] - self.v[first])

    def wrench(self, where: str, velocity: Any, force: Any) -> tuple[list[Any], list[Any]]:
        """Return forces and moments on the markers, and forces on the coordinates.

        They are those of a force along a velocity that is affine in v, Ω and u.
        """
        along = as_expression(where, velocity)
        rates = [entry for k in range(self.markers) for entry in (*self.v[k], *self.Omega[k])]
        parts = [along.diff(symbol) for symbol in (*rates, *self.u)]
        if any(part.has(*rates, *self.u) for part in parts):
            raise ValueError(f"{where}: expected an expression affine in velocities, got {along}")
        if not any(parts):
            raise ValueError(f"{where}: expected velocities of these places, got {along}")
        products = [part * force for part in parts]
        return products[: len(rates)], products[len(rates) :]

    def _inputs(self, g: Graph) -> dict[Any, int]:
        names: dict[Any, int] = {}
        for k in range(self.markers):
            A = [self.A[k][i, j] for i in range(3) for j in range(3)]
            numbers = [*self.r[k], *A, *self.v[k], *self.Omega[k]]
            names |= {s: g.input("q", _MARKER * k + i) for i, s in enumerate(numbers)}
        names |= {s: g.input("u", i) for i, s in enumerate((*self.q, *self.u))}
        return names


@dataclass(frozen=True)
class _Text:
    """A compiled element without the values of its parameters, which can be pickled."""

    assembly: str
    functions: tuple[str, ...]
    states: tuple[str, ...]
    watched: tuple[tuple[str, bool], ...]
    limits: tuple[str, ...]
    conditions: tuple[str, ...]
    parameters: tuple[str, ...]
    hoisted: int
    switches: Switches


class BodyForce:
    """A force element for :meth:`nsmb.Model.add_user_force`, defined by expressions.

    Parameters
    ----------
    places : Places
        Markers and coordinates on which the element acts, with the kinematics as symbols.
    tension : expression or mapping
        Force that pulls two markers together: markers 0 and 1, or ``{(i, j): tension}``.
    forces, moments : sequence
        Three expressions for each marker, in inertial components.
    joint_forces : sequence of expressions
        One expression for each coordinate.
    rates : mapping
        ``{state: expression}``, with states created by :func:`states`.
    watch : mapping
        ``{mode: (open, closed)}``, with modes created by :func:`modes`. The first expression is not
        negative while the mode is open, the second one while it is closed. See
        :class:`nsmb.UserForce`.
    energy : expression, optional
        Stored energy in J. That of `elements` is added, also if nothing is given here.
    elements : sequence of Element
        Machine elements at these places, see :mod:`nsmb.symbolic.elements`.
    limits : mapping
        ``{name: expression}`` of quantities that must remain positive, see
        :class:`LagrangianSystem`.
    initial : mapping
        Initial values of states, as expressions of parameters, and True for modes that start
        closed.
    parameters : Parameters or mapping
    resolution : float
        As for :class:`nsmb.UserForce`.

    Examples
    --------
    A spring and a damper in series between two bodies, where s is the length of the spring:

    >>> import nsmb
    >>> from nsmb import symbolic
    >>> at = symbolic.Places(markers=2)
    >>> s = symbolic.states("s")
    >>> p = symbolic.parameters(c=100.0, d=5.0, l=0.5)
    >>> maxwell = symbolic.BodyForce(
    ...     at,
    ...     tension=p.c * s,
    ...     rates={s: at.rate() - p.c * s / p.d},
    ...     energy=p.c * s**2 / 2,
    ...     parameters=p,
    ... )
    >>> m = nsmb.Model(gravity=(0, -9.81))
    >>> ball = m.add_body("ball", mass=1.0, inertia=1e-3)
    >>> slide = m.add_joint("slide", nsmb.joints.Prismatic((0, 1, 0)), m.ground, ball)
    >>> force = m.add_user_force("maxwell", maxwell, [m.ground, ball], at=[(0, 1), None])
    >>> sol = nsmb.simulate(m.build(), 2.0)
    >>> f"{sol.u[-1, 0]:.3f} m/s"  # of the damper under the weight, m g/d
    '-1.962 m/s'

    Raises
    ------
    ValueError
        If an expression has unknown symbols or functions, or if a number is invalid.
    """

    def __init__(
        self,
        places: Places,
        *,
        tension: Any = None,
        forces: Sequence[Any] | None = None,
        moments: Sequence[Any] | None = None,
        joint_forces: Sequence[Any] | None = None,
        rates: Mapping[Any, Any] | None = None,
        watch: Mapping[Any, tuple[Any, Any]] | None = None,
        energy: Any = None,
        elements: Sequence[Element] = (),
        limits: Mapping[str, Any] | None = None,
        initial: Mapping[Any, Any] | None = None,
        parameters: Parameters | Mapping[Any, float] | None = None,
        resolution: float = 1e-9,
    ) -> None:
        if not isinstance(places, Places):
            raise ValueError(f"places: expected symbolic.Places, got {places!r}")
        self.places = places
        self.resolution = as_number("resolution", resolution)
        values = Parameters.of(parameters)
        keys_made_by("rates", rates, InternalState, "states()")
        keys_made_by("watch", watch, Mode, "modes()")
        parts = merge(_machine(elements), rates, watch, initial)
        states, modes, begin = tuple(parts.states), tuple(parts.watch), parts.initial
        g = Graph()
        names = parameter_nodes(g, values) | places._inputs(g) | {time: g.input("t")}
        names |= {s: g.input("x", i) for i, s in enumerate((*states, *modes))}
        convert = Converter(g, names)
        wrenches = _wrenches(places, tension, forces, moments)
        joints = _sized("joint_forces", joint_forces, places.coordinates)
        for name, velocity, force in parts.actions:
            more, on_joints = places.wrench(f"element '{name}': velocity", velocity, force)
            wrenches = [a + b for a, b in zip(wrenches, more, strict=True)]
            joints = [a + b for a, b in zip(joints, on_joints, strict=True)]
        outputs = {
            "evaluate": [
                [convert("forces", e) for e in wrenches],
                [convert("joint_forces", e) for e in joints],
                [convert(f"rates of {s}", e) for s, e in parts.states.items()],
            ]
        }
        if modes:
            watched = [watched_function(m, pair) for m, pair in parts.watch.items()]
            outputs["watch"] = [
                [convert(f"watch of {m}", e) for m, e in zip(modes, watched, strict=True)]
            ]
        if elements:
            own = as_expression("energy", 0 if energy is None else energy)
            energy = sum((e for _, e in parts.energies), own)
        positive = {
            name: convert(name, value)
            for name, value in (parts.limits | dict(limits or {})).items()
        }
        changing = {name: node for name, node in positive.items() if g.depends[node] & ~g.static}
        conditions = {name: node for name, node in positive.items() if name not in changing}
        if changing:
            outputs["limits"] = [list(changing.values())]
        if energy is not None:
            outputs["energy"] = [[convert("energy", energy)]]
        for key in begin:
            if key not in states and key not in modes:
                raise unknown_name("initial", str(key), [str(s) for s in (*states, *modes)])
        constants = Converter(g, parameter_nodes(g, values))
        start = [constants(f"initial of {s}", begin.get(s, 0.0)) for s in states]
        hoist = ir.Hoist(g, len(values))
        functions = {key: ir.function(g, key, out, hoist) for key, out in outputs.items()}
        functions["numbers"] = ir.function(
            g, "numbers", [list(hoist.slots), start, list(conditions.values())]
        )
        every = [node for parts in outputs.values() for part in parts for node in part]
        self._text = _Text(
            ir.module(functions),
            tuple(outputs),
            tuple(str(s) for s in states),
            tuple((str(m), as_mode(f"initial of {m}", begin.get(m, False))) for m in modes),
            tuple(changing),
            tuple(conditions),
            tuple(values),
            len(hoist.slots),
            find_switches(g, every),
        )
        self.parameters: dict[str, float] = dict(values)

    def with_parameters(self, **changes: float) -> BodyForce:
        """Return the same element with other parameter values."""
        twin = object.__new__(BodyForce)
        twin.__dict__ |= self.__dict__
        for name, value in changes.items():
            if name not in self.parameters:
                raise unknown_name("parameter", name, list(self.parameters))
            changes[name] = as_number(f"parameter {name!r}", value)
        twin.parameters = self.parameters | changes
        return twin

    def _numbers(self) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
        """Return the parameters with their derived constants, and the initial states."""
        text = self._text
        given = np.array([self.parameters[name] for name in text.parameters], dtype=np.float64)
        parts = [np.zeros(n) for n in (text.hoisted, len(text.states), len(text.conditions))]
        code = compiler.compiled(text.assembly)  # keep a reference while it runs
        call_numbers(code.address("numbers"), given, parts)
        if not all(np.isfinite(part).all() for part in parts):
            raise ValueError(
                "parameters: expected values with finite constants, got "
                + ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items())
            )
        for name, value in zip(text.conditions, parts[2].tolist(), strict=True):
            if not value > 0.0:
                raise ValueError(f"{name}: expected a positive number, got {value:g}")
        return [np.concatenate([given, parts[0]]), parts[1]]

    @property
    def discontinuities(self) -> tuple[Discontinuity, ...]:
        """Times at which an expression of time has a jump or a kink."""
        return self._text.switches.times(self._numbers()[0])

    def core_force(self, name: str, markers: int, coordinates: int) -> _multibody.ForceElement:
        """Create the force element of the core, for :meth:`nsmb.Model.build`."""
        wanted = (self.places.markers, self.places.coordinates)
        if wanted != (markers, coordinates):
            raise ValueError(
                f"force element {name!r}: expected {wanted[0]} markers and {wanted[1]} "
                f"coordinates, as in its Places, got {markers} and {coordinates}"
            )
        text = self._text
        code = compiler.compiled(text.assembly)
        parameters, initial = self._numbers()
        return _multibody.CompiledForce(
            markers,
            coordinates,
            list(text.states),
            initial,
            [(watched, closed, self.resolution) for watched, closed in text.watched],
            {function: code.address(function) for function in text.functions},
            parameters,
            code,
            list(text.limits),
        )


def _machine(elements: Any) -> list[Element]:
    """Return the elements with walls as states and modes, as required between bodies."""
    for i, element in enumerate(elements):
        if not isinstance(element, Element):
            raise ValueError(f"elements[{i}]: expected an Element, got {element!r}")
    return [element.without_walls() for element in elements]


def _sized(what: str, given: Any, size: int) -> list[Any]:
    entries = [0] * size if given is None else list(given)
    if len(entries) != size:
        raise ValueError(f"{what}: expected {size} entries, got {len(entries)}")
    return entries


def _wrenches(places: Places, tension: Any, forces: Any, moments: Any) -> list[Any]:
    """Return force and moment on each marker, one after the other."""
    n = places.markers
    total = [
        [as_matrix(what, _sized(what, vector or [0] * 3, 3)) for vector in _sized(what, given, n)]
        for what, given in (("forces", forces), ("moments", moments))
    ]
    pairs = tension if isinstance(tension, Mapping) else {(0, 1): tension}
    for (first, second), pull in pairs.items():
        if pull is None:
            continue
        if not (0 <= first < n and 0 <= second < n and first != second):
            raise ValueError(f"tension: expected two of {n} markers, got {(first, second)}")
        e = places.direction(first, second)
        force = as_expression("tension", pull) * e
        total[0][first] += force
        total[0][second] -= force
    return [entry for k in range(n) for vector in (total[0][k], total[1][k]) for entry in vector]

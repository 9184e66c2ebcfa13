"""A derived system as text, which is compiled, stored in pickles, and turned into cores."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb._core import system as _system
from nsmb.symbolic import compiler, ir
from nsmb.symbolic.linear import LinearNodes, NotLinear, linear_nodes
from nsmb.symbolic.model import Model
from nsmb.symbolic.switches import Switches, find_switches
from nsmb.symbolic.symbols import as_mode
from nsmb.system.contact_info import ContactInfo
from nsmb.system.contact_laws import ContactLaw, FrictionTable, Stribeck
from nsmb.system.discontinuities import core_discontinuities
from nsmb.system.forces import GapForce, LawName, element_description
from nsmb.system.inputs import Input, core_inputs

__all__ = ["ContactText", "Program", "call_numbers", "make_program"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ContactText:
    """The description of a contact without its numbers."""

    name: str
    tangents: int
    normal: str | None
    is_unilateral: bool
    is_bounded: bool
    curve: Stribeck | FrictionTable | None


@dataclass(frozen=True)
class Program:
    """A system without the values of its parameters; can be pickled, compiled and compared."""

    assembly: str
    jacobian_assembly: str
    functions: tuple[str, ...]
    """Names of the functions of the core in `assembly`."""
    coordinates: tuple[str, ...]
    nu: int
    states: tuple[str, ...]
    contacts: tuple[ContactText, ...]
    elements: tuple[tuple[str, LawName], ...]
    modes: tuple[str, ...]
    """Names of the modes, which are the last of `states`, and elements after the others."""
    resolution: float
    """Resolution of the watched functions."""
    limits: tuple[str, ...]
    """Names of quantities that must be positive in every state."""
    conditions: tuple[str, ...]
    """Names of quantities of parameters alone that must be positive."""
    parts: tuple[str, ...]
    """Names of forces, for messages."""
    constraints: tuple[str, ...]
    parameters: tuple[str, ...]
    hoisted: int
    constant_mass_matrix: bool
    constant_directions: bool
    harmonics: int
    """Number of harmonics of the linear form; -1 if there is none."""
    not_linear: str
    """Reason why there is no linear form."""
    switches: Switches
    """Functions with jumps or kinks in time."""
    inputs: tuple[Input, ...] = ()


def make_program(
    model: Model,
    contacts: Sequence[ContactText],
    elements: Sequence[tuple[str, LawName]],
    element_numbers: Sequence[int],
    start: Sequence[Sequence[int]],
    want_linear: bool,
    resolution: float,
) -> Program:
    """Return the program of a model.

    `element_numbers` are c and d of each element. `start` contains q, u and x.
    """
    g = model.graph
    hoist = ir.Hoist(g, len(model.symbols.parameters))
    rows = model.contacts
    bounds = [row.bound for row in rows]
    limits = tuple(name for name, node in model.limits.items() if not model.is_static(node))
    conditions = {name: node for name, node in model.limits.items() if model.is_static(node)}
    by_state = any(model.depends_on(bound, "x") for bound in bounds)
    outputs: dict[str, list[list[int]]] = {
        "mass_matrix": [[entry for column in model.M for entry in column]],
        "forces": [model.h],
        "coordinate_rates": [model.qdot],
        "state_rates": [model.xdot],
        "contacts": [
            [row.normal.gap for row in rows],
            [entry for row in rows for entry in row.normal.W],
            [entry for row in rows for W in row.W_T for entry in W],
            [row.normal.w_tilde for row in rows],
            [entry for row in rows for entry in row.w_tilde_T],
            [row.normal.w_bar for row in rows],
            [entry for row in rows for entry in row.w_bar_T],
            [g.zero] * len(rows) if by_state else bounds,
        ],
        "bounds": [bounds],
        "constraints": [
            [row.gap for row in model.constraints],
            [entry for row in model.constraints for entry in row.W],
            [row.w_tilde for row in model.constraints],
            [row.w_bar for row in model.constraints],
        ],
        "elements": [
            [row.gap for row in model.elements],
            [entry for row in model.elements for entry in row.W],
            [row.w_tilde for row in model.elements],
        ],
        "parts": [[node for _, node in model.parts]],
        "watch": [model.watched],
        "limits": [[node for node in model.limits.values() if not model.is_static(node)]],
        "potential_energy": [[] if model.V is None else [model.V]],
        "state_energy": [[] if model.stored is None else [model.stored]],
    }
    present = {
        "mass_matrix": True,
        "forces": True,
        "coordinate_rates": model.has_rates,
        "state_rates": bool(model.xdot),
        "contacts": bool(rows),
        "bounds": by_state,
        "constraints": bool(model.constraints),
        "elements": bool(model.elements),
        "parts": bool(model.parts),
        "watch": bool(model.watched),
        "limits": bool(limits),
        "potential_energy": model.V is not None,
        "state_energy": model.stored is not None,
    }
    linear, reason = _linear(model, want_linear)
    functions = {
        name: ir.function(g, name, outputs[name], hoist)
        for name, exists in present.items()
        if exists
    }
    jacobians = ir.function(g, "jacobians", model.jacobian_outputs(), hoist)
    laws = [node for row in rows for node in model.law(row.rows)]
    numbers = [
        list(hoist.slots),
        laws,
        list(element_numbers),
        *map(list, start),
        list(conditions.values()),
        *(linear.outputs() if linear else []),
    ]
    functions["numbers"] = ir.function(g, "numbers", numbers)
    M = outputs["mass_matrix"][0]
    directions = outputs["contacts"][1] + outputs["contacts"][2]
    return Program(
        ir.module(functions),
        ir.module({"jacobians": jacobians}),
        tuple(name for name, exists in present.items() if exists),
        tuple(_label(q) for q in model.symbols.q),
        len(model.u),
        tuple(_label(x) for x in model.symbols.x),
        tuple(contacts),
        tuple(elements),
        tuple(_label(x) for x in model.symbols.x[len(model.states) :]),
        resolution,
        limits,
        tuple(conditions),
        tuple(name for name, _ in model.parts),
        tuple(row.name for row in model.constraints),
        tuple(model.symbols.parameters),
        len(hoist.slots),
        not any(model.depends_on(node, "t", "q", "v") for node in M),
        not any(model.depends_on(node, "t", "q", "v") for node in directions),
        len(linear.harmonics) if linear else -1,
        reason,
        find_switches(g, [node for parts in outputs.values() for part in parts for node in part]),
        model.symbols.inputs,
    )


def _linear(model: Model, wanted: bool) -> tuple[LinearNodes | None, str]:
    if not wanted:
        return None, "linear=False"
    try:
        return linear_nodes(model), ""
    except NotLinear as reason:
        return None, str(reason)


def _label(symbol: object) -> str:
    return str(getattr(symbol, "name", None) or getattr(symbol, "func", symbol))


@dataclass(frozen=True, eq=False)
class Numbers:
    """All numbers that follow from the values of the parameters."""

    parameters: Vector
    """Values of the parameters, followed by the constants computed from them once."""
    contacts: tuple[ContactInfo, ...]
    element_laws: tuple[GapForce, ...]
    q: Vector
    u: Vector
    x: Vector
    linear: tuple[Vector, ...]


def speed_names(model: Model) -> list[str]:
    """Return the names of the velocities, for velocities that are not rates of coordinates."""
    return [_label(symbol) for symbol in model.symbols.u]


def evaluate(program: Program, code: compiler.Code, values: Mapping[str, float]) -> Numbers:
    """Return laws, start and matrices for these parameters."""
    n, nq = program.nu, len(program.coordinates)
    given = np.array([values[name] for name in program.parameters], dtype=np.float64)
    sizes = [program.hoisted, 5 * len(program.contacts), 2 * len(program.elements)]
    sizes += [nq, n, len(program.states), len(program.conditions)]
    if program.harmonics >= 0:
        rows = sum((1 + c.tangents) * (n + 1) + 2 for c in program.contacts)
        sizes += [
            n * n,
            n * n,
            n * n,
            n,
            n,
            program.harmonics * (2 + 2 * n) + len(program.inputs) * n + rows,
        ]
    parts = [np.zeros(size) for size in sizes]
    call_numbers(code.address("numbers"), given, parts)
    for part, what in zip(parts, ("", "contacts", "elements", "q", "u", "x"), strict=False):
        if not np.isfinite(part).all():
            raise ValueError(
                f"parameters: expected values with finite {what or 'constants'}, got "
                + ", ".join(f"{name} = {values[name]:g}" for name in program.parameters)
            )
    for name, value in zip(program.conditions, parts[6].tolist(), strict=True):
        if not value > 0.0:
            raise ValueError(f"{name}: expected a positive number, got {value:g}")
    of_modes = parts[5][len(program.states) - len(program.modes) :].tolist()
    for mode, value in zip(program.modes, of_modes, strict=True):
        as_mode(f"initial[{mode}]", value)
    contacts = tuple(
        ContactInfo(
            c.name,
            ContactLaw(mu, e_N, e_T, nu, aspect, c.curve),
            c.tangents,
            c.normal,
            c.is_unilateral,
            c.is_bounded,
        )
        for c, (mu, e_N, e_T, nu, aspect) in zip(
            program.contacts, parts[1].reshape(-1, 5).tolist(), strict=True
        )
    )
    laws = tuple(
        GapForce(float(c), float(d), law)
        for (_, law), (c, d) in zip(program.elements, parts[2].reshape(-1, 2), strict=True)
    )
    extended = np.concatenate([given, parts[0]])
    q, u, x = parts[3:6]
    return Numbers(extended, contacts, laws, q, u, x, tuple(parts[7:]))


def call_numbers(address: int, parameters: Vector, outputs: Sequence[Vector]) -> None:
    """Call a function of parameters alone."""
    inputs = (ctypes.c_void_p * len(ir.INPUTS))()
    inputs[ir.INPUTS.index("p")] = parameters.ctypes.data
    out = (ctypes.c_void_p * len(outputs))(*(part.ctypes.data for part in outputs))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)(
        ctypes.addressof(inputs), ctypes.addressof(out)
    )


def compiled_core(program: Program, numbers: Numbers) -> _system.CompiledSystem:
    """Return the system as machine code."""
    code = compiler.compiled(program.assembly)
    jacobians = compiler.compiled(program.jacobian_assembly)
    addresses = {name: code.address(name) for name in program.functions}
    addresses["jacobians"] = jacobians.address("jacobians")
    description = _system.SystemDescription(
        list(program.coordinates),
        program.nu,
        [contact._core(numbers.contacts) for contact in numbers.contacts],
        list(program.states),
        [
            element_description(law, name)
            for (name, _), law in zip(program.elements, numbers.element_laws, strict=True)
        ]
        + [
            _system.ForceElementDescription.watched(mode, program.resolution, place)
            for place, mode in enumerate(program.modes, len(program.states) - len(program.modes))
        ],
        list(program.constraints),
        core_discontinuities(program.switches.times(numbers.parameters)),
        core_inputs(program.inputs),
    )
    return _system.CompiledSystem(
        description,
        addresses,
        numbers.parameters,
        (code, jacobians),
        program.constant_mass_matrix,
        program.constant_mass_matrix and program.constant_directions,
        list(program.limits),
        list(program.parts),
    )


def linear_core(program: Program, numbers: Numbers) -> _system.LinearSystem:
    """Return the system by its matrices, with the motion between events in closed form."""
    n = program.nu
    M, K, D, constant, ramp, flat = numbers.linear
    rest = iter(flat.tolist())

    def take(size: int) -> Vector:
        return np.array([next(rest) for _ in range(size)])

    harmonics = []
    constant = constant.copy()
    for _ in range(program.harmonics):
        omega, phase = take(2)
        a, b = take(n), take(n)
        # a cos(ωt + φ) + b sin(ωt + φ)
        cosine = a * np.cos(phase) + b * np.sin(phase)
        sine = b * np.cos(phase) - a * np.sin(phase)
        if omega == 0.0:
            constant += cosine
        else:
            harmonics.append(_system.HarmonicForce(cosine, np.sign(omega) * sine, abs(omega)))
    inputs = take(len(program.inputs) * n).reshape(-1, n).T
    contacts = []
    for contact in numbers.contacts:
        d = contact.tangents
        about = contact._core(numbers.contacts)
        w_N, w_T = take(n), take(n * d).reshape(d, n).T
        gap, w_tilde_N = take(2).tolist()
        w_tilde_T, bound = take(d), take(1).item()
        kind, normal = about.kind, about.normal
        contacts.append(
            _system.LinearContact(
                contact.name, w_N, w_T, gap, w_tilde_N, w_tilde_T, about.law, kind, normal, bound
            )
        )
    M, K, D = (matrix.reshape(n, n).T for matrix in (M, K, D))
    force = _system.LinearForce(constant, ramp, harmonics, None, inputs=inputs)
    return _system.LinearSystem(
        list(program.coordinates), M, K, D, force, contacts, inputs=core_inputs(program.inputs)
    )

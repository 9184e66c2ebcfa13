"""From expressions to a system: the common part of all ways to define one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sympy.core.function import AppliedUndef
from sympy.physics.vector import dynamicsymbols

from nsmb.common.arguments import as_array, as_number, unknown_name
from nsmb.symbolic.element import Element, merge
from nsmb.symbolic.model import Model
from nsmb.symbolic.parts import rows_of
from nsmb.symbolic.program import ContactText, make_program, speed_names
from nsmb.symbolic.symbols import (
    Coordinate,
    InternalState,
    Mode,
    Parameters,
    by_symbol,
    keys_made_by,
)
from nsmb.symbolic.system import SymbolicSystem
from nsmb.system.base import State
from nsmb.system.contacts import Constraint, Contact, Friction
from nsmb.system.forces import ForceElement

__all__ = ["Extras", "build_system", "coordinate_symbols"]


class Extras:
    """The force elements, states, modes, stored energy and limits of a system, combined."""

    def __init__(
        self,
        elements: Sequence[ForceElement | Element],
        *,
        states: Mapping[Any, Any] | None = None,
        watch: Mapping[Any, tuple[Any, Any]] | None = None,
        energy: Any = None,
        limits: Mapping[str, Any] | None = None,
        initial: Mapping[Any, Any] | State | None = None,
    ) -> None:
        keys_made_by("states", states, InternalState, "states()")
        keys_made_by("watch", watch, Mode, "modes()")
        for what, given in (("limits", limits), ("initial", initial)):
            if given is not None and not isinstance(given, Mapping | State):
                raise ValueError(f"{what}: expected a mapping of symbols or names, got {given!r}")
        machine, distances = [], []
        for i, element in enumerate(_listed("elements", elements)):
            if isinstance(element, Element):
                machine.append(element)
                distances += merge([element]).flanks
            elif isinstance(element, ForceElement):
                name = element.name or f"element_{len(distances) + 1}"
                distances.append(replace(element, name=name))
            else:
                raise TypeError(
                    f"elements[{i}]: must be a nsmb.ForceElement or a nsmb.symbolic.Element, got "
                    f"{element!r}"
                )
        self.distances = distances
        start = {} if isinstance(initial, State) else initial
        self._all = merge(machine, states, watch, start)
        self._energy, self._limits = energy, dict(limits or {})
        self.initial = initial if isinstance(initial, State) else self._all.initial

    @property
    def symbols(self) -> tuple[Any, ...]:
        """The states, followed by the modes."""
        return (*self._all.states, *self._all.watch)

    def join(self, model: Model) -> None:
        """Add everything to the equations of a model that was created with `symbols`."""
        model.set_states(self._all.states)
        model.set_watched(self._all.watch)
        for name, velocity, force in self._all.actions:
            model.add_action(f"element '{name}'", velocity, force)
        for where, energy in self._all.energies:
            model.add_energy(where, energy)
        if self._energy is not None:
            model.add_energy("energy", self._energy)
        for name, value in (self._limits | self._all.limits).items():
            model.add_limit(name, value)


def _listed(name: str, parts: Any) -> list[Any]:
    """Return `parts` as a list; a single part is an error."""
    if isinstance(parts, Iterable) and not isinstance(parts, str | Mapping):
        return list(parts)
    raise ValueError(f"{name}: must be a sequence, got {parts!r}. Put a single one in a list.")


def coordinate_symbols(q: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the coordinates and their velocities."""
    found = tuple(q) if isinstance(q, tuple | list) else (q,)
    if not found:
        raise ValueError("q: expected at least one coordinate, got none")
    velocities = []
    for symbol in found:
        if isinstance(symbol, Coordinate):
            velocities.append(symbol.velocity)
        elif isinstance(symbol, AppliedUndef) and symbol.args == (dynamicsymbols._t,):
            velocities.append(symbol.diff(dynamicsymbols._t))
        else:
            raise ValueError(
                f"q: expected symbols made by coordinates() or dynamicsymbols(), got {symbol!r}"
            )
        if found.count(symbol) > 1:
            raise ValueError(f"q: must be distinct coordinates, got {symbol} twice")
    return found, tuple(velocities)


def build_system(
    cls: type[SymbolicSystem],
    model: Model,
    values: Parameters,
    *,
    contacts: Sequence[Contact | Friction],
    extras: Extras,
    constraints: Sequence[Constraint | Any],
    t_start: float,
    linear: bool | None,
    resolution: float,
    about: dict[str, Any],
    system: SymbolicSystem | None = None,
) -> SymbolicSystem:
    """Derive the missing parts of the model, compile it, and set up the system."""
    rows = []
    for i, part in enumerate(_listed("contacts", contacts)):
        label = f"contact_{i + 1}"
        if not isinstance(part, Contact | Friction):
            raise TypeError(
                f"contact {label!r}: must be a nsmb.Contact or a nsmb.Friction, got {part!r}"
            )
        rows.append(rows_of(part, part.name or label))
    unilateral = [row.name for row in rows if row.gap is not None]
    for row in rows:
        if row.normal is not None and row.normal not in unilateral:
            raise unknown_name(f"contact {row.name!r}: normal", row.normal, unilateral)
        model.add_contact(row)
    element_texts, numbers = [], []
    for element in extras.distances:
        model.add_element(element, element.name)
        law = element.law
        assert law is not None
        element_texts.append((element.name, law.law))
        prefix = f"force element '{element.name}': law."
        numbers += [model.only(prefix + "c", law.c), model.only(prefix + "d", law.d)]
    extras.join(model)
    for i, constraint in enumerate(_listed("constraints", constraints)):
        bond = constraint if isinstance(constraint, Constraint) else Constraint(constraint)
        model.add_constraint(bond, bond.name or f"constraint_{i + 1}")
    model.refuse_jumps(tuple(values.values()))
    program = make_program(
        model,
        [
            ContactText(
                row.name,
                row.tangents,
                row.normal,
                row.gap is not None,
                row.bound != 0,
                row.law.curve,
            )
            for row in rows
        ],
        element_texts,
        numbers,
        _start(model, extras.initial),
        linear is not False,
        as_number("resolution", resolution),
    )
    if linear and program.harmonics < 0:
        raise ValueError(
            f"linear: expected a linear system for True, got one where {program.not_linear}"
        )
    made = cls.__new__(cls) if system is None else system
    if model.has_rates:  # generalised speeds
        about = about | {"velocities": speed_names(model)}
    t = extras.initial.t if isinstance(extras.initial, State) else t_start
    made._set_up(program, dict(values), t_start=float(as_array("t_start", t, ())), **about)
    return made


def _start(model: Model, initial: Mapping[Any, Any] | State | None) -> list[list[int]]:
    groups = (model.symbols.q, model.symbols.u, model.symbols.x)
    if isinstance(initial, State):
        x = initial.x if np.size(initial.x) else np.zeros(len(groups[2]))
        arrays = [
            as_array(f"initial.{name}", array, (len(group),))
            for name, group, array in zip("qux", groups, (initial.q, initial.u, x), strict=True)
        ]
        return [[model.graph.constant(v) for v in array.tolist()] for array in arrays]
    if initial is not None and not isinstance(initial, Mapping):
        raise ValueError(f"initial: expected a mapping of symbols or a State, got {initial!r}")
    known = [symbol for group in groups for symbol in group]
    values = by_symbol("initial: symbol", initial or {}, known)
    return [
        [model.only(f"initial[{symbol}]", _number(values.get(symbol, 0.0))) for symbol in group]
        for group in groups
    ]


def _number(value: Any) -> Any:
    """Return a number, also for a mode that starts with True."""
    return float(value) if isinstance(value, bool) else value

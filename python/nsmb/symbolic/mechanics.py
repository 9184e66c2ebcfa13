"""Systems from ``sympy.physics.mechanics``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from sympy.physics.mechanics import KanesMethod, LagrangesMethod
from sympy.physics.vector import dynamicsymbols

from nsmb.symbolic.assemble import Extras, build_system
from nsmb.symbolic.element import Element
from nsmb.symbolic.graph import Graph
from nsmb.symbolic.model import Model, Symbols
from nsmb.symbolic.symbols import Parameters
from nsmb.symbolic.system import SymbolicSystem
from nsmb.system.base import ParameterInfo, State
from nsmb.system.contacts import Constraint, Contact, Friction
from nsmb.system.forces import ForceElement
from nsmb.system.inputs import Input, as_inputs

__all__ = ["from_mechanics"]


def from_mechanics(
    method: LagrangesMethod | KanesMethod,
    parameters: Mapping[Any, float] | None = None,
    contacts: Sequence[Contact | Friction] = (),
    *,
    potential: Any = None,
    constraints: Sequence[Constraint | Any] = (),
    elements: Sequence[ForceElement | Element] = (),
    initial: Mapping[Any, Any] | State | None = None,
    t_start: float = 0.0,
    linear: bool | None = None,
    name: str = "",
    coordinate_units: Sequence[str] | None = None,
    parameter_info: Mapping[str, ParameterInfo] | None = None,
    period: Any = None,
    inputs: Sequence[Input] = (),
) -> SymbolicSystem:
    """Return a system whose equations were formed by SymPy, with contacts added.

    Parameters
    ----------
    method : LagrangesMethod or KanesMethod
        Its equations are formed if necessary. Holonomic and nonholonomic constraints of a
        LagrangesMethod become bilateral constraints. The speeds of a KanesMethod become u, and its
        kinematic differential equations become q̇ = B(q) u. The speeds must be independent.
    parameters : mapping of symbols or names to values
        Values of all constant symbols in the equations.
    contacts, constraints, elements, t_start, linear, name
        As for :class:`LagrangianSystem`, with expressions of the same ``dynamicsymbols``.
    coordinate_units, parameter_info, period, inputs
        As for :class:`LagrangianSystem`.
    potential : expression, optional
        Potential V(q, t), for energies only, because its forces are already in the equations.
    initial : mapping of coordinates and speeds, or State, optional

    Raises
    ------
    ValueError
        As for :class:`LagrangianSystem`, and if speeds are dependent or auxiliary.

    Examples
    --------
    >>> import nsmb, sympy, sympy.physics.mechanics as me
    >>> from nsmb import symbolic
    >>> m, g, y = *sympy.symbols("m g"), me.dynamicsymbols("y")
    >>> L = m * y.diff() ** 2 / 2 - m * g * y
    >>> ball = symbolic.from_mechanics(
    ...     me.LagrangesMethod(L, [y]),
    ...     {m: 0.2, g: 9.81},
    ...     [nsmb.Contact(y, law=nsmb.ContactLaw(e_N=0.5), name="floor")],
    ...     initial={y: 1.0},
    ... )
    >>> ball.forces(0.0, [1.0], [0.0])
    array([-1.962])
    """
    values, held = Parameters.of(parameters), as_inputs("inputs", inputs)
    extras = Extras(elements, initial=initial)
    if isinstance(method, LagrangesMethod):
        model, own = _from_lagrange(method, extras, values, held)
    elif isinstance(method, KanesMethod):
        model, own = _from_kane(method, extras, values, held), []
    else:
        raise ValueError(f"method: expected a LagrangesMethod or a KanesMethod, got {method!r}")
    if potential is not None:
        model.V = model.only("potential", potential, "t", "q", "v")
    return build_system(
        SymbolicSystem,
        model,
        values,
        contacts=contacts,
        extras=extras,
        constraints=[*own, *constraints],
        t_start=t_start,
        linear=linear,
        resolution=1e-9,
        about={
            "name": name or type(method).__name__,
            "coordinate_units": coordinate_units,
            "parameter_info": parameter_info,
            "period": period,
        },
    )


def _from_lagrange(
    method: LagrangesMethod, extras: Extras, parameters: Parameters, inputs: tuple[Input, ...]
) -> tuple[Model, list[Constraint]]:
    if method.eom is None:
        method.form_lagranges_equations()
    q = tuple(method.q)
    u = tuple(symbol.diff(dynamicsymbols._t) for symbol in q)
    model = Model(Graph(), Symbols(q, u, extras.symbols, parameters, inputs))
    model.set_equations(method.mass_matrix, method.forcing, u)
    holonomic = [
        Constraint(gap=g, name=f"holonomic_{i + 1}") for i, g in enumerate(_holonomic(method))
    ]
    rolling = [
        Constraint(velocity=v, name=f"nonholonomic_{i + 1}")
        for i, v in enumerate(_nonholonomic(method))
    ]
    return model, [*holonomic, *rolling]


def _holonomic(method: LagrangesMethod) -> list[Any]:
    return list(method._hol_coneqs)


def _nonholonomic(method: LagrangesMethod) -> list[Any]:
    return list(method.coneqs)[len(_holonomic(method)) :]


def _from_kane(
    method: KanesMethod, extras: Extras, parameters: Parameters, inputs: tuple[Input, ...]
) -> Model:
    if len(method._udep) or len(method._qdep):
        dependent = ", ".join(map(str, [*method._qdep, *method._udep]))
        raise ValueError(
            "method: expected independent coordinates and speeds, got a KanesMethod in which "
            f"{dependent} depend on others; give its constraints as `constraints`"
        )
    if method._uaux:
        raise ValueError("method: expected a KanesMethod without auxiliary speeds")
    if not getattr(method, "_fr", None) or not getattr(method, "_frstar", None):
        method.kanes_equations()
    q, u = tuple(method.q), tuple(method.u)
    model = Model(Graph(), Symbols(q, u, extras.symbols, parameters, inputs))
    rates = method.kindiffdict()
    missing = [symbol for symbol in q if symbol.diff(dynamicsymbols._t) not in rates]
    if missing:
        raise ValueError(f"method: expected kinematic equations of {missing[0]}")
    qdot = [rates[symbol.diff(dynamicsymbols._t)] for symbol in q]
    model.set_equations(sympy.Matrix(method.mass_matrix), sympy.Matrix(method.forcing), qdot)
    # Slips may be expressed by q̇ or by u.
    for symbol, node in zip(q, model.qdot, strict=True):
        model.convert.symbols.setdefault(symbol.diff(dynamicsymbols._t), node)
    return model

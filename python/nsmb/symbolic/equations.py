"""Systems defined by their equations of motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nsmb.common.expressions import as_expression, as_matrix
from nsmb.symbolic.assemble import Extras, build_system, coordinate_symbols
from nsmb.symbolic.element import Element
from nsmb.symbolic.graph import Graph
from nsmb.symbolic.model import Model, Symbols
from nsmb.symbolic.symbols import Parameters
from nsmb.symbolic.system import SymbolicSystem
from nsmb.system.base import ParameterInfo, State
from nsmb.system.contacts import Constraint, Contact, Friction
from nsmb.system.forces import ForceElement
from nsmb.system.inputs import Input, as_inputs

__all__ = ["from_equations"]


def from_equations(
    q: Sequence[Any],
    mass_matrix: Any,
    forces: Sequence[Any],
    contacts: Sequence[Contact | Friction] = (),
    *,
    potential: Any = None,
    constraints: Sequence[Constraint | Any] = (),
    elements: Sequence[ForceElement | Element] = (),
    states: Mapping[Any, Any] | None = None,
    watch: Mapping[Any, tuple[Any, Any]] | None = None,
    energy: Any = None,
    limits: Mapping[str, Any] | None = None,
    parameters: Mapping[Any, float] | None = None,
    initial: Mapping[Any, Any] | State | None = None,
    t_start: float = 0.0,
    linear: bool | None = None,
    name: str = "symbolic system",
    coordinate_units: Sequence[str] | None = None,
    parameter_info: Mapping[str, ParameterInfo] | None = None,
    period: Any = None,
    inputs: Sequence[Input] = (),
    resolution: float = 1e-9,
) -> SymbolicSystem:
    """Return a system ``M(q, t) q̈ = h(q, q̇, t) + W λ`` with given M and h.

    Only the rows of contacts and the Jacobians are derived. Approximations of a source, such as
    small angles, are therefore kept.

    Parameters
    ----------
    q : sequence of symbols
        As for :class:`LagrangianSystem`.
    mass_matrix : (n, n) expressions
        Mass matrix M(q, t). Entries above the diagonal are replaced by those below it.
    forces : sequence of n expressions
        Forces h(t, q, q̇, x).
    contacts, constraints, elements, states, watch, energy, limits, \
parameters, initial, t_start, linear, name, coordinate_units, parameter_info, period, inputs, \
resolution
        As for :class:`LagrangianSystem`.
    potential : expression, optional
        Potential V(q, t), for energies only, because its forces are already in `forces`.

    Raises
    ------
    ValueError
        As for :class:`LagrangianSystem`, and if a shape is wrong.

    Examples
    --------
    A pendulum with small angles:

    >>> from nsmb import symbolic
    >>> phi = symbolic.coordinates("phi")
    >>> p = symbolic.parameters(l=0.5, g=9.81)
    >>> pendulum = symbolic.from_equations([phi], [[p.l]], [-p.g * phi], parameters=p)
    >>> pendulum.forces(0.0, [1.0], [0.0])
    array([-9.81])
    """
    coordinates, velocities = coordinate_symbols(q)
    n = len(coordinates)
    mass = as_matrix("mass_matrix", mass_matrix)
    if mass.shape != (n, n):
        raise ValueError(f"mass_matrix: expected shape {(n, n)}, got {mass.shape}")
    if len(forces) != n:
        raise ValueError(f"forces: expected {n} expressions, got {len(forces)}")
    values = Parameters.of(parameters)
    extras = Extras(
        elements, states=states, watch=watch, energy=energy, limits=limits, initial=initial
    )
    symbols = Symbols(coordinates, velocities, extras.symbols, values, as_inputs("inputs", inputs))
    model = Model(Graph(), symbols)
    forcing = [as_expression(f"forces[{i}]", force) for i, force in enumerate(forces)]
    model.set_equations(mass, forcing, velocities)
    if potential is not None:
        model.V = model.only("potential", potential, "t", "q", "v")
    return build_system(
        SymbolicSystem,
        model,
        values,
        contacts=contacts,
        extras=extras,
        constraints=constraints,
        t_start=t_start,
        linear=linear,
        resolution=resolution,
        about={
            "name": name,
            "coordinate_units": coordinate_units,
            "parameter_info": parameter_info,
            "period": period,
        },
    )

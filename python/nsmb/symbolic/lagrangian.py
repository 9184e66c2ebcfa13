"""Systems defined by their energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from nsmb.common.expressions import as_expression
from nsmb.symbolic.assemble import Extras, build_system, coordinate_symbols
from nsmb.symbolic.element import Element
from nsmb.symbolic.graph import Graph
from nsmb.symbolic.model import Model, Symbols
from nsmb.symbolic.symbols import Parameters, by_symbol
from nsmb.symbolic.system import SymbolicSystem
from nsmb.system.base import ParameterInfo, State
from nsmb.system.contacts import Constraint, Contact, Friction
from nsmb.system.forces import ForceElement
from nsmb.system.inputs import Input, as_inputs

__all__ = ["LagrangianSystem"]


class LagrangianSystem(SymbolicSystem):
    """A system defined by its energies: ``d/dt ∂T/∂q̇ - ∂T/∂q + ∂V/∂q = Q + W λ``.

    M, h, all W, w̃ and w̄, and the Jacobians for stiff solvers are derived exactly. They are
    compiled to machine code and run without Python. Parameters remain arguments of that code.

    Parameters
    ----------
    q : sequence of symbols
        Created by :func:`coordinates`, or ``dynamicsymbols`` of ``sympy.physics``. Their velocities
        are :func:`velocities`, or ``q.diff()``.
    kinetic : expression
        Kinetic energy T(q, q̇, t) in J, a quadratic form of the velocities. Prescribed motion adds
        linear terms and terms without velocities.
    potential : expression
        Potential energy V(q, t) in J.
    forces : sequence, or mapping of coordinates, optional
        Non-conservative generalised forces Q(t, q, q̇, x), one for each coordinate. x contains
        states and modes.
    contacts : sequence of nsmb.Contact and nsmb.Friction
        Contacts whose gaps and slips are expressions; :func:`point_contact` creates such contacts.
    constraints : sequence of nsmb.Constraint or of expressions g(q, t)
        Bilateral constraints g = 0.
    elements : sequence of nsmb.ForceElement and Element
        Force elements. Those with memory and states are in :mod:`nsmb.symbolic.elements`.
    states : mapping of internal states to their rates ẋ(t, q, q̇, x), optional
    watch : mapping, optional
        ``{mode: (open, closed)}``, with modes created by :func:`modes`. The first expression of
        (t, q, q̇, x) is not negative while the mode is open, the second one while it is closed. The
        mode changes where the expression of the current mode vanishes, with an event `switch`.
        Modes may occur in forces, rates, bounds of friction, other watched functions and `energy`.
        A memory needs no jump. A state that follows a quantity in one mode, and has the rate zero
        in the other, stores the value of the quantity at the change of mode.
    energy : expression, optional
        Stored energy in addition to V(q, t), of (t, q, q̇, x), in J; it causes no forces.
    limits : mapping, optional
        ``{name: expression}`` of quantities that must remain positive, such as gas volumes and
        pressures. A run that violates one ends with a status that names it. If an expression
        depends on parameters alone, its violation raises a ValueError.
    parameters : Parameters, or mapping of names or symbols to values, optional
    initial : mapping, or State, optional
        Initial values of coordinates, velocities and states, by symbol or name: numbers or
        expressions of parameters, by default zero. Modes are True if they start closed. A mode
        whose function is negative at the start begins in its other state.
    t_start : float
    linear : bool, optional
        Run as a linear system, with the closed-form motion between events. None: if the system is
        linear. True: require a linear system. False: never.
    name, coordinate_units, parameter_info : optional
        As for :class:`nsmb.LinearSystem`.
    period : expression of parameters, optional
        Period in s of the explicit dependence on time.
    inputs : sequence of nsmb.Input
        Inputs that are set during a run. They may occur in all expressions except gaps, laws and
        initial values.
    resolution : float
        Magnitude below which a watched function counts as zero.

    Raises
    ------
    ValueError
        If a symbol is unknown, a function cannot be compiled, an energy lacks the velocity of a
        coordinate, a gap depends on velocities, an expression has accelerations, a list has the
        wrong length, or a constant is complex. The message names the cause.
    TypeError
        If a contact, force element or constraint is given by rows or functions.
    ImportError
        If SymPy or llvmlite is not installed; ``pip install nsmb[symbolic]`` installs them.

    Examples
    --------
    A pendulum whose tip hits a wall:

    >>> import sympy, nsmb
    >>> from nsmb import symbolic
    >>> phi = symbolic.coordinates("phi")
    >>> omega = symbolic.velocities(phi)
    >>> p = symbolic.parameters(m=1.0, l=0.5, g=9.81, e=0.8)
    >>> x, y = p.l * sympy.sin(phi), -p.l * sympy.cos(phi)
    >>> pendulum = symbolic.LagrangianSystem(
    ...     q=[phi],
    ...     kinetic=p.m / 2 * (symbolic.rate(x) ** 2 + symbolic.rate(y) ** 2),
    ...     potential=p.m * p.g * y,
    ...     contacts=[nsmb.Contact(x + 0.1, law=nsmb.ContactLaw(e_N=p.e), name="wall")],
    ...     parameters=p,
    ...     initial={phi: 1.0},
    ... )
    >>> nsmb.simulate(pendulum, t_end=2.0).events.kinds[0]
    'impact'
    >>> longer = pendulum.with_parameters(l=1.0)  # compiles nothing
    """

    def __init__(
        self,
        q: Sequence[Any],
        kinetic: Any,
        potential: Any = 0,
        forces: Sequence[Any] | Mapping[Any, Any] | None = None,
        contacts: Sequence[Contact | Friction] = (),
        *,
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
        name: str = "Lagrangian system",
        coordinate_units: Sequence[str] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        period: Any = None,
        inputs: Sequence[Input] = (),
        resolution: float = 1e-9,
    ) -> None:
        coordinates, velocities = coordinate_symbols(q)
        values = Parameters.of(parameters)
        extras = Extras(
            elements, states=states, watch=watch, energy=energy, limits=limits, initial=initial
        )
        symbols = Symbols(
            coordinates, velocities, extras.symbols, values, as_inputs("inputs", inputs)
        )
        model = Model(Graph(), symbols)
        model.derive_lagrange(kinetic, potential, _forces(forces, coordinates))
        build_system(
            type(self),
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
            system=self,
        )


def _forces(forces: Sequence[Any] | Mapping[Any, Any] | None, q: Sequence[Any]) -> list[Any]:
    if forces is None:
        return [0] * len(q)
    if isinstance(forces, Mapping):
        given = by_symbol("forces: coordinate", forces, q)
        return [given.get(symbol, 0) for symbol in q]
    entries = list(forces) if isinstance(forces, sympy.MatrixBase | Sequence) else [forces]
    if len(entries) != len(q):
        raise ValueError(f"forces: expected {len(q)} expressions, got {len(entries)}")
    return [as_expression(f"forces[{i}]", entry) for i, entry in enumerate(entries)]

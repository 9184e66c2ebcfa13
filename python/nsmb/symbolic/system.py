"""Systems given by expressions, run as machine code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray
from sympy.core.function import AppliedUndef
from sympy.physics.vector import dynamicsymbols

from nsmb.common.arguments import as_array, as_number, unknown_name
from nsmb.symbolic import compiler
from nsmb.symbolic.convert import as_expression
from nsmb.symbolic.model import Model
from nsmb.symbolic.parts import Constraint, Contact, ForceElement, Friction, rows_of
from nsmb.symbolic.program import (
    ContactText,
    Program,
    compiled_core,
    evaluate,
    linear_core,
    make_program,
    speed_names,
)
from nsmb.symbolic.symbols import (
    Coordinate,
    InternalState,
    Mode,
    Parameters,
    by_symbol,
    keys_made_by,
)
from nsmb.system.base import ParameterInfo, State, System

__all__ = [
    "SymbolicSystem",
    "build_system",
    "coordinate_symbols",
    "state_symbols",
]

Vector = NDArray[np.float64]


def _restore(
    cls: type[SymbolicSystem], program: Program, values: dict[str, float], about: dict[str, Any]
) -> SymbolicSystem:
    """What pickle, copy and with_parameters call: nothing is derived again."""
    system = cls.__new__(cls)
    system._set_up(program, values, **about)
    return system


class SymbolicSystem(System):
    """A system derived from expressions: machine code, and the values of its parameters.

    It can be pickled and copied; :meth:`with_parameters` changes values without compiling. Values
    of the initial state given as expressions of parameters follow these.

    Attributes
    ----------
    is_linear : bool
        Whether it runs as a linear system, by the closed-form motion between events.
    """

    def _set_up(
        self,
        program: Program,
        values: Mapping[str, float],
        *,
        name: str,
        t_start: float = 0.0,
        coordinate_units: Sequence[str] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        period: Any = None,
        velocities: Sequence[str] | None = None,
    ) -> None:
        self._velocities = velocities
        self._program = program
        self._period = period
        numbers = evaluate(program, compiler.compiled(program.assembly), values)
        self._compiled = compiled_core(program, numbers)
        start = State(t_start, numbers.q, numbers.u, numbers.x)
        self.is_linear = program.harmonics >= 0
        _check_mass(self._compiled.mass_matrix(start.t, start.q), program.coordinates)
        super().__init__(
            linear_core(program, numbers) if self.is_linear else self._compiled,
            name=name,
            coordinates=program.coordinates,
            coordinate_units=coordinate_units,
            velocities=velocities,
            contacts=numbers.contacts,
            elements=[*(element for element, _ in program.elements), *program.modes],
            initial_state=start,
            parameters=values,
            parameter_info=parameter_info,
            period=_number_of_parameters("period", period, values),
            inputs=program.inputs,
        )

    def _about(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "t_start": self.initial_state.t,
            "coordinate_units": self.coordinate_units,
            "parameter_info": dict(self.parameter_info),
            "period": self._period,
            "velocities": self._velocities,
        }

    def with_parameters(self, **changes: float | str) -> System:
        """The same machine code with other values; this system stays as it is.

        Raises
        ------
        ValueError
            For a parameter the system does not have, or a value it cannot take.
        """
        for key in changes:
            if key not in self.parameters:
                raise unknown_name("parameter", key, list(self.parameters))
        if self._builder is not None:  # it knows more about the values
            return self._hand_on(self._builder(**{**self.parameters, **changes}))
        values = {
            key: float(as_array(f"parameter {key!r}", value, ()))
            for key, value in {**self.parameters, **changes}.items()
        }
        return self._hand_on(_restore(type(self), self._program, values, self._about()))

    def potential_energy(self, t: float, q: ArrayLike) -> float:
        """V(q, t) in J; NaN when the system was not given one."""
        return self._compiled.potential_energy(t, as_array("q", q, (self.nq,)))

    def jacobians(
        self,
        t: float,
        q: ArrayLike,
        u: ArrayLike,
        x: ArrayLike | None = None,
        *,
        udot: ArrayLike | None = None,
        lambda_N: ArrayLike | None = None,
        lambda_T: ArrayLike | None = None,
        zeta: ArrayLike | None = None,
        lambda_B: ArrayLike | None = None,
    ) -> dict[str, Vector]:
        """Derivatives with respect to ``(q, u, x)`` at fixed accelerations and forces.

        Returns
        -------
        dict
            ``residual`` of ``M u̇ - h - w ζ - W λ`` (nu, ny), `lambda_B` of the bilateral
            constraints among λ; ``gammadot`` of ``Wᵀu̇ + w̄`` (nc + nt + nb, ny), contacts before
            bilateral constraints; ``element`` of γ and γ̇ of the force elements (2 ne, ny);
            ``qdot`` (nq, ny); ``xdot`` (nx, ny). Here ny = nq + nu + nx without the walls of force
            elements.
        """
        own = self._core.nx_own

        def values(name: str, value: ArrayLike | None, size: int) -> Vector:
            return np.zeros(size) if value is None else as_array(name, value, (size,))

        return self._compiled.jacobians(
            t,
            as_array("q", q, (self.nq,)),
            as_array("u", u, (self.nu,)),
            values("x", x, own),
            values("udot", udot, self.nu),
            values("lambda_N", lambda_N, self.nc),
            values("lambda_T", lambda_T, self.nt),
            values("zeta", zeta, self.ne),
            values("lambda_B", lambda_B, self.nb),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        if self._builder is not None:
            return super().__reduce__()
        arguments = (type(self), self._program, dict(self.parameters), self._about())
        return _restore, arguments, self._outside()


def _check_mass(M: Vector, coordinates: Sequence[str]) -> None:
    """ValueError naming the velocity at which M stops being positive definite."""
    names = coordinates if len(coordinates) == M.shape[0] else range(M.shape[0])
    if not np.isfinite(M).all():
        raise ValueError(f"mass matrix: expected finite numbers at the start, got {M.tolist()}")
    with np.errstate(all="ignore"):
        scale = 1.0 / np.sqrt(np.diag(M))
        scaled = M * np.outer(scale, scale)
    for k, name in enumerate(names, 1):
        if not np.isfinite(scale[k - 1]) or np.linalg.eigvalsh(scaled[:k, :k])[0] < 1e-13:
            raise ValueError(
                "mass matrix: expected a positive definite one at the start, got one that is not "
                f"in the velocity of {name!r}"
            )


def _listed(name: str, parts: Any) -> list[Any]:
    """`parts` as a list; a single part is none."""
    if isinstance(parts, Iterable) and not isinstance(parts, str | Mapping):
        return list(parts)
    raise ValueError(f"{name}: expected a sequence, got {parts!r}; one alone goes in brackets")


def coordinate_symbols(q: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Coordinates and their velocities."""
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
            raise ValueError(f"q: expected different coordinates, got {symbol} twice")
    return found, tuple(velocities)


def state_symbols(states: Any, watch: Any) -> tuple[Any, ...]:
    """The states, and behind them the modes."""
    return (
        *keys_made_by("states", states, InternalState, "states()"),
        *keys_made_by("watch", watch, Mode, "modes()"),
    )


def build_system(
    cls: type[SymbolicSystem],
    model: Model,
    values: Parameters,
    *,
    contacts: Sequence[Contact | Friction],
    friction: Sequence[Friction],
    elements: Sequence[ForceElement],
    constraints: Sequence[Constraint | Any],
    initial: Mapping[Any, Any] | State | None,
    t_start: float,
    linear: bool | None,
    resolution: float,
    about: dict[str, Any],
    system: SymbolicSystem | None = None,
) -> SymbolicSystem:
    """Derive what is missing in the model, compile, and set the system up."""
    rows = []
    for i, part in enumerate([*_listed("contacts", contacts), *_listed("friction", friction)]):
        label = f"contact_{i + 1}"
        if not isinstance(part, Contact | Friction):
            raise ValueError(
                f"contact {label!r}: expected a symbolic Contact or Friction, got {part!r}"
            )
        rows.append(rows_of(part, part.name or label))
    unilateral = [row.name for row in rows if row.gap is not None]
    for row in rows:
        if row.normal is not None and row.normal not in unilateral:
            raise unknown_name(f"contact {row.name!r}: normal", row.normal, unilateral)
        model.add_contact(row)
    element_texts, numbers = [], []
    for i, element in enumerate(_listed("elements", elements)):
        if not isinstance(element, ForceElement):
            raise ValueError(f"elements[{i}]: expected a ForceElement, got {element!r}")
        name = element.name or f"element_{i + 1}"
        model.add_element(element, name)
        element_texts.append((name, element.law))
        prefix = f"force element '{name}': "
        numbers += [model.only(prefix + "c", element.c), model.only(prefix + "d", element.d)]
    for i, constraint in enumerate(_listed("constraints", constraints)):
        bond = constraint if isinstance(constraint, Constraint) else Constraint(constraint)
        model.add_constraint(bond, bond.name or f"constraint_{i + 1}")
    model.refuse_jumps(tuple(values.values()))
    program = make_program(
        model,
        [
            ContactText(row.name, row.tangents, row.normal, row.gap is not None, row.law.curve)
            for row in rows
        ],
        element_texts,
        numbers,
        _start(model, initial),
        linear is not False,
        as_number("resolution", resolution),
    )
    if linear and program.harmonics < 0:
        raise ValueError(
            f"linear: expected a linear system for True, got one where {program.not_linear}"
        )
    made = cls.__new__(cls) if system is None else system
    if model.has_rates:  # generalized speeds
        about = about | {"velocities": speed_names(model)}
    t = initial.t if isinstance(initial, State) else t_start
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
    """A mode may start with True."""
    return float(value) if isinstance(value, bool) else value


def _number_of_parameters(name: str, value: Any, values: Mapping[str, float]) -> float | None:
    """A number, or an expression of parameters."""
    if value is None:
        return None
    names, function = _function_of(as_expression(name, value))
    for text in names:
        if text not in values:
            raise unknown_name(f"{name}: parameter", text, list(values))
    return float(function(*(values[text] for text in names)))


@functools.lru_cache(maxsize=256)
def _function_of(expression: sympy.Expr) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """Names of its symbols, and a function of these in that order: continuation and sweeps ask for
    it thousands of times, and substitution takes milliseconds."""
    symbols = sorted(expression.free_symbols, key=str)
    return tuple(str(symbol) for symbol in symbols), sympy.lambdify(symbols, expression, "math")

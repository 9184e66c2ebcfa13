"""Systems defined by expressions, run as machine code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, unknown_name
from nsmb.common.expressions import as_expression, python_function
from nsmb.symbolic import compiler
from nsmb.symbolic.program import (
    Program,
    compiled_core,
    evaluate,
    linear_core,
)
from nsmb.system.base import ParameterInfo, State, System

__all__ = ["SymbolicSystem"]

Vector = NDArray[np.float64]


def _restore(
    cls: type[SymbolicSystem], program: Program, values: dict[str, float], about: dict[str, Any]
) -> SymbolicSystem:
    """Restore a system for pickle, copy and with_parameters, without deriving it again."""
    system = cls.__new__(cls)
    system._set_up(program, values, **about)
    return system


class SymbolicSystem(System):
    """A system derived from expressions: machine code, and the values of its parameters.

    It can be pickled and copied. :meth:`with_parameters` changes values without compiling. Initial
    values that are expressions of parameters are updated.

    Attributes
    ----------
    is_linear : bool
        True if it runs as a linear system, with the closed-form motion between events.
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

    def with_parameters(self, **changes: float | str | None) -> System:
        """Return a system with the same machine code and other values; this system is unchanged.

        Raises
        ------
        ValueError
            If the system does not have a parameter, or if a value is not allowed.
        """
        self._check_parameters(changes)
        if self._builder is not None:  # it has its own rules for values
            return self._hand_on(self._builder(**{**self.parameters, **changes}))
        values = {
            key: float(as_array(f"parameter {key!r}", value, ()))
            for key, value in {**self.parameters, **changes}.items()
        }
        return self._hand_on(_restore(type(self), self._program, values, self._about()))

    def potential_energy(self, t: float, q: ArrayLike) -> float:
        """Return V(q, t) in J; NaN if the system was given none."""
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
        """Return derivatives with respect to ``(q, u, x)`` at fixed accelerations and forces.

        Returns
        -------
        dict
            ``residual`` of ``M u̇ - h - w ζ - W λ`` (nu, ny), where λ includes `lambda_B` of the
            bilateral constraints; ``gammadot`` of ``Wᵀu̇ + w̄`` (nc + nt + nb, ny), with contacts
            before bilateral constraints; ``element`` of γ and γ̇ of the force elements (2 ne, ny);
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
    """Raise ValueError with the velocity in which M is not positive definite."""
    names = coordinates if len(coordinates) == M.shape[0] else range(M.shape[0])
    if not np.isfinite(M).all():
        raise ValueError(f"mass matrix: must have finite numbers at the start, got {M.tolist()}")
    with np.errstate(all="ignore"):
        scale = 1.0 / np.sqrt(np.diag(M))
        scaled = M * np.outer(scale, scale)
    for k, name in enumerate(names, 1):
        if not np.isfinite(scale[k - 1]) or np.linalg.eigvalsh(scaled[:k, :k])[0] < 1e-13:
            raise ValueError(
                "mass matrix: must be positive definite at the start, but is singular or "
                f"indefinite in the velocity of {name!r}"
            )


def _number_of_parameters(name: str, value: Any, values: Mapping[str, float]) -> float | None:
    """Return the value of a number or of an expression of parameters."""
    if value is None:
        return None
    names, function = _function_of(as_expression(name, value))
    for text in names:
        if text not in values:
            raise unknown_name(f"{name}: parameter", text, list(values))
    return float(function(*(values[text] for text in names)))


@functools.lru_cache(maxsize=256)
def _function_of(expression: sympy.Expr) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """Return the names of the symbols, and a function of them in that order.

    The result is cached, because continuation and sweeps need it thousands of times and
    substitution takes milliseconds.
    """
    symbols = sorted(expression.free_symbols, key=str)
    names = tuple(str(symbol) for symbol in symbols)
    return names, python_function("parameters", symbols, expression)

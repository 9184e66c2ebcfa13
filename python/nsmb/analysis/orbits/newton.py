"""Damped Newton iterations on equations that are not defined everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Linearized", "NewtonResult", "Unreachable", "newton"]

Vector = NDArray[np.float64]

_DAMPING_STEPS = 7
_STALLED = 10.0  # in tolerances, accepted if rounding prevents any improvement


class Linearized(Protocol):
    """Equations and their derivative at one point."""

    @property
    def F(self) -> Vector: ...
    @property
    def J(self) -> Vector: ...


L = TypeVar("L", bound=Linearized)


class Unreachable(Exception):
    """Exception for a value that does not exist: a failed run, or a parameter out of range."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, eq=False)
class NewtonResult(Generic[L]):
    """The outcome of Newton's method."""

    X: Vector
    evaluation: L | None
    """Evaluation at X; None if even the start has no value."""
    residuals: tuple[float, ...]
    """Largest component of F at each iteration."""
    status: str
    """``converged``, ``no_convergence``, or the reason for a missing value."""
    message: str = ""

    @property
    def converged(self) -> bool:
        return self.status == "converged"


def newton(
    evaluate: Callable[[Vector], L],
    X: Vector,
    *,
    tol: float,
    max_iterations: int,
    remedy: str = "give a start nearer to the orbit or more segments",
) -> NewtonResult[L]:
    """Solve square equations by damped Newton iterations, with shorter steps if a value is missing.

    A residual of at most ten times `tol` is accepted if no step improves it, because only rounding
    remains. `remedy` is the end of the message if the iterations do not converge.
    """
    try:
        here = evaluate(X)
    except Unreachable as error:
        return NewtonResult(X, None, (), error.status, str(error))
    residuals = [_norm(here.F)]
    trouble, blocked = Unreachable("no_convergence", ""), False
    for _ in range(max_iterations):
        if residuals[-1] <= tol:
            return NewtonResult(X, here, tuple(residuals), "converged")
        try:
            # LAPACK may not return if values are not finite.
            if not (np.isfinite(here.F).all() and np.isfinite(here.J).all()):
                raise np.linalg.LinAlgError("the equations or their derivative are not finite")
            step = np.linalg.lstsq(here.J, -here.F, rcond=1e-14)[0]
        except np.linalg.LinAlgError as error:
            trouble = Unreachable("no_convergence", str(error))
            break
        damping, there = 1.0, None
        trouble = Unreachable("no_convergence", "")
        blocked = True
        for _ in range(_DAMPING_STEPS):
            try:
                trial = evaluate(X + damping * step)
                blocked = False
                if _norm(trial.F) < residuals[-1]:
                    there = trial
                    break
            except Unreachable as error:
                trouble = error
            damping *= 0.5
        if there is None:
            break
        blocked = False
        X, here = X + damping * step, there
        residuals.append(_norm(here.F))
    if residuals[-1] <= _STALLED * tol:
        return NewtonResult(X, here, tuple(residuals), "converged")
    why = f"; on the way: {trouble}" if str(trouble) else ""
    message = (
        f"Newton's method stopped at a residual of {residuals[-1]:.3g} after "
        f"{len(residuals) - 1} iterations{why}; {remedy}"
    )
    status = trouble.status if blocked else "no_convergence"
    return NewtonResult(X, here, tuple(residuals), status, message)


def _norm(F: Vector) -> float:
    value = float(np.abs(F).max(initial=0.0))
    return value if np.isfinite(value) else np.inf

"""Bearings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from nsmb.common.expressions import as_matrix
from nsmb.symbolic.element import Element, expressions, motion

__all__ = ["bearing"]


def bearing(
    name: str,
    displacement: Sequence[Any],
    velocity: Sequence[Any] | None = None,
    *,
    stiffness: Any,
    damping: Any = None,
) -> Element:
    """Return a linear bearing of a shaft with the force ``-(C γ + D γ̇)``.

    Diagonal matrices describe a roller bearing (11.9), full ones a journal bearing under a
    stationary load (11.10). A stiffness that is not symmetric, such as that of an oil film, does
    work along closed paths, which can drive vibrations. The stored energy is that of its symmetric
    part.

    Parameters
    ----------
    name : str
    displacement : two (or more) expressions
        Displacements γ of the shaft in its bearing, in m.
    velocity : as many expressions, optional
        Rates γ̇; required between bodies.
    stiffness, damping : (n, n) expressions of parameters
        Matrices C in N/m and D in N s/m; a number is the value of all diagonal elements.

    Raises
    ------
    ValueError
        If matrices or velocities do not match the displacements.
    """
    gaps = list(displacement)
    n = len(gaps)
    rates = [None] * n if velocity is None else list(velocity)
    if len(rates) != n:
        raise ValueError(f"element '{name}': velocity: expected {n} expressions, got {len(rates)}")
    pairs = [motion(name, gap, rate) for gap, rate in zip(gaps, rates, strict=True)]
    gamma, gamma_dot = (sympy.Matrix(column) for column in zip(*pairs, strict=True))
    C = _square(name, "stiffness", stiffness, n)
    D = _square(name, "damping", 0 if damping is None else damping, n)
    force = -(C * gamma + D * gamma_dot)  # (11.9), (11.10)
    stored = (gamma.T * (C + C.T) * gamma)[0] / 4
    return Element(name, list(zip(gamma_dot, force, strict=True)), energy=stored)


def _square(name: str, what: str, given: Any, n: int) -> Any:
    if not isinstance(given, Sequence | sympy.MatrixBase) and not hasattr(given, "shape"):
        return sympy.eye(n) * expressions(name, **{what: given})[0]
    matrix = as_matrix(f"element '{name}': {what}", given)
    if matrix.shape != (n, n):
        raise ValueError(f"element '{name}': {what}: expected shape {(n, n)}, got {matrix.shape}")
    return matrix

"""SymPy expressions as arguments. Strings are rejected, because parsing would execute them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from nsmb.common.extras import import_extra

__all__ = ["Expression", "as_expression", "as_matrix", "is_expression", "python_function"]

Expression: TypeAlias = Any
"""A ``sympy.Expr``; SymPy has no type annotations and need not be installed."""


def is_expression(value: Any) -> bool:
    """Return True for SymPy expressions that are not numbers, and for sequences that contain one.

    This does not import SymPy. If it has not been imported, there are no expressions.
    """
    sympy = sys.modules.get("sympy")
    if sympy is None:
        return False
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = value.tolist()
    if hasattr(value, "_sympy_"):  # an input, which represents a symbol
        return True
    if isinstance(value, list | tuple):
        return any(is_expression(entry) for entry in value)
    if isinstance(value, sympy.Expr):
        return not value.is_number
    return isinstance(value, sympy.Basic | sympy.MatrixBase)


def as_expression(where: str, value: Any) -> Any:
    """Return a number or an expression as a ``sympy.Expr``.

    Raises
    ------
    ValueError
        If `value` is a string or not an expression.
    """
    sympy = import_extra("sympy", "symbolic")
    if isinstance(value, str):
        raise ValueError(
            f"{where}: expected an expression, got {value!r}. Texts are not evaluated. Build it "
            "from SymPy symbols and functions."
        )
    try:
        expression = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError, ValueError):
        raise ValueError(f"{where}: expected an expression, got {value!r}") from None
    if not isinstance(expression, sympy.Expr):
        raise ValueError(f"{where}: expected an expression, got {value!r}")
    return expression


def as_matrix(where: str, value: Any) -> Any:
    """Return rows of numbers or expressions, or a matrix, as a ``sympy.Matrix``."""
    sympy = import_extra("sympy", "symbolic")
    if isinstance(value, sympy.MatrixBase):
        return sympy.Matrix(value)
    rows = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(rows, str) or not isinstance(rows, Sequence):
        raise ValueError(f"{where}: expected a matrix, got {value!r}")
    entries = [
        [as_expression(where, entry) for entry in row]
        if isinstance(row, list | tuple | sympy.MatrixBase)
        else as_expression(where, row)
        for row in rows
    ]
    try:
        return sympy.Matrix(entries)
    except (TypeError, ValueError):
        raise ValueError(f"{where}: expected a matrix, got {value!r}") from None


def python_function(where: str, symbols: Sequence[Any], value: Any) -> Callable[..., Any]:
    """Return a Python function that evaluates an expression, or a list of them.

    Raises
    ------
    ValueError
        If an expression has functions that SymPy does not define, because their names would become
        part of a program.
    """
    sympy = import_extra("sympy", "symbolic")
    for expression in value if isinstance(value, list) else [value]:
        for part in expression.atoms(sympy.Function):
            if not (type(part).__module__ or "").startswith("sympy."):
                raise ValueError(
                    f"{where}: expected functions that SymPy defines, got {part}. Give a function "
                    "of Python instead."
                )
    function: Callable[..., Any] = sympy.lambdify(symbols, value, "math")
    return function

"""Validation of the arguments and return values of user functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core.system import NoValue
from nsmb.common.arguments import as_floats

__all__ = ["LARGEST", "NoValue", "call", "freeze", "real", "returned"]

Vector = NDArray[np.float64]

LARGEST = 1e150
"""Largest accepted magnitude; the product of two such numbers does not overflow."""


def returned(
    name: str, value: Any, shape: tuple[int, ...], labels: Sequence[str] | None = None
) -> Vector:
    """Return `value` as a new float array of the given shape; `labels` name its rows in messages.

    Numbers that are infinite, NaN or too large raise NoValue, which rejects a trial step.
    """
    array = as_floats(name, value, shape)
    if (np.abs(array) <= LARGEST).all():  # also False for NaN
        return array
    finite = bool(np.isfinite(array).all())
    if not shape:
        wanted = f"a number below {LARGEST:g}" if finite else "a finite number"
        raise NoValue(f"{name}: expected {wanted}, got {array}")
    wanted = f"numbers below {LARGEST:g}" if finite else "finite numbers"
    row = int(np.argwhere(~(np.abs(array) <= LARGEST))[0, 0])
    where = "" if labels is None else f" for {labels[row]!r}"
    raise NoValue(f"{name}: expected {wanted}, got {array[row].tolist()}{where}")


def real(name: str, value: Any) -> Any:
    """Return `value`, or raise ValueError if it is complex, because the core takes real parts."""
    if np.iscomplexobj(value):
        raise ValueError(f"{name}: expected real numbers, got {value!r}")
    return value


def freeze(*arrays: Vector) -> None:
    """Make arrays read-only before they are passed to user functions."""
    for array in arrays:
        array.flags.writeable = False


def call(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function and return its value.

    An OverflowError raises NoValue, like an infinite value. A function that writes into its
    arguments raises a ValueError with its name. All other exceptions are raised unchanged."""
    try:
        return function(*arguments)
    except OverflowError as error:
        raise NoValue(f"{name}: expected finite numbers, got OverflowError: {error}") from error
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        raise ValueError(
            f"{name}: must not modify its arguments, got a function that writes into them. Let "
            "it work on copies."
        ) from error

"""Solutions with deliberate errors, to test the checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nsmb


def tampered(sol: nsmb.Solution, **changes: Callable[[Any], Any]) -> nsmb.Solution:
    """Return a copy with the named arrays changed by the given functions."""
    restore, (cls, data, about) = sol.__reduce__()
    arrays = {name: np.array(array) for name, array in data.items()}
    for name, change in changes.items():
        arrays[name] = np.asarray(change(arrays[name]), dtype=arrays[name].dtype)
    return restore(cls, arrays, about)


def plus(value: float, row: int = -1, column: int | None = None) -> Callable[[Any], Any]:
    """Return a function that adds `value` to a row or to one entry."""

    def change(array: Any) -> Any:
        array[(row,) if column is None else (row, column)] += value
        return array

    return change

"""Solutions with something wrong in them, to see that checks find it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nsmb


def tampered(sol: nsmb.Solution, **changes: Callable[[Any], Any]) -> nsmb.Solution:
    """A copy whose arrays of these names went through a function each."""
    restore, (cls, data, about) = sol.__reduce__()
    arrays = {name: np.array(array) for name, array in data.items()}
    for name, change in changes.items():
        arrays[name] = np.asarray(change(arrays[name]), dtype=arrays[name].dtype)
    return restore(cls, arrays, about)


def plus(value: float, row: int = -1, column: int | None = None) -> Callable[[Any], Any]:
    """Adds to one row, or one entry of it."""

    def change(array: Any) -> Any:
        array[(row,) if column is None else (row, column)] += value
        return array

    return change

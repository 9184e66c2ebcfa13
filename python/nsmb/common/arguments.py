"""Checks of arguments: a ValueError names the argument, what was expected and what came."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "as_array",
    "as_callable",
    "as_column",
    "as_floats",
    "as_instance",
    "as_mapping",
    "as_names",
    "as_number",
    "check_signature",
    "fraction",
    "in_range",
    "known_name",
    "left_out",
    "nearest",
    "one_of",
    "per_direction",
    "positive",
    "unknown_attribute",
    "unknown_name",
    "whole",
]

Vector = NDArray[np.float64]
T = TypeVar("T")


def as_number(name: str, value: Any) -> float:
    """`value` as a float, which may be infinite or NaN."""
    try:
        if isinstance(value, str | bytes):  # float("1") would be one
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected a number, got {value!r}") from None


def as_column(name: str, value: ArrayLike) -> Vector:
    """`value` as a new vector of any length."""
    try:
        column = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers, got {value!r}") from None
    if column.ndim != 1:
        raise ValueError(f"{name}: expected a list of numbers, got shape {column.shape}")
    return column


def as_array(name: str, value: Any, shape: tuple[int, ...]) -> Vector:
    """`value` as a new float array of that shape, all finite; a ValueError names the argument
    otherwise."""
    array = as_floats(name, value, shape)
    if not np.isfinite(array).all():
        wanted = "finite numbers" if shape else "a finite number"
        raise ValueError(f"{name}: expected {wanted}, got {array.tolist()}")
    return array


def as_states(name: str, value: ArrayLike, own: int, every: int) -> Vector:
    """`value` as the own or as all internal states, `own` or `every` numbers; nothing: zeros."""
    if np.size(value) == 0:
        return np.zeros(own)
    size = own if np.shape(value) == (own,) else every
    return as_array(name, value, (size,))


def as_floats(name: str, value: Any, shape: tuple[int, ...]) -> Vector:
    """`value` as a new float array of that shape."""
    wanted = f"numbers of shape {shape}" if shape else "a number"
    try:
        # They would be NaN and numbers, or lose a part.
        if value is None or np.asarray(value).dtype.kind in "SUc":
            raise TypeError
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected {wanted}, got {value!r}") from None
    if array.shape != shape:
        wanted = f"shape {shape}" if shape else "a number"
        hint = "; one number goes in brackets" if shape == (1,) and array.ndim == 0 else ""
        raise ValueError(f"{name}: expected {wanted}, got shape {array.shape}{hint}")
    return array


def check_signature(name: str, function: Callable[..., Any], arguments: str) -> None:
    """`function` can be called with so many arguments, as far as that can be seen."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of compiled functions
        return
    try:
        signature.bind(*arguments.split(", "))
    except TypeError:
        raise ValueError(
            f"{name}: expected a function of ({arguments}), got one of {signature}"
        ) from None


def as_instance(name: str, value: Any, kind: type[T], remedy: str = "") -> T:
    """`value` if it is one of `kind`; `remedy` says how to come by one."""
    if not isinstance(value, kind):
        hint = f"; {remedy}" if remedy else ""
        raise ValueError(
            f"{name}: expected a nsmb.{kind.__name__}, got {type(value).__name__}{hint}"
        )
    return value


def as_mapping(name: str, value: Any, what: str) -> dict[str, Any]:
    """`value`, of names to `what`, as a new dictionary; None: an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: expected a mapping of names to {what}, got {value!r}")
    return dict(value)


def as_names(name: str, value: Any) -> tuple[str, ...]:
    """`value` as names, each of them once."""
    if isinstance(value, str):
        raise ValueError(
            f"{name}: expected a sequence of names, got {value!r}; one goes in brackets"
        )
    names = tuple(value) if isinstance(value, Iterable) else (None,)
    if not all(isinstance(entry, str) for entry in names):
        raise ValueError(f"{name}: expected a sequence of names, got {value!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"{name}: expected each one once, got {list(names)}")
    return names


def as_callable(name: str, value: Any, arguments: str) -> Callable[..., Any]:
    """`value` if it can be called, with so many arguments as far as that can be seen."""
    if not callable(value):
        raise ValueError(f"{name}: expected a function of ({arguments}), got {value!r}")
    check_signature(name, value, arguments)
    function: Callable[..., Any] = value
    return function


def whole(name: str, value: Any, least: int) -> int:
    """`value` as an int not below `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}: expected a whole number >= {least}, got {value!r}")
    return int(value)


def per_direction(name: str, value: ArrayLike, d: int) -> Vector:
    """One number for each of d tangential directions; a single number counts for all."""
    if np.ndim(value) == 0:
        return np.full(d, as_array(name, value, ()))
    return as_array(name, value, (d,))


def known_name(kind: str, name: Any, known: Iterable[str]) -> str:
    """`name` if it is one of the known ones."""
    names = list(known)
    if isinstance(name, str) and name in names:
        return name
    raise unknown_name(kind, name, names)


def unknown_name(kind: str, name: str, known: Sequence[str]) -> ValueError:
    """Error for a name that does not exist, with the nearest one that does."""
    wanted = f"one of {', '.join(known)}" if known else "none, for there is none here"
    return ValueError(f"{kind} {name!r}: expected {wanted}{nearest(name, known)}")


def left_out(name: str, value: Any, where: str, remedy: str) -> None:
    """Raise ValueError for an option that is given where nothing uses it.

    Parameters
    ----------
    name : str
    value : object
        None: the option is not given.
    where, remedy : str
        ``for ...``, and a sentence.
    """
    if value is not None:
        raise ValueError(f"{name}: must be left out {where}, got {value!r}. {remedy}")


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """`value` if it is one of these words."""
    words = list(choices)
    if isinstance(value, str) and value in words:
        return value
    hint = nearest(value, words) if isinstance(value, str) else ""
    raise ValueError(f"{name}: expected one of {', '.join(words)}, got {value!r}{hint}")


def in_range(name: str, value: Any, least: float, most: float = math.inf) -> float:
    """`value` as a finite number in [least, most]."""
    number = as_number(name, value)
    if math.isfinite(number) and least <= number <= most:
        return number
    wanted = f"a number >= {least:g}" if math.isinf(most) else f"a number in [{least:g}, {most:g}]"
    if math.isinf(most) and not math.isfinite(number):
        wanted = "a finite number"
    raise ValueError(f"{name}: expected {wanted}, got {number:g}")


def positive(name: str, value: Any, *, unbounded: bool = False) -> float:
    """`value` as a number > 0, finite unless it may be `unbounded`."""
    number = as_number(name, value)
    if number > 0.0 and (unbounded or math.isfinite(number)):
        return number
    raise ValueError(f"{name}: expected a number > 0, got {number:g}")


def fraction(name: str, value: Any) -> float:
    """`value` as a number between 0 and 1, neither of them."""
    number = as_number(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name}: expected a number between 0 and 1, got {value!r}")
    return number


def nearest(name: str, known: Sequence[str]) -> str:
    """``; did you mean ...?``, or nothing where no known name is near."""
    by_letters = {entry.lower(): entry for entry in known}
    close = difflib.get_close_matches(str(name).lower(), by_letters, n=1, cutoff=0.5)
    return f"; did you mean {by_letters[close[0]]!r}?" if close else ""


def unknown_attribute(
    module: str, name: str, known: Iterable[str], elsewhere: str = ""
) -> AttributeError:
    """Return the error for an attribute that a module lacks, with the nearest name.

    `elsewhere` is the full name under which another module has it.
    """
    hint = f"; did you mean {elsewhere!r}?" if elsewhere else ""
    if not hint and not name.startswith("_"):
        hint = nearest(name, list(known))
    # With `name` given, Python adds no "Did you mean" of its own to the traceback.
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)

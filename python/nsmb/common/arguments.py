"""Checks of arguments, with errors that name the argument, the requirement and the value."""

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
    """Return `value` as a float, which may be infinite or NaN."""
    try:
        if isinstance(value, str | bytes):  # float() would accept "1"
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected a number, got {value!r}") from None


def as_column(name: str, value: ArrayLike) -> Vector:
    """Return `value` as a new vector of any length."""
    try:
        column = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers, got {value!r}") from None
    if column.ndim != 1:
        raise ValueError(f"{name}: expected a list of numbers, got shape {column.shape}")
    return column


def as_array(name: str, value: Any, shape: tuple[int, ...]) -> Vector:
    """Return `value` as a new float array of the given shape with finite entries."""
    array = as_floats(name, value, shape)
    if not np.isfinite(array).all():
        wanted = "finite numbers" if shape else "a finite number"
        raise ValueError(f"{name}: expected {wanted}, got {array.tolist()}")
    return array


def as_states(name: str, value: ArrayLike, own: int, every: int) -> Vector:
    """Return internal states, `own` or `every` of them; zeros if `value` is empty."""
    if np.size(value) == 0:
        return np.zeros(own)
    size = own if np.shape(value) == (own,) else every
    return as_array(name, value, (size,))


def as_floats(name: str, value: Any, shape: tuple[int, ...]) -> Vector:
    """Return `value` as a new float array of the given shape."""
    wanted = f"numbers of shape {shape}" if shape else "a number"
    try:
        # NumPy would convert None to NaN and strings to numbers, and drop imaginary parts.
        if value is None or np.asarray(value).dtype.kind in "SUc":
            raise TypeError
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected {wanted}, got {value!r}") from None
    if array.shape != shape:
        wanted = f"shape {shape}" if shape else "a number"
        hint = ". Put a single number in a list." if shape == (1,) and array.ndim == 0 else ""
        raise ValueError(f"{name}: expected {wanted}, got shape {array.shape}{hint}")
    return array


def check_signature(name: str, function: Callable[..., Any], arguments: str) -> None:
    """Raise ValueError if the signature of `function` does not accept these arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # compiled functions may have no signature
        return
    try:
        signature.bind(*arguments.split(", "))
    except TypeError:
        raise ValueError(
            f"{name}: expected a function of ({arguments}), got one of {signature}"
        ) from None


def as_instance(name: str, value: Any, kind: type[T], remedy: str = "") -> T:
    """Return `value` if it is an instance of `kind`; `remedy` is added to the error."""
    if not isinstance(value, kind):
        hint = f"; {remedy}" if remedy else ""
        raise ValueError(
            f"{name}: expected a nsmb.{kind.__name__}, got {type(value).__name__}{hint}"
        )
    return value


def as_mapping(name: str, value: Any, what: str) -> dict[str, Any]:
    """Return a mapping of names to `what` as a new dictionary, which is empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: expected a mapping of names to {what}, got {value!r}")
    return dict(value)


def as_names(name: str, value: Any) -> tuple[str, ...]:
    """Return `value` as a tuple of distinct names."""
    if isinstance(value, str):
        raise ValueError(
            f"{name}: must be a sequence of names, got {value!r}. Put a single one in a list."
        )
    names = tuple(value) if isinstance(value, Iterable) else (None,)
    if not all(isinstance(entry, str) for entry in names):
        raise ValueError(f"{name}: expected a sequence of names, got {value!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"{name}: must contain each name once, got {list(names)}")
    return names


def as_callable(name: str, value: Any, arguments: str) -> Callable[..., Any]:
    """Return `value` if it is callable and its signature accepts these arguments."""
    if not callable(value):
        raise ValueError(f"{name}: expected a function of ({arguments}), got {value!r}")
    check_signature(name, value, arguments)
    function: Callable[..., Any] = value
    return function


def whole(name: str, value: Any, least: int) -> int:
    """Return `value` as an int >= `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}: expected a whole number >= {least}, got {value!r}")
    return int(value)


def per_direction(name: str, value: ArrayLike, d: int) -> Vector:
    """Return one number for each of d tangential directions; a single number applies to all."""
    if np.ndim(value) == 0:
        return np.full(d, as_array(name, value, ()))
    return as_array(name, value, (d,))


def known_name(kind: str, name: Any, known: Iterable[str]) -> str:
    """Return `name` if it is one of the known names."""
    names = list(known)
    if isinstance(name, str) and name in names:
        return name
    raise unknown_name(kind, name, names)


def unknown_name(kind: str, name: str, known: Sequence[str]) -> ValueError:
    """Return the error for a name that does not exist, with the nearest known name."""
    wanted = f"one of {', '.join(known)}" if known else "no name, because there are none"
    return ValueError(f"{kind} {name!r}: expected {wanted}{nearest(name, known)}")


def left_out(name: str, value: Any, where: str, remedy: str) -> None:
    """Raise ValueError for an option that is given but not used.

    Parameters
    ----------
    name : str
        Name of the option.
    value : object
        Value of the option; None if it is not given.
    where, remedy : str
        Condition, ``for ...``, and the remedy as a sentence.
    """
    if value is not None:
        raise ValueError(f"{name}: must be left out {where}, got {value!r}. {remedy}")


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return `value` if it is one of these words."""
    words = list(choices)
    if isinstance(value, str) and value in words:
        return value
    hint = nearest(value, words) if isinstance(value, str) else ""
    raise ValueError(f"{name}: expected one of {', '.join(words)}, got {value!r}{hint}")


def in_range(name: str, value: Any, least: float, most: float = math.inf) -> float:
    """Return `value` as a finite number in [least, most]."""
    number = as_number(name, value)
    if math.isfinite(number) and least <= number <= most:
        return number
    wanted = f"a number >= {least:g}" if math.isinf(most) else f"a number in [{least:g}, {most:g}]"
    if math.isinf(most) and not math.isfinite(number):
        wanted = "a finite number"
    raise ValueError(f"{name}: expected {wanted}, got {number:g}")


def positive(name: str, value: Any, *, unbounded: bool = False) -> float:
    """Return `value` as a number > 0, which may be infinite if `unbounded`."""
    number = as_number(name, value)
    if number > 0.0 and (unbounded or math.isfinite(number)):
        return number
    raise ValueError(f"{name}: expected a number > 0, got {number:g}")


def fraction(name: str, value: Any) -> float:
    """Return `value` as a number in the open interval (0, 1)."""
    number = as_number(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name}: expected a number between 0 and 1, got {value!r}")
    return number


def nearest(name: str, known: Sequence[str]) -> str:
    """Return ``; did you mean ...?``, or "" if no known name is similar."""
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
    # With `name` given, Python does not add its own "Did you mean" to the traceback.
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)

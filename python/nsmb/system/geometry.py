"""Validation of geometry given as numbers, functions or expressions, by kind of system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nsmb.common.arguments import check_signature, left_out
from nsmb.common.expressions import is_expression

__all__ = [
    "EXPRESSIONS",
    "FUNCTIONS",
    "NUMBERS",
    "Description",
    "check_functions",
    "check_part",
    "in_part",
]

_LINEAR, _CALLBACK = "nsmb.LinearSystem", "nsmb.CallbackSystem"
_LAGRANGIAN = "nsmb.symbolic.LagrangianSystem"


@dataclass(frozen=True, eq=False)
class Description:
    """The form of geometry that a kind of system accepts.

    Parameters
    ----------
    system : str
        Name of the kind of system with its article, for messages.
    remedies : mapping
        Fields that must be left out, and the remedy for each.
    """

    system: str
    remedies: Mapping[str, str]


_FIXED = "Leave it out, as directions of rows do not change."
_FROM_GAP = "Leave it out, as it is derived from `gap`."
_BY_SHAPE = "Leave it out, as the shape of `w_T` states the number of directions."

NUMBERS = Description(
    "a LinearSystem",
    {
        "slip": "Give the direction as w_T=, and a prescribed velocity as w_tilde_T=.",
        "w_bar_N": _FIXED,
        "w_bar_T": _FIXED,
        "tangents": _BY_SHAPE,
    },
)
FUNCTIONS = Description("a CallbackSystem", {})
EXPRESSIONS = Description(
    "a LagrangianSystem",
    {
        **dict.fromkeys(("w_N", "w_tilde_N", "w_bar_N", "w", "w_tilde", "w_bar"), _FROM_GAP),
        "w_T": "Give the velocity as slip=, from which directions are derived.",
        "w_tilde_T": "Add the prescribed velocity to `slip`.",
        "w_bar_T": "Leave it out, as it is derived from `slip`.",
        "tangents": "Leave it out, as the number of expressions in `slip` states it.",
    },
)


def in_part(part: Any, argument: str, name: str = "") -> str:
    """Return the name of an argument after that of its part: ``contact 'floor': gap``."""
    name = name or (part.name if isinstance(part.name, str) else "")
    return f"{part._kind} {name!r}: {argument}" if name else argument


def check_functions(part: Any) -> None:
    """Raise ValueError if a function cannot be called with the arguments of its field."""
    for field, arguments in part._functions.items():
        value = getattr(part, field)
        if callable(value) and not is_expression(value):
            check_signature(in_part(part, field), value, arguments)


def check_part(part: Any, name: str, takes: Description) -> None:
    """Check that the geometry of a part has the form that its system accepts.

    Parameters
    ----------
    part : Contact, Friction, Constraint or ForceElement
    name : str
        Name of the part in the system.
    takes : Description
        Form that the system accepts.

    Raises
    ------
    TypeError
        If the geometry has another form. The message names the system that accepts it.
    ValueError
        If a field is given that the system does not use.
    """
    for field, arguments in part._functions.items():
        value = getattr(part, field)
        if value is None:
            continue
        where = in_part(part, field, name)
        problem = _other_kind(part, field, takes)
        if problem is not None:
            wanted = {NUMBERS: "numbers", EXPRESSIONS: "an expression"}.get(
                takes, f"a function of ({arguments})"
            )
            raise TypeError(f"{where}: must be {wanted}, got {problem}")
        if field in takes.remedies:
            left_out(where, value, f"in {takes.system}", takes.remedies[field])
    if "tangents" in takes.remedies:
        where = in_part(part, "tangents", name)
        given = getattr(part, "tangents", None)
        left_out(where, given, f"in {takes.system}", takes.remedies["tangents"])


def _other_kind(part: Any, field: str, takes: Description) -> str | None:
    """Return a description of geometry in a wrong form, with the remedy; None if it is right."""
    value = getattr(part, field)
    if is_expression(value):
        remedy = f"Use the {part._kind} in a {_LAGRANGIAN}."
        return None if takes is EXPRESSIONS else f"the expression {value}. {remedy}"
    if callable(value):
        remedy = f"Use the {part._kind} in a {_CALLBACK}."
        return None if takes is FUNCTIONS else f"a function. {remedy}"
    if takes is FUNCTIONS and field not in part._numbers:
        remedy = f"Use the {part._kind} in a {_LINEAR}, or give functions."
        return f"{value!r}. {remedy if part._rows else 'Give a function.'}"
    # A number is a valid expression, a row is not.
    is_row = field in takes.remedies and not any(map(is_expression, _geometry(part)))
    if takes is EXPRESSIONS and is_row and part._rows:
        return f"the row {value!r}. Use the {part._kind} in a {_LINEAR}."
    return None


def _geometry(part: Any) -> list[Any]:
    return [getattr(part, field) for field in part._functions]

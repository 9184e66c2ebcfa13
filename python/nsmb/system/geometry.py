"""Geometry as numbers, as functions or as expressions: which of them a system takes."""

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
    """What a kind of systems takes as geometry.

    Parameters
    ----------
    system : str
        With its article, for messages.
    remedies : mapping
        Fields that must be left out, and what to do instead.
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
    """Return an argument with its part, for messages: ``contact 'floor': gap``."""
    name = name or (part.name if isinstance(part.name, str) else "")
    return f"{part._kind} {name!r}: {argument}" if name else argument


def check_functions(part: Any) -> None:
    """Raise ValueError for functions that cannot be called with the arguments of their field."""
    for field, arguments in part._functions.items():
        value = getattr(part, field)
        if callable(value) and not is_expression(value):
            check_signature(in_part(part, field), value, arguments)


def check_part(part: Any, name: str, takes: Description) -> None:
    """Check that the geometry of a part is of the kind that its system takes.

    Parameters
    ----------
    part : Contact, Friction, Constraint or ForceElement
    name : str
        The name that it has in the system.
    takes : Description

    Raises
    ------
    TypeError
        For geometry of another kind; the message names the system which takes it.
    ValueError
        For fields that the system does not use.
    """
    optional = part._numbers if takes is FUNCTIONS else ()
    for field, arguments in part._functions.items():
        value = getattr(part, field)
        if value is None:
            continue
        where = in_part(part, field, name)
        if is_expression(value):
            if takes is not EXPRESSIONS:
                wanted = _wanted(takes, arguments)
                raise TypeError(
                    f"{where}: must be {wanted}, got the expression {value}. Use the "
                    f"{part._kind} in a {_LAGRANGIAN}."
                )
        elif callable(value):
            if takes is not FUNCTIONS:
                wanted = _wanted(takes, arguments)
                raise TypeError(
                    f"{where}: must be {wanted}, got a function. Use the {part._kind} in a "
                    f"{_CALLBACK}."
                )
        elif takes is FUNCTIONS and field not in optional:
            wanted = _wanted(takes, arguments)
            raise TypeError(
                f"{where}: must be {wanted}, got {value!r}. Use the {part._kind} in a {_LINEAR}, "
                "or give functions."
            )
        elif takes is EXPRESSIONS and field in takes.remedies and not _has_expression(part):
            raise TypeError(
                f"{where}: must not be a row in {takes.system}, got {value!r}. Use the "
                f"{part._kind} in a {_LINEAR}."
            )
        remedy = takes.remedies.get(field)
        if remedy is not None:
            left_out(where, value, f"in {takes.system}", remedy)
    if "tangents" in takes.remedies and getattr(part, "tangents", None) is not None:
        where = in_part(part, "tangents", name)
        left_out(where, part.tangents, f"in {takes.system}", takes.remedies["tangents"])


def _wanted(takes: Description, arguments: str) -> str:
    if takes is FUNCTIONS:
        return f"a function of ({arguments})"
    return "numbers" if takes is NUMBERS else "an expression"


def _has_expression(part: Any) -> bool:
    return any(is_expression(getattr(part, field)) for field in part._functions)

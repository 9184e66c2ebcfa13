"""Contacts as rows of expressions, and contacts of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from nsmb.common.expressions import Expression, as_expression
from nsmb.symbolic.symbols import PathRate
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact, Friction
from nsmb.system.geometry import EXPRESSIONS, check_part

__all__ = ["Rows", "point_contact", "rows_of"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Expressions of one contact: its gap and its slips."""

    name: str
    law: ContactLaw
    gap: Any  # None for friction alone
    slips: tuple[Any, ...]
    bound: Any = 0.0
    normal: str | None = None

    @property
    def tangents(self) -> int:
        """Number of tangential directions; a contact without slip has one that is zero."""
        return max(1, len(self.slips))


def _vector(where: str, value: Any, sizes: tuple[int, ...]) -> list[sympy.Expr]:
    try:
        entries = list(value)
    except TypeError:
        entries = [value]
    if len(entries) not in sizes:
        expected = " or ".join(map(str, sizes))
        raise ValueError(f"{where}: expected {expected} expressions, got {value!r}")
    return [as_expression(where, entry) for entry in entries]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), sympy.S.Zero)


def _unit(vector: Sequence[Any]) -> list[Any]:
    square = sympy.simplify(_dot(vector, vector))
    return [entry / sympy.sqrt(square) for entry in vector]


def rows_of(part: Contact | Friction, name: str) -> Rows:
    """Return the expressions of a contact that has this name in its system."""
    check_part(part, name, EXPRESSIONS)
    prefix = f"contact '{name}': "
    slips = () if part.slip is None else tuple(_vector(prefix + "slip", part.slip, (1, 2)))
    if isinstance(part, Friction):
        return Rows(name, part._law, None, slips, part.bound, part.normal)
    if part.gap is None:
        raise ValueError(
            f"{prefix}gap: must be given in a LagrangianSystem, got None. Give an expression, or "
            "make the contact by nsmb.symbolic.point_contact()."
        )
    return Rows(name, part.law, as_expression(prefix + "gap", part.gap), slips)


def point_contact(
    point: Sequence[Expression],
    tangent: Sequence[Any],
    law: ContactLaw = ContactLaw(),  # noqa: B008 - immutable
    name: str = "",
    *,
    origin: Sequence[Expression] | None = None,
    belt: Expression | Sequence[Expression] | None = None,
) -> Contact:
    """Return the contact of a point with a line in the plane, or with a plane in space.

    The point of the body lies in the half plane to the left of a line through `origin` along
    `tangent`. The line may move and rotate with the coordinates and time. With the left normal n,
    the gap is ``g_N = n·(r - r_0)``. The slip is the rate of ``t·(r - r_0)`` for a point that is
    fixed to its body. In space, `tangent` is a pair of orthogonal vectors ``(t_1, t_2)``, and n is
    their cross product.

    The point must be a material point of the body. The lowest point of a disc, ``(x, y - R)``, is
    not: it stays the lowest while the disc rotates, and the slip would lack ``R ω``. Define such
    contacts by gap and slip, as a :class:`nsmb.Contact`.

    Parameters
    ----------
    point : sequence of 2 or 3 expressions
        Position of the contact point in m.
    tangent : sequence of 2 expressions, or pair of sequences of 3 expressions
        Direction of the line, or two directions of the plane, of any length.
    law : ContactLaw
    name : str
        Default: ``contact_1``, ``contact_2``, ... in order.
    origin : sequence of expressions, optional
        A point on the line in m, which may move; None: zeros.
    belt : expression, or pair of expressions, optional
        Speed of the line's surface along its tangents in m/s; None: at rest.

    Returns
    -------
    Contact
        Its gap and slip are expressions, for a :class:`LagrangianSystem`.

    Raises
    ------
    ValueError
        If a vector has another length, tangents are not orthogonal, or an argument is not an
        expression.

    Examples
    --------
    A particle that falls onto a slope of 30 degrees:

    >>> import nsmb, sympy
    >>> from nsmb import symbolic
    >>> x, y = symbolic.coordinates("x y")
    >>> slope = symbolic.point_contact(
    ...     (x, y), (sympy.sqrt(3), 1), nsmb.ContactLaw(mu=0.2), "slope"
    ... )
    >>> slope.gap
    -x/2 + sqrt(3)*y/2
    """
    prefix = f"contact {name!r}: " if name else ""
    r = _vector(prefix + "point", point, (2, 3))
    size = len(r)
    r_0 = _vector(prefix + "origin", [0] * size if origin is None else origin, (size,))
    if size == 2:
        tangents = [_unit(_vector(prefix + "tangent", tangent, (2,)))]
        normal = [-tangents[0][1], tangents[0][0]]
    else:
        pair = list(tangent)
        if len(pair) != 2:
            raise ValueError(f"{prefix}tangent: expected two vectors, got {tangent!r}")
        tangents = [_unit(_vector(prefix + "tangent", vector, (3,))) for vector in pair]
        if sympy.simplify(_dot(*tangents)) != 0:
            raise ValueError(f"{prefix}tangent: expected two vectors at right angles, got {pair}")
        normal = list(sympy.Matrix(tangents[0]).cross(sympy.Matrix(tangents[1])))
    arm = [a - b for a, b in zip(r, r_0, strict=True)]
    at_rest = [0] * len(tangents)
    speeds = _vector(prefix + "belt", at_rest if belt is None else belt, (len(tangents),))
    slips = [PathRate(_dot(t, arm)) - speed for t, speed in zip(tangents, speeds, strict=True)]
    return Contact(_dot(normal, arm), slips[0] if size == 2 else tuple(slips), law, name)

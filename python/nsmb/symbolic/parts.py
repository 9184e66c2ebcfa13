"""What a symbolic system is made of beside its energies: contacts, friction, force elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import sympy

from nsmb.common.expressions import as_expression
from nsmb.system import contacts as numeric
from nsmb.system.contacts import FrictionTable, Stribeck
from nsmb.system.forces import LawName

__all__ = [
    "Constraint",
    "Contact",
    "ContactLaw",
    "ForceElement",
    "Friction",
    "Rows",
    "rows_of",
]


@dataclass(frozen=True, eq=False)
class ContactLaw:
    """:class:`nsmb.ContactLaw` whose numbers may be expressions of parameters."""

    mu: Any = 0.0
    e_N: Any = 0.0
    e_T: Any = 0.0
    nu: Any = 0.0
    aspect: Any = 1.0
    curve: Stribeck | FrictionTable | None = None


@dataclass(frozen=True, eq=False)
class Contact:
    """Unilateral contact, by its gap, or by a point that stays on one side of a line or plane.

    ``Contact(gap=g, slip=v)``: W_N, w̃_N and w̄_N follow from g(q, t), W_T, w̃_T and w̄_T from the
    relative velocity v(q, u, t), which must be affine in the velocities.

    ``Contact(point=(x, y), tangent=(1, 0))``: the point of the body lies in the half plane to the
    left of a line through `origin` along `tangent`; the line may move and turn with the
    coordinates and time. With n the left normal, ``g_N = n·(r - r_0)``, and the slip is the rate of
    ``t·(r - r_0)`` for the point as it is fixed to its body. In space ``tangent`` is a pair
    of vectors ``(t_1, t_2)`` at right angles, and n their vector product. Tangents need not have
    unit length.

    The point must be one of the body's material. The lowest point of a disc, ``(x, y - R)``, is
    not: it stays the lowest while the disc turns, and the slip would lack ``R ω``. Give such
    contacts by gap and slip.

    Examples
    --------
    A disc that slides on a floor until it rolls:

    >>> import nsmb
    >>> from nsmb import symbolic
    >>> q = x, y, phi = symbolic.coordinates("x y phi")
    >>> vx, vy, omega = symbolic.velocities(*q)
    >>> p = symbolic.parameters(m=2.0, R=0.1, g=9.81, mu=0.3)
    >>> disc = symbolic.LagrangianSystem(
    ...     q,
    ...     kinetic=p.m / 2 * (vx**2 + vy**2 + p.R**2 / 2 * omega**2),
    ...     potential=p.m * p.g * y,
    ...     contacts=[
    ...         symbolic.Contact(
    ...             gap=y - p.R, slip=vx + p.R * omega, law=symbolic.ContactLaw(mu=p.mu)
    ...         )
    ...     ],
    ...     parameters=p,
    ...     initial={y: p.R, vx: 1.0},
    ... )
    >>> end = nsmb.simulate(disc, t_end=1.0).u[-1]
    >>> bool(abs(end[0] - 2 / 3) < 1e-6 and abs(end[0] + 0.1 * end[2]) < 1e-6)  # it rolls
    True
    """

    gap: Any = None
    """g_N(q, t) in m."""
    slip: Any = None
    """γ_T(q, u, t) in m/s, or a pair for friction in a plane; None: no tangential direction."""
    law: numeric.ContactLaw | ContactLaw = ContactLaw()
    name: str = ""
    """Empty: ``contact_1``, ``contact_2``, ... in order."""
    point: Any = None
    """Position of the contact point, two or three expressions."""
    tangent: Any = None
    origin: Any = None
    """A point on the line, which may move; None: zeros."""
    belt: Any = None
    """With `point`: speed of the line's surface along its tangent (or a pair); None: at rest."""


@dataclass(frozen=True, eq=False)
class Friction:
    """Friction without a gap of its own, ``|λ_T| <= bound + mu λ_N``: :class:`LinearFriction`."""

    slip: Any
    """γ(q, u, t), or a pair."""
    bound: Any = 0.0
    """Given part of the bound, N (or N m): an expression of q, u and t that stays >= 0."""
    mu: Any = 0.0
    """Part per unit of the normal force of the contact `normal`, an expression of parameters."""
    normal: str | None = None
    """Name of a contact of the system."""
    name: str = ""
    """Empty: numbered with the contacts."""
    aspect: Any = 1.0


@dataclass(frozen=True, eq=False)
class ForceElement:
    """One-sided spring and damper, :class:`nsmb.GapForce`, over the distance γ of two points."""

    gap: Any
    """γ(q, t) in m."""
    c: Any
    """Stiffness, an expression of parameters, N/m."""
    d: Any = 0.0
    """Damping, an expression of parameters, N s/m."""
    law: LawName = "relaxing_wall"
    name: str = ""
    """Empty: ``element_1``, ``element_2``, ... in order."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """Bilateral constraint g(q, t) = 0, or, without such a g, its velocity γ(q, u, t) = 0."""

    gap: Any = None
    velocity: Any = None
    """Nonholonomic: affine in the velocities."""
    name: str = ""
    """Empty: ``constraint_1``, ``constraint_2``, ... in order."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Expressions of one contact: its gap, its slips, and paths whose rates add to the slips."""

    name: str
    law: ContactLaw
    gap: Any  # None: friction alone
    slips: tuple[Any, ...]
    paths: tuple[Any, ...] | None = None  # None: the slips are all there is
    bound: Any = 0.0
    normal: str | None = None

    @property
    def tangents(self) -> int:
        """Tangential directions; a contact without slip has one that is zero."""
        return max(1, len(self.slips))


def _law(prefix: str, law: Any) -> ContactLaw:
    if isinstance(law, numeric.ContactLaw):
        return ContactLaw(**{f.name: getattr(law, f.name) for f in fields(law)})
    if isinstance(law, ContactLaw):
        return law
    raise ValueError(
        f"{prefix}law: expected a nsmb.ContactLaw or a symbolic.ContactLaw, got {law!r}"
    )


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
    """What a contact comes down to."""
    prefix = f"contact '{name}': "
    if isinstance(part, Friction):
        slips = tuple(_vector(prefix + "slip", part.slip, (1, 2)))
        law = ContactLaw(mu=part.mu, aspect=part.aspect)
        return Rows(name, law, None, slips, None, part.bound, part.normal)
    law = _law(prefix, part.law)
    if part.point is None:
        if part.gap is None:
            raise ValueError(f"{prefix}expected a gap, or a point with a tangent, got neither")
        given = () if part.slip is None else part.slip
        slips = () if part.slip is None else tuple(_vector(prefix + "slip", given, (1, 2)))
        return Rows(name, law, as_expression(prefix + "gap", part.gap), slips)
    if part.gap is not None or part.slip is not None:
        raise ValueError(f"{prefix}expected a gap with a slip, or a point with a tangent, got both")
    return _rows_of_point(part, name, prefix, law)


def _rows_of_point(part: Contact, name: str, prefix: str, law: ContactLaw) -> Rows:
    point = _vector(prefix + "point", part.point, (2, 3))
    size = len(point)
    if part.tangent is None:
        raise ValueError(f"{prefix}tangent: expected the direction of the line, got None")
    origin = _vector(prefix + "origin", [0] * size if part.origin is None else part.origin, (size,))
    if size == 2:
        tangents = [_unit(_vector(prefix + "tangent", part.tangent, (2,)))]
        normal = [-tangents[0][1], tangents[0][0]]
    else:
        pair = list(part.tangent)
        if len(pair) != 2:
            raise ValueError(f"{prefix}tangent: expected two vectors, got {part.tangent!r}")
        tangents = [_unit(_vector(prefix + "tangent", vector, (3,))) for vector in pair]
        if sympy.simplify(_dot(*tangents)) != 0:
            raise ValueError(f"{prefix}tangent: expected two vectors at right angles, got {pair}")
        normal = list(sympy.Matrix(tangents[0]).cross(sympy.Matrix(tangents[1])))
    arm = [r - r_0 for r, r_0 in zip(point, origin, strict=True)]
    at_rest = [0] * len(tangents)
    belt = _vector(prefix + "belt", at_rest if part.belt is None else part.belt, (len(tangents),))
    return Rows(
        name, law, _dot(normal, arm), tuple(-v for v in belt), tuple(_dot(t, arm) for t in tangents)
    )

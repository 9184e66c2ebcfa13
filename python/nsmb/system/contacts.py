"""Contacts, friction elements and constraints, as arguments of systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_column, as_number, in_range, positive
from nsmb.common.expressions import Expression, is_expression
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.geometry import check_functions, in_part

__all__ = ["Constraint", "Contact", "Friction", "two_sided_stop"]

Vector = NDArray[np.float64]
_POSITION = {"gap": "t, q", "slip": "t, q, u"}
_NORMAL = {"w_N": "t, q", "w_tilde_N": "t, q", "w_bar_N": "t, q, u"}
_TANGENTIAL = {"w_T": "t, q", "w_tilde_T": "t, q", "w_bar_T": "t, q, u"}


@dataclass(frozen=True, eq=False)
class Contact:
    """A unilateral contact, whose geometry is given by rows, functions or expressions.

    The form of the geometry depends on the system. Each system rejects fields that it does not use.

    * :class:`LinearSystem` accepts numbers and rows, ``Contact(gap, w_N=..., w_T=...)``:
      ``g_N = w_N·q + gap + w_tilde_N t``, ``γ_N = w_N·u + w_tilde_N`` and
      ``γ_T = w_T·u + w_tilde_T`` (4.38).
    * :class:`CallbackSystem` accepts functions, ``Contact(gap, slip)`` or
      ``Contact(gap, w_T=...)``. Only `gap` is required. Missing derivatives are computed by central
      differences, at the cost of accuracy and time. Give `w_N`, `w_tilde_N` and the w̄ terms if you
      can.
    * :class:`nsmb.symbolic.LagrangianSystem` accepts expressions, ``Contact(gap, slip)``. W_N, w̃_N
      and w̄_N are derived from the gap g(q, t). W_T, w̃_T and w̄_T are derived from the slip
      γ_T(q, u, t), which must be affine in the velocities. :func:`nsmb.symbolic.point_contact`
      returns the contact of a point with a line or plane.

    :meth:`nsmb.Model.add_contact` adds contacts between bodies.

    Differences have steps of 6e-6 (first differences) and 1e-4 (second differences) times the
    `scale` of the system. Along the motion, the steps are the same multiples of τ, the time until
    some coordinate has moved by its scale, at most 1 s. Let the gap g bend over the scale L of the
    coordinates. Errors are then below 1e-9 g/L for `w_N`, below 1e-9 L/τ² for w̄ terms with given
    directions, and about 1e-7 L/τ² for w̄_N without `w_N`. Rounding increases them for coordinates
    much larger than their scale, and for t much larger than 1 s. For a prescribed motion of angular
    frequency ω, the relative errors are (6e-6 ω)²/6 for w̃_N and (1e-4 ω)²/6 for w̄_N. Above about
    10 rad/s, give `w_tilde_N`, and also `w_N` or `w_bar_N`.

    Raises
    ------
    TypeError
        If `law` is not a ContactLaw. When a system is built: if the geometry is of a form for
        another system, which the message names.
    ValueError
        If a function has the wrong arguments. When a system is built: if a field is given that the
        system does not use; the message states the remedy.

    Examples
    --------
    A mass above a floor, with a row, with a function and with an expression:

    >>> import nsmb
    >>> from nsmb import symbolic
    >>> law = nsmb.ContactLaw(e_N=0.5)
    >>> row = nsmb.Contact(w_N=[1.0], law=law, name="floor")
    >>> by_row = nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[row])
    >>> function = nsmb.Contact(lambda t, q: q[0], law=law, name="floor")
    >>> by_function = nsmb.CallbackSystem(["q1"], [[1.0]], lambda t, q, u: [-9.81], [function])
    >>> y = symbolic.coordinates("q1")
    >>> expression = nsmb.Contact(y, law=law, name="floor")
    >>> by_expression = symbolic.LagrangianSystem(
    ...     [y], symbolic.velocities(y) ** 2 / 2, 9.81 * y, contacts=[expression]
    ... )
    >>> for system in (by_row, by_function, by_expression):
    ...     sol = nsmb.simulate(system, 0.5, q=[1.0])
    ...     print(f"{sol.events.t[0]:.9f} s, {sol.u[-1, 0]:.6f} m/s")
    0.451523641 s, 1.739170 m/s
    0.451523641 s, 1.739170 m/s
    0.451523641 s, 1.739170 m/s

    A disc slides on a floor until it rolls:

    >>> q = x, y, phi = symbolic.coordinates("x y phi")
    >>> vx, vy, omega = symbolic.velocities(*q)
    >>> p = symbolic.parameters(m=2.0, R=0.1, g=9.81, mu=0.3)
    >>> disc = symbolic.LagrangianSystem(
    ...     q,
    ...     kinetic=p.m / 2 * (vx**2 + vy**2 + p.R**2 / 2 * omega**2),
    ...     potential=p.m * p.g * y,
    ...     contacts=[nsmb.Contact(y - p.R, vx + p.R * omega, law=nsmb.ContactLaw(mu=p.mu))],
    ...     parameters=p,
    ...     initial={y: p.R, vx: 1.0},
    ... )
    >>> end = nsmb.simulate(disc, t_end=1.0).u[-1]
    >>> bool(abs(end[0] - 2 / 3) < 1e-6 and abs(end[0] + 0.1 * end[2]) < 1e-6)  # it rolls
    True
    """

    gap: float | Callable[[float, Vector], float] | Expression | None = None
    """Gap g_N, m: the value at q = 0 and t = 0 (None: 0), a function (t, q), or an expression."""
    slip: Callable[[float, Vector, Vector], ArrayLike] | Expression | None = None
    """Tangential relative velocity γ_T, m/s, affine in the velocities: a function (t, q, u) or an
    expression; a pair for friction in a plane. None: the contact has no tangential direction unless
    `w_T` is given."""
    law: ContactLaw = ContactLaw()  # noqa: RUF009 - immutable
    name: str = ""
    """Name; by default ``contact_1``, ``contact_2``, ... in order."""
    _: KW_ONLY
    w_N: ArrayLike | Callable[[float, Vector], ArrayLike] | None = None
    """Direction of the normal force: (nu,), or a function (t, q) -> (nu,) ∂g_N/∂q·B. None:
    differences of the function `gap`."""
    w_T: ArrayLike | Callable[[float, Vector], ArrayLike] | None = None
    """Direction of the friction force, in place of `slip`: (nu,), (nu, 2) for friction in a plane,
    or a function (t, q) that returns one of these."""
    w_tilde_N: float | Callable[[float, Vector], float] | None = None
    """Prescribed normal velocity, m/s: a number (None: 0), or a function (t, q) -> ∂g_N/∂t (None:
    differences of `gap`, exactly zero if it does not depend on t)."""
    w_tilde_T: ArrayLike | Callable[[float, Vector], ArrayLike] | None = None
    """Prescribed tangential velocity, m/s, one number for each direction, for example minus the
    speed of a belt. None: 0."""
    w_bar_N: Callable[[float, Vector, Vector], float] | None = None
    """Functions only: (t, q, u) -> w̄_N of (4.45). None: differences along the motion."""
    w_bar_T: Callable[[float, Vector, Vector], ArrayLike] | None = None
    """Functions only: (t, q, u) -> w̄_T of (4.45), one number for each direction. None: differences
    of γ_T along the motion."""
    tangents: int | None = None
    """Functions only: number of values of `slip`, or of columns of `w_T`, 1 or 2. None: 1."""

    _kind: ClassVar[str] = "contact"
    _rows: ClassVar[bool] = True
    _functions: ClassVar[dict[str, str]] = (
        {"gap": "t, q", "slip": "t, q, u"} | _NORMAL | _TANGENTIAL
    )
    _numbers: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_name(self)
        for field in ("gap", "slip", "w_T"):
            if isinstance(getattr(self, field), ContactLaw):
                raise TypeError(
                    f"{in_part(self, field)}: must be geometry, got a ContactLaw. Pass it as law=."
                )
        if not isinstance(self.law, ContactLaw):
            raise TypeError(
                f"{in_part(self, 'law')}: must be a nsmb.ContactLaw, got {self.law!r}. "
                "Pass the friction coefficient as nsmb.ContactLaw(mu=...)."
            )
        for field in ("mu_R", "mu_D"):
            if getattr(self.law, field) != 0.0:
                raise ValueError(
                    f"{in_part(self, 'law')}: must have {field} = 0, got "
                    f"{getattr(self.law, field)}. Only contacts of a nsmb.Model know how bodies "
                    f"turn. Add a nsmb.Friction with mu={field} and normal= this contact."
                )
        check_functions(self)
        _check_slip(self)


@dataclass(frozen=True, eq=False)
class Friction:
    """Friction without a gap of its own, as in clutches, guides and bearings.

    The law is ``|λ_T| <= bound + mu λ_N``. Here λ_N is the normal force of another contact, if
    `normal` is given; several elements may share one normal force. The geometry is given as for
    :class:`Contact`.

    Raises
    ------
    ValueError
        If a number is out of range, or a function has the wrong arguments. When a system is built:
        if `normal` is unknown, or if a field is given that the system does not use.
    TypeError
        When a system is built: if the geometry is of a form for another system, which the message
        names.

    Examples
    --------
    A mass in a guide with a friction force of 2 N, with a row and with a function:

    >>> import nsmb
    >>> row = nsmb.Friction(w_T=[1.0], bound=2.0, name="guide")
    >>> by_row = nsmb.LinearSystem([[1.0]], contacts=[row])
    >>> function = nsmb.Friction(lambda t, q, u: u[0], bound=2.0, name="guide")
    >>> by_function = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], [function])
    >>> for system in (by_row, by_function):
    ...     print(nsmb.simulate(system, 1.0, u=[1.0]).events.t)
    [0.5]
    [0.5]
    """

    slip: Callable[[float, Vector, Vector], ArrayLike] | Expression | None = None
    """Relative velocity γ_T, m/s (or rad/s), affine in the velocities: a function (t, q, u) or an
    expression; a pair for friction in a plane."""
    bound: float | Callable[[float, Vector, Vector], float] | Expression = 0.0
    """Part of the bound that does not depend on a normal force, N (or N m), >= 0: a number, a
    function (t, q, u) or an expression of q, u and t."""
    mu: float | Expression = 0.0
    """Friction coefficient for the normal force of the contact `normal`."""
    normal: str | None = None
    """Name of the contact of the system with the normal force; None: no normal force."""
    name: str = ""
    """Name; by default numbered together with the contacts."""
    _: KW_ONLY
    w_T: ArrayLike | Callable[[float, Vector], ArrayLike] | None = None
    """Direction of the friction force, in place of `slip`: (nu,), (nu, 2) for friction in a plane,
    or a function (t, q) that returns one of these."""
    w_tilde_T: ArrayLike | Callable[[float, Vector], ArrayLike] | None = None
    """Prescribed velocity, one number for each direction. None: 0."""
    w_bar_T: Callable[[float, Vector, Vector], ArrayLike] | None = None
    """Functions only: (t, q, u) -> w̄_T. None: differences along the motion."""
    tangents: int | None = None
    """Functions only: number of values of `slip`, or of columns of `w_T`, 1 or 2. None: 1."""
    aspect: float | Expression = 1.0
    """Anisotropy: the bound along the second direction is `aspect` times that along the first."""

    _kind: ClassVar[str] = "contact"
    _rows: ClassVar[bool] = True
    _functions: ClassVar[dict[str, str]] = {"slip": "t, q, u", "bound": "t, q, u"} | _TANGENTIAL
    _numbers: ClassVar[tuple[str, ...]] = ("bound",)

    def __post_init__(self) -> None:
        check_name(self)
        if self.slip is None and self.w_T is None:
            raise ValueError(
                f"{in_part(self, 'slip')}: must be given, got None. Give the velocity as slip=, or "
                "its direction as w_T=."
            )
        if not (is_expression(self.bound) or callable(self.bound)):
            self._set("bound", in_range(in_part(self, "bound"), self.bound, 0.0))
        if not is_expression(self.mu):
            self._set("mu", in_range(in_part(self, "mu"), self.mu, 0.0))
        if not is_expression(self.aspect):
            self._set("aspect", positive(in_part(self, "aspect"), self.aspect))
        check_functions(self)
        _check_slip(self)

    def _set(self, field: str, value: float) -> None:
        object.__setattr__(self, field, value)

    @property
    def _is_bounded(self) -> bool:
        """False if the bound comes from the normal force alone."""
        return is_expression(self.bound) or callable(self.bound) or self.bound != 0.0

    @property
    def _law(self) -> ContactLaw:
        """The law in the form of a contact law."""
        return ContactLaw(mu=self.mu, aspect=self.aspect)


@dataclass(frozen=True, eq=False)
class Constraint:
    """A bilateral constraint ``g(q, t) = 0``, or ``γ(q, u, t) = 0`` if it is nonholonomic.

    Give either `gap` or `velocity`, as functions for :class:`CallbackSystem` and as expressions for
    :class:`nsmb.symbolic.LagrangianSystem`. Constraints are satisfied exactly, in position and
    velocity. They may be dependent, for example those of a planar closed loop. Missing derivatives
    are computed by differences, as for :class:`Contact`. A :class:`LinearSystem` has no
    constraints; use minimal coordinates there.

    Raises
    ------
    ValueError
        If both or neither of `gap` and `velocity` are given, or if a function has the wrong
        arguments. When a system is built: if a field is given that the system does not use.
    TypeError
        When a system is built: if the geometry is of a form for another system, which the message
        names.

    Examples
    --------
    A skate moves only along its blade:

    >>> import numpy as np, nsmb
    >>> blade = nsmb.Constraint(velocity=lambda t, q, u: -np.sin(q[2]) * u[0] + np.cos(q[2]) * u[1])
    >>> skate = nsmb.CallbackSystem(
    ...     ["x", "y", "phi"], np.eye(3), lambda t, q, u: [0.0, 0.0, 0.0], constraints=[blade]
    ... )
    >>> x, y, _ = nsmb.simulate(skate, np.pi, u=[1.0, 0.0, 1.0]).q[-1]
    >>> bool(np.hypot(x, y - 2.0) < 1e-6)  # half a circle of radius 1
    True
    """

    gap: Callable[[float, Vector], float] | Expression | None = None
    """Gap g, m or rad: a function (t, q) or an expression."""
    velocity: Callable[[float, Vector, Vector], float] | Expression | None = None
    """Velocity γ, m/s or rad/s, affine in the velocities: a function (t, q, u) or an expression."""
    name: str = ""
    """Name; by default ``constraint_1``, ``constraint_2``, ... in order."""
    _: KW_ONLY
    w: Callable[[float, Vector], ArrayLike] | None = None
    """Functions only: (t, q) -> (nu,) ∂g/∂q·B. None: differences of `gap`."""
    w_tilde: Callable[[float, Vector], float] | None = None
    """Functions only: (t, q) -> ∂g/∂t. None: differences of `gap`."""
    w_bar: Callable[[float, Vector, Vector], float] | None = None
    """Functions only: (t, q, u) -> g̈ without the terms in u̇. None: differences along the motion."""

    _kind: ClassVar[str] = "constraint"
    _rows: ClassVar[bool] = False
    _functions: ClassVar[dict[str, str]] = {
        "gap": "t, q", "velocity": "t, q, u", "w": "t, q", "w_tilde": "t, q", "w_bar": "t, q, u",
    }  # fmt: skip
    _numbers: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_name(self)
        if (self.gap is None) == (self.velocity is None):
            got = "neither" if self.gap is None else "both"
            raise ValueError(
                f"{in_part(self, 'gap')}: must be given, or `velocity` instead of it, got {got}. "
                "Give `gap` where there is one, as it also fixes the position."
            )
        check_functions(self)
        if self.velocity is not None:
            for field in ("w", "w_tilde"):
                if getattr(self, field) is not None:
                    raise ValueError(
                        f"{in_part(self, field)}: must be left out with `velocity`, got both. "
                        f"Leave it out, as it is derived from `velocity`."
                    )


def check_name(part: Any) -> None:
    """Raise TypeError if the name is not a string."""
    if not isinstance(part.name, str):
        raise TypeError(f'{part._kind}: name: must be a text, got {part.name!r}. Pass name="...".')


def _check_slip(part: Contact | Friction) -> None:
    if part.tangents is not None and (
        not isinstance(part.tangents, int) or part.tangents not in (1, 2)
    ):
        raise ValueError(f"{in_part(part, 'tangents')}: expected 1 or 2, got {part.tangents}")
    if callable(part.slip) and not is_expression(part.slip):
        for field in ("w_T", "w_tilde_T"):
            if getattr(part, field) is not None:
                raise ValueError(
                    f"{in_part(part, field)}: must be left out with `slip`, got both. Leave it "
                    "out, as it is derived from `slip`."
                )


def two_sided_stop(
    distance: ArrayLike | Callable[[float, Vector], float] | Expression,
    lower: float | Expression,
    upper: float | Expression,
    law: ContactLaw = ContactLaw(),  # noqa: B008 - immutable
    name: str = "stop",
    *,
    slip: Callable[[float, Vector, Vector], ArrayLike] | Expression | None = None,
    w_N: Callable[[float, Vector], ArrayLike] | None = None,
    w_T: ArrayLike | Callable[[float, Vector], ArrayLike] | None = None,
) -> tuple[Contact, Contact]:
    """Return two contacts, ``name.lower`` and ``name.upper``, that keep a distance within limits.

    Parameters
    ----------
    distance : (n,) array_like, callable (t, q) -> float, or expression
        Distance, m: a row, whose product with q is the distance, for :class:`LinearSystem`; a
        function for :class:`CallbackSystem`; an expression for
        :class:`nsmb.symbolic.LagrangianSystem`.
    lower, upper : float, or expressions of parameters with an expression
        Limits of the distance, m.
    law : ContactLaw
        Law of both contacts.
    name : str
        First part of the names of both contacts.
    slip, w_T : optional
        Tangential velocity or direction of both contacts, as for :class:`Contact`.
    w_N : callable (t, q) -> (n,), optional
        Gradient of a function `distance`; None: differences of it.

    Returns
    -------
    lower, upper : Contact

    Raises
    ------
    ValueError
        If `lower` is not less than `upper`, or if `w_N` is given without a function `distance`.

    Examples
    --------
    >>> import nsmb
    >>> stops = nsmb.two_sided_stop([1.0], -0.1, 0.1, nsmb.ContactLaw(e_N=0.8))
    >>> system = nsmb.LinearSystem([[1.0]], contacts=stops)
    >>> sol = nsmb.simulate(system, 0.2, u=[1.0])
    >>> sol.contact_names, float(sol.events.t[0]), float(sol.u[-1, 0])
    (('stop.lower', 'stop.upper'), 0.1, -0.8)
    """
    below, above, back = _sides(distance, lower, upper, w_N)
    both: dict[str, Any] = {"law": law, "slip": slip, "w_T": w_T}
    return (
        Contact(below, name=f"{name}.lower", w_N=back[0], **both),
        Contact(above, name=f"{name}.upper", w_N=back[1], **both),
    )


def _sides(distance: Any, lower: Any, upper: Any, w_N: Any) -> tuple[Any, Any, tuple[Any, Any]]:
    """Return the gaps of both stops, and their directions."""
    if is_expression(distance):
        if not (is_expression(lower) or is_expression(upper)):
            _room(lower, upper)
        below, above, directions = distance - lower, upper - distance, (w_N, w_N)
    elif callable(distance):
        low, high = _room(lower, upper)
        below, above = partial(_above, distance, low), partial(_below, distance, high)
        directions = (w_N, None if w_N is None else partial(_opposite, w_N))
    else:
        low, high = _room(lower, upper)
        row = as_column("distance", distance)
        if w_N is not None:
            raise ValueError(
                f"w_N: must be left out with a row, got {w_N!r}. Give the row as `distance`."
            )
        below, above, directions = -low, high, (row, -row)
    return below, above, directions


def _room(lower: Any, upper: Any) -> tuple[float, float]:
    low, high = as_number("lower", lower), as_number("upper", upper)
    if not low < high:
        raise ValueError(f"upper: expected a number > lower = {low}, got {high}")
    return low, high


# Functions of a module can be pickled, unlike nested functions.
def _above(distance: Callable[[float, Vector], float], low: float, t: float, q: Vector) -> float:
    return distance(t, q) - low


def _below(distance: Callable[[float, Vector], float], high: float, t: float, q: Vector) -> float:
    return high - distance(t, q)


def _opposite(direction: Callable[..., ArrayLike], t: float, q: Vector) -> Vector:
    return -np.asarray(direction(t, q), dtype=np.float64)

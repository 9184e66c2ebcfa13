"""Force elements with switching: one-sided springs and dampers (section 3.2.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system
from nsmb.common.arguments import as_number, one_of
from nsmb.common.expressions import Expression, is_expression
from nsmb.system.contact_laws import as_numbers
from nsmb.system.contacts import check_name
from nsmb.system.geometry import check_functions, in_part

__all__ = ["ForceElement", "GapForce", "as_gap_force", "element_description"]

Vector = NDArray[np.float64]
LawName = Literal["relaxing_wall", "elastic_gap", "gap_damper", "clipped"]
_LAWS = {
    "elastic_gap": _system.ElementLaw.ElasticGap,
    "gap_damper": _system.ElementLaw.GapDamper,
    "clipped": _system.ElementLaw.Clipped,
    "relaxing_wall": _system.ElementLaw.RelaxingWall,
}


@dataclass(frozen=True)
class GapForce:
    """A one-sided force law ζ between two points at distance γ; ζ > 0 pushes them apart.

    With `gap_damper`, ζ jumps when the points touch and pulls before they separate. With `clipped`,
    ζ acts before the points touch. `relaxing_wall` avoids both: contact ends at ζ = 0, and the
    wall, an internal state of the system, then relaxes. Source: Pfeiffer & Glocker, section 3.2.3.

    Both numbers may be expressions of parameters if the element belongs to a
    :class:`nsmb.symbolic.LagrangianSystem`.

    Raises
    ------
    ValueError
        If the law is unknown, or if stiffness or damping is neither a number nor an expression.
    TypeError
        When a system other than a LagrangianSystem is built with expressions.

    Examples
    --------
    >>> import nsmb
    >>> buffer = nsmb.ForceElement(0.1, nsmb.GapForce(c=1e4, d=20.0), w=[1.0], name="buffer")
    >>> system = nsmb.LinearSystem([[1.0]], force=[-9.81], elements=[buffer])
    >>> sol = nsmb.simulate(system, 1.0)
    >>> bool(sol.elements["buffer"].force.max() > 9.81)
    True
    """

    c: float | Expression
    """Stiffness, N/m."""
    d: float | Expression = 0.0
    """Damping, N s/m."""
    law: LawName = "relaxing_wall"
    """Force law: ``elastic_gap`` (3.16), ``gap_damper`` (3.17), ``clipped`` (3.18) or
    ``relaxing_wall`` (3.20)-(3.23), which requires d > 0."""

    def __post_init__(self) -> None:
        for name in ("c", "d"):
            value = getattr(self, name)
            if not is_expression(value):
                object.__setattr__(self, name, as_number(name, value))
        one_of("law", self.law, _LAWS)


@dataclass(frozen=True, eq=False)
class ForceElement:
    """A one-sided spring and damper between two points at distance γ.

    The geometry is defined as for :class:`Contact`: numbers and rows for :class:`LinearSystem`,
    ``γ = w·q + gap + w_tilde t``, functions for :class:`CallbackSystem`, expressions for
    :class:`nsmb.symbolic.LagrangianSystem`. :meth:`nsmb.Model.add_gap_force` adds the same law
    between bodies.

    Raises
    ------
    ValueError
        If a function has the wrong arguments. When a system is built: if the law is out of range,
        or if a field is given that the system does not use.
    TypeError
        If `law` is not a GapForce. When a system is built: if the geometry is of a form for another
        system, which the message names.

    Examples
    --------
    A mass falls onto a pad and comes to rest at ``-m g / c``, with a row and with a function:

    >>> import nsmb
    >>> law = nsmb.GapForce(c=1e3, d=10.0)
    >>> row = nsmb.ForceElement(law=law, w=[1.0], name="pad")
    >>> by_row = nsmb.LinearSystem([[1.0]], force=[-9.81], elements=[row])
    >>> function = nsmb.ForceElement(lambda t, q: q[0], law, name="pad")
    >>> by_function = nsmb.CallbackSystem(
    ...     ["y"], [[1.0]], lambda t, q, u: [-9.81], elements=[function]
    ... )
    >>> for system in (by_row, by_function):
    ...     print(f"{nsmb.simulate(system, 5.0, q=[0.1]).q[-1, 0]:.5f} m")
    -0.00981 m
    -0.00981 m
    """

    gap: float | Callable[[float, Vector], float] | Expression | None = None
    """Distance γ, m: the value at q = 0 and t = 0 (None: 0), a function (t, q), or an
    expression."""
    law: GapForce | None = None
    """Force law; required."""
    name: str = ""
    """Name; by default ``element_1``, ``element_2``, ... in order."""
    _: KW_ONLY
    w: ArrayLike | Callable[[float, Vector], ArrayLike] | None = None
    """Direction: (nu,), or a function (t, q) -> (nu,) ∂γ/∂q·B. None: differences of the function
    `gap`."""
    w_tilde: float | Callable[[float, Vector], float] | None = None
    """Prescribed velocity, m/s: a number (None: 0), or a function (t, q) -> ∂γ/∂t (None:
    differences of `gap`)."""

    _kind: ClassVar[str] = "force element"
    _rows: ClassVar[bool] = True
    _functions: ClassVar[dict[str, str]] = {"gap": "t, q", "w": "t, q", "w_tilde": "t, q"}
    _numbers: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_name(self)
        if not isinstance(self.law, GapForce):
            raise TypeError(
                f"{in_part(self, 'law')}: must be a nsmb.GapForce, got {self.law!r}. "
                "Pass stiffness and damping as law=nsmb.GapForce(c, d)."
            )
        check_functions(self)


def as_gap_force(where: str, law: Any) -> GapForce:
    """Return `law` if it is a GapForce without expressions.

    Raises
    ------
    TypeError
        If `law` is another object or has expressions. The message starts with `where`.
    """
    if not isinstance(law, GapForce):
        raise TypeError(f"{where}: must be a nsmb.GapForce, got {law!r}")
    as_numbers(f"{where}.", law, ("c", "d"))
    return law


def element_description(law: GapForce, name: str) -> _system.ForceElementDescription:
    """Return the description of a force element for the core."""
    law = as_gap_force(f"force element {name!r}: law", law)
    return _system.ForceElementDescription(name, _LAWS[law.law], law.c, law.d)

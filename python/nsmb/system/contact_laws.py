"""Contact laws: Coulomb friction, friction curves and restitution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsmb._core import system as _system
from nsmb.common.arguments import as_column, in_range, positive
from nsmb.common.expressions import Expression, is_expression

__all__ = ["ContactLaw", "FrictionTable", "Stribeck", "as_contact_law", "as_numbers"]


@dataclass(frozen=True)
class Stribeck:
    """A Stribeck curve, on which the friction coefficient decreases with the slip speed.

    ``μ(v) = mu_d + (μ_0 - mu_d) exp(-(v/v_s)^delta) + k v``, where μ_0 is ``mu`` of the contact. At
    a transition between sticking and sliding, both coefficients are equal, as required by (23) of
    Wösle and Pfeiffer and by chapter 1 of the book.

    Examples
    --------
    >>> import nsmb
    >>> falling = nsmb.Stribeck(mu_d=0.2, v_s=0.05)
    >>> nsmb.ContactLaw(mu=0.4, curve=falling).curve.mu_d
    0.2
    """

    mu_d: float
    """Friction coefficient at speeds far above `v_s`, without the viscous part."""
    v_s: float
    """Speed over which the coefficient decreases, m/s."""
    delta: float = 1.0
    """Exponent of the decrease."""
    k: float = 0.0
    """Coefficient of the viscous part, s/m."""

    def __post_init__(self) -> None:
        for name in ("mu_d", "k"):
            object.__setattr__(self, name, in_range(name, getattr(self, name), 0.0))
        for name in ("v_s", "delta"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))

    def _core(self, mu_0: float) -> _system.FrictionCurve:
        return _system.StribeckCurve(mu_0, self.mu_d, self.v_s, self.delta, self.k)


@dataclass(frozen=True)
class FrictionTable:
    """A table of friction coefficients over the slip speed, with monotone interpolation.

    Beyond the last speed, the coefficient is constant.

    Raises
    ------
    ValueError
        If the speeds do not start at 0 or do not increase, if a coefficient is negative, or if the
        lengths differ. When a system is built: if the first coefficient is not ``mu``.

    Examples
    --------
    >>> import nsmb
    >>> measured = nsmb.FrictionTable(speeds=[0.0, 0.1, 1.0], coefficients=[0.4, 0.25, 0.2])
    >>> nsmb.ContactLaw(mu=0.4, curve=measured).mu
    0.4
    """

    speeds: ArrayLike
    """Increasing slip speeds from 0, shape (k,), in m/s."""
    coefficients: ArrayLike
    """Friction coefficients at these speeds, shape (k,); the first must be ``mu`` of the
    contact."""

    def __post_init__(self) -> None:
        speeds = as_column("speeds", self.speeds)
        values = as_column("coefficients", self.coefficients)
        if speeds.size < 2 or speeds.shape != values.shape:
            raise ValueError(
                f"coefficients: expected as many as speeds, at least two, got {values.size} and "
                f"{speeds.size} speeds"
            )
        if not (np.isfinite(speeds).all() and speeds[0] == 0.0 and (np.diff(speeds) > 0.0).all()):
            raise ValueError(f"speeds: expected 0 and increasing numbers, got {speeds.tolist()}")
        if not (np.isfinite(values).all() and (values >= 0.0).all()):
            raise ValueError(f"coefficients: expected numbers >= 0, got {values.tolist()}")
        object.__setattr__(self, "speeds", tuple(speeds.tolist()))
        object.__setattr__(self, "coefficients", tuple(values.tolist()))

    def _core(self, mu_0: float) -> _system.FrictionCurve:
        from scipy.interpolate import PchipInterpolator

        speeds, values = np.asarray(self.speeds), np.asarray(self.coefficients)

        spline = PchipInterpolator(speeds, values)
        # SciPy stores the highest power first, the core stores the constant first.
        return _system.CubicCurve(speeds.tolist(), spline.c[::-1].T.ravel().tolist())


_RESISTANCES = ("mu_R", "mu_D")


@dataclass(frozen=True)
class ContactLaw:
    """The law of a unilateral contact: Coulomb friction, and restitution at impacts.

    Each number may be an expression of parameters if the contact belongs to a
    :class:`nsmb.symbolic.LagrangianSystem`. Numbers are checked immediately. Expressions are
    checked when the system is built with values of its parameters.

    Source: Pfeiffer & Glocker, chapters 6 (friction) and 8 (impacts); Wösle & Pfeiffer for two
    tangential directions.

    Raises
    ------
    ValueError
        If a number is out of range.
    TypeError
        If `curve` is neither a Stribeck nor a FrictionTable. When a system other than a
        LagrangianSystem is built: if a number is an expression.

    Examples
    --------
    >>> import nsmb
    >>> nsmb.ContactLaw(mu=0.3, e_N=0.5).e_N
    0.5
    """

    mu: float | Expression = 0.0
    """Friction coefficient μ >= 0, for sticking, sliding and impacts."""
    e_N: float | Expression = 0.0
    """Coefficient of normal restitution ε_N in [0, 1]."""
    e_T: float | Expression = 0.0
    """Coefficient of tangential restitution ε_T in [0, 1], (8.37)."""
    nu: float | Expression = 0.0
    """Reversibility ν of the friction impulse in [0, 1], (8.37)."""
    aspect: float | Expression = 1.0
    """Anisotropy: the friction coefficient along the second tangential direction is
    ``aspect * mu``."""
    curve: Stribeck | FrictionTable | None = None
    """Dependence of the sliding coefficient on the slip speed. `mu` is its value at rest, which
    applies to impacts at any speed."""
    mu_R: float = 0.0
    """Rolling resistance in m, >= 0: the moment against rolling is at most ``mu_R`` times the
    normal force. For contacts of a :class:`Model` only. A named contact ``"rim"`` has the
    moment in a contact of its own, ``"rim.rolling"``."""
    mu_D: float = 0.0
    """Drilling resistance in m, >= 0: the moment against spin about the normal is at most ``mu_D``
    times the normal force. For contacts of a :class:`Model` in space only, likewise
    ``"rim.drilling"``."""

    def __post_init__(self) -> None:
        for name in ("mu", "e_N", "e_T", "nu"):
            most = math.inf if name == "mu" else 1.0
            value = getattr(self, name)
            if not is_expression(value):
                object.__setattr__(self, name, in_range(name, value, 0.0, most))
        if not is_expression(self.aspect):
            object.__setattr__(self, "aspect", positive("aspect", self.aspect))
        for name in _RESISTANCES:
            object.__setattr__(self, name, in_range(name, getattr(self, name), 0.0))
        if self.curve is not None and not isinstance(self.curve, Stribeck | FrictionTable):
            raise TypeError(
                f"curve: must be a nsmb.Stribeck or a nsmb.FrictionTable, got {self.curve!r}"
            )

    def _core(self) -> _system.UnilateralContact:
        curve = None if self.curve is None else self.curve._core(self.mu)
        numbers = (self.mu, self.e_N, self.e_T, self.nu, self.aspect)
        return _system.UnilateralContact(*numbers, curve, self.mu_R, self.mu_D)


def as_contact_law(where: str, law: Any) -> ContactLaw:
    """Return `law` if it is a ContactLaw without expressions.

    Raises
    ------
    TypeError
        If `law` is another object or has expressions. The message starts with `where`.
    """
    if not isinstance(law, ContactLaw):
        raise TypeError(f"{where}: must be a nsmb.ContactLaw, got {law!r}")
    as_numbers(f"{where}.", law, ("mu", "e_N", "e_T", "nu", "aspect"))
    return law


def as_numbers(prefix: str, part: Any, names: tuple[str, ...]) -> None:
    """Raise TypeError if one of these attributes is an expression, with `prefix` in the message."""
    for name in names:
        value = getattr(part, name)
        if is_expression(value):
            raise TypeError(
                f"{prefix}{name}: must be a number, got the expression {value}. Use expressions "
                "in a nsmb.symbolic.LagrangianSystem."
            )

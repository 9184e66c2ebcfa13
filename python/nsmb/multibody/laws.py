"""Force laws of elements between points and on joint coordinates (3.12)-(3.15)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_column, as_number, check_signature, one_of
from nsmb.system.callback_values import LARGEST, call, returned
from nsmb.system.inputs import Input

__all__ = ["ForceTable", "Sign", "SpringDamper", "as_sign", "core_law"]

Vector = NDArray[np.float64]
_NONE: Vector = np.zeros(0)
Sign = Literal["tension", "pressure"]
_SIGNS = {
    "tension": _multibody.SignConvention.Tension,
    "pressure": _multibody.SignConvention.Pressure,
}


def as_sign(value: str) -> _multibody.SignConvention:
    one_of("sign", value, _SIGNS)
    return _SIGNS[value]


@dataclass(frozen=True)
class SpringDamper:
    """A spring-damper with ζ = c (γ - free_length) + d γ̇ + preload in tension.

    In pressure, the same spring is ζ = -c (γ - free_length) - d γ̇ + preload.
    """

    c: float
    d: float
    free_length: float
    preload: float

    def __post_init__(self) -> None:
        for name in ("c", "d", "free_length", "preload"):
            value = as_number(name, getattr(self, name))
            if not np.isfinite(value):
                raise ValueError(f"{name}: expected a finite number, got {value}")
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class ForceTable:
    """A measured characteristic ``ζ = s(γ) + v(γ̇)``, with cubic splines.

    Beyond its ends, a spline continues as a straight line.

    Raises
    ------
    ValueError
        If the abscissas do not increase, or their number differs from that of the forces.

    Examples
    --------
    A measured restoring spring on a joint:

    >>> import nsmb
    >>> spring = nsmb.ForceTable(lengths=[-0.1, 0.0, 0.1], forces=[30.0, 0.0, -30.0])
    >>> m = nsmb.Model()
    >>> cart = m.add_body("cart", mass=1.0, inertia=1.0)
    >>> _ = m.add_joint("x", nsmb.joints.Prismatic(), m.ground, cart)
    >>> force = m.add_joint_force("spring", "x", spring)
    >>> sol = nsmb.simulate(m.build({"x": 0.05}), 0.1)
    >>> round(float(sol.elements["spring"].force[0]), 9)
    -15.0
    """

    lengths: ArrayLike = ()
    """Values of γ, shape (k,), increasing, in m or rad."""
    forces: ArrayLike = ()
    """Forces s at `lengths`, shape (k,), in N or N m."""
    speeds: ArrayLike = ()
    """Values of γ̇, shape (l,), increasing."""
    speed_forces: ArrayLike = ()
    """Forces v at `speeds`, shape (l,)."""
    monotone: bool = False
    """True for no overshoot between the points (PCHIP), at the cost of continuous curvature."""

    def __post_init__(self) -> None:
        for x_name, y_name in (("lengths", "forces"), ("speeds", "speed_forces")):
            x, y = (as_column(name, getattr(self, name)) for name in (x_name, y_name))
            if x.shape != y.shape or x.size == 1:
                raise ValueError(
                    f"{y_name}: expected as many as {x_name}, none or at least two, got {y.size} "
                    f"and {x.size} {x_name}"
                )
            if not (np.isfinite(x).all() and (np.diff(x) > 0.0).all()):
                raise ValueError(f"{x_name}: expected increasing numbers, got {x.tolist()}")
            if not np.isfinite(y).all():
                raise ValueError(f"{y_name}: expected finite numbers, got {y.tolist()}")
            object.__setattr__(self, x_name, tuple(x.tolist()))
            object.__setattr__(self, y_name, tuple(y.tolist()))

    def _core(self) -> _multibody.ForceLaw:
        from scipy import interpolate

        spline = interpolate.PchipInterpolator if self.monotone else interpolate.CubicSpline
        curves: list[Any] = []
        for x, y in ((self.lengths, self.forces), (self.speeds, self.speed_forces)):
            empty = np.size(x) == 0
            curves += [np.array(x), np.zeros((4, 0)) if empty else spline(x, y).c]
        return _multibody.TableLaw(*curves)


Law = SpringDamper | ForceTable | Input | Callable[..., float]


def _named(name: str, law: Callable[..., float], inputs: Sequence[Input]) -> Callable[..., float]:
    """Return a user function whose errors name the force."""
    arguments = ", ".join(["t, γ, γ̇", *(entry.name for entry in inputs)])
    check_signature(f"force {name!r}: law", law, arguments)
    what = f"force {name!r}: law({arguments})"

    def force(t: float, gamma: float, gamma_dot: float, values: Vector = _NONE) -> float:
        value = call(what, law, t, gamma, gamma_dot, *values.tolist())
        if isinstance(value, float) and abs(value) <= LARGEST:
            return value
        return float(returned(what, value, ()))

    return force


def core_law(
    law: Law, sign: str, name: str, inputs: Sequence[Input], known: Sequence[Input]
) -> tuple[_multibody.ForceLaw, _multibody.SignConvention]:
    """Return the law and its sign convention, with `inputs` looked up among those `known`."""
    if isinstance(law, SpringDamper):
        preload = law.preload if sign == "tension" else -law.preload
        spring = _multibody.SpringDamper(law.c, law.d, law.free_length, preload)
        return spring, as_sign("tension")
    if isinstance(law, ForceTable):
        return law._core(), as_sign(sign)
    places = [known.index(entry) for entry in inputs]
    if isinstance(law, Input):
        return _multibody.InputLaw(places[0]), as_sign(sign)
    return _multibody.UserLaw(_named(name, law, inputs), places), as_sign(sign)

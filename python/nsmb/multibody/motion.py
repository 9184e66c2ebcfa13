"""Motion prescribed in time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike

from nsmb._core import multibody as _multibody
from nsmb.arguments import as_array

__all__ = ["Motion", "check_motion", "core_motion"]

Motion = Callable[[float], ArrayLike] | Polynomial
_TIMES = (0.0, 0.13, 0.71)  # s, where derivatives are looked at
_STEP = 1e-5
_WRONG = 1e-3  # relative: differences are good to 1e-6 where the motion is smooth


def check_motion(name: str, s: Motion) -> Motion:
    """`s`, if it gives s, ṡ, s̈ that fit each other at one of some times."""
    if isinstance(s, Polynomial):
        as_array(name, s.coef, s.coef.shape)
        return s
    if not callable(s):
        raise ValueError(
            f"{name}: expected a function t -> (s, s', s'') or a numpy Polynomial, got {s!r}"
        )
    wrong = ""
    for t in _TIMES:
        here, before, after = (
            as_array(f"{name}(t)", s(time), (3,)) for time in (t, t - _STEP, t + _STEP)
        )
        rates = (after[:2] - before[:2]) / (2 * _STEP)
        error = np.abs(rates - here[1:]) / (1.0 + np.abs(rates) + np.abs(here[1:]))
        if error.max() <= _WRONG:
            return s
        k = int(np.argmax(error))
        wrong = f"{here[k + 1]:.6g} at t = {t}, differences give {rates[k]:.6g}"
    raise ValueError(f"{name}(t): expected s, its first and second derivative, got {wrong}")


def core_motion(coordinate: int, s: Motion, locked: bool) -> _multibody.JointMotion:
    if isinstance(s, Polynomial):
        power = s.convert(domain=[-1, 1], window=[-1, 1])
        return _multibody.JointMotion.polynomial(coordinate, power.coef, locked)
    return _multibody.JointMotion(coordinate, s, locked)

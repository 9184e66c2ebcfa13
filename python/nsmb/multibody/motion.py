"""Motion prescribed in time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.arguments import as_array

__all__ = ["MOTION_TIMES", "Motion", "check_motion", "core_motion"]

Motion = Callable[[float], ArrayLike] | Polynomial
MOTION_TIMES = (0.0317, 0.1373, 0.4142, 0.7321, 1.6180)
"""s after the start, where prescribed motions are looked at."""
_BESIDE = 1.37e-3  # s: a kink is at one of two neighbouring times, a wrong derivative at both
_STEPS = (1e-5, 1e-7)  # s, the smaller one for fast motions
_WRONG = 1e-3  # relative: differences are good to 1e-6 where the motion is smooth
_ROUNDING = 64.0 * np.finfo(float).eps


def check_motion(name: str, s: Motion, start: float = 0.0) -> Motion:
    """`s`, if it gives s, ṡ, s̈ that fit each other at all times, kinks apart."""
    if isinstance(s, Polynomial):
        as_array(name, s.coef, s.coef.shape)
        return s
    if not callable(s):
        raise ValueError(
            f"{name}: expected a function t -> (s, s', s'') or a numpy Polynomial, got {s!r}"
        )

    def values(t: float) -> NDArray[np.float64]:
        return as_array(f"{name}(t)", s(t), (3,))

    times = start + np.add.outer(MOTION_TIMES, (0.0, _BESIDE)).ravel()
    given = np.array([values(t) for t in times])
    rates = np.array(
        [[(values(t + h)[:2] - values(t - h)[:2]) / (2.0 * h) for h in _STEPS] for t in times]
    )
    # Of the better step alone, so that neither scales the errors of the other.
    errors = np.abs(rates - given[:, None, 1:])
    best = np.min(np.abs(rates), axis=1)
    size = np.maximum(np.abs(given[:, 1:]), best).max(axis=0)
    rounding = _ROUNDING * np.abs(given[:, :2]).max(axis=0) / np.array(_STEPS)[:, None]
    wrong = (errors > _WRONG * size + rounding).all(axis=1)
    pairs = wrong.reshape(len(MOTION_TIMES), 2, 2).all(axis=1)
    if not pairs.any():
        return s
    pair, k = np.argwhere(pairs)[0]
    i = 2 * pair
    raise ValueError(
        f"{name}(t): expected s, its first and second derivative, got {given[i, k + 1]:.6g} as "
        f"the {('first', 'second')[k]} at t = {times[i]:.6g}, differences give {rates[i, 0, k]:.6g}"
    )


def core_motion(coordinate: int, s: Motion, locked: bool) -> _multibody.JointMotion:
    if isinstance(s, Polynomial):
        power = s.convert(domain=[-1, 1], window=[-1, 1])
        return _multibody.JointMotion.polynomial(coordinate, power.coef, locked)
    return _multibody.JointMotion(coordinate, s, locked)

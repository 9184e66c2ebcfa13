"""Motion prescribed in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_array, as_number
from nsmb.system.callback_values import call, returned

__all__ = ["MOTION_TIMES", "Motion", "breaks", "check_motion", "core_motion", "values_of"]

if TYPE_CHECKING:
    from numpy.polynomial import Polynomial

    Motion = Callable[[float], ArrayLike] | Polynomial | Sequence[tuple[float, Polynomial]]
else:
    Motion = Any  # polynomials take time to import
MOTION_TIMES = (0.0317, 0.1373, 0.4142, 0.7321, 1.6180)
"""Times in s after the start at which prescribed motions are checked."""
_BESIDE = 1.37e-3  # s: a kink is at one of two neighbouring times, a wrong derivative at both
_STEPS = (1e-5, 1e-7)  # s, the smaller one for fast motions
_WRONG = 1e-3  # relative: differences are good to 1e-6 where the motion is smooth
_MEETING = 1e-9  # relative
_ROUNDING = 64.0 * np.finfo(float).eps


def _is_polynomial(s: object) -> TypeGuard[Polynomial]:
    from numpy.polynomial import Polynomial

    return isinstance(s, Polynomial)


def check_motion(name: str, s: Motion, start: float = 0.0) -> Motion:
    """Return `s` if its s, ṡ, s̈ are consistent with each other, except at kinks."""
    if _is_polynomial(s):
        as_array(name, s.coef, s.coef.shape)
        return s
    if isinstance(s, Sequence):
        return _check_pieces(name, s)
    if not callable(s):
        raise ValueError(
            f"{name}: expected a function t -> (s, s', s''), a numpy Polynomial, or pairs of a "
            f"time and the Polynomial from then on, got {s!r}"
        )

    def values(t: float) -> NDArray[np.float64]:
        return as_array(f"{name}(t)", s(t), (3,))

    times = start + np.add.outer(MOTION_TIMES, (0.0, _BESIDE)).ravel()
    given = np.array([values(t) for t in times])
    rates = np.array(
        [[(values(t + h)[:2] - values(t - h)[:2]) / (2.0 * h) for h in _STEPS] for t in times]
    )
    # Use only the better of the two steps, so that neither scales the errors of the other.
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


def _check_pieces(
    name: str, s: Sequence[tuple[float, Polynomial]]
) -> tuple[tuple[float, Polynomial], ...]:
    """Return the pieces, after checking that they continue one another in value and velocity."""
    pieces = []
    for k, piece in enumerate(s):
        if len(piece) != 2 or not _is_polynomial(piece[1]):
            raise ValueError(
                f"{name}: expected pairs of a time and a numpy Polynomial, got {piece!r} as number "
                f"{k + 1}"
            )
        pieces.append((as_number(f"{name}: time", piece[0]), piece[1]))
    if not pieces:
        raise ValueError(f"{name}: expected at least one piece, got none")
    for (begin, before), (t, after) in pairwise(pieces):
        if not t > begin:
            raise ValueError(f"{name}: must have increasing times, got {t:g} after {begin:g}")
        for word, a, b in (
            ("value", before, after),
            ("first derivative", before.deriv(), after.deriv()),
        ):
            size = _size(a, t) + _size(b, t)
            if abs(float(a(t) - b(t))) > _MEETING * size:
                raise ValueError(
                    f"{name}: must be continuous, got the {word} {float(a(t)):.6g} before and "
                    f"{float(b(t)):.6g} after t = {t:g}"
                )
    return tuple(pieces)


def breaks(s: Motion) -> tuple[float, ...]:
    """Return the times in s at which s̈ jumps from one polynomial to the next."""
    return tuple(t for t, _ in s[1:]) if isinstance(s, Sequence) else ()


def core_motion(coordinate: int, s: Motion, locked: bool) -> _multibody.JointMotion:
    if _is_polynomial(s):
        return _multibody.JointMotion.polynomial(coordinate, _powers(s), locked)
    if isinstance(s, Sequence):
        starts, polynomials = zip(*s, strict=True)
        powers = [_powers(p) for p in polynomials]
        return _multibody.JointMotion.pieces(coordinate, starts, powers, locked)
    what = "the motion of a joint, a function of t"
    return _multibody.JointMotion(
        coordinate, lambda t: returned(what, call(what, s, t), (3,)), locked
    )


def values_of(s: Motion, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return s and ṡ at times (k,), shape (k, 2)."""
    if _is_polynomial(s):
        return np.column_stack([s(t), s.deriv()(t)])
    if isinstance(s, Sequence):
        piece = np.searchsorted([begin for begin, _ in s[1:]], t, side="right")
        found = np.empty((t.size, 2))
        for k in np.unique(piece):
            found[piece == k] = values_of(s[k][1], t[piece == k])
        return found
    return np.array([np.asarray(s(time), dtype=np.float64)[:2] for time in t.tolist()])


def _powers(s: Polynomial) -> NDArray[np.float64]:
    """Return the coefficients of the powers of t."""
    power = s.convert(domain=[-1, 1], window=[-1, 1])
    return np.asarray(power.coef, dtype=np.float64)


def _size(s: Polynomial, t: float) -> float:
    """Return the sum of the absolute values of the terms of s(t)."""
    return float(sum(abs(c * t**k) for k, c in enumerate(_powers(s))))

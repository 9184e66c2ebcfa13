"""Symmetric motions of the oscillator with backlash of section 12.2, matched piece by piece.

    x'' + 2 D_L x' + s(x) = cos(r t),    s = x - h for x > h, x + h for x < -h, 0 between, 2 h = p

A motion with x(t + pi/r) = -x(t) stays beyond h for the time `stay` and then crosses the backlash
to -h. With the state (x, v, h, cos, sin) both pieces are matrix exponentials. Leaving at h and
arriving at -h with -v are three homogeneous equations for the four unknowns (v, h, cos, sin) at the
entry. Their solution, with cos^2 + sin^2 = 1, gives the backlash p as a function of the stay, whose
extrema are folds. This needs no iteration, no integration and no describing function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import minimize_scalar

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Symmetric:
    """A symmetric motion that enters the upper spring at time 0."""

    stay: float
    r: float
    D_L: float = 0.05

    @property
    def half(self) -> float:
        """Half a period."""
        return float(np.pi / self.r)

    def _matrix(self, touching: bool) -> Array:
        A = np.zeros((5, 5))
        A[0, 1] = 1.0
        A[1] = [0.0, -2.0 * self.D_L, 0.0, 1.0, 0.0]
        if touching:
            A[1, 0], A[1, 2] = -1.0, 1.0
        A[3, 4], A[4, 3] = -self.r, self.r
        return A

    @cached_property
    def entry(self) -> Array:
        """The values (v, h, cos, sin) at x = h."""
        start = np.zeros((5, 4))
        start[0, 1] = start[1, 0] = start[2, 1] = start[3, 2] = start[4, 3] = 1.0
        leave = expm(self.stay * self._matrix(True)) @ start
        end = expm((self.half - self.stay) * self._matrix(False)) @ leave
        rows = np.array([leave[0] - start[0], end[0] + start[0], end[1] + start[1]])
        null: Array = np.linalg.svd(rows)[2][-1]
        null /= np.hypot(null[2], null[3])
        return null if null[0] > 0.0 else -null

    @property
    def play(self) -> float:
        return float(2.0 * self.entry[1])

    def state(self, t: float) -> Array:
        """Return (x, v, h, cos, sin) at a time in [0, half]."""
        v, h, c, s = self.entry
        inside = min(t, self.stay)
        y = expm(inside * self._matrix(True)) @ np.array([h, v, h, c, s])
        return np.asarray(expm((t - inside) * self._matrix(False)) @ y)

    @cached_property
    def amplitude(self) -> float:
        """The largest x, which lies in the spring."""
        found = minimize_scalar(
            lambda t: -self.state(t)[0],
            bounds=(0.0, self.stay),
            method="bounded",
            options={"xatol": 1e-10},
        )
        return float(-found.fun)

    @property
    def multipliers(self) -> Array:
        """Return the multipliers of one period by decreasing modulus.

        The spring force is continuous, so that no saltation matrix is needed.
        """
        inside, free = (self._matrix(touching)[:2, :2] for touching in (True, False))
        half = expm((self.half - self.stay) * free) @ expm(self.stay * inside)
        values = np.linalg.eigvals(half) ** 2
        return np.asarray(values[np.argsort(-np.abs(values))])


@lru_cache
def folds(r: float, D_L: float = 0.05) -> list[tuple[float, float]]:
    """Return (stay, play) at the extrema of the backlash, by increasing stay."""

    def play(stay: float, sign: float = 1.0) -> float:
        return sign * Symmetric(stay, r, D_L).play

    stays = np.linspace(0.0, np.pi / r, 60)[1:-1]
    plays = np.array([play(stay) for stay in stays])
    turns = np.flatnonzero(np.diff(np.sign(np.diff(plays)))) + 1
    found = []
    for k in turns:
        sign = 1.0 if plays[k] < plays[k - 1] else -1.0
        best = minimize_scalar(play, bracket=tuple(stays[k - 1 : k + 2]), args=(sign,), tol=1e-10)
        found.append((float(best.x), float(sign * best.fun)))
    return found

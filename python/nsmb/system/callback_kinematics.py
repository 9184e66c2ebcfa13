"""Kinematics of contacts and constraints given by functions; what is not given, by differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import per_direction
from nsmb.system.callback_values import LARGEST, NoValue, call, real, returned
from nsmb.system.contacts import CallbackContact, CallbackFriction, Contact

__all__ = ["Row"]

Vector = NDArray[np.float64]
_EPS = float(np.finfo(np.float64).eps)
_TIME_SCALE = 1.0  # s, over which prescribed motions change
# A given function must agree with differences to this part; wrong signs and factors do not.
_TOLERANCE = 1e-4


def _step(x: float, scale: float, order: int) -> float:
    """Step of a first (order 3) or second (order 4) difference at x.

    It balances the error of the difference, (step/scale)², and the rounding of numbers as large
    as x and `scale`. A power of two, so that x ± step is exact.
    """
    step = scale * (_EPS * max(1.0, abs(x) / scale)) ** (1.0 / order)
    return _power_of_two(step)


def _power_of_two(x: float) -> float:
    mantissa, exponent = math.frexp(x)
    return math.ldexp(1.0, exponent if mantissa > 0.7 else exponent - 1)


class Row:
    """One contact, with what was not given taken by differences."""

    def __init__(
        self,
        contact: CallbackContact | CallbackFriction,
        about: Contact,
        scale: Sequence[float],
        coordinates: Sequence[str],
        kind: str = "contact",
    ) -> None:
        self.contact = contact
        self.gapless = isinstance(contact, CallbackFriction)
        self.tangents = about.tangents
        self.prefix = f"{kind} '{about.name}': "
        self.scale = scale
        self.coordinates = coordinates
        self.n = len(scale)

    def _number(self, name: str, function: Callable[..., Any], *arguments: Any) -> float:
        what = self.prefix + name
        value = call(what, function, *arguments)
        if isinstance(value, float) and -LARGEST <= value <= LARGEST:
            return value
        return float(returned(what, value, ()))

    def _column(
        self, name: str, function: Callable[..., Any], shape: tuple[int, ...], *arguments: Any
    ) -> Vector:
        what = self.prefix + name
        return returned(what, call(what, function, *arguments), shape, self.coordinates)

    def _tangential(self, name: str, function: Callable[..., Any], *arguments: Any) -> Vector:
        what = self.prefix + name
        value = real(what, call(what, function, *arguments))
        return per_direction(what, value, self.tangents)

    def bound(self, t: float, q: Vector, u: Vector) -> float:
        if isinstance(self.contact, CallbackContact):
            return 0.0
        given = self.contact.bound
        function = given if callable(given) else lambda *_: given
        value = self._number("bound", function, t, q, u)
        if value < 0.0:
            raise ValueError(f"{self.prefix}bound: expected a number >= 0, got {value}")
        return value

    def gap(self, t: float, q: Vector) -> float:
        if isinstance(self.contact, CallbackFriction):
            return 0.0
        return self._number("gap(t, q)", self.contact.gap, t, q)

    def w_N(self, t: float, q: Vector) -> Vector:
        if isinstance(self.contact, CallbackFriction):
            return np.zeros(self.n)
        if self.contact.w_N is not None:
            return self._column("w_N(t, q)", self.contact.w_N, (self.n,), t, q)
        gradient = np.empty(self.n)
        for i, x in enumerate(q.tolist()):
            step = _step(x, self.scale[i], 3)
            up, down = q.copy(), q.copy()
            up[i] += step
            down[i] -= step
            gradient[i] = (self.gap(t, up) - self.gap(t, down)) / (up[i] - down[i])
        return gradient

    def w_T(self, t: float, q: Vector) -> Vector:
        """(n, 1) or (n, 2)"""
        if self.contact.w_T is None:
            return np.zeros((self.n, self.tangents))
        shape = (self.n, 2) if self.tangents == 2 else (self.n,)
        return self._column("w_T(t, q)", self.contact.w_T, shape, t, q).reshape(self.n, -1)

    def w_tilde_N(self, t: float, q: Vector) -> float:
        if isinstance(self.contact, CallbackFriction):
            return 0.0
        if self.contact.w_tilde_N is not None:
            return self._number("w_tilde_N(t, q)", self.contact.w_tilde_N, t, q)
        step = _step(t, _TIME_SCALE, 3)
        up, down = t + step, t - step
        return (self.gap(up, q) - self.gap(down, q)) / (up - down)

    def w_tilde_T(self, t: float, q: Vector) -> Vector:
        function = self.contact.w_tilde_T
        if function is None:
            return np.zeros(self.tangents)
        return self._tangential("w_tilde_T(t, q)", function, t, q)

    def w_bar_N(self, t: float, q: Vector, u: Vector) -> float:
        if isinstance(self.contact, CallbackFriction):
            return 0.0
        if self.contact.w_bar_N is not None:
            return self._number("w_bar_N(t, q, u)", self.contact.w_bar_N, t, q, u)
        # Differences of given functions are better than second ones, those better than nested.
        if self.contact.w_N is None:
            step = self._time_step(t, q, u, 4)
            up = self.gap(t + step, q + step * u)
            down = self.gap(t - step, q - step * u)
            return (up - 2.0 * self.gap(t, q) + down) / step**2
        if self.contact.w_tilde_N is not None:
            return self._along_motion(self._gamma_N, t, q, u)
        turning = self._along_motion(lambda s, p, v: float(self.w_N(s, p) @ v), t, q, u)
        step, tick = self._time_step(t, q, u, 4), _step(t, _TIME_SCALE, 4)

        def change(s: float, p: Vector) -> float:  # exactly 0 if the gap does not depend on t
            return self.gap(s + tick, p) - self.gap(s - tick, p)

        up, down = change(t + step, q + step * u), change(t - step, q - step * u)
        return turning + (up - down) / (4.0 * step * tick)

    def w_bar_T(self, t: float, q: Vector, u: Vector) -> Vector:
        if self.contact.w_bar_T is not None:
            return self._tangential("w_bar_T(t, q, u)", self.contact.w_bar_T, t, q, u)
        if self.contact.w_T is None:
            return np.zeros(self.tangents)
        rates = [
            self._along_motion(lambda s, p, v, k=k: float(self._gamma_T(s, p, v)[k]), t, q, u)  # type: ignore[misc]
            for k in range(self.tangents)
        ]
        return np.array(rates)

    def _gamma_N(self, t: float, q: Vector, u: Vector) -> float:
        return float(self.w_N(t, q) @ u) + self.w_tilde_N(t, q)

    def _gamma_T(self, t: float, q: Vector, u: Vector) -> Vector:
        return np.asarray(self.w_T(t, q).T @ u + self.w_tilde_T(t, q))

    def _time_step(self, t: float, q: Vector, u: Vector, order: int) -> float:
        """Time in which the first coordinate has moved by its step."""
        step = _step(t, _TIME_SCALE, order)
        for x, v, scale in zip(q.tolist(), u.tolist(), self.scale, strict=True):
            if v != 0.0:
                step = min(step, _step(x, scale, order) / abs(v))
        return _power_of_two(step)

    def _along_motion(
        self,
        gamma: Callable[[float, Vector, Vector], float],
        t: float,
        q: Vector,
        u: Vector,
    ) -> float:
        """w̄ = dγ/dt with u̇ = 0 (4.45)."""
        step = self._time_step(t, q, u, 3)
        up = gamma(t + step, q + step * u, u)
        down = gamma(t - step, q - step * u, u)
        return (up - down) / (2.0 * step)

    # ---- check -------------------------------------------------------------------------------

    def check(self, t: float, q: Vector, u: Vector) -> None:
        """ValueError if a given function is not the derivative it should be, as far as seen."""
        try:
            with np.errstate(all="ignore"):
                wrong = self._contradiction(t, q, u)
        except NoValue:  # where differences look, which may be outside of what functions allow
            return
        if wrong is not None:
            function, source, expected, actual = wrong
            raise ValueError(
                f"{self.prefix}{function}: expected {expected} at the initial state, from "
                f"differences of {source}, got {actual}; check=False skips this comparison"
            )

    def _contradiction(self, t: float, q: Vector, u: Vector) -> tuple[str, str, Any, Any] | None:
        """Function, what it derives from, value by differences, given value."""
        contact = self.contact
        self.gap(t, q)  # one that writes into q would do so in the differences, unseen
        if isinstance(contact, CallbackContact):
            wrong = self._normal_contradiction(contact, t, q, u)
            if wrong is not None:
                return wrong
        if contact.w_bar_T is not None and contact.w_T is not None:
            step = self._time_step(t, q, u, 3)
            for k, bend in enumerate(self.w_bar_T(t, q, u).tolist()):
                slope = _disagreement(
                    bend,
                    lambda s, k=k: float(self._gamma_T(t + s, q + s * u, u)[k]),  # type: ignore[misc]
                    step,
                )
                if slope is not None:
                    return "w_bar_T(t, q, u)", "γ_T along the motion", slope, bend
        return None

    def _normal_contradiction(
        self, contact: CallbackContact, t: float, q: Vector, u: Vector
    ) -> tuple[str, str, Any, Any] | None:
        if contact.w_N is not None:
            given = self.w_N(t, q)
            directions = np.eye(self.n)
            size = max(abs(w) * s for w, s in zip(given.tolist(), self.scale, strict=True))
            slopes = [
                _disagreement(
                    w,
                    lambda s, e=directions[i]: self.gap(t, q + s * e),  # type: ignore[misc]
                    _step(float(q[i]), self.scale[i], 3),
                    1e-6 * size / self.scale[i],  # units differ; beside large entries rounding
                )
                for i, w in enumerate(given.tolist())
            ]
            if any(slope is not None for slope in slopes):
                found = [w if s is None else s for s, w in zip(slopes, given.tolist(), strict=True)]
                return "w_N(t, q)", "gap", found, given.tolist()
        if contact.w_tilde_N is not None:
            rate = self.w_tilde_N(t, q)
            step = _step(t, _TIME_SCALE, 3)
            slope = _disagreement(rate, lambda s: self.gap(t + s, q), step)
            if slope is not None:
                return "w_tilde_N(t, q)", "gap", slope, rate
        if contact.w_bar_N is not None:
            bend = self.w_bar_N(t, q, u)
            step = self._time_step(t, q, u, 4)
            slope = _disagreement(bend, lambda s: self.gap(t + s, q + s * u), step, second=True)
            if slope is not None:
                return "w_bar_N(t, q, u)", "gap along the motion", slope, bend
        return None


def _disagreement(
    value: float,
    function: Callable[[float], float],
    step: float,
    allowance: float = 0.0,
    *,
    second: bool = False,
) -> float | None:
    """The derivative of `function` at 0 by differences, if `value` surely is another one.

    At a kink any value between both sides is right; what two steps do not agree on is unknown.
    """
    middles = []
    tolerance = 0.0
    for h in (step, step / 8.0):
        f = [function(k * h) for k in ((-2, -1, 0, 1, 2) if second else (-1, 0, 1))]
        slopes = np.diff(f, 2 if second else 1) / h ** (2 if second else 1)
        low, high = float(slopes.min()), float(slopes.max())
        rounding = 16.0 * _EPS * max(map(abs, f)) / h ** (2 if second else 1)
        tolerance = _TOLERANCE * max(abs(value), -low, high) + rounding + allowance
        if low - tolerance <= value <= high + tolerance:
            return None
        middles.append(float(slopes[1]) if second else float(slopes.mean()))
    agreed = abs(middles[1] - middles[0]) <= tolerance
    return middles[0] if agreed else None

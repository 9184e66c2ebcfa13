"""Kinematics of contacts and constraints from functions, with differences for missing ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import per_direction
from nsmb.system.callback_values import LARGEST, NoValue, call, real, returned
from nsmb.system.contact_info import ContactInfo
from nsmb.system.contacts import Constraint, Contact, Friction
from nsmb.system.forces import ForceElement

__all__ = ["Functions", "Row"]

Vector = NDArray[np.float64]
_EPS = float(np.finfo(np.float64).eps)
_TIME_SCALE = 1.0  # time over which prescribed motions change, s
# Relative tolerance between a given function and differences; it detects wrong signs and factors.
_TOLERANCE = 1e-4


def _step(x: float, scale: float, order: int) -> float:
    """Return the step of a first (order 3) or second (order 4) difference at x.

    It balances the error of the difference, (step/scale)², and rounding errors for numbers of the
    size of x and `scale`. It is a power of two, so that x ± step is exact.
    """
    step = scale * (_EPS * max(1.0, abs(x) / scale)) ** (1.0 / order)
    return _power_of_two(step)


def _power_of_two(x: float) -> float:
    mantissa, exponent = math.frexp(x)
    return math.ldexp(1.0, exponent if mantissa > 0.7 else exponent - 1)


Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Functions:
    """The functions of a contact, a friction element, a force element or a constraint."""

    gap: Function | None = None
    velocity: Function | None = None
    """Velocity γ(t, q, u) of a nonholonomic constraint, in place of a gap."""
    slip: Function | None = None
    """Tangential relative velocity, in place of `w_T` and `w_tilde_T`."""
    w_N: Function | None = None
    w_T: Function | None = None
    w_tilde_N: Function | None = None
    w_tilde_T: Function | None = None
    w_bar_N: Function | None = None
    w_bar_T: Function | None = None
    bound: Function | float = 0.0

    @classmethod
    def of(cls, part: Any) -> Functions:
        """Return the functions of a part, which has been checked."""
        if isinstance(part, Contact | Friction):
            return cls(**{name: getattr(part, name) for name in part._functions})
        if isinstance(part, ForceElement):
            return cls(part.gap, w_N=part.w, w_tilde_N=part.w_tilde)  # type: ignore[arg-type]
        assert isinstance(part, Constraint)
        return cls(part.gap, part.velocity, w_N=part.w, w_tilde_N=part.w_tilde, w_bar_N=part.w_bar)


class Row:
    """The kinematics of one contact, with differences in place of missing functions."""

    def __init__(
        self,
        functions: Functions,
        about: ContactInfo,
        scale: Sequence[float],
        coordinates: Sequence[str],
        kind: str = "contact",
    ) -> None:
        self.contact = functions
        self.gapless = functions.gap is None and functions.velocity is None
        self.tangents = about.tangents
        self.prefix = f"{kind} '{about.name}': "
        self.index = "_N" if kind == "contact" else ""  # suffix of names in messages
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
        given = self.contact.bound
        if not callable(given):
            return given
        value = self._number("bound", given, t, q, u)
        if value < 0.0:
            raise ValueError(f"{self.prefix}bound: expected a number >= 0, got {value}")
        return value

    def gap(self, t: float, q: Vector) -> float:
        if self.contact.gap is None:
            return 0.0
        return self._number("gap(t, q)", self.contact.gap, t, q)

    def _velocity(self, t: float, q: Vector, u: Vector) -> float:
        assert self.contact.velocity is not None
        return self._number("velocity(t, q, u)", self.contact.velocity, t, q, u)

    def _slip(self, t: float, q: Vector, u: Vector) -> Vector:
        assert self.contact.slip is not None
        return self._tangential("slip(t, q, u)", self.contact.slip, t, q, u)

    def w_N(self, t: float, q: Vector) -> Vector:
        if self.gapless:
            return np.zeros(self.n)
        if self.contact.w_N is not None:
            return self._column(f"w{self.index}(t, q)", self.contact.w_N, (self.n,), t, q)
        if self.contact.velocity is not None:
            return self._direction(self._velocity, t, q).reshape(self.n)
        gradient = np.empty(self.n)
        for i, x in enumerate(q.tolist()):
            step = _step(x, self.scale[i], 3)
            up, down = q.copy(), q.copy()
            up[i] += step
            down[i] -= step
            gradient[i] = (self.gap(t, up) - self.gap(t, down)) / (up[i] - down[i])
        return gradient

    def _direction(
        self, velocity: Callable[[float, Vector, Vector], float | Vector], t: float, q: Vector
    ) -> Vector:
        """Return the gradient of an affine velocity, exact to rounding, shape (n, d)."""
        rows = []
        for i, scale in enumerate(self.scale):
            up, down = np.zeros((2, self.n))
            up[i], down[i] = scale, -scale
            rows.append((velocity(t, q, up) - velocity(t, q, down)) / (2.0 * scale))
        return np.array(rows).reshape(self.n, -1)

    def w_T(self, t: float, q: Vector) -> Vector:
        """Return the tangential directions, shape (n, 1) or (n, 2)."""
        if self.contact.slip is not None:
            return self._direction(self._slip, t, q)
        if self.contact.w_T is None:
            return np.zeros((self.n, self.tangents))
        shape = (self.n, 2) if self.tangents == 2 else (self.n,)
        return self._column("w_T(t, q)", self.contact.w_T, shape, t, q).reshape(self.n, -1)

    def w_tilde_N(self, t: float, q: Vector) -> float:
        if self.gapless:
            return 0.0
        if self.contact.w_tilde_N is not None:
            return self._number(f"w_tilde{self.index}(t, q)", self.contact.w_tilde_N, t, q)
        if self.contact.velocity is not None:
            return self._velocity(t, q, np.zeros(self.n))
        step = _step(t, _TIME_SCALE, 3)
        up, down = t + step, t - step
        return (self.gap(up, q) - self.gap(down, q)) / (up - down)

    def w_tilde_T(self, t: float, q: Vector) -> Vector:
        if self.contact.slip is not None:
            return self._slip(t, q, np.zeros(self.n))
        function = self.contact.w_tilde_T
        if function is None:
            return np.zeros(self.tangents)
        return self._tangential("w_tilde_T(t, q)", function, t, q)

    def w_bar_N(self, t: float, q: Vector, u: Vector) -> float:
        if self.gapless:
            return 0.0
        if self.contact.w_bar_N is not None:
            return self._number(f"w_bar{self.index}(t, q, u)", self.contact.w_bar_N, t, q, u)
        if self.contact.velocity is not None:
            return self._along_motion(self._velocity, t, q, u)
        # In order of accuracy: differences of given functions, second differences, nested ones.
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
        if not self._slides:
            return np.zeros(self.tangents)
        rates = [
            self._along_motion(lambda s, p, v, k=k: float(self._gamma_T(s, p, v)[k]), t, q, u)  # type: ignore[misc]
            for k in range(self.tangents)
        ]
        return np.array(rates)

    def _gamma_N(self, t: float, q: Vector, u: Vector) -> float:
        return float(self.w_N(t, q) @ u) + self.w_tilde_N(t, q)

    @property
    def _slides(self) -> bool:
        """True if there is a tangential direction."""
        return self.contact.w_T is not None or self.contact.slip is not None

    def _gamma_T(self, t: float, q: Vector, u: Vector) -> Vector:
        if self.contact.slip is not None:
            return self._slip(t, q, u)
        return np.asarray(self.w_T(t, q).T @ u + self.w_tilde_T(t, q))

    def _time_step(self, t: float, q: Vector, u: Vector, order: int) -> float:
        """Return the time until some coordinate has moved by its step."""
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
        """Return w̄ = dγ/dt with u̇ = 0 (4.45)."""
        step = self._time_step(t, q, u, 3)
        up = gamma(t + step, q + step * u, u)
        down = gamma(t - step, q - step * u, u)
        return (up - down) / (2.0 * step)

    # ---- check -------------------------------------------------------------------------------

    def check(self, t: float, q: Vector, u: Vector) -> None:
        """Raise ValueError if a given function clearly differs from the required derivative."""
        try:
            with np.errstate(all="ignore"):
                self._check_affine(t, q)
                wrong = self._contradiction(t, q, u)
        except NoValue:  # points of differences may be outside the domain of the functions
            return
        if wrong is not None:
            function, source, expected, actual = wrong
            raise ValueError(
                f"{self.prefix}{function}: expected {expected} at the initial state, from "
                f"differences of {source}, got {actual}; check=False skips this comparison"
            )

    def _check_affine(self, t: float, q: Vector) -> None:
        """Raise ValueError if a slip or velocity is clearly not affine in the velocities."""
        for name in ("slip", "velocity"):
            if getattr(self.contact, name) is None:
                continue
            gamma = self._slip if name == "slip" else self._velocity
            at_rest = np.atleast_1d(gamma(t, q, np.zeros(self.n)))
            W = self._direction(gamma, t, q)
            for factor in (0.7, 3.0):
                u = factor * np.array(self.scale) * np.cos(np.arange(self.n))
                found = np.atleast_1d(gamma(t, q, u))
                size = np.abs(W.T) @ np.abs(u) + np.abs(at_rest) + np.abs(found)
                if (np.abs(W.T @ u + at_rest - found) > _TOLERANCE * size).any():
                    raise ValueError(
                        f"{self.prefix}{name}(t, q, u): must be affine in the velocities, got "
                        f"{found.tolist()} at u = {u.tolist()}, but {at_rest.tolist()} at rest and "
                        f"the slopes {W.T.tolist()}. Pass check=False to skip this comparison."
                    )

    def _contradiction(self, t: float, q: Vector, u: Vector) -> tuple[str, str, Any, Any] | None:
        """Return a wrong function, its source, the value by differences and the given value."""
        contact = self.contact
        self.gap(t, q)  # detects a gap that writes into q, which differences would not
        if contact.gap is not None:
            wrong = self._normal_contradiction(contact, t, q, u)
            if wrong is not None:
                return wrong
        if contact.w_bar_T is not None and self._slides:
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
        self, contact: Functions, t: float, q: Vector, u: Vector
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
                    1e-6 * size / self.scale[i],  # for rounding, in the unit of each entry
                )
                for i, w in enumerate(given.tolist())
            ]
            if any(slope is not None for slope in slopes):
                found = [w if s is None else s for s, w in zip(slopes, given.tolist(), strict=True)]
                return f"w{self.index}(t, q)", "gap", found, given.tolist()
        if contact.w_tilde_N is not None:
            rate = self.w_tilde_N(t, q)
            step = _step(t, _TIME_SCALE, 3)
            slope = _disagreement(rate, lambda s: self.gap(t + s, q), step)
            if slope is not None:
                return f"w_tilde{self.index}(t, q)", "gap", slope, rate
        if contact.w_bar_N is not None:
            bend = self.w_bar_N(t, q, u)
            step = self._time_step(t, q, u, 4)
            slope = _disagreement(bend, lambda s: self.gap(t + s, q + s * u), step, second=True)
            if slope is not None:
                return f"w_bar{self.index}(t, q, u)", "gap along the motion", slope, bend
        return None


def _disagreement(
    value: float,
    function: Callable[[float], float],
    step: float,
    allowance: float = 0.0,
    *,
    second: bool = False,
) -> float | None:
    """Return the derivative of `function` at 0 by differences, if `value` clearly differs from it.

    At a kink, any value between the derivatives on both sides is correct. The result is also None
    if two step sizes disagree.
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

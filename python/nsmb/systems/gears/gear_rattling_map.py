"""The map of one-stage gear rattling from impact to impact: (12.15), (12.16)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import as_number

__all__ = ["GearRattlingMap", "Impacts"]

Vector = NDArray[np.float64]

_ROUNDING = float(np.finfo(float).eps)
_LONGEST = 1e4  # longest flight; after it no impact is expected
_SLOWEST = 1e-10  # smallest ṡ after an impact; slower flights end within rounding


@dataclass(frozen=True, eq=False)
class Impacts:
    """Impacts of a loose wheel in chronological order, arrays of shape (k,)."""

    tau: Vector
    """Times of the impacts."""
    s: Vector
    """0 for the driving, -1 for the driven flank."""
    s_dot_minus: Vector
    """Relative velocities before the impacts."""
    s_dot_plus: Vector
    """Relative velocities after the impacts."""
    status: str
    """``finished``; ``sticks``: impacts accumulate; ``floats``: no impact follows."""


@dataclass(frozen=True)
class GearRattlingMap:
    """The exact motion of :func:`gear_rattling` from impact to impact, (12.15) and (12.16).

    The flight has a closed form. The time of the next impact is found by steps that cannot skip an
    impact. The map shares no code with the simulation. It is a reference for the simulation, and a
    fast way to compute long series of impacts. It does not cover a wheel that stays on a flank.

    Raises
    ------
    ValueError
        If a number is not finite, ``beta < 0`` or ``e`` is outside [0, 1].
    """

    alpha: float
    """Amplitude of the driving wheel."""
    beta: float
    """Damping; 0 gives the undamped map (12.19) if `gamma` is 0, too."""
    gamma: float
    """Drag moment."""
    e: float
    """Restitution."""

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma", "e"):
            object.__setattr__(self, name, as_number(name, getattr(self, name)))
        if self.beta < 0.0:
            raise ValueError(f"beta: expected a number >= 0, got {self.beta:g}")
        if not 0.0 <= self.e <= 1.0:
            raise ValueError(f"e: expected a number in [0, 1], got {self.e:g}")

    def flight(self, tau: float, s: float, s_dot: float, delta: float) -> tuple[float, float]:
        """Return s and ṡ at τ + `delta` for a flight from τ with `s` and `s_dot` (12.16)."""
        x = self.beta * delta
        decay = math.exp(-x)
        rise = _first(x) * delta  # (1 - exp(-β Δτ))/β
        own = s_dot - self.alpha * math.cos(tau)
        drag = self.gamma * delta * delta * _second(x)  # γ/β (Δτ - (1 - exp(-β Δτ))/β)
        swing = self.alpha * (math.sin(tau + delta) - math.sin(tau))
        s_dot_end = self.alpha * math.cos(tau + delta) + own * decay + self.gamma * rise
        return s + swing + own * rise + drag, s_dot_end

    def next_impact(self, tau: float, s: float, s_dot: float) -> tuple[float, float, float] | None:
        """Return τ, s and ṡ before the impact that ends a flight; s is exactly 0 or -1.

        Return None if there is no impact within a time of 10⁴: a damped wheel without drag can
        float in its backlash.

        Raises
        ------
        ValueError
            If the start is outside the backlash, or on a flank without a velocity away from it.
        """
        if not -1.0 <= s <= 0.0:
            raise ValueError(f"s: expected a number in [-1, 0], got {s:g}")
        if (s == 0.0 and s_dot >= 0.0) or (s == -1.0 and s_dot <= 0.0):
            raise ValueError(
                f"s_dot: expected a velocity away from the flank at s = {s:g}, got {s_dot:g}"
            )
        # bound of |s̈| from the second derivative of (12.16): swing + own exp(-β Δτ)
        swing = abs(self.alpha)
        own = abs(self.beta * (s_dot - self.alpha * math.cos(tau)) - self.gamma)
        if swing + own == 0.0:
            end = 0.0 if s_dot > 0.0 else -1.0
            return None if s_dot == 0.0 else (tau + (end - s) / s_dot, end, s_dot)
        delta, position, velocity = 0.0, s, s_dot
        while delta < _LONGEST:
            bound = swing + own * math.exp(-self.beta * delta)
            to_driving = _safe_step(-position, -velocity, bound)
            to_driven = _safe_step(position + 1.0, velocity, bound)
            step = min(to_driving, to_driven, _LONGEST)
            delta += step
            position, velocity = self.flight(tau, s, s_dot, delta)
            if step <= 4.0 * _ROUNDING * delta:
                return tau + delta, 0.0 if to_driving < to_driven else -1.0, velocity
        return None

    def iterate(self, tau: float, s: float, s_dot: float, count: int) -> Impacts:
        """Return the next `count` impacts of a flight that starts at τ with `s` and `s_dot`.

        Raises
        ------
        ValueError
            As for :meth:`next_impact`, or if `count` is below 1.
        """
        if count < 1:
            raise ValueError(f"count: expected a number >= 1, got {count}")
        rows = np.empty((4, count))
        done, status = count, "finished"
        for k in range(count):
            impact = self.next_impact(tau, s, s_dot)
            if impact is None:
                done, status = k, "floats"
                break
            tau, s, before = impact
            s_dot = -self.e * before  # (12.15)
            rows[:, k] = tau, s, before, s_dot
            if abs(s_dot) < _SLOWEST:
                done, status = k + 1, "sticks"
                break
        times, flanks, minus, plus = rows[:, :done]
        return Impacts(times, flanks, minus, plus, status)

    def jacobian(self, tau: float, s_dot_minus: float, tau_next: float) -> Vector:
        """Return the derivative M_f M_s of (τ, s, ṡ⁻) of an impact by those of the previous one.

        Parameters
        ----------
        tau, s_dot_minus : float
            Time and velocity of an impact.
        tau_next : float
            Time of the next impact.

        Returns
        -------
        ndarray, (3, 3)
            The product over impacts gives (12.13). One exponent is 0, for a constant offset of s.
        """
        delta = tau_next - tau
        s_dot = -self.e * s_dot_minus
        x = self.beta * delta
        decay, rise = math.exp(-x), _first(x) * delta
        own = s_dot - self.alpha * math.cos(tau)
        _, velocity = self.flight(tau, 0.0, s_dot, delta)
        # s̈ at the end of the flight, (12.14)
        acceleration = (
            self.gamma
            - self.alpha * math.sin(tau_next)
            + self.beta * (self.alpha * math.cos(tau_next) - velocity)
        )
        # At fixed τ_{k+1}, the velocity own + α cos τ changes with the start time by -α sin τ.
        early = self.alpha * math.sin(tau) + self.beta * own - self.gamma
        later = -s_dot + early * rise  # ∂s(τ_{k+1})/∂τ_k
        later_dot = early * decay  # ∂ṡ(τ_{k+1})/∂τ_k
        # s(τ_{k+1}) - s_k is fixed, so τ_{k+1} changes.
        end = np.array([-later / velocity, 0.0, -rise / velocity])
        M_f = np.array(
            [
                end,
                [0.0, 1.0, 0.0],
                [later_dot + acceleration * end[0], 0.0, decay + acceleration * end[2]],
            ]
        )
        return M_f @ np.diag([1.0, 1.0, -self.e])

    def determinant(self, tau: float, s_dot_minus: float, tau_next: float) -> float:
        """Return det(M_f M_s) by the formula before (12.17); arguments as for :meth:`jacobian`."""
        delta = tau_next - tau
        _, velocity = self.flight(tau, 0.0, -self.e * s_dot_minus, delta)
        return self.e**2 * s_dot_minus / velocity * math.exp(-self.beta * delta)


def _first(x: float) -> float:
    """Return (1 - exp(-x))/x."""
    return -math.expm1(-x) / x if x > 0.0 else 1.0


def _second(x: float) -> float:
    """Return (x - 1 + exp(-x))/x², by its series where the difference would cancel."""
    if x > 0.5:
        return (x + math.expm1(-x)) / (x * x)
    term, total = 0.5, 0.0
    for k in range(3, 19):  # 0.5^16/18! is below rounding
        total += term
        term *= -x / k
    return total


def _safe_step(gap: float, rate: float, bound: float) -> float:
    """Return the longest step in which a gap with a second derivative above -`bound` stays open."""
    root = math.sqrt(rate * rate + 2.0 * bound * max(gap, 0.0))
    if rate > 0.0:
        return (rate + root) / bound if bound > 0.0 else math.inf
    # Equivalent form of the root without cancellation.
    return 2.0 * max(gap, 0.0) / (root - rate or 1.0)

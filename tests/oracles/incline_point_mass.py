"""Closed forms of a point mass launched on an inclined plane with Coulomb friction.

x points down the plane, y across it, k = mu/tan(delta), psi = angle of the velocity against
downhill.  With T = tan(psi/2), which falls from T_0 towards 0,

    v = p T^(k-1) (1 + T^2)/2,          p = v_0 sin(psi_0)/T_0^k  (so that v(psi_0) = v_0)
    dt/dT = -p/(2 g s) T^(k-2) (1 + T^2),
    dx/dT = -p^2/(4 g s) T^(2k-3) (1 - T^4),
    dy/dT = -p^2/(2 g s) T^(2k-2) (1 + T^2),        s = sin(delta).

k > 1: the mass stops. k = 1: it tends to a downhill motion with v (1 + cos psi)/2. k < 1: it
accelerates. The ODE in psi, `by_angle`, is an independent numerical solution. Units: SI.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import atan, cos, exp, inf, log, pi, sin, tan

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = NDArray[np.float64]


def _power(n: float, low: float, high: float) -> float:
    """Integral of T^n from low to high; inf if it diverges at low = 0."""
    if n == -1.0:
        return log(high / low) if low > 0.0 else inf
    if low == 0.0:
        return high ** (n + 1.0) / (n + 1.0) if n > -1.0 else inf
    return (high ** (n + 1.0) - low ** (n + 1.0)) / (n + 1.0)


@dataclass(frozen=True)
class Launch:
    """A launch from the origin with speed v_0 at the angle psi_0 in (0, pi) from downhill."""

    mu: float
    delta: float
    v_0: float
    psi_0: float = 0.5 * pi
    g: float = 9.81

    @cached_property
    def k(self) -> float:
        return self.mu / tan(self.delta)

    @cached_property
    def T_0(self) -> float:
        return tan(0.5 * self.psi_0)

    @cached_property
    def p(self) -> float:
        return self.v_0 * sin(self.psi_0) / self.T_0**self.k

    @cached_property
    def pull(self) -> float:
        return self.g * sin(self.delta)

    def speed(self, psi: float) -> float:
        """Return the speed (hodograph). Its limit for psi -> 0 is 0, p/2, inf for k >, =, < 1."""
        return 0.5 * self.p * tan(0.5 * psi) ** (self.k - 1.0) / cos(0.5 * psi) ** 2

    def at_angle(self, psi: float) -> tuple[float, float, float]:
        """Return (t, x, y) when the velocity has rotated to psi. psi = 0 is the limit."""
        low, high, k = tan(0.5 * psi), self.T_0, self.k
        t = _power(k - 2.0, low, high) + _power(k, low, high)
        x = _power(2.0 * k - 3.0, low, high) - _power(2.0 * k + 1.0, low, high)
        y = _power(2.0 * k - 2.0, low, high) + _power(2.0 * k, low, high)
        q = self.p**2 / (4.0 * self.pull)
        return 0.5 * self.p / self.pull * t, q * x, 2.0 * q * y

    @property
    def stop(self) -> tuple[float, float, float]:
        """The stop (t, x, y), infinite for k <= 1 (y is finite if k > 1/2)."""
        return self.at_angle(0.0)

    def state(self, t: float) -> Array:
        """Return (x, y, xdot, ydot) at t >= 0."""
        if t == 0.0:
            return np.array([0.0, 0.0, self.v_0 * cos(self.psi_0), self.v_0 * sin(self.psi_0)])
        t_stop, x, y = self.stop
        if t >= t_stop:
            return np.array([x, y, 0.0, 0.0])

        def late(log_t: float) -> float:
            return self.at_angle(2.0 * atan(exp(log_t)))[0] - t

        high = log(self.T_0)
        low = high - 1.0
        while late(low) < 0.0:
            low = high + 2.0 * (low - high)
        psi = 2.0 * atan(exp(brentq(late, low, high, xtol=1e-15)))
        _, x, y = self.at_angle(psi)
        v = self.speed(psi)
        return np.array([x, y, v * cos(psi), v * sin(psi)])

    def by_angle(self, psi: float, rtol: float = 1e-13) -> Array:
        """Return (v, t, x, y) at psi > 0 by integration over the angle from psi_0 down.

        vdot = g s (cos psi - k), v psidot = -g s sin psi, independent of the closed forms.
        """

        def rhs(angle: float, z: Array) -> list[float]:
            dt = -z[0] / (self.pull * sin(angle))
            power = self.pull * (cos(angle) - self.k)
            return [power * dt, dt, z[0] * cos(angle) * dt, z[0] * sin(angle) * dt]

        start = [self.v_0, 0.0, 0.0, 0.0]
        run = solve_ivp(rhs, (self.psi_0, psi), start, "DOP853", rtol=rtol, atol=1e-18)
        if not run.success:
            raise RuntimeError(run.message)
        return np.asarray(run.y[:, -1])

"""Runge-Kutta steps with a constant held force, and the motion of a bar after an impact.

The steps are written out stage by stage. The bar hits a rigid wall.

Source: S. Ebrahimi, A Contribution to Computational Contact Procedures in Flexible Multibody
Systems, Stuttgart 2007, appendix A; Hairer, Wanner, Solving ODE II, section IV.8.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import fsolve

Array = NDArray[np.float64]
Acceleration = Callable[[float, Array, Array], Array]


def rk4(a: Acceleration, t: float, h: float, q: Array, u: Array) -> tuple[Array, Array]:
    """Return the step (A.4)-(A.11)."""
    a_1 = a(t, q, u)
    u_2 = u + 0.5 * h * a_1
    a_2 = a(t + 0.5 * h, q + 0.5 * h * u, u_2)
    u_3 = u + 0.5 * h * a_2
    a_3 = a(t + 0.5 * h, q + 0.5 * h * u_2, u_3)
    u_4 = u + h * a_3
    a_4 = a(t + h, q + h * u_3, u_4)
    return q + h * u + h * h / 6.0 * (a_1 + a_2 + a_3), u + h / 6.0 * (
        a_1 + 2 * a_2 + 2 * a_3 + a_4
    )


def euler(a: Acceleration, t: float, h: float, q: Array, u: Array) -> tuple[Array, Array]:
    """Return the step with the initial force throughout."""
    return q + h * u + 0.5 * h * h * a(t, q, u), u + h * a(t, q, u)


def radau_nodes() -> tuple[Array, Array]:
    """Return c and A of Radau IIA by collocation at the roots of (x² (x - 1)³)''."""
    roots = np.sort(np.roots(np.polyder(np.poly([0.0, 0.0, 1.0, 1.0, 1.0]), 2)).real)
    c = np.array([roots[0], roots[1], 1.0])
    powers = np.vander(c, 3, increasing=True)  # ∫_0^{c_i} x^k = c_i^{k+1}/(k+1)
    A = (c[:, None] * powers / np.arange(1, 4)) @ np.linalg.inv(powers)
    return c, A


def radau(a: Acceleration, t: float, h: float, q: Array, u: Array) -> tuple[Array, Array]:
    """Return the step with stages from a general nonlinear solver."""
    c, A = radau_nodes()
    n = q.size

    def rest(z: Array) -> Array:
        Q, U = z.reshape(2, 3, n)
        rates = np.array([a(t + c[i] * h, q + Q[i], u + U[i]) for i in range(3)])
        return np.concatenate([(Q - h * A @ (u + U)).ravel(), (U - h * A @ rates).ravel()])

    z = fsolve(rest, np.zeros(6 * n), xtol=1e-14)
    Q, U = z.reshape(2, 3, n)
    return q + Q[2], u + U[2]


STEPS = {"euler": euler, "rk4": rk4, "radau": radau}

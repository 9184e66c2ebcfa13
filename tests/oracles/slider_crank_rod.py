"""A slider-crank whose rod bends in two half waves and stretches by a parabola.

Lagrange's equations in the four modal coordinates follow from the energies by SymPy.

With an axial mass 15 times too large and without rotary inertia of sections, it is the problem
"slider crank" of the Test Set for IVP Solvers (Simeon 1998). Its final state is published.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]
L_1, L_2, D, RHO, M_3, OMEGA = 0.15, 0.3, 0.008, 7870.0, 0.075552, 150.0
START = np.array(
    [0.0, 0.0, 0.103339863e-4, 0.169327969e-4,
     0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5]
)  # fmt: skip
"""Modal coordinates and rates as printed in the Test Set."""
PUBLISHED = {
    "phi_2": -3.311734987910881e-01,
    "x_3": 1.697373326718410e-01,
    "q": [1.893192460247178e-04, 2.375751865617931e-05, -5.323907988763734e-06,
          -8.363283141616840e-06],
}  # fmt: skip
"""Published values at 0.1 s."""


@cache
def equations() -> Callable[..., Any]:
    """Return a function for M (4, 4), h (4, 1), φ_2 and x_3.

    Its arguments are t, q (4), q̇ (4), the axial mass, the rotary inertia of sections, and E.
    """
    t, s, axial, turning, E = sp.symbols("t s axial turning E")
    q, v = sp.symbols("q1:5"), sp.symbols("v1:5")
    w, u, w_t, u_t = (sp.Matrix(z) for z in (q[:2], q[2:], v[:2], v[2:]))
    W = sp.Matrix([sp.sin(sp.pi * s), sp.sin(2 * sp.pi * s)])
    U = sp.Matrix([4 * s * (1 - s), s * (2 * s - 1)])

    def mean(of: Any) -> Any:
        return of.applyfunc(lambda f: sp.integrate(sp.expand(f), (s, 0, 1)))

    def rate(of: Any) -> Any:
        return sp.diff(of, t) + sum(sp.diff(of, x) * y for x, y in zip(q, v, strict=True))

    A, inertia = D**2, D**4 / 12
    mass = RHO * A * L_2
    phi_1, length = OMEGA * t, L_2 + q[3]
    phi_2 = -sp.asin(L_1 * sp.sin(phi_1) / length)
    x_3 = L_1 * sp.cos(phi_1) + length * sp.cos(phi_2)
    o = rate(phi_2)
    # In the frame of the rod, its start has velocity (X, Y), a point X + u̇ - o w, Y + ẇ + o (x +
    # u).
    X, Y = L_1 * OMEGA * sp.sin(phi_2 - phi_1), L_1 * OMEGA * sp.cos(phi_2 - phi_1)
    own = axial * (u_t.T * mean(U * U.T) * u_t)[0] + (w_t.T * mean(W * W.T) * w_t)[0]
    swept = axial * (u.T * mean(U * U.T) * u)[0] + (w.T * mean(W * W.T) * w)[0]
    cross = (u.T * mean(U * W.T) * w_t)[0] - (u_t.T * mean(U * W.T) * w)[0]
    T = mass / 2 * (X**2 + Y**2 + own + o**2 * (L_2**2 / 3 + swept + 2 * L_2 * mean(s * U).dot(u)))
    T += mass * X * (mean(U).dot(u_t) - o * mean(W).dot(w))
    T += mass * Y * (mean(W).dot(w_t) + o * (L_2 / 2 + mean(U).dot(u)))
    T += mass * o * (L_2 * mean(s * W).dot(w_t) + cross)
    slope = sp.diff(W, s) / L_2
    bends = 2 * o * mean(slope).dot(w_t) + (w_t.T * mean(slope * slope.T) * w_t)[0]
    T += RHO * inertia * L_2 / 2 * (o**2 + turning * bends) + M_3 / 2 * rate(x_3) ** 2
    curved = sp.diff(W, s, 2) / L_2**2
    stretched = sp.diff(U, s) / L_2
    V = E * inertia * L_2 / 2 * (w.T * mean(curved * curved.T) * w)[0]
    V += E * A * L_2 / 2 * (u.T * mean(stretched * stretched.T) * u)[0]
    p = [sp.diff(T, x) for x in v]
    M = sp.Matrix(4, 4, lambda i, k: sp.diff(p[i], v[k]))
    h = sp.Matrix([sp.diff(T - V, q[i]) - rate(p[i]) for i in range(4)])
    return sp.lambdify((t, q, v, axial, turning, E), (M, h, phi_2, x_3), "numpy", cse=True)  # type: ignore[no-any-return]


def motion(
    times: Array, start: Array, axial: float = 1.0, turning: float = 1.0, E: float = 2e11
) -> Array:
    """Return the modal coordinates from times[0] on, shape (t, 4)."""
    of = equations()

    def rates(t: float, y: Array) -> Array:
        M, h, *_ = of(t, y[:4], y[4:], axial, turning, E)
        return np.concatenate([y[4:], np.linalg.solve(M, h.ravel())])

    span = (times[0], times[-1])
    run = solve_ivp(rates, span, start, "DOP853", t_eval=times, rtol=1e-9, atol=1e-13)
    return np.asarray(run.y[:4].T)

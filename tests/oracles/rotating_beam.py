"""Vibration of a uniform beam clamped to a rotating hub of radius zero, by the Ritz method.

The Euler-Bernoulli beam has no rotary inertia and no stretch. Functions are Legendre polynomials.

EI w'''' - (N w')' + ρA ẅ = 0, N = ½ ρA Ω² (L² - x²); with an additional -ρA Ω² w in the plane of
the hub. Lengths are in L, times in √(ρA L⁴/EI).
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

Array = NDArray[np.float64]


def flap_frequencies(Omega: float, count: int = 2, degree: int = 16) -> Array:
    """Return increasing frequencies of bending out of the plane of the hub.

    In it, ω² is less by Ω².
    """
    xi, weights = legendre.leggauss(2 * degree)
    x, weights = 0.5 * (xi + 1.0), 0.5 * weights
    w, slope, bend = [], [], []
    for k in range(degree):  # x² P_k(2 x - 1)
        p = legendre.Legendre.basis(k, domain=[0.0, 1.0])
        p_1, p_2 = p.deriv(), p.deriv(2)
        w.append(x**2 * p(x))
        slope.append(2.0 * x * p(x) + x**2 * p_1(x))
        bend.append(2.0 * p(x) + 4.0 * x * p_1(x) + x**2 * p_2(x))
    W, S, B = (np.array(rows) for rows in (w, slope, bend))
    tension = 0.5 * Omega**2 * (1.0 - x**2)
    K = (B * weights) @ B.T + (S * weights * tension) @ S.T
    root = np.linalg.cholesky((W * weights) @ W.T)
    inner = np.linalg.solve(root, np.linalg.solve(root, K).T)
    return np.sqrt(np.linalg.eigvalsh(0.5 * (inner + inner.T)))[:count]

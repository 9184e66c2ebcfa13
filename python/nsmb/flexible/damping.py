"""Damping of elastic coordinates: Rayleigh damping, (2.45)-(2.47), and damping ratios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import as_array

__all__ = ["damping_matrix", "modes_of", "rayleigh_fit"]

Array = NDArray[np.float64]


def rayleigh_fit(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Return α and β of d_ee = α m_ee + β k_ee from two points (ω, ξ), (2.46)-(2.47).

    The damping ratio is ξ(ω) = α/(2ω) + βω/2.

    Parameters
    ----------
    first, second : (float, float)
        Frequency ω in rad/s, and damping ratio ξ at this frequency.

    Returns
    -------
    alpha : float
        Coefficient of the mass matrix in 1/s.
    beta : float
        Coefficient of the stiffness matrix in s.

    Raises
    ------
    ValueError
        If frequencies are equal or not positive, or if the ratios require α or β < 0. Such damping
        would add energy at other frequencies.

    Examples
    --------
    >>> import nsmb
    >>> alpha, beta = nsmb.flexible.rayleigh_fit((40.0, 0.01), (80.0, 0.015))
    >>> round(alpha / 80.0 + beta * 20.0, 12), round(alpha / 160.0 + beta * 40.0, 12)
    (0.01, 0.015)
    """
    (w_1, xi_1), (w_2, xi_2) = (as_array("point", p, (2,)).tolist() for p in (first, second))
    if not (w_1 > 0.0 and w_2 > 0.0 and w_1 != w_2):
        raise ValueError(f"frequencies: must be two distinct numbers > 0, got {w_1}, {w_2}")
    alpha = 2.0 * w_1 * w_2 * (xi_1 * w_2 - xi_2 * w_1) / (w_2**2 - w_1**2)  # (2.46)
    beta = 2.0 * (xi_2 * w_2 - xi_1 * w_1) / (w_2**2 - w_1**2)  # (2.47)
    if alpha < 0.0 or beta < 0.0:
        raise ValueError(
            "shares: must not require negative damping at other frequencies, got alpha "
            f"{alpha:.6g} and beta {beta:.6g}; the share of the higher frequency lies between "
            "w_1/w_2 and w_2/w_1 times that of the lower one"
        )
    return alpha, beta


def modes_of(M: Array, K: Array) -> tuple[Array, Array]:
    """Return frequencies (n,) in rad/s, and modes (n, n) of modal mass 1."""
    root = np.linalg.cholesky(M)
    squares, V = np.linalg.eigh(np.linalg.solve(root, np.linalg.solve(root, K).T))
    return np.sqrt(np.maximum(squares, 0.0)), np.asarray(np.linalg.solve(root.T, V))


def damping_matrix(
    M: Array, K: Array, ratio: float | Sequence[float], rayleigh: tuple[float, float]
) -> Array:
    """Return d_ee from damping ratios of the modes of M and K, plus α M + β K."""
    n = len(M)
    try:
        shares: Any = np.asarray(ratio, dtype=float)
    except (TypeError, ValueError):
        shares = np.full(n, np.nan)
    if shares.shape not in ((), (n,)) or not (np.isfinite(shares) & (shares >= 0.0)).all():
        raise ValueError(
            f"damping_ratio: expected a number >= 0, or one for each of {n} modes, got {ratio!r}"
        )
    alpha, beta = as_array("rayleigh", rayleigh, (2,)).tolist()
    if alpha < 0.0 or beta < 0.0:
        raise ValueError(f"rayleigh: expected alpha >= 0 and beta >= 0, got {alpha}, {beta}")
    frequencies, V = modes_of(M, K)
    MV = M @ V
    D = (MV * (2.0 * shares * frequencies)) @ MV.T
    return np.asarray(0.5 * (D + D.T) + alpha * M + beta * K)  # (2.45)

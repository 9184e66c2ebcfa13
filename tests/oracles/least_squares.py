"""Nonnegative least squares, ``min |A x - b|`` over ``x >= 0``.

SciPy's `nnls` returns points that are not optimal in versions below 1.16, without a warning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

Array = NDArray[np.float64]


def nonnegative(A: Array, b: Array) -> tuple[Array, float]:
    """Return x and the residual norm. Raises RuntimeError without a solution."""
    if A.shape[1] == 0:
        return np.zeros(0), float(np.linalg.norm(b))
    most = 100 * A.shape[1]
    found = lsq_linear(A, b, bounds=(0.0, np.inf), method="bvls", tol=1e-14, max_iter=most)
    if not found.success:
        raise RuntimeError(f"nonnegative least squares: {found.message}")
    x = np.maximum(found.x, 0.0)
    return x, float(np.linalg.norm(A @ x - b))

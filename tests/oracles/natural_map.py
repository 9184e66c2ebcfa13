"""The natural map, the error of contact forces in published comparisons of solvers.

With ``u = W r + q`` and ``z = u + (mu |u_T| + mu_R |u_R|) e_N`` for each contact, forces r solve
the problem if ``r = proj_K(r - z)``. K is the cone ``|r_T| <= mu r_N, |r_R| <= mu_R r_N``. The
error is the norm of the difference over the norm of q.

Source: V. Acary, M. Brémond, O. Huber, *On solving contact problems with Coulomb friction:
formulations and numerical comparisons*, INRIA RR-9118 (2018), 2.3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def project(r: Array, mu: float, mu_R: float = 0.0) -> Array:
    """Return the nearest point of the cone to r, of (N, T1, T2, R1, R2) or fewer entries."""
    tangents = min(len(r) - 1, 2)
    parts = [(r[1 : 1 + tangents], mu), (r[3:], mu_R)]
    sizes = [(float(np.linalg.norm(part)), slope) for part, slope in parts if part.size]
    # The squared distance to the points with normal force t is smallest where its derivative
    # t - r_N - sum of mu (size - mu t) vanishes; the sum goes over parts longer than mu t.
    corners = sorted(size / slope for size, slope in sizes if slope > 0.0)
    best = 0.0
    for low, high in zip([0.0, *corners], [*corners, np.inf], strict=True):
        outside = [(s, m) for s, m in sizes if m > 0.0 and s / m >= high]
        t = (r[0] + sum(m * s for s, m in outside)) / (1.0 + sum(m * m for _, m in outside))
        if low <= t <= high:
            best = t
    out = np.zeros_like(r)
    out[0] = best
    start = 1
    for part, slope in parts:
        size = np.linalg.norm(part)
        keep = 1.0 if size <= slope * best else slope * best / size
        out[start : start + part.size] = keep * part
        start += part.size
    return out


def error(r: Array, u: Array, q: Array, mu: Array, rows: int, mu_R: Array | None = None) -> float:
    """Return the norm of the natural map over the norm of q, or over 1 if q is zero."""
    total = 0.0
    for k, m in enumerate(mu):
        part = slice(rows * k, rows * k + rows)
        z, force = u[part].copy(), r[part]
        m_R = 0.0 if mu_R is None else float(mu_R[k])
        z[0] += m * np.linalg.norm(z[1:3]) + m_R * np.linalg.norm(z[3:])
        total += float(np.sum((force - project(force - z, float(m), m_R)) ** 2))
    return float(np.sqrt(total) / (np.linalg.norm(q) or 1.0))

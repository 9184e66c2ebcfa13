"""Mixed complementarity problems for tests, with references that do not use the library."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def residual(F: Array, lower: Array, upper: Array, x: Array, scale: float = 1.0) -> float:
    """Return the natural residual, with a scale chosen by the caller."""
    miss = x - np.clip(x - F, lower, upper)
    return float(np.abs(miss).max(initial=0.0) / max(1.0, scale))


def regular_solutions(A: Array, b: Array, lower: Array, upper: Array) -> list[Array]:
    """Return the solutions on the pieces with a regular matrix, by brute force over 3^n pieces."""
    n = len(b)
    found: list[Array] = []
    for piece in itertools.product((-1, 0, 1), repeat=n):
        state = np.array(piece)
        x = np.where(state < 0, lower, np.where(state > 0, upper, 0.0))
        if not np.isfinite(x).all():
            continue
        inside = np.flatnonzero(state == 0)
        if inside.size > 0:
            block = A[np.ix_(inside, inside)]
            if abs(np.linalg.det(block)) < 1e-10:
                continue
            x[inside] = -np.linalg.solve(block, b[inside] + A[inside] @ x)
        if residual(A @ x + b, lower, upper, x, float(np.abs(b).max())) > 1e-9:
            continue
        if not any(np.allclose(x, known, rtol=1e-7, atol=1e-9) for known in found):
            found.append(x)
    return found


def definite(rng: np.random.Generator, n: int) -> Array:
    """Positive definite, not symmetric: exactly one solution for every b and all bounds."""
    root, skew = rng.standard_normal((2, n, n))
    return root @ root.T + 0.1 * np.eye(n) + skew - skew.T


def p_matrix(rng: np.random.Generator, n: int) -> Array:
    """All principal minors positive by diagonal dominance, far from definite due to its scaling."""
    A = rng.uniform(-1.0, 1.0, (n, n))
    np.fill_diagonal(A, np.abs(A).sum(axis=1) + 0.1)
    return np.exp(rng.uniform(-3.0, 3.0, n))[:, None] * A * np.exp(rng.uniform(-3.0, 3.0, n))


def random_bounds(rng: np.random.Generator, n: int, share: float = 0.7) -> tuple[Array, Array]:
    """Return bounds around zero, each finite with probability `share`, some pairs fixed."""
    lower = np.where(rng.random(n) < share, -2.0 * rng.random(n), -np.inf)
    upper = np.where(rng.random(n) < share, 2.0 * rng.random(n), np.inf)
    fixed = (rng.random(n) < 0.1) & np.isfinite(lower)
    return lower, np.where(fixed, lower, upper)


def tower(
    n: int, t: float = 0.0, *, mu: float = 0.3, seed: int = 0
) -> tuple[Array, Array, Array, Array]:
    """Return a stack of n blocks pulled horizontally: (A, b, lower, upper) for x = lambda_T.

    Interface i carries block i and all above. With pulls that vary with t, each interface would
    need between -1.5 and 1.5 times its maximum friction if all were to stick. A = W_Tᵀ M⁻¹ W_T is
    tridiagonal, F = W_Tᵀ u̇ the sliding accelerations.
    """
    rng = np.random.default_rng(seed)
    m = rng.uniform(0.5, 2.0, n)
    bound = mu * 9.81 * np.cumsum(m[::-1])[::-1]
    phase = rng.uniform(0.0, 2.0 * np.pi, n)
    needed = 1.5 * bound * np.cos(phase + t)
    pull = needed - np.append(needed[1:], 0.0)  # each interface carries the sum from above
    W_T = np.eye(n) - np.eye(n, k=1)
    A = W_T.T @ (W_T / m[:, None])
    return A, W_T.T @ (pull / m), -bound, bound

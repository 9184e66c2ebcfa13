"""Newton methods for mixed complementarity problems with thousands of rows.

`nsmb.complementarity.mcp.solve` calls them for sparse matrices.

They are two Newton methods for nonsmooth equations with one sparse LU factorisation per step.

* The first solves the natural map ``x = mid(l, x - F / d, u)``, where d is the size of the rows. It
  guesses the active bounds, solves an equation for the other unknowns, and updates the guess. It
  terminates after finitely many steps if A is an M-matrix, as in obstacle problems. Otherwise, it
  may cycle.
* The second solves ``Φ_i = φ(x_i - l_i, -φ(u_i - x_i, -F_i)) = 0`` with
  ``φ(a, b) = a + b - √(a² + b²)``. It has a line search on ``|Φ|²``.

Sources: M. Hintermüller, K. Ito, K. Kunisch, The primal-dual active set strategy as a semismooth
Newton method, *SIAM J. Optim.* 13 (2002). S. C. Billups, *Algorithms for complementarity problems
and generalized equations*, PhD thesis, Wisconsin (1995).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity.lcp import LcpStatus

__all__ = ["NewtonRun", "as_sparse", "is_sparse", "solve_by_newton"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_ARMIJO = 1e-4  # required fraction of the predicted decrease
_SHORTEST = 1e-12  # minimum step length of the line search
_SHIFTS = (0.0, 1e-10, 1e-6, 1e-3)  # tried in turn on the diagonal, relative to the largest entry
_KEPT = 5  # number of previous merits for the non-monotone line search


@dataclass(frozen=True, eq=False)
class NewtonRun:
    """The best point of a run, with its counts."""

    x: Floats
    F: Floats
    status: LcpStatus
    residual: float
    iterations: int
    factorizations: int
    message: str


def solve_by_newton(
    A: Any,
    b: Floats,
    low: Floats,
    high: Floats,
    start: Floats | None,
    *,
    max_iterations: int,
    max_time: float,
    accept_residual: float,
) -> NewtonRun:
    """Solve the problem for a square matrix from :func:`as_sparse` and checked vectors."""
    search = _Search(A, b, low, high, accept_residual)
    search.most = max_iterations
    search.end = time.monotonic() + max_time
    search.judge(np.clip(np.zeros(b.size) if start is None else start, low, high))
    if not search.done:
        search.guess_active()
    if not search.done:
        search.minimize()
    return search.result()


def is_sparse(A: Any) -> bool:
    """Return True for a sparse array or matrix of SciPy."""
    return hasattr(A, "tocsr")


def as_sparse(A: Any) -> Any:
    """Return `A` as a sparse square array of finite numbers."""
    from scipy import sparse

    matrix = sparse.csr_array(A if is_sparse(A) else np.asarray(A, dtype=np.float64))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"A: expected a square matrix, shape (n, n), got shape {matrix.shape}")
    if not np.isfinite(matrix.data).all():
        raise ValueError("A: expected finite entries")
    return matrix


class _Search:
    """A solve in progress: its data, the best point so far, and its counts."""

    def __init__(self, A: Any, b: Floats, low: Floats, high: Floats, accept: float) -> None:
        from scipy import sparse
        from scipy.sparse import linalg

        self._linalg = linalg
        self._sparse = sparse
        self.A, self.b, self.low, self.high = A, b, low, high
        self._scale = max(1.0, float(np.abs(b).max(initial=0.0)))
        self._accept = accept
        size = abs(A).max(axis=1).toarray().ravel() if A.shape[0] else np.zeros(0)
        diagonal = np.abs(A.diagonal())
        self._size = np.where(diagonal > 0.0, diagonal, np.where(size > 0.0, size, 1.0))
        self.best, self.residual = np.clip(np.zeros(b.size), low, high), np.inf
        self.most, self.end = 0, np.inf
        self.iterations = self.factorizations = 0

    @property
    def done(self) -> bool:
        return (
            self.residual <= self._accept
            or self.iterations >= self.most
            or time.monotonic() > self.end
        )

    def judge(self, x: Floats) -> None:
        """Clip a point to the bounds, and keep it if it is the best one."""
        inside = np.clip(x, self.low, self.high)
        F = self.A @ inside + self.b
        gap = np.abs(inside - np.clip(inside - F, self.low, self.high)).max(initial=0.0)
        residual = float(gap) / self._scale
        if residual < self.residual:
            self.best, self.residual = inside, residual

    def guess_active(self) -> None:
        """Run Newton's method on the natural map until it repeats a guess."""
        x = self.best
        seen = set()
        while not self.done:
            at = x - (self.A @ x + self.b) / self._size
            at_low, at_high = at <= self.low, at >= self.high
            key = (at_low.tobytes(), at_high.tobytes())
            if key in seen:
                return
            seen.add(key)
            free = np.flatnonzero(~(at_low | at_high))
            x = np.where(at_low, self.low, np.where(at_high, self.high, 0.0))
            self.iterations += 1
            if free.size:
                part = self._solve(self.A[free][:, free], -(self.b + self.A @ x)[free])
                if part is None:
                    return
                x[free] = part
            self.judge(x)

    def minimize(self) -> None:
        """Run Newton's method on Φ with a line search, from the best point."""
        rows = self._sparse.diags_array(1.0 / self._size)
        A, b = (rows @ self.A).tocsr(), self.b / self._size
        x = self.best
        phi, slope_x, slope_F = self._phi(x, A @ x + b)
        merits = [0.5 * float(phi @ phi)]
        while not self.done:
            self.iterations += 1
            jacobian = self._sparse.diags_array(slope_x) + self._sparse.diags_array(slope_F) @ A
            gradient = jacobian.T @ phi
            step = self._solve(jacobian.tocsc(), -phi)
            if step is None or not gradient @ step < 0.0:
                step = -gradient
            limit, fall, length = max(merits[-_KEPT:]), float(gradient @ step), 1.0
            while True:
                trial = x + length * step
                phi, slope_x, slope_F = self._phi(trial, A @ trial + b)
                merit = 0.5 * float(phi @ phi)
                if merit <= limit + _ARMIJO * length * fall:
                    break
                length *= 0.5
                if length < _SHORTEST:
                    return
            x = trial
            merits.append(merit)
            self.judge(x)

    def _phi(self, x: Floats, F: Floats) -> tuple[Floats, Floats, Floats]:
        """Return Φ and its derivatives with respect to x and F."""
        has_low, has_high = np.isfinite(self.low), np.isfinite(self.high)
        below = np.where(has_high, self.high - x, 1.0)
        inner, by_below, by_F = _fischer(below, -F)
        # Without an upper bound, φ(inf, -F) = -F.
        inner = np.where(has_high, inner, -F)
        by_below = np.where(has_high, by_below, 0.0)
        by_F = np.where(has_high, by_F, 1.0)
        above = np.where(has_low, x - self.low, 1.0)
        outer, by_above, by_inner = _fischer(above, -inner)
        outer = np.where(has_low, outer, -inner)
        by_above = np.where(has_low, by_above, 0.0)
        by_inner = np.where(has_low, by_inner, 1.0)
        return outer, by_above + by_inner * by_below, by_inner * by_F

    def _solve(self, matrix: Any, right: Floats) -> Floats | None:
        """Solve a linear system; return None if the matrix is singular even with shifts."""
        eye = self._sparse.eye_array(matrix.shape[0], format="csc")
        size = float(abs(matrix).max()) if matrix.nnz else 1.0
        for shift in _SHIFTS:
            self.factorizations += 1
            try:
                found = self._linalg.splu((matrix + shift * size * eye).tocsc()).solve(right)
            except RuntimeError:  # exactly singular
                continue
            if np.isfinite(found).all():
                return np.asarray(found, dtype=np.float64)
        return None

    def result(self) -> NewtonRun:
        run = f"n = {self.b.size}, {self.iterations} steps, residual {self.residual:.1e}"
        if self.residual <= self._accept:
            status, message = LcpStatus.SOLVED, f"Solved ({run})."
        elif self.iterations >= self.most or time.monotonic() > self.end:
            status = LcpStatus.ITERATION_LIMIT
            message = f"The budget is used up ({run}); x is the best point."
        else:
            status = LcpStatus.STALLED
            message = (
                f"No step gets any further ({run}); x is the best point. This does not prove that "
                "there is no solution: change x_start, or choose method='path'."
            )
        F = self.A @ self.best + self.b
        return NewtonRun(
            self.best, F, status, self.residual, self.iterations, self.factorizations, message
        )


def _fischer(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """Return ``a + b - √(a² + b²)`` and its derivatives, or generalised ones at the origin."""
    norm = np.hypot(a, b)
    safe = np.where(norm > 0.0, norm, 1.0)
    at_origin = norm == 0.0
    by_a = np.where(at_origin, 1.0 - np.sqrt(0.5), 1.0 - a / safe)
    by_b = np.where(at_origin, 1.0 - np.sqrt(0.5), 1.0 - b / safe)
    return a + b - norm, by_a, by_b

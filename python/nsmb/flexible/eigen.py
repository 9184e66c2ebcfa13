"""Static problems and eigenvalue problems of free and of held bodies."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["StaticSolver", "free_modes", "held_modes"]

Array = NDArray[np.float64]
_DENSE = 600  # unknowns up to which all modes are computed at once
_MANY = 40_000  # unknowns above which multigrid costs less than a factorisation
_RESIDUAL = 1e-5  # of the forces of the highest mode; frequencies are exact to its square


class StaticSolver:
    """The inverse K⁻¹ of a body with some unknowns held.

    The solver uses a factorisation, or multigrid for many unknowns if pyamg is installed.

    Parameters
    ----------
    K : (N, N) sparse array
    free : (k,) array
        Unknowns that are not held.
    near_kernel : (N, m) array
        Rigid motions, which the coarse levels of multigrid must contain.
    """

    def __init__(self, K: Any, free: NDArray[np.int64], near_kernel: Array) -> None:
        self._free = free
        self._size = K.shape[0]
        inner = K[free][:, free]
        self._solve = _factor(inner) if len(free) < _MANY else None
        if self._solve is None:
            amg = _multigrid(inner, near_kernel[free])
            self._solve = _factor(inner) if amg is None else _iterate(inner, amg)

    def __call__(self, F: Array) -> Array:
        """Return the displacements (N, k) under forces (N, k); zero for held unknowns."""
        assert self._solve is not None
        U = np.zeros((self._size, F.shape[1]))
        U[self._free] = self._solve(np.asarray(F[self._free]))
        return U


def _factor(A: Any) -> Callable[[Array], Array]:
    from scipy.sparse import linalg

    try:
        factor = linalg.splu(A.tocsc())
    except RuntimeError:
        raise ValueError("held: must leave no rigid motion, got too few held unknowns") from None
    return lambda F: np.asarray(factor.solve(F))


def _multigrid(A: Any, near_kernel: Array) -> Any:
    """Return the levels of smoothed aggregation, or None without pyamg."""
    try:
        import pyamg  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    return pyamg.smoothed_aggregation_solver(
        A.tocsr(), B=near_kernel, max_coarse=800, coarse_solver="splu"
    )


def _iterate(A: Any, levels: Any) -> Callable[[Array], Array]:
    from scipy.sparse import linalg

    M = levels.aspreconditioner(cycle="V")

    def solve(F: Array) -> Array:
        columns = []
        for f in F.T:
            x, failed = linalg.cg(A, f, rtol=1e-11, atol=0.0, M=M, maxiter=2000)
            if failed:
                raise ValueError(
                    "stiffness_matrix: must allow an iterative solution, but conjugate "
                    "gradients did not converge"
                )
            columns.append(x)
        return np.column_stack(columns) if columns else np.zeros(F.shape)

    return solve


def held_modes(K: Any, M: Any, free: NDArray[np.int64], count: int, rigid: Array) -> Array:
    """Return the lowest modes with all unknowns but `free` held, shape (N, count)."""
    inner_K, inner_M = K[free][:, free], M[free][:, free]
    modes = np.zeros((K.shape[0], count))
    if count:
        modes[free] = _lowest(inner_K, inner_M, count, None, rigid[free])
    return modes


def free_modes(K: Any, M: Any, count: int, rigid: Array) -> Array:
    """Return the lowest modes other than the rigid motions, shape (N, count)."""
    if not count:
        return np.zeros((K.shape[0], 0))
    return _lowest(K, M, count, rigid, rigid)


def _lowest(K: Any, M: Any, count: int, motions: Array | None, near: Array) -> Array:
    """Return modes, M-orthogonal to the rigid motions if there are any."""
    from scipy import linalg

    N = K.shape[0]
    skipped = 0 if motions is None else motions.shape[1]
    if count + skipped > N:
        raise ValueError(
            f"modes: must be at most {N - skipped}, the number of modes of the body, got {count}"
        )
    if N <= _DENSE or count + skipped > N // 4:
        last = skipped + count - 1
        _, V = linalg.eigh(K.toarray(), M.toarray(), subset_by_index=[skipped, last])
        return np.asarray(V)
    if N >= _MANY:
        levels = _multigrid(_shifted(K, M, motions), near)
        if levels is not None:
            return _by_blocks(K, M, count, motions, levels.aspreconditioner(cycle="V"))
    return _by_inversion(K, M, count, motions)


def _shifted(K: Any, M: Any, motions: Array | None) -> Any:
    """Return a positive definite matrix, with a shift that hardly changes elastic modes."""
    if motions is None:
        return K
    return K + (1e-9 * K.diagonal().sum() / M.diagonal().sum()) * M


def _by_blocks(K: Any, M: Any, count: int, motions: Array | None, preconditioner: Any) -> Array:
    """Return modes by LOBPCG, or by inversion if it does not converge."""
    from scipy.sparse import linalg

    rng = np.random.default_rng(0)  # for a reproducible start
    X = rng.standard_normal((K.shape[0], count + 3))
    for _ in range(2):
        X = np.column_stack([preconditioner @ column for column in (M @ _beside(X, M, motions)).T])
        X = _beside(X, M, motions)
    # Residuals refer to modes of modal mass 1.
    size = np.sqrt(M.diagonal().mean())
    tolerance = _RESIDUAL * _ritz(K, M, X)[0][count - 1] * size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # convergence is checked below
        _, V = linalg.lobpcg(
            K, X, B=M, M=preconditioner, Y=motions, largest=False, tol=tolerance, maxiter=40
        )
    squares, Y = _ritz(K, M, np.asarray(V))
    V, squares = np.asarray(V @ Y)[:, :count], squares[:count]
    left = np.linalg.norm(K @ V - np.asarray(M @ V) * squares, axis=0)
    good = left.max() <= 10.0 * _RESIDUAL * squares[-1] * size
    return V if good else _by_inversion(K, M, count, motions)


def _ritz(K: Any, M: Any, X: Array) -> tuple[Array, Array]:
    """Return the increasing Rayleigh quotients of a subspace, and their combinations."""
    from scipy import linalg

    squares, Y = linalg.eigh(X.T @ (K @ X), X.T @ (M @ X))
    return np.asarray(squares), np.asarray(Y)


def _beside(X: Array, M: Any, motions: Array | None) -> Array:
    """Return X made M-orthogonal to the rigid motions."""
    if motions is None:
        return X
    MR = np.asarray(M @ motions)
    return np.asarray(X - motions @ np.linalg.solve(motions.T @ MR, MR.T @ X))


def _by_inversion(K: Any, M: Any, count: int, motions: Array | None) -> Array:
    """Return modes by the Lanczos method with K⁻¹, or the pseudo-inverse for a free body."""
    from scipy.sparse import linalg

    N = K.shape[0]
    rng = np.random.default_rng(0)
    start = rng.standard_normal(N)
    if motions is None:
        solve = _factor(K)
        inverse = linalg.LinearOperator((N, N), matvec=lambda f: solve(np.asarray(f).ravel()))
    else:
        pseudo = pseudo_inverse(K, M, motions)
        inverse = linalg.LinearOperator(
            (N, N), matvec=lambda f: pseudo(np.asarray(f).reshape(N, 1)).ravel()
        )
        start = pseudo(start.reshape(N, 1)).ravel()
    squares, V = linalg.eigsh(
        K, count, M, sigma=0.0, which="LM", OPinv=inverse, v0=start, tol=1e-12
    )
    return np.asarray(V[:, np.argsort(squares)])


def pseudo_inverse(K: Any, M: Any, motions: Array) -> Callable[[Array], Array]:
    """Return the pseudo-inverse of K for a free body.

    Forces that accelerate the body as a whole are removed. Displacements are M-orthogonal to rigid
    motions.
    """
    free = _without_support(motions)
    static = StaticSolver(K, free, motions)
    M_motions = np.asarray(M @ motions)
    gram = motions.T @ M_motions

    def solve(F: Array) -> Array:
        balanced = F - M_motions @ np.linalg.solve(gram, motions.T @ F)
        U = static(balanced)
        result: Array = U - motions @ np.linalg.solve(gram, M_motions.T @ U)
        return result

    return solve


def _without_support(motions: Array) -> NDArray[np.int64]:
    """Return all unknowns except a minimal set, far apart, that supports the body."""
    from scipy import linalg

    scaled = motions / np.linalg.norm(motions, axis=0)
    _, _, order = linalg.qr(scaled.T, mode="economic", pivoting=True)
    return np.sort(np.asarray(order[motions.shape[1] :], dtype=np.int64))

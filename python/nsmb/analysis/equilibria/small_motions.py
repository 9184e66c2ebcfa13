"""Matrices of small motions that keep the contact states, and their eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.equilibria.rest import Rest
from nsmb.analysis.orbits.tangent import tangent_basis

__all__ = [
    "Eigenvectors",
    "SmallMotions",
    "conservative_motions",
    "eigenvectors",
    "neutral_values",
    "small_motions",
]

Vector = NDArray[np.float64]
Complex = NDArray[np.complex128]

_STEP = 6e-6  # of central differences, the cube root of the rounding error
_NOTHING = 100.0  # rows below this multiple of their difference error count as rounding
_KERNEL = 1e-7  # relative to a row: sums below may be zero up to difference errors
_EXACT = 1e-10  # relative to a row: sums below are zero
_RANK = 1e-9
_DIFFERENCES = 10.0  # error of differences, relative to the difference of two step sizes
_PASSES = 8  # of balancing; LAPACK's balancing stops as early
_NEARER = 0.5  # relative to the distance from the axis


@dataclass(frozen=True, eq=False)
class SmallMotions:
    """Small motions ``ż = A z`` with the change of state B z."""

    A: Vector
    """System matrix, shape (r, r)."""
    B: Vector
    """Basis of the state, shape (nq + nu + nx, r)."""
    noise: Vector
    """Error bound of the derivative along B, shape (nq + nu + nx, r)."""

    @property
    def error(self) -> Vector:
        """Error bound of A, shape (r, r)."""
        return np.asarray(np.abs(self.B.T) @ self.noise)


def small_motions(rest: Rest, y: Vector, fixed: NDArray[np.bool_] | None = None) -> SmallMotions:
    """Return the motions about y = (q, u, x) with the contact states of `rest`.

    Components in `fixed` do not move.
    """
    system = rest.system
    held = np.arange(y.size) >= system.nq + system.nu + rest.own
    if fixed is not None:
        held |= fixed
    B = tangent_basis(system, rest.t, y, rest.states, np.ones(y.size), held)
    J, noise = _derivative(rest, y, B)
    return SmallMotions(B.T @ J, B, noise)


def conservative_motions(rest: Rest, y: Vector) -> SmallMotions:
    """Return the motions ``M z̈ + G ż + K z = 0`` without damping.

    Of the forces along velocities only the gyroscopic ones are kept, the antisymmetric part of the
    derivative. Internal states are constant.
    """
    system = rest.system
    q, u = y[: system.nq], y[system.nq : system.nq + system.nu]
    kinematics = system.contact_kinematics(rest.t, q, u)
    held = [kinematics["W_N"][:, rest.closed], kinematics["W_T"][:, rest.stick]]
    if system.nb:
        held.append(system.constraint_kinematics(rest.t, q, u)["W"])
    T = _complement(np.hstack(held))
    M = system.mass_matrix(rest.t, q)
    pull = T.T @ M
    none = np.zeros((y.size, T.shape[1]))
    in_q, in_u = none.copy(), none.copy()
    in_q[: system.nq], in_u[system.nq : system.nq + system.nu] = T, T
    rows = slice(system.nq, system.nq + system.nu)
    along_q, noise = _derivative(rest, y, in_q)
    along_u, noise_u = _derivative(rest, y, in_u)
    K, D = -pull @ along_q[rows], -pull @ along_u[rows]
    reduced = pull @ T
    k = T.shape[1]
    below = -np.linalg.solve(reduced, np.hstack([K, 0.5 * (D - D.T)]))
    A = np.vstack([np.hstack([np.zeros((k, k)), np.eye(k)]), below])
    return SmallMotions(A, np.hstack([in_q, in_u]), np.hstack([noise, noise_u]))


def _derivative(rest: Rest, y: Vector, directions: Vector) -> tuple[Vector, Vector]:
    """Return the derivative (n, r) of the rates by central differences, and an error estimate.

    The estimate is the difference of two step sizes.
    """
    sides = []
    for size in (_STEP, 2.0 * _STEP):
        columns = [
            (rest.rates(y + size * way) - rest.rates(y - size * way)) / (2.0 * size)
            for way in directions.T
        ]
        sides.append(np.array(columns).reshape(-1, y.size).T)
    fine, coarse = sides
    return (4.0 * fine - coarse) / 3.0, np.abs(fine - coarse)


def _complement(W: Vector) -> Vector:
    """Return orthonormal directions orthogonal to the columns of W, shape (n, n - rank)."""
    if W.shape[1] == 0:
        return np.eye(W.shape[0])
    sizes = np.linalg.norm(W, axis=0)
    U, singular, _ = np.linalg.svd(W / np.where(sizes > 0.0, sizes, 1.0))
    return np.asarray(U[:, int((singular > _RANK).sum()) :])


@dataclass(frozen=True, eq=False)
class Eigenvectors:
    """Eigenvalues and eigenvectors of small motions, with exact zeros."""

    values: Complex
    """Eigenvalues without the exact zeros, shape (k,)."""
    neutral: NDArray[np.bool_]
    """Flags of eigenvalues that may lie on the imaginary axis, shape (k,): `neutral_values`."""
    vectors: Complex
    """Eigenvectors, shape (n, k)."""
    places: Vector
    """Directions in which nothing changes, shape (n, m)."""


def eigenvectors(here: SmallMotions) -> Eigenvectors:
    """Return eigenvalues, and eigenvectors as changes of the state.

    Positions on which the motion does not depend make zero a double eigenvalue with one
    eigenvector. Rounding would split it by the square root of its size. These positions are
    eliminated first, then the speeds along them.
    """
    A, B = here.A, here.B
    noise = here.noise.max(axis=1, initial=0.0)
    places = _kernel(B @ A, noise)
    rest = _complement(places)
    inner = rest.T @ A @ rest
    last = _complement(_kernel(B @ rest @ inner, noise))
    matrix = last.T @ inner @ last
    values, small = np.linalg.eig(matrix)
    kept = np.abs(rest @ last)
    neutral = neutral_values(matrix, kept.T @ here.error @ kept, values)
    vectors = small.astype(np.complex128)
    for basis, matrix in ((last, inner), (rest, A)):
        # A vanishes along the eliminated directions. Hence A B w is the eigenvector times λ.
        vectors = matrix @ (basis @ vectors)
        sizes = np.linalg.norm(vectors, axis=0)
        vectors = vectors / np.where(sizes > 0.0, sizes, 1.0)
    return Eigenvectors(values.astype(np.complex128), neutral, B @ vectors, B @ places)


def neutral_values(A: Vector, error: Vector, values: Complex) -> NDArray[np.bool_]:
    """Return True for each eigenvalue that may lie on the imaginary axis, shape (k,).

    Within the error of A, it is then unknown whether the motion grows or decays.

    The nearest matrix with the eigenvalue iω is at the distance σ_min(A - iω). For a simple
    eigenvalue λ of A and ω = Im λ, this is |Re λ| divided by its condition number, to first
    order. The distance is also correct if eigenvectors nearly coincide. The error of A along the
    singular vectors is given by `error`. In addition, computing the eigenvalues causes a rounding
    error of n ε ‖A‖ for the balanced matrix.
    """
    n = len(A)
    scale = _balance(A)
    A, error = A * scale / scale[:, None], error * scale / scale[:, None]
    rounding = n * np.finfo(np.float64).eps * float(np.linalg.norm(A))
    found = np.zeros(len(values), dtype=np.bool_)
    for k, value in enumerate(values):
        point = 1j * value.imag
        U, sizes, Vh = np.linalg.svd(A - point * np.eye(n))
        # Eigenvalues closer to the point have the smaller singular values.
        near = np.abs(values - point) < _NEARER * abs(value.real)
        j = n - 1 - int(near.sum())
        reach = _DIFFERENCES * float(np.abs(U[:, j]) @ error @ np.abs(Vh[j])) + rounding
        found[k] = min(float(sizes[j]), abs(value.real)) <= reach
    return found


def _balance(A: Vector) -> Vector:
    """Return scales d of the unknowns that balance rows and columns of A d_j/d_i, shape (n,)."""
    away = np.abs(A)
    np.fill_diagonal(away, 0.0)
    d = np.ones(len(A))
    for _ in range(_PASSES):
        for i in range(len(A)):
            row, column = float(away[i] @ d) / d[i], float(away[:, i] @ (1.0 / d)) * d[i]
            if row > 0.0 and column > 0.0:
                d[i] *= np.sqrt(row / column)
    return d


def _kernel(J: Vector, noise: Vector) -> Vector:
    """Return directions in which every row cancels, shape (r, m).

    Each row is judged separately, because stiff and soft parts of a system differ by more than the
    rounding error of either.
    """
    if J.shape[1] == 0:
        return np.zeros((0, 0))
    sizes = np.abs(J).max(axis=1)
    kept = sizes > _NOTHING * noise
    if not kept.any():
        return np.eye(J.shape[1])
    _, singular, Vt = np.linalg.svd(J[kept] / sizes[kept, None])
    near = Vt[int((singular > _KERNEL * singular[0]).sum()) :].T
    # Slow motions beside stiff rows cancel nearly, but by more than the error of the differences.
    left = np.abs(J @ near) <= np.maximum(_NOTHING * noise, _EXACT * sizes)[:, None]
    return np.asarray(near[:, left.all(axis=0)])

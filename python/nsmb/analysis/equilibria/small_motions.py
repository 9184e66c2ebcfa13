"""Matrices of small motions that keep the contact states, and their eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.equilibria.rest import Rest
from nsmb.analysis.orbits.tangent import tangent_basis

__all__ = ["SmallMotions", "conservative_motions", "eigenvectors", "small_motions"]

Vector = NDArray[np.float64]
Complex = NDArray[np.complex128]

_STEP = 6e-6  # of central differences: cube root of the rounding
_NOTHING = 100.0  # differences: rows no larger than what steps of other size change are rounding
_KERNEL = 1e-7  # of a row: what cancels to less may be zero but for the differences
_EXACT = 1e-10  # of a row: what cancels to less is
_RANK = 1e-9


@dataclass(frozen=True, eq=False)
class SmallMotions:
    """``ż = A z`` with the change of state B z."""

    A: Vector
    """(r, r)"""
    B: Vector
    """(nq + nu + nx, r)"""
    noise: Vector
    """(nq + nu + nx,) how far rows of the derivative may be wrong."""


def small_motions(rest: Rest, y: Vector) -> SmallMotions:
    """About y = (q, u, x) with the contact states of `rest`."""
    system = rest.system
    free = np.arange(y.size) < system.nq + system.nu + rest.own
    B = tangent_basis(system, rest.t, y, rest.states, np.ones(y.size), ~free)
    J, noise = _derivative(rest, y, B)
    return SmallMotions(B.T @ J, B, noise)


def conservative_motions(rest: Rest, y: Vector) -> SmallMotions:
    """``M z̈ + G ż + K z = 0``: without forces along velocities but gyroscopic ones, the
    antisymmetric part of the derivative, and with internal states as they are."""
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
    along_u, _ = _derivative(rest, y, in_u)
    K, D = -pull @ along_q[rows], -pull @ along_u[rows]
    reduced = pull @ T
    k = T.shape[1]
    below = -np.linalg.solve(reduced, np.hstack([K, 0.5 * (D - D.T)]))
    A = np.vstack([np.hstack([np.zeros((k, k)), np.eye(k)]), below])
    return SmallMotions(A, np.hstack([in_q, in_u]), noise)


def _derivative(rest: Rest, y: Vector, directions: Vector) -> tuple[Vector, Vector]:
    """(n, r) of the rates, by central differences of two sizes, and (n,) how much these differ."""
    sides = []
    for size in (_STEP, 2.0 * _STEP):
        columns = [
            (rest.rates(y + size * way) - rest.rates(y - size * way)) / (2.0 * size)
            for way in directions.T
        ]
        sides.append(np.array(columns).reshape(-1, y.size).T)
    fine, coarse = sides
    noise = np.abs(fine - coarse).max(axis=1, initial=0.0)
    return (4.0 * fine - coarse) / 3.0, noise


def _complement(W: Vector) -> Vector:
    """(n, n - rank) orthonormal directions at right angles to the columns of W."""
    if W.shape[1] == 0:
        return np.eye(W.shape[0])
    sizes = np.linalg.norm(W, axis=0)
    U, singular, _ = np.linalg.svd(W / np.where(sizes > 0.0, sizes, 1.0))
    return np.asarray(U[:, int((singular > _RANK).sum()) :])


def eigenvectors(here: SmallMotions) -> tuple[Complex, Complex, Vector]:
    """Eigenvalues, and eigenvectors as changes of the state, with zeros that are exact.

    Places the motion does not depend on make zero a double eigenvalue with one eigenvector, which
    rounding would split by its square root. They are taken out first, then the speeds along them.

    Returns
    -------
    values : (k,) ndarray
        Without these zeros.
    vectors : (n, k) ndarray
    places : (n, m) ndarray
        Directions in which nothing changes.
    """
    A, B = here.A, here.B
    places = _kernel(B @ A, here.noise)
    rest = _complement(places)
    inner = rest.T @ A @ rest
    last = _complement(_kernel(B @ rest @ inner, here.noise))
    values, small = np.linalg.eig(last.T @ inner @ last)
    vectors = small.astype(np.complex128)
    for basis, matrix in ((last, inner), (rest, A)):
        # A is zero along what was taken out, so A B w is the whole eigenvector, times λ
        vectors = matrix @ (basis @ vectors)
        sizes = np.linalg.norm(vectors, axis=0)
        vectors = vectors / np.where(sizes > 0.0, sizes, 1.0)
    return values.astype(np.complex128), B @ vectors, B @ places


def _kernel(J: Vector, noise: Vector) -> Vector:
    """(r, m) directions in which every row cancels, judged row by row: stiff and soft parts of a
    system differ by more than the rounding of either."""
    if J.shape[1] == 0:
        return np.zeros((0, 0))
    sizes = np.abs(J).max(axis=1)
    kept = sizes > _NOTHING * noise
    if not kept.any():
        return np.eye(J.shape[1])
    _, singular, Vt = np.linalg.svd(J[kept] / sizes[kept, None])
    near = Vt[int((singular > _KERNEL * singular[0]).sum()) :].T
    # what is slow beside stiff rows cancels nearly, but by more than the differences are wrong
    left = np.abs(J @ near) <= np.maximum(_NOTHING * noise, _EXACT * sizes)[:, None]
    return np.asarray(near[:, left.all(axis=0)])

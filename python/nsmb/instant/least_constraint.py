"""Constrained accelerations from minimal coordinates and from Gauss's principle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array
from nsmb.complementarity import lcp

__all__ = ["LeastConstraint", "ReducedEquations", "least_constraint", "reduced_equations"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReducedEquations:
    """Equations ``M_p p̈ = h_p`` in minimal coordinates, ``u̇ = Q p̈ + rho`` (5.20), (5.24)."""

    Q: Floats
    """Orthonormal directions of free motion, WᵀQ = 0 (5.22), shape (nu, nu - rank)."""
    rho: Floats
    """Part of u̇ that the constraints prescribe, Wᵀρ̄ + w̄ = 0 (5.22), shape (nu,)."""
    M: Floats
    """Reduced mass matrix QᵀMQ, in kg."""
    h: Floats
    """Reduced forces Qᵀ(h + N_G λ - Mρ̄), in N."""

    def pddot(self) -> Floats:
        """Return p̈, shape (nu - rank,), in m/s²."""
        pddot: Floats = np.linalg.solve(self.M, self.h).astype(np.float64)
        return pddot

    def udot(self) -> Floats:
        """Return u̇, shape (nu,), in m/s²."""
        return self.Q @ self.pddot() + self.rho


def reduced_equations(
    M: ArrayLike,
    h: ArrayLike,
    W: ArrayLike,
    w_bar: ArrayLike,
    *,
    N_G: ArrayLike | None = None,
) -> ReducedEquations:
    """Reduce ``M u̇ = h + (W + N_G) λ`` with ``Wᵀu̇ + w̄ = 0`` to minimal coordinates.

    The reduction eliminates λ, except for the sliding friction N_G λ, which is computed first
    (5.15).

    Parameters
    ----------
    M : (nu, nu) array_like
        Mass matrix, symmetric positive definite.
    h : (nu,) array_like
        Forces, N.
    W : (nu, r) array_like
        Normal directions of contacts that stay closed, and tangential directions that stick.
    w_bar : (r,) array_like
        Accelerations of the constraints without u̇, m/s².
    N_G : (nu, r) array_like, optional
        Sliding friction per unit of λ, ``W_G μ̄_G`` in the columns of the normal forces; default 0.
        If it is given, W must have independent columns.

    Returns
    -------
    ReducedEquations

    Raises
    ------
    ValueError
        If a shape is wrong, a value is NaN, or the constraints contradict one another. If N_G is
        given and the constraints are dependent, or (5.15) is singular, so that λ is infinite.

    References
    ----------
    Pfeiffer & Glocker, *Multibody Dynamics with Unilateral Contacts*, section 5.2.

    Examples
    --------
    A mass on a slope of 45°, pulled down:

    >>> import numpy as np
    >>> n = np.array([[-1.0], [1.0]]) / np.sqrt(2.0)
    >>> bool(np.allclose(reduced_equations(np.eye(2), [0.0, -9.0], n, [0.0]).udot(), -4.5))
    True
    """
    mass, force, directions, offset = _equations(M, h, W, w_bar)
    r = offset.size
    U, size, _ = np.linalg.svd(directions, full_matrices=True)
    rank = int((size > 1e-12 * max(size, default=0.0)).sum())
    Q = U[:, rank:]
    rho = -np.linalg.pinv(directions.T) @ offset if r else np.zeros(force.size)
    if not np.allclose(directions.T @ rho, -offset, rtol=0.0, atol=1e-9 * _largest(offset)):
        raise ValueError(
            "w_bar: must be consistent constraints, got constraints that contradict each other"
        )
    active = np.zeros(force.size)
    if N_G is not None:
        friction = as_array("N_G", N_G, (force.size, r))
        if rank < r:
            raise ValueError(
                f"W: must have independent columns if N_G is given, got rank {rank} of {r}"
            )
        Minv = np.linalg.inv(mass)
        A = directions.T @ Minv @ (directions + friction)
        if np.linalg.cond(A) > 1e15:
            raise ValueError("N_G: must give a regular Wᵀ M⁻¹ (W + N_G), got a singular matrix")
        active = friction @ np.linalg.solve(A, -(directions.T @ Minv @ force + offset))  # (5.15)
    return ReducedEquations(Q, rho, Q.T @ mass @ Q, Q.T @ (force + active - mass @ rho))


@dataclass(frozen=True, eq=False)
class LeastConstraint:
    """The acceleration of least constraint, and the corresponding forces."""

    udot: Floats
    """Acceleration u̇, which is unique, shape (nu,), in m/s²."""
    value: float
    """Minimum of the constraint ``½ (u̇ - M⁻¹h)ᵀM(u̇ - M⁻¹h)``, in kg m²/s⁴."""
    lambda_: Floats
    """Multipliers, shape (r,), in N; not unique for dependent constraints."""


def least_constraint(
    M: ArrayLike,
    h: ArrayLike,
    W: ArrayLike,
    w_bar: ArrayLike,
    *,
    unilateral: bool = False,
) -> LeastConstraint:
    """Return the admissible acceleration closest to that of the free system (Gauss's principle).

    It minimises ``½ (u̇ - M⁻¹h)ᵀM(u̇ - M⁻¹h)`` subject to ``Wᵀu̇ + w̄ = 0`` (5.25). With
    `unilateral`, the condition is ``Wᵀu̇ + w̄ >= 0`` (6.9). There is no friction.

    Parameters
    ----------
    M : (nu, nu) array_like
        Mass matrix, symmetric positive definite.
    h : (nu,) array_like
        Forces, N.
    W : (nu, r) array_like
        Directions of the constraints, which may be dependent.
    w_bar : (r,) array_like
        Accelerations of the constraints without u̇, m/s².
    unilateral : bool
        Treat the constraints as unilateral; they may open.

    Returns
    -------
    LeastConstraint

    Raises
    ------
    ValueError
        If a shape is wrong, a value is NaN, or no acceleration is admissible.

    References
    ----------
    Pfeiffer & Glocker, *Multibody Dynamics with Unilateral Contacts*, sections 5.2 and 6.1.

    Examples
    --------
    A mass on a floor is pressed down, and then lifted:

    >>> for force in (-3.0, 2.0):
    ...     a = least_constraint([[2.0]], [force], [[1.0]], [0.0], unilateral=True)
    ...     print(a.udot, a.lambda_)
    [0.] [3.]
    [1.] [0.]
    """
    mass, force, directions, offset = _equations(M, h, W, w_bar)
    free = np.linalg.solve(mass, force)
    lift = np.linalg.solve(mass, directions)
    G, b = directions.T @ lift, directions.T @ free + offset
    if unilateral:
        result = lcp.solve(0.5 * (G + G.T), b)
        if not result.success:
            raise ValueError(f"w_bar: must admit an acceleration. {result.message}")
        multipliers = result.x
    else:
        multipliers = np.asarray(np.linalg.lstsq(G, -b, rcond=1e-13)[0], dtype=np.float64)
        if not np.allclose(G @ multipliers, -b, rtol=0.0, atol=1e-9 * _largest(b)):
            raise ValueError(
                "w_bar: must be consistent constraints, got constraints that contradict each other"
            )
    push = lift @ multipliers
    return LeastConstraint(free + push, float(0.5 * push @ mass @ push), multipliers)


def _largest(values: Floats) -> float:
    return max(1e-300, float(np.abs(values).max(initial=0.0)))


def _equations(
    M: ArrayLike, h: ArrayLike, W: ArrayLike, w_bar: ArrayLike
) -> tuple[Floats, Floats, Floats, Floats]:
    force = as_array("h", h, (np.size(h),))
    offset = as_array("w_bar", w_bar, (np.size(w_bar),))
    mass = as_array("M", M, (force.size, force.size))
    directions = as_array("W", W, (force.size, offset.size))
    if not np.allclose(mass, mass.T, rtol=1e-12) or np.linalg.eigvalsh(mass)[0] <= 0.0:
        raise ValueError("M: must be symmetric positive definite")
    return mass, force, directions, offset

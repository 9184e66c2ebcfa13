"""Second-order displacements, by which forces along a body stiffen it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.flexible.eigen import pseudo_inverse
from nsmb.flexible.finite_elements import FiniteElements

__all__ = ["Stiffening", "second_order_shapes"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stiffening:
    """Second-order displacements ½ Σ Γ_kl q_k q_l, and their integrals over the mass.

    They accompany S q_e when a body bends without strain, in the body frame. The work of forces on
    them acts as an additional stiffness.
    """

    shapes: Array
    """Shapes Γ at the nodes (k, 3, n, n), in 1/m."""
    mean: Array
    """Integrals ∫ Γ dm (n, n, 3), in kg/m."""
    first: Array
    """Integrals ∫ Γ xᵀ dm (n, n, 3, 3), in kg."""

    def inertial_stiffness(self, a: Array, omega: Array, alpha: Array) -> Array:
        """Return K_g (n, n) in N/m of a frame that accelerates by a and rotates.

        K_g is ∫ Γ·(a + α×x + ω×(ω×x)) dm. It consists of nine integrals, linear in a, in α and in
        the products of ω.
        """
        spread = np.einsum("klaa->kl", self.first)
        turned = np.einsum("abc,klcb,a->kl", _PERMUTATIONS, self.first, alpha)
        return np.asarray(
            self.mean @ a
            + turned
            + np.einsum("a,klab,b->kl", omega, self.first, omega)
            - spread * (omega @ omega)
        )


def second_order_shapes(elements: FiniteElements, shapes: Array) -> Array:
    """Return Γ_kl for k <= l, row by row of the upper triangle, shape (N, n (n + 1)/2).

    The shapes (N, n) satisfy the conditions of their frame. Rigid motion is not yet subtracted from
    Γ. The second-order strain of S q_e + ½ Γ q_e q_e does no work on any first-order strain: K Γ_kl
    = -∫ Bᵀ E sym(∇S_kᵀ ∇S_l) dV. Of all Γ, these minimise the elastic energy of order four, and
    that of order three vanishes.

    Raises
    ------
    ValueError
        If only matrices of the elements are known.
    """
    k, l = np.triu_indices(shapes.shape[1])
    forces = elements.second_order_forces(shapes[:, k], shapes[:, l])
    solve = pseudo_inverse(elements.stiffness_matrix, elements.mass_matrix, elements.rigid_motions)
    return -solve(forces)


def full(pairs: Array, n: int) -> Array:
    """Return (..., n, n) from values (..., n (n + 1)/2) of the upper triangle."""
    k, l = np.triu_indices(n)
    result = np.empty((*pairs.shape[:-1], n, n))
    result[..., k, l] = pairs
    result[..., l, k] = pairs
    return result


_PERMUTATIONS = np.array([np.cross(e, np.eye(3)) for e in np.eye(3)])
"""The permutation symbol ε_abc, shape (3, 3, 3)."""

"""Displacements of second order, by which forces along a body stiffen it."""

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
    """Displacements ½ Σ Γ_kl q_k q_l that come with S q_e when a body bends without strain, in the
    body frame, and their integrals over the mass.

    A force does work on them: stiffness that stands in no stiffness matrix.
    """

    shapes: Array
    """Γ at the nodes (k, 3, n, n), 1/m."""
    mean: Array
    """∫ Γ dm (n, n, 3), kg/m."""
    first: Array
    """∫ Γ xᵀ dm (n, n, 3, 3), kg."""

    def inertial_stiffness(self, a: Array, omega: Array, alpha: Array) -> Array:
        """(n, n) N/m, K_g of a frame that accelerates by a and turns, ∫ Γ·(a + α×x + ω×(ω×x)) dm;
        nine integrals, linear in a, in α and in the products of ω."""
        spread = np.einsum("klaa->kl", self.first)
        turned = np.einsum("abc,klcb,a->kl", _PERMUTATIONS, self.first, alpha)
        return np.asarray(
            self.mean @ a
            + turned
            + np.einsum("a,klab,b->kl", omega, self.first, omega)
            - spread * (omega @ omega)
        )


def second_order_shapes(elements: FiniteElements, shapes: Array) -> Array:
    """(N, n (n + 1)/2) Γ_kl for k <= l, row after row of the upper triangle, of shapes (N, n) that
    fulfil the conditions of their frame; rigid motion not yet taken off.

    The strain of second order of S q_e + ½ Γ q_e q_e does no work on any strain of first order:
    K Γ_kl = -∫ Bᵀ E sym(∇S_kᵀ ∇S_l) dV. Of all Γ these leave the least elastic energy of order
    four, that of order three vanishes.

    Raises
    ------
    ValueError
        For elements of which only matrices are known.
    """
    k, l = np.triu_indices(shapes.shape[1])
    forces = elements.second_order_forces(shapes[:, k], shapes[:, l])
    solve = pseudo_inverse(elements.stiffness_matrix, elements.mass_matrix, elements.rigid_motions)
    return -solve(forces)


def full(pairs: Array, n: int) -> Array:
    """(..., n, n) of values (..., n (n + 1)/2) of the upper triangle."""
    k, l = np.triu_indices(n)
    result = np.empty((*pairs.shape[:-1], n, n))
    result[..., k, l] = pairs
    result[..., l, k] = pairs
    return result


_PERMUTATIONS = np.array([np.cross(e, np.eye(3)) for e in np.eye(3)])
"""ε_abc (3, 3, 3)"""

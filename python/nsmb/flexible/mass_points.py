"""Distribution of the mass of a discretised body, and integrals over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Integrals", "MassPoints"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Integrals:
    """Constants of the mass matrix and of the quadratic velocity terms.

    They appear in (2.31)-(2.33) and (2.65)-(2.67) in powers of q_e, about the origin of the frame
    in which they are given.
    """

    mass: float
    """Mass m in kg."""
    first_moment: Array
    """First moment ∫ x dm (3,), in kg m."""
    inertia: Array
    """Inertia ∫ (|x|² 1 - x xᵀ) dm + ∫ dJ (3, 3), in kg m²."""
    displacement: Array
    """Integral ∫ Φ dm (3, n), in kg: m_Re = A S̄."""
    first: Array
    """Integrals ∫ Φ_k xᵀ dm (n, 3, 3), in kg m."""
    second: Array
    """Integrals ∫ Φ_k Φ_lᵀ dm (n, n, 3, 3), in kg."""
    turn: Array
    """Integral ∫ dJ ψ (3, n), in kg m²."""
    turning: Array
    """Integral ∫ ψᵀ dJ ψ (n, n), in kg m²."""

    @property
    def mass_matrix(self) -> Array:
        """Mass matrix m_ee (n, n) of (2.33)."""
        M: Array = np.einsum("klii->kl", self.second) + self.turning
        return M

    @property
    def moment(self) -> Array:
        """Integral ∫ x × Φ dm + ∫ dJ ψ (3, n), in kg m: m_θe at q_e = 0."""
        return np.asarray(_axial(self.first).T + self.turn)

    @property
    def center(self) -> Array:
        return self.first_moment / self.mass


@dataclass(frozen=True, eq=False)
class MassPoints:
    """Points whose displacements carry the mass of a body.

    Interpolation between nodes couples their masses. The points are then the nodes, and ∫ u vᵀ dm =
    Σ_ij m_ij u_i v_jᵀ needs only nodes and mass matrix.
    """

    places: Array
    """Positions in m, shape (g, 3)."""
    displacement: Any
    """Sparse matrix (3 g, N) from the unknowns of all nodes to displacements of the points."""
    mass: Any
    """Sparse mass matrix (g, g), in kg."""
    turn: Any = None
    """Sparse matrix (3 h, N) from the unknowns to rotations of points with rotary inertia."""
    inertia: Array | None = None
    """Rotary inertia (h, 3, 3) of these points, in kg m²."""

    def integrals(self, shapes: Array, origin: Array, axes: Array) -> Integrals:
        """Return the integrals of shapes (N, n), in the frame at `origin` with columns `axes`."""
        n = shapes.shape[1]
        x = (self.places - origin) @ axes
        Phi = self._moves(shapes, axes)
        m_Phi = np.asarray(self.mass @ Phi)
        m_x = np.asarray(self.mass @ x)
        second_moment = x.T @ m_x
        inertia = np.trace(second_moment) * np.eye(3) - second_moment
        turn, turning = np.zeros((3, n)), np.zeros((n, n))
        if self.turn is not None and self.inertia is not None:
            dJ = np.einsum("ba,hbc,cd->had", axes, self.inertia, axes)
            psi = np.asarray(self.turn @ shapes).reshape(len(dJ), 3, n)
            psi = np.einsum("ba,hbk->hak", axes, psi)
            inertia = inertia + dJ.sum(axis=0)
            turn = np.einsum("hab,hbk->ak", dJ, psi)
            turning = np.einsum("hak,hab,hbl->kl", psi, dJ, psi)
        second = (Phi.T @ m_Phi).reshape(n, 3, n, 3).transpose(0, 2, 1, 3)
        return Integrals(
            float(self.mass.sum()),
            m_x.sum(axis=0),
            inertia,
            m_Phi.sum(axis=0).reshape(n, 3).T,
            (Phi.T @ m_x).reshape(n, 3, 3),
            second,
            turn,
            turning,
        )

    def first_moments(self, shapes: Array, origin: Array, axes: Array) -> tuple[Array, Array]:
        """Return ∫ Φ dm (3, n) and ∫ Φ_k xᵀ dm (n, 3, 3), the integrals linear in Φ."""
        n = shapes.shape[1]
        x = (self.places - origin) @ axes
        Phi = self._moves(shapes, axes)
        displacement = np.asarray(self.mass @ Phi).sum(axis=0).reshape(n, 3).T
        return displacement, (Phi.T @ np.asarray(self.mass @ x)).reshape(n, 3, 3)

    def _moves(self, shapes: Array, axes: Array) -> Array:
        """Return the displacements (g, 3 n) of the points, shape by shape."""
        n, g = shapes.shape[1], len(self.places)
        Phi = np.asarray(self.displacement @ shapes).reshape(g, 3, n)
        return np.asarray(np.einsum("ba,gbk->gka", axes, Phi).reshape(g, 3 * n))


def _axial(N: Array) -> Array:
    """Return ∫ x × Φ dm (n, 3) from ∫ Φ xᵀ dm (n, 3, 3)."""
    return np.stack(
        [N[:, 2, 1] - N[:, 1, 2], N[:, 0, 2] - N[:, 2, 0], N[:, 1, 0] - N[:, 0, 1]], axis=1
    )

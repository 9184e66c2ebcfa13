"""Where the mass of a discretised body is, and integrals over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Integrals", "MassPoints"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Integrals:
    """Constants of the mass matrix and of the quadratic velocity terms, (2.31)-(2.33) and
    (2.65)-(2.67) in powers of q_e, about the origin of the frame they are given in."""

    mass: float
    """m, kg."""
    first_moment: Array
    """∫ x dm (3,), kg m."""
    inertia: Array
    """∫ (|x|² 1 - x xᵀ) dm + ∫ dJ (3, 3), kg m²."""
    displacement: Array
    """∫ Φ dm (3, n): m_Re = A S̄, kg."""
    first: Array
    """∫ Φ_k xᵀ dm (n, 3, 3), kg m."""
    second: Array
    """∫ Φ_k Φ_lᵀ dm (n, n, 3, 3), kg."""
    turn: Array
    """∫ dJ ψ (3, n), kg m²."""
    turning: Array
    """∫ ψᵀ dJ ψ (n, n), kg m²."""

    @property
    def mass_matrix(self) -> Array:
        """m_ee (n, n) of (2.33)."""
        M: Array = np.einsum("klii->kl", self.second) + self.turning
        return M

    @property
    def moment(self) -> Array:
        """∫ x × Φ dm + ∫ dJ ψ (3, n), kg m: m_θe at q_e = 0."""
        return np.asarray(_axial(self.first).T + self.turn)

    @property
    def center(self) -> Array:
        return self.first_moment / self.mass


@dataclass(frozen=True, eq=False)
class MassPoints:
    """Points whose displacements carry the mass of a body.

    Mass that is interpolated between nodes couples them: the points are the nodes then, and
    ∫ u vᵀ dm = Σ_ij m_ij u_i v_jᵀ, which needs nodes and mass matrix alone.
    """

    places: Array
    """(g, 3) m."""
    displacement: Any
    """(3 g, N) sparse: of the points, by the unknowns of all nodes."""
    mass: Any
    """(g, g) sparse, kg."""
    turn: Any = None
    """(3 h, N) sparse: turns of what has inertia of its own."""
    inertia: Array | None = None
    """(h, 3, 3) kg m² of those."""

    def integrals(self, shapes: Array, origin: Array, axes: Array) -> Integrals:
        """Of shapes (N, n), in the frame at `origin` with `axes` as columns."""
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
        """∫ Φ dm (3, n) and ∫ Φ_k xᵀ dm (n, 3, 3), of integrals those that are linear in Φ."""
        n = shapes.shape[1]
        x = (self.places - origin) @ axes
        Phi = self._moves(shapes, axes)
        displacement = np.asarray(self.mass @ Phi).sum(axis=0).reshape(n, 3).T
        return displacement, (Phi.T @ np.asarray(self.mass @ x)).reshape(n, 3, 3)

    def _moves(self, shapes: Array, axes: Array) -> Array:
        """(g, 3 n) of the points, for one shape after the other."""
        n, g = shapes.shape[1], len(self.places)
        Phi = np.asarray(self.displacement @ shapes).reshape(g, 3, n)
        return np.asarray(np.einsum("ba,gbk->gka", axes, Phi).reshape(g, 3 * n))


def _axial(N: Array) -> Array:
    """(n, 3) ∫ x × Φ dm from ∫ Φ xᵀ dm (n, 3, 3)."""
    return np.stack(
        [N[:, 2, 1] - N[:, 1, 2], N[:, 0, 2] - N[:, 2, 0], N[:, 1, 0] - N[:, 0, 1]], axis=1
    )

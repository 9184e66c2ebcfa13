"""Rotations and stresses at nodes, from averages of the gradients in adjacent elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.flexible.mesh import Mesh

__all__ = ["NodalGradients", "mean_of_elements", "scalar_gradients"]

Array = NDArray[np.float64]


class NodalGradients:
    """Quantities that follow from ∂u_a/∂x_b at the nodes.

    Parameters
    ----------
    along : sequence of (n, n) sparse matrices
        Matrices from nodal values to ∂/∂x_b at the nodes.
    lame : ((n,) array, (n,) array)
        Lamé constants λ and μ in Pa; in plane stress, the modified λ.
    out_of_plane : (n,) array, optional
        In the plane, the ratio of σ_zz to σ_xx + σ_yy.
    """

    def __init__(
        self, along: Sequence[Any], lame: tuple[Array, ...], out_of_plane: Array | None
    ) -> None:
        self._along = tuple(along)
        self._lame = lame
        self._out_of_plane = out_of_plane

    def _gradients(self, shapes: Array) -> Array:
        """Return the gradients by component and direction, shape (d, d, n, k)."""
        d = len(self._along)
        u = shapes.reshape(-1, d, shapes.shape[1])
        return np.array([[G @ u[:, a] for G in self._along] for a in range(d)])

    def turns(self, shapes: Array) -> Array:
        """Return the rotations ½ rot u (n, 3, k) of shapes (N, k), in rad."""
        g = self._gradients(shapes)
        found = np.zeros((g.shape[2], 3, g.shape[3]))
        for i, (a, b) in enumerate(((2, 1), (0, 2), (1, 0))):
            if max(a, b) < len(g):
                found[:, i] = 0.5 * (g[a, b] - g[b, a])
        return found

    def stresses(self, shapes: Array) -> Array:
        """Return σ_xx, σ_yy, σ_zz, σ_xy, σ_xz, σ_yz (n, 6, k) of shapes (N, k), in Pa."""
        g = self._gradients(shapes)
        lam, mu = (k[:, None] for k in self._lame)
        found = np.zeros((g.shape[2], 6, g.shape[3]))
        spread = np.einsum("aank->nk", g)
        for a in range(len(g)):
            found[:, a] = lam * spread + 2.0 * mu * g[a, a]
        if self._out_of_plane is not None:
            found[:, 2] = self._out_of_plane[:, None] * (found[:, 0] + found[:, 1])
        for i, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
            if max(a, b) < len(g):
                found[:, 3 + i] = mu * (g[a, b] + g[b, a])
        return found


def scalar_gradients(mesh: Mesh, basis: Any, number: NDArray[np.int32]) -> list[Any]:
    """Return the matrices ∂/∂x_b (n, n) at the nodes, averaged over elements by volume.

    Parameters
    ----------
    basis : skfem.Basis
        Basis of displacements.
    number : (n,) array
        Node numbers of the scalar unknowns.
    """
    from scipy import sparse

    skfem = import_extra("skfem", "flexible")
    element, n = basis.elem.elem, len(mesh._nodes)
    places = np.asarray(element.doflocs, dtype=float).T
    at_nodes = skfem.Basis(
        basis.mesh, element, quadrature=(places, np.ones(places.shape[1])), disable_doflocs=True
    )
    dofs = number[at_nodes.element_dofs]
    volumes = basis.dx.sum(axis=1)
    weights = np.bincount(dofs.ravel(), np.broadcast_to(volumes, dofs.shape).ravel(), n)
    shares = volumes / weights[dofs]
    values = np.array([at_nodes.basis[j][0].grad for j in range(len(dofs))])  # (j, b, e, q)
    rows = np.broadcast_to(dofs.T, (len(dofs), *dofs.T.shape)).ravel()
    columns = np.broadcast_to(dofs[:, :, None], (len(dofs), *dofs.T.shape)).ravel()
    return [
        sparse.csr_array(((values[:, b] * shares.T).ravel(), (rows, columns)), shape=(n, n))
        for b in range(mesh._kind.dimension)
    ]


def mean_of_elements(mesh: Mesh, values: Array) -> Array:
    """Return the averages (n,) at each node of the values of its elements."""
    n, cells = len(mesh._nodes), mesh._cells
    spread = np.broadcast_to(values[:, None], cells.shape)
    total = np.bincount(cells.ravel(), spread.ravel(), n)
    return np.asarray(total / np.bincount(cells.ravel(), minlength=n))

"""Properties of a stored problem, and contact states of its solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity.stored_problem import Matrix, StoredData, sparse

__all__ = ["Facts", "contact_states", "facts"]

MOST_ROWS = 2000  # maximum number of rows for a numerical rank, which then takes a second
_ON_THE_RIM = 1e-6  # relative distance from the friction bound that separates sticking from sliding
STATES = ("open", "sticking", "sliding")


@dataclass(frozen=True)
class Facts:
    """Sizes and properties of a problem."""

    form: str
    """Form, local or global."""
    dimension: int
    contacts: int
    rows: int
    """Number m of rows of W."""
    free: int
    velocities: int | None
    """Number n of rows of M; None in local form."""
    entries: int
    """Number of entries of W, or of M and H."""
    rank: int
    """Rank of W, from a QR factorisation with column pivoting."""
    rank_is_bound: bool
    """True if the rank is only an upper bound, from the sparsity pattern."""
    density: float
    """Fraction of the entries of W that are not structurally zero."""
    asymmetry: float
    """Largest entry of W - Wᵀ over that of W; in global form, of M."""


def facts(data: StoredData) -> Facts:
    """Return sizes, rank and density of a problem; it takes seconds for thousands of rows."""
    m = data.w.size
    if data.W is not None:
        matrix, factor, count, pattern = data.W, data.W, data.W.nnz, data.W.nnz
    else:
        assert data.M is not None
        assert data.H is not None
        matrix, factor, count = data.M, data.H, data.M.nnz + data.H.nnz
        pattern = _coupled(data.M, data.H)
    is_bound = m > MOST_ROWS
    return Facts(
        form="local" if data.W is not None else "global",
        dimension=data.dimension,
        contacts=data.contacts,
        rows=m,
        free=data.free,
        velocities=None if data.M is None else data.M.shape[0],
        entries=count,
        rank=_structural_rank(factor) if is_bound else _rank(factor),
        rank_is_bound=is_bound,
        density=pattern / m**2 if m else 0.0,
        asymmetry=_asymmetry(matrix),
    )


def contact_states(
    data: StoredData, x: NDArray[np.float64], y: NDArray[np.float64]
) -> dict[str, int]:
    """Return the numbers of open, sticking and sliding contacts for impulses x and velocities y.

    Normal velocities and impulses are divided by their largest values. A contact is open if its
    velocity then exceeds its impulse. It slides if its friction is at the bound.
    """
    rows = slice(0, data.dimension * data.contacts)
    impulse, velocity = (np.reshape(z[rows], (-1, data.dimension)) for z in (x, y))
    if not data.contacts:
        return dict.fromkeys(STATES, 0)
    shares = [part[:, 0] / (np.abs(part[:, 0]).max() or 1.0) for part in (impulse, velocity)]
    is_open = (impulse[:, 0] <= 0.0) | (shares[0] < shares[1])
    friction = np.linalg.norm(impulse[:, 1:3], axis=1)
    slides = ~is_open & (friction >= (1.0 - _ON_THE_RIM) * data.mu * impulse[:, 0])
    counts = (int(is_open.sum()), int((~is_open & ~slides).sum()), int(slides.sum()))
    return dict(zip(STATES, counts, strict=True))


def _rank(matrix: Matrix) -> int:
    from scipy import linalg

    if not min(matrix.shape):
        return 0
    R = linalg.qr(matrix.toarray(), mode="r", pivoting=True, check_finite=False)[0]
    sizes = np.abs(np.diag(R))
    return int((sizes > sizes[0] * max(matrix.shape) * np.finfo(float).eps).sum())


def _structural_rank(matrix: Matrix) -> int:
    from scipy.sparse import csgraph

    return int(csgraph.structural_rank(matrix))


def _coupled(M: Matrix, H: Matrix) -> int:
    """Return the number of structural nonzeros of ``Hᵀ M⁻¹ H``.

    M⁻¹ is full within each connected component of M."""
    from scipy.sparse import csgraph as graph

    if not min(H.shape):
        return 0
    count, part = graph.connected_components(M, directed=False)
    touched = H.tocoo()
    ones = np.ones(touched.nnz)
    of_part = sparse().coo_array((ones, (part[touched.row], touched.col)), (count, H.shape[1]))
    of_part = of_part.tocsr()
    return int((of_part.T @ of_part).nnz)


def _asymmetry(matrix: Matrix) -> float:
    if not matrix.nnz:
        return 0.0
    return float(abs(matrix - matrix.T).max() / (abs(matrix).max() or 1.0))

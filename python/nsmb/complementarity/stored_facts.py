"""What can be said of a stored problem before and after it is solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity.stored_problem import Matrix, StoredData, sparse

__all__ = ["Facts", "contact_states", "facts"]

MOST_ROWS = 2000  # of a rank found from numbers, which takes a second there
_ON_THE_RIM = 1e-6  # share of the radius that separates sticking from sliding
STATES = ("open", "sticking", "sliding")


@dataclass(frozen=True)
class Facts:
    """Sizes of a problem."""

    form: str
    """local or global."""
    dimension: int
    contacts: int
    rows: int
    """m, rows of W."""
    free: int
    velocities: int | None
    """n, rows of M; None in local form."""
    entries: int
    """Of W, or of M and H."""
    rank: int
    """Of W, from its triangular factor with the largest columns first."""
    rank_is_bound: bool
    """Whether the rank is only an upper bound, from the pattern."""
    density: float
    """Share of the entries of W that are not zero by their pattern."""
    asymmetry: float
    """Largest entry of W - Wᵀ over that of W; of M in global form."""


def facts(data: StoredData) -> Facts:
    """Sizes, rank and density; takes seconds for thousands of rows."""
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
    """How many contacts are open, stick and slide with impulses x and relative velocities y.

    A contact is open where its normal velocity, as a share of the largest one, exceeds its normal
    impulse as a share of the largest one; it slides where the friction is all there can be.
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
    """Entries of ``Hᵀ M⁻¹ H`` that the pattern admits: M⁻¹ is full in each connected part of M."""
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

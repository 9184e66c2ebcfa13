"""Contact problems as stored in files, independent of the file format.

The global form is ``M v = H x + f, y = Hᵀ v + w``. The local form is ``y = W x + w``, where w is
called q elsewhere. Contact k has `dimension` rows that start at row ``dimension k``: normal N,
tangents T1, T2, rolling directions R1, R2. After all contacts, there are `free` rows of bilateral
constraints, ``y = 0``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity.friction_problem import ContactBlock, FrictionProblem

__all__ = [
    "DIMENSIONS",
    "StoredData",
    "StoredSolution",
    "from_problem",
    "joined",
    "sparse",
    "to_problem",
    "velocities",
]

Floats = NDArray[np.float64]
Matrix = Any
"""A sparse array of SciPy in compressed columns (csc_array)."""

_SYMMETRIC = 1e-12  # asymmetry due to rounding, relative to the largest entry

DIMENSIONS = (2, 3, 5)
"""Numbers of rows of a contact: in a plane, in space, and in space with rolling friction."""


def sparse() -> Any:
    """Return scipy.sparse, which is slow to import."""
    from scipy import sparse

    return sparse


@dataclass(frozen=True, eq=False)
class StoredData:
    """The data of a contact problem, which raise ValueError if inconsistent or out of range."""

    dimension: int
    """Number of rows of each contact."""
    mu: Floats
    """Friction coefficients, >= 0, shape (nc,)."""
    w: Floats
    """Relative velocities at v = 0, or in local form at x = 0, shape (m,)."""
    mu_R: Floats | None = None
    """Coefficients of rolling friction for `dimension` 5, >= 0, shape (nc,), in m."""
    W: Matrix | None = None
    """Matrix of the local form, shape (m, m); None in global form."""
    M: Matrix | None = None
    """Mass matrix of the global form, shape (n, n)."""
    H: Matrix | None = None
    """Directions of the impulses in the global form, shape (n, m)."""
    f: Floats | None = None
    """M times the velocities without impulses in the global form, shape (n,)."""
    free: int = 0
    """Number of free rows after all contacts."""

    @property
    def contacts(self) -> int:
        return self.mu.size

    def __post_init__(self) -> None:
        if self.dimension not in DIMENSIONS:
            raise ValueError(f"dimension: expected 2, 3 or 5, got {self.dimension}")
        rows = self.dimension * self.contacts + self.free
        _length("w", self.w, rows, f"{self.contacts} contacts of {self.dimension} rows")
        if (self.mu_R is None) != (self.dimension != 5):
            raise ValueError("mu_R: must be given if and only if contacts have five rows.")
        for name, values in (("mu", self.mu), ("mu_r", self.mu_R)):
            if values is not None:
                _length(name, values, self.contacts, "contacts")
                if not (values >= 0.0).all():
                    raise ValueError(f"{name}: expected numbers >= 0, got {float(values.min())!r}")
        if self.W is not None:
            _shape("W", self.W, (rows, rows))
        else:
            assert self.M is not None
            assert self.H is not None
            assert self.f is not None
            n = self.M.shape[0]
            _shape("M", self.M, (n, n))
            _shape("H", self.H, (n, rows))
            _length("f", self.f, n, "rows of M")
        for name in ("w", "mu", "mu_R", "f"):
            values = getattr(self, name)
            if values is not None and not np.isfinite(values).all():
                raise ValueError(f"{name}: expected finite numbers")
        for name in ("W", "M", "H"):
            matrix = getattr(self, name)
            if matrix is not None and not np.isfinite(matrix.data).all():
                raise ValueError(f"{name}: expected finite entries")


@dataclass(frozen=True, eq=False)
class StoredSolution:
    """A solution or a guess for a contact problem."""

    x: Floats
    """Contact forces in N or impulses in N s, those of free rows last, shape (m,)."""
    y: Floats
    """Relative velocities, shape (m,), in m/s."""
    v: Floats | None = None
    """Velocities of the global form, shape (n,); None in local form."""


def to_problem(data: StoredData) -> FrictionProblem:
    """Return the problem in the form that solvers accept.

    Solvers require a symmetric M. In files with six digits, M can be asymmetric by a millionth.
    With elastic bodies, this changes forces in the first digit. Such problems are converted to
    local form.
    """
    kinds: dict[str, Any] = {
        "mu": data.mu,
        "mu_R": data.mu_R,
        "dimension": data.dimension,
        "free": data.free,
    }
    if data.W is not None:
        return FrictionProblem.local(data.W, data.w, **kinds)
    assert data.M is not None
    assert data.H is not None
    assert data.f is not None
    if not _is_symmetric(data.M):
        factor = _factor(data.M)
        W = data.H.T @ factor.solve(data.H.toarray())
        return FrictionProblem.local(W, data.H.T @ factor.solve(data.f) + data.w, **kinds)
    return FrictionProblem.from_bodies(data.M, data.H, data.f, data.w, **kinds)


def velocities(data: StoredData, x: Floats) -> Floats | None:
    """Return ``v = M⁻¹ (H x + f)`` of the global form, shape (n,); None in local form."""
    if data.M is None:
        return None
    assert data.H is not None
    return np.asarray(_factor(data.M).solve(data.H @ x + data.f), dtype=np.float64)


def _is_symmetric(M: Matrix) -> bool:
    return not M.nnz or bool(abs(M - M.T).max() <= _SYMMETRIC * abs(M).max())


def _factor(M: Matrix) -> Any:
    from scipy.sparse.linalg import splu

    return splu(M.tocsc())


def from_problem(problem: FrictionProblem) -> StoredData:
    """Return the data for a file; raise ValueError if the format does not support the blocks."""
    blocks = list(problem.blocks)
    free = 0
    while blocks and blocks[-1].free:
        free += blocks.pop().free
    first = blocks[0] if blocks else ContactBlock()
    for k, block in enumerate(blocks):
        alike = ContactBlock(
            mu=block.mu, mu_R=block.mu_R, tangents=first.tangents, rolling=first.rolling
        )
        if block != alike or first.rows not in DIMENSIONS:
            raise ValueError(
                "problem: files hold contacts of 2, 3 or 5 rows that are all alike, without "
                f"drilling, bounds or ellipses, and free rows at the end; got block {k}, {block}"
            )
    matrices = {
        name: None if (matrix := getattr(problem, name)) is None else sparse().csc_array(matrix)
        for name in ("W", "M", "H")
    }
    return StoredData(
        first.rows,
        mu=np.array([block.mu for block in blocks]),
        mu_R=np.array([block.mu_R for block in blocks]) if first.rolling else None,
        w=problem.w,
        f=problem.f,
        free=free,
        **matrices,
    )


def joined(blocks: Sequence[Sequence[Matrix | None]]) -> Matrix:
    """Return blocks as one matrix in compressed columns."""
    return sparse().block_array(blocks, format="csc")


def _length(name: str, values: Floats, wanted: int, what: str) -> None:
    if values.shape != (wanted,):
        raise ValueError(f"{name}: expected {wanted} entries ({what}), got {values.size}")


def _shape(name: str, matrix: Matrix, wanted: tuple[int, int]) -> None:
    if matrix.shape != wanted:
        raise ValueError(
            f"{name}: expected {wanted[0]} x {wanted[1]}, got {matrix.shape[0]} x {matrix.shape[1]}"
        )

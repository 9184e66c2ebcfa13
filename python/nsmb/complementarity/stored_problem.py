"""What files of contact problems hold, whatever their layout.

Global form ``M v = H x + f, y = Hᵀ v + w``, or local form ``y = W x + w`` (its w is q elsewhere).
Contact k has `dimension` rows from ``dimension k`` on: normal N, tangents T1, T2, rolling R1, R2;
`free` rows of bilateral constraints, ``y = 0``, come after all contacts.
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

_SYMMETRIC = 1e-12  # of the largest entry: rounding, and no digits cut off

DIMENSIONS = (2, 3, 5)
"""Rows of a contact: in a plane, in space, in space with rolling friction."""


def sparse() -> Any:
    """Return scipy.sparse, which takes time to import."""
    from scipy import sparse

    return sparse


@dataclass(frozen=True, eq=False)
class StoredData:
    """One problem; ValueError where sizes do not fit or numbers are out of range."""

    dimension: int
    mu: Floats
    """(nc,) friction coefficients, >= 0."""
    w: Floats
    """(m,)"""
    mu_R: Floats | None = None
    """(nc,) coefficients of rolling friction with `dimension` 5, >= 0, in m."""
    W: Matrix | None = None
    """(m, m); None: global form."""
    M: Matrix | None = None
    """(n, n)"""
    H: Matrix | None = None
    """(n, m)"""
    f: Floats | None = None
    """(n,)"""
    free: int = 0

    @property
    def contacts(self) -> int:
        return self.mu.size

    def __post_init__(self) -> None:
        if self.dimension not in DIMENSIONS:
            raise ValueError(f"dimension: expected 2, 3 or 5, got {self.dimension}")
        rows = self.dimension * self.contacts + self.free
        _length("w", self.w, rows, f"{self.contacts} contacts of {self.dimension} rows")
        if (self.mu_R is None) != (self.dimension != 5):
            raise ValueError("mu_r: expected with five rows per contact and only then")
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
    """A solution or a guess, in the rows of the problem."""

    x: Floats
    """(m,) contact forces or impulses, N s; those of free rows last."""
    y: Floats
    """Relative velocities, shape (m,), in m/s."""
    v: Floats | None = None
    """Velocities, with the global form only, shape (n,)."""


def to_problem(data: StoredData) -> FrictionProblem:
    """Return the problem as solvers take it.

    They take symmetric M. Files with six digits hold others, a millionth apart, which matters with
    elastic bodies (it changes forces in the first digit): these come in local form.
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
    """(n,) ``v = M⁻¹ (H x + f)`` of the global form; None in local form."""
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
    """Return the problem as files hold it; ValueError where its blocks have no place there."""
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
    """Blocks as one matrix in compressed columns."""
    return sparse().block_array(blocks, format="csc")


def _length(name: str, values: Floats, wanted: int, what: str) -> None:
    if values.shape != (wanted,):
        raise ValueError(f"{name}: expected {wanted} entries ({what}), got {values.size}")


def _shape(name: str, matrix: Matrix, wanted: tuple[int, int]) -> None:
    if matrix.shape != wanted:
        raise ValueError(
            f"{name}: expected {wanted[0]} x {wanted[1]}, got {matrix.shape[0]} x {matrix.shape[1]}"
        )

"""Contact problems with Coulomb friction, described by W or by M and H.

The public names are in :mod:`nsmb.complementarity.friction`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import complementarity as _complementarity
from nsmb.common.arguments import left_out, whole

__all__ = ["ContactBlock", "FrictionProblem", "as_vector"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Matrix = Any
"""A dense array, or a sparse one of SciPy in compressed columns."""
MatrixLike = Any
"""A sparse array or matrix of SciPy, or a dense array_like."""


@dataclass(frozen=True)
class ContactBlock:
    """A group of consecutive rows: a contact, friction without a normal, or free rows.

    The rows of a contact are its normal, its tangents, its rolling directions and its drilling
    direction, in this order.
    """

    mu: float = 0.0
    """Radius of the tangential set per unit of the normal impulse, >= 0."""
    tangents: int = 2
    """Number of tangents: 0, 1 (friction along a line) or 2 (in a plane)."""
    rolling: int = 0
    """Number of rolling directions: 0, 1 or 2."""
    drilling: int = 0
    """Number of drilling directions: 0 or 1."""
    mu_R: float = 0.0
    """Coefficient of rolling friction, m."""
    mu_D: float = 0.0
    """Coefficient of drilling friction, m."""
    normal: bool = True
    """True if the first row is a normal; False for friction without a normal and for free rows."""
    normal_of: int | None = None
    """Index of the block whose normal impulse enters the radii, for friction without a normal.
    Several blocks may refer to the same one. None: the radius is `bound`."""
    bound: float = 0.0
    """Radius of the tangential set without normal impulse, in units of x."""
    aspect: float = 1.0
    """Ratio of the half axes of the tangential set, along the second and the first tangent."""
    free: int = 0
    """Number of rows of bilateral constraints, ``y = 0``. Such a block has no other rows."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        own = 0 if self.free else int(self.normal) + self.tangents + self.rolling + self.drilling
        return own + self.free


@dataclass(frozen=True, eq=False)
class FrictionProblem:
    """A contact problem in local form, ``y = W x + w``, or in global form.

    The global form is ``M v = H x + f``, ``y = Hᵀ v + w``. :meth:`local` and :meth:`from_bodies`
    create problems from dense or sparse matrices. With impulses x and relative velocities y (or
    forces x and relative accelerations y), the contact laws are

    - ``0 <= x_N ⟂ y_N >= 0`` for a normal,
    - ``-y_T ∈ N_C(x_T)`` with ``C = {|x_T| <= mu x_N + bound}`` for tangents: ``y_T = 0`` inside C
      (sticking), y_T along the inward normal on the boundary (sliding),
    - the same with ``mu_R x_N`` and ``mu_D x_N`` for rolling and drilling directions,
    - ``y = 0`` for free rows.

    Raises
    ------
    ValueError
        If shapes are inconsistent, or numbers are not finite or out of range. Functions that use
        the problem raise an error if M is not positive definite.
    """

    w: Floats
    """Relative velocities at ``v = 0``, or in local form at ``x = 0``, shape (m,)."""
    blocks: tuple[ContactBlock, ...]
    """Meaning of the rows, in order."""
    W: Matrix | None = field(default=None, repr=False)
    """Matrix of the local form, shape (m, m). Sparse matrices are stored by compressed columns."""
    M: Matrix | None = field(default=None, repr=False)
    """Mass matrix of the global form, symmetric positive definite, shape (n, n)."""
    H: Matrix | None = field(default=None, repr=False)
    """Generalised directions of the impulses in the global form, shape (n, m)."""
    f: Floats | None = field(default=None, repr=False)
    """``M`` times the velocities without impulses in the global form, shape (n,)."""

    @staticmethod
    def local(
        W: MatrixLike,
        q: ArrayLike,
        mu: ArrayLike | None = None,
        *,
        mu_R: ArrayLike | None = None,
        dimension: int | None = None,
        free: int | None = None,
        blocks: Iterable[ContactBlock] | None = None,
    ) -> FrictionProblem:
        """Return the problem ``y = W x + q`` in local form.

        Parameters
        ----------
        W : (m, m) array_like or scipy.sparse array
            Matrix; for rigid bodies ``Hᵀ M⁻¹ H``, which may be singular.
        q : (m,) array_like
            Relative velocities at ``x = 0``.
        mu : float or (nc,) array_like, optional
            Friction coefficients, for contacts with the same kinds of rows. Otherwise, give
            `blocks`.
        mu_R : float or (nc,) array_like, optional
            Coefficients of rolling friction, m, for `dimension` 5.
        dimension : {1, 2, 3, 5}, optional
            Number of rows of each contact, by default 3. They are a normal (1), also one tangent
            (2) or two tangents (3), also two rolling directions (5).
        free : int, optional
            Number of free rows after all contacts, by default none.
        blocks : iterable of ContactBlock, optional
            Meaning of the rows, in place of `mu`, `mu_R`, `dimension` and `free`, for contacts with
            different kinds of rows.

        Returns
        -------
        FrictionProblem
            The validated problem.
        """
        vector = as_vector("q", q)
        m = vector.size
        rows = _blocks(m, mu, mu_R, dimension, free, blocks)
        return FrictionProblem(w=vector, blocks=rows, W=_matrix("W", W, (m, m)))

    @staticmethod
    def from_bodies(
        M: MatrixLike,
        H: MatrixLike,
        f: ArrayLike,
        w: ArrayLike,
        mu: ArrayLike | None = None,
        *,
        mu_R: ArrayLike | None = None,
        dimension: int | None = None,
        free: int | None = None,
        blocks: Iterable[ContactBlock] | None = None,
    ) -> FrictionProblem:
        """Return the problem ``M v = H x + f``, ``y = Hᵀ v + w`` in global form.

        Parameters
        ----------
        M : (n, n) array_like or scipy.sparse array
            Mass matrix, symmetric positive definite. Sparse solvers do not form W if M consists of
            small blocks.
        H : (n, m) array_like or scipy.sparse array
            Generalised directions of the impulses.
        f : (n,) array_like
            ``M`` times the velocities without impulses.
        w : (m,) array_like
            Relative velocities at ``v = 0``.
        mu, mu_R, dimension, free, blocks
            As in :meth:`local`.

        Returns
        -------
        FrictionProblem
            The validated problem.
        """
        vector, force = as_vector("w", w), as_vector("f", f)
        m, n = vector.size, force.size
        rows = _blocks(m, mu, mu_R, dimension, free, blocks)
        return FrictionProblem(
            w=vector, blocks=rows, M=_matrix("M", M, (n, n)), H=_matrix("H", H, (n, m)), f=force
        )

    @property
    def is_global(self) -> bool:
        """True if the problem is given by M and H."""
        return self.M is not None

    @cached_property
    def _core(self) -> _complementarity.SparseFrictionProblem:
        counts = np.array(
            [
                (
                    b.normal and not b.free,
                    0 if b.free else b.tangents,
                    0 if b.free else b.rolling,
                    0 if b.free else b.drilling,
                    b.free,
                    -1 if b.normal_of is None else b.normal_of,
                )
                for b in self.blocks
            ],
            dtype=np.int32,
        ).reshape(-1, 6)
        numbers = np.array(
            [(b.mu, b.bound, b.aspect, b.mu_R, b.mu_D) for b in self.blocks], dtype=np.float64
        ).reshape(-1, 5)
        M, H, W = (_columns(matrix) for matrix in (self.M, self.H, self.W))
        return _complementarity.SparseFrictionProblem(M, H, self.f, W, self.w, counts, numbers)

    @cached_property
    def _dense(self) -> tuple[Floats, Floats, _complementarity.FrictionRows]:
        """Return W, q and the rows for solvers with dense matrices."""
        if self.W is not None:
            W, q = _dense(self.W), self.w
        else:
            assert self.M is not None
            assert self.H is not None
            assert self.f is not None
            H = _dense(self.H)
            inverse = np.linalg.solve(_dense(self.M), np.column_stack([H, self.f]))
            W, q = H.T @ inverse[:, :-1], H.T @ inverse[:, -1] + self.w
        normals: list[int] = []
        discs: list[_complementarity.FrictionDisc] = []
        first = np.cumsum([0, *(block.rows for block in self.blocks)]).tolist()
        for block, row in zip(self.blocks, first, strict=False):
            if block.free:
                continue
            of = -1 if block.normal_of is None else first[block.normal_of]
            if block.normal:
                normals.append(row)
                of, row = row, row + 1
            for size, mu, bound, aspect in (
                (block.tangents, block.mu, block.bound, block.aspect),
                (block.rolling, block.mu_R, 0.0, 1.0),
                (block.drilling, block.mu_D, 0.0, 1.0),
            ):
                if size:
                    disc = _complementarity.FrictionDisc(row, size, of, mu, bound, aspect)
                    discs.append(disc)
                row += size
        return W, q, _complementarity.FrictionRows(normals, discs)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_checked", self._core)


def as_vector(argument: str, value: ArrayLike) -> Floats:
    """Return `value` as a new vector of finite numbers; raise ValueError with the argument name."""
    vector = _floats(argument, value)
    if vector.ndim != 1:
        raise ValueError(f"{argument}: expected one dimension, got shape {vector.shape}")
    if not np.isfinite(vector).all():
        bad = int(np.argmin(np.isfinite(vector)))
        raise ValueError(f"{argument}: expected finite numbers, got {vector[bad]} at [{bad}]")
    return vector


def _blocks(
    m: int,
    mu: ArrayLike | None,
    mu_R: ArrayLike | None,
    dimension: int | None,
    free: int | None,
    blocks: Iterable[ContactBlock] | None,
) -> tuple[ContactBlock, ...]:
    if (mu is None) == (blocks is None):
        raise ValueError(
            "mu, blocks: must be given alternatively, got both or none. Pass one of them."
        )
    if blocks is not None:
        given = tuple(blocks) if isinstance(blocks, Iterable) else ()
        if not given or not all(isinstance(block, ContactBlock) for block in given):
            raise ValueError(f"blocks: expected ContactBlocks, got {blocks!r}")
        where, remedy = "where blocks say what the rows are", "Leave it out, or give mu instead."
        for name, value in (("mu_R", mu_R), ("dimension", dimension), ("free", free)):
            left_out(name, value, where, remedy)
        return given
    dimension, free = 3 if dimension is None else dimension, 0 if free is None else free
    if whole("dimension", dimension, 1) not in (1, 2, 3, 5):
        raise ValueError(f"dimension: expected 1, 2, 3 or 5, got {dimension!r}")
    if whole("free", free, 0) > m or (m - free) % dimension:
        raise ValueError(
            f"dimension: must divide {m} rows into contacts of {dimension} rows and {free} free "
            "rows"
        )
    if (mu_R is None) == (dimension == 5):
        raise ValueError(
            "mu_R: must be given if and only if contacts have five rows. Pass mu_R with "
            "dimension=5, or leave it out."
        )
    count = (m - free) // dimension
    slide = _per_contact("mu", 0.0 if mu is None else mu, count)
    roll = _per_contact("mu_R", 0.0 if mu_R is None else mu_R, count)
    contacts = [
        ContactBlock(
            mu=float(a),
            mu_R=float(b),
            tangents=min(dimension, 3) - 1,
            rolling=2 if dimension == 5 else 0,
        )
        for a, b in zip(slide, roll, strict=True)
    ]
    if free:
        contacts.append(ContactBlock(normal=False, tangents=0, free=free))
    return tuple(contacts)


def _per_contact(argument: str, value: ArrayLike, count: int) -> Floats:
    array = _floats(argument, value)
    if array.ndim and array.shape != (count,):
        raise ValueError(f"{argument}: expected a number or shape ({count},), got {array.shape}")
    return np.broadcast_to(array, (count,))


def _floats(argument: str, value: Any) -> Floats:
    try:
        if np.iscomplexobj(value):  # a cast would drop the imaginary part
            raise TypeError
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{argument}: expected real numbers, got {value!r}") from None


def _matrix(argument: str, value: MatrixLike, shape: tuple[int, int]) -> Matrix:
    given = value.tocsc() if hasattr(value, "tocsc") else _floats(argument, value)
    if given.dtype.kind not in "biuf":
        raise ValueError(f"{argument}: expected real numbers, got {given.dtype} ones")
    if given.size == 0 == shape[0]:
        given = np.zeros(shape)  # [] has no columns
    if given.shape != shape:
        raise ValueError(f"{argument}: expected shape {shape}, got {given.shape}")
    return given.astype(np.float64)


def _dense(matrix: Matrix) -> Floats:
    array: Floats = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return array


def _columns(matrix: Matrix | None) -> tuple[int, int, Floats, Indices, Indices] | None:
    """Return a matrix by compressed columns for the core, without explicit zeros."""
    if matrix is None:
        return None
    rows, cols = matrix.shape
    if not isinstance(matrix, np.ndarray):
        indices, starts = (part.astype(np.int32) for part in (matrix.indices, matrix.indptr))
        return rows, cols, matrix.data, indices, starts
    across, places = np.nonzero(matrix.T)
    starts = np.searchsorted(across, np.arange(cols + 1))
    return rows, cols, matrix[places, across], places.astype(np.int32), starts.astype(np.int32)

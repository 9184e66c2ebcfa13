"""Contacts with friction in any number, with sparse data, for `nsmb.complementarity.friction`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import complementarity as _complementarity
from nsmb.common.arguments import as_instance, as_number, positive, whole
from nsmb.common.options import Option, OptionTable

__all__ = [
    "ContactBlock",
    "SparseMethod",
    "SparseProblem",
    "SparseResult",
    "SparseStatus",
    "solve_sparse",
    "sparse_residual",
]

SparseMethod = Literal[
    "auto", "gauss_seidel", "projected_gradient", "admm", "newton", "dense", "interior_point"
]
_METHODS: tuple[SparseMethod, ...] = (
    "auto",
    "gauss_seidel",
    "projected_gradient",
    "admm",
    "newton",
    "dense",
    "interior_point",
)
_OPTIONS = OptionTable("method", _METHODS, {"threads": Option(1, ("gauss_seidel", "auto"))})

MatrixLike = Any
"""A sparse array of SciPy, a dense array, or the compressed columns (data, indices, indptr)."""

_Columns = tuple[int, int, NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]


class SparseStatus(str, Enum):
    """How a solve ended."""

    SOLVED = "solved"  #: the residual, recomputed from the data, is within the tolerance
    TIME_LIMIT = "time_limit"  #: `max_time` is used up; the best point so far
    ITERATION_LIMIT = "iteration_limit"  #: `max_iterations`, or the limit of the method
    INACCURATE = "inaccurate"  #: nothing tried gets any further
    INTERRUPTED = "interrupted"  #: stopped from outside

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class ContactBlock:
    """What consecutive rows are: a contact, friction alone, or free rows.

    The rows of a contact are its normal, tangents, rolling directions and its drilling direction,
    as far as it has them.
    """

    mu: float = 0.0
    """Radius of the tangential set per unit of the normal impulse, >= 0."""
    tangents: int = 2
    """0, 1 (friction along a line) or 2 (in a plane)."""
    rolling: int = 0
    """Rows of rolling friction: 0, 1 or 2."""
    drilling: int = 0
    """Rows of drilling friction: 0 or 1."""
    mu_R: float = 0.0
    """Coefficient of rolling friction, m."""
    mu_D: float = 0.0
    """Coefficient of drilling friction, m."""
    normal: bool = True
    """Whether it begins with a normal row; False: friction alone, or free rows."""
    normal_of: int | None = None
    """Friction alone: number of the block whose normal impulse enters its radii."""
    bound: float = 0.0
    """Radius of the tangential set without normal impulse, in units of x."""
    aspect: float = 1.0
    """Half axis of the tangential set along the second tangent over that along the first."""
    free: int = 0
    """Rows of bilateral constraints, ``y = 0``; a block has nothing else then."""

    @property
    def rows(self) -> int:
        """Number of its rows."""
        own = 0 if self.free else int(self.normal) + self.tangents + self.rolling + self.drilling
        return own + self.free


@dataclass(frozen=True, eq=False)
class SparseProblem:
    """Frictional contacts in global form ``M v = H x + f``, ``y = Hᵀ v + w``, or in local form.

    In local form ``y = W x + w``. Made by :meth:`local` and :meth:`from_bodies`. Laws, contact by
    contact, with x the impulses and y the relative velocities: ``0 <= x_N ⟂ y_N >= 0``,
    ``-y_T ∈ N_C(x_T)`` with ``C = {|x_T| <= mu x_N + bound}``, and the same for rolling
    (`mu_R`) and drilling (`mu_D`); ``y = 0`` for free rows.

    Raises
    ------
    ValueError
        If shapes do not fit, numbers are not finite or out of range, or M is not positive definite.
    """

    w: NDArray[np.float64]
    """(m,) relative velocities at ``v = 0``; in local form at ``x = 0``."""
    blocks: tuple[ContactBlock, ...]
    """What the rows are, in order."""
    W: _Columns | None = field(default=None, repr=False)
    """Local form: shape and compressed columns of W (m, m)."""
    M: _Columns | None = field(default=None, repr=False)
    """Global form: M (n, n), symmetric positive definite."""
    H: _Columns | None = field(default=None, repr=False)
    """Global form: H (n, m)."""
    f: NDArray[np.float64] | None = field(default=None, repr=False)
    """Global form: (n,)."""

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
    ) -> SparseProblem:
        """``y = W x + q``.

        Parameters
        ----------
        W : (m, m) scipy.sparse array, array_like, or (data, indices, indptr)
            Matrix; compressed columns as three arrays need no scipy.
        q : (m,) array_like
            Relative velocities at ``x = 0``.
        mu : float or (nc,) array_like, optional
            Friction coefficients of contacts that are all alike; else give `blocks`.
        mu_R : float or (nc,) array_like, optional
            Coefficients of rolling friction, m, for `dimension` 5.
        dimension : {1, 2, 3, 5}, optional
            Rows of each contact, by default 3: normal; with one tangent; with two; and two of
            rolling friction.
        free : int, optional
            Free rows behind all contacts, by default none.
        blocks : iterable of ContactBlock, optional
            What the rows are, where contacts are not all alike. The other descriptions are left out
            then.

        Returns
        -------
        SparseProblem
            The problem, checked.
        """
        vector = _vector("q", q)
        m = vector.size
        rows = _blocks(m, mu, mu_R, dimension, free, blocks)
        return SparseProblem(w=vector, blocks=rows, W=_columns("W", W, m, m))

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
    ) -> SparseProblem:
        """``M v = H x + f``, ``y = Hᵀ v + w``; W is not formed where M has small blocks.

        Parameters
        ----------
        M : (n, n) scipy.sparse array, array_like, or (data, indices, indptr)
            Mass matrix, symmetric positive definite.
        H : (n, m) scipy.sparse array, array_like, or (data, indices, indptr)
            Generalized directions of the impulses.
        f : (n,) array_like
            ``M`` times the velocities without impulses.
        w : (m,) array_like
            Relative velocities at ``v = 0``.
        mu, mu_R, dimension, free, blocks
            As in :meth:`local`.

        Returns
        -------
        SparseProblem
            The problem, checked.
        """
        vector = _vector("w", w)
        force = _vector("f", f)
        m, n = vector.size, force.size
        rows = _blocks(m, mu, mu_R, dimension, free, blocks)
        return SparseProblem(
            w=vector, blocks=rows, M=_columns("M", M, n, n), H=_columns("H", H, n, m), f=force
        )

    @property
    def is_global(self) -> bool:
        """Whether it is given by M and H."""
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
        return _complementarity.SparseFrictionProblem(
            self.M, self.H, self.f, self.W, self.w, counts, numbers
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_checked", self._core)


@dataclass(frozen=True, eq=False)
class SparseResult:
    """Outcome of :func:`solve_sparse`."""

    x: NDArray[np.float64]
    """(m,) impulses: the solution, or the best point found. With dependent contacts one of many."""
    y: NDArray[np.float64]
    """(m,) relative velocities, recomputed from the data."""
    v: NDArray[np.float64] | None
    """(n,) velocities, global form only."""
    status: SparseStatus
    """How the solve ended."""
    residual: float
    """:func:`sparse_residual` of `x`."""
    iterations: int
    """Sweeps and steps of all methods."""
    outer_iterations: int
    """Proximal steps."""
    factorizations: int
    """Sparse factorizations."""
    method: SparseMethod
    """What produced `x`; ``"auto"``: it is the start."""
    seconds: dict[str, float]
    """Time spent in each method that ran, s."""

    @property
    def success(self) -> bool:
        """Whether `x` solves the problem."""
        return self.status is SparseStatus.SOLVED


def solve_sparse(
    problem: SparseProblem,
    method: SparseMethod = "auto",
    x_start: ArrayLike | None = None,
    *,
    tol: float = 1e-8,
    max_time: float | None = None,
    max_iterations: int | None = None,
    threads: int | None = None,
    impulse_scale: float = 1.0,
    scale: float = 0.0,
) -> SparseResult:
    """Solve a problem with contacts in any number.

    Parameters
    ----------
    problem : SparseProblem
        Local or global.
    method : str
        ``"gauss_seidel"``: contact by contact, each exactly; cheap sweeps, linear convergence.
        ``"projected_gradient"``: accelerated, with restarts. ``"admm"``: one sparse factorization
        for many steps. ``"newton"``: semismooth Newton with sparse factorizations, inside proximal
        steps where it needs them. ``"dense"``: :func:`solve`. ``"interior_point"``: through the
        inside of the cones, then Newton, for contacts with one friction disc each, or none; stops
        at once where there are others. ``"auto"``: these in turn.
    x_start : (m,) array_like, optional
        Warm start; returned as it is where it is within `tol`.
    tol : float
        Largest :func:`sparse_residual` of a solution.
    max_time : float, optional
        Budget, s, by default unlimited. A solve that it ends returns its best point.
    max_iterations : int, optional
        Limit of sweeps and steps, all counted, by default that of the method.
    threads : int, optional
        Threads of ``"gauss_seidel"``, also within ``"auto"``, by default 1; the result has the same
        bits for any number.
    impulse_scale, scale : float
        Of :func:`sparse_residual`.

    Returns
    -------
    SparseResult
        Look at ``success`` before using ``x``.

    Raises
    ------
    ValueError
        If an argument is out of range or has the wrong shape, and for an option that the method
        does not use.

    Examples
    --------
    A mass of 1 kg pulled along its support; it slides.

    >>> import numpy as np
    >>> problem = SparseProblem.local(np.eye(3), [-10.0, 1.0, 1.0], mu=0.1)
    >>> result = solve_sparse(problem)
    >>> np.round(result.x, 4), str(result.status)
    (array([10.    , -0.7071, -0.7071]), 'solved')
    """
    as_instance("problem", problem, SparseProblem)
    if not isinstance(method, str) or method not in _METHODS:
        raise ValueError(f"method: expected one of {', '.join(_METHODS)}, got {method!r}")
    start = None if x_start is None else _vector("x_start", x_start)
    _OPTIONS.check(method, {"threads": threads})
    budget = np.inf if max_time is None else positive("max_time", max_time, unbounded=True)
    most = 0 if max_iterations is None else whole("max_iterations", max_iterations, 1)
    result = _complementarity.solve_sparse_friction(
        problem._core,
        method=_complementarity.SparseFrictionMethod(_METHODS.index(method)),
        tol=as_number("tol", tol),
        impulse_scale=as_number("impulse_scale", impulse_scale),
        scale=as_number("scale", scale),
        max_time=0.0 if np.isinf(budget) else budget,  # 0 of the core: no limit
        max_iterations=most,
        threads=1 if threads is None else whole("threads", threads, 1),
        x_start=start,
    )
    return SparseResult(
        x=result.x,
        y=result.y,
        v=result.v if problem.is_global else None,
        status=SparseStatus[result.status.name],
        residual=result.residual,
        iterations=result.iterations,
        outer_iterations=result.outer_iterations,
        factorizations=result.factorizations,
        method=_METHODS[int(result.used)],
        seconds={
            name: spent for name, spent in zip(_METHODS, result.seconds, strict=True) if spent > 0.0
        },
    )


def sparse_residual(
    problem: SparseProblem, x: ArrayLike, impulse_scale: float = 1.0, scale: float = 0.0
) -> float:
    """Natural map of the laws as cones, from the data: zero at a solution and only there.

    ``‖s x - proj_K(s x - F)‖₂ / max(scale, ‖q‖₂)`` over all contacts, with De Saxcé's
    ``F = y + mu |y_T| e_N`` and K the cone (rolling and drilling alike), q the y at ``x = 0``.
    Where no cone describes a block (friction alone, `bound`, `aspect`), the natural maps of its
    normal row and of its sets.

    Parameters
    ----------
    problem : SparseProblem
        Local or global.
    x : (m,) array_like
        Point to be judged.
    impulse_scale : float
        s, in units of y over x. 1: as FCLIB and Siconos measure; 0: of each contact the mean of its
        entries of diag W, which makes the number independent of units.
    scale : float
        Smallest size of q to compare with.

    Returns
    -------
    float
        The residual; absolute where q vanishes.

    Raises
    ------
    ValueError
        If x has the wrong length or an argument is out of range.
    """
    return _complementarity.sparse_friction_residual(
        as_instance("problem", problem, SparseProblem)._core,
        _vector("x", x),
        as_number("impulse_scale", impulse_scale),
        as_number("scale", scale),
    )


def _blocks(
    m: int,
    mu: ArrayLike | None,
    mu_R: ArrayLike | None,
    dimension: int | None,
    free: int | None,
    blocks: Iterable[ContactBlock] | None,
) -> tuple[ContactBlock, ...]:
    if (mu is None) == (blocks is None):
        raise ValueError("mu, blocks: expected one of them, got both or none")
    if blocks is not None:
        given = tuple(blocks) if isinstance(blocks, Iterable) else ()
        if not given or not all(isinstance(block, ContactBlock) for block in given):
            raise ValueError(f"blocks: expected ContactBlocks, got {blocks!r}")
        for name, value in (("mu_R", mu_R), ("dimension", dimension), ("free", free)):
            if value is not None:
                raise ValueError(
                    f"{name}: must be left out where blocks say what the rows are, got {value!r}. "
                    "Leave it out, or give mu instead of blocks."
                )
        return given
    dimension, free = 3 if dimension is None else dimension, 0 if free is None else free
    if whole("dimension", dimension, 1) not in (1, 2, 3, 5):
        raise ValueError(f"dimension: expected 1, 2, 3 or 5, got {dimension!r}")
    if whole("free", free, 0) > m or (m - free) % dimension:
        raise ValueError(
            f"dimension: expected {m} rows to be contacts of {dimension} and {free} free ones"
        )
    if (mu_R is None) == (dimension == 5):
        raise ValueError("mu_R: expected with five rows per contact, and only then")
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


def _per_contact(argument: str, value: ArrayLike, count: int) -> NDArray[np.float64]:
    array = _floats(argument, value)
    if array.ndim and array.shape != (count,):
        raise ValueError(f"{argument}: expected a number or shape ({count},), got {array.shape}")
    return np.broadcast_to(array, (count,))


def _vector(argument: str, value: ArrayLike) -> NDArray[np.float64]:
    vector = _floats(argument, value)
    if vector.ndim != 1:
        raise ValueError(f"{argument}: expected one dimension, got shape {vector.shape}")
    if not np.isfinite(vector).all():
        bad = int(np.argmin(np.isfinite(vector)))
        raise ValueError(f"{argument}: expected finite numbers, got {vector[bad]} at [{bad}]")
    return vector


def _floats(argument: str, value: Any) -> NDArray[np.float64]:
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{argument}: expected numbers, got {value!r}") from None


def _columns(argument: str, value: MatrixLike, rows: int, cols: int) -> _Columns:
    if isinstance(value, tuple) and len(value) == 3:
        data, indices, starts = value
    else:
        given = value if hasattr(value, "tocsc") else _floats(argument, value)
        if given.shape != (rows, cols):
            raise ValueError(f"{argument}: expected shape ({rows}, {cols}), got {given.shape}")
        if isinstance(given, np.ndarray):
            across, indices = np.nonzero(given.T)
            data = given[indices, across]
            starts = np.searchsorted(across, np.arange(cols + 1))
        else:
            columns = given.tocsc()
            data, indices, starts = columns.data, columns.indices, columns.indptr
    return (
        rows,
        cols,
        np.asarray(data, dtype=np.float64),
        np.asarray(indices, dtype=np.int32),
        np.asarray(starts, dtype=np.int32),
    )

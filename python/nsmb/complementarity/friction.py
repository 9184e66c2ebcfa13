"""Contact problems with Coulomb friction in the contact plane: ``y = A x + b`` and a law per part.

Every row of `x` belongs to one part:

- a normal part, ``0 <= x_N ⟂ y_N >= 0``;
- a disc of friction forces, ``-y_T ∈ N_C(x_T)`` with ``C = {|x_T| <= mu x_N + bound}``: inside
  the disc ``y_T = 0`` (sticking), on its rim ``y_T`` points along the inward normal (sliding);
- a free part, ``y_F = 0``: all rows that no other part names.

With x the contact forces, y is the relative acceleration; with x the impulses, the relative
velocity. Discs of two rows make this more than a linear complementarity problem; with intervals
only it is one, see :mod:`nsmb.complementarity.lcp`. :func:`solve` takes dense matrices; contacts in
any number, with sparse data and rolling friction: :class:`SparseProblem`, :func:`solve_sparse`.

Source: M. Wösle, F. Pfeiffer, *Dynamics of Multibody Systems Containing Dependent Unilateral
Constraints with Friction*, Journal of Vibration and Control 2 (1996), equations (17)-(42).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import complementarity as _complementarity
from nsmb.common.options import Option, OptionTable
from nsmb.complementarity.lcp import _limit
from nsmb.complementarity.sparse_friction import (
    ContactBlock,
    SparseMethod,
    SparseProblem,
    SparseResult,
    SparseStatus,
    solve_sparse,
    sparse_residual,
)

__all__ = [
    "ContactBlock", "Disc", "FrictionResult", "FrictionStatus", "Method", "SparseMethod",
    "SparseProblem", "SparseResult", "SparseStatus", "project_disc", "residual", "solve",
    "solve_contacts", "solve_sparse", "sparse_residual",
]  # fmt: skip

Method = Literal["auto", "newton", "augmented_lagrangian", "gauss_seidel", "polyhedral"]
_ITERATIVE: tuple[Method, ...] = ("auto", "newton", "augmented_lagrangian", "gauss_seidel")
_METHODS: tuple[Method, ...] = (*_ITERATIVE, "polyhedral")
_OPTIONS = OptionTable("method", _METHODS, {
    "x_start": Option(None, _ITERATIVE),
    "max_iterations": Option(0, _ITERATIVE),  # of the core: that of the method
    "r": Option(0.0, ("augmented_lagrangian", "auto")),  # of the core: adapted
    "facets": Option(64, ("polyhedral", "auto")),
    "max_enumeration": Option(16, ("polyhedral", "auto")),
})  # fmt: skip


class FrictionStatus(str, Enum):
    """How a solve ended."""

    SOLVED = "solved"  #: the residual, recomputed from A and b, is within the tolerance
    ITERATION_LIMIT = "iteration_limit"  #: nothing tried converged: no statement on solvability
    NO_SOLUTION = "no_solution"  #: proven; only for problems without discs of two rows
    INACCURATE = "inaccurate"  #: the method ended regularly, but the residual is too large

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Disc:
    """Friction forces of one contact: an interval, a disc or an ellipse.

    Raises
    ------
    ValueError
        If a field is out of range.
    """

    rows: tuple[int, ...]
    """One row (friction along a line), or two consecutive rows ``(i, i + 1)`` (in a plane)."""
    normal: int | None = None
    """Row of the normal part whose force widens the disc; None: the radius is `bound`."""
    mu: float = 0.0
    """Radius per unit of the normal force, >= 0."""
    bound: float = 0.0
    """Radius without normal force, >= 0, in units of x."""
    aspect: float = 1.0
    """Half axis along the second row over that along the first, > 0: ``mu_2 / mu_1``."""

    def __post_init__(self) -> None:
        rows = tuple(_index("rows", row) for row in self.rows)
        if len(rows) not in (1, 2) or (len(rows) == 2 and rows[1] != rows[0] + 1):
            raise ValueError(f"rows: expected (i,) or (i, i + 1), got {self.rows!r}")
        object.__setattr__(self, "rows", rows)
        if self.normal is not None:
            object.__setattr__(self, "normal", _index("normal", self.normal))
        object.__setattr__(self, "mu", _number("mu", self.mu))
        object.__setattr__(self, "bound", _number("bound", self.bound))
        object.__setattr__(self, "aspect", _number("aspect", self.aspect, positive=True))


@dataclass(frozen=True, eq=False)
class FrictionResult:
    """Outcome of :func:`solve`."""

    x: NDArray[np.float64]
    """(n,) solution, or the best point found. With dependent contacts one of many; `y` is not."""
    y: NDArray[np.float64]
    """(n,) ``A x + b``, recomputed."""
    status: FrictionStatus
    """How the solve ended."""
    residual: float
    """:func:`residual` of `x`."""
    iterations: int
    """Steps of Newton, sweeps of Gauss-Seidel and pivots of Lemke's algorithm, all counted."""
    outer_iterations: int
    """Outer steps of the augmented Lagrangian."""
    method: Method
    """What produced `x`; ``"auto"``: it is `x_start`."""
    message: str
    """What happened, and what to try."""

    @property
    def success(self) -> bool:
        """Whether `x` solves the problem."""
        return self.status is FrictionStatus.SOLVED


def solve(
    A: ArrayLike,
    b: ArrayLike,
    normals: Iterable[int] = (),
    discs: Iterable[Disc] = (),
    method: Method = "auto",
    x_start: ArrayLike | None = None,
    *,
    max_iterations: int | None = None,
    accept_residual: float = 1e-10,
    scale: float = 0.0,
    r: float | None = None,
    facets: int | None = None,
    max_enumeration: int | None = None,
) -> FrictionResult:
    """Solve ``y = A x + b`` with normal parts, discs of friction forces and free parts.

    Parameters
    ----------
    A : (n, n) array_like
        Matrix; for rigid bodies ``Wᵀ M⁻¹ W``, which may be singular.
    b : (n,) array_like
        Right-hand side.
    normals : iterable of int
        Rows of the normal parts.
    discs : iterable of Disc
        Friction; several discs may depend on one normal part. Rows named in neither `normals` nor
        `discs` are free parts.
    method : {"auto", "newton", "augmented_lagrangian", "gauss_seidel", "polyhedral"}
        ``"newton"``: semismooth Newton on the projection equations. ``"augmented_lagrangian"``:
        outer projections, inner Newton; slower and more robust; started from zero with a given
        `r` it finds the force of minimum norm where there is no friction. ``"gauss_seidel"``:
        one projection after the other. ``"polyhedral"``: discs replaced by polygons,
        intervals exact, as one linear complementarity problem.
        ``"auto"``: Newton, then the others until one succeeds.
    x_start : (n,) array_like, optional
        Warm start, for instance the solution of the previous, similar problem; returned as it is
        where it is within `accept_residual`. Not used by ``"polyhedral"``.
    max_iterations : int, optional
        Limit for the method named (outer steps for ``"augmented_lagrangian"``), by default its own.
        ``"auto"`` begins no further attempt beyond it. Not used by ``"polyhedral"``.
    accept_residual : float
        Largest :func:`residual` of a point that is called a solution.
    scale : float
        Size of y below which `b` counts as this large when the residual is judged.
    r : float, optional
        Parameter of the augmented Lagrangian, in units of x over y; by default one per part,
        adapted.
    facets : int, optional
        Corners m of the polygon of a disc, even, by default 64; for ``"polyhedral"`` and, as one of
        its attempts, ``"auto"``. Forces miss the direction of slip by up to π/m,
        and their dissipation by a share of up to 1 - cos(π/m).
    max_enumeration : int, optional
        For the same methods, by default 16, at most 24: unknowns of the exact LCP (one for a
        normal part, three for an interval, two for a free part) that enumeration takes to prove
        that there is no solution.

    Returns
    -------
    FrictionResult
        Look at ``success`` before using ``x``.

    Raises
    ------
    ValueError
        If an argument has the wrong shape or range, is not finite, or rows overlap, and for an
        option that the method does not use.

    References
    ----------
    Wösle & Pfeiffer 1996, (30)-(42).

    Examples
    --------
    A mass of 1 kg pulled along its support by 1 N in each direction; it slides.

    >>> A, b = np.eye(3), [-10.0, 1.0, 1.0]
    >>> result = solve(A, b, normals=[0], discs=[Disc((1, 2), normal=0, mu=0.1)])
    >>> np.round(result.x, 4), str(result.status)
    (array([10.    , -0.7071, -0.7071]), 'solved')
    """
    if method not in _METHODS:
        raise ValueError(f"method: expected one of {', '.join(_METHODS)}, got {method!r}")
    matrix, vector = _problem(A, b)
    rows = _rows(vector.size, normals, discs)
    given = {
        "x_start": None if x_start is None else _array("x_start", x_start, (vector.size,)),
        "max_iterations": _limit("max_iterations", max_iterations, 1),
        "r": None if r is None else _number("r", r, positive=True),
        "facets": _limit("facets", facets, 0),
        "max_enumeration": _limit("max_enumeration", max_enumeration, 0),
    }
    _OPTIONS.check(method, given)
    used = _OPTIONS.in_force(method, given)
    result = _complementarity.solve_friction(
        matrix,
        vector,
        rows,
        method=_complementarity.FrictionMethod(_METHODS.index(method)),
        accept_residual=_number("accept_residual", accept_residual, positive=True),
        scale=_number("scale", scale),
        **used,
    )
    status = FrictionStatus[result.status.name]
    return FrictionResult(
        x=result.x,
        y=result.y,
        status=status,
        residual=result.residual,
        iterations=result.iterations,
        outer_iterations=result.outer_iterations,
        method=_METHODS[int(result.used)],
        message=_message(status, result, method, used.get("facets", 0)),
    )


def solve_contacts(
    A: ArrayLike,
    b: ArrayLike,
    mu: ArrayLike,
    method: Method = "auto",
    x_start: ArrayLike | None = None,
    *,
    aspect: ArrayLike = 1.0,
    accept_residual: float = 1e-10,
) -> FrictionResult:
    """Solve for contacts of one layout: normal, first and second tangent, contact by contact.

    Parameters
    ----------
    A : (3 nc, 3 nc) array_like
        Matrix.
    b : (3 nc,) array_like
        Right-hand side.
    mu : float or (nc,) array_like
        Friction coefficients along the first tangent.
    method : str
        As in :func:`solve`.
    x_start : (3 nc,) array_like, optional
        Warm start.
    aspect : float or (nc,) array_like
        Friction coefficient along the second tangent over that along the first.
    accept_residual : float
        As in :func:`solve`.

    Returns
    -------
    FrictionResult
        Look at ``success`` before using ``x``.

    Raises
    ------
    ValueError
        As :func:`solve`, and if the number of rows is no multiple of three.

    Examples
    --------
    >>> solve_contacts(np.eye(3), [-10.0, 0.5, 0.0], mu=0.1).x
    array([10. , -0.5,  0. ])
    """
    size = np.size(b)
    if size % 3:
        raise ValueError(
            f"b: expected three entries per contact, got {size}; use solve() for other layouts"
        )
    shape = (size // 3,)
    mus = _array("mu", np.broadcast_to(mu, shape) if np.ndim(mu) == 0 else mu, shape)
    aspects = _array(
        "aspect", np.broadcast_to(aspect, shape) if np.ndim(aspect) == 0 else aspect, shape
    )
    normals = range(0, size, 3)
    discs = [
        Disc((row + 1, row + 2), normal=row, mu=float(m), aspect=float(a))
        for row, m, a in zip(normals, mus, aspects, strict=True)
    ]
    return solve(A, b, normals, discs, method, x_start, accept_residual=accept_residual)


def residual(
    A: ArrayLike,
    b: ArrayLike,
    normals: Iterable[int],
    discs: Iterable[Disc],
    x: ArrayLike,
    scale: float = 0.0,
) -> float:
    """Largest violation of the law of a part by `x`: zero at a solution and only there.

    The violation of a part is ``|s x - proj(s x - y)|`` with ``y = A x + b`` and s the largest
    entry of the part's columns of A; it is divided by ``max(scale, ‖b‖_∞)``. With ``scale=0`` it
    does not change when A, b and the bounds are multiplied by α, β and β / α.

    Parameters
    ----------
    A : (n, n) array_like
        Matrix of the problem.
    b : (n,) array_like
        Right-hand side.
    normals : iterable of int
        Rows of the normal parts.
    discs : iterable of Disc
        Friction.
    x : (n,) array_like
        Point to be judged.
    scale : float
        Smallest size of y to compare with.

    Returns
    -------
    float
        The residual.

    Raises
    ------
    ValueError
        As :func:`solve`.
    """
    matrix, vector = _problem(A, b)
    rows = _rows(vector.size, normals, discs)
    point = _array("x", x, (vector.size,))
    return _complementarity.friction_residual(matrix, vector, rows, point, _number("scale", scale))


def project_disc(disc: Disc, radius: float, x: ArrayLike) -> NDArray[np.float64]:
    """Projection onto the disc, in the metric ``diag(1, aspect⁻²)`` in which it is round.

    Parameters
    ----------
    disc : Disc
        Its number of rows and its aspect are used.
    radius : float
        Half axis along the first row, >= 0.
    x : (1,) or (2,) array_like
        Point to be projected.

    Returns
    -------
    ndarray
        The nearest point of the disc.

    Raises
    ------
    ValueError
        If x has another length than `disc` has rows, or radius is negative.
    """
    point = _array("x", x, (len(disc.rows),))
    return _complementarity.project_disc(_core_disc(disc), _number("radius", radius), point)


def _message(
    status: FrictionStatus,
    result: _complementarity.FrictionResult,
    method: Method,
    facets: int,
) -> str:
    used = _METHODS[int(result.used)]
    run = f"n = {result.x.size}, {result.iterations} iterations, residual {result.residual:.1e}"
    if status is FrictionStatus.SOLVED and used == "auto":
        return f"x_start solves the problem ({run})."
    if status is FrictionStatus.SOLVED:
        return f"Solved by {used} ({run})."
    if status is FrictionStatus.NO_SOLUTION:
        return (
            f"There is no solution: no combination of contact states admits one ({run}). Check the "
            "signs of A and b, and whether large friction couples normal and tangential motion."
        )
    if status is FrictionStatus.INACCURATE and method == "polyhedral":
        return (
            f"The problem with polygons of {facets} corners was solved; against the discs its "
            f"solution has the residual shown ({run}). Try more facets, or method='auto'."
        )
    if status is FrictionStatus.INACCURATE:
        return (
            "The iteration converged to rounding, but the residual exceeds accept_residual "
            f"({run}). Check the units of A and b, or accept a larger residual."
        )
    remedy = "scale the data or change x_start" if method == "auto" else "try method='auto'"
    return (
        f"No solution was found ({run}); x is the best point. This does not prove that there is "
        f"none: {remedy}."
    )


def _core_disc(disc: Disc) -> _complementarity.FrictionDisc:
    normal = -1 if disc.normal is None else disc.normal
    return _complementarity.FrictionDisc(
        disc.rows[0], len(disc.rows), normal, disc.mu, disc.bound, disc.aspect
    )


def _rows(n: int, normals: Iterable[int], discs: Iterable[Disc]) -> _complementarity.FrictionRows:
    rows = [_index("normals", row) for row in normals]
    known = set(rows)
    parts: Sequence[Disc] = list(discs)
    for disc in parts:
        if not isinstance(disc, Disc):
            raise ValueError(f"discs: expected Disc objects, got {disc!r}")
        if disc.normal is not None and disc.normal not in known:
            raise ValueError(f"discs: {disc} names normal={disc.normal}, which is not in normals")
    used: set[int] = set()
    for row in rows + [row for disc in parts for row in disc.rows]:
        if row >= n:
            raise ValueError(f"rows: expected rows below n = {n}, got {row}")
        if row in used:
            raise ValueError(f"rows: expected each row in one part only, got row {row} twice")
        used.add(row)
    return _complementarity.FrictionRows(rows, [_core_disc(disc) for disc in parts])


def _problem(A: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    vector = _numbers("b", b)
    if vector.ndim != 1:
        raise ValueError(f"b: expected shape (n,), got shape {vector.shape}")
    n = vector.size
    matrix = _numbers("A", A)
    if matrix.size == 0 and n == 0:
        matrix = matrix.reshape(0, 0)
    return _array("A", matrix, (n, n)), _array("b", vector, (n,))


def _array(argument: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = _numbers(argument, value)
    if array.shape != shape:
        raise ValueError(f"{argument}: expected shape {shape}, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(
            f"{argument}: expected finite numbers, got {array[~np.isfinite(array)][0]}"
        )
    return array


def _numbers(argument: str, value: ArrayLike) -> NDArray[np.float64]:
    if np.iscomplexobj(value):
        raise ValueError(f"{argument}: expected real numbers, got complex ones")
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{argument}: expected an array of numbers ({error})") from None


def _index(argument: str, value: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{argument}: expected an integer >= 0, got {value!r}") from None
    if number < 0:
        raise ValueError(f"{argument}: expected an integer >= 0, got {number}")
    return number


def _number(argument: str, value: float, *, positive: bool = False) -> float:
    expected = "a finite number > 0" if positive else "a finite number >= 0"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{argument}: expected {expected}, got {value!r}") from None
    if not 0.0 <= number < np.inf or (positive and number == 0.0):
        raise ValueError(f"{argument}: expected {expected}, got {number}")
    return number

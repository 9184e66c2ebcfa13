"""Contact problems with Coulomb friction: unilateral contacts, rolling, drilling, bilateral rows.

A :class:`FrictionProblem` is given by ``y = W x + q``, or by bodies, ``M v = H x + f``,
``y = Hᵀ v + w``, with dense or sparse matrices. :func:`solve` accepts both forms, and
:func:`residual` evaluates the result of any solver. If x are contact forces, y are relative
accelerations. If x are impulses, y are relative velocities. Without friction, or with friction
along lines only, the problem is a linear complementarity problem, see
:mod:`nsmb.complementarity.lcp`.

Source: M. Wösle, F. Pfeiffer, *Dynamics of Multibody Systems Containing Dependent Unilateral
Constraints with Friction*, Journal of Vibration and Control 2 (1996), equations (17)-(42).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import complementarity as _complementarity
from nsmb.common.arguments import as_instance, in_range, one_of, positive, whole
from nsmb.common.options import Option, OptionTable
from nsmb.complementarity.friction_problem import ContactBlock, FrictionProblem, as_vector

__all__ = [
    "ContactBlock", "FrictionProblem", "FrictionResult", "FrictionStatus", "Method", "Storage",
    "project_disc", "residual", "solve",
]  # fmt: skip

Method = Literal[
    "auto", "newton", "gauss_seidel", "augmented_lagrangian", "polyhedral", "projected_gradient",
    "admm", "interior_point",
]  # fmt: skip
Storage = Literal["auto", "dense", "sparse"]

_STORAGES: dict[Method, tuple[Storage, ...]] = {
    "auto": ("dense", "sparse"),
    "newton": ("dense", "sparse"),
    "gauss_seidel": ("dense", "sparse"),
    "augmented_lagrangian": ("dense",),
    "polyhedral": ("dense",),
    "projected_gradient": ("sparse",),
    "admm": ("sparse",),
    "interior_point": ("sparse",),
}
_METHODS = tuple(_STORAGES)
_ITERATIVE = tuple(method for method in _METHODS if method != "polyhedral")
_SPARSE = tuple(method for method in _METHODS if "sparse" in _STORAGES[method])
_OPTIONS = OptionTable("method", _METHODS, {
    "x_start": Option(None, _ITERATIVE),
    "max_iterations": Option(0, _ITERATIVE),  # the core takes 0 as the default of the method
    "max_time": Option(0.0, _SPARSE),  # the core takes 0 as no limit
    "threads": Option(1, ("gauss_seidel", "auto")),
    "r": Option(0.0, ("augmented_lagrangian", "auto")),  # the core takes 0 as adaptive
    "facets": Option(64, ("polyhedral", "auto")),
    "max_enumeration": Option(16, ("polyhedral", "auto")),
})  # fmt: skip
_ONLY: dict[str, Storage] = {
    "max_time": "sparse", "threads": "sparse", "r": "dense", "facets": "dense",
    "max_enumeration": "dense",
}  # fmt: skip
_MATRICES = OptionTable(
    "storage",
    ("dense", "sparse"),
    {name: Option(_OPTIONS.options[name].default, (kind,)) for name, kind in _ONLY.items()},
)

_KINDS = _complementarity.SparseFrictionMethod.__members__
_METHOD_OF = {"AUTO": "start", "LCP": "polyhedral"}

# Up to this number of rows, dense and sparse matrices take about the same time, measured on piles,
# towers and bodies on feet. Dense Newton also converges to rounding, not only to tol. At 135 rows,
# dense matrices take 2.5 times as long.
_DENSE_ROWS = 40
# Tolerance of the dense core as a fraction of tol. Its residual is the maximum over all parts. The
# norm over the parts of a few dozen rows is at most about ten times as large.
_DENSE_SHARE = 1e-2


class FrictionStatus(str, Enum):
    """The status at the end of a solve."""

    SOLVED = "solved"  #: the residual, recomputed from the data, is within the tolerance
    TIME_LIMIT = "time_limit"  #: `max_time` was reached; x is the best point so far
    ITERATION_LIMIT = "iteration_limit"  #: no method converged, which proves nothing
    INACCURATE = "inaccurate"  #: the method terminated normally, but the residual is too large
    NO_SOLUTION = "no_solution"  #: proven; only with dense matrices and friction along lines

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False)
class FrictionResult:
    """The result of :func:`solve`."""

    x: NDArray[np.float64]
    """Impulses: the solution or the best point found, shape (m,). With dependent contacts x is one
    of many solutions."""
    y: NDArray[np.float64]
    """Relative velocities, recomputed from the data, shape (m,)."""
    v: NDArray[np.float64] | None
    """Velocities of the global form, shape (n,); None in local form."""
    status: FrictionStatus
    """Status at the end of the solve."""
    residual: float
    """Value of :func:`residual` at `x`."""
    storage: Storage
    """Matrices that the solver used, ``"dense"`` or ``"sparse"``."""
    reason: str
    """Reason for the choice of `storage`."""
    method: str
    """Method that found `x`. ``"start"``: no method found a better point than x_start, or zero.
    ``"dense"``: the dense solver, as the last attempt of sparse ``"auto"``."""
    iterations: int
    """Total number of iterations: Newton steps, sweeps, pivots and steps of other methods."""
    outer_iterations: int
    """Number of outer steps of the augmented Lagrangian, or proximal steps of sparse
    ``"newton"``."""
    factorizations: int
    """Number of sparse factorisations; 0 for dense matrices."""
    seconds: dict[str, float]
    """Time spent in each sparse method that ran, s; empty for dense matrices."""
    message: str
    """Description of the outcome, with a suggestion after a failure."""

    @property
    def success(self) -> bool:
        """True if `x` solves the problem."""
        return self.status is FrictionStatus.SOLVED


def solve(
    problem: FrictionProblem,
    method: Method = "auto",
    x_start: ArrayLike | None = None,
    *,
    storage: Storage = "auto",
    tol: float = 1e-8,
    impulse_scale: float | None = None,
    scale: float = 0.0,
    max_iterations: int | None = None,
    max_time: float | None = None,
    threads: int | None = None,
    r: float | None = None,
    facets: int | None = None,
    max_enumeration: int | None = None,
) -> FrictionResult:
    """Solve a contact problem with friction.

    Parameters
    ----------
    problem : FrictionProblem
        The problem, described by a dense or sparse W, or by M and H.
    method : str
        ``"newton"`` is a semismooth Newton method on the projection equations. ``"gauss_seidel"``
        solves one contact after another. ``"auto"`` tries these and other methods until one
        succeeds.

        Two methods require dense matrices. ``"augmented_lagrangian"`` has outer projections and an
        inner Newton method. Without friction, it finds the forces of minimum norm if it starts from
        zero with a given `r`. ``"polyhedral"`` solves one linear complementarity problem, in which
        polygons replace discs; intervals are exact.

        Three methods require sparse matrices. ``"projected_gradient"`` is accelerated, with
        restarts. ``"admm"`` uses one factorisation for many steps. ``"interior_point"`` is for
        contacts with at most one disc each, and stops immediately for others.
    x_start : (m,) array_like, optional
        Warm start, by default zero. It is the result if its residual is within `tol`.
    storage : {"auto", "dense", "sparse"}
        Matrices that the solver uses, for any description of the problem. ``"auto"`` selects those
        that `method` and the options require, otherwise dense matrices for up to 40 rows. Sparse
        matrices are used for more rows, and if dense ones do not reach `tol`.
    tol : float
        Largest :func:`residual` of a solution.
    impulse_scale, scale : float
        As in :func:`residual`.
    max_iterations : int, optional
        Maximum number of steps and sweeps (outer steps for ``"augmented_lagrangian"``), by default
        that of the method. Dense ``"auto"`` starts no further method after it is reached.
    max_time : float, optional
        Time limit, s, by default unlimited. When it is reached, the best point so far is returned.
        Requires sparse matrices.
    threads : int, optional
        Number of threads of sparse ``"gauss_seidel"``, also within ``"auto"``, by default 1.
        Results are bitwise identical for any number.
    r : float, optional
        Parameter of the augmented Lagrangian, in units of x over y. By default, each part has its
        own adaptive parameter.
    facets : int, optional
        Number of corners of the polygon of a disc, even, by default 64, for dense ``"polyhedral"``
        and ``"auto"``. With m corners, the direction of a friction force differs from that of slip
        by up to π/m. The relative error of its dissipation is up to 1 - cos(π/m).
    max_enumeration : int, optional
        Maximum number of unknowns, by default 16 and at most 24, for the same methods. An exact
        linear complementarity problem of this size is enumerated to prove that there is no
        solution. A normal counts as one unknown, an interval as three, a free row as two.

    Returns
    -------
    FrictionResult
        Result; check ``success`` before using ``x``.

    Raises
    ------
    ValueError
        If an argument is out of range or has the wrong shape, or if M is not positive definite. If
        an option is given that the method or the matrices do not use.

    References
    ----------
    Wösle & Pfeiffer 1996, (30)-(42).

    Examples
    --------
    A mass of 1 kg is pulled along its support and slides:

    >>> problem = FrictionProblem.local(np.eye(3), [-10.0, 1.0, 1.0], mu=0.1)
    >>> result = solve(problem)
    >>> np.round(result.x, 4), str(result.status)
    (array([10.    , -0.7071, -0.7071]), 'solved')
    >>> result.storage, result.reason
    ('dense', '3 rows, at most 40')
    """
    as_instance("problem", problem, FrictionProblem)
    one_of("method", method, _METHODS)
    limit = None if max_time is None else positive("max_time", max_time, unbounded=True)
    given: dict[str, Any] = {
        "x_start": None if x_start is None else as_vector("x_start", x_start),
        "max_iterations": _whole("max_iterations", max_iterations, 1),
        "max_time": 0.0 if limit == np.inf else limit,
        "threads": _whole("threads", threads, 1),
        "r": None if r is None else positive("r", r),
        "facets": _whole("facets", facets, 0),
        "max_enumeration": _whole("max_enumeration", max_enumeration, 0),
    }
    _OPTIONS.check(method, given)
    used, reason = _choose(problem, method, storage, given)
    tol, measure = positive("tol", tol), _measure(impulse_scale, scale)
    result = _run(problem, method, used, reason, tol, measure, given)
    is_free = storage == "auto" and method == "auto" and all(given[name] is None for name in _ONLY)
    is_open = result.status in (FrictionStatus.ITERATION_LIMIT, FrictionStatus.INACCURATE)
    if not (is_free and is_open and used == "dense"):
        return result
    # Dense solvers fail for some problems, such as stacks with masses over six decades.
    reason = f"dense ones left a residual of {result.residual:.1e}"
    again = _run(problem, method, "sparse", reason, tol, measure, given)
    return min(result, again, key=lambda each: each.residual)


def residual(
    problem: FrictionProblem,
    x: ArrayLike,
    *,
    impulse_scale: float | None = None,
    scale: float = 0.0,
) -> float:
    """Return the violation of the contact laws by `x`, which is zero only at solutions.

    This measure applies to all solvers. It is computed from the data of the problem as
    ``‖s x - proj_K(s x - F)‖₂ / max(scale, ‖q‖₂)``. K is the product of the cones of all contacts,
    and q is y at ``x = 0``. ``F = y + mu |y_T| e_N`` contains De Saxcé's term, with similar terms
    for rolling and drilling. Blocks without a cone (friction without a normal, `bound`, `aspect`)
    contribute the natural maps of their normal row and of their sets for the given x_N. Free rows
    contribute y.

    Parameters
    ----------
    problem : FrictionProblem
        The problem.
    x : (m,) array_like
        Point at which the residual is evaluated.
    impulse_scale : float, optional
        Factor s, in units of y over x. By default, it is the mean of the diagonal entries of W of
        each contact, which makes the residual independent of units. FCLIB and Siconos use 1.
    scale : float
        Lower bound of the norm of q, for problems in which q may consist of rounding errors.

    Returns
    -------
    float
        The residual, which is absolute if q and `scale` are zero.

    Raises
    ------
    ValueError
        If x has the wrong length, an argument is out of range, or M is not positive definite.

    Examples
    --------
    >>> problem = FrictionProblem.local(np.eye(3), [-10.0, 0.0, 0.0], mu=0.1)
    >>> residual(problem, [10.0, 0.0, 0.0]), residual(problem, [9.0, 0.0, 0.0])
    (0.0, 0.1)
    """
    core = as_instance("problem", problem, FrictionProblem)._core
    point = as_vector("x", x)
    return _complementarity.sparse_friction_residual(core, point, *_measure(impulse_scale, scale))


def project_disc(x: ArrayLike, radius: float, aspect: float = 1.0) -> NDArray[np.float64]:
    """Project a point onto an interval, a disc or an ellipse.

    The metric is ``diag(1, aspect⁻²)``, in which the ellipse is round.

    Parameters
    ----------
    x : (1,) or (2,) array_like
        Point that is projected.
    radius : float
        Half axis along the first direction, >= 0.
    aspect : float
        Half axis along the second direction over that along the first, > 0.

    Returns
    -------
    ndarray
        The nearest point of the set, shape of x.

    Raises
    ------
    ValueError
        If x has another length, or a number is out of range.
    """
    point = as_vector("x", x)
    if point.size not in (1, 2):
        raise ValueError(f"x: expected one or two numbers, got {point.size}")
    aspect = positive("aspect", aspect)
    disc = _complementarity.FrictionDisc(0, point.size, -1, 0.0, 0.0, aspect)
    return _complementarity.project_disc(disc, in_range("radius", radius, 0.0), point)


def _whole(name: str, value: int | None, least: int) -> int | None:
    return None if value is None else whole(name, value, least)


def _measure(impulse_scale: float | None, scale: float) -> tuple[float, float]:
    # The core takes 0 as the mean of the diagonal entries.
    s = 0.0 if impulse_scale is None else positive("impulse_scale", impulse_scale)
    return s, in_range("scale", scale, 0.0)


def _choose(
    problem: FrictionProblem, method: Method, storage: Storage, given: dict[str, Any]
) -> tuple[Storage, str]:
    """Return the storage of matrices for the solver, and the reason."""
    one_of("storage", storage, ("auto", "dense", "sparse"))
    possible = _STORAGES[method]
    if storage != "auto":
        if storage not in possible:
            raise ValueError(
                f"storage: must be {possible[0]!r} for method={method!r}, got {storage!r}. "
                "Leave it out, or choose method='auto'."
            )
        _MATRICES.check(storage, given)
        return storage, f"storage={storage!r}"
    if len(possible) == 1:
        return possible[0], f"method={method!r}"
    wanted = {kind: name for name, kind in _ONLY.items() if given[name] is not None}
    if len(wanted) == 2:
        one, other = wanted["sparse"], wanted["dense"]
        raise ValueError(
            f"{one}: must be left out together with {other}, because only sparse solvers use {one} "
            f"and only dense ones {other}, got {given[one]!r}. Leave {one} or {other} out."
        )
    for kind, name in wanted.items():
        return kind, f"{name} is given"
    rows = problem.w.size
    if rows <= _DENSE_ROWS:
        return "dense", f"{rows} rows, at most {_DENSE_ROWS}"
    return "sparse", f"{rows} rows, more than {_DENSE_ROWS}"


def _run(
    problem: FrictionProblem,
    method: Method,
    used: Storage,
    reason: str,
    tol: float,
    measure: tuple[float, float],
    given: dict[str, Any],
) -> FrictionResult:
    taken = {
        name: value
        for name, value in _OPTIONS.in_force(method, given).items()
        if _ONLY.get(name, used) == used
    }
    s, scale = measure

    def solve_sparse(
        kind: str, most: float, **options: Any
    ) -> _complementarity.SparseFrictionResult:
        return _complementarity.solve_sparse_friction(
            problem._core, _KINDS[kind], most, impulse_scale=s, scale=scale, **options
        )

    found: _complementarity.FrictionResult | _complementarity.SparseFrictionResult
    if used == "sparse":
        found = judged = solve_sparse(method.upper(), tol, **taken)
        x = judged.x
    else:
        # With this tolerance, any start is accepted and returned with y, v and its residual.
        judge = partial(solve_sparse, "GAUSS_SEIDEL", sys.float_info.max, max_iterations=1)
        start = taken.get("x_start")
        x = np.zeros(problem.w.size) if start is None else start
        found = judged = judge(x_start=x)
        if method == "polyhedral" or not judged.residual <= tol:
            found = _solve_dense(problem, method, _DENSE_SHARE * tol, scale, taken)
            x = found.x
            judged = judge(x_start=x)
    name = found.status.name
    if judged.residual <= tol:
        name = "SOLVED"
    elif name == "SOLVED":
        name = "INACCURATE"
    status = FrictionStatus[name]
    finder = _METHOD_OF.get(found.used.name, found.used.name.lower())
    work = f"{found.iterations} iterations, residual {judged.residual:.1e}"
    return FrictionResult(
        x=x,
        y=judged.y,
        v=judged.v if problem.is_global else None,
        status=status,
        residual=judged.residual,
        storage=used,
        reason=reason,
        method=finder,
        iterations=found.iterations,
        outer_iterations=found.outer_iterations,
        factorizations=judged.factorizations,
        seconds={
            kind.lower(): spent
            for kind, spent in zip(_KINDS, judged.seconds, strict=True)
            if spent > 0.0
        },
        message=f"{_message(status, method, finder, taken)} ({used} matrices: {reason}; {work})",
    )


def _solve_dense(
    problem: FrictionProblem, method: Method, most: float, scale: float, options: dict[str, Any]
) -> _complementarity.FrictionResult:
    W, q, rows = problem._dense
    name = "LCP" if method == "polyhedral" else method.upper()
    kind = _complementarity.FrictionMethod.__members__[name]
    return _complementarity.solve_friction(
        W, q, rows, kind, accept_residual=most, scale=scale, **options
    )


def _message(status: FrictionStatus, method: Method, finder: str, options: dict[str, Any]) -> str:
    if status is FrictionStatus.SOLVED:
        start = "zero" if options.get("x_start") is None else "x_start"
        return f"{start} solves the problem" if finder == "start" else f"Solved by {finder}"
    if status is FrictionStatus.NO_SOLUTION:
        return (
            "There is no solution: no combination of contact states admits one. Check the signs of "
            "the matrix and of q, and whether large friction couples normal and tangential motion."
        )
    if status is FrictionStatus.INACCURATE and method == "polyhedral":
        return (
            f"The problem with polygons of {options['facets']} corners is solved, but the residual "
            "with the discs exceeds tol. Give more facets, or choose method='auto'."
        )
    if status is FrictionStatus.INACCURATE:
        return "The residual exceeds tol, but does not shrink further. Check units, or raise tol."
    remedy = "Scale the data or change x_start." if method == "auto" else "Try method='auto'."
    limit = "Raise max_time. " if status is FrictionStatus.TIME_LIMIT else ""
    return (
        "No solution was found, x is the best point. This does not prove that there is none. "
        f"{limit}{remedy}"
    )

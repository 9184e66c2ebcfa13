"""Mixed complementarity problems: complementarity with bounds ``l <= x <= u``.

Find x such that for each i

* ``x_i = l_i`` and ``F_i(x) >= 0``, or
* ``l_i < x_i < u_i`` and ``F_i(x) = 0``, or
* ``x_i = u_i`` and ``F_i(x) <= 0``.

Bounds may be infinite or equal. An unknown without bounds yields an equation, and the bounds
``[0, inf)`` yield a complementarity condition. The bounds ``[-μ λ_N, μ λ_N]`` describe dry friction
with a known normal force, where x is the tangential force and F the sliding velocity.

The solver is similar to PATH: Newton's method on the normal map, whose linearised problems are
solved by complementary pivoting along a piecewise linear path. For sparse matrices with thousands
of rows, there are two Newton methods for nonsmooth equations with one sparse factorisation per
step.

Sources: D. Ralph, Global convergence of damped Newton's method for nonsmooth equations via the path
search, *Math. Oper. Res.* 19 (1994). S. P. Dirkse, M. C. Ferris, The PATH solver: a non-monotone
stabilization scheme for mixed complementarity problems, *Optim. Methods Softw.* 5 (1995).
M. Hintermüller, K. Ito, K. Kunisch, The primal-dual active set strategy as a semismooth Newton
method, *SIAM J. Optim.* 13 (2002).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import complementarity as _complementarity
from nsmb.common.arguments import positive
from nsmb.common.options import Option, OptionTable
from nsmb.complementarity.lcp import (
    LcpStatus,
    _array,
    _integer,
    _limit,
    _numbers,
    _positive,
    _problem,
    _status,
)
from nsmb.complementarity.newton_mcp import NewtonRun, as_sparse, is_sparse, solve_by_newton
from nsmb.complementarity.uniqueness import is_only_solution

__all__ = [
    "LcpStatus",
    "McpResult",
    "natural_residual",
    "solve",
    "solve_nonlinear",
]

Method = Literal["auto", "path", "enumeration", "newton"]
_METHODS = ("auto", "path", "enumeration", "newton")
_PATH = ("path", "auto")
_OPTIONS = OptionTable("method", _METHODS, {
    "x_start": Option(None, (*_PATH, "newton")),
    "max_pivots": Option(0, _PATH),  # the core takes 0 as 50 (n + 2)
    "max_crash_steps": Option(20, _PATH),
    "max_restarts": Option(8, _PATH),
    "max_pieces": Option(60_000, ("enumeration", "auto")),
    "max_iterations": Option(2000, ("newton",)),
    "max_time": Option(np.inf, ("newton",)),
})  # fmt: skip
_Function = Callable[[NDArray[np.float64]], ArrayLike]


@dataclass(frozen=True, eq=False)
class McpResult:
    """The result of :func:`solve` and :func:`solve_nonlinear`."""

    x: NDArray[np.float64]
    """Solution, or the best point found, within the bounds, shape (n,); NaN if there is none."""
    F: NDArray[np.float64]
    """Value of F(x), recomputed, shape (n,)."""
    status: LcpStatus
    """Status at the end of the solve."""
    residual: float
    """Residual ``max_i |x_i - mid(l_i, x_i - F_i, u_i)| / max(1, ‖b‖_∞)``, recomputed; inf if there
    is no point. For a nonlinear F, b = 1e-6 (F(x) - F'(x) x)."""
    iterations: int
    """Number of linear systems solved for a piece (affine F), of linearisations (nonlinear F), or
    of steps of ``"newton"``."""
    pivots: int
    """Number of pivots, along paths and by crash steps."""
    restarts: int
    """Number of starts after the first."""
    evaluations: int
    """Number of evaluations of a nonlinear F."""
    method: Literal["path", "enumeration", "newton"]
    """Method that found the result."""
    unique: bool | None
    """True if `x` is proven to be the only solution of the problem as given, False if there are
    several or none, None if unknown. Only enumeration attempts the proof."""
    solutions: tuple[NDArray[np.float64], ...]
    """All known solutions. After enumeration, they are all isolated solutions and at least one of
    every continuum; otherwise the one that was found."""
    message: str
    """Description of the outcome, with a suggestion after a failure."""
    factorizations: int = 0
    """Number of sparse factorisations of ``"newton"``."""

    @property
    def success(self) -> bool:
        """True if `x` solves the problem."""
        return self.status is LcpStatus.SOLVED


def solve(
    A: Any,
    b: ArrayLike,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = np.inf,
    *,
    x_start: ArrayLike | None = None,
    method: Method = "auto",
    max_pivots: int | None = None,
    max_crash_steps: int | None = None,
    max_restarts: int | None = None,
    max_pieces: int | None = None,
    max_iterations: int | None = None,
    max_time: float | None = None,
    accept_residual: float = 1e-9,
) -> McpResult:
    """Solve the problem for the affine ``F = A x + b``.

    Parameters
    ----------
    A : (n, n) array_like or scipy.sparse array
        Matrix, which need not be symmetric or positive semidefinite. n = 0 is allowed.
    b : (n,) array_like
        Right-hand side.
    lower, upper : float or (n,) array_like
        Bounds of x, ``lower <= upper``; -inf and inf for no bound. The default is the linear
        complementarity problem.
    x_start : (n,) array_like, optional
        Warm start, such as the solution of a previous, similar problem. It defines the initially
        active bounds. If these are correct, no pivot is required.
    method : {"auto", "path", "enumeration", "newton"}
        ``"path"`` combines crash steps, pivoting along paths, proximal steps, and finally Lemke's
        algorithm on the equivalent linear complementarity problem. It is fast, but a failure proves
        nothing. ``"enumeration"`` searches all pieces, 2 for each unknown with one bound and 3 for
        each with two. It finds every solution or proves that there is none. ``"newton"`` guesses
        the active bounds, then uses Newton's method with a line search, both with sparse
        factorisations. ``"auto"`` is ``"newton"`` for a sparse matrix. For a dense matrix it is
        ``"path"``, followed by enumeration after a failure if there are at most `max_pieces`
        pieces.
    max_pivots : int, optional
        Maximum number of pivots per path, by default ``50 (n + 2)``.
    max_crash_steps : int, optional
        Maximum number of projected Newton steps before the first path, by default 20.
    max_restarts : int, optional
        Number of paths that start at a corner of the bounds, by default 8.
    max_pieces : int, optional
        Largest number of pieces for enumeration, by default 60,000.
    max_iterations : int, optional
        Maximum number of steps of ``"newton"``, by default 2000. Many steps are required if contact
        zones are nearly lines, which shrink by few nodes per step.
    max_time : float, optional
        Time limit of ``"newton"``, s, by default unlimited. When it is reached, the best point so
        far is returned.
    accept_residual : float
        Largest natural residual of a solution.

    Returns
    -------
    McpResult
        Result; check ``success`` before using ``x``.

    Raises
    ------
    ValueError
        If an argument has the wrong shape or is not numeric or finite. If a bound is NaN or
        infinite with the wrong sign, or if ``lower > upper``. If an option is given that the method
        does not use.

    References
    ----------
    Dirkse & Ferris, The PATH solver, *Optim. Methods Softw.* 5 (1995).

    Examples
    --------
    A block on the ground is pulled with 5 N against friction of at most 3 N. x is the friction
    force, F the acceleration of a mass of 2 kg:

    >>> result = solve([[0.5]], [2.5], lower=-3.0, upper=3.0)
    >>> result.x, result.F
    (array([-3.]), array([1.]))

    A string above a floor is loaded downwards and touches the floor in the middle:

    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(9, 9))
    >>> print(np.round(solve(A, np.full(9, 0.5), lower=-2.0).x, 2))
    [-1.17 -1.83 -2.   -2.   -2.   -2.   -2.   -1.83 -1.17]
    """
    if method not in _METHODS:
        raise ValueError(f"method: expected one of {', '.join(_METHODS)}, got {method!r}")
    if method == "auto" and is_sparse(A):
        method = "newton"
    if method == "newton":
        matrix = as_sparse(A)
        vector = _array("b", b, matrix.shape[:1])
    else:
        matrix, vector = _problem(A.toarray() if is_sparse(A) else A, b)
    low, high = _bounds(lower, upper, vector.size)
    start = None if x_start is None else _array("x_start", x_start, (vector.size,))
    given = {
        "x_start": start,
        "max_pivots": _limit("max_pivots", max_pivots, 1),
        "max_crash_steps": _limit("max_crash_steps", max_crash_steps, 0),
        "max_restarts": _limit("max_restarts", max_restarts, 0),
        "max_pieces": _limit("max_pieces", max_pieces, 1),
        "max_iterations": _limit("max_iterations", max_iterations, 1),
        "max_time": None if max_time is None else positive("max_time", max_time, unbounded=True),
    }
    _OPTIONS.check(method, given)
    used = _OPTIONS.in_force(method, given)
    accepted = _positive("accept_residual", accept_residual)
    if method == "newton":
        return _from_newton(
            solve_by_newton(
                matrix, vector, low, high, start, max_iterations=used["max_iterations"],
                max_time=used["max_time"], accept_residual=accepted,
            )
        )  # fmt: skip
    options = _complementarity.McpOptions()
    for name in ("max_pivots", "max_crash_steps", "max_restarts"):
        setattr(options, name, used.get(name, _OPTIONS.options[name].default))
    options.accept_residual = accepted
    most = used.get("max_pieces", _OPTIONS.options["max_pieces"].default)
    pieces = _complementarity.count_mcp_pieces(low, high)

    path: _complementarity.McpResult | None = None
    if method != "enumeration":
        path = _complementarity.McpResult()
        workspace = _complementarity.McpWorkspace()
        _complementarity.solve_mcp(matrix, vector, low, high, options, workspace, path, start)
        solved = path.status == _complementarity.LcpStatus.SOLVED
        if solved or method == "path" or pieces > most:
            return _from_path(path, _affine_message(path, pieces, most))
    enumeration = _complementarity.solve_mcp_enumeration(
        matrix, vector, low, high, most, options.accept_residual
    )
    unique = _is_unique(enumeration, matrix, vector, low, high)
    return _from_enumeration(enumeration, unique, path, pieces, most)


def solve_nonlinear(
    F: _Function,
    jacobian: _Function,
    x_start: ArrayLike,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = np.inf,
    *,
    max_iterations: int = 200,
    max_pivots: int | None = None,
    max_crash_steps: int = 20,
    max_restarts: int = 8,
    accept_residual: float = 1e-9,
) -> McpResult:
    """Solve the problem for a smooth nonlinear F.

    F and its Jacobian are evaluated only within the bounds. Trial points at which F is not finite
    are replaced by closer ones; at the start, F must be finite. If there are several solutions, the
    start determines which one is found. Exceptions of `F` and `jacobian` are raised unchanged, and
    Ctrl-C works.

    Parameters
    ----------
    F : callable
        Function ``F(x) -> (n,) array_like`` for x of shape (n,).
    jacobian : callable
        Function ``jacobian(x) -> (n, n) array_like`` with ``∂F_i/∂x_j`` in row i, column j.
    x_start : (n,) array_like
        Initial guess; it is moved into the bounds.
    lower, upper : float or (n,) array_like
        Bounds of x, ``lower <= upper``; -inf and inf for no bound.
    max_iterations : int
        Maximum number of linearisations, over all restarts.
    max_pivots : int, optional
        Maximum number of pivots per path, by default ``50 (n + 2)``.
    max_crash_steps : int
        Maximum number of projected Newton steps before the first path.
    max_restarts : int
        Maximum number of further starts if no step reduces the residual: first the same start
        without non-monotone steps, then points around it.
    accept_residual : float
        Largest natural residual of a solution.

    Returns
    -------
    McpResult
        Result; check ``success`` before using ``x``.

    Raises
    ------
    ValueError
        If an argument or a returned value has the wrong shape or is not numeric. If ``lower >
        upper``, or if F or its Jacobian is not finite at the start.

    References
    ----------
    Ralph, *Math. Oper. Res.* 19 (1994); Dirkse & Ferris, *Optim. Methods Softw.* 5 (1995).

    Examples
    --------
    >>> result = solve_nonlinear(lambda x: np.exp(x) - 2.0, lambda x: np.diag(np.exp(x)), [0.0])
    >>> bool(abs(result.x[0] - np.log(2.0)) < 1e-9)
    True
    """
    for argument, value in (("F", F), ("jacobian", jacobian)):
        if not callable(value):
            raise ValueError(f"{argument}: expected a function of x, got {type(value).__name__}")
    start = np.atleast_1d(_numbers("x_start", x_start))
    start = _array("x_start", start, (start.size,))
    n = start.size
    low, high = _bounds(lower, upper, n)
    options = _complementarity.McpOptions()
    options.max_iterations = _integer("max_iterations", max_iterations, 1)
    options.max_pivots = _limit("max_pivots", max_pivots, 1) or 0
    options.max_crash_steps = _integer("max_crash_steps", max_crash_steps, 0)
    options.max_restarts = _integer("max_restarts", max_restarts, 0)
    options.accept_residual = _positive("accept_residual", accept_residual)
    result = _complementarity.solve_mcp_nonlinear(
        lambda x: _returned("F(x)", F(x), (n,)),
        lambda x: _returned("jacobian(x)", jacobian(x), (n, n)),
        start,
        low,
        high,
        options,
    )
    return _from_path(result, _nonlinear_message(result))


def natural_residual(
    F: ArrayLike, x: ArrayLike, lower: ArrayLike = 0.0, upper: ArrayLike = np.inf
) -> float:
    """Return ``max_i |x_i - mid(l_i, x_i - F_i, u_i)|``, which is zero only at solutions.

    Parameters
    ----------
    F : (n,) array_like
        Values F(x).
    x : (n,) array_like
        Point at which the residual is evaluated.
    lower, upper : float or (n,) array_like
        Bounds of x.

    Returns
    -------
    float
        The residual, without scaling.

    Raises
    ------
    ValueError
        If an argument has the wrong shape or is not numeric or finite, if a bound is NaN, or if
        ``lower > upper``.
    """
    point = _numbers("x", x)
    point = _array("x", point, (point.size,))
    values = _array("F", F, point.shape)
    low, high = _bounds(lower, upper, point.size)
    return _complementarity.mcp_residual(values, np.zeros(point.size), low, high, point)


def _bounds(
    lower: ArrayLike, upper: ArrayLike, n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = _bound("lower", lower, n, np.inf), _bound("upper", upper, n, -np.inf)
    crossed = np.flatnonzero(low > high)
    if crossed.size > 0:
        i = int(crossed[0])
        raise ValueError(
            f"lower: expected lower <= upper, got lower = {low[i]}, upper = {high[i]} at [{i}]"
        )
    return low, high


def _bound(argument: str, value: ArrayLike, n: int, forbidden: float) -> NDArray[np.float64]:
    array = _numbers(argument, value)
    if array.ndim == 0:
        array = np.full(n, float(array))
    if array.shape != (n,):
        raise ValueError(f"{argument}: expected a number or shape ({n},), got shape {array.shape}")
    bad = np.flatnonzero(np.isnan(array) | (array == forbidden))
    if bad.size > 0:
        i = int(bad[0])
        raise ValueError(
            f"{argument}: expected finite numbers or {-forbidden}, got {array[i]} at [{i}]"
        )
    return array


def _returned(what: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = _numbers(what, value)
    if array.shape != shape:
        raise ValueError(f"{what}: expected shape {shape}, got shape {array.shape}")
    return array


def _from_path(result: _complementarity.McpResult, message: str) -> McpResult:
    status, x = _status(result.status), result.x
    return McpResult(
        x=x,
        F=result.F,
        status=status,
        residual=result.residual,
        iterations=result.iterations,
        pivots=result.pivots,
        restarts=result.restarts,
        evaluations=result.evaluations,
        method="path",
        unique=None,
        solutions=(x,) if status is LcpStatus.SOLVED else (),
        message=message,
    )


def _from_newton(run: NewtonRun) -> McpResult:
    return McpResult(
        x=run.x,
        F=run.F,
        status=run.status,
        residual=run.residual,
        iterations=run.iterations,
        pivots=0,
        restarts=0,
        evaluations=0,
        method="newton",
        unique=None,
        solutions=(run.x,) if run.status is LcpStatus.SOLVED else (),
        message=run.message,
        factorizations=run.factorizations,
    )


def _affine_message(result: _complementarity.McpResult, pieces: float, max_pieces: int) -> str:
    status = _status(result.status)
    run = (
        f"n = {result.x.size}, {result.iterations} systems, {result.pivots} pivots, "
        f"{result.restarts} restarts"
    )
    decide = (
        "method='enumeration' decides whether there is a solution"
        if pieces <= max_pieces
        else f"{pieces:.3g} pieces are too many for enumeration to decide (max_pieces = "
        f"{max_pieces}); check the problem, or try another x_start"
    )
    if status is LcpStatus.SOLVED:
        return f"Found a solution ({run})."
    if status is LcpStatus.RAY:
        return (
            f"Every path ended on a ray ({run}). This does not prove that there is no solution. "
            f"Try a larger max_restarts; {decide}."
        )
    if status is LcpStatus.PIVOT_LIMIT:
        return f"A path reached max_pivots ({run}). Try a larger max_pivots; {decide}."
    return (
        f"A path ended at a point whose residual exceeds accept_residual; that of the best point "
        f"is {result.residual:.1e} ({run}). The problem is close to singular or to unsolvable: "
        f"check its data, or accept a larger residual; {decide}."
    )


def _nonlinear_message(result: _complementarity.McpResult) -> str:
    status = _status(result.status)
    run = (
        f"n = {result.x.size}, {result.iterations} linearizations, {result.evaluations} "
        f"evaluations, {result.pivots} pivots, {result.restarts} restarts"
    )
    if status is LcpStatus.SOLVED:
        return f"Found a solution ({run})."
    best = f"the best point has a residual of {result.residual:.1e}"
    if status is LcpStatus.ITERATION_LIMIT:
        return (
            f"Reached max_iterations; {best} ({run}). Try a larger max_iterations or another "
            "x_start; check the Jacobian against differences of F."
        )
    return (
        f"No step from any start lowers the residual; {best} ({run}). This does not prove that "
        "there is no solution. Try another x_start or a larger max_restarts; check the Jacobian "
        "against differences of F."
    )


def _is_unique(
    result: _complementarity.McpEnumerationResult,
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> bool | None:
    count = len(result.solutions)
    if count > 1 or _status(result.first.status) is LcpStatus.NO_SOLUTION:
        return False
    return is_only_solution(A, b, lower, upper, result.first.x) if count == 1 else None


def _from_enumeration(
    result: _complementarity.McpEnumerationResult,
    unique: bool | None,
    path: _complementarity.McpResult | None,
    pieces: float,
    max_pieces: int,
) -> McpResult:
    status = _status(result.first.status)
    return McpResult(
        x=result.first.x,
        F=result.first.F,
        status=status,
        residual=result.first.residual,
        iterations=0 if path is None else path.iterations,
        pivots=0 if path is None else path.pivots,
        restarts=0 if path is None else path.restarts,
        evaluations=0,
        method="enumeration",
        unique=unique,
        solutions=tuple(result.solutions),
        message=_enumeration_message(status, result, unique, path, pieces, max_pieces),
    )


def _enumeration_message(
    status: LcpStatus,
    result: _complementarity.McpEnumerationResult,
    unique: bool | None,
    path: _complementarity.McpResult | None,
    pieces: float,
    max_pieces: int,
) -> str:
    size = f"n = {result.first.x.size}"
    if path is not None:
        size += f"; the paths had ended as '{_status(path.status)}'"
    if status is LcpStatus.SOLVED:
        found = (
            "one solution" if len(result.solutions) == 1 else f"{len(result.solutions)} solutions"
        )
        rest = "" if result.complete or unique else ", one of them possibly in a continuum"
        return f"Enumeration of {pieces:.0f} pieces found {found}{rest} ({size})."
    if status is LcpStatus.NO_SOLUTION:
        return (
            f"There is no solution: none of the {pieces:.0f} pieces holds one ({size}). "
            "Check the signs of A and b and the bounds; finite bounds always admit a solution."
        )
    if status is LcpStatus.TOO_LARGE:
        return (
            f"Enumeration was not tried: {pieces:.3g} pieces exceed max_pieces = {max_pieces}. "
            "Try method='path', or a larger max_pieces (at most 16 million)."
        )
    return (
        f"Enumeration of {pieces:.0f} pieces ({size}) found no point within accept_residual, but "
        f"missed one so narrowly (residual {result.first.residual:.1e}) that this proves nothing. "
        "Check the accuracy of the data, or accept a larger residual."
    )

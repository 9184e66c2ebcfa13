"""Linear complementarity problems ``y = A x + b, x >= 0, y >= 0, xᵀy = 0``.

Detachment, stick-slip transitions and impacts of planar contacts are linear complementarity
problems, whose matrix follows from the mass matrix and the contact directions. Source: F. Pfeiffer,
C. Glocker, *Multibody Dynamics with Unilateral Contacts*, section 6.4 (equations 6.27-6.36,
complementary cones, Lemke's algorithm).
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import complementarity as _complementarity
from nsmb.common.options import Option, OptionTable
from nsmb.complementarity.uniqueness import is_only_solution

__all__ = ["LcpResult", "LcpStatus", "excluded_size", "natural_residual", "solve"]

Method = Literal["auto", "lemke", "enumeration"]
_METHODS = ("auto", "lemke", "enumeration")
_LEMKE = ("lemke", "auto")
_OPTIONS = OptionTable("method", _METHODS, {
    "x_start": Option(None, _LEMKE),
    "max_pivots": Option(0, _LEMKE),  # the core takes 0 as 50 (n + 2)
    "max_covering_vectors": Option(8, _LEMKE),
    "max_size": Option(16, ("enumeration", "auto")),
})  # fmt: skip


class LcpStatus(str, Enum):
    """The status at the end of a solve."""

    SOLVED = "solved"  #: the residual, recomputed from A and b, is within the tolerance
    RAY = "ray"  #: Lemke's path ended on a ray, which proves nothing about solvability
    PIVOT_LIMIT = "pivot_limit"  #: Lemke's path was terminated after max_pivots
    NO_SOLUTION = "no_solution"  #: proven, by a certificate or because no cone contains b
    INACCURATE = "inaccurate"  #: a point was found, but its residual is too large
    TOO_LARGE = "too_large"  #: more unknowns than the limit for enumeration
    ITERATION_LIMIT = "iteration_limit"  #: nonlinear problem: stopped after max_iterations
    STALLED = "stalled"  #: nonlinear problem: no step from any start lowers the residual

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False)
class LcpResult:
    """The result of :func:`solve`."""

    x: NDArray[np.float64]
    """Solution, or the best point found, shape (n,); NaN if there is none."""
    y: NDArray[np.float64]
    """Value of ``A x + b``, recomputed, shape (n,)."""
    status: LcpStatus
    """Status at the end of the solve."""
    residual: float
    """Residual ``max_i |min(x_i, y_i)| / max(1, ‖b‖_∞)``, recomputed; inf if there is no point."""
    pivots: int
    """Number of pivots of Lemke's algorithm, over all covering vectors. If n <= 8, the symmetric
    part of A is definite and there is no start, they are principal pivots without a covering
    vector."""
    method: Literal["lemke", "enumeration"]
    """Method that found the result."""
    unique: bool | None
    """True if `x` is proven to be the only solution of the problem as given, False if there are
    several or none, None if unknown. Only enumeration attempts the proof."""
    solutions: tuple[NDArray[np.float64], ...]
    """All known solutions. After enumeration, they are all isolated solutions and at least one of
    every continuum; after Lemke's algorithm, the one that was found."""
    message: str
    """Description of the outcome, with a suggestion after a failure."""
    certificate: NDArray[np.float64] | None = None
    """Proof that there is no solution, shape (n,): ``z >= 0`` with ``Aᵀz <= 0`` and ``bᵀz < 0``, so
    that ``zᵀ(A x + b) < 0`` for all ``x >= 0``. None if there is none or it was not required. The
    conditions hold up to rounding, see :func:`excluded_size`."""

    @property
    def success(self) -> bool:
        """True if `x` solves the problem."""
        return self.status is LcpStatus.SOLVED


def solve(
    A: ArrayLike,
    b: ArrayLike,
    method: Method = "auto",
    x_start: ArrayLike | None = None,
    *,
    max_pivots: int | None = None,
    max_covering_vectors: int | None = None,
    max_size: int | None = None,
    accept_residual: float = 1e-9,
) -> LcpResult:
    """Solve ``y = A x + b, x >= 0, y >= 0, xᵀy = 0``.

    Parameters
    ----------
    A : (n, n) array_like
        Matrix, which need not be symmetric or positive semidefinite. n = 0 is allowed.
    b : (n,) array_like
        Right-hand side.
    method : {"auto", "lemke", "enumeration"}
        ``"lemke"`` is complementary pivoting, which is fast and rarely fails for contact problems.
        After a failure, it searches for a certificate that ``A x + b >= 0`` has no solution
        ``x >= 0``; without one, the failure proves nothing. ``"enumeration"`` searches all 2^n
        complementary cones, and finds every solution or proves that there is none. ``"auto"`` is
        Lemke's algorithm, followed by enumeration if it is inconclusive and n <= `max_size`.
    x_start : (n,) array_like, optional
        Warm start for Lemke's algorithm, such as the solution of a previous, similar problem. Its
        positive entries define the initial complementary basis.
    max_pivots : int, optional
        Maximum number of pivots per covering vector, by default ``50 (n + 2)``.
    max_covering_vectors : int, optional
        Number of paths of Lemke's algorithm, by default 8; each has another covering vector.
    max_size : int, optional
        Largest n for enumeration, by default 16.
    accept_residual : float
        Largest natural residual of a solution.

    Returns
    -------
    LcpResult
        Result; check ``success`` before using ``x``.

    Raises
    ------
    ValueError
        If an argument has the wrong shape, is not finite or not numeric, or if an option is given
        that the method does not use.

    References
    ----------
    Pfeiffer & Glocker, *Multibody Dynamics with Unilateral Contacts*, section 6.4.

    Examples
    --------
    >>> result = solve([[2.0, 1.0], [1.0, 2.0]], [-4.0, 1.0])
    >>> result.x, str(result.status)
    (array([2., 0.]), 'solved')
    """
    if method not in _METHODS:
        raise ValueError(f"method: expected one of {', '.join(_METHODS)}, got {method!r}")
    matrix, vector = _problem(A, b)
    n = vector.size
    given = {
        "x_start": None if x_start is None else _array("x_start", x_start, (n,)),
        "max_pivots": _limit("max_pivots", max_pivots, 1),
        "max_covering_vectors": _limit("max_covering_vectors", max_covering_vectors, 1),
        "max_size": _limit("max_size", max_size, 0),
    }
    _OPTIONS.check(method, given)
    options = _OPTIONS.in_force(method, given)
    largest = options.pop("max_size", _OPTIONS.options["max_size"].default)
    accept_residual = _positive("accept_residual", accept_residual)

    lemke: _complementarity.LcpResult | None = None
    if method != "enumeration":
        lemke = _complementarity.solve_lemke(
            matrix,
            vector,
            **options,
            accept_residual=accept_residual,
        )
        answered = _status(lemke.status) in (LcpStatus.SOLVED, LcpStatus.NO_SOLUTION)
        if answered or method == "lemke" or n > largest:
            return _from_lemke(lemke, matrix, vector, largest)
    enumeration = _complementarity.solve_enumeration(
        matrix, vector, max_size=largest, accept_residual=accept_residual
    )
    return _from_enumeration(enumeration, lemke, matrix, vector, largest)


def natural_residual(A: ArrayLike, b: ArrayLike, x: ArrayLike) -> float:
    """Return ``max_i |min(x_i, (A x + b)_i)| / max(1, ‖b‖_∞)``, which is zero only at solutions.

    Parameters
    ----------
    A : (n, n) array_like
        Matrix of the problem.
    b : (n,) array_like
        Right-hand side.
    x : (n,) array_like
        Point at which the residual is evaluated.

    Returns
    -------
    float
        The residual.

    Raises
    ------
    ValueError
        If an argument has the wrong shape, is not finite or not numeric.
    """
    matrix, vector = _problem(A, b)
    return _complementarity.natural_residual(matrix, vector, _array("x", x, (vector.size,)))


def excluded_size(A: ArrayLike, b: ArrayLike, z: ArrayLike) -> float:
    """Return the sum of x up to which a certificate excludes solutions of ``A x + b >= 0``.

    No ``x >= 0`` with a smaller sum satisfies ``A x + b >= 0``. Because of rounding, ``Aᵀz <= 0``
    only holds up to a largest entry δ > 0. Then ``zᵀ(A x + b) >= 0`` requires an ``x`` whose sum is
    at least ``-bᵀz / δ``.

    Parameters
    ----------
    A : (n, n) array_like
        Matrix of the problem.
    b : (n,) array_like
        Right-hand side.
    z : (n,) array_like
        Certificate, ``z >= 0``.

    Returns
    -------
    float
        A lower bound of the sum, which allows for rounding errors in its own evaluation; 0 if `z`
        is not a certificate, because ``z >= 0`` or ``bᵀz < 0`` does not hold.

    Raises
    ------
    ValueError
        If an argument has the wrong shape, is not finite or not numeric.

    References
    ----------
    Farkas' lemma; R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*,
    section 2.7.

    Examples
    --------
    >>> excluded_size([[1.0, -1.0], [-1.0, 1.0]], [-1.0, 0.5], [1.0, 1.0]) > 1e25
    True
    """
    matrix, vector = _problem(A, b)
    return _complementarity.excluded_size(matrix, vector, _array("z", z, (vector.size,)))


def _status(status: _complementarity.LcpStatus) -> LcpStatus:
    return LcpStatus[status.name]


def _from_lemke(
    result: _complementarity.LcpResult,
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    max_size: int,
) -> LcpResult:
    status = _status(result.status)
    proven = status is LcpStatus.NO_SOLUTION
    x = result.x
    return LcpResult(
        x=x,
        y=result.y,
        status=status,
        residual=result.residual,
        pivots=result.pivots,
        method="lemke",
        unique=False if proven else None,
        solutions=(x,) if status is LcpStatus.SOLVED else (),
        message=_lemke_message(status, result, A, b, max_size),
        certificate=result.certificate if proven else None,
    )


def _lemke_message(
    status: LcpStatus,
    result: _complementarity.LcpResult,
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    max_size: int,
) -> str:
    n = result.x.size
    run = f"n = {n}, {result.pivots} pivots, {result.covering_vectors} covering vectors"
    decide = (
        "method='enumeration' decides whether there is a solution"
        if n <= max_size
        else f"n > {max_size} is too large for enumeration to decide; check the problem"
    )
    if status is LcpStatus.SOLVED:
        return f"Lemke's algorithm found a solution ({run})."
    if status is LcpStatus.NO_SOLUTION:
        size = _complementarity.excluded_size(A, b, result.certificate)
        return (
            f"There is no solution: no x >= 0 with a sum below {size:.0e} has A x + b >= 0. The "
            f"certificate z >= 0 proves it: Aᵀz <= 0 up to rounding, bᵀz < 0 ({run}). Check the "
            "signs of A and b, or whether constraints contradict each other."
        )
    if status is LcpStatus.RAY:
        theory = (
            " The symmetric part of A is positive semidefinite: there is a solution if x >= 0, "
            "A x + b >= 0 can be satisfied."
            if _complementarity.is_positive_semidefinite(A)
            else ""
        )
        return (
            f"Lemke's algorithm ended on a ray ({run}). This does not prove that there is no "
            f"solution.{theory} Try a larger max_covering_vectors; {decide}."
        )
    if status is LcpStatus.PIVOT_LIMIT:
        return f"Lemke's algorithm reached max_pivots ({run}). Try a larger max_pivots; {decide}."
    return (
        f"Lemke's algorithm found a complementary basis, but its residual {result.residual:.1e} "
        f"exceeds accept_residual ({run}). The problem is close to singular or to unsolvable: "
        f"check its data, or accept a larger residual; {decide}."
    )


def _from_enumeration(
    result: _complementarity.EnumerationResult,
    lemke: _complementarity.LcpResult | None,
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    max_size: int,
) -> LcpResult:
    status = _status(result.first.status)
    unique: bool | None = False if status in (LcpStatus.SOLVED, LcpStatus.NO_SOLUTION) else None
    if result.unique:
        none, all_ = np.zeros(b.size), np.full(b.size, np.inf)
        unique = is_only_solution(A, b, none, all_, result.first.x)
    return LcpResult(
        x=result.first.x,
        y=result.first.y,
        status=status,
        residual=result.first.residual,
        pivots=0 if lemke is None else lemke.pivots,
        method="enumeration",
        unique=unique,
        solutions=tuple(result.solutions),
        message=_enumeration_message(status, result, unique, lemke, max_size),
    )


def _enumeration_message(
    status: LcpStatus,
    result: _complementarity.EnumerationResult,
    unique: bool | None,
    lemke: _complementarity.LcpResult | None,
    max_size: int,
) -> str:
    n = result.first.x.size
    size = f"n = {n}"
    if lemke is not None:
        size += f"; Lemke's algorithm had ended as '{_status(lemke.status)}'"
    cones = f"{2**n} complementary cones"
    if status is LcpStatus.SOLVED:
        count = len(result.solutions)
        if unique:
            found = "exactly one solution"
        elif unique is None:
            found = "one solution, which is not proven to be the only one"
        elif result.unique:
            found = "one solution; another one is proven to exist"
        elif count == 1:
            found = "a continuum of solutions"
        else:
            found = f"{count} solutions or more; x is the first"
        return f"Enumeration of {cones} found {found} ({size})."
    if status is LcpStatus.NO_SOLUTION:
        return (
            f"There is no solution: none of the {cones} contains b ({size}). "
            "Check the signs of A and b, or whether constraints contradict each other."
        )
    if status is LcpStatus.TOO_LARGE:
        return (
            f"Enumeration was not tried: n = {n} exceeds max_size = {max_size}, and the work "
            "doubles with each unknown. Try method='lemke', or a larger max_size (at most 24)."
        )
    return (
        f"Enumeration of {cones} ({size}) found no point within accept_residual, but b is so close "
        f"to a cone (residual {result.first.residual:.1e}) that this proves nothing. "
        "Check the accuracy of the data, or accept a larger residual."
    )


def _problem(A: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    vector = _numbers("b", b)
    if vector.ndim != 1:
        raise ValueError(f"b: expected shape (n,), got shape {vector.shape}")
    _check_finite("b", vector)
    matrix = _numbers("A", A)
    if matrix.size == 0 and vector.size == 0:
        matrix = matrix.reshape(0, 0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"A: expected a square matrix, shape (n, n), got shape {matrix.shape}")
    if vector.size != matrix.shape[0]:
        raise ValueError(f"b: expected shape ({matrix.shape[0]},), got shape {vector.shape}")
    _check_finite("A", matrix)
    return matrix, vector


def _array(argument: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = _numbers(argument, value)
    if array.shape != shape:
        raise ValueError(f"{argument}: expected shape {shape}, got shape {array.shape}")
    _check_finite(argument, array)
    return array


def _numbers(argument: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{argument}: expected an array of real numbers, got {error}") from None
    if array.size > 0 and array.dtype.kind not in "biuf":
        raise ValueError(f"{argument}: expected an array of real numbers, got dtype {array.dtype}")
    return np.asarray(array, dtype=np.float64, order="F")


def _check_finite(argument: str, array: NDArray[np.float64]) -> None:
    bad = np.argwhere(~np.isfinite(array))
    if bad.size > 0:
        place = tuple(int(i) for i in bad[0])
        index = ", ".join(str(i) for i in place)
        raise ValueError(f"{argument}: expected finite numbers, got {array[place]} at [{index}]")


def _integer(argument: str, value: int, smallest: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{argument}: expected an integer, got {value!r}") from None
    if number < smallest:
        raise ValueError(f"{argument}: expected an integer >= {smallest}, got {number}")
    return number


def _limit(argument: str, value: int | None, smallest: int) -> int | None:
    return None if value is None else _integer(argument, value, smallest)


def _positive(argument: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{argument}: expected a number > 0, got {value!r}") from None
    if not 0.0 < number < np.inf:
        raise ValueError(f"{argument}: expected a number > 0, got {number}")
    return number

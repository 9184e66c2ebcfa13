"""Proofs that a complementarity problem has exactly one solution, for the data as given.

Floating-point numbers are rational numbers, so every statement about them can be decided. A piece
of the problem specifies which variables are at a bound and which are between their bounds. Each
piece is first examined with bounds of all rounding errors. Inconclusive pieces are then decided in
integer arithmetic.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_definite", "is_only_solution"]

Array = NDArray[np.float64]

_U = float(np.finfo(np.float64).eps)  # twice the unit roundoff
_NEAR = 1e-6  # relative tolerance between the proven solution and the one found
_MOST_WORK = 400_000  # maximum number of integer multiplications
_MOST_PIECES = 2**18  # maximum number of pieces, which take some seconds
_BATCH = 4096  # number of pieces per batch
_LOWER, _INSIDE, _UPPER, _FIXED = 0, 1, 2, 3


def is_only_solution(A: Array, b: Array, lower: Array, upper: Array, x: Array) -> bool | None:
    """Return True if `x` approximates the only solution of the problem, False if there are others.

    Return None if the proof would take too long, or if `x` does not approximate the only solution.

    Parameters
    ----------
    A, b, lower, upper : ndarray
        Problem with ``lower <= x <= upper``, shapes (n, n), (n,), (n,), (n,). ``A x + b`` is not
        negative at the lower bound, not positive at the upper bound, and zero between them.
    x : (n,) ndarray
        The solution that was found.
    """
    if is_definite(A):
        return True
    search = _Proof(A, b, lower, upper)
    return search.run(x)


def is_definite(A: Array) -> bool:
    """Return True if ``A + Aᵀ`` is proven to be positive definite.

    The problem then has exactly one solution for all bounds and every b. The test is a Cholesky
    factorisation of a matrix that is reduced by more than all rounding errors (Rump, 2006).
    """
    n = len(A)
    if n == 0:
        return True
    d = np.diagonal(A)
    if not (d > 0.0).all():
        return False
    with np.errstate(all="ignore"):
        scale = np.ldexp(1.0, -(np.frexp(d)[1] // 2))
        C = (scale[:, None] * A) * scale
        S = 0.5 * (C + C.T)
        exact = np.array_equal((C / scale[:, None]) / scale, A)
        if not exact or not np.isfinite(S).all() or np.abs(S).max() > 1e8:
            return False
        shift = _U * ((n + 3) * float(np.trace(S)) + n * float(np.abs(C).max()))
    try:
        np.linalg.cholesky(S - shift * np.eye(n))
    except np.linalg.LinAlgError:
        return False
    return True


class _Proof:
    def __init__(self, A: Array, b: Array, lower: Array, upper: Array) -> None:
        self.A, self.b, self.lower, self.upper = A, b, lower, upper
        self.n = len(b)
        self.found: list[tuple[Fraction, ...]] = []  # exact solutions
        self.certain: list[Array] = []  # solutions proven by error bounds
        self.work = 0

    def run(self, x: Array) -> bool | None:
        open_pieces: list[tuple[int, ...]] = []
        if math.prod(map(len, self._states())) > _MOST_PIECES:
            return None
        scaled = _Scaled(self.A, self.b, self.lower, self.upper)
        for pieces in self._batches():
            open_pieces += self._screen(scaled, pieces)
            self.work = sum(4 + piece.count(_INSIDE) ** 3 for piece in open_pieces)
            if self.work > _MOST_WORK:
                return None
            if len(self.certain) > 1:
                return False
        exact = _Exact(self.A, self.b, self.lower, self.upper)
        for piece in open_pieces:
            answer = exact.solve(piece)
            if answer is None or answer is False:
                return answer
            if isinstance(answer, tuple) and answer not in self.found:
                self.found.append(answer)
            if len(self.found) + len(self.certain) > 1:
                return False
        if len(self.found) + len(self.certain) == 0:
            return None
        only = np.array([float(v) for v in self.found[0]]) if self.found else self.certain[0]
        near = np.abs(x - only).max(initial=0.0) <= _NEAR * np.abs(only).max(initial=0.0)
        return True if near else None

    def _states(self) -> list[Sequence[int]]:
        """Return the states that each variable may have."""
        states: list[Sequence[int]] = []
        for low, high in zip(self.lower.tolist(), self.upper.tolist(), strict=True):
            if low == high:
                states.append((_FIXED,))
                continue
            sides = ((math.isfinite(low), _LOWER), (True, _INSIDE), (math.isfinite(high), _UPPER))
            states.append([state for exists, state in sides if exists])
        return states

    def _batches(self) -> Iterator[NDArray[np.int8]]:
        """Yield states of all variables for batches of pieces, (m, n)."""
        pieces = itertools.product(*self._states())
        while batch := list(itertools.islice(pieces, _BATCH)):
            yield np.array(batch, dtype=np.int8).reshape(len(batch), self.n)

    def _screen(self, scaled: _Scaled, pieces: NDArray[np.int8]) -> list[tuple[int, ...]]:
        """Return the pieces for which the error bounds are inconclusive."""
        doubtful: list[tuple[int, ...]] = []
        inside = (pieces == _INSIDE).sum(axis=1)
        for k in np.unique(inside):
            group = pieces[inside == k]
            refused, certain, x = scaled.judge(group, int(k))
            self.certain += list(x[certain])
            doubtful += [tuple(row) for row in group[~refused & ~certain].tolist()]
        return doubtful


class _Scaled:
    """The problem with rows and columns scaled by powers of two, which is exact."""

    def __init__(self, A: Array, b: Array, lower: Array, upper: Array) -> None:
        n = len(b)
        with np.errstate(all="ignore"):
            row, column = np.zeros(n, dtype=int), np.zeros(n, dtype=int)
            exponent = np.where(A == 0.0, -10_000, np.frexp(A)[1])
            for _ in range(4):
                size = (exponent + column).max(axis=1, initial=-10_000)
                row = np.where(size < -5_000, row, (row - size) // 2)
                size = (exponent + row[:, None]).max(axis=0, initial=-10_000)
                column = np.where(size < -5_000, column, -size)
            self.column = column
            self.A = np.ldexp(A, row[:, None] + column)
            self.b = np.ldexp(b, row)
            self.lower, self.upper = np.ldexp(lower, -column), np.ldexp(upper, -column)
            self.is_exact = (
                np.array_equal(np.ldexp(self.A, -(row[:, None] + column)), A)
                and np.array_equal(np.ldexp(self.b, -row), b)
                and np.array_equal(np.ldexp(self.lower, column), lower)
                and np.array_equal(np.ldexp(self.upper, column), upper)
            )

    def judge(
        self, pieces: NDArray[np.int8], k: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Array]:
        """Judge pieces with `k` variables between their bounds.

        Return two masks and the solutions in the units of the problem, (m, n). The masks are True
        for pieces that certainly have no solution, and for pieces that certainly have one."""
        m, n = pieces.shape
        refused, certain = np.zeros(m, dtype=bool), np.zeros(m, dtype=bool)
        if not self.is_exact:
            return refused, certain, np.zeros((m, n))
        with np.errstate(all="ignore"):
            inside = pieces == _INSIDE
            x = np.where(pieces == _UPPER, self.upper, self.lower)
            x[inside] = 0.0
            c = -(self.b + x @ self.A.T)
            size = np.abs(self.b) + np.abs(x) @ np.abs(self.A).T
            error = (n + 3) * _U * size
            spread = np.zeros(m)
            known = np.ones(m, dtype=bool)
            if k > 0:
                rows = np.nonzero(inside)[1].reshape(m, k)
                block = self.A[rows[:, :, None], rows[:, None, :]]
                right = np.take_along_axis(c, rows, axis=1)
                right_error = np.take_along_axis(error, rows, axis=1)
                R = _inverses(block)
                magnitudes = np.abs(R) @ np.abs(block)
                defect = np.abs(R @ block - np.eye(k)) + (k + 3) * _U * (magnitudes + 1.0)
                known = defect.sum(axis=2).max(axis=1) < 0.4
                y = (R @ right[:, :, None])[:, :, 0]
                left = np.abs(right - (block @ y[:, :, None])[:, :, 0]) + right_error
                terms = np.abs(right) + (np.abs(block) @ np.abs(y)[:, :, None])[:, :, 0]
                left += (k + 3) * _U * terms
                spread = 2.0 * (np.abs(R) @ left[:, :, None])[:, :, 0].max(axis=1) + 1e-280
                np.put_along_axis(x, rows, y, axis=1)
            reach = np.abs(self.A)[None, :, :] @ (inside * spread[:, None])[:, :, None]
            F = self.b + x @ self.A.T
            F_error = reach[:, :, 0] + (n + 3) * _U * (
                np.abs(self.b) + np.abs(x) @ np.abs(self.A).T
            )
            F_error += 1e-280
            # Quantities that must not be negative, and their error bounds.
            up = np.where(pieces == _LOWER, F, np.where(inside, x - self.lower, np.inf))
            down = np.where(pieces == _UPPER, -F, np.where(inside, self.upper - x, np.inf))
            gaps = np.minimum(up, down)
            errors = np.where(inside, spread[:, None] * 1.1 + 4.0 * _U * np.abs(x), F_error)
            refused = known & (gaps < -errors).any(axis=1)
            certain = known & (gaps > errors).all(axis=1)
        return refused, certain, np.ldexp(x, self.column)


def _inverses(blocks: Array) -> Array:
    """Return approximate inverses of matrices (m, k, k), which are not finite if singular.

    The method is elimination with partial pivoting."""
    m, k, _ = blocks.shape
    T = np.concatenate([blocks, np.broadcast_to(np.eye(k), (m, k, k))], axis=2)
    every = np.arange(m)
    for j in range(k):
        pivot = j + np.abs(T[:, j:, j]).argmax(axis=1)
        T[every, j], T[every, pivot] = T[every, pivot], T[every, j].copy()
        T[:, j] /= T[:, j, j][:, None]
        factors = T[:, :, j].copy()
        factors[:, j] = 0.0
        T -= factors[:, :, None] * T[:, j][:, None, :]
    return T[:, :, k:]


class _Exact:
    """The problem in integers: A and b times 2^p, x times 2^q."""

    def __init__(self, A: Array, b: Array, lower: Array, upper: Array) -> None:
        self.n = len(b)
        p = max(map(_places, [*A.ravel().tolist(), *b.tolist()]), default=0)
        bounds = [v for v in (*lower.tolist(), *upper.tolist()) if math.isfinite(v)]
        q = max(map(_places, bounds), default=0)
        self.A = [[_whole(v, p) for v in row] for row in A.tolist()]
        self.b = [_whole(v, p + q) for v in b.tolist()]
        self.lower = [_whole(v, q) if math.isfinite(v) else None for v in lower.tolist()]
        self.upper = [_whole(v, q) if math.isfinite(v) else None for v in upper.tolist()]
        self.unit = 1 << q

    def solve(self, piece: tuple[int, ...]) -> tuple[Fraction, ...] | bool | None:
        """Return the solution of a piece.

        Return True if there is none, False if there is a continuum, and None if undecided."""
        inside = [i for i in range(self.n) if piece[i] == _INSIDE]
        at: list[int] = [0] * self.n
        for i in range(self.n):
            bound = self.upper[i] if piece[i] == _UPPER else self.lower[i]
            if piece[i] != _INSIDE:
                assert bound is not None
                at[i] = bound
        outside = [j for j in range(self.n) if piece[j] != _INSIDE and at[j] != 0]
        rows = [
            [*(self.A[i][j] for j in inside),
             -self.b[i] - sum(self.A[i][j] * at[j] for j in outside)]
            for i in inside
        ]  # fmt: skip
        reduced = _eliminate(rows, len(inside))
        if reduced is None:
            return True
        d, pivots = reduced
        free = [c for c in range(len(inside)) if c not in pivots]
        if len(free) > 1:
            return None
        # x = (base + s slope) / (d unit)
        base, slope = [d * value for value in at], [0] * self.n
        for c, row in pivots.items():
            base[inside[c]] = rows[row][-1]
            if free:
                slope[inside[c]] = -rows[row][free[0]]
        for c in free:
            base[inside[c]], slope[inside[c]] = 0, d
        low: Fraction | None = None
        high: Fraction | None = None
        for value, rate in self._distances(piece, d, base, slope):
            if rate == 0:
                if value < 0:
                    return True
                continue
            zero = Fraction(-value, rate)
            if rate > 0:
                low = zero if low is None else max(low, zero)
            else:
                high = zero if high is None else min(high, zero)
        s = Fraction(0)
        if free:
            if low is None or high is None or low < high:
                return False
            if low > high:
                return True
            s = low
        denominator = d * self.unit
        return tuple((Fraction(v) + s * r) / denominator for v, r in zip(base, slope, strict=True))

    def _distances(
        self, piece: tuple[int, ...], d: int, base: list[int], slope: list[int]
    ) -> Iterator[tuple[int, int]]:
        """Yield (value, rate) of each quantity value + s rate >= 0, up to positive factors."""
        sign = 1 if d > 0 else -1
        for i, state in enumerate(piece):
            if state == _INSIDE:
                for bound, side in ((self.lower[i], sign), (self.upper[i], -sign)):
                    if bound is not None:
                        yield side * (base[i] - d * bound), side * slope[i]
            elif state != _FIXED:
                side = sign if state == _LOWER else -sign
                row = self.A[i]
                F = d * self.b[i] + sum(a * v for a, v in zip(row, base, strict=True) if a)
                rate = sum(a * v for a, v in zip(row, slope, strict=True) if a)
                yield side * F, side * rate


def _eliminate(rows: list[list[int]], columns: int) -> tuple[int, dict[int, int]] | None:
    """Perform Gauss-Jordan elimination in integers (Bareiss).

    Return the common pivot, and the row of each column with a pivot. Return None if there is no
    solution."""
    d = 1
    pivots: dict[int, int] = {}
    rank = 0
    for c in range(columns):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][c] != 0), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        leading = rows[rank]
        for r in range(len(rows)):
            if r != rank:
                factor = rows[r][c]
                rows[r] = [
                    (leading[c] * a - factor * e) // d
                    for a, e in zip(rows[r], leading, strict=True)
                ]
        d = leading[c]
        pivots[c] = rank
        rank += 1
    if any(rows[r][-1] != 0 for r in range(rank, len(rows))):
        return None
    return d, pivots


def _places(value: float) -> int:
    """Return the number of binary digits after the point."""
    return value.as_integer_ratio()[1].bit_length() - 1


def _whole(value: float, places: int) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << places) // denominator

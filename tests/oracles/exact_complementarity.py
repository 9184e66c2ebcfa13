"""All solutions of a small mixed complementarity problem in rational arithmetic.

In ``lower <= x <= upper``, ``y = A x + b`` is nonnegative at a lower bound, nonpositive at an upper
bound and zero in between. Every piece is solved by Gaussian elimination with fractions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

Point = tuple[Fraction, ...]


def exact_solutions(
    A: Sequence[Sequence[float]],
    b: Sequence[float],
    lower: Sequence[float],
    upper: Sequence[float],
) -> tuple[set[Point], bool]:
    """Return the solutions of all regular pieces, and whether singular pieces may have others."""
    n = len(b)
    matrix = [[Fraction(v) for v in row] for row in A]
    right = [Fraction(v) for v in b]
    choices = [
        [0] if low == high else [0] * math.isfinite(low) + [1] + [2] * math.isfinite(high)
        for low, high in zip(lower, upper, strict=True)
    ]
    points: set[Point] = set()
    open_question = False
    for piece in itertools.product(*choices):
        x = [
            Fraction(0) if state == 1 else Fraction(upper[i] if state == 2 else lower[i])
            for i, state in enumerate(piece)
        ]
        inside = [i for i in range(n) if piece[i] == 1]
        rows = [
            [
                *(matrix[i][j] for j in inside),
                -right[i] - sum(matrix[i][j] * x[j] for j in range(n) if piece[j] != 1),
            ]
            for i in inside
        ]
        rank = _reduce(rows, len(inside))
        if any(row[-1] != 0 for row in rows[rank:]):
            continue
        if rank < len(inside):
            open_question = True
            continue
        for i, row in zip(inside, rows, strict=True):
            x[i] = row[-1]
        y = [sum(a * v for a, v in zip(matrix[i], x, strict=True)) + right[i] for i in range(n)]
        if all(_fits(piece[i], x[i], y[i], lower[i], upper[i]) for i in range(n)):
            points.add(tuple(x))
    return points, open_question


def _fits(state: int, x: Fraction, y: Fraction, lower: float, upper: float) -> bool:
    if lower == upper:
        return True
    if state == 1:
        return lower <= x <= upper
    return y >= 0 if state == 0 else y <= 0


def _reduce(rows: list[list[Fraction]], columns: int) -> int:
    """Reduce to echelon form in place and return the rank."""
    rank = 0
    for c in range(columns):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][c] != 0), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        rows[rank] = [v / rows[rank][c] for v in rows[rank]]
        for r in range(len(rows)):
            factor = rows[r][c]
            if r != rank and factor != 0:
                rows[r] = [a - factor * e for a, e in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return rank

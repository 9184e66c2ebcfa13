"""A thousand random problems: no wrong answer, and all solvable ones are solved.

The residual is recomputed here with NumPy. Theory says which problems must be solved: finite bounds
always admit a solution, and so does a strictly monotone F; a monotone F has one in the families
that are constructed around a solution. For the others, enumeration and brute force are the
reference.
"""

from collections.abc import Callable

import numpy as np
import pytest

from nsmb.complementarity import mcp
from tests.complementarity.mcp_problems import (
    Array,
    definite,
    p_matrix,
    random_bounds,
    regular_solutions,
    residual,
    tower,
)

Problem = tuple[Array, Array, Array, Array]
Family = Callable[[np.random.Generator, int], Problem]

ACCEPT = 1e-9
FAILURES = {"ray", "pivot_limit", "inaccurate"}


def with_solution(rng: np.random.Generator, A: Array) -> Problem:
    """Return b and bounds such that a known x is a solution, with degenerate pairs."""
    n = len(A)
    lower, upper = random_bounds(rng, n)
    z = 1.5 * rng.standard_normal(n)
    x = np.clip(z, lower, upper)
    y = np.where(rng.random(n) < 0.2, 0.0, x - z)
    return A, y - A @ x, lower, upper


def strictly_monotone(rng: np.random.Generator, n: int) -> Problem:
    return definite(rng, n), 3.0 * rng.standard_normal(n), *random_bounds(rng, n)


def principal_minors(rng: np.random.Generator, n: int) -> Problem:
    return p_matrix(rng, n), rng.standard_normal(n), *random_bounds(rng, n)


def boxes(rng: np.random.Generator, n: int) -> Problem:
    return rng.standard_normal((n, n)), rng.standard_normal(n), -rng.random(n), rng.random(n)


def boxes_with_ties(rng: np.random.Generator, n: int) -> Problem:
    A = rng.integers(-1, 2, (n, n)).astype(float)
    lower = rng.integers(-2, 1, n).astype(float)
    return A, rng.integers(-1, 2, n).astype(float), lower, lower + rng.integers(0, 3, n)


def badly_scaled_boxes(rng: np.random.Generator, n: int) -> Problem:
    """Return boxes with units of rows and columns from 1e-8 to 1e8."""
    A, b, lower, upper = boxes(rng, n)
    row, column = 10.0 ** rng.uniform(-8.0, 8.0, (2, n))
    return A * row[:, None] / column, b * row, lower * column, upper * column


def towers(rng: np.random.Generator, n: int) -> Problem:
    return tower(n, rng.uniform(0.0, 6.0), seed=int(rng.integers(1000)))


def saddle_points(rng: np.random.Generator, n: int) -> Problem:
    """Return quadratic programs with equality constraints.

    They have free multipliers and a singular diagonal block.
    """
    m = n // 2
    root = rng.standard_normal((n, n))
    C = rng.standard_normal((m, n))
    A = np.block([[root @ root.T + 0.1 * np.eye(n), -C.T], [C, np.zeros((m, m))]])
    b = np.concatenate([rng.standard_normal(n), -C @ rng.uniform(-0.5, 0.5, n)])
    lower = np.concatenate([-np.ones(n), np.full(m, -np.inf)])
    return A, b, lower, -lower


def semidefinite_solvable(rng: np.random.Generator, n: int) -> Problem:
    root = rng.standard_normal((n, rng.integers(0, n + 1)))
    return with_solution(rng, root @ root.T)


def skew_solvable(rng: np.random.Generator, n: int) -> Problem:
    root = rng.standard_normal((n, n))
    return with_solution(rng, root - root.T)


MUST_BE_SOLVED: list[tuple[Family, tuple[int, ...]]] = [
    (strictly_monotone, (1, 2, 5, 12, 30)),
    (principal_minors, (1, 2, 5, 12, 30)),
    (boxes, (1, 2, 5, 12, 30)),
    (boxes_with_ties, (1, 2, 5, 12)),
    (badly_scaled_boxes, (1, 2, 5, 12)),
    (towers, (1, 3, 10, 60)),
    (saddle_points, (2, 5, 12, 30)),
    (semidefinite_solvable, (1, 2, 5, 12, 30)),
    (skew_solvable, (1, 2, 5, 12)),
]


@pytest.mark.parametrize(
    ("family", "sizes"), MUST_BE_SOLVED, ids=lambda v: getattr(v, "__name__", "")
)
def test_family_is_solved(family: Family, sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    failures = []
    for n in sizes:
        for k in range(16):
            A, b, lower, upper = family(rng, n)
            result = mcp.solve(A, b, lower, upper, method="path")
            if not result.success:
                failures.append((n, k, str(result.status), result.residual))
                continue
            miss = residual(A @ result.x + b, lower, upper, result.x, np.abs(b).max())
            # NumPy sums in another order, hence the 1 %
            assert miss <= 1.01 * ACCEPT
            assert np.all((lower <= result.x) & (result.x <= upper))
    assert not failures


def anything(rng: np.random.Generator, n: int) -> Problem:
    return rng.standard_normal((n, n)), rng.standard_normal(n), *random_bounds(rng, n, 0.5)


def anything_with_ties(rng: np.random.Generator, n: int) -> Problem:
    A = rng.integers(-1, 2, (n, n)).astype(float)
    lower = np.where(rng.random(n) < 0.6, rng.integers(-2, 1, n), -np.inf)
    upper = np.where(rng.random(n) < 0.6, rng.integers(0, 3, n), np.inf)
    return A, rng.integers(-1, 2, n).astype(float), lower, upper


def semidefinite(rng: np.random.Generator, n: int) -> Problem:
    root = rng.standard_normal((n, rng.integers(0, n + 1)))
    return root @ root.T, rng.standard_normal(n), *random_bounds(rng, n, 0.4)


def skew(rng: np.random.Generator, n: int) -> Problem:
    root = rng.standard_normal((n, n))
    return root - root.T, rng.standard_normal(n), *random_bounds(rng, n, 0.5)


@pytest.mark.parametrize("family", [anything, anything_with_ties, semidefinite, skew])
def test_family_with_unsolvable_problems_is_answered_honestly(family: Family) -> None:
    rng = np.random.default_rng(3)
    count = {"solved": 0, "no_solution": 0}
    for n in (1, 2, 3, 4, 5):
        for _ in range(20):
            A, b, lower, upper = family(rng, n)
            path = mcp.solve(A, b, lower, upper, method="path")
            result = mcp.solve(A, b, lower, upper)
            expected = regular_solutions(A, b, lower, upper)
            assert path.success or path.status in FAILURES
            assert not (path.success and result.status == "no_solution")
            assert result.status in count, result.message
            count[str(result.status)] += 1
            if result.success:
                F = A @ result.x + b
                assert residual(F, lower, upper, result.x, np.abs(b).max()) <= 1.01 * ACCEPT
            else:
                assert not expected
    assert min(count.values()) > 0  # both kinds occurred

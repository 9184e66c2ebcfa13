"""``unique=True`` is a proof: checked in rational numbers, mainly on badly scaled problems."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from nsmb.complementarity import lcp, mcp
from tests.oracles.exact_complementarity import exact_solutions

Array = NDArray[np.float64]

KINDS = ("scaled whole numbers", "scaled numbers", "dependent", "definite")
LARGEST = {kind: 5 if kind != "definite" else 6 for kind in KINDS}


def draw(kind: str, rng: np.random.Generator) -> tuple[Array, Array]:
    n = int(rng.integers(1, LARGEST[kind]))
    B = rng.integers(-2, 3, (n, n)).astype(float)
    b = rng.integers(-2, 3, n).astype(float)
    if kind == "scaled whole numbers":
        return B * 2.0 ** rng.integers(-30, 20, (n, 1)), b
    if kind == "scaled numbers":
        scale = 10.0 ** rng.integers(-12, 8, (n, 1)) * 10.0 ** rng.integers(-8, 8, (1, n))
        return rng.standard_normal((n, n)) * scale, rng.standard_normal(n)
    if kind == "dependent":
        return B @ B.T, b
    R = rng.standard_normal((n, n))
    return R @ R.T + 0.1 * np.eye(n) + np.triu(R, 1) - np.triu(R, 1).T, b


def bounds(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    lower = np.where(rng.random(n) < 0.6, -rng.integers(0, 3, n).astype(float), -np.inf)
    return lower, np.where(rng.random(n) < 0.6, rng.integers(0, 3, n).astype(float), np.inf)


@pytest.mark.parametrize("method", ["lcp", "mcp"])
@pytest.mark.parametrize("kind", KINDS)
def test_unique_is_claimed_where_there_is_one_solution_and_nowhere_else(
    kind: str, method: str
) -> None:
    rng = np.random.default_rng([KINDS.index(kind), method == "mcp"])
    claimed = several = 0
    for _ in range(40):
        A, b = draw(kind, rng)
        n = b.size
        result: lcp.LcpResult | mcp.McpResult
        if method == "lcp":
            lower, upper = np.zeros(n), np.full(n, np.inf)
            result = lcp.solve(A, b, "enumeration")
        else:
            lower, upper = bounds(n, rng)
            result = mcp.solve(A, b, lower, upper, method="enumeration")
        points, open_question = exact_solutions(
            A.tolist(), b.tolist(), lower.tolist(), upper.tolist()
        )
        several += len(points) > 1
        if result.unique is True:
            claimed += 1
            assert len(points) == 1
            only = np.array([float(v) for v in next(iter(points))])
            near = np.abs(result.x - only).max() <= 1e-6 * np.abs(only).max()
            assert near or kind == "definite"
        elif kind == "definite":
            raise AssertionError("a definite matrix has one solution")
        if result.unique is False and result.success:
            # Without rational numbers, rounding may count as a further solution.
            assert len(points) > 1 or open_question or len(result.solutions) > 1
    assert claimed > 5
    assert kind == "definite" or several > 0 or kind == "dependent"


def test_a_second_solution_behind_rows_in_small_units_is_seen() -> None:
    """Rows between 1e-8 and 1e5: one of two solutions is lost in the original residual."""
    A = np.array(
        [
            [2048.0, -2048.0, 2048.0, 2048.0, 2048.0],
            [2.0**-17, -(2.0**-18), -(2.0**-18), 2.0**-18, -(2.0**-18)],
            [2.0**-27, -(2.0**-26), -(2.0**-27), 2.0**-27, 2.0**-27],
            [32768.0, 65536.0, 32768.0, 65536.0, 65536.0],
            [-0.25, 0.25, 0.25, 0.125, 0.25],
        ]
    )
    b = np.array([1.0, -1.0, 1.0, -2.0, -1.0])
    points, _ = exact_solutions(A.tolist(), b.tolist(), [0.0] * 5, [np.inf] * 5)
    assert len(points) > 1
    assert lcp.solve(A, b, "enumeration").unique is not True
    assert mcp.solve(A, b, method="enumeration").unique is not True


@pytest.mark.parametrize("n", [1, 4, 10])
def test_definite_matrices_of_any_scale_have_one_solution(n: int) -> None:
    rng = np.random.default_rng(n)
    R = rng.standard_normal((n, n))
    d = 10.0 ** rng.integers(-9, 9, n)
    A = d[:, None] * (R @ R.T + np.eye(n)) * d
    b = d * rng.standard_normal(n)
    assert lcp.solve(A, b, "enumeration").unique is True


def test_a_matrix_that_is_hardly_indefinite_is_not_called_definite() -> None:
    """[[1, 1 + 2^-52], [1 + 2^-52, 1]] with b = -1: three solutions near a continuum."""
    a = 1.0 + 2.0**-52
    A, b = np.array([[1.0, a], [a, 1.0]]), np.array([-1.0, -1.0])
    points, _ = exact_solutions(A.tolist(), b.tolist(), [0.0] * 2, [np.inf] * 2)
    assert len(points) == 3
    assert lcp.solve(A, b, "enumeration").unique is not True


def test_one_of_a_singular_piece_can_be_the_only_solution() -> None:
    """y = (x_1 - x_2, x_2 - x_1 + 1): only x = (s, s), s >= 0; with x_1 <= 0 a single point."""
    A, b = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([0.0, 0.0])
    assert lcp.solve(A, b, "enumeration").unique is False
    held = mcp.solve(A, b, [0.0, 0.0], [0.0, np.inf], method="enumeration")
    assert held.unique is True

"""Small definite problems have a separate algorithm with the answers of the general one.

The latter is reached by adding unknowns until the problem is too large for the former.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from nsmb.complementarity import lcp

Array = NDArray[np.float64]
LARGEST = 8  # unknowns of the algorithm for small problems


def definite(rng: np.random.Generator, n: int, skew: float = 0.0) -> Array:
    root = rng.standard_normal((n, n))
    turn = rng.standard_normal((n, n))
    return root @ root.T + 0.1 * np.eye(n) + skew * (turn - turn.T)


def general(A: Array, b: Array) -> tuple[lcp.LcpResult, Array, Array]:
    """Solve the same problem beside `LARGEST` unknowns that stay zero."""
    n = len(b)
    large = np.eye(n + LARGEST)
    large[:n, :n] = A
    result = lcp.solve(large, np.concatenate([b, np.ones(LARGEST)]), method="lemke")
    return result, result.x[:n], result.y[:n]


@pytest.mark.parametrize("n", range(1, LARGEST + 1))
@pytest.mark.parametrize("skew", [0.0, 1.0])
def test_the_general_path_gives_the_same(n: int, skew: float) -> None:
    rng = np.random.default_rng([n, int(skew)])
    for _ in range(60):
        A, b = definite(rng, n, skew), rng.standard_normal(n)
        small = lcp.solve(A, b, method="lemke")
        large, x, y = general(A, b)
        assert small.success
        assert large.success
        # Conditions up to some 1e4 with n = 8; both are corrected from A and b.
        np.testing.assert_allclose(small.x, x, rtol=0.0, atol=1e-10 * max(1.0, abs(x).max()))
        np.testing.assert_allclose(small.y, y, rtol=0.0, atol=1e-10 * max(1.0, abs(x).max()))
        np.testing.assert_array_equal(small.x > 0.0, x > 0.0)
        np.testing.assert_array_equal(small.y, evaluated(A, b, small.x))


def evaluated(A: Array, b: Array, x: Array) -> Array:
    """Return A x + b, column after column, as the core adds."""
    y = b.copy()
    for j in range(len(b)):
        y += x[j] * A[:, j]
    return y


def test_it_is_taken_where_it_may_and_only_there() -> None:
    rng = np.random.default_rng(5)
    A, b = definite(rng, 4), -np.ones(4)
    for result, expected in (
        (lcp.solve(A, b, method="lemke"), True),
        (lcp.solve(A, b, method="lemke", max_pivots=100), False),
        (general(A, b)[0], False),
        (lcp.solve([[1.0, 3.0], [3.0, 1.0]], [-1.0, -1.0], method="lemke"), False),
    ):
        assert result.success
        assert is_taken(result) == expected


def is_taken(result: lcp.LcpResult) -> bool:
    return "0 covering vectors" in result.message


@pytest.mark.parametrize("seed", range(20))
def test_units_of_single_unknowns_do_not_matter(seed: int) -> None:
    # x = D z, y = w / D with entries of D over twelve decades: the solution moves with them.
    rng = np.random.default_rng(seed)
    A, b = definite(rng, 5), rng.standard_normal(5)
    D = 10.0 ** rng.uniform(-6.0, 6.0, 5)
    plain = lcp.solve(A, b, method="lemke")
    scaled = lcp.solve(D[:, None] * A * D, D * b, method="lemke")
    assert scaled.success
    np.testing.assert_allclose(scaled.x * D, plain.x, rtol=1e-9, atol=1e-10)


def test_problems_with_ties_and_exact_answers() -> None:
    A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    for x, y in (([1, 0, 1], [0, 0, 0]), ([0, 2, 0], [0, 0, 0]), ([0, 3, 0], [1, 0, 4])):
        b = np.array(y) - A @ x
        result = lcp.solve(A, b, method="lemke")
        assert result.success
        np.testing.assert_allclose(result.x, x, atol=1e-15)
        np.testing.assert_allclose(result.y, y, atol=4e-15)


def test_nearly_singular_problems_are_left_alone() -> None:
    W = np.array([[1.0, 1.0], [0.0, 1e-5]])  # LDLᵀ: 1 and 1e-10
    A = W.T @ W
    x = np.array([1.0, 2.0])
    result = lcp.solve(A, -A @ x, method="lemke")
    assert result.success
    assert not is_taken(result)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_what_is_not_finite_is_refused_as_ever(bad: float, place: tuple[int, int]) -> None:
    A = np.eye(2)
    A[place] = bad
    with pytest.raises(ValueError, match="A: expected finite"):
        lcp.solve(A, [-1.0, -1.0], method="lemke")

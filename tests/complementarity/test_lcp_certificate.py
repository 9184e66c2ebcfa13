"""Certificates of infeasibility: z >= 0, Aᵀz <= 0, bᵀz < 0, checked in exact arithmetic."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from nsmb._core import complementarity
from nsmb.complementarity import lcp

Array = NDArray[np.float64]

law = settings(max_examples=60, derandomize=True, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def exact_excluded_size(A: Any, b: Any, z: Array) -> float:
    """Return -bᵀz / max(Aᵀz) of the stored numbers, in rational arithmetic; 0 means no proof."""
    weights = [Fraction(float(value)) for value in z]
    if any(value < 0 for value in weights):
        return 0.0

    def dot(column: Any) -> Fraction:
        return sum(
            (Fraction(float(a)) * w for a, w in zip(column, weights, strict=True)), Fraction(0)
        )

    deficit = -dot(np.asarray(b))
    slope = max((dot(column) for column in np.asarray(A).T), default=Fraction(0))
    if deficit <= 0:
        return 0.0
    return float(deficit / slope) if slope > 0 else np.inf


def is_feasible(A: Array, b: Array) -> bool:
    program = linprog(
        np.zeros(len(b)), A_ub=-np.asarray(A), b_ub=b, bounds=(0, None), method="highs"
    )
    return bool(program.status == 0)


@pytest.mark.parametrize(
    ("A", "b"),
    [
        ([[0]], [-1]),
        ([[-1]], [-1]),
        ([[1, 0], [0, 0]], [-1, -1]),
        ([[1, -1], [-1, 1]], [-1, 0.5]),
        (-np.ones((3, 3)), [-1, 2, 3]),
        ([[1, -2], [-1, 0]], [0, -1]),
        # all units 1e8 apart: one row and one column each
        ([[1e8, -1], [-1, 1e-8]], [-1e8, 0.5]),
    ],
)
@pytest.mark.parametrize("method", ["auto", "lemke"])
def test_infeasible_problems_come_with_a_proof(A: Any, b: Any, method: Any) -> None:
    result = lcp.solve(A, b, method=method)
    assert (result.status, result.method, result.unique) == ("no_solution", "lemke", False)
    assert result.certificate is not None
    assert exact_excluded_size(A, b, result.certificate) > 1e9
    assert np.isfinite(result.x).all()
    assert "certificate" in result.message


@law
@given(seed=seeds, n=st.integers(1, 30))
def test_a_feasible_problem_never_gets_a_certificate(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.integers(-2, 3, (n, n)).astype(float)
    x = rng.integers(0, 3, n).astype(float) * 10.0 ** rng.integers(-4, 5)
    b = rng.integers(0, 2, n) - A @ x
    result = lcp.solve(A, b, method="lemke")
    assert result.status != "no_solution"
    assert result.certificate is None


@law
@given(seed=seeds, n=st.integers(1, 30))
def test_an_infeasible_problem_of_any_kind_is_proven_so(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    z = np.maximum(rng.standard_normal(n), 0.0)
    z[rng.integers(n)] = 1.0
    A, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    A -= np.outer(z, np.maximum(z @ A, 0.0) + 0.1) / (z @ z)  # Aᵀz <= -0.1
    b -= z * (z @ b + 0.1) / (z @ z)  # bᵀz = -0.1
    result = lcp.solve(A, b, method="lemke")
    assert result.status == "no_solution"
    assert result.certificate is not None
    assert exact_excluded_size(A, b, result.certificate) > 1e9


def test_semidefinite_problems_are_solved_or_proven_unsolvable() -> None:
    rng = np.random.default_rng(5)
    seen = {"solved": 0, "no_solution": 0}
    for _ in range(200):
        n = int(rng.integers(1, 31))
        root = rng.integers(-2, 3, (n, rng.integers(0, n + 1))).astype(float)
        skew = rng.integers(-1, 2, (n, n)).astype(float)
        A, b = root @ root.T + skew - skew.T, rng.integers(-2, 3, n).astype(float)
        assert complementarity.is_positive_semidefinite(A)
        result = lcp.solve(A, b, method="lemke")
        assert result.success is is_feasible(A, b)
        seen[str(result.status)] += 1
    assert min(seen.values()) > 10, seen


def test_excluded_size_is_a_lower_bound_of_the_exact_one() -> None:
    rng = np.random.default_rng(6)
    sizes = []
    for _ in range(100):
        n = int(rng.integers(1, 20))
        A = rng.standard_normal((n, n))
        z = np.maximum(rng.standard_normal(n), 0.0) + 1e-3
        A -= np.outer(z, z @ A) / (z @ z)  # Aᵀz = 0 up to rounding of A
        b = rng.standard_normal(n)
        size = lcp.excluded_size(A, b, z)
        exact = exact_excluded_size(A, b, z)
        assert size <= exact * (1 + 1e-12)
        if np.isfinite(exact):
            assert size >= 0.999 * exact
        sizes.append(size)
    # Half of the b have bᵀz > 0: z proves nothing.
    assert 20 < np.count_nonzero(sizes) < 80
    assert min(size for size in sizes if size > 0) > 1e10


@pytest.mark.parametrize(
    ("z", "proves"), [([1, 1], True), ([0, 0], False), ([1, 0], False), ([-1, -1], False)]
)
def test_what_is_not_a_certificate_excludes_nothing(z: Any, proves: bool) -> None:
    size = lcp.excluded_size([[1, -1], [-1, 1]], [-1, 0.5], z)
    # z = (1, 0) alone does not exclude x >= 1 of the first unknown
    assert size > 1e25 if proves else size <= 1.0


def test_a_narrow_miss_is_no_proof() -> None:
    # Infeasible by 1e-9 of the data: data rounded to nine digits could be solvable.
    A, b = [[1, -1], [-1, 1]], [-1, 1 - 1e-9]
    assert lcp.excluded_size(A, b, [1, 1]) == 0.0
    assert lcp.solve(A, b, method="lemke").status in ("ray", "inaccurate")


@pytest.mark.parametrize(
    ("A", "semidefinite"),
    [
        (np.eye(3), True),
        (np.ones((3, 3)), True),
        (np.zeros((2, 2)), True),
        ([[0, 1], [-1, 0]], True),
        ([[0, 1], [1, 0]], False),
        ([[1, 2], [2, 1]], False),
        ([[1e16, 1e8], [1e8, 1 - 1e-9]], False),  # mixed units do not hide a negative direction
        ([[-1e-12]], False),
    ],
)
def test_semidefiniteness_is_recognised(A: Any, semidefinite: bool) -> None:
    assert complementarity.is_positive_semidefinite(np.asarray(A, float)) is semidefinite


def test_a_feasible_problem_without_solution_is_left_to_enumeration() -> None:
    # y_1 = x_2 - 1 >= 0 needs x_2 >= 1, hence y_2 = x_1 + x_2 = 0, which x >= 0 forbids.
    A, b = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([-1.0, 0.0])
    assert is_feasible(A, b)
    lemke = lcp.solve(A, b, method="lemke")
    assert lemke.status == "ray"
    assert lemke.certificate is None
    assert lcp.solve(A, b).status == "no_solution"
    assert lcp.solve(A, b).certificate is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"z": [1.0]}, r"z: expected shape \(2,\), got shape \(1,\)"),
        ({"A": np.ones((1, 2))}, r"A: expected a square matrix"),
        ({"b": [np.nan, 1.0]}, "b: expected finite numbers"),
    ],
)
def test_bad_input_names_argument_expected_and_actual(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        lcp.excluded_size(**{"A": np.eye(2), "b": np.ones(2), "z": np.ones(2), **arguments})

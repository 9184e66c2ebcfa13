"""Lemke's algorithm: traps from the literature, laws, warm starts, misuse.

Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, section 6.4.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nsmb._core import complementarity
from nsmb.complementarity import lcp

Array = NDArray[np.float64]

law = settings(max_examples=60, derandomize=True, deadline=None)
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 9)


def residual(A: Any, b: Any, x: Array) -> float:
    y = np.asarray(A) @ x + np.asarray(b)
    return float(np.max(np.abs(np.minimum(x, y)), initial=0.0))


def regular_solutions(A: Array, b: Array) -> list[Array]:
    """Return the solutions in the cones with a regular matrix, by brute force."""
    n = len(b)
    found: list[Array] = []
    for active in itertools.product([False, True], repeat=n):
        C = np.where(active, -A, np.eye(n))
        if abs(np.linalg.det(C)) < 1e-10:
            continue
        z = np.linalg.solve(C, b)
        x = np.where(active, z, 0.0)
        if z.min() > -1e-12 and not any(np.allclose(x, known) for known in found):
            found.append(x)
    return found


def definite(rng: np.random.Generator, n: int) -> Array:
    """Return a positive definite, unsymmetric problem: exactly one solution for every b."""
    root, skew = rng.standard_normal((2, n, n))
    return root @ root.T + np.eye(n) + skew - skew.T


# name, A, b, x: all have exactly one solution, which Lemke reaches with the first covering vector
SOLVABLE = [
    # Kostreva, Cycling in linear complementarity problems, Math. Programming 16 (1979)
    ("Kostreva 1", [[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1], [1 / 3, 1 / 3, 1 / 3]),
    ("Kostreva 2", [[10, 0, -2], [2, 0.1, -0.4], [0, 0.2, 0.1]], [10, 1, -1], [0, 10 / 3, 10 / 3]),
    # Murty's family: the number of pivots grows exponentially with n, the answer does not change
    ("Murty", np.tril(2 * np.ones((6, 6)), -1) + np.eye(6), [-1] * 6, [1, 0, 0, 0, 0, 0]),
    ("all rows tie", np.eye(4) + np.ones((4, 4)), [-5] * 4, [1, 1, 1, 1]),
    ("ties and zeros in b", [[2, -1, 0], [-1, 2, -1], [0, -1, 2]], [0, -1, 0], [0.5, 1, 0.5]),
    ("zero diagonal", [[0, 1], [-1, 1]], [-1, 0], [1, 1]),
    ("skew", [[0, 1], [-1, 0]], [-1, 1], [1, 1]),
    ("units mixed by 1e12", [[2e12, 1], [1, 2e-12]], [-2e12, 1], [1, 0]),
]


@pytest.mark.parametrize(
    ("A", "b", "x"), [case[1:] for case in SOLVABLE], ids=[case[0] for case in SOLVABLE]
)
def test_traps_are_solved_with_one_covering_vector(A: Any, b: Any, x: Any) -> None:
    result = lcp.solve(A, b, method="lemke", max_covering_vectors=1)
    assert result.success
    np.testing.assert_allclose(result.x, x, rtol=1e-12, atol=1e-12)
    assert residual(A, b, result.x) <= 1e-12 * np.abs(b).max()


@pytest.mark.parametrize(
    ("A", "b"),
    [
        ([[1, 1], [1, 1]], [-1, -1]),
        ([[1, -1], [-1, 1]], [-1, 1]),
        (np.ones((5, 5)), [-1, -1, -1, -1, -1]),
        (np.outer([1, 1, 2, 2], [1, 1, 2, 2]), [-1, -1, -2, -2]),
        ([[1, 0, 1], [0, 0, 0], [1, 0, 1]], [-2, 0, -2]),
    ],
)
def test_semidefinite_ties_are_solved(A: Any, b: Any) -> None:
    result = lcp.solve(A, b, method="lemke", max_covering_vectors=1)
    assert result.success
    assert residual(A, b, result.x) < 1e-14


@pytest.mark.parametrize("n", [0, 1, 7])
def test_nonnegative_b_takes_no_pivot(n: int) -> None:
    b = np.arange(n, dtype=float)
    result = lcp.solve(-np.ones((n, n)), b, method="lemke")
    assert result.success
    assert result.pivots == 0
    assert result.x.shape == (n,)
    assert not result.x.any()
    np.testing.assert_array_equal(result.y, b)


@pytest.mark.parametrize(
    ("A", "b"),
    [
        ([[0]], [-1]),
        ([[-1]], [-1]),
        ([[1, 0], [0, 0]], [-1, -1]),
        ([[1, -1], [-1, 1]], [-1, 0.5]),
        (-np.ones((3, 3)), [-1, 2, 3]),
        # without the lexicographic rule the path cycles on this one
        ([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], [-1, -1, -1]),
    ],
)
def test_unsolvable_is_never_called_solved(A: Any, b: Any) -> None:
    assert lcp.solve(A, b, method="lemke").status == "no_solution"
    assert lcp.solve(A, b, method="enumeration").status == "no_solution"
    bare = complementarity.solve_lemke(
        np.asarray(A, float), np.asarray(b, float), prove_infeasibility=False
    )
    assert bare.status == complementarity.LcpStatus.RAY
    assert bare.certificate.size == 0
    assert np.isfinite(bare.x).all()


def test_ray_is_left_with_another_covering_vector() -> None:
    A, b = [[1, -1, -2], [2, 2, -2], [1, 0, -1]], [-2, 0, -2]
    assert lcp.solve(A, b, method="lemke", max_covering_vectors=1).status == "ray"
    result = lcp.solve(A, b, method="lemke")
    assert result.success
    np.testing.assert_allclose(result.x, [2, 0, 0], atol=1e-15)


def test_ray_does_not_prove_that_there_is_no_solution() -> None:
    # Either y_i leaves first; then x_i enters, which only raises the other y.
    A, b = [[0, 1], [2, 0]], [-1, -1]
    lemke = lcp.solve(A, b, method="lemke", max_covering_vectors=50)
    assert lemke.status == "ray"
    assert "does not prove" in lemke.message
    result = lcp.solve(A, b)
    assert (result.status, result.method, result.unique) == ("solved", "enumeration", True)
    np.testing.assert_allclose(result.x, [0.5, 1.0])


def test_pivot_limit_is_reported() -> None:
    result = lcp.solve(np.eye(6), -np.ones(6), method="lemke", max_pivots=2)
    assert result.status == "pivot_limit"
    assert "max_pivots" in result.message
    assert np.isfinite(result.x).all()


def test_lemke_agrees_with_brute_force() -> None:
    rng = np.random.default_rng(11)
    for n in (1, 2, 3, 4, 5):
        for _ in range(20):
            A, b = definite(rng, n), 3.0 * rng.standard_normal(n)
            (reference,) = regular_solutions(A, b)
            np.testing.assert_allclose(
                lcp.solve(A, b, method="lemke").x, reference, rtol=1e-9, atol=1e-12
            )


def test_same_problem_gives_the_same_bits() -> None:
    rng = np.random.default_rng(12)
    A, b = definite(rng, 31), rng.standard_normal(31)
    first, second = lcp.solve(A, b), lcp.solve(A.copy(order="F"), b.copy())
    assert first.x.tobytes() == second.x.tobytes()
    assert first.y.tobytes() == second.y.tobytes()


def test_warm_start_from_the_solution_takes_no_pivot() -> None:
    rng = np.random.default_rng(13)
    for n in (1, 5, 20):
        A, b = definite(rng, n), rng.standard_normal(n) - 1.0
        cold = lcp.solve(A, b, method="lemke")
        warm = lcp.solve(A, b + 1e-9, method="lemke", x_start=cold.x)
        assert cold.pivots > 0
        assert warm.success
        assert warm.pivots == 0


def test_warm_start_next_to_the_solution_takes_two_pivots() -> None:
    start = np.ones(6)
    start[3] = 0.0
    assert lcp.solve(np.eye(6), -np.ones(6), method="lemke", max_pivots=100).pivots == 7
    # The artificial variable enters and leaves again, nothing else.
    result = lcp.solve(np.eye(6), -np.ones(6), method="lemke", x_start=start)
    assert result.pivots == 2
    np.testing.assert_array_equal(result.x, np.ones(6))


def test_warm_start_completes_the_basis_of_an_open_contact() -> None:
    # (6.35), one contact that lifts off while it slides: zero forces, z⁻ = 2, singular basis.
    A = np.zeros((5, 5))
    A[:3, :3] = np.outer([1, 0.5, -0.5], [1, 0.5, -0.5])
    A[1:3, 3:], A[3:, 1:3], A[3:, 0] = np.eye(2), -np.eye(2), 0.3
    b = np.array([1.0, -2.0, 2.0, 0.0, 0.0])
    cold = lcp.solve(A, b, method="lemke")
    np.testing.assert_allclose(cold.x, [0, 0, 0, 2, 0])
    warm = lcp.solve(A, 1.01 * b, method="lemke", x_start=cold.x)
    assert warm.pivots == 0
    np.testing.assert_allclose(warm.x, [0, 0, 0, 2.02, 0])


def test_a_slowly_changing_contact_problem_takes_less_than_two_pivots_a_step() -> None:
    """(6.35) of four contacts that rotate once in 300 steps, and stick, slip and open."""
    rng = np.random.default_rng(14)
    contacts, steps = 4, 300
    root = rng.standard_normal((9, 9))
    M_inv = np.linalg.inv(root @ root.T + np.eye(9))
    W, swing = rng.standard_normal((2, 9, 2 * contacts))
    u, turn = rng.standard_normal((2, 9))
    one, zero = np.eye(contacts), np.zeros((contacts, contacts))
    signs = np.block([[one, zero], [zero, one], [zero, -one]])
    lower = np.block([[0.3 * one, -one, zero], [0.3 * one, zero, -one]])
    upper = np.block([[zero, zero], [one, zero], [zero, one]])
    x, pivots, bases = None, [], set()
    for angle in np.linspace(0.0, 2.0 * np.pi, steps):
        W_now = W + 0.2 * np.sin(angle) * swing
        G = signs @ W_now.T @ M_inv @ W_now @ signs.T
        A = np.block([[G, upper], [lower, np.zeros((2 * contacts, 2 * contacts))]])
        gamma = signs @ W_now.T @ (np.cos(angle) * u + np.sin(angle) * turn)
        b = np.concatenate([gamma, np.zeros(2 * contacts)])
        result = lcp.solve(A, b, method="lemke", x_start=x)
        assert result.success
        assert residual(A, b, result.x) < 1e-12 * max(1.0, float(np.abs(b).max()))
        x = result.x
        pivots.append(result.pivots)
        bases.add((x > 0.0).tobytes())
    assert len(bases) > 8
    assert np.mean(pivots[1:]) < 2.0
    assert np.count_nonzero(pivots[1:]) < 0.2 * steps


def test_a_sequence_gives_what_single_solves_give() -> None:
    rng = np.random.default_rng(15)
    problems = [(definite(rng, 7), rng.standard_normal(7)) for _ in range(5)]
    A = np.asfortranarray(np.hstack([A for A, _ in problems]))
    b = np.asfortranarray(np.stack([b for _, b in problems], axis=1))
    for warm in (False, True):
        sequence = complementarity.solve_lemke_sequence(A, b, warm)
        assert set(sequence.status) == {complementarity.LcpStatus.SOLVED}
        assert len(sequence.pivots) == 5
        for k, problem in enumerate(problems):
            single = lcp.solve(*problem, method="lemke")
            np.testing.assert_allclose(sequence.x[:, k], single.x, rtol=1e-12, atol=1e-14)
            assert sequence.residual[k] == lcp.natural_residual(*problem, sequence.x[:, k])
    with pytest.raises(ValueError, match=r"A: expected shape \(7, 35\), got shape \(7, 34\)"):
        complementarity.solve_lemke_sequence(A[:, :-1], b)


def test_warm_start_from_a_singular_basis_starts_cold() -> None:
    A, b = [[1, 1], [1, 1]], [-1, -1]
    cold = lcp.solve(A, b, method="lemke")
    warm = lcp.solve(A, b, method="lemke", x_start=[1, 1])
    assert warm.success
    assert warm.x.tobytes() == cold.x.tobytes()


@law
@given(seed=seeds, n=sizes)
def test_a_wrong_warm_start_does_no_harm(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), rng.standard_normal(n)
    warm = lcp.solve(A, b, method="lemke", x_start=rng.standard_normal(n))
    assert warm.success
    np.testing.assert_allclose(warm.x, lcp.solve(A, b).x, rtol=1e-9, atol=1e-12)


@law
@given(seed=seeds, n=sizes)
def test_a_constructed_solution_is_found(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A = definite(rng, n)
    x, y = np.maximum([v := rng.standard_normal(n), -v], 0.0)
    result = lcp.solve(A, y - A @ x, method="lemke")
    assert result.success
    np.testing.assert_allclose(result.x, x, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(result.y, y, rtol=1e-9, atol=1e-11)


@law
@given(seed=seeds, n=sizes)
def test_positive_scaling_of_x_and_y_scales_the_solution(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), rng.standard_normal(n)
    row, column = np.exp(rng.uniform(-7.0, 7.0, (2, n)))
    scaled = lcp.solve(row[:, None] * A * column, row * b, method="lemke")
    assert scaled.success
    np.testing.assert_allclose(scaled.x * column, lcp.solve(A, b).x, rtol=1e-8, atol=1e-10)


@law
@given(seed=seeds, n=sizes, exponent=st.integers(-20, 60))
def test_scaling_b_by_a_power_of_two_scales_the_solution_exactly(
    seed: int, n: int, exponent: int
) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), rng.standard_normal(n)
    factor = 2.0**exponent
    scaled = lcp.solve(A, factor * b, method="lemke")
    np.testing.assert_array_equal(scaled.x, factor * lcp.solve(A, b, method="lemke").x)


@law
@given(seed=seeds, n=sizes)
def test_permuting_the_pairs_permutes_the_solution(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), rng.standard_normal(n)
    order = rng.permutation(n)
    permuted = lcp.solve(A[np.ix_(order, order)], b[order], method="lemke")
    np.testing.assert_allclose(permuted.x, lcp.solve(A, b).x[order], rtol=1e-9, atol=1e-12)


def test_reported_residual_is_the_natural_residual_of_the_data() -> None:
    A, b, x = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([-4.0, 3.0]), np.array([1.0, 0.5])
    # min(1, -2) = -2, min(0.5, 3.5) = 0.5, ‖b‖ = 4
    assert lcp.natural_residual(A, b, x) == 0.5
    assert complementarity.natural_residual(A, b, np.array([np.nan, 0.0])) == np.inf
    result = lcp.solve(A, b)
    assert result.residual == lcp.natural_residual(A, b, result.x)


BAD = [
    ({"A": np.ones((2, 3))}, r"A: expected a square matrix, shape \(n, n\), got shape \(2, 3\)"),
    ({"A": [1.0, 2.0]}, r"A: expected a square matrix, shape \(n, n\), got shape \(2,\)"),
    ({"b": [1.0]}, r"b: expected shape \(2,\), got shape \(1,\)"),
    ({"b": [[1.0], [2.0]]}, r"b: expected shape \(n,\), got shape \(2, 1\)"),
    ({"A": [[1.0, np.nan], [0.0, 1.0]]}, r"A: expected finite numbers, got nan at \[0, 1\]"),
    ({"b": [np.inf, 0.0]}, r"b: expected finite numbers, got inf at \[0\]"),
    ({"A": [["1", "0"], ["0", "1"]]}, "A: expected an array of real numbers, got dtype <U1"),
    ({"A": [[1.0, 0.0], [1.0]]}, "A: expected an array of real numbers"),
    ({"b": [1j, 0]}, "b: expected an array of real numbers, got dtype complex128"),
    ({"x_start": [1.0]}, r"x_start: expected shape \(2,\), got shape \(1,\)"),
    ({"x_start": [np.nan, 0.0]}, "x_start: expected finite numbers, got nan"),
    ({"method": "pivot"}, "method: expected one of auto, lemke, enumeration, got 'pivot'"),
    ({"max_pivots": -1}, "max_pivots: expected an integer >= 1, got -1"),
    ({"max_pivots": 1.5}, "max_pivots: expected an integer, got 1.5"),
    ({"max_covering_vectors": 0}, "max_covering_vectors: expected an integer >= 1, got 0"),
    ({"accept_residual": 0.0}, "accept_residual: expected a number > 0, got 0.0"),
    ({"accept_residual": "small"}, "accept_residual: expected a number > 0, got 'small'"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input_names_argument_expected_and_actual(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        lcp.solve(**{"A": np.eye(2), "b": [1.0, 2.0], **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"A": np.ones((2, 3))}, r"A: expected a square matrix, got shape \(2, 3\)"),
        ({"b": np.ones(3)}, "b: expected a vector of length 2, got length 3"),
        ({"b": np.array([0.0, np.nan])}, r"b: expected finite numbers, got nan at \[1\]"),
        ({"x_start": np.ones(1)}, "x_start: expected a vector of length 2, got length 1"),
        ({"max_covering_vectors": 0}, "max_covering_vectors: expected a number >= 1, got 0"),
        ({"accept_residual": -1.0}, "accept_residual: expected a number > 0, got -1"),
    ],
)
def test_bad_input_to_the_core_names_argument_expected_and_actual(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        complementarity.solve_lemke(**{"A": np.eye(2), "b": np.ones(2), **arguments})


# All entries of b are -1 and nonnegative matrices have ones on the diagonal: every row ties at the
# first pivot, and small integers tie again and again.
GO_ROUND = [
    "1102120 1111202 1111100 0021202 0102122 1111010 2120211",
    "1000120 1110221 1211120 2001020 0212110 2211111 2002201",
    "1201001 1100222 2210110 2001100 0202111 0120011 2210021",
    "1121212 0101110 2010002 1121200 2221122 2020111 0101001",
    "1200111 2101121 1111010 2121121 0210122 1011012 1112211",
]


@pytest.mark.parametrize("rows", GO_ROUND)
def test_paths_that_tie_all_the_time_do_not_go_round(rows: str) -> None:
    """With the lexicographic rule reversed, each problem takes more than 450 pivots."""
    A = np.array([[float(entry) for entry in row] for row in rows.split()])
    result = lcp.solve(A, -np.ones(7))
    assert result.success
    assert result.pivots <= 10

"""Sparse mixed complementarity problems: obstacles with known shapes, and the dense solver."""

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray

from nsmb.complementarity import mcp

Array = NDArray[np.float64]


def exact_residual(A: Array, b: Array, low: Array, high: Array, x: Array) -> float:
    """Return the violation of the original conditions, without projections."""
    F = A @ x + b
    worst = [0.0, *(low - x), *(x - high)]
    inside = (x > low) & (x < high)
    worst += list(np.abs(F[inside]))
    worst += list(-F[(x == low) & (x < high)])
    worst += list(F[(x == high) & (x > low)])
    return float(max(worst))


def membrane(n: int) -> tuple[scipy.sparse.csr_array, Array, Array, Array]:
    """A membrane over half a ball on (-2, 2)²: A, b, obstacle and the known shape at the nodes.

    The boundary values are those of the solution that depends on r alone. It leaves the ball at r*
    with r*² (1 - ln(r* / 2)) = 1 and is a logarithm from there.
    """
    low, high = 0.5, 0.9
    for _ in range(60):  # bisection
        r_star = 0.5 * (low + high)
        if r_star**2 * (1.0 - np.log(r_star / 2.0)) < 1.0:
            low = r_star
        else:
            high = r_star
    nodes = np.linspace(-2.0, 2.0, n + 2)
    X, Y = np.meshgrid(nodes, nodes, indexing="ij")
    r = np.hypot(X, Y)
    ball = np.sqrt(np.maximum(1.0 - r**2, 0.0))
    outside = -(r_star**2) * np.log(np.maximum(r, r_star) / 2.0) / np.sqrt(1.0 - r_star**2)
    shape = np.where(r <= r_star, ball, outside)
    obstacle = np.where(r <= 1.0, ball, -1.0)
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = scipy.sparse.eye_array(n)
    A = (scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).tocsr()
    edge = np.zeros((n, n))
    edge[0] -= shape[0, 1:-1]
    edge[-1] -= shape[-1, 1:-1]
    edge[:, 0] -= shape[1:-1, 0]
    edge[:, -1] -= shape[1:-1, -1]
    return A, edge.ravel(), obstacle[1:-1, 1:-1].ravel(), shape[1:-1, 1:-1].ravel()


def test_a_membrane_over_a_ball_has_its_known_shape() -> None:
    errors = []
    for n in (50, 100):
        A, b, obstacle, shape = membrane(n)
        result = mcp.solve(A, b, lower=obstacle, accept_residual=1e-12)
        assert result.success
        assert exact_residual(A, b, obstacle, np.full(n * n, np.inf), result.x) < 1e-12
        errors.append(np.abs(result.x - shape).max())
    # Second order, up to the free boundary between the nodes: measured 1.2e-3, 3e-4.
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 2.5


def test_a_string_between_floor_and_ceiling_has_straight_and_parabolic_parts() -> None:
    # -u'' = -p on (0, 1), u >= -h: free length s with p s² / 2 = h, then the floor.
    n, p, h = 4999, 200.0, 1.0
    step = 1.0 / (n + 1)
    s = np.sqrt(2.0 * h / p)
    t = step * np.arange(1, n + 1)
    t = np.minimum(t, 1.0 - t)
    shape = np.where(t < s, -p * (s * t - 0.5 * t**2), -h)
    A = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n), format="csc")
    down = mcp.solve(A, np.full(n, p * step**2), -h, 0.5, accept_residual=1e-14)
    up = mcp.solve(A, np.full(n, -p * step**2), -0.5, h, accept_residual=1e-14)
    assert down.success
    assert up.success
    assert np.abs(down.x - shape).max() < p * step**2  # the end of the contact is between nodes
    np.testing.assert_allclose(up.x, -down.x, atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_the_dense_solver_finds_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    root = scipy.sparse.random_array((n, n), density=3.0 / n, rng=rng)
    A = (root @ root.T + 0.1 * scipy.sparse.eye_array(n)).tocsc()  # positive definite: unique
    if seed % 2:
        skew = scipy.sparse.random_array((n, n), density=2.0 / n, rng=rng)
        A = (A + skew - skew.T).tocsc()  # unsymmetric, so that guesses may cycle
    b = rng.standard_normal(n)
    low = np.where(rng.random(n) < 0.2, -np.inf, rng.uniform(-1.0, 0.0, n))
    high = np.where(rng.random(n) < 0.4, np.inf, rng.uniform(0.0, 1.0, n))
    high[0] = low[0] if np.isfinite(low[0]) else high[0]  # fixed
    expected = mcp.solve(A.toarray(), b, low, high)
    assert expected.success
    found = mcp.solve(A, b, low, high, accept_residual=1e-11)
    assert found.success, found.message
    np.testing.assert_allclose(found.x, expected.x, atol=1e-8)
    residual = mcp.natural_residual(A @ found.x + b, found.x, low, high) / max(1.0, abs(b).max())
    assert residual == pytest.approx(found.residual, abs=1e-15)


def test_where_active_bounds_run_in_circles_the_search_finds_the_solution() -> None:
    # A P-matrix on which the guesses cycle (Ben Gharbia and Gilbert 2012); the solution has A x =
    # 1.
    A = np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    result = mcp.solve(A, -np.ones(3), x_start=[0.0, 1.0, 0.0], method="newton")
    assert result.success
    np.testing.assert_allclose(result.x, np.full(3, 1.0 / 3.0), atol=1e-9)


def test_what_has_no_solution_is_not_called_solved() -> None:
    A = scipy.sparse.csc_array((2, 2))
    result = mcp.solve(A, [-1.0, 1.0])
    assert not result.success
    assert result.residual >= 1.0
    assert "does not prove" in result.message or "budget" in result.message


def test_a_budget_ends_with_the_best_point() -> None:
    A, b, obstacle, _ = membrane(40)
    one = mcp.solve(A, b, lower=obstacle, max_iterations=1)
    assert one.status is mcp.LcpStatus.ITERATION_LIMIT
    assert one.iterations == 1
    assert (one.x >= obstacle).all()
    start = mcp.solve(A, b, lower=obstacle)
    again = mcp.solve(A, b, lower=obstacle, x_start=start.x)
    assert again.success
    assert again.factorizations == 0


def test_nothing_and_misuse() -> None:
    assert mcp.solve(np.zeros((0, 0)), [], method="newton").success
    eye = scipy.sparse.eye_array(2)
    for arguments, pattern in (
        ((scipy.sparse.csc_array((2, 3)), [1.0, 1.0]), "A: expected a square matrix"),
        ((eye * np.nan, [1.0, 1.0]), "A: expected finite"),
        ((eye, [1.0]), r"b: expected shape \(2,\)"),
        ((eye, [1.0, 1.0], [1.0]), "lower: expected a number or shape"),
        ((eye, [1.0, 1.0], 1.0, 0.0), "lower: expected lower <= upper"),
        ((eye, [1.0, 1.0], np.nan), "lower: expected finite numbers or -inf, got nan"),
    ):
        with pytest.raises(ValueError, match=pattern):
            mcp.solve(*arguments)


def test_the_kind_of_matrix_chooses_the_method_and_its_options() -> None:
    A, b, obstacle, _ = membrane(5)
    sparse = mcp.solve(A, b, lower=obstacle)
    assert sparse.method == "newton"
    assert sparse.factorizations > 0
    assert len(sparse.solutions) == 1
    dense = mcp.solve(A.toarray(), b, lower=obstacle)
    assert (dense.method, dense.factorizations) == ("path", 0)
    for method in ("path", "newton"):
        for matrix in (A, A.toarray()):
            found = mcp.solve(matrix, b, lower=obstacle, method=method)  # type: ignore[arg-type]
            assert found.method == method
            np.testing.assert_allclose(found.x, dense.x, atol=1e-8)
    with pytest.raises(ValueError, match="max_time: must be left out for method='auto'"):
        mcp.solve(A.toarray(), b, lower=obstacle, max_time=1.0)
    with pytest.raises(ValueError, match="max_pivots: must be left out for method='newton'"):
        mcp.solve(A, b, lower=obstacle, max_pivots=10)

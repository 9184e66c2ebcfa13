"""Affine mixed complementarity problems: closed forms, other algorithms, laws, misuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from nsmb._core import complementarity
from nsmb.complementarity import lcp, mcp
from tests.complementarity.mcp_problems import (
    Array,
    definite,
    p_matrix,
    random_bounds,
    regular_solutions,
    residual,
    tower,
)

law = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)
inf = np.inf


def core_solve(
    A: Array, b: Array, lower: Array, upper: Array, x_start: Array | None = None, **options: Any
) -> complementarity.McpResult:
    """Solve once with options that the public function does not have."""
    settings_ = complementarity.McpOptions()
    for name, value in options.items():
        setattr(settings_, name, value)
    result = complementarity.McpResult()
    workspace = complementarity.McpWorkspace()
    complementarity.solve_mcp(
        np.asfortranarray(A), b, lower, upper, settings_, workspace, result, x_start
    )
    return result


# The first path alone, from the piece of the start point, without crash steps and fallbacks.
PATH_ONLY = {
    "max_crash_steps": 0,
    "max_restarts": 0,
    "max_proximal_steps": 0,
    "fall_back": False,
}


@pytest.mark.parametrize(
    ("a", "b", "lower", "upper", "x"),
    [
        (2.0, -3.0, -inf, inf, 1.5),
        (2.0, -3.0, 0.0, inf, 1.5),
        (2.0, 3.0, 0.0, inf, 0.0),
        (2.0, -3.0, 0.0, 1.0, 1.0),
        (2.0, 3.0, -1.0, 1.0, -1.0),
        (2.0, 3.0, -inf, -2.0, -2.0),
        (2.0, 3.0, -inf, 2.0, -1.5),
        (2.0, 3.0, 4.0, 4.0, 4.0),
        (-2.0, -3.0, 7.0, 7.0, 7.0),
        (0.0, 1.0, -1.0, 1.0, -1.0),
        (0.0, -1.0, -1.0, 1.0, 1.0),
        (0.0, -1.0, -inf, 5.0, 5.0),
        (-1.0, 3.0, 0.0, 2.0, 0.0),
    ],
)
def test_one_unknown_has_the_closed_form(
    a: float, b: float, lower: float, upper: float, x: float
) -> None:
    for method in ("path", "enumeration"):
        result = mcp.solve([[a]], [b], lower, upper, method=method)  # type: ignore[arg-type]
        assert result.success, result.message
        assert result.x[0] == x
        assert result.F[0] == a * x + b


@law
@given(seeds, sizes)
def test_definite_problems_have_the_solution_of_brute_force(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), 3.0 * rng.standard_normal(n)
    lower, upper = random_bounds(rng, n)
    (expected,) = regular_solutions(A, b, lower, upper)
    for result in (
        core_solve(A, b, lower, upper),
        core_solve(A, b, lower, upper, **PATH_ONLY),
        core_solve(A, b, lower, upper, x_start=10.0 * rng.standard_normal(n), **PATH_ONLY),
    ):
        assert result.status == complementarity.LcpStatus.SOLVED
        # condition numbers up to 1e4, so that 1e-9 leaves three digits for rounding
        np.testing.assert_allclose(result.x, expected, rtol=1e-9, atol=1e-9)


@law
@given(seeds, sizes)
def test_p_matrices_have_one_solution_on_the_first_path(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = p_matrix(rng, n), rng.standard_normal(n)
    lower, upper = random_bounds(rng, n)
    (expected,) = regular_solutions(A, b, lower, upper)
    result = core_solve(A, b, lower, upper, **PATH_ONLY)
    assert result.status == complementarity.LcpStatus.SOLVED
    np.testing.assert_allclose(result.x, expected, rtol=1e-8, atol=1e-9)
    everything = mcp.solve(A, b, lower, upper, method="enumeration")
    assert everything.unique
    np.testing.assert_allclose(everything.x, expected, rtol=1e-8, atol=1e-9)


@law
@given(seeds, st.integers(1, 7))
def test_enumeration_finds_all_solutions_that_brute_force_finds(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((2, n, n))[0], rng.standard_normal(n)
    lower, upper = random_bounds(rng, min(n, 5))
    n = len(lower)
    A, b = A[:n, :n], b[:n]
    expected = regular_solutions(A, b, lower, upper)
    found = mcp.solve(A, b, lower, upper, method="enumeration")
    assert len(found.solutions) == len(expected)
    for x in expected:
        assert min(np.abs(x - y).max() for y in found.solutions) < 1e-7 * max(1.0, np.abs(x).max())
    assert (found.status == "no_solution") == (not expected)


@law
@given(seeds, st.integers(1, 12))
def test_finite_bounds_always_admit_a_solution_and_it_is_found(seed: int, n: int) -> None:
    """A continuous F on a compact box: Brouwer's theorem, and the path from a corner ends there."""
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    if rng.random() < 0.5:
        A, b = np.round(A), np.round(b)  # ties and singular pieces
    lower, upper = -rng.random(n), rng.random(n)
    result = core_solve(A, b, lower, upper, max_proximal_steps=0, fall_back=False)
    assert result.status == complementarity.LcpStatus.SOLVED
    assert residual(A @ result.x + b, lower, upper, result.x) < 1e-9


@pytest.mark.parametrize("family", ["singular", "indefinite"])
@pytest.mark.parametrize("seed", range(150))
def test_finite_bounds_far_larger_than_b_admit_a_solution_too(family: str, seed: int) -> None:
    """F is then the rounding of terms a billion times larger than b.

    A row is satisfied to this rounding, which is far below b, as is a row of b alone at x = 0.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    root = rng.standard_normal((n, n))
    half = root[:, : n // 2 + 1]
    A = half @ half.T if family == "singular" else root
    b = 1e-9 * rng.standard_normal(n)
    lower, upper = np.sort(rng.standard_normal((2, n)), axis=0)
    result = core_solve(A, b, lower, upper)
    assert result.status == complementarity.LcpStatus.SOLVED
    F = A @ result.x + b
    terms = np.abs(b) + np.abs(A) @ np.abs(result.x)
    left = np.abs(result.x - np.clip(result.x - F, lower, upper))
    # 64 eps of the terms, and as much for another summation order; 1e-9 of b is required.
    assert (left <= 128.0 * np.finfo(float).eps * terms + 1e-18).all()


@law
@given(seeds, st.integers(1, 9))
def test_lcp_agrees_with_lemke_and_enumeration(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), 3.0 * rng.standard_normal(n)
    result = mcp.solve(A, b)
    np.testing.assert_allclose(result.x, lcp.solve(A, b).x, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        result.x, lcp.solve(A, b, method="enumeration").x, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("n", [1, 5, 60])
def test_free_unknowns_make_a_linear_system(n: int) -> None:
    rng = np.random.default_rng(n)
    A, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    result = mcp.solve(A, b, -inf, inf)
    assert result.success
    assert result.iterations <= 2
    np.testing.assert_allclose(result.x, -np.linalg.solve(A, b), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("n", [3, 10, 40])
def test_bounded_least_squares_agree_with_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    C, d = rng.standard_normal((2 * n, n)), rng.standard_normal(2 * n)
    lower, upper = -0.4 * rng.random(n), 0.4 * rng.random(n)
    expected = lsq_linear(C, d, (lower, upper), method="bvls", tol=1e-14)
    result = mcp.solve(C.T @ C, -C.T @ d, lower, upper)
    assert result.success
    assert np.any((result.x == lower) | (result.x == upper))
    assert np.any((result.x > lower) & (result.x < upper))
    np.testing.assert_allclose(result.x, expected.x, atol=1e-10)


def test_equality_constrained_program_with_bounds_has_its_multipliers() -> None:
    """A saddle point with free multipliers: their diagonal block is zero, and so is their piece."""
    rng = np.random.default_rng(4)
    n, m = 30, 8
    root = rng.standard_normal((n, n))
    H, C = root @ root.T / n + np.eye(n), rng.standard_normal((m, n))
    x_inside = rng.uniform(-0.5, 0.5, n)
    A = np.block([[H, -C.T], [C, np.zeros((m, m))]])
    b = np.concatenate([2.0 * rng.standard_normal(n), -C @ x_inside])
    lower = np.concatenate([-np.ones(n), np.full(m, -inf)])
    result = mcp.solve(A, b, lower, -lower)
    assert result.success
    x, multipliers = result.x[:n], result.x[n:]
    np.testing.assert_allclose(C @ x, C @ x_inside, atol=1e-11)
    assert residual(H @ x + b[:n] - C.T @ multipliers, -np.ones(n), np.ones(n), x) < 1e-11
    assert np.any(np.abs(x) == 1.0)


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_friction_tower_agrees_with_brute_force(n: int) -> None:
    for t in np.linspace(0.0, 6.0, 6):
        problem = tower(n, t, seed=n)
        (expected,) = regular_solutions(*problem)
        np.testing.assert_allclose(mcp.solve(*problem).x, expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("n", [10, 100, 300])
def test_friction_tower_satisfies_the_law_of_coulomb(n: int) -> None:
    """KKT of min ½ xᵀA x + bᵀx over |x| <= mu lambda_N: sticking, or friction against sliding."""
    A, b, lower, upper = tower(n, 0.7)
    result = mcp.solve(A, b, lower, upper)
    assert result.success
    slides_down, slides_up = result.x == upper, result.x == lower
    F = A @ result.x + b
    scale = np.abs(A).sum(axis=1).max() * upper.max()  # of the terms of F, times 1e-16 rounding
    assert np.all(F[slides_down] < 1e-14 * scale)
    assert np.all(F[slides_up] > -1e-14 * scale)
    assert np.abs(F[~slides_down & ~slides_up]).max() < 1e-14 * scale
    assert min(slides_down.sum(), slides_up.sum(), (~slides_down & ~slides_up).sum()) > 0


@law
@given(seeds, sizes)
def test_warm_start_from_the_solution_takes_no_pivot(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), 3.0 * rng.standard_normal(n)
    lower, upper = random_bounds(rng, n)
    first = mcp.solve(A, b, lower, upper)
    again = mcp.solve(A, b, lower, upper, x_start=first.x)
    assert (again.pivots, again.iterations, again.restarts) == (0, 1, 0)
    np.testing.assert_allclose(again.x, first.x, rtol=1e-9, atol=1e-10)


@law
@given(seeds, st.integers(2, 8), st.sampled_from([0.5, 0.9, 1.1, 2.0]))
def test_bounds_of_a_warm_start_that_moved_are_active_where_they_are_now(
    seed: int, n: int, factor: float
) -> None:
    """Friction with a changed normal force: x_start is within the new bounds, or beyond them.

    Without coupling x_i = mid(l_i, -b_i / a_i, u_i), and |b_i| is far beyond the bounds or far
    within, so that no piece changes: one linear system, no pivot, and the current bounds.
    """
    rng = np.random.default_rng(seed)
    A, upper = np.diag(rng.uniform(0.5, 2.0, n)), rng.uniform(0.5, 1.0, n)
    slides = rng.random(n) < 0.7
    size = np.where(slides, rng.uniform(5.0, 9.0, n), rng.uniform(0.0, 0.2, n))
    b = np.diag(A) * size * rng.choice([-1.0, 1.0], n)
    before = mcp.solve(A, b, -upper, upper)
    now = factor * upper
    result = mcp.solve(A, b, -now, now, x_start=before.x)
    assert (result.pivots, result.iterations, result.restarts) == (0, 1, 0)
    np.testing.assert_allclose(result.x, np.clip(-b / np.diag(A), -now, now), rtol=1e-14)
    np.testing.assert_array_equal(np.abs(result.x[slides]), now[slides])


@law
@given(seeds, sizes)
def test_a_warm_start_far_beyond_the_bounds_is_one_at_the_bounds(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), 3.0 * rng.standard_normal(n)
    lower, upper = random_bounds(rng, n)
    first = mcp.solve(A, b, lower, upper)
    beyond = first.x + 1e3 * (first.x == upper) - 1e3 * (first.x == lower)
    again = mcp.solve(A, b, lower, upper, x_start=beyond)
    assert (again.pivots, again.iterations, again.restarts) == (0, 1, 0)
    np.testing.assert_allclose(again.x, first.x, rtol=1e-9, atol=1e-10)


def test_warm_start_of_a_slowly_changing_tower_takes_hardly_a_pivot() -> None:
    n, steps = 100, 50
    cold, warm = [], []
    x = mcp.solve(*tower(n)).x
    for k in range(steps):
        problem = tower(n, 1e-3 * k)
        fresh, result = mcp.solve(*problem), mcp.solve(*problem, x_start=x)
        assert result.success
        np.testing.assert_allclose(result.x, fresh.x, atol=1e-9)
        cold.append(fresh.pivots)
        warm.append(result.pivots)
        x = result.x
    assert np.mean(warm) <= 2.0  # measured 0.1
    assert np.mean(cold) > 20.0  # measured 62: the warm start makes a difference


def test_history_does_not_change_a_result() -> None:
    """The workspace has no memory: for any order of sizes, results are those of a new one."""
    rng = np.random.default_rng(8)
    workspace, result = complementarity.McpWorkspace(), complementarity.McpResult()
    options = complementarity.McpOptions()
    for n in (5, 40, 3, 40, 5):
        A, b = np.asfortranarray(rng.standard_normal((n, n))), rng.standard_normal(n)
        lower, upper = random_bounds(rng, n)
        complementarity.solve_mcp(A, b, lower, upper, options, workspace, result)
        fresh = core_solve(A, b, lower, upper)
        assert result.status == fresh.status
        np.testing.assert_array_equal(result.x, fresh.x)
        assert (result.pivots, result.iterations) == (fresh.pivots, fresh.iterations)


@law
@given(seeds, sizes)
def test_badly_scaled_units_do_not_change_the_solution(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), 3.0 * rng.standard_normal(n)
    lower, upper = random_bounds(rng, n)
    (expected,) = regular_solutions(A, b, lower, upper)
    unit_x, unit_F = 10.0 ** rng.uniform(-8.0, 8.0, (2, n))
    result = mcp.solve(
        A * unit_F[:, None] / unit_x, b * unit_F, lower * unit_x, upper * unit_x, method="path"
    )
    assert result.success, result.message
    np.testing.assert_allclose(result.x / unit_x, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("factor", [1e-150, 1e-12, 1e12, 1e150])
def test_a_common_factor_of_all_data_does_not_matter(factor: float) -> None:
    A, b, lower, upper = tower(8)
    expected = mcp.solve(A, b, lower, upper)
    result = mcp.solve(A, factor * b, factor * lower, factor * upper, method="path")
    assert result.success
    np.testing.assert_allclose(result.x, factor * expected.x, rtol=1e-12)


@pytest.mark.parametrize(
    ("A", "b", "lower", "upper"),
    [
        ([[0.0]], [-1.0], 0.0, inf),
        ([[0.0]], [1e-12], -inf, inf),  # every x has a tiny residual, none is a solution
        ([[0.0]], [-1e-12], 0.0, inf),
        ([[-1.0]], [-1.0], 0.0, inf),
        ([[1.0, 1.0], [1.0, 1.0]], [0.0, 1.0], -inf, inf),
        ([[1.0, 1.0], [1.0, 1.0]], [0.0, 1.0], [-inf, -inf], [inf, 5.0]),
        (-np.ones((3, 3)), [-1.0, 2.0, 3.0], 0.0, inf),
        ([[0.0, 1.0], [-1.0, 0.0]], [0.0, -1.0], [0.0, -5.0], [inf, -1.0]),
    ],
)
def test_unsolvable_is_never_called_solved_and_is_proven(
    A: Any, b: Any, lower: Any, upper: Any
) -> None:
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    low, high = np.broadcast_to(lower, b.shape), np.broadcast_to(upper, b.shape)
    size = np.abs(b).max()
    assert not regular_solutions(A, b / size, low / size, high / size)
    path = mcp.solve(A, b, lower, upper, method="path")
    assert not path.success
    assert "enumeration" in path.message
    assert np.isfinite(path.x).all()
    assert np.all((path.x >= low) & (path.x <= high))
    decided = mcp.solve(A, b, lower, upper)
    assert decided.status == "no_solution"
    assert "no solution" in decided.message


def test_a_path_that_misses_a_solution_leaves_it_to_enumeration() -> None:
    # The only solution has index -1; paths from infinity reach solutions of index +1 only.
    A, b = [[0.0, 1.0], [2.0, 0.0]], [-1.0, -1.0]
    result = mcp.solve(A, b, x_start=[7.0, 0.0])
    assert (result.status, result.unique) == ("solved", result.method == "enumeration" or None)
    np.testing.assert_allclose(result.x, [0.5, 1.0])


@pytest.mark.parametrize(
    ("A", "b", "lower", "upper"),
    [
        ([[1.0, 1.0], [1.0, 1.0]], [-1.0, -1.0], -inf, inf),  # a line of solutions
        ([[1.0, 1.0], [1.0, 1.0]], [-1.0, -1.0], 0.0, 0.7),
        (np.zeros((3, 3)), [0.0, 1.0, -1.0], -1.0, 1.0),
        (np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], -inf, inf),
        ([[0.0, 1.0], [-1.0, 0.0]], [-1.0, 1.0], -inf, inf),
    ],
)
def test_singular_pieces_are_solved_without_enumeration(
    A: Any, b: Any, lower: Any, upper: Any
) -> None:
    A, b = np.asarray(A), np.asarray(b)
    result = mcp.solve(A, b, lower, upper, method="path")
    assert result.success, result.message
    low, high = np.broadcast_to(lower, b.shape), np.broadcast_to(upper, b.shape)
    assert residual(A @ result.x + b, low, high, result.x) < 1e-9


@pytest.mark.parametrize("n", [4, 12])
@pytest.mark.parametrize("x_start", [None, 0.0, 1.0])
def test_ties_do_not_cycle(n: int, x_start: float | None) -> None:
    """All bounds are reached at once, on every piece; the pivots stay far below their limit."""
    A, b = np.eye(n) + np.ones((n, n)), np.full(n, -float(n + 1))
    start = None if x_start is None else np.full(n, x_start)
    result = core_solve(A, b, np.zeros(n), np.ones(n), start, **PATH_ONLY)
    assert result.status == complementarity.LcpStatus.SOLVED
    np.testing.assert_allclose(result.x, 1.0)
    assert result.pivots <= 2 * n


def test_a_problem_that_cycles_without_tie_breaking_ends() -> None:
    A = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    result = core_solve(A, -np.ones(3), np.zeros(3), np.full(3, inf), **PATH_ONLY)
    assert result.status == complementarity.LcpStatus.RAY  # it has no solution: 1ᵀF = -3
    bounded = mcp.solve(A, -np.ones(3), 0.0, 2.0, method="path")
    assert bounded.success


def test_pivot_limit_is_reported() -> None:
    A, b, lower, upper = tower(30)
    result = core_solve(A, b, lower, upper, **PATH_ONLY, max_pivots=2)
    assert result.status == complementarity.LcpStatus.PIVOT_LIMIT
    assert result.pivots == 2
    F = A @ result.x + b
    np.testing.assert_allclose(result.F, F, rtol=0.0, atol=1e-12 * np.abs(b).max())
    assert result.residual == pytest.approx(
        residual(F, lower, upper, result.x, np.abs(b).max()), rel=1e-9
    )
    assert result.residual > 1e-3  # a point, not a solution


def test_no_unknowns() -> None:
    result = mcp.solve(np.zeros((0, 0)), [], [], [])
    assert result.success
    assert result.x.shape == (0,)


def test_too_many_pieces_are_reported() -> None:
    result = mcp.solve(np.eye(20), np.ones(20), -1.0, 1.0, method="enumeration")
    assert result.status == "too_large"
    assert "max_pieces" in result.message
    assert np.isnan(result.x).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, 2.0]], [1.0]), r"A: expected a square matrix"),
        (([[1.0]], [1.0, 2.0]), r"b: expected shape \(1,\), got shape \(2,\)"),
        (([[np.nan]], [1.0]), r"A: expected finite numbers, got nan at \[0, 0\]"),
        (([[1.0]], [1.0], [0.0, 1.0]), r"lower: expected a number or shape \(1,\), got shape"),
        (([[1.0]], [1.0], np.nan), r"lower: expected finite numbers or -inf, got nan at \[0\]"),
        (([[1.0]], [1.0], inf), r"lower: expected finite numbers or -inf, got inf"),
        (([[1.0]], [1.0], 0.0, -inf), r"upper: expected finite numbers or inf, got -inf"),
        (([[1.0]], [1.0], 2.0, 1.0), r"lower <= upper, got lower = 2\.0, upper = 1\.0 at \[0\]"),
        (([[1.0]], [1.0], "low"), r"lower: expected an array of real numbers"),
    ],
)
def test_bad_data_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mcp.solve(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "lemke"},
            r"method: expected one of auto, path, enumeration, newton, got 'lemke'",
        ),
        ({"x_start": [1.0, 2.0]}, r"x_start: expected shape \(1,\), got shape \(2,\)"),
        ({"x_start": [inf]}, r"x_start: expected finite numbers"),
        ({"max_pivots": -1}, r"max_pivots: expected an integer >= 1, got -1"),
        ({"max_pieces": 0}, r"max_pieces: expected an integer >= 1, got 0"),
        ({"max_restarts": 1.5}, r"max_restarts: expected an integer, got 1\.5"),
        ({"accept_residual": 0.0}, r"accept_residual: expected a number > 0, got 0"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mcp.solve([[1.0]], [1.0], **options)


def test_natural_residual_is_that_of_the_definition() -> None:
    lower, upper = np.array([0.0, -1.0, -inf]), np.array([inf, 1.0, inf])
    x, F = np.array([0.5, 1.0, 3.0]), np.array([0.2, -4.0, 0.3])
    assert mcp.natural_residual(F, x, lower, upper) == pytest.approx(0.3, rel=1e-15)
    assert mcp.natural_residual([-4.0], [1.0], -1.0, 1.0) == 0.0
    assert mcp.natural_residual([0.0], [1.5], -1.0, 1.0) == 0.5

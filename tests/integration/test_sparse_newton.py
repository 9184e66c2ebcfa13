"""Stiff motion with sparse Jacobians: factors against SciPy, and the same run as dense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import linalg, sparse

from nsmb._core.integration import Integrator, StepStatus, colour_columns, sparse_solve
from tests.support.draws import numbers

Array = NDArray[np.float64]
Pattern = tuple[list[int], list[int]]


def pattern_of(A: sparse.csc_array) -> Pattern:
    return A.indptr.tolist(), A.indices.tolist()


@settings(max_examples=80, deadline=None)
@given(n=st.integers(1, 40), density=numbers(0.0, 0.4), seed=st.integers(0, 10**6))
def test_factors_solve_what_dense_ones_solve(n: int, density: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = sparse.random_array((n, n), density=density, rng=rng, data_sampler=rng.normal)
    # Rows in random order: the diagonal may be empty and rows must be exchanged.
    order = rng.permutation(n)
    A = (A + sparse.csc_array((np.full(n, 1.5), (order, np.arange(n))), (n, n))).tocsc()
    b = rng.normal(size=n)
    condition = np.linalg.cond(A.toarray())
    regular, x, _ = sparse_solve(*pattern_of(A), A.data, b)
    if condition < 1e8:
        assert regular
        expected = linalg.solve(A.toarray(), b)
        # Pivots of a tenth of the largest permit growth of rounding by ten per step; measured: 30.
        error = np.abs(x - expected).max() / np.abs(expected).max()
        assert error < 1e-12 * max(1.0, condition)


def test_a_singular_matrix_is_told() -> None:
    assert not sparse_solve([0, 1, 2], [0, 0], [1.0, 2.0], [1.0, 1.0])[0]
    assert not sparse_solve([0, 1, 2], [0, 1], [1.0, 0.0], [1.0, 1.0])[0]
    assert not sparse_solve([0, 1, 2], [0, 1], [1.0, np.nan], [1.0, 1.0])[0]


def test_factors_of_a_chain_and_of_an_arrow_do_not_fill_in() -> None:
    """Minimum degree eliminates a full row and column last, wherever they are."""
    n = 400
    chain = sparse.diags_array([1.0, 4.0, 1.0], offsets=[-1, 0, 1], shape=(n, n)).tocsc()
    arrow = sparse.eye_array(n, format="lil") * 4.0
    arrow[0, :] = arrow[:, 0] = 0.1
    arrow[0, 0] = 40.0
    for A in (chain, arrow.tocsc()):
        regular, x, entries = sparse_solve(*pattern_of(A), A.data, np.ones(n))
        assert regular
        assert entries == A.nnz
        np.testing.assert_allclose(A @ x, 1.0, atol=1e-13)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 30), density=numbers(0.0, 0.5), seed=st.integers(0, 10**6))
def test_columns_of_a_colour_have_no_common_row(n: int, density: float, seed: int) -> None:
    A = sparse.random_array((n, n), density=density, rng=seed) + sparse.eye_array(n)
    colours = np.array(colour_columns(*pattern_of(A.tocsc())))
    full = A.toarray() != 0.0
    for colour in range(colours.max() + 1):
        assert full[:, colours == colour].sum(axis=1).max() <= 1


def test_a_chain_needs_three_colours_however_long() -> None:
    for n in (10, 500):
        A = sparse.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(n, n)).tocsc()
        assert max(colour_columns(*pattern_of(A))) == 2


class Chain:
    """Chain of m overdamped teeth, as in gears: ẋ = v, m v̇ = -K x - D v + cubic terms."""

    def __init__(self, m: int) -> None:
        self.m, self.n = m, 2 * m
        self.K = sparse.diags_array([-1e4, 2.1e4, -1e4], offsets=[-1, 0, 1], shape=(m, m)).tocsc()
        self.D = sparse.diags_array([-1e3, 2.1e3, -1e3], offsets=[-1, 0, 1], shape=(m, m)).tocsc()
        self.calls = 0

    def rhs(self, t: float, y: Array) -> Array:
        self.calls += 1
        x, v = y[: self.m], y[self.m :]
        load = np.zeros(self.m)
        load[0] = 50.0 * np.sin(3.0 * t)
        return np.concatenate([v, load - self.K @ x - self.D @ v - 1e3 * x**3])

    def jacobian(self, t: float, y: Array) -> Array:
        cubes = sparse.diags_array(3e3 * y[: self.m] ** 2)
        blocks = [[None, sparse.eye_array(self.m)], [-self.K - cubes, -self.D]]
        return sparse.block_array(blocks).toarray()

    @property
    def pattern(self) -> Pattern:
        return pattern_of(sparse.csc_array(self.jacobian(0.0, np.ones(self.n))))


def run(chain: Chain, t_end: float = 2.0, **options: Any) -> tuple[Array, dict[str, int]]:
    y = np.zeros(chain.n)
    y[: chain.m] = 0.1 * np.cos(np.arange(chain.m))
    solver = Integrator("cvode", chain.rhs, 0.0, y, 1e-7, np.full(chain.n, 1e-9), **options)
    while solver.t < t_end:
        assert solver.step(t_end) == StepStatus.OK
    return solver.y, solver.statistics


@pytest.mark.parametrize("closed_form", [False, True])
def test_sparse_and_dense_runs_are_the_same_motion(closed_form: bool) -> None:
    chain = Chain(50)
    options = {"jacobian": chain.jacobian} if closed_form else {}
    thin, thin_stats = run(chain, pattern=chain.pattern, linear_solver="sparse", **options)
    full, full_stats = run(chain, linear_solver="dense", **options)
    # Local errors of 1e-7 of variables that change by 0.1 and more. Over some hundred steps,
    # rounding in the differences leads to other steps. Measured: 5e-8.
    np.testing.assert_allclose(thin, full, rtol=0, atol=5e-7)
    assert abs(thin_stats["steps"] - full_stats["steps"]) < 0.1 * full_stats["steps"]


def test_coloured_differences_are_the_jacobian() -> None:
    """Six colours, whatever the length: as many evaluations for 100 equations as for 400."""
    evaluations = []
    for m in (50, 200):
        chain = Chain(m)
        _, stats = run(chain, 0.5, pattern=chain.pattern)
        _, known = run(chain, 0.5, pattern=chain.pattern, jacobian=chain.jacobian)
        # With wrong columns Newton's method would need more steps.
        assert stats["steps"] < 1.1 * known["steps"]
        spent = stats["rhs_evaluations"] - known["rhs_evaluations"]
        evaluations.append(spent / stats["jacobian_evaluations"])
    # Measured: 13 and 11, due to different iterations; dense ones take 100 and 400.
    assert max(evaluations) < 20.0


def test_small_and_full_patterns_stay_dense_to_the_bit() -> None:
    """ "auto" takes sparse factors where they win; below that nothing changes."""
    chain = Chain(20)
    plain, _ = run(chain, 0.5)
    given_pattern, _ = run(chain, 0.5, pattern=chain.pattern)
    np.testing.assert_array_equal(plain, given_pattern)
    wide = Chain(40)
    everything = (list(range(0, wide.n**2 + 1, wide.n)), list(range(wide.n)) * wide.n)
    np.testing.assert_array_equal(run(wide, 0.5)[0], run(wide, 0.5, pattern=everything)[0])


def test_the_run_goes_on_over_restarts_and_redone_steps() -> None:
    chain = Chain(60)
    y = np.zeros(chain.n)
    solver = Integrator(
        "cvode", chain.rhs, 0.0, y, 1e-7, np.full(chain.n, 1e-9), pattern=chain.pattern
    )
    for _ in range(20):
        assert solver.step(1.0) == StepStatus.OK
    middle = 0.5 * (solver.t_old + solver.t)
    assert solver.redo(middle) == StepStatus.OK
    kicked = solver.y.copy()
    kicked[chain.m] += 0.3
    solver.restart(middle, kicked)
    while solver.t < 1.0:
        assert solver.step(1.0) == StepStatus.OK
    other = Integrator("dp853", chain.rhs, middle, kicked, 1e-9, np.full(chain.n, 1e-11))
    while other.t < 1.0:
        assert other.step(1.0) == StepStatus.OK
    np.testing.assert_allclose(solver.y, other.y, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"linear_solver": "banded"}, r"linear_solver: expected 'auto', 'dense' or 'sparse'"),
        ({"linear_solver": "sparse"}, r"linear_solver: expected 'dense' or 'auto' for a problem"),
        ({"pattern": ([0, 1, 2], [0, 5])}, r"jacobian_pattern: expected rows 0 ... 1, got 5 in"),
        ({"pattern": ([0, 1], [0])}, r"jacobian_pattern: expected 2 consecutive columns"),
        ({"pattern": ([0, 2, 1], [0, 1])}, r"jacobian_pattern: expected 2 consecutive columns"),
    ],
)
def test_patterns_that_are_none_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Integrator("cvode", lambda t, y: -y, 0.0, np.ones(2), 1e-6, np.full(2, 1e-9), **options)


def test_errors_in_differences_come_out_unchanged() -> None:
    chain = Chain(60)

    def rhs(t: float, y: Array) -> Array:
        if chain.calls > 2:
            raise ZeroDivisionError("in a column")
        return chain.rhs(t, y)

    solver = Integrator(
        "cvode", rhs, 0.0, np.zeros(chain.n), 1e-7, np.full(chain.n, 1e-9), pattern=chain.pattern
    )
    with pytest.raises(ZeroDivisionError, match="in a column"):
        solver.step(1.0)

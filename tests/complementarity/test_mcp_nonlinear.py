"""Nonlinear mixed complementarity problems with known solutions; domains, errors, signals."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsmb.complementarity import mcp
from tests.complementarity.mcp_problems import Array, definite, random_bounds, residual

inf = np.inf
seeds = st.integers(0, 2**32 - 1)


def quiet(function: Any) -> Any:
    """Suppress warnings where a trial point leaves the domain or overflows."""
    return np.errstate(all="ignore")(function)


def derivative_error(F: Any, jacobian: Any, x: Array) -> float:
    """Return the largest difference between a Jacobian and central differences, relative."""
    h = 1e-6
    differences = np.array([(F(x + h * e) - F(x - h * e)) / (2 * h) for e in np.eye(x.size)]).T
    J = jacobian(x)
    return float(np.abs(J - differences).max() / np.abs(J).max())


# Kojima and Shindo, Extensions of Newton and quasi-Newton methods to systems of PC1 equations,
# J. Oper. Res. Soc. Japan 29 (1986): two solutions, at the second the piece is singular.
def kojima_shindo(x: Array) -> Array:
    a, b, c, d = x
    return np.array([
        3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6,
        2 * a * a + a + b * b + 10 * c + 2 * d - 2,
        3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9,
        a * a + 3 * b * b + 2 * c + 3 * d - 3,
    ])  # fmt: skip


def kojima_shindo_jacobian(x: Array) -> Array:
    a, b = x[:2]
    return np.array([
        [6 * a + 2 * b, 2 * a + 4 * b, 1, 3],
        [4 * a + 1, 2 * b, 10, 2],
        [6 * a + b, a + 4 * b, 2, 9],
        [2 * a, 6 * b, 2, 3],
    ])  # fmt: skip


KOJIMA_SHINDO = (np.array([np.sqrt(6) / 2, 0, 0, 0.5]), np.array([1.0, 0, 3, 0]))


def nearest_of_two(x: Array) -> int:
    return int(np.argmin([np.abs(x - known).max() for known in KOJIMA_SHINDO]))


@pytest.mark.parametrize(
    "x_start",
    [[0, 0, 0, 0], [1, 1, 1, 1], [100, 100, 100, 100], [0, 1, 1, 0], [1, 0, 0, 0], [5, 0, 5, 0]],
)
def test_kojima_and_shindo_reaches_one_of_the_two_solutions(x_start: list[float]) -> None:
    result = mcp.solve_nonlinear(kojima_shindo, kojima_shindo_jacobian, x_start)
    assert result.success, result.message
    known = KOJIMA_SHINDO[nearest_of_two(result.x)]
    np.testing.assert_allclose(result.x, known, atol=1e-8)


def test_kojima_and_shindo_reaches_either_from_nearby() -> None:
    for k, known in enumerate(KOJIMA_SHINDO):
        result = mcp.solve_nonlinear(kojima_shindo, kojima_shindo_jacobian, known + 0.01)
        assert result.success
        assert nearest_of_two(result.x) == k


# Mathiesen, An algorithm based on a sequence of linear complementarity problems applied to a
# Walrasian equilibrium model, Math. Programming 37 (1987): activity level and three prices. F is
# undefined at prices of zero.
ALPHA, B_2, B_3 = 0.75, 1.0, 0.5


@quiet
def mathiesen(x: Array) -> Array:
    y, p_1, p_2, p_3 = x
    income = B_2 * p_2 + B_3 * p_3
    return np.array([
        -p_1 + p_2 + p_3,
        y - ALPHA * income / p_1,
        B_2 - y - (1 - ALPHA) * income / p_2,
        B_3 - y,
    ])  # fmt: skip


@quiet
def mathiesen_jacobian(x: Array) -> Array:
    _, p_1, p_2, p_3 = x
    income, rest = B_2 * p_2 + B_3 * p_3, 1 - ALPHA
    return np.array([
        [0, -1, 1, 1],
        [1, ALPHA * income / p_1**2, -ALPHA * B_2 / p_1, -ALPHA * B_3 / p_1],
        [-1, 0, -rest * B_2 / p_2 + rest * income / p_2**2, -rest * B_3 / p_2],
        [-1, 0, 0, 0],
    ])  # fmt: skip


@pytest.mark.parametrize("x_start", [[1, 1, 1, 1], [0.1, 5, 5, 0.5], [10, 0.1, 1, 10]])
@pytest.mark.parametrize("numeraire", [True, False])
def test_walrasian_equilibrium_of_mathiesen(x_start: list[float], numeraire: bool) -> None:
    """y = b_3; zero profit p_1 = p_2 + p_3; p_3/p_2 = (α b_2 - b_3) / ((1 - α) b_3).

    Prices have a common free factor, unless one is fixed.
    """
    lower, upper = np.zeros(4), np.full(4, inf)
    if numeraire:
        lower[2] = upper[2] = 1.0
    result = mcp.solve_nonlinear(mathiesen, mathiesen_jacobian, x_start, lower, upper)
    assert result.success, result.message
    ratio = (ALPHA * B_2 - B_3) / ((1 - ALPHA) * B_3)
    y, p_1, p_2, p_3 = result.x
    expected = np.array([B_3, (1 + ratio) * p_2, p_2, ratio * p_2])
    assert p_2 > 0.0
    np.testing.assert_allclose([y, p_1, p_2, p_3], expected, rtol=1e-7)


# Murphy, Sherali, Soyster, A mathematical programming approach for determining oligopolistic market
# equilibrium, Math. Programming 24 (1982): five firms, solution to the published digits.
GAMMA = 1.1
COST = np.array([10.0, 8, 6, 4, 2])
BETA = np.array([1.2, 1.1, 1.0, 0.9, 0.8])
OUTPUTS = [36.9325, 41.8181, 43.7066, 42.6592, 39.1790]


@quiet
def cournot(q: Array) -> Array:
    total = q.sum()
    price = (5000.0 / total) ** (1 / GAMMA)
    return COST + (q / 5) ** (1 / BETA) - price * (1 - q / (GAMMA * total))


@quiet
def cournot_jacobian(q: Array) -> Array:
    total = q.sum()
    price = (5000.0 / total) ** (1 / GAMMA)
    slope = -price / (GAMMA * total)
    own = (q / 5) ** (1 / BETA - 1) / (5 * BETA) + price / (GAMMA * total)
    share = q / (GAMMA * total)
    column = -slope * (1 - share) - price * share / total
    return np.diag(own) + np.outer(column, np.ones(5))


@pytest.mark.parametrize("start", [1e-3, 1.0, 10.0, 100.0, 1000.0])
def test_oligopoly_of_five_firms(start: float) -> None:
    """From starts of 100 on, the Newton step leads to q = 0, where F is undefined."""
    result = mcp.solve_nonlinear(cournot, cournot_jacobian, np.full(5, start))
    assert result.success, result.message
    np.testing.assert_allclose(result.x, OUTPUTS, atol=1e-4)


def test_jacobians_of_the_test_problems() -> None:
    x = np.array([0.7, 1.3, 0.4, 2.1, 1.1])
    assert derivative_error(kojima_shindo, kojima_shindo_jacobian, x[:4]) < 1e-8
    assert derivative_error(mathiesen, mathiesen_jacobian, x[:4]) < 1e-8
    assert derivative_error(cournot, cournot_jacobian, x) < 1e-8


def test_obstacle_problem_agrees_with_projected_relaxation() -> None:
    """-u'' + u³ = -8 over the obstacle ψ, u(0) = u(1) = 0; nonlinear projected Gauss-Seidel."""
    n = 40
    h = 1 / (n + 1)
    s = h * np.arange(1, n + 1)
    psi = np.where(np.abs(s - 0.5) < 0.3, -0.15 - 2.0 * (s - 0.4) ** 2, -5.0)
    stiffness = (2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)) / h**2

    def F(u: Array) -> Array:
        return stiffness @ u + u**3 + 8.0

    u = np.maximum(np.zeros(n), psi)
    for _ in range(4000):
        before = u.copy()
        for i in range(n):
            step = (stiffness[i] @ u + u[i] ** 3 + 8.0) / (stiffness[i, i] + 3 * u[i] ** 2)
            u[i] = max(psi[i], u[i] - 1.7 * step)
        if np.abs(u - before).max() < 1e-13:
            break
    result = mcp.solve_nonlinear(F, lambda u: stiffness + np.diag(3 * u**2), np.zeros(n), psi, inf)
    assert result.success
    assert 0 < np.sum(result.x == psi) < n
    np.testing.assert_allclose(result.x, u, atol=1e-10)


@pytest.mark.parametrize(
    ("upper", "x"), [(inf, np.log(2.0)), (0.5, 0.5), (np.log(2.0), np.log(2.0))]
)
def test_one_unknown_has_the_closed_form(upper: float, x: float) -> None:
    for start in (-30.0, 0.0, 30.0):
        result = mcp.solve_nonlinear(
            quiet(lambda x: np.exp(x) - 2.0),
            quiet(lambda x: np.diag(np.exp(x))),
            [start],
            -inf,
            upper,
        )
        assert result.success, result.message
        assert result.x[0] == pytest.approx(x, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(1, 8))
def test_affine_problems_need_few_linearizations(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = definite(rng, n), 3.0 * rng.standard_normal(n)
    lower, upper = random_bounds(rng, n)
    expected = mcp.solve(A, b, lower, upper)
    result = mcp.solve_nonlinear(
        lambda x: A @ x + b, lambda x: A, 5 * rng.standard_normal(n), lower, upper,
        max_crash_steps=0,
    )  # fmt: skip
    assert result.success
    assert result.iterations == (1 if result.evaluations == 1 else 2)
    np.testing.assert_allclose(result.x, expected.x, rtol=1e-7, atol=1e-8)


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(1, 8))
def test_strongly_monotone_problems_are_solved_from_anywhere(seed: int, n: int) -> None:
    """F = A x + c sinh x + b with definite A has exactly one solution; it is constructed."""
    rng = np.random.default_rng(seed)
    A, c = definite(rng, n), rng.uniform(0.0, 3.0, n)
    lower, upper = random_bounds(rng, n)
    z = 1.5 * rng.standard_normal(n)
    x = np.clip(z, lower, upper)
    b = x - z - A @ x - c * np.sinh(x)
    b = np.where(lower == upper, 1.0, b)

    def F(x: Array) -> Array:
        return A @ x + c * np.sinh(x) + b

    for start in (np.zeros(n), 5.0 * rng.standard_normal(n)):
        result = mcp.solve_nonlinear(F, lambda x: A + np.diag(c * np.cosh(x)), start, lower, upper)
        assert result.success, result.message
        np.testing.assert_allclose(result.x, x, atol=1e-6)


def test_f_is_evaluated_within_the_bounds_only() -> None:
    """log x and √(2 - x) exist on [0, 2] only."""
    seen: list[float] = []

    def F(x: Array) -> Array:
        seen.append(float(x[0]))
        with np.errstate(divide="ignore"):
            return 5.0 + np.log(x) - np.sqrt(2.0 - x)

    result = mcp.solve_nonlinear(
        F, lambda x: np.array([[1 / x[0] + 0.5 / np.sqrt(2.0 - x[0])]]), [1.9], 0.0, 2.0
    )
    assert result.success, result.message
    assert min(seen) >= 0.0
    assert max(seen) <= 2.0
    assert residual(F(result.x), np.zeros(1), np.full(1, 2.0), result.x) < 1e-8


@pytest.mark.parametrize(
    ("F", "jacobian", "lower"),
    [
        (lambda x: x * x + 1.0, lambda x: np.diag(2 * x), -inf),
        (lambda x: -np.exp(-x), lambda x: np.diag(np.exp(-x)), 0.0),
        (lambda x: np.arctan(x) - 2.0, lambda x: np.diag(1 / (1 + x * x)), 0.0),
    ],
)
def test_unsolvable_is_never_called_solved(F: Any, jacobian: Any, lower: float) -> None:
    result = mcp.solve_nonlinear(
        quiet(F), quiet(jacobian), [0.5], lower, inf, accept_residual=1e-12
    )
    if result.success:  # -exp(-x) tends to zero, so that some point has such a small residual
        assert abs(F(result.x)[0]) <= 1e-12
    else:
        assert result.status in ("stalled", "iteration_limit")
        assert "x_start" in result.message
        assert result.residual > 1e-12
        assert np.isfinite(result.x).all()


@pytest.mark.parametrize("start", [0.5, 1e2, 1e5, 1e6])
def test_a_large_jacobian_is_no_excuse(start: float) -> None:
    """2 + sin x² >= 1 has no zero; F(x) - F'(x) x is of size x², 1e12 at the last start."""
    result = mcp.solve_nonlinear(
        lambda x: 2.0 + np.sin(x * x),
        lambda x: np.diag(2.0 * x * np.cos(x * x)),
        [start],
        -1e6,
        1e6,
    )
    # At the upper bound F <= 0 is needed; at the lower one F >= 0 holds.
    assert not result.success or result.x[0] == -1e6


def test_iteration_limit_is_reported_with_the_best_point() -> None:
    start = np.array([30.0])
    result = mcp.solve_nonlinear(
        lambda x: np.exp(x) - 2.0, lambda x: np.diag(np.exp(x)), start, -inf, inf, max_iterations=5
    )
    assert result.status == "iteration_limit"
    assert result.iterations == 5
    assert "max_iterations" in result.message
    F = np.exp(result.x) - 2.0
    np.testing.assert_allclose(result.F, F)
    scale = 1e-6 * np.abs(F - np.exp(result.x) * result.x).max()
    assert result.residual == pytest.approx(np.abs(F).max() / max(1.0, scale))


@pytest.mark.parametrize("where", ["F", "jacobian"])
def test_exceptions_of_callbacks_come_out_unchanged(where: str) -> None:
    error = KeyError("valve")

    def fail(x: Array) -> Array:
        raise error

    functions: dict[str, Any] = {"F": lambda x: x - 1.0, "jacobian": lambda x: np.eye(1)}
    functions[where] = fail
    with pytest.raises(KeyError) as raised:
        mcp.solve_nonlinear(**functions, x_start=[3.0])
    assert raised.value is error


def test_keyboard_interrupt_stops_the_solver() -> None:
    calls = 0

    def F(x: Array) -> Array:
        nonlocal calls
        calls += 1
        if calls == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return x * x + 1.0

    listening = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            mcp.solve_nonlinear(F, lambda x: np.diag(2 * x), [0.5], -inf, inf, max_iterations=10**8)
    finally:
        signal.signal(signal.SIGINT, listening)
    assert calls < 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"F": 3.0}, r"F: expected a function of x, got float"),
        ({"jacobian": None}, r"jacobian: expected a function of x, got NoneType"),
        ({"x_start": [np.nan]}, r"x_start: expected finite numbers, got nan"),
        ({"lower": 2.0, "upper": 1.0}, r"lower <= upper"),
        ({"F": lambda x: [1.0, 2.0]}, r"F\(x\): expected shape \(1,\), got shape \(2,\)"),
        ({"F": lambda x: None}, r"F\(x\): expected an array of real numbers"),
        ({"F": lambda x: x * np.nan}, r"F: expected finite values at x_start"),
        ({"jacobian": lambda x: x}, r"jacobian\(x\): expected shape \(1, 1\), got shape \(1,\)"),
        ({"jacobian": lambda x: [[inf]]}, r"jacobian: expected finite values at x_start"),
        ({"max_iterations": 0}, r"max_iterations: expected an integer >= 1, got 0"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"F": lambda x: x - 1.0, "jacobian": lambda x: np.eye(1), "x_start": [3]}
    with pytest.raises(ValueError, match=message):
        mcp.solve_nonlinear(**(good | arguments))

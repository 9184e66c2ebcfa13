"""Friction discs: projections, closed forms, the augmented Lagrangian, invariants.

Wösle & Pfeiffer, J. Vibration and Control 2 (1996), (17)-(42).
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nsmb.complementarity import friction
from tests.complementarity.rigid_contacts import (
    Disc,
    Problem,
    body,
    body_problem,
    contacts,
    orthogonal,
    tower,
    violation,
)
from tests.support.draws import numbers

Array = NDArray[np.float64]
METHODS: list[friction.Method] = ["newton", "augmented_lagrangian", "gauss_seidel", "auto"]

law = settings(max_examples=60, derandomize=True, deadline=None)
seeds = st.integers(0, 2**32 - 1)


# Projections, appendix A


@law
@given(seeds, st.sampled_from([1.0, 0.2, 4.0]))
def test_projection_is_nearest_idempotent_and_non_expansive(seed: int, aspect: float) -> None:
    rng = np.random.default_rng(seed)
    metric = np.array([1.0, aspect**-2])
    radius = rng.uniform(0.0, 2.0)
    a, b = rng.uniform(-4.0, 4.0, (2, 2))
    p, q = (friction.project_disc(point, radius, aspect) for point in (a, b))
    again = friction.project_disc(p, radius, aspect)
    np.testing.assert_allclose(again, p, rtol=1e-15, atol=1e-15)
    assert metric @ (p - q) ** 2 <= metric @ (a - b) ** 2 * (1.0 + 1e-14) + 1e-15
    for angle in np.linspace(0.0, 2.0 * np.pi, 40):  # (59) for points x* of the set
        star = radius * rng.random() * np.array([np.cos(angle), aspect * np.sin(angle)])
        assert (metric * (a - p)) @ (star - p) <= 1e-13 * (1.0 + radius)


def test_projection_of_an_interval_is_the_clamp() -> None:
    assert [friction.project_disc([x], 0.5)[0] for x in (-2.0, 0.3, 2.0)] == [-0.5, 0.3, 0.5]


# Closed forms


def block_on_incline(delta: float, mu: float, feet: int) -> tuple[Problem, Array]:
    """Return the accelerations at the feet of a block at rest, x down the slope; and W."""
    g, height = 9.81, 0.1
    places = [(0.4, 0.3), (-0.4, 0.3), (-0.4, -0.3), (0.4, -0.3)][:feet] if feet != 3 else [
        (0.4, 0.0), (-0.4, 0.3), (-0.4, -0.3)
    ]  # fmt: skip
    columns = []
    for place in places:
        for axis in ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]):
            columns.append([*axis, *np.cross([*place, -height], axis)])
    W = np.array(columns).T
    M_inv = np.diag([0.5, 0.5, 0.5, 5.0, 6.0, 4.0])
    h = 2.0 * g * np.array([np.sin(delta), 0.0, -np.cos(delta), 0.0, 0.0, 0.0])
    problem = contacts(W.T @ M_inv @ W, W.T @ M_inv @ h, np.full(len(places), mu))
    return problem, M_inv @ W


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("feet", [3, 4])
@pytest.mark.parametrize(("delta", "mu"), [(0.2, 0.19), (0.2, 0.21), (0.4, 0.1), (0.0, 0.3)])
def test_block_on_incline_sticks_if_and_only_if_the_slope_is_below_mu(
    method: friction.Method, feet: int, delta: float, mu: float
) -> None:
    problem, spread = block_on_incline(delta, mu, feet)
    result = problem.solve(method)
    assert result.success
    g = 9.81
    acceleration = spread @ result.x + g * np.array(
        [np.sin(delta), 0.0, -np.cos(delta), 0.0, 0.0, 0.0]
    )
    expected = max(0.0, g * (np.sin(delta) - mu * np.cos(delta)))
    # residual 1e-10 of g times the norm of the inverse; 1e-9 has a margin of ten
    np.testing.assert_allclose(acceleration, [expected, 0.0, 0.0, 0.0, 0.0, 0.0], atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_impact_of_a_point_mass_sticks_or_slides_along_its_velocity(
    method: friction.Method,
) -> None:
    m, mu = 2.0, 0.5
    for u in ([-2.0, 0.3, 0.4], [-2.0, 3.0, -4.0], [1.0, 2.0, 0.0]):
        problem = contacts(np.eye(3) / m, np.array(u), np.array([mu]))
        result = problem.solve(method)
        assert result.success
        normal = m * max(-u[0], 0.0)
        slip = np.hypot(u[1], u[2])
        tangent = -np.array(u[1:]) * min(m, mu * normal / slip)
        np.testing.assert_allclose(result.x, [normal, *tangent], atol=1e-11)


@law
@given(numbers(0.05, 1.5), numbers(0.05, 1.5), numbers(0.0, 6.28))
def test_ellipse_slides_along_the_normal_cone(mu_1: float, mu_2: float, angle: float) -> None:
    """λ_Ti = -λ_N μ_i² γ_i / sqrt(Σ μ_k² γ_k²) is not opposite to the slip."""
    G = np.diag([1.0, 0.5, 0.5])
    wanted = np.array([np.cos(angle), np.sin(angle)])  # slip velocity after the impact
    mu = np.array([mu_1, mu_2])
    force = -3.0 * mu**2 * wanted / np.linalg.norm(mu * wanted)
    b = np.array([-3.0, *(wanted - 0.5 * force)])
    disc = Disc((1, 2), 0, mu_1, aspect=mu_2 / mu_1)
    result = Problem(G, b, [0], [disc]).solve()
    assert result.success
    np.testing.assert_allclose(result.x, [3.0, *force], atol=1e-9)


def test_two_intervals_share_a_normal_force_and_a_free_row_stays_at_rest() -> None:
    A = np.eye(4)
    b = np.array([-2.0, 5.0, -0.1, 7.0])
    discs = [Disc((1,), normal=0, mu=0.5), Disc((2,), normal=0, mu=0.25, bound=0.1)]
    result = Problem(A, b, [0], discs).solve()
    assert result.success
    np.testing.assert_allclose(result.x, [2.0, -1.0, 0.1, -7.0], atol=1e-12)
    np.testing.assert_allclose(result.y, [0.0, 4.0, 0.0, 0.0], atol=1e-12)


# The augmented Lagrangian, (40)-(42)


@pytest.mark.parametrize("r", [0.1, 1.0, 30.0])
def test_outer_iteration_contracts_by_one_over_one_plus_r_sigma(r: float) -> None:
    rng = np.random.default_rng(6)
    sigma, Q = np.array([0.2, 1.0, 4.0]), orthogonal(rng)
    G = Q @ np.diag(sigma) @ Q.T
    exact = np.array([1.0, 2.0, 3.0])
    for outer in (1, 2, 3):
        start = exact + 0.1 * Q[:, 0] + 0.1 * Q[:, 2]
        result = Problem(G, -G @ exact, [0, 1, 2]).solve(
            "augmented_lagrangian", r=r, max_iterations=outer, x_start=start
        )
        error = Q.T @ (result.x - exact)
        expected = 0.1 * (1.0 + r * sigma) ** -outer * [1.0, 0.0, 1.0]
        np.testing.assert_allclose(error, expected, atol=1e-12)


TABLE = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, -1.0, 1.0]])
INDETERMINATE = np.array([1.0, -1.0, 1.0, -1.0])  # legs in the order around the table


def test_table_on_four_legs_has_the_forces_of_minimum_norm_from_zero() -> None:
    load = np.array([-8.0, -1.0, 2.0])  # vertical force and two moments
    table = Problem(TABLE.T @ TABLE, TABLE.T @ load, list(range(4)))
    result = table.solve("augmented_lagrangian", r=1.0)
    assert result.success
    np.testing.assert_allclose(result.x, -np.linalg.pinv(TABLE) @ load, atol=1e-10)
    assert abs(INDETERMINATE @ result.x) < 1e-10
    start = result.x + 0.3 * INDETERMINATE
    warm = table.solve("augmented_lagrangian", r=1.0, x_start=start)
    np.testing.assert_allclose(warm.x, start, atol=1e-12)
    np.testing.assert_allclose(warm.y, result.y, atol=1e-10)


@pytest.mark.parametrize("r", [1e-2, 1.0, 1e2])
def test_accelerations_do_not_depend_on_r(r: float) -> None:
    rng = np.random.default_rng(31)
    for _ in range(10):
        problem = body_problem(rng, int(rng.integers(1, 4)), largest_mu=0.3)
        result = problem.solve("augmented_lagrangian", r=r, max_iterations=20000)
        assert result.success
        np.testing.assert_allclose(result.y, problem.solve().y, atol=1e-7)


# Invariants


# With more than three feet the load distribution is not unique, and sliding friction depends on it:
# both forces and motion have a continuum of solutions. With three feet only the friction forces are
# dependent (9 rows, rank 6), and small coefficients make the solution unique.


@law
@given(seeds, st.integers(1, 3))
def test_methods_agree_in_accelerations(seed: int, feet: int) -> None:
    problem = body_problem(np.random.default_rng(seed), feet, largest_mu=0.3)
    results = [problem.solve(method) for method in METHODS]
    assert results[-1].success
    for method, result in zip(METHODS, results, strict=True):
        assert result.success or method in ("newton", "gauss_seidel")
        if result.success:
            np.testing.assert_allclose(result.y, results[-1].y, atol=1e-7)


@law
@given(seeds, st.integers(1, 8), st.booleans())
def test_every_method_satisfies_the_laws_on_dependent_contacts(
    seed: int, nc: int, on_floor: bool
) -> None:
    problem = body_problem(np.random.default_rng(seed), nc, on_floor, largest_mu=3.0)
    for method in METHODS:
        result = problem.solve(method)
        assert result.success or method not in ("auto", "augmented_lagrangian")
        assert violation(problem, result.x) < 1e-9 or not result.success


@law
@given(seeds, st.integers(1, 3))
def test_rotated_tangents_leave_accelerations_unchanged(seed: int, nc: int) -> None:
    rng = np.random.default_rng(seed)
    problem = body_problem(rng, nc, largest_mu=0.3)
    R = np.zeros((3 * nc, 3 * nc))
    for i in range(0, 3 * nc, 3):
        angle = rng.uniform(0.0, 2.0 * np.pi)
        c, s = np.cos(angle), np.sin(angle)
        R[i : i + 3, i : i + 3] = [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]
    turned = Problem(R.T @ problem.A @ R, R.T @ problem.b, problem.normals, problem.discs)
    first, second = problem.solve(), turned.solve()
    assert first.success
    assert second.success
    np.testing.assert_allclose(R @ second.y, first.y, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_scale_of_forces_and_accelerations_does_not_matter(method: friction.Method) -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        problem = body_problem(rng, int(rng.integers(1, 5)))
        one = problem.solve(method)
        for alpha, beta in ((2.0**27, 1.0), (2.0**-27, 2.0**27), (1.0, 2.0**-27)):
            scaled = Problem(alpha * problem.A, beta * problem.b, problem.normals, problem.discs)
            other = scaled.solve(method)
            assert other.status is one.status
            np.testing.assert_allclose(other.y / beta, one.y, atol=1e-9)
            assert other.residual <= 2.0 * one.residual + 1e-13


@law
@given(seeds, st.integers(1, 8), st.booleans())
def test_solutions_lie_in_the_cone_dissipate_and_restart(
    seed: int, nc: int, on_floor: bool
) -> None:
    problem = body_problem(np.random.default_rng(seed), nc, on_floor)
    result = problem.solve()
    assert result.success
    scale = np.abs(problem.b).max()
    for disc in problem.discs:
        x_T, y_T = result.x[list(disc.rows)], result.y[list(disc.rows)]
        assert np.linalg.norm(x_T) <= disc.mu * result.x[disc.rows[0] - 1] + 1e-8
        assert y_T @ x_T <= 1e-9 * scale * max(1.0, np.linalg.norm(x_T))
    warm = problem.solve(x_start=result.x)
    assert warm.success
    assert warm.iterations == 0
    np.testing.assert_array_equal(warm.x, result.x)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [0.25, 0.99, 4.0])
@pytest.mark.parametrize("dim", [1, 2])
def test_the_bound_of_friction_is_that_of_its_normal_force_not_of_the_warm_start(
    method: friction.Method, factor: float, dim: int
) -> None:
    """A block that slides, with a changed load: x_N = load, |x_T| = mu x_N against the slip."""
    mu, A = 0.4, np.eye(1 + dim)
    slip = np.array([3.0, -4.0])[:dim]
    disc = Disc(tuple(range(1, 1 + dim)), 0, mu)
    b = np.concatenate([[-1.0], slip])
    before = Problem(A, b, [0], [disc]).solve(method)
    b[0] *= factor
    result = Problem(A, b, [0], [disc]).solve(method, x_start=before.x)
    assert result.success
    direction = slip / np.linalg.norm(slip)
    np.testing.assert_allclose(result.x[0], factor, rtol=1e-9)
    np.testing.assert_allclose(result.x[1:], -mu * factor * direction, rtol=1e-9)


def test_restarts_after_small_changes_take_few_steps() -> None:
    rng = np.random.default_rng(30)
    cold, warm = [], []
    for _ in range(200):
        problem = body_problem(rng, int(rng.integers(1, 9)))
        start = problem.solve().x
        problem.b *= 1.0 + 1e-6
        cold.append(problem.solve().iterations)
        warm.append(problem.solve(x_start=start).iterations)
    assert np.median(warm) <= 2
    assert np.mean(warm) < 0.5 * np.mean(cold)  # measured 1.4 and 6


def test_large_towers_are_solved() -> None:
    rng = np.random.default_rng(165)
    for bodies in (8, 8, 12, 25):
        problem = tower(rng, bodies)
        result = problem.solve()
        assert result.success
        assert violation(problem, result.x) < 1e-9


def test_an_unsolvable_problem_with_discs_ends_without_a_claim() -> None:
    """The normal force pulls the contact in, and a disc of two rows rules out a proof."""
    A, b = np.diag([-1.0, 1.0, 1.0]), np.array([-1.0, 0.3, 0.4])
    problem = contacts(A, b, np.array([0.5]))
    for method in METHODS:
        result = problem.solve(method)
        assert result.status in ("iteration_limit", "inaccurate")
        assert np.isfinite(result.x).all()
        assert result.residual > 0.1
        assert "does not prove" in result.message
    short = problem.solve(max_iterations=10)
    assert short.status == "iteration_limit"
    assert short.iterations < problem.solve().iterations


def test_residual_vanishes_at_solutions_only() -> None:
    problem = body_problem(np.random.default_rng(3), 2)
    described = problem.described
    x = problem.solve().x
    assert friction.residual(described, x) < 1e-12
    for i in range(len(x)):
        moved = x.copy()
        moved[i] += 1e-3
        assert friction.residual(described, moved) > 1e-6
    zero = np.zeros(len(x))
    judged = friction.residual(described, zero)
    assert judged > 1e-3
    larger = 100.0 * float(np.linalg.norm(problem.b))
    assert friction.residual(described, zero, scale=larger) == pytest.approx(judged / 100.0)
    assert friction.residual(described, np.full(len(x), 1e308)) == np.inf


def test_empty_and_contact_free_problems() -> None:
    assert Problem(np.zeros((0, 0)), np.zeros(0)).solve().success
    result = Problem(np.array([[2.0]]), np.array([4.0])).solve()
    assert result.success
    assert result.x == pytest.approx([-2.0])


def test_forces_of_a_body_on_dependent_contacts_move_it_as_few_contacts_do() -> None:
    """With every foot doubled, the motion is the same, with three times the necessary contacts."""
    rng = np.random.default_rng(5)
    W, M_inv = body(rng, 3, on_floor=True)
    u = np.array([0.4, -0.2, -2.0, 0.3, 0.1, 0.2])
    mu = np.full(3, 0.3)
    once = contacts(W.T @ M_inv @ W, W.T @ u, mu).solve()
    V = np.hstack([W, W])
    twice = contacts(V.T @ M_inv @ V, V.T @ u, np.full(6, 0.3)).solve()
    assert once.success
    assert twice.success
    np.testing.assert_allclose(W @ once.x, V @ twice.x, atol=1e-9)

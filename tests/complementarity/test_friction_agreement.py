"""Friction discs: agreement with other algorithms, and valid claims for polygons and intervals.

Wösle & Pfeiffer, J. Vibration and Control 2 (1996), (17)-(42).
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from nsmb.complementarity import friction, lcp
from tests.complementarity.rigid_contacts import Disc, Problem, contacts, violation
from tests.oracles.least_squares import nonnegative

Array = NDArray[np.float64]
METHODS: list[friction.Method] = ["newton", "augmented_lagrangian", "gauss_seidel", "auto"]

law = settings(max_examples=60, derandomize=True, deadline=None)
seeds = st.integers(0, 2**32 - 1)


@law
@given(seeds, st.integers(1, 8))
def test_frictionless_contacts_agree_with_nonnegative_least_squares(seed: int, nc: int) -> None:
    """y = Wᵀ(W x + u): the optimality conditions of min |W x + u|, x >= 0."""
    rng = np.random.default_rng(seed)
    W, u = rng.standard_normal((6, nc)), rng.standard_normal(6)
    x, _ = nonnegative(W, -u)
    for method in ("newton", "augmented_lagrangian", "auto"):
        result = Problem(W.T @ W, W.T @ u, list(range(nc))).solve(method)
        assert result.success
        np.testing.assert_allclose(W @ result.x, W @ x, atol=1e-7)


@law
@given(seeds)
def test_given_friction_agrees_with_a_convex_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((4, 4))
    A, b = root @ root.T + 0.1 * np.eye(4), 3.0 * rng.standard_normal(4)
    bounds = rng.uniform(0.2, 1.0, 2)
    discs = [Disc((0, 1), bound=bounds[0], aspect=0.5), Disc((2, 3), bound=bounds[1])]
    result = Problem(A, b, discs=discs).solve()
    assert result.success

    def inside(x: Array) -> Array:
        return bounds**2 - [x[0] ** 2 + 4.0 * x[1] ** 2, x[2] ** 2 + x[3] ** 2]

    program = minimize(
        lambda x: 0.5 * x @ A @ x + b @ x, np.zeros(4), jac=lambda x: A @ x + b, method="SLSQP",
        constraints={"type": "ineq", "fun": inside}, options={"ftol": 1e-14, "maxiter": 300},
    )  # fmt: skip
    np.testing.assert_allclose(result.x, program.x, atol=1e-5)  # accuracy of SLSQP
    assert 0.5 * result.x @ A @ result.x + b @ result.x <= program.fun + 1e-7  # 8e-9 in 1500 cases


@pytest.mark.parametrize("method", METHODS)
def test_given_bounds_are_reached(method: friction.Method) -> None:
    """Both rows slip: y = A x + b at x = (1, -0.5) is (-1.15, 3.8)."""
    A, b = np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([-3.0, 4.0])
    discs = [Disc((0,), bound=1.0), Disc((1,), bound=0.5)]
    result = Problem(A, b, discs=discs).solve(method)
    assert result.success
    np.testing.assert_allclose(result.x, [1.0, -0.5], atol=1e-12)


def book_lcp(problem: Problem) -> tuple[Array, Array, Array]:
    """Return (6.35) for planar contacts: A, b and x from its unknowns.

    Rows are normal and tangent in turn.
    """
    nc = len(problem.normals)
    N, T = np.eye(2 * nc)[:, 0::2], np.eye(2 * nc)[:, 1::2]
    R = np.hstack([N, T, -T, np.zeros((2 * nc, 2 * nc))])
    E, Z = np.eye(nc), np.zeros((nc, nc))
    mu = np.diag([disc.mu for disc in problem.discs])
    A = R.T @ problem.A @ R
    A[nc : 3 * nc, 3 * nc :] = np.eye(2 * nc)
    A[3 * nc :, : 3 * nc] = np.block([[mu, -E, Z], [mu, Z, -E]])
    return A, R.T @ problem.b, R


def planar(rng: np.random.Generator, nc: int, largest_mu: float) -> Problem:
    """Return nc planar contacts of one body: 3 degrees of freedom, dependent for nc > 1."""
    W = rng.standard_normal((3, 2 * nc))
    normals = list(range(0, 2 * nc, 2))
    discs = [Disc((i + 1,), normal=i, mu=float(rng.uniform(0.0, largest_mu))) for i in normals]
    return Problem(W.T @ W, W.T @ rng.standard_normal(3), normals, discs)


def test_planar_problems_agree_with_the_complementarity_problem_of_the_book() -> None:
    rng = np.random.default_rng(635)
    compared = 0
    for _ in range(150):
        problem = planar(rng, int(rng.integers(1, 5)), 0.3)
        A, b, R = book_lcp(problem)
        reference = lcp.solve(A, b)
        result = problem.solve()
        assert reference.success
        assert result.success
        assert violation(problem, R @ reference.x) < 1e-8
        difference = np.abs(problem.A @ (R @ reference.x - result.x)).max()
        compared += bool(difference < 1e-7)
    # Coulomb friction permits several motions; small coefficients make that rare
    assert compared >= 145


def test_intervals_bounds_and_free_rows_are_an_exact_complementarity_problem() -> None:
    rng = np.random.default_rng(36)
    for _ in range(40):
        root = rng.standard_normal((6, 6))
        A = root @ root.T + 0.1 * np.eye(6)
        discs = [Disc((1,), 0, 0.4), Disc((2,), 0, 0.1, bound=0.2), Disc((4,), bound=0.5)]
        problem = Problem(A, rng.standard_normal(6), [0, 3], discs)
        result, other = problem.solve("polyhedral"), problem.solve("augmented_lagrangian")
        assert result.success
        assert result.method == "polyhedral"
        assert violation(problem, result.x) < 1e-9
        np.testing.assert_allclose(result.y, other.y, atol=1e-8)


@pytest.mark.parametrize("method", ["auto", "polyhedral"])
def test_painleve_is_proven_unsolvable(method: friction.Method) -> None:
    """A contact slides with μ = 2 and is pulled into the floor, and another one may stick.

    y_N = (1 - μ) x_N - 1 < 0 for every x_N >= 0.
    """
    A = np.diag([1.0 - 2.0, 1.0, 1.0])
    discs = [Disc((2,), normal=1, mu=0.5)]
    result = Problem(A, np.array([-1.0, -1.0, 0.2]), [0, 1], discs).solve(method)
    assert result.status is friction.FrictionStatus.NO_SOLUTION
    assert "no solution" in result.message


@pytest.mark.parametrize("facets", [4, 8, 16, 32])
def test_polygons_miss_direction_by_one_over_m_and_dissipation_by_its_square(facets: int) -> None:
    """The force is at a corner, up to π/m from the direction of slip."""
    turned, missed = [], []
    for angle in np.linspace(0.0, np.pi, 400):
        slip = np.array([np.cos(angle), np.sin(angle)])
        problem = contacts(np.diag([1.0, 1e-6, 1e-6]), np.array([-1.0, *slip]), np.array([0.5]))
        result = problem.solve("polyhedral", facets=facets)
        assert result.x[0] == pytest.approx(1.0)
        turned.append(np.linalg.norm(result.x[1:] + 0.5 * slip))
        missed.append(0.5 + result.x[1:] @ slip)
        assert result.status in ("solved", "inaccurate")
        assert violation(problem, result.x) < 1e-9 or not result.success
    assert max(turned) == pytest.approx(np.sin(np.pi / facets / 2.0), rel=0.05)
    assert max(missed) == pytest.approx(0.5 * (1.0 - np.cos(np.pi / facets)), rel=0.1)

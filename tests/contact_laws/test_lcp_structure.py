"""The complementarity problems of the book, assembled block by block: structure, solutions.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapters 5, 6, 8.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.linalg import null_space
from scipy.optimize import linprog

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ContactRole, solve_acceleration
from nsmb.complementarity import lcp
from tests.contact_laws.accelerations import UNSOLVED, Problem
from tests.contact_laws.impacts import Impact, random_impact, split
from tests.contact_laws.planar import Array, Contacts, contacts, law, random_contacts, seeds

SLIDING_SIGN = {ContactRole.SlidesPositive: 1, ContactRole.SlidesNegative: -1}


def parts(x: Array) -> tuple[Array, Array]:
    return np.maximum(x, 0), np.maximum(-x, 0)


def lcp_6_35(p: Problem, mu: Array) -> tuple[Array, Array, list[int], list[int]]:
    """Return A and b over x = (λ_N, λ_H⁽⁺⁾, λ_H⁽⁻⁾, z⁻, z⁺), and I_N, I_H."""
    nc, G = p.nc, p.system.G
    I_N = [i for i in range(nc) if p.roles[i] != ContactRole.Absent]
    I_H = [i for i in I_N if p.roles[i] == ContactRole.Candidate]
    n_H = len(I_H)
    sign = np.array([SLIDING_SIGN.get(role, 0) for role in p.roles])
    # Wᵀ M⁻¹ times P = W_N + W_G μ̄_G, W_H, -W_H.
    columns = np.hstack(
        [
            G[:, I_N] - G[:, [nc + i for i in I_N]] * (mu * sign)[I_N],
            G[:, [nc + i for i in I_H]],
            -G[:, [nc + i for i in I_H]],
        ]
    )
    tangential = [nc + i for i in I_H]
    W_M = np.vstack([columns[I_N], columns[tangential], -columns[tangential]])
    mu_H = np.array([[mu[i] * (i == j) for j in I_N] for i in I_H]).reshape(n_H, len(I_N))
    E, zero = np.eye(n_H), np.zeros((n_H, n_H))
    I = np.block([[np.zeros((n_H, len(I_N))), E, zero], [np.zeros((n_H, len(I_N))), zero, E]])
    N_H = np.block([[mu_H, zero, zero], [mu_H, zero, zero]])
    A = np.block([[W_M, I.T], [N_H - I, np.zeros((2 * n_H, 2 * n_H))]])
    b = np.concatenate([p.free[I_N], p.free[tangential], -p.free[tangential], np.zeros(2 * n_H)])
    return A, b, I_N, I_H


def check_corner_law(A: Array, b: Array, x: Array) -> None:
    """Check P31: componentwise x_i >= 0, y_i >= 0, x_i y_i = 0 (chapter 9)."""
    y = A @ x + b
    scale = max(1.0, np.abs(b).max(initial=0.0), np.abs(x).max(initial=0.0))
    assert x.min(initial=0.0) >= 0
    assert y.min(initial=0.0) >= -1e-11 * scale
    assert np.abs(x * y).max(initial=0.0) <= 1e-10 * scale**2


@law
@given(seed=seeds)
def test_solutions_solve_the_problem_of_the_book(seed: int) -> None:
    """(6.35), P31: the forces, with z^± the parts of γ̇_H, solve it."""
    p = Problem(seed)
    assume(p.result["status"] not in UNSOLVED)
    A, b, I_N, I_H = lcp_6_35(p, p.mu)
    plus, minus = parts(p.result["lambda_T"][I_H])
    z_plus, z_minus = parts(p.result["gammadot_T"][I_H])
    check_corner_law(
        A, b, np.concatenate([p.result["lambda_N"][I_N], plus, minus, z_minus, z_plus])
    )


@law
@given(seed=seeds)
def test_the_problem_of_the_book_has_the_same_solution(seed: int) -> None:
    """(6.35) solved in its original form, independent contacts with μ <= 0.4."""
    p = Problem(seed, independent=True)
    A, b, I_N, I_H = lcp_6_35(p, p.mu)
    assume(len(b) > 0)
    solution = lcp.solve(A, b)
    if p.result["status"] in UNSOLVED:
        assert solution.status != lcp.LcpStatus.SOLVED
        return
    assert solution.status == lcp.LcpStatus.SOLVED
    n_N, n_H = len(I_N), len(I_H)
    tol = 1e-10 * max(1.0, np.abs(solution.x).max())
    lambda_H = solution.x[n_N : n_N + n_H] - solution.x[n_N + n_H : n_N + 2 * n_H]
    np.testing.assert_allclose(p.result["lambda_N"][I_N], solution.x[:n_N], atol=tol)
    np.testing.assert_allclose(p.result["lambda_T"][I_H], lambda_H, atol=tol)
    # γ̇_H is z⁺ - z⁻ where friction is not idle (6.20).
    gammadot_H = solution.y[n_N : n_N + n_H] - solution.x[n_N + 2 * n_H : n_N + 3 * n_H]
    np.testing.assert_allclose(p.result["gammadot_T"][I_H], gammadot_H, atol=tol)


@law
@given(seed=seeds)
def test_the_problem_is_bisymmetric_and_semidefinite_without_friction(seed: int) -> None:
    """P14: blocks (G, Iᵀ; N - I, 0); for N_G = N_H = 0 every x has xᵀ A x >= 0."""
    p = Problem(seed)
    A, _, I_N, I_H = lcp_6_35(p, np.zeros(p.nc))
    n = len(I_N) + 2 * len(I_H)
    np.testing.assert_array_equal(A[:n, n:], -A[n:, :n].T)
    np.testing.assert_array_equal(A[n:, n:], 0)
    np.testing.assert_array_equal(A[:n, :n], A[:n, :n].T)
    if len(A):
        assert np.linalg.eigvalsh((A + A.T) / 2).min() >= -1e-13 * max(1.0, np.abs(A).max())
    with_friction = lcp_6_35(p, p.mu)[0]
    np.testing.assert_array_equal(with_friction[:n, n:], A[:n, n:])
    np.testing.assert_array_equal((with_friction - A)[n:, len(I_N) :], 0)


# Impacts: (8.87), (8.97) ----------------------------------------------------------------------


def impact_blocks(i: Impact) -> tuple[Array, Array, Array]:
    """Return W_Sᵀ M⁻¹ W_S, I_S, and the matrix that maps (Λ_N, Λ_T) rows to (N, T, -T)."""
    n = i.system.nc
    E, zero = np.eye(n), np.zeros((n, n))
    S = np.block([[E, zero], [zero, E], [zero, -E]])
    return S @ i.G @ S.T, np.block([[zero, E, zero], [zero, zero, E]]), S


def lcp_8_87(i: Impact) -> tuple[Array, Array]:
    G_S, I_S, S = impact_blocks(i)
    n = i.system.nc
    mu = np.diag(i.mu)
    N_S = np.block([[mu, np.zeros((n, 2 * n))], [mu, np.zeros((n, 2 * n))]])
    A = np.block([[G_S, I_S.T], [N_S - I_S, np.zeros((2 * n, 2 * n))]])
    return A, np.concatenate([S @ i.gamma_A, np.zeros(2 * n)])


def lcp_8_97(i: Impact) -> tuple[Array, Array]:
    """Return (8.97) with μ^(±) of (8.39); sign(0): plain bounds."""
    G_S, I_S, S = impact_blocks(i)
    n = i.system.nc
    E, zero = np.eye(n), np.zeros((n, n))
    Lambda_NC, Lambda_TC = split(i.Lambda_C)
    sign = np.sign(Lambda_TC)
    mu_plus = np.diag(np.where(sign < 0, 1 - i.nu, 1) * i.mu)
    mu_minus = np.diag(np.where(sign > 0, 1 - i.nu, 1) * i.mu)
    N_S = np.block([[mu_plus, zero, zero], [mu_minus, zero, zero]])
    keep = -(E - np.diag(i.e_T))
    I_B = np.block([[zero, E, keep], [zero, keep, E]])
    Lambda_R = np.concatenate([i.e_N * Lambda_NC, *(i.e_N * part for part in parts(Lambda_TC))])
    A = np.block([[G_S, I_S.T], [N_S - I_S, np.zeros((2 * n, 2 * n))]])
    return A, np.concatenate([G_S @ Lambda_R + S @ i.gamma_C, (N_S - I_B) @ Lambda_R])


def unknowns(Lambda: Array, gamma: Array) -> Array:
    """Return (Λ_N, Λ_T⁽⁺⁾, Λ_T⁽⁻⁾, z⁻, z⁺)."""
    (Lambda_N, Lambda_T), (_, gamma_T) = split(Lambda), split(gamma)
    z_plus, z_minus = parts(gamma_T)
    return np.concatenate([np.maximum(Lambda_N, 0), *parts(Lambda_T), z_minus, z_plus])


@law
@given(seed=seeds)
def test_impulses_solve_the_problems_of_the_book(seed: int) -> None:
    """P31: Λ_C in (8.87) and Λ_P in (8.97), including dependent contacts."""
    i = random_impact(seed)
    assert i.solved
    check_corner_law(*lcp_8_87(i), unknowns(i.Lambda_C, i.gamma_C))
    check_corner_law(*lcp_8_97(i), unknowns(i.Lambda_P, i.gamma_E))


@law
@given(seed=seeds)
def test_the_problems_of_the_book_have_the_same_impulses(seed: int) -> None:
    """(8.87) and (8.97) solved in their original form, independent contacts with μ <= 0.4."""
    i = random_impact(seed, max_mu=0.4, independent=True)
    n = i.system.nc
    for problem, Lambda in ((lcp_8_87(i), i.Lambda_C), (lcp_8_97(i), i.Lambda_P)):
        solution = lcp.solve(*problem)
        assert solution.status == lcp.LcpStatus.SOLVED
        tol = 1e-10 * i.scale
        np.testing.assert_allclose(solution.x[:n], split(Lambda)[0], atol=tol)
        np.testing.assert_allclose(
            solution.x[n : 2 * n] - solution.x[2 * n : 3 * n], split(Lambda)[1], atol=tol
        )


@law
@given(seed=seeds)
def test_the_problems_of_impacts_are_semidefinite_without_friction(seed: int) -> None:
    """P14: N_S = 0, compression and expansion."""
    i = random_impact(seed, max_mu=0.0)
    n = 3 * i.system.nc
    for A, _ in (lcp_8_87(i), lcp_8_97(i)):
        np.testing.assert_array_equal(A[:n, n:], -A[n:, :n].T)
        np.testing.assert_array_equal(A[n:, n:], 0)
        assert np.linalg.eigvalsh((A + A.T) / 2).min() >= -1e-13 * np.abs(A).max()


# Bilateral reduction, uniqueness, feasibility -------------------------------------------------


@law
@given(seed=seeds)
def test_lasting_contacts_have_the_accelerations_of_minimal_coordinates(seed: int) -> None:
    """P11: (5.24) in p̈ with Q, ρ̄ from W, and friction N_G λ with λ of (5.15), gives u̇ of (5.13).

    Sliding and sticking contacts, loaded so that all stay closed: λ is chosen inside the cones, and
    h such that (5.15) holds.
    """
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 4))
    nu = 2 * nc + int(rng.integers(1, 4))
    system = random_contacts(rng, nu, nc)
    mu = rng.uniform(0.05, 0.4, nc)
    roles = [
        [ContactRole.Candidate, ContactRole.SlidesPositive, ContactRole.SlidesNegative][k]
        for k in rng.integers(0, 3, nc)
    ]
    sign = np.array([SLIDING_SIGN.get(role, 0) for role in roles])
    sticks = np.flatnonzero(sign == 0)
    lambda_N = rng.uniform(0.5, 2, nc)
    lambda_T = np.where(sign == 0, rng.uniform(-0.9, 0.9, nc), -sign) * mu * lambda_N

    W = np.hstack([system.W_N, system.W_T[:, sticks]])
    N_G = np.hstack([-system.W_T * (mu * sign), np.zeros((nu, len(sticks)))])
    w_bar = rng.standard_normal(W.shape[1])
    A = W.T @ np.linalg.solve(system.M, W + N_G)
    assume(np.linalg.cond(A) < 1e4)
    # Mh of the free motion: any h with Wᵀ M⁻¹h = -A λ - w̄, plus a part without effect on the
    # contacts.
    given_lambda = np.concatenate([lambda_N, lambda_T[sticks]])
    free_u = np.linalg.lstsq(W.T, -A @ given_lambda - w_bar, rcond=None)[0]
    free_u += null_space(W.T) @ rng.standard_normal(nu - W.shape[1])
    h = system.M @ free_u

    w_bar_T = np.zeros(nc)
    w_bar_T[sticks] = w_bar[nc:]
    free_T = system.W_T.T @ free_u + w_bar_T
    result = solve_acceleration(system.G, system.W_N.T @ free_u + w_bar[:nc], free_T, mu, roles)
    assert result["status"] == LcpStatus.SOLVED
    tol = 1e-9 * (1 + np.abs(free_u).max())
    np.testing.assert_allclose(result["lambda_N"], lambda_N, atol=tol)
    np.testing.assert_allclose(result["lambda_T"], lambda_T, atol=tol)
    udot = free_u + system.jump(result["lambda_N"], result["lambda_T"])

    Q = null_space(W.T)
    rho = -np.linalg.pinv(W.T) @ w_bar
    force = h + N_G @ np.linalg.solve(A, -(W.T @ free_u + w_bar))
    pddot = np.linalg.solve(Q.T @ system.M @ Q, Q.T @ (force - system.M @ rho))
    np.testing.assert_allclose(Q @ pddot + rho, udot, atol=tol)


@law
@given(seed=seeds)
def test_smooth_independent_contacts_have_unique_forces(seed: int) -> None:
    """P13: λ_N is the same for every other order, and for (6.35) in its original form."""
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 6))
    system = random_contacts(rng, nc + 2, nc)
    G = system.G[:nc, :nc]
    b = rng.standard_normal(nc)
    zero, smooth = np.zeros(nc), [ContactRole.Frictionless] * nc

    def forces(order: Any) -> Array:
        picked = Contacts(system.M, system.W_N[:, order], system.W_T[:, order])
        r = solve_acceleration(picked.G, b[order], zero, zero, smooth)
        assert r["status"] == LcpStatus.SOLVED
        return np.asarray(r["lambda_N"])

    lambda_N = forces(np.arange(nc))
    tol = 1e-10 * (1 + lambda_N.max())
    order = rng.permutation(nc)
    np.testing.assert_allclose(forces(order), lambda_N[order], atol=tol)
    np.testing.assert_allclose(lcp.solve(G, b).x, lambda_N, atol=tol)


@law
@given(seed=seeds)
def test_smooth_contacts_are_solved_or_proven_contradictory(seed: int) -> None:
    """P15: dependent contacts with arbitrary w̄.

    A linear program decides that W_Nᵀu̇ + w̄ >= 0 has no u̇: the largest t <= 1 with W_Nᵀu̇ + w̄ >=
    t is negative.
    """
    rng = np.random.default_rng(seed)
    nu, nc = int(rng.integers(1, 4)), int(rng.integers(2, 7))
    raw = random_contacts(rng, nu, nc)
    system = Contacts(raw.M, raw.W_N, np.zeros_like(raw.W_T))
    b = rng.standard_normal(nc) + rng.uniform(0, 1)
    zero = np.zeros(nc)
    r = solve_acceleration(system.G, b, zero, zero, [ContactRole.Frictionless] * nc)
    programme = linprog(
        [*np.zeros(nu), -1.0],
        A_ub=np.column_stack([-system.W_N.T, np.ones(nc)]),
        b_ub=b,
        bounds=[(None, None)] * nu + [(None, 1.0)],
    )
    margin = programme.x[-1]
    assume(abs(margin) > 1e-6)
    expected = LcpStatus.SOLVED if margin > 0 else LcpStatus.NO_SOLUTION
    assert r["status"] == expected


# Dependent contacts with friction, superfluous contacts ---------------------------------------


@pytest.mark.parametrize(("mu_1", "mu_2"), [(0.2, 0.4), (0.4, 0.2), (0.3, 0.3), (0.0, 0.0)])
def test_pantograph_slides_with_one_of_its_accelerations(mu_1: float, mu_2: float) -> None:
    """P18, E5 (5.63)-(5.66): λ_N1 + 2 λ_N2 = M_2 g, r̈ between -μ_i M_2 g / M_1.

    With M_1 = 5, M_2 = 3, r = 1, g = 10, r̈ is between -6 μ_1 and -6 μ_2.
    """
    system = contacts(5 * np.eye(2), [[0, 1], [0, 2]], [[1, 0], [2, 0]])
    free = system.W.T @ np.array([0, -30]) / 5
    roles = [ContactRole.SlidesPositive] * 2
    r = solve_acceleration(system.G, free[:2], free[2:], np.array([mu_1, mu_2]), roles)
    assert r["status"] == LcpStatus.SOLVED
    lambda_N = r["lambda_N"]
    assert lambda_N @ [1, 2] == pytest.approx(30, rel=1e-13)
    rddot = system.jump(lambda_N, r["lambda_T"])[0]
    alpha = lambda_N[0] / 30
    assert rddot == pytest.approx(-6 * (mu_2 + alpha * (mu_1 - mu_2)), abs=1e-12)
    assert -6 * max(mu_1, mu_2) - 1e-12 <= rddot <= -6 * min(mu_1, mu_2) + 1e-12


@law
@given(seed=seeds)
def test_superfluous_contacts_get_no_impulse_and_are_not_missed(seed: int) -> None:
    """P29: without the contacts that have zero impulse, the compression is the same."""
    i = random_impact(seed, max_mu=0.4, independent=True)
    idle = [k for k in range(i.system.nc) if i.result["Lambda_NC"][k] == 0.0]
    assume(idle)
    np.testing.assert_allclose(i.result["Lambda_TC"][idle], 0.0, atol=1e-15 * i.scale)
    working = [k for k in range(i.system.nc) if k not in idle]
    fewer = Impact(i.system, i.u_A, i.mu, i.e_N, i.e_T, i.nu, participants=working)
    np.testing.assert_allclose(fewer.u_C, i.u_C, atol=1e-11 * i.scale)

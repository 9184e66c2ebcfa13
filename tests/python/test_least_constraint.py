"""Minimal coordinates and Gauss's principle agree with multipliers and a general optimiser."""

import numpy as np
import pytest
from scipy import optimize

import nsmb


def random_equations(seed, nu=5, r=3, *, dependent=False):
    rng = np.random.default_rng(seed)
    L = np.eye(nu) + 0.3 * rng.standard_normal((nu, nu))
    W = rng.standard_normal((nu, r))
    w_bar = rng.standard_normal(r)
    if dependent:
        W[:, -1], w_bar[-1] = W[:, :-1].sum(axis=1), w_bar[:-1].sum()
    return L @ L.T, rng.standard_normal(nu), W, w_bar, rng


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_minimal_coordinates_and_least_constraint_agree(seed, dependent):
    M, h, W, w_bar, _ = random_equations(seed, dependent=dependent)
    reduced = nsmb.instant.reduced_equations(M, h, W, w_bar)
    gauss = nsmb.instant.least_constraint(M, h, W, w_bar)
    assert pytest.approx(0.0, abs=1e-12) == W.T @ reduced.Q
    assert W.T @ reduced.rho == pytest.approx(-w_bar, abs=1e-11)
    assert reduced.udot() == pytest.approx(gauss.udot, abs=1e-10)
    assert gauss.udot == pytest.approx(np.linalg.solve(M, h + W @ gauss.lambda_), abs=1e-10)
    # Any other admissible acceleration has a larger constraint.
    free = np.linalg.solve(M, h)
    for direction in reduced.Q.T:
        other = gauss.udot + 0.1 * direction - free
        assert 0.5 * other @ M @ other > gauss.value


@pytest.mark.parametrize("seed", range(10))
def test_sliding_friction_stays_in_minimal_coordinates(seed):
    M, h, W, w_bar, rng = random_equations(seed, r=2)
    N_G = 0.2 * rng.standard_normal(W.shape)
    # (5.13) as one linear system in (u̇, λ).
    nu, r = W.shape
    K = np.block([[M, -(W + N_G)], [W.T, np.zeros((r, r))]])
    expected = np.linalg.solve(K, np.concatenate([h, -w_bar]))[:nu]
    found = nsmb.instant.reduced_equations(M, h, W, w_bar, N_G=N_G).udot()
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("seed", range(10))
def test_unilateral_least_constraint_is_what_an_optimiser_finds(seed):
    M, h, W, w_bar, _ = random_equations(seed)
    found = nsmb.instant.least_constraint(M, h, W, w_bar, unilateral=True)
    free = np.linalg.solve(M, h)
    peer = optimize.minimize(
        lambda a: 0.5 * (a - free) @ M @ (a - free),
        np.zeros(5),
        jac=lambda a: M @ (a - free),
        constraints={"type": "ineq", "fun": lambda a: W.T @ a + w_bar, "jac": lambda a: W.T},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 200},
    )
    # SLSQP stops at about the square root of its tolerance.
    assert found.udot == pytest.approx(peer.x, abs=1e-6)
    assert found.value <= peer.fun + 1e-9
    assert (W.T @ found.udot + w_bar).min() >= -1e-10


@pytest.mark.parametrize("seed", range(5))
def test_unilateral_least_constraint_is_the_contact_law_without_friction(seed):
    M, h, W, _, _ = random_equations(seed)
    system = nsmb.LinearSystem(M, force=h, contacts=[nsmb.Contact(w_N=w) for w in W.T])
    zero = np.zeros(5)
    forces = nsmb.instant.contact_problem(system, 0.0, zero, zero).solve()
    found = nsmb.instant.least_constraint(M, h, W, np.zeros(3), unilateral=True)
    assert forces.motion == pytest.approx(found.udot, abs=1e-10)
    assert forces.lambda_N == pytest.approx(found.lambda_, abs=1e-10)


def test_what_cannot_be_satisfied_is_said():
    W = np.array([[1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="w_bar: must be consistent constraints"):
        nsmb.instant.least_constraint(np.eye(2), [0, 0], W, [0.0, 1.0])
    with pytest.raises(ValueError, match="w_bar"):
        nsmb.instant.reduced_equations(np.eye(2), [0, 0], W, [0.0, 1.0])
    with pytest.raises(ValueError, match="w_bar: must admit an acceleration"):
        nsmb.instant.least_constraint(
            np.eye(2), [0, 0], [[1.0, -1.0], [0, 0]], [-1.0, -1.0], unilateral=True
        )
    with pytest.raises(ValueError, match="W: must have independent columns"):
        nsmb.instant.reduced_equations(np.eye(2), [0, 0], W, [0.0, 0.0], N_G=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="M: must be symmetric positive definite"):
        nsmb.instant.least_constraint(-np.eye(2), [0, 0], W, [0.0, 0.0])

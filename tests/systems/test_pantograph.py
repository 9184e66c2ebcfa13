"""The pantograph with dependent contacts (5.39)-(5.66), example E5."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.systems.examples import accelerations, contact_errors, start


def test_kinematics_of_the_contact_state() -> None:
    """(5.45), (5.46), (5.55), (5.56) hold for φ = φ̇ = 0, with w_N2 = 2 w_N1."""
    system = nsmb.systems.pantograph(m_1=2.0, m_2=3.0, r=0.5)
    at = system.initial_state
    k = system.contact_kinematics(at.t, at.q, at.u)
    np.testing.assert_array_equal(system.mass_matrix(0.0, at.q), np.diag([14.0, 14.0 * 0.25]))
    np.testing.assert_array_equal(system.forces(0.0, at.q, at.u), [0.0, -8.0 * 10.0 * 0.5])
    np.testing.assert_array_equal(k["W_N"], [[0.0, 0.0], [0.5, 1.0]])
    np.testing.assert_array_equal(k["W_T"], [[1.0, 2.0], [0.0, 0.0]])
    np.testing.assert_array_equal([k["w_bar_N"], k["w_bar_T"]], np.zeros((2, 2)))


def test_equations_of_motion_are_those_of_two_points() -> None:
    """M q̈ = h (5.46) is Newton's law of masses at r and 2 r in any position."""
    system = nsmb.systems.pantograph(m_1=2.0, m_2=3.0)
    q, u, u_dot = np.array([0.7, 0.4]), np.array([0.3, -0.8]), np.array([1.1, 0.6])
    (r, phi), (v, omega) = q, u
    across, along = np.array([-np.sin(phi), np.cos(phi)]), np.array([np.cos(phi), np.sin(phi)])
    generalized = np.zeros(2)
    for i, m in ((1, 2.0), (2, 3.0)):
        a = along * (u_dot[0] - r * omega**2) + across * (r * u_dot[1] + 2 * v * omega)
        J = i * np.column_stack([along, r * across])
        generalized += J.T @ (m * i * a + m * np.array([0.0, 10.0]))
    left = system.mass_matrix(0.0, q) @ u_dot - system.forces(0.0, q, u)
    np.testing.assert_allclose(left, generalized, rtol=1e-14)
    assert contact_errors(system, 0.0, q, u).max() < 1e-8  # (5.47)-(5.52)


def test_delassus_matrix_has_rank_one() -> None:
    """W_Nᵀ M⁻¹ (W_N + W_G μ̄_G) = [[1, 2], [2, 4]] / M_1 does not depend on friction."""
    system = nsmb.systems.pantograph()
    at = system.initial_state
    k = system.contact_kinematics(at.t, at.q, at.u)
    G = k["W_N"].T @ np.linalg.solve(
        system.mass_matrix(0.0, at.q), k["W_N"] - k["W_T"] @ np.diag([0.2, 0.4])
    )
    np.testing.assert_allclose(G, np.array([[1, 2], [2, 4]]) / 5, rtol=1e-15)


@pytest.mark.parametrize(("mu_1", "mu_2"), [(0.2, 0.4), (0.4, 0.2), (0.0, 0.7)])
def test_acceleration_is_one_of_the_possible_ones(mu_1: float, mu_2: float) -> None:
    """By (5.63)-(5.66) with M_1 = 5, M_2 = 3, r̈ is in [-2.4, -1.2] for 0.2 and 0.4."""
    sol = start(nsmb.systems.pantograph(mu_1=mu_1, mu_2=mu_2))
    lambda_N = sol.lambda_N[-1]
    assert lambda_N.min() >= 0
    assert lambda_N[0] + 2 * lambda_N[1] == pytest.approx(30.0, rel=1e-14)
    u_dot = accelerations(sol)[0]
    alpha = lambda_N[0] / 30.0
    assert 0 <= alpha <= 1
    assert u_dot[0] == pytest.approx(-6.0 * (alpha * mu_1 + (1 - alpha) * mu_2), rel=1e-13)
    assert abs(u_dot[1]) < 1e-14 * 10


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_acceleration_is_unique_for_equal_friction(mu: float) -> None:
    """By (5.64), r̈ = -μ g M_2/M_1, here -6 μ, until it stops and stays."""
    sol = nsmb.simulate(nsmb.systems.pantograph(mu_1=mu, mu_2=mu), 1.0, rtol=1e-12)
    assert accelerations(sol, 0)[0][0] == pytest.approx(-6 * mu, rel=1e-13)
    np.testing.assert_allclose(sol.q[:, 1], 0.0, atol=1e-13)
    if mu == 0.0:
        assert len(sol.events) == 0
        np.testing.assert_allclose(sol.q[:, 0], 1.0 + sol.t, rtol=1e-13)
        return
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(1 / (6 * mu), rel=1e-12)
    assert sol.events.contacts[0].all()
    assert sol.q[-1, 0] == pytest.approx(1.0 + 0.5 / (6 * mu), rel=1e-12)
    assert abs(sol.u[-1, 0]) < 1e-15


def test_different_friction_stops_between_both_bounds() -> None:
    """By (5.66), r̈ stays in [-2.4, -1.2], so that it stops after 1/2.4 to 1/1.2 s."""
    sol = nsmb.simulate(nsmb.systems.pantograph(), 1.0)
    assert sol.events.kinds == ["stick"]
    assert 1 / 2.4 - 1e-12 < sol.events.t[0] < 1 / 1.2 + 1e-12

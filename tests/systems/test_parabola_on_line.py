"""A parabola on a straight line (4.48)-(4.55), example E3."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import nsmb
from tests.systems.examples import Array, contact_errors, energy

Q = np.array([0.1, 0.2, 0.3, -0.4])
U = np.array([0.3, 0.9, -0.2, 0.6])
BODIES = [0, 3, 1, 2]  # z, phi, x, y among the coordinates of the bodies
LINE, PARABOLA = (0.7, 0.5), (1.3, 0.8)  # a, b; p_1, p_2


def nearest(q: Array) -> tuple[float, float]:
    """Return σ_2 and g_N by minimising the distance of the contours, without formulas of 4.6.

    The line y = a x + b is on the platform at z, and the parabola y = -p_1 σ² + p_2 is rotated by φ
    at (x, y).
    """
    (a, b), (p_1, p_2) = LINE, PARABOLA
    z, phi, x, y = q
    cos, sin = np.cos(phi), np.sin(phi)

    def distance(sigma: float) -> float:
        height = -p_1 * sigma**2 + p_2
        X, Y = x + sigma * cos - height * sin, y + sigma * sin + height * cos
        return float((a * (X - z) + b - Y) / np.hypot(1.0, a))

    # The distance is a parabola in σ, so that three points give its minimum exactly.
    low, mid, high = distance(-1.0), distance(0.0), distance(1.0)
    bend, slope = (low + high) / 2 - mid, (high - low) / 2
    sigma = -slope / (2 * bend)
    found = minimize_scalar(distance, bracket=(sigma - 0.1, sigma + 0.1), tol=1e-8)
    assert found.x == pytest.approx(sigma, abs=1e-7)
    return sigma, distance(sigma)


def test_directions_have_the_values_of_the_example() -> None:
    """(4.49)-(4.55) agree to ten digits, (4.55) with the plus sign from (4.46)."""
    system = nsmb.systems.parabola_on_line()
    np.testing.assert_array_equal(system.initial_state.q, Q)
    np.testing.assert_array_equal(system.initial_state.u, U)
    k = system.contact_kinematics(0.0, Q, U)
    expected = {
        "g_N": [0.0850973666],
        "W_N": np.c_[[-0.5734623444, -0.1512902554, 0.5734623444, -0.8192319205]],
        "W_T": np.c_[[-0.8192319205, -0.7669038307, 0.8192319205, 0.5734623444]],
        "w_tilde_N": [0.0],
        "w_tilde_T": [0.0],
        "w_bar_N": [0.2169481688],
        "w_bar_T": [-0.1225451069],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(k[name], value, rtol=0, atol=5.1e-11, err_msg=name)
    rates = system.contact_quantities(0.0, Q, U)
    np.testing.assert_allclose(rates["gamma_N"], -0.9144315544, rtol=0, atol=5.1e-11)
    np.testing.assert_allclose(rates["gamma_T"], -0.7557520013, rtol=0, atol=5.1e-11)


def test_contact_point_moves_as_the_example_says() -> None:
    """(4.48), κ_2 and ṡ_2 of E3 follow from the point of least distance and its motion."""
    p_1 = PARABOLA[0]
    sigma, gap = nearest(Q)
    assert sigma == pytest.approx(-0.1674979151, abs=5.1e-11)
    assert gap == pytest.approx(0.0850973666, abs=5.1e-11)
    root = np.sqrt(1 + 4 * p_1**2 * sigma**2)
    assert 2 * p_1 / root**3 == pytest.approx(2.0037406422, abs=5.1e-11)
    h = 1e-5
    sigma_dot = (nearest(Q + h * U)[0] - nearest(Q - h * U)[0]) / (2 * h)
    assert sigma_dot == pytest.approx(0.4118038368, abs=1e-9)  # h² and rounding
    assert root * sigma_dot == pytest.approx(0.4491599267, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_gap_is_the_least_distance_and_directions_follow_it(seed: int) -> None:
    """(4.23), (4.38), (4.45) hold at random positions with as + c > 0."""
    rng = np.random.default_rng(seed)
    q, u = rng.uniform(-0.6, 0.6, 4), rng.uniform(-1, 1, 4)
    system = nsmb.systems.parabola_on_line()
    gap = system.contact_kinematics(0.0, q, u)["g_N"][0]
    assert gap == pytest.approx(nearest(q)[1], abs=1e-14)
    assert contact_errors(system, 0.0, q, u).max() < 1e-8


def test_damper_hits_the_platform_and_loses_what_impact_and_friction_take() -> None:
    system = nsmb.systems.parabola_on_line()
    sol = nsmb.simulate(system, 0.15, rtol=1e-11)
    assert sol.events.kinds == ["impact"]
    assert sol.contact_state[-1] == nsmb.ContactState.SLIP_POSITIVE
    assert abs(sol.g_N[-1, 0]) < 1e-14
    lost = sol.stats["impact_loss"] + sol.friction_loss[-1, 0]
    change = np.diff(energy(system, sol)[[0, -1]])[0]
    # Measured: 2e-11 of 20 J.
    assert change == pytest.approx(-lost, abs=1e-9)


@pytest.mark.parametrize(
    "changes", [{}, {"e_N": 0.5}, {"mu": 0.0, "e_N": 0.3}, {"c": 0.0, "a": 0.4}]
)
def test_bodies_and_contours_give_the_same_motion_event_by_event(changes: dict[str, float]) -> None:
    # Flights below 1e-5 m/s are no higher than the error of the gap.
    method = nsmb.EventDriven(impact_law="poisson", rtol=1e-11, rest_velocity=1e-5)
    by_hand = nsmb.simulate(nsmb.systems.parabola_on_line(**changes), 0.4, method=method)
    system = nsmb.systems.parabola_on_line_bodies(**changes)
    assert system.with_parameters(mu=0.1).parameters["mu"] == 0.1
    bodies = nsmb.simulate(system, 0.4, method=method)
    assert "impact" in by_hand.events.kinds
    assert bodies.events.kinds == by_hand.events.kinds
    # Measured: 4e-11 s, 2e-15, 1e-9 N s.
    np.testing.assert_allclose(bodies.events.t, by_hand.events.t, rtol=0, atol=1e-9)
    np.testing.assert_allclose(bodies.q[-1, BODIES], by_hand.q[-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(bodies.events.Lambda_N, by_hand.events.Lambda_N, rtol=0, atol=1e-8)
    np.testing.assert_allclose(bodies.events.Lambda_T, -by_hand.events.Lambda_T, rtol=0, atol=1e-8)

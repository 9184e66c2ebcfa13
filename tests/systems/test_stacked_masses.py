"""The block on an incline and the two stacked masses of chapter 6, examples E1, E6, E7."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from tests.systems.examples import accelerations

OPEN, STICK, PLUS, MINUS, _ = nsmb.ContactState

# Block on an incline --------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [0.0, 10.0, 29.9, 30.1, 45.0, 80.0])
def test_block_stays_or_slides_back(degrees: float) -> None:
    """With μ = tan 30° it stays if and only if tan α <= μ (chapter 6), with the forces of 6.4."""
    alpha, mu, m, g, v = np.radians(degrees), np.tan(np.radians(30)), 2.0, 10.0, 3.0
    sin, cos = np.sin(alpha), np.cos(alpha)
    block = nsmb.systems.incline_block(alpha=alpha, mu=mu, m=m, v=v)
    up = g * (sin + mu * cos)
    t_stop, x_stop = v / up, -(v**2) / (2 * up)
    sol = nsmb.simulate(block, t_stop + 1.0)
    assert sol.events.kinds == ["stick" if degrees < 30 else "reversal"]
    assert sol.events.t[0] == pytest.approx(t_stop, rel=1e-13)
    assert sol.events.q[0, 0] == pytest.approx(x_stop, rel=1e-13)
    lambda_N = m * g * cos
    assert sol.lambda_N[-1, 0] == pytest.approx(lambda_N, rel=1e-14)
    assert sol.lambda_T[0, 0] == pytest.approx(mu * lambda_N, rel=1e-14)
    down = g * (sin - mu * cos) if degrees > 30 else 0.0
    force = -mu * lambda_N if degrees > 30 else -m * g * sin
    assert sol.lambda_T[-1, 0] == pytest.approx(force, rel=1e-13, abs=1e-14)
    assert sol.q[-1, 0] == pytest.approx(x_stop + down / 2, rel=1e-12)
    assert sol.friction_loss[-1, 0] == pytest.approx(
        mu * lambda_N * (sol.q[-1, 0] - 2 * x_stop), rel=1e-12
    )


# Detachment of two stacked masses -------------------------------------------------------------


@pytest.mark.parametrize(
    ("F", "states", "y_ddot", "lambda_N"),
    [
        ((13, 18), (OPEN, OPEN), (3, 8), (0, 0)),
        ((4, 3), (STICK, STICK), (0, 0), (13, 7)),
        ((12, 11), (OPEN, STICK), (1.5, 1.5), (0, 0.5)),
        ((30, -6), (OPEN, STICK), (2, 2), (0, 18)),
        ((6, 14), (STICK, OPEN), (0, 4), (4, 0)),
    ],
    ids=["I", "II", "III printed", "III", "IV"],
)
def test_stack_is_lifted_region_by_region(F: Any, states: Any, y_ddot: Any, lambda_N: Any) -> None:
    """(6.54) holds, and (6.45)-(6.48) for F = (12, 11). Forces are constant, y = ½ ÿ t²."""
    sol = nsmb.simulate(nsmb.systems.stacked_masses_vertical(F_1=F[0], F_2=F[1]), 2.0)
    assert len(sol.events) == 0
    assert tuple(sol.contact_state[0]) == tuple(sol.contact_state[-1]) == states
    np.testing.assert_allclose(sol.lambda_N, np.tile(lambda_N, (len(sol.t), 1)), atol=1e-13)
    np.testing.assert_allclose(
        sol.q, 0.5 * sol.t[:, None] ** 2 * np.array(y_ddot), rtol=1e-13, atol=1e-13
    )


def test_stack_takes_off_with_the_printed_numbers() -> None:
    """The defaults are (6.45)-(6.48) with γ̇_N1 = 3/2, λ_N2 = 1/2."""
    sol = nsmb.simulate(nsmb.systems.stacked_masses_vertical(), 0.0)
    np.testing.assert_allclose(accelerations(sol)[1], [1.5, 0.0], atol=1e-15)
    np.testing.assert_allclose(sol.lambda_N[-1], [0.0, 0.5], atol=1e-15)


def test_corner_of_all_regions_moves_nothing() -> None:
    """With F_1 = F_2 = g it is weightless, in contact or not."""
    sol = nsmb.simulate(nsmb.systems.stacked_masses_vertical(F_1=10, F_2=10), 1.0)
    np.testing.assert_array_equal(sol.q, 0.0)
    np.testing.assert_array_equal(sol.lambda_N, 0.0)


# Stick-slip of two stacked masses -------------------------------------------------------------

REGIONS = [
    ((5, 5), (STICK, STICK), (0, 0)),
    ((20, 10), (PLUS, STICK), (5, 5)),
    ((-20, -10), (MINUS, STICK), (-5, -5)),
    ((-5, 17), (STICK, PLUS), (0, 7)),
    ((5, -17), (STICK, MINUS), (0, -7)),
    ((12, 18), (PLUS, PLUS), (2, 8)),
    ((35, -14), (PLUS, MINUS), (5, -4)),
    ((-35, 14), (MINUS, PLUS), (-5, 4)),
    ((-12, -18), (MINUS, MINUS), (-2, -8)),
]


@pytest.mark.parametrize(("F", "states", "x_ddot"), REGIONS)
def test_stack_is_pushed_region_by_region(F: Any, states: Any, x_ddot: Any) -> None:
    """One point inside each region of the map of E7 (Fig. 6.9) has μ g = 10, x = ½ ẍ t²."""
    system = nsmb.systems.stacked_masses_horizontal(F_1=F[0], F_2=F[1])
    sol = nsmb.simulate(system, 2.0)
    assert len(sol.events) == 0
    assert tuple(sol.contact_state[0]) == tuple(sol.contact_state[-1]) == states
    exact = 0.5 * sol.t[:, None] ** 2 * np.array(x_ddot)
    np.testing.assert_allclose(sol.q[:, [0, 2]], exact, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(sol.q[:, [1, 3]], 0.0, atol=1e-14)
    np.testing.assert_allclose(sol.lambda_N, np.tile([20.0, 10.0], (len(sol.t), 1)), rtol=1e-14)
    # (6.55)
    lambda_T = [sum(x_ddot) - sum(F), x_ddot[1] - F[1]]
    np.testing.assert_allclose(sol.lambda_T, np.tile(lambda_T, (len(sol.t), 1)), atol=1e-13)


def test_all_nine_regions_are_there() -> None:
    assert len({states for _, states, _ in REGIONS}) == 9


def test_stack_starts_to_slide_with_the_printed_numbers() -> None:
    """The defaults are (6.60)-(6.64) with λ_T = (-20, -5), γ̇_T = (5, 0)."""
    sol = nsmb.simulate(nsmb.systems.stacked_masses_horizontal(), 0.0)
    np.testing.assert_allclose(sol.lambda_T[-1], [-20.0, -5.0], rtol=1e-14)
    u_dot, _, gammadot_T = accelerations(sol)
    np.testing.assert_allclose(gammadot_T, [5.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(u_dot, [5.0, 0.0, 5.0, 0.0], atol=1e-14)

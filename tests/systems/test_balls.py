"""Runs of colliding masses and balls, examples E8, E10, E11."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike

import nsmb
from tests.systems.examples import energy

LAWS: tuple[Literal["poisson", "newton"], ...] = ("poisson", "newton")
both_laws = pytest.mark.parametrize("law", LAWS)


def digits(actual: ArrayLike, expected: ArrayLike) -> None:
    """Compare with numbers printed with nine decimals."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=6e-10)


# Two point masses -----------------------------------------------------------------------------


@both_laws
@pytest.mark.parametrize("e_N", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("m_1", "m_2"), [(1.0, 1.0), (2.0, 5.0), (1e3, 1e-3)])
def test_two_masses_collide_in_closed_form(
    m_1: float, m_2: float, e_N: float, law: Literal["poisson", "newton"]
) -> None:
    """The masses of (7.20)-(7.25) meet after 1 m / 4 m/s."""
    system = nsmb.systems.two_point_masses(m_1=m_1, m_2=m_2, e_N=e_N)
    sol = nsmb.simulate(system, 1.0, method=nsmb.EventDriven(impact_law=law))
    impact = sol.events[0]
    assert sol.events.kinds == ["impact"]
    assert impact.t == pytest.approx(0.25, rel=1e-15)
    m, approach = m_1 + m_2, -4.0
    Lambda_N = -(1 + e_N) * m_1 * m_2 / m * approach  # (7.22)
    u_E = [3.0 + m_2 / m * (1 + e_N) * approach, -1.0 - m_1 / m * (1 + e_N) * approach]  # (7.23)
    assert impact.Lambda_N[0] == pytest.approx(Lambda_N, rel=1e-14)
    np.testing.assert_allclose(impact.u_plus, u_E, atol=1e-14 * 8)
    loss = 0.5 * (1 - e_N**2) * m_1 * m_2 / m * approach**2
    assert impact.energy_loss == pytest.approx(loss, rel=1e-13, abs=1e-15 * m)
    np.testing.assert_allclose(sol.u[-1], u_E, atol=1e-14 * 8)
    if m_1 == m_2 and e_N == 1.0:  # (7.24)
        np.testing.assert_allclose(sol.u[-1], [-1.0, 3.0], atol=1e-15)
    if m_1 == m_2 and e_N == 0.0:  # (7.25)
        np.testing.assert_allclose(sol.u[-1], [1.0, 1.0], atol=1e-15)
        assert sol.contact_state[-1, 0] != nsmb.ContactState.OPEN


# Two balls ------------------------------------------------------------------------------------


@pytest.mark.parametrize("e_2", [0.0, 0.2, 0.5, 0.6, 1.0])
def test_poisson_lifts_the_ball_that_was_hit(e_2: float) -> None:
    """In 8.12, both leave together with 1/2 up to ε_N2 = 1/2, beyond which they separate."""
    system = nsmb.systems.two_balls(e_2=e_2)
    sol = nsmb.simulate(system, 1.1)
    impact = sol.events[0]
    assert impact.t == pytest.approx(0.1, rel=1e-14)
    np.testing.assert_allclose(impact.u_minus, [0.0, -1.0], atol=1e-15)
    together = e_2 <= 0.5
    gamma_N = (0.5, 0.0) if together else (1 - e_2, 2 * e_2 - 1)
    Lambda_N = (2.0, 1.5) if together else (2.0, 1 + e_2)
    np.testing.assert_allclose(impact.Lambda_N, Lambda_N, rtol=1e-14)
    after = system.contact_quantities(impact.t, impact.q, impact.u_plus)
    np.testing.assert_allclose(after["gamma_N"], gamma_N, atol=1e-15)
    T_E = 0.25 if together else ((1 - e_2) ** 2 + e_2**2) / 2
    assert impact.energy_loss == pytest.approx(0.5 - T_E, abs=1e-15)
    # One second of flight without gravity, with a second impact only if the lower ball stayed.
    np.testing.assert_allclose(sol.g_N[-1], gamma_N, atol=1e-14)


@pytest.mark.parametrize("e_2", [0.0, 0.2, 0.5, 0.6, 1.0])
def test_newton_leaves_the_ball_that_was_hit_on_the_ground(e_2: float) -> None:
    """In 8.12, γ_NE = (0, ε_N2) always and Λ_N = (1 + ε_N2) (1, 1)."""
    system = nsmb.systems.two_balls(e_2=e_2)
    sol = nsmb.simulate(system, 1.1, method=nsmb.EventDriven(impact_law="newton"))
    np.testing.assert_allclose(sol.events.Lambda_N[0], [1 + e_2, 1 + e_2], rtol=1e-14)
    np.testing.assert_allclose(sol.g_N[-1], [0.0, e_2], atol=1e-14)
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK


@both_laws
def test_balls_come_to_rest_under_gravity(law: Literal["poisson", "newton"]) -> None:
    """With ε_N1 = ε_N2 = 1/2 impacts accumulate at both contacts, and all energy is lost."""
    system = nsmb.systems.two_balls(g=10.0, e_1=0.5, e_2=0.5)
    sol = nsmb.simulate(system, 5.0, method=nsmb.EventDriven(impact_law=law))
    assert (sol.contact_state[-1] != nsmb.ContactState.OPEN).all()
    np.testing.assert_allclose(sol.q[-1], 0.0, atol=1e-11)
    np.testing.assert_array_equal(sol.u[-1], 0.0)
    lost = sol.stats["impact_loss"] + sol.stats["rest_loss"]
    assert lost == pytest.approx(energy(system, sol)[0], rel=1e-12)


# Superball ------------------------------------------------------------------------------------


def test_superball_comes_back_from_under_the_table() -> None:
    """The table of E11 is met, 8.13 with ν = ε_T = 1."""
    system = nsmb.systems.superball()
    sol = nsmb.simulate(system, 4.4)
    events = sol.events
    assert events.kinds == ["impact"] * 5
    np.testing.assert_allclose(events.t, 0.8 * np.arange(1, 6), rtol=1e-14)
    np.testing.assert_array_equal(events.contacts[:, 0], [True, False, True, False, True])
    digits(events.q[:, 0], [0.8, 1.142857143, 0.636734694, -0.139941691, -0.299541858])
    x_dot = [0.428571429, -0.632653061, -0.970845481, -0.199500208, 0.799845303]
    spin = [-14.285714286, 12.244897959, 3.790087464, -15.493544357, 9.490093413]
    digits(events.u_plus[:, 0], x_dot)
    digits(events.u_plus[:, 2], spin)
    np.testing.assert_allclose(np.abs(events.u_plus[:, 1]), 1.0, rtol=1e-14)
    Lambda_TC = np.array([-0.285714286, 0.530612245, -0.169096210, -0.385672636, 0.499672755])
    np.testing.assert_allclose(events.Lambda_N.sum(axis=1), 2.0, rtol=1e-14)  # Λ_NC + Λ_NE
    np.testing.assert_allclose(events.Lambda_T.sum(axis=1), 2 * Lambda_TC, rtol=0, atol=1.2e-9)
    np.testing.assert_allclose(energy(system, sol), 1.0, rtol=1e-13)


def test_plain_ball_stays_under_the_table() -> None:
    """In 8.13 with ν = ε_T = 0 it sticks in compression.

    ẋ = 5/7 (3/7)^(k-1), and x tends to 1.8.
    """
    system = nsmb.systems.superball(e_T=0.0, nu=0.0)
    sol = nsmb.simulate(system, 28.0)
    events = sol.events
    k = np.arange(1, len(events) + 1)
    assert len(events) == 35  # the last one at 35 * 0.8 s, the end of the run
    np.testing.assert_allclose(events.t, 0.8 * k, rtol=1e-13)
    # Slip below rest_velocity, 1e-11 m/s, counts as zero and gets no impulse.
    np.testing.assert_allclose(
        events.u_plus[:, 0], 5 / 7 * (3 / 7.0) ** (k - 1), rtol=1e-9, atol=1e-11
    )
    np.testing.assert_allclose(events.u_plus[:30, 0], 5 / 7 * (3 / 7.0) ** (k[:30] - 1), rtol=1e-9)
    digits(events.u_plus[:4, 0], [0.714285714, 0.306122449, 0.131195335, 0.056226572])
    digits(events.u_plus[:4, 2], [-7.142857143, 3.061224490, -1.311953353, 0.562265723])
    digits(events.Lambda_T.sum(axis=1)[:3], [-0.285714286, 0.408163265, -0.174927114])
    T = [system.kinetic_energy(e.t, e.q, e.u_plus) for e in events[:3]]
    digits(T, [0.857142857, 0.565597668, 0.512048551])
    assert (np.diff(np.abs(events.u_plus[:30, 0])) < 0).all()
    # The remainder of the series is (5/7) 0.8 (3/7)^34 / (4/7), except for slip at rest_velocity.
    assert 1.8 - events.q[-1, 0] == pytest.approx((3 / 7) ** 34, abs=1e-11)


def test_tangential_impulse_is_partly_given_back() -> None:
    """(8.37) holds in the partial case of E11, ε_N = 0.8, ν = 0.9, ε_T = 0.6."""
    system = nsmb.systems.superball(e_N=0.8, nu=0.9, e_T=0.6)
    impact = nsmb.simulate(system, 1.0).events[0]
    assert impact.Lambda_N[0] == pytest.approx(1.8, rel=1e-14)
    assert impact.Lambda_T[0] == pytest.approx(-0.2857142857 - 0.0571428571, abs=1e-10)
    after = system.contact_quantities(impact.t, impact.q, impact.u_plus)
    assert after["gamma_T"][0] == pytest.approx(-0.2, rel=1e-13)
    assert after["gamma_N"][0] == pytest.approx(0.8, rel=1e-14)

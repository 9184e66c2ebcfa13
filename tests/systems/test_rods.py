"""The rod on two obstacles (E9) falls on both at once and rocks."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from scipy.integrate import quad

import nsmb
from tests.systems.examples import contact_errors

LAWS: tuple[Literal["poisson", "newton"], ...] = ("poisson", "newton")
both_laws = pytest.mark.parametrize("law", LAWS)


def test_gaps_and_directions() -> None:
    """(7.27), (7.29), and w_T, w̄ of E9 hold at a contact."""
    system = nsmb.systems.rod_on_obstacles(a=-0.3, b=0.8)
    x, phi = 0.2, 0.25
    y = (x - 0.8) * np.tan(phi)  # touches obstacle 2
    q, u = np.array([x, y, phi]), np.array([0.4, -0.7, 1.3])
    k = system.contact_kinematics(0.0, q, u)
    sin, cos = np.sin(phi), np.cos(phi)
    for i, place in enumerate((-0.3, 0.8)):
        along = (place - x) * cos - y * sin
        gap = y * cos + (place - x) * sin
        assert k["g_N"][i] == pytest.approx(gap, abs=1e-15)
        np.testing.assert_allclose(k["W_N"][:, i], [-sin, cos, along], rtol=1e-14)
        np.testing.assert_allclose(k["W_T"][:, i], [cos, sin, gap], rtol=1e-14, atol=1e-15)
    assert contact_errors(system, 0.0, q, u).max() < 1e-8
    # At g_N = γ_N = 0: w̄_N = -2 φ̇ γ_T, w̄_T = -φ̇² [(b - x) cos φ - y sin φ].
    along = (0.8 - x) * cos - y * sin
    u[1] = (u[0] * sin - along * u[2]) / cos
    k = system.contact_kinematics(0.0, q, u)
    gamma = system.contact_quantities(0.0, q, u)
    assert abs(gamma["gamma_N"][1]) < 1e-15
    assert k["w_bar_N"][1] == pytest.approx(-2 * u[2] * gamma["gamma_T"][1], rel=1e-13)
    assert k["w_bar_T"][1] == pytest.approx(-(u[2] ** 2) * along, rel=1e-13)


@both_laws
@pytest.mark.parametrize(
    ("a", "Lambda_N1", "Lambda_N2", "gamma_NE2"),
    [
        (-1, 0.5, 0.5, 0),
        (-0.5, 0.666667, 0.333333, 0),
        (-0.25, 0.8, 0.2, 0),
        (0, 1, 0, 0),
        (0.25, 0.842105, 0, 0.473684),
        (0.5, 0.571429, 0, 0.428571),
        (0.75, 0.372093, 0, 0.209302),
    ],
)
def test_rod_falls_on_two_obstacles_as_tabulated(
    a: float,
    Lambda_N1: float,
    Lambda_N2: float,
    gamma_NE2: float,
    law: Literal["poisson", "newton"],
) -> None:
    """The tables are (7.38), (8.99), (8.100), Fig. 8.7.

    For a > 0, contact 2 would pull with Newton's law and is dropped.
    """
    system = nsmb.systems.rod_on_obstacles(a=a)
    sol = nsmb.simulate(system, 0.2, method=nsmb.EventDriven(impact_law=law))
    impact = sol.events[0]
    assert impact.t == pytest.approx(0.1, rel=1e-13)
    np.testing.assert_allclose(impact.Lambda_N, [Lambda_N1, Lambda_N2], atol=5e-7)
    after = system.contact_quantities(impact.t, impact.q, impact.u_plus)
    np.testing.assert_allclose(after["gamma_N"], [0, gamma_NE2], atol=5e-7)
    if a < 0:
        np.testing.assert_allclose(impact.Lambda_N, [1 / (1 - a), 1 / (1 - 1 / a)], rtol=1e-12)
        np.testing.assert_allclose(impact.u_plus, 0.0, atol=1e-12)  # (7.36)
        np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-12)
    elif a > 0:  # it rotates counterclockwise on obstacle 1
        omega = 3 * a / (1 + 3 * a**2)
        np.testing.assert_allclose(impact.Lambda_N, [1 / (1 + 3 * a**2), 0], atol=1e-12)
        assert impact.u_plus[2] == pytest.approx(omega, rel=1e-11)
        assert after["gamma_N"][1] == pytest.approx(omega * (1 - a), rel=1e-11)


@pytest.mark.parametrize("a", [0.25, 0.5, 0.75])
def test_rod_turns_on_the_obstacle_that_took_the_impulse(a: float) -> None:
    """For a > 0 gravity keeps it in contact with obstacle 1 (8.11)."""
    system = nsmb.systems.rod_on_obstacles(a=a, g=10.0, mu=100.0)
    sol = nsmb.simulate(system, 0.3)
    assert sol.events.kinds == ["impact"]
    behind = sol.t > sol.events.t[0]
    assert np.abs(sol.g_N[behind, 0]).max() < 1e-8  # between steps the interpolant has 4e-10
    assert (sol.lambda_N[behind, 0] > 0).all()
    assert (np.diff(sol.g_N[behind, 1]) > 0).all()
    assert (sol.u[behind, 2] > 0).all()


@both_laws
def test_coinciding_obstacles_share_one_impulse(law: Literal["poisson", "newton"]) -> None:
    """For a = b = 1 only Λ_N1 + Λ_N2 = 1/4 is determined."""
    system = nsmb.systems.rod_on_obstacles(a=1.0)
    sol = nsmb.simulate(system, 0.15, method=nsmb.EventDriven(impact_law=law))
    assert sol.events.Lambda_N[0].min() >= 0
    assert sol.events.Lambda_N[0].sum() == pytest.approx(0.25, rel=1e-12)


# Rocking rod ----------------------------------------------------------------------------------


def ratio(b: float) -> float:
    return (1 - 3 * b**2) / (1 + 3 * b**2)


def swing(b: float, omega: float, g: float = 10.0) -> float:
    """Return the time from φ = 0 with φ̇ = ω to the return, pivoting on one obstacle (m = l = 1).

    (1/3 + b²) φ̇²/2 + g b sin φ is constant. φ = φ_max (1 - s²) removes the root from dt = dφ/φ̇,
    and sin φ_max - sin φ as a product is exact for small swings.
    """
    inertia = 1 / 3 + b**2
    top = float(np.arcsin(omega**2 * inertia / (2 * g * b)))

    def rate(s: float) -> float:
        half = top * s**2 / 2
        fall = 2 * np.cos(top - half) * np.sin(half)
        return float(2 * top * s / np.sqrt(2 * g * b * fall / inertia))

    return float(2.0 * quad(rate, 0.0, 1.0, epsabs=0.0, epsrel=1e-13)[0])  # Gauss: never at s = 0


@pytest.mark.parametrize(
    ("b", "tabulated"), [(0.2, 0.7857142857), (0.4, 0.3513513514), (0.57, 0.0128120727)]
)
def test_rod_rocks_on_narrow_obstacles(b: float, tabulated: float) -> None:
    """By 8.11, Λ_N1 = 2 m b ω/(1 + 3β²), Λ_N2 = 0, and φ̇ keeps its sign as the contact opens."""
    assert ratio(b) == pytest.approx(tabulated, abs=5.1e-11)
    rod = nsmb.systems.rocking_rod(b=b)
    impact = nsmb.Simulator(
        rod, nsmb.EventDriven(impact_law="poisson", rtol=1e-12), output_step=0.0
    ).step(t_max=1.0)
    assert impact is not None
    omega = impact.u_minus[2]
    # Energy of the fall from φ = -0.1.
    assert omega == pytest.approx(np.sqrt(20 * b * np.sin(0.1) / (1 / 3 + b**2)), rel=1e-10)
    assert impact.u_plus[2] / omega == pytest.approx(tabulated, abs=1e-10)
    np.testing.assert_allclose(
        impact.Lambda_N, [2 * b * omega / (1 + 3 * b**2), 0.0], rtol=1e-10, atol=1e-12
    )
    after = rod.contact_quantities(impact.t, impact.q, impact.u_plus)["gamma_N"]
    assert abs(after[0]) < 1e-14
    assert after[1] == pytest.approx(2 * b * omega * ratio(b), rel=1e-9)
    assert tuple(impact.state_minus) == (nsmb.ContactState.OPEN, nsmb.ContactState.STICK)
    assert tuple(impact.state_plus) == (nsmb.ContactState.STICK, nsmb.ContactState.OPEN)


def test_rod_rocks_from_side_to_side_with_the_energy_of_the_pivot() -> None:
    """(1/3 m l² + m b²) φ̇²/2 + m g b |sin φ| is constant between collisions.

    Each swing ends with its initial speed, and times follow from this energy by quadrature.
    """
    b = 0.2
    rod = nsmb.systems.rocking_rod(b=b)
    sol = nsmb.simulate(rod, 1.5, rtol=1e-12)
    events = sol.events
    assert events.kinds == ["impact"] * len(events)
    assert len(events) == 11
    assert [e.state_plus.tolist().index(nsmb.ContactState.OPEN) for e in events] == [
        1 - k % 2 for k in range(11)
    ]
    assert [e.contacts for e in events] == [(f"obstacle_{1 + k % 2}",) for k in range(11)]
    np.testing.assert_allclose(
        np.abs(events.u_plus[:, 2] / events.u_minus[:, 2]), ratio(b), rtol=1e-10
    )
    speed = np.abs(events.u_plus[:, 2])
    np.testing.assert_allclose(np.abs(events.u_minus[1:, 2]), speed[:-1], rtol=1e-9)
    times = [swing(b, omega) for omega in speed[:-1].tolist()]
    np.testing.assert_allclose(np.diff(events.t), times, rtol=1e-9)
    # The pivot energy of all samples is that after the last collision.
    e = (1 / 3 + b**2) * sol.u[:, 2] ** 2 / 2 + 10 * b * np.abs(np.sin(sol.q[:, 2]))
    first, last = sol.t < events.t[0], sol.t > events.t[-1]
    np.testing.assert_allclose(e[first], 10 * b * np.sin(0.1), rtol=1e-10)
    np.testing.assert_allclose(e[last], (1 / 3 + b**2) * speed[-1] ** 2 / 2, rtol=1e-9)
    assert np.abs(sol.gamma_T).max() < 2.0
    assert (np.abs(sol.g_N).min(axis=1) < 1e-12).all()  # always on one obstacle


@pytest.mark.parametrize("b", [0.2, 0.4])
def test_rod_rests_after_infinitely_many_collisions(b: float) -> None:
    """The swings are a convergent series, whose sum is the time of rest (8.11)."""
    rod = nsmb.systems.rocking_rod(b=b)
    method = nsmb.EventDriven(impact_law="poisson", rtol=1e-11, max_events_per_instant=200)
    sol = nsmb.simulate(rod, 3.0, method=method, throw=False)
    assert sol.status == "finished"
    omega, rest = abs(sol.events.u_plus[0, 2]), sol.events.t[0]
    while omega > 1e-13:
        rest += swing(b, omega)
        omega *= ratio(b)
    assert sol.events.t[-1] == pytest.approx(rest, abs=1e-8)
    np.testing.assert_array_equal(sol.contact_state[-1], [nsmb.ContactState.STICK] * 2)
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-14)
    np.testing.assert_allclose(sol.lambda_N[-1].sum(), 10.0, rtol=1e-12)


@pytest.mark.parametrize("b", [1 / np.sqrt(3) + 1e-9, 0.6, 0.8, 1.0])
def test_rod_rests_on_wide_obstacles_at_once(b: float) -> None:
    """One collision has two compressive impulses (8.11), (0.608333, 0.191667) ω for b = 0.8."""
    rod = nsmb.systems.rocking_rod(b=b)
    sol = nsmb.simulate(rod, 1.0, rtol=1e-12)
    assert sol.events.kinds == ["impact"]
    impact = sol.events[0]
    omega = impact.u_minus[2]
    Lambda = np.array([b / 2 + 1 / (6 * b), b / 2 - 1 / (6 * b)]) * omega
    np.testing.assert_allclose(impact.Lambda_N, Lambda, rtol=1e-9, atol=1e-12)
    assert impact.Lambda_N.min() >= 0
    if b == 0.8:
        np.testing.assert_allclose(impact.Lambda_N / omega, [0.608333, 0.191667], atol=5e-7)
    np.testing.assert_array_equal(sol.contact_state[-1], [nsmb.ContactState.STICK] * 2)
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-12)
    assert impact.energy_loss == pytest.approx(10 * b * np.sin(0.1), rel=1e-9)

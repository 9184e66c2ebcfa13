"""The slider-crank with clearance: closed forms, and independent integration up to rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import nsmb
from tests.systems.examples import Array, energy

L_1, L_2, A, B, C = 0.153, 0.306, 0.05, 0.025, 1e-3
M_1, M_2, M_3 = 0.038, 0.038, 0.076
J_1, J_2, J_3 = 7.4e-5, 5.9e-4, 2.7e-6
G, MU, E_N = 9.81, 0.01, 0.4
START = np.array([150.0, -75.0, 0.0])
# The slider moves at up to 23 m/s, compared with which approaches below 1e-8 m/s are rest.
FINE = nsmb.EventDriven(rtol=1e-10, rest_velocity=1e-8)


def absolute(values: Array) -> Array:
    """Return the angles (or rates) of the source from relative ones."""
    return np.cumsum(values, axis=-1)


# The ideal mechanism has its slider on the line y = 0, and θ_1 as its only coordinate.


def ideal_rod(theta_1: Array) -> tuple[Array, Array]:
    """Return θ_2 and dθ_2/dθ_1 from l_1 sin θ_1 + l_2 sin θ_2 = 0."""
    theta_2 = -np.arcsin(L_1 * np.sin(theta_1) / L_2)
    return theta_2, -L_1 * np.cos(theta_1) / (L_2 * np.cos(theta_2))


def ideal_speed(theta_1: Array) -> Array:
    """Return θ̇_1 from the initial energy."""

    def inertia_and_potential(angle: Array) -> tuple[Array, Array]:
        rod, ratio = ideal_rod(angle)
        x = -L_1 * np.sin(angle) - 0.5 * L_2 * np.sin(rod) * ratio
        y = L_1 * np.cos(angle) + 0.5 * L_2 * np.cos(rod) * ratio
        slider = -L_1 * np.sin(angle) - L_2 * np.sin(rod) * ratio
        inertia = J_1 + M_1 * L_1**2 / 4 + J_2 * ratio**2
        inertia = inertia + M_2 * (x**2 + y**2) + M_3 * slider**2
        return inertia, G * (M_1 + M_2) * 0.5 * L_1 * np.sin(angle)

    inertia_0, _ = inertia_and_potential(np.array(0.0))
    inertia, potential = inertia_and_potential(theta_1)
    return np.asarray(np.sqrt((inertia_0 * START[0] ** 2 - 2.0 * potential) / inertia))


def test_without_clearance_the_motion_is_that_of_the_ideal_mechanism() -> None:
    sol = nsmb.simulate(nsmb.systems.slider_crank(c=0.0), 0.2, rtol=1e-11)
    assert sol.status == "finished"
    assert len(sol.events) == 0
    angles, rates = absolute(sol.q), absolute(sol.u)
    theta_2, ratio = ideal_rod(angles[:, 0])
    # Constraints hold at ends of steps. In between the dense output is as accurate as the
    # integration. Measured: 1.5e-10 rad and 8e-9 of 150 rad/s, the speed of the crank to 1e-10.
    np.testing.assert_allclose(angles[:, 1], theta_2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(angles[:, 2], 0.0, atol=1e-10)
    np.testing.assert_allclose(rates[:, 0], ideal_speed(angles[:, 0]), rtol=1e-9)
    np.testing.assert_allclose(rates[:, 1], ratio * rates[:, 0], rtol=0, atol=1e-7)
    end = float(angles[-1, 0])
    assert end > 2.0 * np.pi
    time, _ = quad(lambda a: 1.0 / float(ideal_speed(a)), 0.0, end, limit=500, epsabs=1e-13)
    assert time == pytest.approx(0.2, abs=1e-10)


# The mechanism with clearance and absolute θ, while the slider is parallel to its guide. A flying
# slider does not rotate, and an impact of both corners stops both.


@dataclass
class Impact:
    t: float
    Lambda: float
    """Total impulse of both corners."""
    split: float
    """Difference of the left and the right impulse."""


def mass_and_force(q: Array, u: Array) -> tuple[Array, Array]:
    """Return M and h of crank and rod with a slider that only translates."""
    middle = (0.5 * M_2 + M_3) * L_1 * L_2
    cos, sin = np.cos(q[0] - q[1]), np.sin(q[0] - q[1])
    M = np.array(
        [
            [J_1 + (0.25 * M_1 + M_2 + M_3) * L_1**2, middle * cos],
            [middle * cos, J_2 + (0.25 * M_2 + M_3) * L_2**2],
        ]
    )
    h = np.array(
        [
            -middle * sin * u[1] ** 2 - G * (0.5 * M_1 + M_2 + M_3) * L_1 * np.cos(q[0]),
            middle * sin * u[0] ** 2 - G * (0.5 * M_2 + M_3) * L_2 * np.cos(q[1]),
        ]
    )
    return M, h


def impacts_by_hand(number: int) -> list[Impact]:
    y, t, found = np.array([0.0, 0.0, *START[:2]]), 0.0, []

    def rates(t: float, y: Array) -> Array:
        M, h = mass_and_force(y[:2], y[2:])
        return np.concatenate([y[2:], np.linalg.solve(M, h)])

    def gap(t: float, y: Array) -> float:
        return float(C - abs(L_1 * np.sin(y[0]) + L_2 * np.sin(y[1])))

    gap.terminal, gap.direction = True, -1.0  # type: ignore[attr-defined]
    for _ in range(number):
        run = solve_ivp(rates, (t, 0.1), y, "DOP853", events=gap, rtol=1e-13, atol=1e-13)
        t, y = float(run.t_events[0][0]), run.y_events[0][0].copy()
        q, u = y[:2], y[2:]
        along = np.array([-L_1 * np.sin(q[0]), -L_2 * np.sin(q[1])])  # of the slider's x
        up = np.array([L_1 * np.cos(q[0]), L_2 * np.cos(q[1])])
        into = np.sign(up @ u)
        slip = np.sign(along @ u)
        M, _ = mass_and_force(q, u)
        effect = np.linalg.solve(M, -into * up - MU * slip * along)
        Lambda = (1.0 + E_N) * (up @ u) / -(up @ effect)
        y[2:] = u + effect * Lambda
        assert np.sign(along @ y[2:]) == slip
        # Friction at the height b is balanced by normal impulses at the distance a.
        found.append(Impact(t, Lambda, -slip * into * MU * Lambda * B / A))
    return found


def test_first_impacts_are_those_computed_by_hand() -> None:
    expected = impacts_by_hand(4)
    sol = nsmb.simulate(nsmb.systems.slider_crank(), 0.0088, rtol=1e-12)
    assert sol.events.kinds == ["impact"] * 4
    for event, hand in zip(sol.events, expected, strict=True):
        assert event.contacts == ("upper_left", "upper_right")
        # Flights get shorter, while errors of the reference speed do not. Measured: 8e-14 s,
        # 1.3e-10.
        assert event.t == pytest.approx(hand.t, abs=1e-11)
        assert event.Lambda_N.sum() == pytest.approx(hand.Lambda, rel=1e-8)
        assert event.Lambda_N[2] - event.Lambda_N[3] == pytest.approx(hand.split, rel=1e-8)


@pytest.fixture(scope="module", params=[0.0, 8.0])
def run(request: pytest.FixtureRequest) -> nsmb.Solution:
    """Return the run of the source, and one with an initially rotating slider (rad/s)."""
    system = nsmb.systems.slider_crank(omega_3=request.param)
    return nsmb.simulate(system, 0.2, method=FINE)


def test_slider_stays_in_its_guide_and_touches_both_sides(run: nsmb.Solution) -> None:
    assert run.status == "finished"
    angles = absolute(run.at(np.linspace(0.0, 0.2, 20001)).q)
    y = L_1 * np.sin(angles[:, 0]) + L_2 * np.sin(angles[:, 1])
    reach = A * np.abs(np.sin(angles[:, 2])) + B * np.cos(angles[:, 2])
    room = B + C - np.abs(y) - reach
    # Measured: 6e-11 m, between the steps.
    assert room.min() > -1e-9
    used = {name for event in run.events for name in event.contacts}
    assert used == set(run.contact_names)
    largest = np.abs(angles[:, 2]).max()
    if run.parameters["omega_3"] == 0.0:
        assert largest < 1e-9  # both corners of a side always hit together
    else:
        assert largest > 0.3 * C / A
        assert any(len(event.contacts) == 1 for event in run.events)


def test_energy_goes_where_impacts_and_friction_take_it(run: nsmb.Solution) -> None:
    system = run.system
    assert system is not None
    kept = energy(system, run)
    lost = run.stats["impact_loss"] + run.friction_loss[-1].sum()
    assert lost > 0.4
    # Measured: 3e-9 J of 0.50 J, over nine revolutions of the crank.
    assert kept[0] - kept[-1] == pytest.approx(lost, abs=1e-7)
    assert (run.events.energy_loss > -1e-15).all()
    assert (run.lambda_N > -1e-9).all()


def test_motion_tends_to_that_of_the_ideal_mechanism_as_the_play_goes() -> None:
    """Without friction and restitution, the crank deviates by the angle of the clearance."""
    ideal = nsmb.simulate(nsmb.systems.slider_crank(c=0.0), 0.02, method=FINE).q[-1, 0]
    for c in (1e-3, 1e-4, 1e-5):
        system = nsmb.systems.slider_crank(c=c, mu=0.0, e_N=0.0)
        sol = nsmb.simulate(system, 0.02, method=FINE)
        assert len(sol.events) > 0
        # Measured: 0.2, 0.9 and 0.8 of c / l_1.
        assert abs(sol.q[-1, 0] - ideal) < 2.0 * c / L_1


def test_a_clearance_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'c': expected a number >= 0, got -1"):
        nsmb.systems.slider_crank(c=-1.0)

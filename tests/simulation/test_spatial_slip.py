"""Slip with two tangential directions: closed forms, one body, no impacts."""

from __future__ import annotations

from math import atan, cos, hypot, pi, radians, sin, tan

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import nsmb
from tests.oracles.incline_point_mass import Launch
from tests.simulation.spatial import M_BALL, R_BALL, Array, G, ball, block, point, turned

DELTA = 0.3
ACCURATE = nsmb.EventDriven(rtol=1e-12)


def launch(k: float, v_0: float, psi_0: float, basis_angle: float = 0.0) -> nsmb.System:
    """Point mass on an incline with k = mu/tan(delta), launched at the angle psi_0."""
    velocity = [v_0 * cos(psi_0), v_0 * sin(psi_0), 0.0]
    law = nsmb.ContactLaw(mu=k * tan(DELTA))
    return point(DELTA, velocity, law, basis=turned(basis_angle))


@pytest.mark.parametrize("psi_0", [0.3, 0.5 * pi, 2.5])
@pytest.mark.parametrize("k", [1.2, 1.7, 3.0])
def test_mass_launched_across_an_incline_stops_where_it_must(k: float, psi_0: float) -> None:
    """For k > 1, time and position of the stop have closed forms, and the mass stays there."""
    oracle = Launch(k * tan(DELTA), DELTA, 2.0, psi_0)
    t, x, y = oracle.stop
    sol = nsmb.simulate(launch(k, 2.0, psi_0), 1.3 * t, method=ACCURATE)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(t, abs=1e-9)
    assert sol.q[-1, :2] == pytest.approx([x, y], abs=1e-9)
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-14)
    for time in np.linspace(0.0, 0.95 * t, 5):
        at = sol.at(time)
        state = np.concatenate([at.q[:2], at.u[:2]])
        np.testing.assert_allclose(state, oracle.state(time), atol=1e-9)


@pytest.mark.parametrize("k", [0.3, 0.8, 1.0])
def test_mass_on_a_steep_incline_never_stops(k: float) -> None:
    """For k < 1 the mass accelerates.

    For k = 1 it tends to a downhill motion with v_0 (1 + cos psi_0)/2.
    """
    oracle = Launch(k * tan(DELTA), DELTA, 2.0, 2.0)
    sol = nsmb.simulate(launch(k, 2.0, 2.0), 3.0, method=ACCURATE)
    assert len(sol.events) == 0
    for time in (0.5, 1.5, 3.0):
        at = sol.at(time)
        state = np.concatenate([at.q[:2], at.u[:2]])
        np.testing.assert_allclose(state, oracle.state(time), atol=1e-9)
    if k == 1.0:
        assert hypot(*sol.u[-1, :2]) == pytest.approx(1.0 + cos(2.0), rel=0.05)


def test_motion_does_not_depend_on_the_tangential_basis() -> None:
    """Measured 2e-15 m; forces and slip rotate with the basis."""
    plain = nsmb.simulate(launch(1.7, 2.0, 1.9), 1.0, method=ACCURATE)
    other = nsmb.simulate(launch(1.7, 2.0, 1.9, basis_angle=0.7), 1.0, method=ACCURATE)
    assert plain.events.kinds == other.events.kinds == ["stick"]
    assert other.events.t[0] == pytest.approx(plain.events.t[0], abs=1e-10)
    times = np.linspace(0.0, 1.0, 41)
    np.testing.assert_allclose(other.at(times).q, plain.at(times).q, atol=1e-11)
    np.testing.assert_allclose(other.gamma_T[0], plain.gamma_T[0] @ turned(0.7), atol=1e-15)
    np.testing.assert_allclose(other.lambda_T[0], plain.lambda_T[0] @ turned(0.7), atol=1e-14)


def test_the_same_run_gives_the_same_bits() -> None:
    runs = [nsmb.simulate(launch(1.7, 2.0, 1.9), 1.0) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    np.testing.assert_array_equal(runs[0].u, runs[1].u)
    np.testing.assert_array_equal(runs[0].lambda_T, runs[1].lambda_T)
    assert runs[0].stats == runs[1].stats


@pytest.mark.parametrize("aspect", [0.5, 2.0])
def test_anisotropic_friction_follows_the_ellipse(aspect: float) -> None:
    """λ_T = -μ λ_N (γ_1, a² γ_2)/√(γ_1² + a² γ_2²) maximises the dissipated power."""
    mu = 0.5
    law = nsmb.ContactLaw(mu=mu, aspect=aspect)
    sol = nsmb.simulate(point(DELTA, [1.0, 2.0, 0.0], law), 0.3, method=ACCURATE)

    def rhs(_: float, z: Array) -> list[float]:
        push = mu * G * cos(DELTA) / hypot(z[2], aspect * z[3])
        return [z[2], z[3], G * sin(DELTA) - push * z[2], -push * aspect**2 * z[3]]

    start = [0.0, 0.0, 1.0, 2.0]
    run = solve_ivp(rhs, (0.0, 0.3), start, "DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
    assert len(sol.events) == 0
    state = np.hstack([sol.q[:, :2], sol.u[:, :2]])
    np.testing.assert_allclose(state, run.sol(sol.t).T, atol=1e-10)
    ratio = np.hypot(sol.lambda_T[:, 0], sol.lambda_T[:, 1] / aspect) / sol.lambda_N[:, 0]
    np.testing.assert_allclose(ratio, mu, rtol=1e-12)


@pytest.mark.parametrize("aspect", [0.5, 2.0])
def test_anisotropic_friction_sticks_inside_the_ellipse(aspect: float) -> None:
    """Incline whose fall line is the first or the second direction: tan(delta) = 0.31."""
    for direction in (0, 1):
        for mu in (0.29, 0.33):
            law = nsmb.ContactLaw(mu=mu if direction == 0 else mu / aspect, aspect=aspect)
            system = point(DELTA, np.zeros(3), law, basis=turned(0.5 * pi * direction))
            sol = nsmb.simulate(system, 0.2, method=ACCURATE)
            slope = max(0.0, sin(DELTA) - mu * cos(DELTA))
            assert sol.q[-1, :2] == pytest.approx([0.5 * slope * G * 0.2**2, 0.0], abs=1e-12)


@pytest.mark.parametrize("feet", [3, 4])
@pytest.mark.parametrize("degrees", [5.0, 16.69, 16.71, 30.0])
def test_block_on_feet_sticks_iff_the_slope_is_below_friction(feet: int, degrees: float) -> None:
    """tan 16.7° = 0.3; on steeper slopes the block accelerates with g (sin - mu cos)."""
    delta, mu = radians(degrees), 0.3
    sol = nsmb.simulate(block(delta, mu, feet), 0.5, method=ACCURATE)
    assert sol.status == "finished"
    assert len(sol.events) == 0
    slope = G * max(0.0, sin(delta) - mu * cos(delta))
    expected = np.array([0.5 * slope * sol.t**2]).T * np.eye(6)[0]
    np.testing.assert_allclose(sol.q, expected, atol=1e-11)
    np.testing.assert_allclose(sol.lambda_N.sum(axis=1), 2.0 * G * cos(delta), rtol=1e-12)
    sticks = tan(delta) <= mu
    assert (sol.contact_state[-1] == nsmb.ContactState.STICK).all() == sticks
    total = sol.lambda_T.reshape(-1, feet, 2).sum(axis=1)
    load = -min(tan(delta), mu) * 2.0 * G * cos(delta)
    np.testing.assert_allclose(total, np.array([load, 0.0]) * np.ones_like(total), atol=1e-6)
    # Three feet carry the weight in a unique way. Sticking friction and a fourth foot are not
    # unique.
    assert (sol.stats["dependent_contacts"] > 0) == (sticks or feet == 4)


@pytest.mark.parametrize("feet", [3, 4])
def test_block_pushed_across_an_incline_slides_turns_and_stops(feet: int) -> None:
    """The block loses the energy that friction dissipates, and all feet stop at once."""
    delta, mu = 0.2, 0.4
    velocity = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    system = block(delta, mu, feet, velocity)
    sol = nsmb.simulate(system, 1.5, method=nsmb.EventDriven(rtol=1e-11))
    assert sol.events.kinds == ["stick"]
    assert sol.events.contacts.all()
    np.testing.assert_allclose(sol.q[:, 2:5], 0.0, atol=1e-12)
    kinetic = np.array(
        [system.kinetic_energy(0.0, q, u) for q, u in zip(sol.q, sol.u, strict=True)]
    )
    height = 2.0 * G * sin(delta) * sol.q[:, 0]
    balance = kinetic + sol.friction_loss.sum(axis=1) - height
    np.testing.assert_allclose(balance, kinetic[0], rtol=1e-9)
    assert kinetic[-1] < 1e-24


def test_sliding_ball_begins_to_roll() -> None:
    """Rolling starts after 2 v_0/(7 mu g), with 5/7 of the speed."""
    v_0, mu = 1.5, 0.2
    velocity = np.array([v_0 * cos(0.4), v_0 * sin(0.4), 0.0])
    law = nsmb.ContactLaw(mu=mu)
    sol = nsmb.simulate(ball(velocity, np.zeros(3), law), 1.0, method=ACCURATE)
    t = 2.0 * v_0 / (7.0 * mu * G)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(t, abs=1e-11)
    np.testing.assert_allclose(sol.u[-1, :3], 5.0 / 7.0 * velocity, atol=1e-11)
    rolling = 5.0 / 7.0 / R_BALL * np.array([-velocity[1], velocity[0], 0.0])
    np.testing.assert_allclose(sol.u[-1, 3:], rolling, atol=1e-10)
    place = velocity * (1.0 - t / 7.0 * 2.0 + (t - 1.0) * 2.0 / 7.0)
    place = velocity * (6.0 / 7.0 * t + 5.0 / 7.0 * (1.0 - t))
    np.testing.assert_allclose(sol.q[-1, :3], place, atol=1e-11)


def test_ball_with_spin_across_its_way_runs_along_a_parabola_until_it_rolls() -> None:
    """γ̇_T = -7/2 mu g γ_T/|γ_T|: the direction of slip is constant, and so is the force."""
    v, omega, mu = np.array([1.0, 0.3, 0.0]), np.array([4.0, -7.0, 5.0]), 0.15
    sol = nsmb.simulate(ball(v, omega, nsmb.ContactLaw(mu=mu)), 1.5, method=ACCURATE)
    slip = v[:2] + R_BALL * np.array([-omega[1], omega[0]])
    speed = hypot(*slip)
    t = 2.0 * speed / (7.0 * mu * G)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(t, abs=1e-10)
    times = np.linspace(0.0, t, 7)[:-1, None]
    a = -mu * G * slip / speed
    np.testing.assert_allclose(
        sol.at(times[:, 0]).q[:, :2], v[:2] * times + 0.5 * a * times**2, atol=1e-11
    )
    np.testing.assert_allclose(sol.u[-1, :2], v[:2] - 2.0 / 7.0 * slip, atol=1e-10)
    assert sol.u[-1, 5] == omega[2]
    lost = 0.5 * 2.0 / 7.0 * M_BALL * speed**2
    assert sol.friction_loss[-1, 0] == pytest.approx(lost, rel=1e-10)


def test_slope_of_the_incline_at_which_a_ball_still_rolls() -> None:
    """A ball rolls if mu >= 2/7 tan(delta), here with a horizontal force instead of a slope."""
    for mu, rolls in ((0.2858, True), (0.2856, False)):
        law = nsmb.ContactLaw(mu=mu)
        system = ball(np.zeros(3), np.zeros(3), law)
        assert isinstance(system, nsmb.LinearSystem)
        pushed = nsmb.LinearSystem(
            system.M,
            force=[M_BALL * G, 0.0, -M_BALL * G, 0.0, 0.0, 0.0],
            contacts=[
                nsmb.Contact(
                    w_N=[0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
                    w_T=system.contact_kinematics(0.0, np.zeros(6), np.zeros(6))["W_T"],
                    law=law,
                )
            ],
        )
        sol = nsmb.simulate(pushed, 0.5, method=ACCURATE)
        state = nsmb.ContactState.STICK if rolls else nsmb.ContactState.SLIP
        assert (sol.contact_state == state).all()
        friction = min(mu, 2.0 / 7.0) * G
        assert sol.u[-1, 0] == pytest.approx(0.5 * (G - friction), rel=1e-11)


@pytest.mark.parametrize("angle", [0.0, 1.0, 4.0])
def test_friction_in_a_plane_along_a_line_is_that_of_one_direction(angle: float) -> None:
    """Stick, slip and reversal under a harmonic force, at the times of the planar law."""
    e = np.array([cos(angle), sin(angle)])
    force = nsmb.Force(
        constant=[0.0, 0.0, -10.0],
        harmonics=[nsmb.Harmonic([9.0 * e[0], 9.0 * e[1], 0.0], 3.0)],
    )
    law = nsmb.ContactLaw(mu=0.5)

    def system(w_T: Array) -> nsmb.System:
        contact = nsmb.Contact(w_N=[0.0, 0.0, 1.0], w_T=w_T, law=law)
        return nsmb.LinearSystem(np.eye(3), force=force, contacts=[contact])

    disc = nsmb.simulate(system(np.eye(3)[:, :2]), 4.0, method=ACCURATE)
    line = nsmb.simulate(system(np.array([*e, 0.0])), 4.0)
    # A planar reversal passes through rest at once; in a plane it is a stop and a new slip.
    np.testing.assert_allclose(disc.q, disc.q[:, :2] @ e[:, None] * [*e, 0.0], atol=1e-10)
    times = np.linspace(0.0, 4.0, 101)
    np.testing.assert_allclose(disc.at(times).q, line.at(times).q, atol=1e-9)
    for time in line.events.t:
        assert np.abs(disc.events.t - time).min() < 1e-9


def test_stuck_mass_begins_to_slip_in_the_direction_of_the_load() -> None:
    """Slip starts at |load| = mu m g, 2e-9 later, because the law resolves 1e-9."""
    force = nsmb.Force(constant=[0.0, 0.0, -10.0], ramp=[3.0, 4.0, 0.0])
    contact = nsmb.Contact(w_N=[0.0, 0.0, 1.0], w_T=np.eye(3)[:, :2], law=nsmb.ContactLaw(mu=0.5))
    sol = nsmb.simulate(nsmb.LinearSystem(np.eye(3), force=force, contacts=[contact]), 2.0)
    assert sol.events.kinds == ["slip"]
    assert sol.events.t[0] == pytest.approx(1.0, abs=1e-8)
    # ẍ = 5 (t - 1) along (3, 4)/5
    np.testing.assert_allclose(sol.q[-1], 5.0 / 6.0 * np.array([0.6, 0.8, 0.0]), atol=1e-8)


@pytest.mark.parametrize(("omega", "size", "t_end"), [(3.0, 4.8, 2.2), (20.0, 4.95, 0.65)])
def test_slip_starts_along_a_load_that_turns(omega: float, size: float, t_end: float) -> None:
    """Reference: the equation of slip from v = a (t - t_0)^2/2 on, a the rate of |load| at t_0."""
    limit, ramp = 5.0, 0.1

    def load(t: float) -> Array:
        return np.array([ramp * t + size * cos(omega * t), size * sin(omega * t)])

    force = nsmb.Force(
        constant=[0.0, 0.0, -10.0],
        ramp=[ramp, 0.0, 0.0],
        harmonics=[
            nsmb.Harmonic([size, 0.0, 0.0], omega),
            nsmb.Harmonic([0.0, size, 0.0], omega, -0.5 * pi),
        ],
    )
    contact = nsmb.Contact(w_N=[0.0, 0.0, 1.0], w_T=np.eye(3)[:, :2], law=nsmb.ContactLaw(mu=0.5))
    system = nsmb.LinearSystem(np.eye(3), force=force, contacts=[contact])
    sol = nsmb.simulate(system, t_end, method=nsmb.EventDriven(rtol=1e-9))
    assert sol.events.kinds == ["slip"]
    first = sol.events.t[0]
    t_0 = brentq(lambda t: np.linalg.norm(load(t)) - limit, first - 0.01, first + 0.01, xtol=1e-14)
    assert first == pytest.approx(t_0, abs=1e-7)  # what the law can tell apart

    def slides(t: float, y: Array) -> Array:
        return np.r_[y[2:], load(t) - limit * y[2:] / np.linalg.norm(y[2:])]

    def slope(_: float, y: Array) -> Array:
        speed = np.linalg.norm(y[2:])
        along = y[2:] / speed
        across = (np.eye(2) - np.outer(along, along)) * limit / speed
        return np.block([[np.zeros((2, 2)), np.eye(2)], [np.zeros((2, 2)), -across]])

    after = 1e-4
    excess = np.linalg.norm(load(t_0 + after))
    a = (excess - limit) / after
    along = load(t_0 + after) / excess
    start = np.r_[a * after**3 / 6.0 * along, 0.5 * a * after**2 * along]
    run = solve_ivp(
        slides, (t_0 + after, t_end), start, method="Radau", rtol=1e-10, atol=1e-15, jac=slope
    )
    np.testing.assert_allclose(sol.q[-1, :2], run.y[:2, -1], rtol=0.0, atol=1e-11)


def test_direction_of_the_slope_is_found_when_the_slope_grows() -> None:
    """At the limit angle of an incline, load and friction act along the fall line only."""
    law = nsmb.ContactLaw(mu=0.3)
    for delta, moves in ((atan(0.3) - 1e-6, False), (atan(0.3) + 1e-6, True)):
        sol = nsmb.simulate(point(delta, np.zeros(3), law), 0.1)
        assert (sol.contact_state[0, 0] == nsmb.ContactState.SLIP) == moves
        assert abs(sol.q[-1, 1]) < 1e-15

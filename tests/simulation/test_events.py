"""Times and order of events, and the states on both sides of them."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.simulation.systems import METHODS, block, oscillator

G = 10.0


def method(name: str, rtol: float = 1e-10) -> nsmb.EventDriven:
    return nsmb.EventDriven(impact_law="poisson", integrator=name, rtol=rtol)


# Error of the time at which x = cos t reaches -1 + depth: the error of the integrator in x over the
# slope sqrt(2 depth). Measured below 2e-13, 2e-13 and 2e-10; ten times that is allowed.
DEPTHS = (1e-3, 1e-5, 1e-7, 1e-9)


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_gap_that_dips_below_zero_within_one_step_gives_its_impact(depth: float) -> None:
    sol = nsmb.simulate(oscillator(1.0 - depth), 6.0, output_step=0)
    assert sol.stats["steps"] <= 3  # entry and exit of the dip are in one step
    assert sol.events.kinds == ["impact"]
    # cos t is accurate to 1e-16 at best, and the crossing to 1e-16 / slope.
    tolerance = 2e-15 / np.sqrt(2.0 * depth) + 1e-14
    assert abs(sol.events.t[0] - np.arccos(-1.0 + depth)) < 20.0 * tolerance


@pytest.mark.parametrize("depth", DEPTHS)
def test_dips_are_found_through_sampled_indicators_too(depth: float) -> None:
    sol = nsmb.simulate(oscillator(1.0 - depth), 6.0, method=method("dp853", 1e-12))
    assert sol.events.kinds == ["impact"]
    # Global error of x near 1e-13 at rtol 1e-12.
    assert abs(sol.events.t[0] - np.arccos(-1.0 + depth)) < 1e-12 / np.sqrt(2.0 * depth)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("clearance", [1e-6, 1e-9])
def test_a_gap_that_only_comes_close_gives_no_event(name: str, clearance: float) -> None:
    sol = nsmb.simulate(oscillator(1.0 + clearance), 6.0, method=method(name), output_step=0)
    assert len(sol.events) == 0


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("delay", [1e-3, 1e-6, 1e-9])
def test_two_impacts_in_one_step_come_in_their_order(name: str, delay: float) -> None:
    """Two masses fall on two floors, the second `delay` later."""
    first, second = 0.3, 0.3 + delay
    contacts = [
        nsmb.Contact(w_N=[1.0, 0.0], gap=0.5 * G * second**2, name="late"),
        nsmb.Contact(w_N=[0.0, 1.0], gap=0.5 * G * first**2, name="early"),
    ]
    system = nsmb.LinearSystem(np.eye(2), force=[-G, -G], contacts=contacts)
    sol = nsmb.simulate(system, 1.0, method=method(name), output_step=0)
    assert [event.contacts for event in sol.events] == [("early",), ("late",)]
    # CVODE starts with steps of first order: 1e-10 relative in the position, 3 m/s. Measured 4e-10.
    tolerance = 1e-8 if name == "cvode" else 1e-12
    np.testing.assert_allclose(sol.events.t, [first, second], rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", METHODS)
def test_contacts_that_close_together_share_one_impact(name: str) -> None:
    contacts = [nsmb.Contact(w_N=[1.0, a], gap=0.2, name=f"foot {a}") for a in (-1.0, 1.0)]
    system = nsmb.LinearSystem(np.diag([1.0, 0.2]), force=[-G, 0.0], contacts=contacts)
    sol = nsmb.simulate(system, 1.0, method=method(name), output_step=0)
    assert [event.contacts for event in sol.events] == [("foot -1.0", "foot 1.0")]
    np.testing.assert_allclose(sol.events.Lambda_N[0], np.sqrt(2.0 * G * 0.2) / 2.0, rtol=1e-7)


@pytest.mark.parametrize("name", METHODS)
def test_at_the_friction_limit_slip_begins_in_the_direction_of_the_limit(name: str) -> None:
    """A ramp t pulls to the right: λ_T = -t reaches -μ m g at t = 5, and the block slips right.

    Then x = (t - 5)³/6, although sticking also solves (6.35) at that instant.
    """
    for sign, state in ((1.0, "slip +"), (-1.0, "slip -")):
        ramp = nsmb.Force(constant=[0.0, -G], ramp=[sign, 0.0])
        sol = nsmb.simulate(block(ramp), 8.0, method=method(name))
        assert sol.events.kinds == ["slip"]
        event = sol.events[0]
        assert nsmb.ContactState(event.state_minus[0]).label == "stick"
        assert nsmb.ContactState(event.state_plus[0]).label == state
        # Forces depend on time directly; the tolerance of CVODE is 1e-10 of 27 m.
        tolerance = 1e-7 if name == "cvode" else 1e-10
        assert abs(event.t - 5.0) < 1e-12
        assert abs(sol.q[-1, 0] - sign * 3.0**3 / 6.0) < tolerance
        limit = sol.at(5.0, side="left")
        assert abs(limit.q[0]) < 1e-12


def test_a_start_exactly_at_the_friction_limit_slips() -> None:
    weight = nsmb.Force(constant=[5.0, -G], ramp=[1e-3, 0.0])
    sol = nsmb.simulate(block(weight, mu=0.5), 1.0)
    assert (sol.contact_state == nsmb.ContactState.SLIP_POSITIVE).all()
    np.testing.assert_allclose(sol.q[-1, 0], 1e-3 / 6.0, rtol=1e-9)


def test_below_the_limit_the_block_sticks_for_good() -> None:
    weight = nsmb.Force(constant=[5.0 - 1e-6, -G])
    sol = nsmb.simulate(block(weight, mu=0.5), 100.0)
    assert len(sol.events) == 0
    assert np.abs(sol.q).max() < 1e-14


def test_slip_turns_round_where_the_incline_is_steep_and_sticks_where_it_is_not() -> None:
    """A block thrown up an incline (introduction of chapter 6) sticks iff tan α <= μ."""
    for slope, kind in ((0.4, "stick"), (0.6, "reversal")):
        angle = np.arctan(slope)
        force = nsmb.Force(constant=[-G * np.sin(angle), -G * np.cos(angle)])
        sol = nsmb.simulate(block(force, mu=0.5, velocity=2.0), 3.0)
        assert sol.events.kinds == [kind]
        stop = 2.0 / (G * (np.sin(angle) + 0.5 * np.cos(angle)))
        assert abs(sol.events.t[0] - stop) < 1e-13
        before, after = sol.at(stop * (1 - 1e-9)), sol.at(stop * (1 + 1e-9))
        assert before.contact_state[0] == nsmb.ContactState.SLIP_POSITIVE
        expected = "stick" if kind == "stick" else "slip -"
        assert nsmb.ContactState(after.contact_state[0]).label == expected


def test_a_contact_detaches_where_its_force_falls_to_zero() -> None:
    lift = nsmb.Force(constant=[0.0, -G], ramp=[0.0, 4.0])
    sol = nsmb.simulate(block(lift), 4.0)
    assert sol.events.kinds == ["detach"]
    assert abs(sol.events.t[0] - G / 4.0) < 1e-13
    np.testing.assert_allclose(sol.q[-1, 1], 4.0 * (4.0 - 2.5) ** 3 / 6.0, rtol=1e-12)


def test_a_contact_that_closes_below_the_resting_velocity_is_a_touch() -> None:
    """v = sqrt(2 g H) = 1.4e-4 m/s counts as zero: the contact closes without impulse."""
    ball = nsmb.systems.bouncing_ball(H=1e-9)
    sol = nsmb.simulate(ball, 1.0, method=nsmb.EventDriven(rest_velocity=1e-3))
    assert sol.events.kinds == ["touch"]
    assert sol.events.Lambda_N[0, 0] == 0.0
    assert sol.u[-1, 0] == 0.0
    np.testing.assert_allclose(sol.stats["rest_loss"], 9.81e-9, rtol=1e-9)


def test_a_gap_that_closes_with_a_triple_zero_stays_closed() -> None:
    """y = (1 - t)³: gap, velocity and acceleration vanish together, then the force presses."""
    system = block(nsmb.Force(constant=[0.0, 6.0], ramp=[0.0, -6.0]), mu=0.0)
    sol = nsmb.simulate(system, 2.0, q=[0.0, 1.0], u=[0.0, -3.0])
    # A triple root can only be found to about eps^(1/3).
    assert abs(sol.events.t[0] - 1.0) < 1e-4
    closed = sol.t > 1.001
    np.testing.assert_allclose(sol.lambda_N[closed, 0], 6.0 * (sol.t[closed] - 1.0), atol=1e-12)
    assert np.abs(sol.g_N[closed]).max() < 1e-15


def test_both_sides_of_an_event_are_kept_and_the_impulse_joins_them() -> None:
    toy = nsmb.systems.woodpecker(mu=0.9)
    sol = nsmb.simulate(toy, 1.0)
    impacts = sol.events.of_kind("impact")
    assert len(impacts) > 20
    M = toy.mass_matrix(0.0, toy.initial_state.q)
    contacts = toy.contact_kinematics(0.0, toy.initial_state.q, toy.initial_state.u)
    for event in impacts:
        momentum = M @ (event.u_plus - event.u_minus)
        impulse = contacts["W_N"] @ event.Lambda_N + contacts["W_T"] @ event.Lambda_T
        np.testing.assert_allclose(momentum, impulse, rtol=0, atol=1e-15)
        loss = toy.kinetic_energy(0, event.q, event.u_minus) - toy.kinetic_energy(
            0, event.q, event.u_plus
        )
        # Energies are about 1e-3 J and differ by rounding of that size.
        assert abs(event.energy_loss - loss) < 1e-17
    for t in np.unique(sol.events.t):
        rows = np.flatnonzero(sol.t == t)
        assert len(rows) == 2
        at = sol.events.t == t
        np.testing.assert_array_equal(sol.u[rows[0]], sol.events.u_minus[at][0])
        np.testing.assert_allclose(sol.u[rows[1]], sol.events.u_plus[at][-1], atol=1e-14)
        np.testing.assert_array_equal(sol.contact_state[rows[0]], sol.events.state_minus[at][0])
        np.testing.assert_array_equal(sol.contact_state[rows[1]], sol.events.state_plus[at][-1])


@pytest.mark.parametrize("name", [m for m in METHODS if m != "auto"])
@pytest.mark.parametrize("mu", [0.3, 0.9])
def test_all_integrators_give_the_same_events(name: str, mu: float) -> None:
    toy = nsmb.systems.woodpecker(mu=mu)
    exact = nsmb.simulate(toy, 0.5, output_step=0).events
    found = nsmb.simulate(toy, 0.5, method=method(name), output_step=0).events
    assert found.kinds == exact.kinds
    np.testing.assert_array_equal(found.contacts, exact.contacts)
    np.testing.assert_array_equal(found.state_plus, exact.state_plus)
    # Measured at rtol 1e-10: 5e-11 (one-step methods), 2e-8 (cvode), after 0.5 s.
    np.testing.assert_allclose(found.t, exact.t, rtol=0, atol=2e-7 if name == "cvode" else 1e-9)


def test_an_event_at_the_very_end_of_the_run_is_not_lost() -> None:
    t_impact = float(np.sqrt(2.0 / 9.81))
    ball = nsmb.systems.bouncing_ball()
    reference = nsmb.simulate(ball, 1.0, output_step=0).events.t[0]
    assert abs(reference - t_impact) < 1e-15
    # Within rounding of t_end both results are correct.
    assert len(nsmb.simulate(ball, reference + 4e-15).events) == 1
    assert len(nsmb.simulate(ball, reference - 1e-12).events) == 0


def test_stepping_in_pieces_changes_no_event() -> None:
    toy = nsmb.systems.woodpecker()
    whole = nsmb.simulate(toy, 1.0, output_step=0).events
    sim = nsmb.Simulator(toy, output_step=0.0)
    for t in np.linspace(0.0, 1.0, 301)[1:]:
        sim.advance(float(t))
    pieces = sim.solution.events
    assert pieces.kinds == whole.kinds
    np.testing.assert_allclose(pieces.t, whole.t, rtol=0, atol=1e-13)


def test_dependent_feet_stick_until_all_friction_is_used_up() -> None:
    """With two feet, three coordinates and four rows, only the sum of the friction is unique.

    The push reaches μ m g = 12 N at t = 3, and the limit of a single foot earlier.
    """
    feet = [
        nsmb.Contact(w_N=[0.0, 1.0, a], w_T=[1.0, 0.0, 0.4], gap=0.0, law=nsmb.ContactLaw(mu=0.6))
        for a in (0.5, -0.5)
    ]
    push = nsmb.Force(constant=[0.0, -20.0, 0.0], ramp=[4.0, 0.0, 0.0])
    system = nsmb.LinearSystem(np.diag([2.0, 2.0, 0.3]), force=push, contacts=feet)
    for name in ("auto", "dp853"):
        sol = nsmb.simulate(system, 5.0, method=method(name))
        assert sol.events.kinds == ["slip"]
        assert sol.events[0].contacts == ("contact_1", "contact_2")
        assert abs(sol.events.t[0] - 3.0) < 1e-11
        stick = sol.t < 3.0
        np.testing.assert_allclose(sol.lambda_T[stick].sum(axis=1), -4.0 * sol.t[stick], atol=1e-9)
        assert (np.abs(sol.lambda_T) <= 0.6 * sol.lambda_N + 1e-9).all()


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_far_from_zero_time_the_motion_is_the_same(name: str) -> None:
    """Events at t = 10⁶ s, where t resolves 1.2e-10 s: the motion must not change."""
    toy = nsmb.systems.woodpecker()
    near = nsmb.simulate(toy, 2.0, method=method(name), output_step=0)
    far = nsmb.simulate(toy, 1e6 + 2.0, t_start=1e6, method=method(name), output_step=0)
    assert far.events.kinds == near.events.kinds
    # Each of 125 phases starts and ends with t rounded by half of 1.2e-10 s.
    np.testing.assert_allclose(far.events.t - 1e6, near.events.t, rtol=0, atol=1e-8)
    np.testing.assert_allclose(far.events.u_plus, near.events.u_plus, rtol=0, atol=1e-7)


def test_the_toy_settles_far_from_zero_time_as_well() -> None:
    """Beyond t = 2048 s the resolution of t, 4.5e-13 s, is coarser than that of the events."""
    toy = nsmb.systems.woodpecker()
    sol = nsmb.simulate(toy, 4060.0, t_start=4000.0, output_step=0)
    beats = sol.events.of_kind("impact").at_contact("beak")
    assert abs(np.diff(beats.t[-100:]).mean() - 0.14597606514375) < 1e-12

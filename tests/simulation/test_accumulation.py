"""Accumulations of impacts: finite work, the right time, and a record of the discarded energy."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.simulation.systems import METHODS

ONE_STEP = [name for name in METHODS if name != "cvode"]
FALL = np.sqrt(2.0 / 9.81)


def impact_times(e_N: float, count: int) -> np.ndarray:
    k = np.arange(count)
    return FALL + 2.0 * FALL * e_N * (1.0 - e_N**k) / (1.0 - e_N)


@pytest.mark.parametrize("name", ONE_STEP)
@pytest.mark.parametrize("e_N", [0.3, 0.5, 0.7, 0.9])
def test_twenty_impacts_and_rest_in_one_run(name: str, e_N: float) -> None:
    rest = FALL * (1.0 + e_N) / (1.0 - e_N)
    method = nsmb.EventDriven(integrator=name, rtol=1e-10)
    ball = nsmb.systems.bouncing_ball(e_N=e_N)
    sol = nsmb.simulate(ball, rest + 1.0, method=method)
    impacts = sol.events.of_kind("impact")
    assert len(impacts) >= 20
    # Tolerance: 1e-10. Measured: 1e-12 with the least accurate method.
    np.testing.assert_allclose(impacts.t[:20], impact_times(e_N, 20), rtol=0, atol=1e-10)
    assert abs(sol.events.t[-1] - rest) < 1e-10
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
    assert sol.u[-1, 0] == 0.0
    assert abs(sol.q[-1, 0]) < 1e-15
    np.testing.assert_allclose(sol.lambda_N[-1, 0], 9.81, rtol=1e-14)


def test_the_rest_comes_early_by_the_flights_left_out_and_their_energy_is_reported() -> None:
    """The ball rests 2 v/(g (1 - e)) early, with ½ m v² discarded.

    v < rest_velocity is the velocity of its last rebound.
    """
    e_N, v = 0.8, 1e-6
    rest = FALL * (1.0 + e_N) / (1.0 - e_N)
    method = nsmb.EventDriven(rest_velocity=v)
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(e_N=e_N), rest + 1.0, method=method)
    early = rest - sol.events.t[-1]
    assert 0.0 < early <= 2.0 * v / (9.81 * (1.0 - e_N))
    last = -e_N * sol.events.u_minus[-1, 0]
    assert sol.events.u_plus[-1, 0] == 0.0
    assert e_N * v < last <= v
    np.testing.assert_allclose(sol.stats["rest_loss"], 0.5 * last**2, rtol=1e-9)
    assert sol.stats["rests"] == 1
    # The impacts dissipated everything else.
    np.testing.assert_allclose(sol.stats["impact_loss"] + sol.stats["rest_loss"], 9.81, rtol=1e-12)


def test_work_grows_with_the_logarithm_of_the_resting_velocity() -> None:
    """There are ln(v0/v_rest)/ln(1/e) impacts."""
    for v in (1e-3, 1e-6, 1e-9):
        method = nsmb.EventDriven(rest_velocity=v)
        sol = nsmb.simulate(nsmb.systems.bouncing_ball(e_N=0.5), 3.0, method=method)
        expected = np.log(np.sqrt(2 * 9.81) / v) / np.log(2.0)
        assert abs(len(sol.events) - expected) <= 1.0


def test_a_fully_elastic_ball_never_rests() -> None:
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(e_N=1.0), 1000.0, output_step=0)
    assert len(sol.events) == int((1000.0 - FALL) / (2 * FALL)) + 1
    energy = 0.5 * sol.u[:, 0] ** 2 + 9.81 * sol.q[:, 0]
    np.testing.assert_allclose(energy, 9.81, rtol=1e-11)


def test_an_accumulation_beside_another_motion_keeps_that_motion() -> None:
    """A ball comes to rest while an oscillator next to it continues to swing as cos ωt."""
    omega = 40.0
    system = nsmb.LinearSystem(
        np.eye(2),
        np.diag([0.0, omega**2]),
        force=[-9.81, 0.0],
        contacts=[nsmb.Contact(w_N=[1.0, 0.0], law=nsmb.ContactLaw(e_N=0.6))],
    )
    sol = nsmb.simulate(system, 4.0, q=[1.0, 1.0])
    np.testing.assert_allclose(sol.q[:, 1], np.cos(omega * sol.t), rtol=0, atol=1e-11)
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK


def test_flights_lower_than_the_rounding_of_a_curved_gap_still_shrink_by_the_restitution():
    sol = nsmb.simulate(nsmb.systems.parabola_on_line(e_N=0.5), t_end=1.0)
    impacts = sol.events.of_kind("impact")
    system = sol.system
    speeds = np.array(
        [-(system.contact_kinematics(e.t, e.q, e.u_minus)["W_N"].T @ e.u_minus)[0] for e in impacts]
    )
    # From 0.044 m/s on, where the flights become similar, down to rest at 1e-11 m/s. The last
    # approaches are 1e-11 m/s at a slip of 2 m/s, with 6e-13 m/s of rounding.
    np.testing.assert_allclose(speeds[7:], 0.5 * speeds[6:-1], rtol=0.006, atol=1e-12)
    assert speeds[-1] < 2.0 * 1e-11 / 0.5


@pytest.mark.parametrize("slip", [1.0, 1e2, 1e4])
def test_ball_that_slides_fast_comes_to_rest_on_the_floor(slip):
    """An approach of 1e-12 times the slip counts as zero."""
    law = nsmb.ContactLaw(mu=0.01, e_N=0.4)
    ball = nsmb.LinearSystem(
        M=np.eye(2),
        force=[0.0, -9.81],
        contacts=[nsmb.Contact(w_N=[0, 1], w_T=[1, 0], law=law, name="floor")],
    )
    sol = nsmb.simulate(ball, t_end=0.5, q=[0.0, 0.1], u=[slip, 0.0])
    assert sol.success
    assert sol.contact_state[-1, 0] == nsmb.ContactState.SLIP_POSITIVE
    assert sol.u[-1, 1] == 0.0


@pytest.mark.parametrize("integrator", ["auto", "dp853"])
@pytest.mark.parametrize("slip", [1.0, 30.0])
def test_approaches_are_measured_against_rest_however_fast_the_slip(
    slip: float, integrator: str
) -> None:
    """A block hops while it slides: every approach is e_N times the previous one, down to rest."""
    e_N, rest = 0.5, nsmb.EventDriven().rest_velocity
    floor = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=nsmb.ContactLaw(e_N=e_N, mu=0.1))
    block = nsmb.LinearSystem(np.eye(2), force=[0.0, -9.81], contacts=[floor])
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-10)
    sol = nsmb.simulate(block, 0.5, q=[0.0, 0.01], u=[slip, 0.0], method=method)
    impacts = sol.events.of_kind("impact")
    approach = -impacts.u_minus[:, 1]
    # A tenth of the resting velocity; measured: 6e-14 m/s.
    np.testing.assert_allclose(approach[1:], e_N * approach[:-1], rtol=1e-6, atol=1e-12)
    assert rest < e_N * approach[-2]
    assert e_N * approach[-1] < 2.0 * rest
    assert sol.gamma_T[-1, 0] > 0.4 * slip


@pytest.mark.parametrize("drop", [0.1, 0.13, 0.17, 0.22, 0.3, 0.41])
@pytest.mark.parametrize("e_N", [0.3, 0.5, 0.62])
def test_slip_that_ends_with_the_bounces_is_rest_when_they_are(drop: float, e_N: float) -> None:
    """With one coordinate, gamma_T = 7 gamma_N: the closing contact also stops its slip.

    Sliding at rest would be a Painlevé jam: 1 - 7 mu < 0.
    """
    contact = nsmb.Contact(w_N=[1.0], w_T=[7.0], gap=drop, law=nsmb.ContactLaw(mu=0.9, e_N=e_N))
    system = nsmb.LinearSystem(np.eye(1), force=[-1.0], contacts=[contact])
    sol = nsmb.simulate(system, 12.0, throw=False)
    assert sol.success, sol.message
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
    assert abs(sol.u[-1, 0]) <= 1e-11

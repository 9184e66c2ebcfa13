"""Simulated gear rattling in one stage (12.14) agrees with the exact map (12.15), (12.16)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import nsmb
from nsmb.systems import gear_rattling
from tests.support.draws import numbers

Array = NDArray[np.float64]


def impacts(count: int, **parameters: float) -> dict[str, Array]:
    """Return the first impacts of a run from the start of the system."""
    sim = nsmb.Simulator(gear_rattling(**parameters), output_step=0.0)
    run = sim._core.iterate(count=count, t_max=1e6, kind=int(nsmb.EventKind.IMPACT))
    assert run["status"] == "finished"
    return run


@pytest.mark.parametrize("alpha", [0.3, 0.7, 1.4, 1.6, 3.0, 6.0])
def test_every_flight_ends_as_the_map_says(alpha: float) -> None:
    """Single steps of (12.15), (12.16) from simulated impacts avoid chaotic growth."""
    run = impacts(2000, alpha=alpha)
    the_map = gear_rattling.impact_map(alpha)
    s = np.round(run["y_minus"][:, 0])
    np.testing.assert_allclose(run["y_minus"][:, 0], s, rtol=0, atol=1e-11)
    # After slower impacts both sides divide rounding by the velocity.
    steps = np.flatnonzero(np.abs(run["y_plus"][:-1, 1]) > 1e-3)
    assert steps.size > 1900
    found = np.array([the_map.next_impact(run["t"][k], s[k], run["y_plus"][k, 1]) for k in steps])
    # Measured: 2e-12 in time at τ = 3000, so that 1e-10 has a margin of 50.
    np.testing.assert_allclose(run["t"][steps + 1], found[:, 0], rtol=0, atol=1e-10)
    np.testing.assert_array_equal(s[steps + 1], found[:, 1])
    np.testing.assert_allclose(run["y_minus"][steps + 1, 1], found[:, 2], rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["y_plus"][:, 1], -0.9 * run["y_minus"][:, 1], rtol=1e-14)


def test_the_attractor_of_four_impacts_is_that_of_the_map() -> None:
    """Where the motion is periodic (α = 1.4), whole runs agree, as errors decay."""
    run = impacts(4000)
    own = gear_rattling.impact_map().iterate(0.0, -0.5, 0.0, 4000)
    assert own.status == "finished"
    late = slice(3600, 4000)
    phase = np.unwrap(run["t"][late] - own.tau[late], period=2.0 * np.pi)
    # The runs may have any relative phase of the four impacts.
    shifts = [np.abs(np.roll(own.s_dot_minus[late], k) - run["y_minus"][late, 1]) for k in range(4)]
    assert min(shift[4:-4].max() for shift in shifts) < 1e-10
    assert np.ptp(phase[::4]) < 1e-9
    # Velocities repeat after the four impacts per period of the attractor.
    velocities = run["y_minus"][late, 1]
    np.testing.assert_allclose(velocities[4:], velocities[:-4], rtol=0, atol=1e-10)
    assert np.ptp(velocities[:4]) > 0.1


@settings(max_examples=60, deadline=None)
@given(
    alpha=numbers(0.0, 5.0),
    beta=st.one_of(st.just(0.0), numbers(1e-9, 2.0)),
    gamma=numbers(-0.5, 0.5),
    tau=numbers(0.0, 6.3),
    s_dot=numbers(-4.0, 4.0),
    delta=numbers(0.01, 6.0),
)
def test_flight_solves_the_equation_of_motion(
    alpha: float, beta: float, gamma: float, tau: float, s_dot: float, delta: float
) -> None:
    """(12.16) agrees with (12.14) by a general integrator."""

    def rates(t: float, y: Array) -> list[float]:
        drive = -alpha * np.sin(t) + beta * alpha * np.cos(t)
        return [y[1], drive + gamma - beta * y[1]]

    end = solve_ivp(
        rates, (tau, tau + delta), [-0.3, s_dot], method="DOP853", rtol=1e-11, atol=1e-12
    ).y[:, -1]
    flight = gear_rattling.impact_map(alpha, beta, gamma).flight(tau, -0.3, s_dot, delta)
    np.testing.assert_allclose(flight, end, rtol=0, atol=1e-8)


@settings(max_examples=60, deadline=None)
@given(
    alpha=numbers(0.0, 5.0),
    beta=numbers(0.0, 1.0),
    gamma=numbers(-0.3, 0.3),
    tau=numbers(0.0, 6.3),
    s=st.sampled_from([0.0, -1.0]),
    speed=numbers(0.01, 4.0),
)
def test_no_impact_comes_before_the_next_one(
    alpha: float, beta: float, gamma: float, tau: float, s: float, speed: float
) -> None:
    """Between two impacts the wheel is in its backlash, and it moves outwards at the second."""
    the_map = gear_rattling.impact_map(alpha, beta, gamma)
    s_dot = speed if s == -1.0 else -speed
    impact = the_map.next_impact(tau, s, s_dot)
    if impact is None:
        assert alpha < 0.5 or abs(gamma) <= 1e-3 * beta  # small motion without drift
        return
    end, flank, velocity = impact
    inner = np.linspace(0.0, end - tau, 400)[1:-1]
    path = np.array([the_map.flight(tau, s, s_dot, float(delta))[0] for delta in inner])
    assert (path <= 1e-12).all()
    assert (path >= -1.0 - 1e-12).all()
    assert the_map.flight(tau, s, s_dot, end - tau)[0] == pytest.approx(flank, abs=1e-11)
    assert velocity * (1.0 if flank == 0.0 else -1.0) >= -1e-6


@pytest.mark.parametrize(("alpha", "e"), [(3.0, 0.9), (1.0, 0.6), (2.0, 0.75)])
def test_volume_shrinks_by_the_formula_of_the_book(alpha: float, e: float) -> None:
    """det(M_f M_s) above (12.17) and the sum of logarithms (12.18) hold."""
    the_map = gear_rattling.impact_map(alpha, 0.1, 0.1, e)
    run = the_map.iterate(0.0, -0.5, 0.0, 400)
    assert run.status == "finished"
    total = 0.0
    for k in range(399):
        state = run.tau[k], run.s_dot_minus[k], run.tau[k + 1]
        det = np.linalg.det(the_map.jacobian(*state))
        assert det == pytest.approx(the_map.determinant(*state), rel=1e-9)
        total += np.log(abs(det))
    # (12.18) has 2 ln ε - β <Δτ>. The other terms telescope to the end velocities.
    ends = np.log(abs(run.s_dot_minus[0] / run.s_dot_minus[-1]))
    book = 399 * 2.0 * np.log(e) - 0.1 * (run.tau[-1] - run.tau[0]) + ends
    assert total == pytest.approx(book, rel=1e-9)


def test_jacobian_is_the_derivative_of_the_map() -> None:
    """Compare with central differences of one step.

    s is shifted with both flanks, so that its column is e_2.
    """
    the_map = gear_rattling.impact_map(3.0)
    run = the_map.iterate(0.0, -0.5, 0.0, 50)
    h = 1e-6
    for k in range(1, 49):
        if abs(run.s_dot_minus[k + 1]) < 0.1 or abs(run.s_dot_plus[k]) < 0.1:
            continue
        jacobian = the_map.jacobian(run.tau[k], run.s_dot_minus[k], run.tau[k + 1])
        for column, step in ((0, (h, 0.0)), (2, (0.0, h))):
            ends = [
                the_map.next_impact(
                    run.tau[k] + sign * step[0],
                    run.s[k],
                    -0.9 * (run.s_dot_minus[k] + sign * step[1]),
                )
                for sign in (1.0, -1.0)
            ]
            difference = (np.array(ends[0]) - np.array(ends[1])) / (2.0 * h)
            size = np.abs(jacobian).max()
            np.testing.assert_allclose(difference, jacobian[:, column], rtol=0, atol=1e-6 * size**2)
        np.testing.assert_array_equal(jacobian[:, 1], [0.0, 1.0, 0.0])


def test_undamped_map_is_symmetric() -> None:
    """By (12.20), τ + π, the other flank and the opposite velocity give the mirrored motion."""
    the_map = gear_rattling.impact_map(1.3, 0.0, 0.0, 0.8)
    start = the_map.iterate(0.0, -0.5, 0.0, 1)
    tau, s, s_dot = start.tau[0], start.s[0], start.s_dot_plus[0]
    one = the_map.iterate(tau, s, s_dot, 20)
    other = the_map.iterate(tau + np.pi, -1.0 - s, -s_dot, 20)
    # Rounding grows along a chaotic motion. Measured: 1e-11.
    np.testing.assert_allclose(other.tau, one.tau + np.pi, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(other.s, -1.0 - one.s)
    np.testing.assert_allclose(other.s_dot_minus, -one.s_dot_minus, rtol=0, atol=1e-9)


def test_undamped_impacts_follow_the_absolute_velocity_of_the_book() -> None:
    """By (12.19), φ̇_{k+1} = -ε φ̇_k + (1 + ε) α cos τ_{k+1}, where φ̇ = α cos τ - ṡ."""
    run = gear_rattling.impact_map(1.3, 0.0, 0.0, 0.8).iterate(0.0, -0.5, 0.0, 60)
    phi_dot = 1.3 * np.cos(run.tau) - run.s_dot_plus
    next_one = -0.8 * phi_dot[:-1] + 1.8 * 1.3 * np.cos(run.tau[1:])
    np.testing.assert_allclose(phi_dot[1:], next_one, rtol=0, atol=1e-12)
    way = phi_dot[:-1] * np.diff(run.tau) - 1.3 * np.diff(np.sin(run.tau)) + np.diff(run.s)
    np.testing.assert_allclose(way, 0.0, atol=1e-12)


def test_energy_lost_in_an_impact_is_that_of_newton() -> None:
    """Every impact loses ½ (1 - ε²) ṡ⁻² (7.14)."""
    events = nsmb.simulate(gear_rattling(alpha=3.0), 40.0, output_step=0).events.of_kind("impact")
    assert len(events) > 20
    np.testing.assert_allclose(
        events.energy_loss, 0.5 * (1.0 - 0.81) * events.u_minus[:, 0] ** 2, rtol=1e-12
    )
    np.testing.assert_allclose(
        events.Lambda_N.sum(axis=1), 1.9 * np.abs(events.u_minus[:, 0]), rtol=1e-13
    )


def test_rattling_begins_when_the_drive_beats_the_drag() -> None:
    """From rest on the driving flank, α √(1 + β²) <= γ keeps it loaded."""
    border = 0.1 / np.sqrt(1.01)
    quiet = gear_rattling(alpha=0.999 * border)
    sol = nsmb.simulate(quiet, 20.0, q=[0.0], u=[0.0])
    assert len(sol.events) == 0
    # λ = ë + β ė + γ on the flank, at least 0.1 % of γ
    assert sol.lambda_N[:, 0].min() == pytest.approx(0.1 * 0.001, rel=0.05)
    loud = gear_rattling(alpha=1.01 * border)
    sol = nsmb.simulate(loud, 4.0, q=[0.0], u=[0.0])
    first = sol.events[0]
    # λ falls to zero, at the first root found here.
    tau = np.linspace(0.0, first.t, 2000)
    alpha = 1.01 * border
    force = 0.1 - alpha * np.sin(tau) + 0.1 * alpha * np.cos(tau)
    assert first.kind == nsmb.EventKind.DETACH
    assert (force[:-1] > 0.0).all()
    assert force[-1] == pytest.approx(0.0, abs=1e-13)


def test_inelastic_wheel_sticks_to_its_flanks_and_leaves_them() -> None:
    """Undamped with α = 1, ε <= 0.2, impacts accumulate twice per period (spec 4.5)."""
    system = gear_rattling(alpha=1.0, beta=0.0, gamma=0.0, e=0.2)
    sol = nsmb.simulate(system, 12.5 * np.pi)
    detached = sol.events.of_kind("detach")
    assert len(detached) == 12
    # The flank at s = -1 pushes while sin τ > 0, the other one while sin τ < 0. It detaches at k π.
    np.testing.assert_allclose(detached.t, np.pi * np.arange(1, 13), rtol=0, atol=1e-9)
    rest = sol.contact_state != nsmb.ContactState.OPEN
    assert rest[:, 0].any()
    assert rest[:, 1].any()
    assert (
        gear_rattling.impact_map(1.0, 0.0, 0.0, 0.2).iterate(0.0, -0.5, 0.0, 200).status == "sticks"
    )


def test_a_damped_wheel_without_drag_floats_in_its_backlash() -> None:
    """It comes to rest, and the driving wheel oscillates by less than the backlash about it."""
    the_map = gear_rattling.impact_map(0.2, 0.5, 0.0)
    assert the_map.next_impact(0.0, -0.5, 0.2) is None
    run = the_map.iterate(0.0, -0.5, 2.0, 5)
    assert run.status == "floats"
    assert 0 < run.tau.size < 5
    system = gear_rattling(alpha=0.2, beta=0.5, gamma=0.0)
    assert len(nsmb.simulate(system, 200.0, u=[0.2]).events) == 0


def test_a_wheel_that_creeps_towards_a_flank_comes_to_rest_at_it() -> None:
    """Damped and undriven from s = -1 with ṡ = β, s = -exp(-β τ), finally zero to rounding."""
    impact = gear_rattling.impact_map(0.0, 1.0, 0.0).next_impact(0.0, -1.0, 1.0)
    assert impact is not None
    assert 30.0 < impact[0] < 40.0
    assert impact[2] == pytest.approx(0.0, abs=1e-14)
    assert gear_rattling.impact_map(0.0, 1.0, 0.0).next_impact(0.0, -0.5, 0.25) is None
    assert gear_rattling.impact_map(0.0, 1.0, 0.0).next_impact(0.0, -0.5, 0.0) is None
    drag = gear_rattling.impact_map(0.0, 1.0, 1e-3).next_impact(0.0, -0.5, 0.0)
    assert drag is not None
    assert drag[0] == pytest.approx(501.0, rel=1e-10)  # it creeps with γ/β, delayed by 1/β


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="beta: expected a number >= 0, got -1"):
        gear_rattling.impact_map(beta=-1.0)
    with pytest.raises(ValueError, match=r"e: expected a number in \[0, 1\], got 2"):
        gear_rattling.impact_map(e=2.0)
    with pytest.raises(ValueError, match=r"s: expected a number in \[-1, 0\], got 0.5"):
        gear_rattling.impact_map().next_impact(0.0, 0.5, 0.0)
    with pytest.raises(ValueError, match="s_dot: expected a velocity away from the flank"):
        gear_rattling.impact_map().next_impact(0.0, 0.0, 0.1)
    with pytest.raises(ValueError, match="count: expected a number >= 1, got 0"):
        gear_rattling.impact_map().iterate(0.0, -0.5, 0.0, 0)

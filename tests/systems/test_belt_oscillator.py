"""The belt oscillator agrees with closed forms of slip, stick-slip, rest and steady sliding."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import belt_oscillator

Array = NDArray[np.float64]
OMEGA, V_B = 10.0, 0.2  # default √(c/m) and belt speed
COULOMB = {"mu_s": 0.4, "mu_d": 0.4}
X_S = 0.04  # μ m g/c


def test_slip_begins_at_the_limit_and_is_an_arc_of_a_circle() -> None:
    """With Coulomb friction, sticking ends at c x = μ m g, followed by x = x_s + v_B/ω sin ωt."""
    system = belt_oscillator(**COULOMB)
    t_slip = X_S / V_B
    sol = nsmb.simulate(system, t_slip + 0.6, u=[V_B, 0.0])
    slip = sol.events[0]
    assert slip.kind == nsmb.EventKind.SLIP
    assert slip.t == pytest.approx(t_slip, abs=1e-13)
    assert slip.q[0] == pytest.approx(X_S, abs=1e-14)
    assert len(sol.events) == 1
    late = sol.t > t_slip
    arc = OMEGA * (sol.t[late] - t_slip)
    np.testing.assert_allclose(sol.q[late, 0], X_S + V_B / OMEGA * np.sin(arc), rtol=0, atol=1e-13)
    np.testing.assert_allclose(sol.u[late, 0], V_B * np.cos(arc), rtol=0, atol=1e-12)
    cycle = belt_oscillator.cycle(**COULOMB)
    assert sol.at(t_slip + 0.5 * np.pi / OMEGA).q[0] == pytest.approx(cycle.x_max, abs=1e-13)
    assert cycle.slip_time == pytest.approx(2.0 * np.pi / OMEGA, rel=1e-15)
    assert cycle.stick_time == 0.0


def test_small_swings_about_steady_sliding_go_on_for_ever() -> None:
    """Coulomb friction is constant inside the circle of radius v_B/ω."""
    sol = nsmb.simulate(belt_oscillator(**COULOMB), 20.0, q=[X_S + 0.015, 0.0], u=[0.0, 0.0])
    assert len(sol.events) == 0
    np.testing.assert_allclose(sol.q[:, 0], X_S + 0.015 * np.cos(OMEGA * sol.t), rtol=0, atol=1e-12)


def test_large_swings_shrink_to_the_circle_that_touches_sticking() -> None:
    """With Coulomb friction, the mass sticks outside the circle and leaves at x_s on it."""
    system = belt_oscillator(**COULOMB)
    sol = nsmb.simulate(system, 3.0, q=[0.13, 0.0], u=[0.0, 0.0])
    late = sol.t > 2.0
    radius = np.hypot(sol.q[late, 0] - X_S, sol.u[late, 0] / OMEGA)
    np.testing.assert_allclose(radius, V_B / OMEGA, rtol=1e-12)  # measured: 1e-15
    assert [event.kind.label for event in sol.events][-2:] == ["stick", "slip"]


@pytest.mark.parametrize(("x", "rests"), [(0.0399, True), (-0.0399, True), (0.0401, False)])
def test_a_belt_at_rest_holds_what_its_friction_can(x: float, rests: bool) -> None:
    """The mass rests in the stick set |c x| <= μ m g."""
    system = belt_oscillator(v_B=0.0, **COULOMB)
    sol = nsmb.simulate(system, 2.0, q=[x, 0.0])
    assert (sol.contact_state[0, 0] == nsmb.ContactState.STICK) == rests
    moved = np.abs(sol.q[:, 0] - x).max()
    # Half a swing about μ m g/c = 0.04, from 0.0401 to 0.0399.
    assert moved == pytest.approx(0.0 if rests else 2e-4, abs=1e-14)


def test_swings_on_a_belt_at_rest_shrink_by_twice_the_limit() -> None:
    """With Coulomb friction, half swings shorten by 2 μ m g/c until the stick set is reached."""
    system = belt_oscillator(v_B=0.0, **COULOMB)
    sol = nsmb.simulate(system, 2.0, q=[0.31, 0.0])
    turns = sol.events.of_kind("reversal", "stick")
    np.testing.assert_allclose(turns.q[:, 0], [-0.23, 0.15, -0.07, -0.01], rtol=0, atol=1e-13)
    np.testing.assert_allclose(turns.t, np.pi / OMEGA * np.arange(1, 5), rtol=0, atol=1e-12)


def cycle_of(system: nsmb.System) -> Array:
    """Simulate x at the end and onset of sticking, the largest x, slip time and stick time."""
    sol = nsmb.simulate(system, 6.0, rtol=1e-10)
    slips, sticks = sol.events.of_kind("slip"), sol.events.of_kind("stick")
    last = sticks.t[sticks.t < slips.t[-1]][-1]
    first = slips.t[slips.t < last][-1]
    inside = (sol.t >= first) & (sol.t <= last)
    top = sol.t[inside][np.argmax(sol.q[inside, 0])]
    fine = np.linspace(top - 0.006, top + 0.006, 4001)
    return np.array(
        [
            sol.at(first).q[0],
            sol.at(last).q[0],
            sol.at(fine).q[:, 0].max(),
            last - first,
            slips.t[-1] - last,
        ]
    )


def test_stick_slip_tends_to_the_cycle_of_a_jumping_coefficient() -> None:
    """For v_s -> 0 the error falls like v_s, with measured values of 3.3, 0.46, 0.058 % at most."""
    cycle = belt_oscillator.cycle()
    closed = [cycle.x_slip, cycle.x_stick, cycle.x_max, cycle.slip_time, cycle.stick_time]
    errors = [
        np.abs(cycle_of(belt_oscillator(v_s=v_s)) / closed - 1.0) for v_s in (4e-4, 4e-5, 4e-6)
    ]
    assert errors[-1].max() < 1e-3
    for coarse, fine in pairwise(errors):
        assert fine[1:].max() < 0.2 * coarse[1:].max()
    # The limit of sticking is that of mu_s for any v_s.
    assert max(error[0] for error in errors) < 1e-9


def test_cycle_is_consistent() -> None:
    """Both ends of the arc have the velocity of the belt and the same distance from its centre."""
    cycle = belt_oscillator.cycle(v_B=0.3, mu_s=0.5, mu_d=0.2, c=80.0, m=2.0)
    omega = np.sqrt(40.0)
    radius = cycle.x_max - cycle.centre
    for x in (cycle.x_slip, cycle.x_stick):
        assert np.hypot(x - cycle.centre, 0.3 / omega) == pytest.approx(radius, rel=1e-14)
    assert cycle.stick_time == pytest.approx((cycle.x_slip - cycle.x_stick) / 0.3, rel=1e-14)
    # Along the arc: x = centre + R sin(ω t + φ_0)
    phi = np.arctan2(cycle.x_slip - cycle.centre, 0.3 / omega)
    end = cycle.centre + radius * np.sin(omega * cycle.slip_time + phi)
    assert end == pytest.approx(cycle.x_stick, abs=1e-14)
    assert radius * omega * np.cos(omega * cycle.slip_time + phi) == pytest.approx(0.3, rel=1e-13)
    assert cycle.period == cycle.slip_time + cycle.stick_time
    assert cycle.x_min == pytest.approx(2.0 * cycle.centre - cycle.x_max, rel=1e-14)


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_steady_sliding_is_stable_above_the_closed_form_speed(factor: float) -> None:
    """Small swings grow below v_s ln((mu_s - mu_d) m g/(d v_s)) and decay above it."""
    data = {"d": 0.5}
    border = belt_oscillator.sliding(**data).v_stable
    assert border == pytest.approx(0.05 * np.log(0.15 * 10.0 / (0.5 * 0.05)), rel=1e-14)
    data["v_B"] = factor * border
    sliding = belt_oscillator.sliding(**data)
    assert sliding.stable == (factor > 1.0)
    assert sliding.eigenvalues[0].imag != 0.0
    T = 2.0 * np.pi / abs(sliding.eigenvalues[0].imag)
    start = 1e-5
    sol = nsmb.simulate(
        belt_oscillator(**data), 10 * T, q=[sliding.x + start, 0.0], u=[0.0, 0.0], rtol=1e-11
    )
    assert len(sol.events) == 0
    growth = np.exp(10 * T * sliding.eigenvalues[0].real)
    assert (growth > 1.0) == (factor < 1.0)
    # The linear solution with ẋ(0) = 0 returns to its top, except for the phase by damping.
    s = sliding.eigenvalues
    end = start * (s[1] * np.exp(s[0] * 10 * T) - s[0] * np.exp(s[1] * 10 * T)) / (s[1] - s[0])
    # Quadratic terms have the magnitude start/v_s · ω.
    assert sol.q[-1, 0] - sliding.x == pytest.approx(end.real, rel=0.02)


def test_sliding_without_damping_or_without_fall() -> None:
    assert belt_oscillator.sliding().v_stable == np.inf
    assert not belt_oscillator.sliding().stable
    calm = belt_oscillator.sliding(d=0.1, **COULOMB)
    assert calm.v_stable == 0.0
    assert calm.stable
    assert calm.x == pytest.approx(X_S, rel=1e-15)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"d": 0.1}, "d: expected 0"),
        ({"v_B": 0.0}, "v_B: expected a number > 0, got 0"),
        ({"mu_d": 0.5}, r"mu_d: expected a number in \[0, mu_s = 0.4\], got 0.5"),
        ({"nu": 0.5}, "parameter 'nu'"),
    ],
)
def test_misuse_is_named(data: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        belt_oscillator.cycle(**data)
    if "v_B" in data:
        with pytest.raises(ValueError, match=message):
            belt_oscillator.sliding(**data)

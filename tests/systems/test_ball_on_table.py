"""Jumps of the ball on a vibrating table agree with their closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import nsmb
from nsmb.systems import ball_on_table
from tests.support.draws import numbers

Array = NDArray[np.float64]
G, OMEGA = 9.81, 80.0


def amplitude(gamma: float) -> float:
    return gamma * G / OMEGA**2


def jumps(system: nsmb.System, t: float, velocity: float, count: int) -> dict[str, Array]:
    """Return the impacts after one that leaves the ball with `velocity`."""
    sim = nsmb.Simulator(system, output_step=0.0)
    sim.reset(t, [0.0], [velocity])
    return sim._core.iterate(count=count, t_max=1e6, kind=int(nsmb.EventKind.IMPACT))


@pytest.mark.parametrize(("n", "gamma"), [(1, 0.5), (1, 0.9), (1, 1.3), (2, 0.9), (3, 1.3)])
def test_a_run_that_starts_on_an_orbit_comes_back(n: int, gamma: float) -> None:
    system = ball_on_table(A=amplitude(gamma))
    orbits = [o for o in ball_on_table.orbits(n, A=amplitude(gamma)) if o.admissible]
    assert orbits
    for orbit in orbits:
        run = jumps(system, orbit.t, orbit.velocity, 1)
        assert run["t"][0] == pytest.approx(orbit.t + orbit.period, abs=1e-12)
        assert run["y_plus"][0, 1] == pytest.approx(orbit.velocity, abs=1e-11)
        assert run["y_minus"][0, 1] == pytest.approx(-orbit.velocity / 0.8, abs=1e-11)


@pytest.mark.parametrize("gamma", [0.4, 0.8, 1.2])
def test_multipliers_are_those_of_the_simulated_jump(gamma: float) -> None:
    """Compare with central differences of the impact map of (t, ẏ), with the absolute velocity ẏ.

    The determinant is e² only in area-preserving coordinates such as t, ẏ. The multipliers do not
    depend on the coordinates."""
    A = amplitude(gamma)
    system = ball_on_table(A=A)
    for orbit in ball_on_table.orbits(A=A):
        h_t, h_v = 1e-7, 1e-6
        columns = []
        for step in (np.array([h_t, 0.0]), np.array([0.0, h_v])):
            ends = []
            for sign in (1.0, -1.0):
                run = jumps(system, orbit.t + sign * step[0], orbit.velocity + sign * step[1], 1)
                ends.append(np.array([run["t"][0], run["y_plus"][0, 1]]))
            columns.append((ends[0] - ends[1]) / (2.0 * step.sum()))
        jacobian = np.column_stack(columns)
        trace, det = orbit.multipliers.sum(), orbit.multipliers.prod()
        assert np.trace(jacobian) == pytest.approx(trace.real, abs=1e-5)
        assert np.linalg.det(jacobian) == pytest.approx(det.real, abs=1e-5)
        assert det.real == pytest.approx(0.64, rel=1e-12)


@given(st.integers(1, 5), numbers(0.01, 0.99))
def test_borders_have_the_multipliers_they_are_named_for(n: int, e: float) -> None:
    borders = ball_on_table.borders(n, e)
    assert ball_on_table.orbits(n, e=e, A=amplitude((1.0 - 1e-12) * borders.fold)) == ()
    born = ball_on_table.orbits(n, e=e, A=amplitude((1.0 + 1e-12) * borders.fold))
    for orbit in born:
        # sin φ is the square root of 1e-12, and (1 - m_1)(1 - m_2) equals (1 + e)² Γ sin φ.
        assert np.prod(1.0 - orbit.multipliers).real == pytest.approx(
            0.0, abs=1e-5 * (1.0 + borders.fold)
        )
    assert born[0].stable
    assert not born[1].stable
    inside = ball_on_table.orbits(n, e=e, A=amplitude((1.0 - 1e-9) * borders.flip))[0]
    beyond = ball_on_table.orbits(n, e=e, A=amplitude((1.0 + 1e-9) * borders.flip))[0]
    assert inside.stable
    assert not beyond.stable
    assert beyond.multipliers[0].real == pytest.approx(-1.0, abs=1e-5)


@pytest.mark.parametrize(("factor", "period"), [(0.99, 1), (1.01, 2)])
def test_period_doubles_at_the_closed_form_border(factor: float, period: int) -> None:
    A = amplitude(factor * ball_on_table.borders().flip)
    orbit = ball_on_table.orbits(A=A)[0]
    run = jumps(ball_on_table(A=A), orbit.t, 1.005 * orbit.velocity, 3000)
    velocities = run["y_plus"][-8:, 1]
    np.testing.assert_allclose(velocities[period:], velocities[:-period], rtol=0, atol=1e-9)
    assert (np.ptp(velocities) > 0.01 * orbit.velocity) == (period == 2)
    # The mean period is that of the table.
    np.testing.assert_allclose(run["t"][-1] - run["t"][-101], 100 * orbit.period, rtol=0, atol=1e-9)


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_jumps_die_out_below_the_fold(factor: float) -> None:
    """Below the fold the ball comes to rest, above it continues to jump once per period."""
    borders = ball_on_table.borders()
    A = amplitude(factor * borders.fold)
    start = ball_on_table.orbits(A=amplitude(1.001 * borders.fold))[0]
    sol = nsmb.simulate(
        ball_on_table(A=A), 40.0, t_start=start.t, q=[0.0], u=[start.velocity], output_step=0
    )
    if factor < 1.0:
        assert ball_on_table.orbits(A=A) == ()
        assert sol.contact_state[-1, 0] != nsmb.ContactState.OPEN
        assert sol.events.t[-1] < 20.0
    else:
        late = sol.events.of_kind("impact")
        assert late.t[-1] > 39.0
        np.testing.assert_allclose(np.diff(late.t[-20:]), start.period, rtol=1e-9)


def test_the_default_start_leads_to_jumps_of_one_period() -> None:
    orbit = ball_on_table.orbits()[0]
    assert orbit.stable
    sol = nsmb.simulate(ball_on_table(), 30.0, output_step=0)
    last = sol.events[-1]
    assert last.u_plus[0] == pytest.approx(orbit.velocity, rel=1e-9)
    assert (last.t - orbit.t + 0.5 * orbit.period) % orbit.period == pytest.approx(
        0.5 * orbit.period, abs=1e-10
    )


def test_a_ball_at_rest_stays_on_a_table_that_falls_slower_than_it() -> None:
    """With λ = m (g - A ω² sin ωt), Γ < 1 keeps contact and Γ > 1 detaches at sin ωt = 1/Γ."""
    quiet = nsmb.simulate(ball_on_table(A=amplitude(0.999)), 1.0, q=[0.0], u=[0.0])
    assert len(quiet.events) == 0
    np.testing.assert_allclose(
        quiet.lambda_N[:, 0], G * (1.0 - 0.999 * np.sin(OMEGA * quiet.t)), rtol=0, atol=1e-12
    )
    loud = nsmb.simulate(ball_on_table(A=amplitude(1.3)), 0.05, q=[0.0], u=[0.0])
    first = loud.events[0]
    assert first.kind == nsmb.EventKind.DETACH
    assert first.t == pytest.approx(np.arcsin(1.0 / 1.3) / OMEGA, abs=1e-13)


def test_orbits_through_the_table_are_marked() -> None:
    """With Γ = 6, e = 0.8 the table overtakes the ball of the unstable orbit after its start."""
    orbits = ball_on_table.orbits(1, A=amplitude(6.0))
    assert [orbit.admissible for orbit in orbits] == [True, False]
    run = jumps(ball_on_table(A=amplitude(6.0)), orbits[1].t, orbits[1].velocity, 1)
    assert run["t"][0] < orbits[1].t + 0.9 * orbits[1].period


def test_an_opposite_amplitude_is_half_a_period() -> None:
    plus, minus = (ball_on_table.orbits(A=A)[0] for A in (1e-3, -1e-3))
    half = np.pi / OMEGA
    assert (plus.t - minus.t) % (2 * half) == pytest.approx(half, abs=1e-14)
    run = jumps(ball_on_table(A=-1e-3), minus.t, minus.velocity, 1)
    assert run["t"][0] == pytest.approx(minus.t + minus.period, abs=1e-12)


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="n: expected a whole number >= 1, got 0"):
        ball_on_table.orbits(0)
    with pytest.raises(ValueError, match=r"e: expected a number in \[0, 1\], got 2"):
        ball_on_table.borders(1, 2.0)
    assert ball_on_table.orbits(A=0.0) == ()

"""Simulated one-impact orbits of the impact oscillator agree with their closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import nsmb
from nsmb.systems import impact_oscillator
from tests.support.draws import numbers

Array = NDArray[np.float64]

# Existing one-impact orbits with n periods, stable and unstable, under- and overdamped.
ORBITS = [
    (1, {"omega": 0.8, "F": 0.6}),
    (1, {"omega": 1.5, "F": 0.7}),
    (2, {"omega": 2.8, "F": 1.4}),
    (2, {"omega": 3.0, "F": 4.2, "e": 0.7}),
    (1, {"omega": 2.2, "F": 5.0, "sigma": 0.0}),
    (1, {"omega": 2.5, "F": 1.0, "sigma": -0.4, "zeta": 0.3}),
    (1, {"omega": 2.5, "F": 2.0, "zeta": 1.0, "sigma": 0.2, "e": 0.3}),
    (1, {"omega": 4.0, "F": 10.0, "zeta": 1.4, "sigma": 0.2, "e": 0.3}),
]


def behind(system: nsmb.System, t: float, y: Array, period: float) -> Array:
    sol = nsmb.simulate(system, t + period, t_start=t, q=y[:1], u=y[1:], output_step=0)
    return np.array([sol.q[-1, 0], sol.u[-1, 0]])


@pytest.mark.parametrize(("n", "data"), ORBITS)
def test_a_run_that_starts_on_an_orbit_comes_back(n: int, data: dict[str, float]) -> None:
    orbits = [o for o in impact_oscillator.orbits(n, **data) if o.admissible]
    assert orbits
    system = impact_oscillator(**data)
    p = system.parameters
    for orbit in orbits:
        start = {"t_start": orbit.t, "q": [p["sigma"]], "u": [-p["e"] * orbit.velocity]}
        assert orbit.period == pytest.approx(n * system.period, rel=1e-14)
        sol = nsmb.simulate(system, orbit.t + 1.5 * orbit.period, output_step=0, **start)
        assert len(sol.events) == 1
        assert sol.events[0].t == pytest.approx(orbit.t + orbit.period, abs=1e-10)
        assert sol.events[0].u_minus[0] == pytest.approx(orbit.velocity, abs=1e-10)


@pytest.mark.parametrize(("n", "data"), ORBITS)
def test_multipliers_are_those_of_the_simulated_period(n: int, data: dict[str, float]) -> None:
    """Compare with central differences of whole periods that start far from the impact."""
    system = impact_oscillator(**data)
    p = system.parameters
    for orbit in impact_oscillator.orbits(n, **data):
        if not orbit.admissible:
            continue
        t = orbit.t + 0.4 * orbit.period
        before = nsmb.simulate(
            system, t, t_start=orbit.t, q=[p["sigma"]], u=[-p["e"] * orbit.velocity]
        )
        y = np.array([before.q[-1, 0], before.u[-1, 0]])
        h = 1e-6
        columns = [
            (behind(system, t, y + step, orbit.period) - behind(system, t, y - step, orbit.period))
            / (2.0 * h)
            for step in h * np.eye(2)
        ]
        monodromy = np.column_stack(columns)
        size = 1.0 + np.abs(orbit.multipliers[0])
        # Compare trace and determinant, as nearly equal eigenvalues are ill-conditioned.
        trace, det = orbit.multipliers.sum(), orbit.multipliers.prod()
        assert np.trace(monodromy) == pytest.approx(trace.real, abs=1e-6 * size**2)
        assert np.linalg.det(monodromy) == pytest.approx(det.real, abs=1e-6 * size**2)
        assert abs(trace.imag) + abs(det.imag) < 1e-12 * size
        volume = p["e"] ** 2 * np.exp(-2.0 * p["zeta"] * orbit.period)
        assert det.real == pytest.approx(volume, rel=1e-10)


def test_a_stable_orbit_attracts_and_the_other_does_not() -> None:
    stable, unstable = impact_oscillator.orbits(1, omega=1.5, F=0.7)
    assert stable.stable
    assert not unstable.stable
    system = impact_oscillator(omega=1.5, F=0.7)
    sim = nsmb.Simulator(system, output_step=0.0)
    for factor, velocity in ((1.0 - 1e-3, 0.0), (1.0 + 1e-3, stable.velocity)):
        sim.reset(unstable.t, [1.0], [-0.8 * factor * unstable.velocity])
        sim.advance(400.0)
        events = sim.solution.events
        last = events.t[-1] > 380.0
        assert bool(last) == (velocity > 0.0)
        if last:
            assert events.u_minus[-1, 0] == pytest.approx(velocity, abs=1e-9)


def to_border(n: int, F: float, value: float, data: dict[str, float]) -> Array:
    """Return (1 - value m_1)(1 - value m_2) of the orbits."""
    orbits = impact_oscillator.orbits(n, F=F, **data)
    products = [np.prod(1.0 - value * orbit.multipliers).real for orbit in orbits]
    return np.array(products)


def multiplier(n: int, F: float, data: dict[str, float]) -> float:
    """Return 1 plus the largest leading multiplier modulus of all orbits."""
    orbits = impact_oscillator.orbits(n, F=F, **data)
    return 1.0 + max(float(np.abs(orbit.multipliers[0])) for orbit in orbits)


@settings(max_examples=200, deadline=None)
@given(
    n=st.integers(1, 3),
    decay=numbers(0.05, 3.0),
    omega=numbers(0.3, 5.0),
    sigma=st.one_of(numbers(-1.0, -0.1), numbers(0.1, 1.0)),
    e=numbers(0.05, 1.0),
)
def test_borders_have_the_multipliers_they_are_named_for(
    n: int, decay: float, omega: float, sigma: float, e: float
) -> None:
    """A multiplier is 1 at the fold, where two orbits meet, and -1 at the flip."""
    zeta = decay * omega / (2.0 * np.pi * n)
    data = {"zeta": zeta, "omega": omega, "sigma": sigma, "e": e}
    borders = impact_oscillator.borders(n, **data)
    seen = False
    for F, value in ((borders.fold, 1.0), (borders.flip, -1.0)):
        if np.isnan(F):
            continue
        assert F > 0.0
        if value > 0.0:
            # Two orbits on both sides of the multiplier 1, at the square root of the distance.
            assert impact_oscillator.orbits(n, F=(1.0 - 1e-9) * F, **data) == ()
            near, far = (to_border(n, (1.0 + d) * F, value, data) for d in (1e-10, 1e-8))
            assume(far.size == 2)  # the slower one soon grazes if its V is small
            assert near.size == 2
            assert near.prod() < 0.0
            assert (np.abs(near) < 0.2 * np.abs(far)).all()
        else:
            distance, scale = to_border(n, F, value, data), multiplier(n, F, data)
            assert np.abs(distance).min() < 1e-7 * scale
        seen = True
    assume(seen)


def test_steady_oscillation_grazes_at_the_known_amplitude() -> None:
    data = {"omega": 0.8, "zeta": 0.05, "sigma": 1.0}
    grazing = impact_oscillator.borders(1, **data).grazing
    assert grazing == pytest.approx(np.hypot(1.0 - 0.64, 0.08), rel=1e-15)
    lag = np.arctan2(0.08, 1.0 - 0.64)
    for factor, hits in ((1.0 - 1e-9, False), (1.0 + 1e-9, True)):
        a = factor  # amplitude of the response, where the run starts
        system = impact_oscillator(F=factor * grazing, **data)
        q, u = a * np.cos(np.pi + lag), a * 0.8 * np.sin(np.pi + lag)
        sol = nsmb.simulate(system, 8.0, t_start=-np.pi / 0.8, q=[q], u=[u], output_step=0)
        assert bool(len(sol.events)) == hits


def test_period_doubles_at_the_closed_form_border() -> None:
    """Below F = 0.5182 (ω = 0.8) a two-impact orbit replaces the one-impact orbit."""
    flip = impact_oscillator.borders(1).flip
    assert flip == pytest.approx(0.51820987, abs=1e-8)
    for F, period in ((1.01 * flip, 1), (0.99 * flip, 2)):
        system = impact_oscillator(F=F)
        sim = nsmb.Simulator(system, output_step=0.0)
        orbit = impact_oscillator.orbits(1, F=F)[0]
        assert orbit.stable == (period == 1)
        sim.reset(orbit.t, [1.0], [-0.8 * 1.01 * orbit.velocity])
        run = sim._core.iterate(count=2000, t_max=1e6, kind=int(nsmb.EventKind.IMPACT))
        velocities = run["y_minus"][-8:, 1]
        np.testing.assert_allclose(velocities[period:], velocities[:-period], rtol=0, atol=1e-8)
        assert np.ptp(velocities) == pytest.approx(0.0, abs=1e-8) or period == 2
        assert (np.ptp(velocities) > 0.01) == (period == 2)


def test_no_orbit_without_enough_force() -> None:
    fold = impact_oscillator.borders(1, omega=1.5).fold
    assert impact_oscillator.orbits(1, omega=1.5, F=0.999 * fold) == ()
    assert len(impact_oscillator.orbits(1, omega=1.5, F=1.001 * fold)) == 2


def test_orbits_through_the_stop_are_marked() -> None:
    """With F = 3.3, ω = 2.2 one of two solutions of the equations passes through the stop."""
    orbits = impact_oscillator.orbits(2, omega=2.2, F=3.297)
    assert [orbit.admissible for orbit in orbits] == [False, True]
    start = {"t_start": orbits[0].t, "q": [1.0], "u": [-0.8 * orbits[0].velocity]}
    system = impact_oscillator(omega=2.2, F=3.297)
    sol = nsmb.simulate(system, orbits[0].t + orbits[0].period, output_step=0, **start)
    assert sol.events[0].t < orbits[0].t + 0.99 * orbits[0].period


def test_a_negative_force_is_one_half_a_period_later() -> None:
    plus, minus = (impact_oscillator.orbits(1, F=F)[0] for F in (0.6, -0.6))
    half = np.pi / 0.8
    assert (plus.t - minus.t) % (2 * half) == pytest.approx(half, abs=1e-12)
    assert plus.velocity == minus.velocity


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"n": 0}, "n: expected a whole number >= 1, got 0"),
        ({"zeta": -0.1}, "'zeta': must be at least 0, got -0.1"),
        ({"e": 1.2}, r"e: expected a number in \[0, 1\], got 1.2"),
        ({"zeta": 0.0, "omega": 0.5}, "zeta: expected a number > 0 where n/omega = 2"),
        ({"mass": 1.0}, "parameter 'mass'"),
    ],
)
def test_misuse_is_named(data: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        impact_oscillator.orbits(**data)  # type: ignore[arg-type]

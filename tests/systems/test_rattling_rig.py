"""The rig for one-stage rattling (12.1.5) is the wheel (12.14) in metres and seconds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nsmb
from nsmb.analysis import PoincareMap, lyapunov_spectrum, on_event
from nsmb.systems import gear_rattling, rattling_rig

OMEGA = 2.0 * math.pi * 20.0
V = 3e-3


@pytest.mark.parametrize(("a", "alpha", "turns"), [(4.2e-3, 1.4, 7), (9e-3, 3.0, 4)])
def test_the_rig_is_the_single_stage(a: float, alpha: float, turns: int) -> None:
    """(12.14) holds with the data of fig. 12.3 and 12.6, by the exact map (12.15), (12.16)."""
    system = rattling_rig(a=a)
    hits = nsmb.simulate(system, turns / 20.0, output_step=0.0).events.of_kind("impact")
    exact = gear_rattling.impact_map(alpha, 0.1, 0.1, 0.9).iterate(0.0, -0.5, 0.0, len(hits))
    assert len(hits) >= 20
    # Rounding grows from impact to impact, also in the transient. Measured: at most 1.5e-9.
    np.testing.assert_allclose(OMEGA * hits.t, exact.tau, rtol=0, atol=1e-8)
    speeds = hits.u_minus[:, 0] / (OMEGA * V)
    np.testing.assert_allclose(speeds, exact.s_dot_minus, rtol=0, atol=1e-8)


def test_periodic_rattling_has_a_periodic_pattern_and_chaotic_a_chaotic_one() -> None:
    """Four impacts repeat each revolution (fig. 12.12), or the exponent is 0.35 (spec 4.5)."""
    points = PoincareMap(rattling_rig(), on_event("impact")).iterate(40, skip=600)
    phases = np.mod(points.t, 0.05).reshape(10, 4)
    np.testing.assert_allclose(phases, phases[:1].repeat(10, axis=0), rtol=0, atol=1e-9)
    found = lyapunov_spectrum(rattling_rig(a=9e-3), per="impact", count=1500, transient=200)
    assert found.exponents[0] == pytest.approx(0.35, abs=5.0 * found.standard_error[0])
    assert found.exponents[0] > 10.0 * found.standard_error[0]


def test_the_forces_of_the_play_are_those_of_the_wheel() -> None:
    """I φ̈ + d φ̇ + T + c φ = 0 holds with r φ = a sin ωt - s in any state."""
    system = rattling_rig(c=0.7, a=7e-3, f=33.0, d=0.05, T=0.3)
    omega, I, r = 2.0 * math.pi * 33.0, 1.6e-3, 0.06
    rng = np.random.default_rng(3)
    for t, s, s_dot in rng.uniform(-1.0, 1.0, (20, 3)):
        s_ddot = system.forces(t, [s], [s_dot])[0] / system.mass_matrix(t, [s])[0, 0]
        e = 7e-3 * np.array([1.0, omega, -(omega**2)])
        e *= np.array([math.sin(omega * t), math.cos(omega * t), math.sin(omega * t)])
        phi, phi_dot, phi_ddot = (e - np.array([s, s_dot, s_ddot])) / r
        terms = np.array([I * phi_ddot, 0.05 * phi_dot, 0.3, 0.7 * phi])
        assert abs(terms.sum()) < 1e-12 * np.abs(terms).max()


def test_a_spring_alone_gives_half_periods_between_impacts() -> None:
    """For a = d = T = 0, ε = 1 the tooth swings about the driving stop, hitting every π √(I/c)."""
    system = rattling_rig(a=0.0, d=0.0, T=0.0, c=2.0, e=1.0)
    half = math.pi * math.sqrt(1.6e-3 / 2.0)
    times = nsmb.simulate(system, 20.0 * half, output_step=0.0).events.of_kind("impact").t
    np.testing.assert_allclose(times, half * (0.5 + np.arange(20)), rtol=1e-12)


def test_the_tooth_stays_between_the_moving_stops() -> None:
    """The tooth position of fig. 12.12 is at a stop at every impact."""
    sol = nsmb.simulate(rattling_rig(a=9e-3), 1.0)
    seen = rattling_rig.motions(sol)
    np.testing.assert_allclose(seen.driving, 9e-3 * np.sin(OMEGA * seen.t), rtol=0, atol=1e-15)
    assert (seen.tooth - seen.driving).min() > -1e-13
    assert (seen.driven - seen.tooth).min() > -1e-13
    hit = np.isin(seen.t, sol.events.of_kind("impact").t)
    apart = np.minimum(seen.tooth - seen.driving, seen.driven - seen.tooth)
    assert hit.sum() > 50
    assert np.abs(apart[hit]).max() < 1e-12


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="parameter 'f': expected a number > 0, got 0"):
        rattling_rig(f=0.0)
    with pytest.raises(ValueError, match="parameter 'd': expected a number >= 0, got -1"):
        rattling_rig(d=-1.0)
    with pytest.raises(ValueError, match="expected a rattling_rig, got 'gear_rattling'"):
        rattling_rig.motions(nsmb.simulate(nsmb.systems.gear_rattling(), 1.0))

"""Rattling between involute flanks agrees with the exact map of one-stage rattling."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nsmb
from nsmb.systems import gear_rattling, involute_rattle


def normalised(system: nsmb.System, impacts: nsmb.EventTable) -> tuple[np.ndarray, ...]:
    """Return τ, s, ṡ⁻ and ṡ⁺ of (12.14)."""
    p = system.parameters
    r_1, r_2 = (0.5 * p["m"] * p[z] * math.cos(p["alpha"]) for z in ("z_1", "z_2"))
    start = system.initial_state.q[0]
    tau = p["omega"] * impacts.t
    s = (r_1 * p["A"] * np.sin(tau) + r_2 * (impacts.q[:, 0] - start)) / p["v"] - 0.5
    drive = r_1 * p["A"] * np.cos(tau)
    minus, plus = (
        (drive + r_2 * u[:, 0] / p["omega"]) / p["v"] for u in (impacts.u_minus, impacts.u_plus)
    )
    return tau, s, minus, plus


@pytest.mark.parametrize(
    ("alpha", "mu"),
    [(1.4, 0.0), (3.0, 0.0), (6.0, 0.0)],
)
def test_every_flight_ends_as_the_map_says(alpha: float, mu: float) -> None:
    """Gaps of involutes are linear in the angles, so that the map is exact."""
    A = float(involute_rattle().parameters["A"]) * alpha / 1.4
    system = involute_rattle(A=A, mu=mu)
    sol = nsmb.simulate(system, 1.0, output_step=0, rtol=1e-11)
    tau, s, minus, plus = normalised(system, sol.events.of_kind("impact"))
    assert len(tau) > 100
    # Measured: 7e-13. Rounding of angles of 3 rad is 5e-16 · 43e-3 m of 1e-4 m.
    np.testing.assert_allclose(s, np.round(s), rtol=0, atol=2e-11)
    np.testing.assert_allclose(plus, -0.9 * minus, rtol=0, atol=1e-12)
    the_map = gear_rattling.impact_map(alpha)
    # After slower impacts both divide rounding by the velocity.
    steps = np.flatnonzero(np.abs(plus[:-1]) > 1e-2)
    assert len(steps) > 90
    found = np.array([the_map.next_impact(tau[k], np.round(s[k]), plus[k]) for k in steps])
    # Measured: 2e-11, due to the tolerance of the flights.
    np.testing.assert_allclose(tau[steps + 1], found[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(np.round(s[steps + 1]), found[:, 1])
    np.testing.assert_allclose(minus[steps + 1], found[:, 2], rtol=0, atol=1e-9)


def test_whole_runs_agree_with_the_normalised_system() -> None:
    """Runs from the same start agree impact by impact, until rounding is amplified too much."""
    system = involute_rattle()
    omega = float(system.parameters["omega"])
    sol = nsmb.simulate(system, 30.0 / omega, output_step=0, rtol=1e-12)
    tau, s, minus, _ = normalised(system, sol.events.of_kind("impact"))
    own = nsmb.simulate(gear_rattling(), 30.0, output_step=0, rtol=1e-12).events.of_kind("impact")
    count = min(len(tau), len(own))
    assert count > 15
    np.testing.assert_array_equal(np.round(s[:count]), np.round(own.q[:count, 0]))
    np.testing.assert_allclose(tau[:count], own.t[:count], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(minus[:count], own.u_minus[:count, 0], rtol=0, atol=TOLERANCE)


# Gaps are accurate to 7e-13 of the backlash. Slow impacts divide this error by their velocities and
# propagate it. Measured: 2e-8 after 20 impacts, ten times as much six impacts later.
TOLERANCE = 1e-6


def test_which_teeth_are_in_mesh_does_not_matter() -> None:
    """Other numbers of teeth with equal α, β, γ give the same impacts."""
    default = involute_rattle()
    p = default.parameters
    r_2 = 0.5 * p["m"] * 50 * math.cos(p["alpha"])
    A = p["A"] * p["z_1"] / 30
    T = 0.1 * p["I"] * p["omega"] ** 2 * p["v"] / r_2
    other = involute_rattle(z_1=30, z_2=50, A=A, T=T)
    tables = [
        normalised(
            system, nsmb.simulate(system, 0.1, output_step=0, rtol=1e-12).events.of_kind("impact")
        )
        for system in (default, other)
    ]
    np.testing.assert_allclose(tables[0][0], tables[1][0], rtol=0, atol=TOLERANCE)

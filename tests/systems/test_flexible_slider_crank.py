"""The slider-crank with an elastic rod: independent equations, published numbers, rigid limit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import flexible_slider_crank
from tests.oracles.slider_crank_rod import (
    L_1,
    L_2,
    OMEGA,
    PUBLISHED,
    START,
    equations,
    motion,
)

Array = NDArray[np.float64]
SHARES = slice(1, 5)


def rigid(t: Array) -> tuple[Array, Array]:
    """Return φ_2 and x_3 of the ideal mechanism."""
    phi_1 = OMEGA * t
    phi_2 = -np.arcsin(L_1 * np.sin(phi_1) / L_2)
    return phi_2, L_1 * np.cos(phi_1) + L_2 * np.cos(phi_2)


def test_own_equations_meet_the_published_end() -> None:
    """The equations use the Test Set's axial mass, without rotary inertia of sections."""
    q = motion(np.array([0.0, 0.1]), START, axial=15.0, turning=0.0)[-1]
    _, _, phi_2, x_3 = equations()(0.1, q, np.zeros(4), 15.0, 0.0, 2e11)
    assert phi_2 == pytest.approx(PUBLISHED["phi_2"], rel=1e-8)
    assert x_3 == pytest.approx(PUBLISHED["x_3"], rel=1e-8)
    # The start is printed with nine digits. Measured errors: 4e-9, 2e-7, 2e-6, 4e-6.
    assert q[:2] == pytest.approx(PUBLISHED["q"][:2], rel=1e-6)
    assert q[2:] == pytest.approx(PUBLISHED["q"][2:], rel=1e-5)


def test_it_starts_as_the_source_does() -> None:
    state = flexible_slider_crank().initial_state
    assert state.q[SHARES] == pytest.approx(START[:4], rel=1e-8)
    assert state.u[1:3] == pytest.approx(START[4:6], rel=1e-5)  # printed values follow another rule
    assert state.u[0] + OMEGA == pytest.approx(-74.9957670, rel=1e-8)


def test_the_rod_moves_as_own_equations_say() -> None:
    """Half a revolution in 0.02 s has four bending and a hundred longitudinal oscillations."""
    system = flexible_slider_crank()
    t = np.linspace(0.0, 0.02, 81)
    state = system.initial_state
    expected = motion(t, np.concatenate([state.q[SHARES], state.u[SHARES]]))
    found = nsmb.simulate(system, 0.02, rtol=1e-9).at(t).q[:, SHARES]
    # Elements make the rod stiffer axially by 1e-4. Measured: 5e-11, 2e-11, 4e-10, 2e-10 m.
    assert found[:, :2] == pytest.approx(expected[:, :2], abs=1e-9)
    assert found[:, 2:] == pytest.approx(expected[:, 2:], abs=3e-9)
    assert np.abs(expected[:, 0]).max() > 1e-3
    assert np.abs(expected[:, 3]).max() > 1e-5


def test_the_published_end_is_met_as_far_as_inertia_of_sections_allows() -> None:
    """It slows bending by (π d/l)²/24, 3e-4, a phase of 0.04 rad of the vibration at 0.1 s."""
    sol = nsmb.simulate(flexible_slider_crank())
    q = sol.q[-1]
    phi_2 = OMEGA * 0.1 + q[0]
    assert phi_2 == pytest.approx(PUBLISHED["phi_2"], abs=1e-6)  # measured: 7e-8 rad
    x_3 = L_1 * np.cos(OMEGA * 0.1) + (L_2 + q[4]) * np.cos(phi_2)
    assert x_3 == pytest.approx(PUBLISHED["x_3"], abs=1e-6)  # measured: 6e-8 m
    assert q[1] == pytest.approx(PUBLISHED["q"][0], rel=5e-3)  # measured: 1.4e-3
    assert q[2] == pytest.approx(PUBLISHED["q"][1], rel=5e-3)  # measured: 2e-4


def test_a_stiff_rod_moves_as_a_rigid_one() -> None:
    """Differences decrease with 1/E, and are mainly due to the initial length of the rod."""
    t = np.linspace(0.0, 0.02, 201)
    phi_2, x_3 = rigid(t)
    off = []
    for E in (2e11, 2e12):
        q = nsmb.simulate(flexible_slider_crank(E=E), 0.02).at(t).q
        angle = OMEGA * t + q[:, 0]
        x = L_1 * np.cos(OMEGA * t) + (L_2 + q[:, 4]) * np.cos(angle)
        off.append([np.abs(angle - phi_2).max(), np.abs(x - x_3).max(), np.abs(q[:, 1]).max()])
    assert off[0][1] == pytest.approx(START[3], rel=0.02)
    assert off[1] == pytest.approx(0.1 * np.array(off[0]), rel=0.1)


def test_the_slider_stays_on_its_line_and_upright() -> None:
    system = flexible_slider_crank()
    sol = nsmb.simulate(system, 0.02)
    for t, q in zip(sol.t[::50].tolist(), sol.q[::50], strict=True):
        r, A = system.pose("slider", t, q)
        assert abs(r[1]) < 1e-9
        assert pytest.approx(np.eye(3), abs=1e-8) == A
    # With default tolerances the error depends on rounding, up to 3e-5. Here it is 1e-9.
    fine = nsmb.simulate(system, 0.02, rtol=1e-9)
    assert fine.energy.relative < 1e-7


def test_with_play_it_tends_to_the_one_without() -> None:
    """Half a revolution without friction is compared with the joint without clearance.

    Angles deviate by at most twice the clearance over the rod's length. Bending converges as the
    clearance vanishes.
    """
    t = np.linspace(0.0, 0.02, 201)
    tight = nsmb.simulate(flexible_slider_crank(), 0.02).at(t).q
    bends = []  # measured: 81, 10 and 1 µm
    for c in (1e-4, 1e-5, 1e-6):
        sol = nsmb.simulate(flexible_slider_crank(c=c, mu=0.0), 0.02)
        assert len(sol.events.of_kind("impact")) > 0
        assert np.nanmin(sol.g_N) > -1e-9
        off = np.abs(sol.at(t).q - tight)
        assert off[:, 0].max() < 2.0 * c / L_2
        bends.append(off[:, 1].max())
    assert bends[1] < 0.2 * bends[0]
    assert bends[2] < 0.2 * bends[1]


def test_a_clearance_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'c': expected a number >= 0, got -1"):
        flexible_slider_crank(c=-1.0)

"""A driven pair with involute flanks has a constant ratio and closed-form forces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import involute_pair
from tests.oracles.involute_gears import Gear, Mesh

Array = NDArray[np.float64]
OMEGA_1 = 0.5
OMEGA_2 = OMEGA_1 * 14 / 39
SLIPS = (nsmb.ContactState.SLIP_POSITIVE, nsmb.ContactState.SLIP_NEGATIVE)


def mesh(**changes: float) -> Mesh:
    """Return the gears by lengths of threads. Teeth of gear 2 are thinner by the backlash."""
    first = Gear(14, 5e-3, h_f=1.05)
    play = changes.get("b_n", 0.008) * 5e-3
    return Mesh(first, Gear(39, 5e-3, h_f=1.05, thinning=play / math.cos(first.alpha)), 0.1325)


def roll(m: Mesh, phi_1: Array) -> Array:
    """Return the distance from base circle 1 to a contact of left flanks in m, modulo the pitch."""
    return m.first.r_b * (phi_1 + m.first.half + m.alpha_w)


@pytest.fixture(scope="module")
def loaded() -> nsmb.Solution:
    """Return a run under torque over three consecutive teeth."""
    return nsmb.simulate(involute_pair(T_2=1.0), 3.0, rtol=1e-10)


def test_the_ratio_is_constant_to_rounding(loaded: nsmb.Solution) -> None:
    late = loaded.t > 0.5
    ratio = loaded.u[late, 0] / OMEGA_1 * 39 / 14
    # Measured: 1e-13.
    np.testing.assert_allclose(ratio, -1.0, rtol=0, atol=1e-12)
    turned = loaded.q[late, 0] - mesh_angle(loaded.t[late])
    # the angle also agrees: on the flank it lags by half of the backlash
    behind = 0.5 * mesh().play / mesh().second.r_b
    np.testing.assert_allclose(turned, behind, rtol=0, atol=1e-12)


def mesh_angle(t: Array) -> Array:
    return math.pi * (1 - 1 / 39) - OMEGA_2 * t


def test_pairs_take_over_from_each_other_along_the_path_of_contact(loaded: nsmb.Solution) -> None:
    """Tips and base circle end the line of action, which determines the closed pairs."""
    m = mesh()
    begin, end = m.path
    late = loaded.t > 0.5
    closed = (np.asarray(loaded.contact_state)[late] != nsmb.ContactState.OPEN) & (
        np.asarray(loaded.features)[late][..., 0] >= 0
    )
    rho = roll(m, OMEGA_1 * loaded.t[late])
    at = rho[:, None] + m.pitch * np.arange(-9, 10)
    # Flanks that end at the base circle start at u = 1e-3. Samples at the change may be either.
    near = (np.abs(at - begin) < 1.1e-3 * m.first.r_b) | (np.abs(at - end) < 1e-8)
    expected = ((at > begin) & (at < end)).sum(axis=1)
    clear = ~near.any(axis=1)
    assert clear.sum() > 200
    assert set(expected[clear]) == {1, 2}
    np.testing.assert_array_equal(closed.sum(axis=1)[clear], expected[clear])


def test_forces_along_the_line_of_action_carry_the_torque(loaded: nsmb.Solution) -> None:
    late = loaded.t > 0.5
    total = loaded.lambda_N[late].sum(axis=1)
    np.testing.assert_allclose(total, 1.0 / mesh().second.r_b, rtol=1e-10)


@pytest.mark.parametrize("mu", [0.05, 0.2])
def test_friction_turns_round_at_the_pitch_point(mu: float) -> None:
    """The sliding velocity is (ω_1 + ω_2) ξ, and a single pair carries T_2."""
    m = mesh()
    sol = nsmb.simulate(involute_pair(T_2=1.0, mu=mu), 2.0, rtol=1e-10)
    state = np.asarray(sol.contact_state)
    slips = np.isin(state, SLIPS)
    pitch_point = m.first.r_b * math.tan(m.alpha_w)
    checked = set()
    for k in np.flatnonzero((sol.t > 0.5) & (slips.sum(axis=1) == 1)):
        i = int(np.flatnonzero(slips[k])[0])
        places = roll(m, OMEGA_1 * sol.t[k]) + m.pitch * np.arange(-9, 10)
        places = places[(places > m.path[0] - 1e-9) & (places < m.path[1] + 1e-9)]
        if len(places) != 1:
            continue
        xi = places[0] - pitch_point
        if abs(xi) < 1e-6:  # at the reversal
            continue
        # Measured: 1e-14 m/s.
        assert abs(sol.gamma_T[k, i]) == pytest.approx((OMEGA_1 + OMEGA_2) * abs(xi), abs=1e-12)
        # Friction drives the driven gear in recess, with the arm ρ_2, and brakes it in approach.
        arm = m.second.r_b + mu * np.sign(xi) * (m.length - places[0])
        assert sol.lambda_N[k, i] == pytest.approx(1.0 / arm, rel=1e-9)
        assert abs(sol.lambda_T[k, i]) == pytest.approx(mu / arm, rel=1e-9)
        checked.add(bool(xi > 0.0))
    assert checked == {False, True}


def test_without_load_it_rattles_with_the_mean_speed_of_the_source() -> None:
    """The mean is 0.17949 rad/s. A rigid flank reverses the relative speed to -e times it."""
    sol = nsmb.simulate(involute_pair(), 20.0)
    impacts = sol.events.of_kind("impact")
    m = mesh()
    # The backlash is crossed in play/(2 r_b2 ω) first, then in play/(e^k r_b2 ω).
    crossing = m.play / (m.second.r_b * OMEGA_2)
    expected = crossing * (0.5 + np.concatenate([[0.0], np.cumsum(2.0 ** np.arange(1, 13))]))
    expected = expected[expected < 20.0]
    assert len(impacts) == len(expected)
    np.testing.assert_allclose(impacts.t, expected, rtol=1e-9)
    mean = abs(sol.q[-1, 0] - sol.q[0, 0]) / 20.0
    # half of the backlash in 20 s
    assert mean == pytest.approx(0.17949, abs=0.5 * m.play / m.second.r_b / 20.0 + 5e-6)


@pytest.mark.parametrize("T_2", [0.0, 1.0])
def test_in_steps_it_is_the_same_motion(T_2: float) -> None:
    """With Moreau-Jean it stays on the flanks after each step and rotates correctly."""
    sol = nsmb.simulate(involute_pair(T_2=T_2, e_N=0.0), 2.0, method=nsmb.Midpoint(1e-3))
    assert sol.status == "finished"
    late = sol.t > 0.5
    np.testing.assert_allclose(sol.u[late, 0], -OMEGA_2, rtol=0, atol=1e-12)
    # it lags by half of the backlash, and by the approach within a step, ω_2 h
    lag = sol.q[late, 0] - mesh_angle(sol.t[late]) - 0.5 * mesh().play / mesh().second.r_b
    assert np.abs(lag).max() < 1.1 * OMEGA_2 * 1e-3


@pytest.mark.parametrize("x", [(0.3, -0.1), (0.3, 0.4)])
@pytest.mark.parametrize("extra", [0.0, 2e-4])
def test_shifted_and_moved_apart_gears_keep_their_ratio(
    x: tuple[float, float], extra: float
) -> None:
    tight = float(
        nsmb.geometry.GearMesh.distance_for(
            *(
                nsmb.geometry.GearTeeth(
                    teeth=z, module=5e-3, shift=shift, addendum=0.9, dedendum=1.05
                )
                for z, shift in zip((14, 39), x, strict=True)
            )
        )
    )
    system = involute_pair(x_1=x[0], x_2=x[1], h_a=0.9, a=tight + extra, b_n=0.06, T_2=1.0, e_N=0.0)
    sol = nsmb.simulate(system, 1.5, rtol=1e-10)
    late = sol.t > 0.3
    np.testing.assert_allclose(sol.u[late, 0] / OMEGA_2, -1.0, rtol=0, atol=1e-12)


def test_a_run_keeps_the_rules_of_contact(loaded: nsmb.Solution) -> None:
    """Checks are gaps, complementarity, impacts and energy."""
    assert loaded.check().ok


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no line of action": ({"a": 0.1}, r"more than 0\.12\d* m, where base circles touch, got 0\.1"),
    "jammed": ({"a": 0.131}, r"clearance between the tip of gear 1 and the root of gear 2"),
    "parted": ({"a": 0.1383}, r"contact ratio of at least 1"),
    "pointed": ({"x_1": 1.0}, r"teeth with a width at their tips"),
}


@pytest.mark.parametrize("case", BAD)
def test_gears_that_cannot_be_assembled_are_refused(case: str) -> None:
    parameters, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        involute_pair(**parameters)

"""The double-cone synchroniser, (12.38)-(12.48)."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import nsmb
from nsmb.systems import synchroniser
from nsmb.systems.gears.synchroniser import SynchroniserParameters
from tests.support.draws import numbers

Array = NDArray[np.float64]

DEFAULT = SynchroniserParameters()
X_S, X_A, PHI_A, PHI_F, PHI_I, PHI_C = range(6)
WITHOUT = {"F_D": 0.0, "F_E": 0.0, "d_S": 0.0, "d_A": 0.0, "d_F": 0.0, "d_C": 0.0, "T_C": 0.0}
"""Data for which only the teeth press the cones and rotate the rings, as in (12.47)."""
law = settings(max_examples=25, derandomize=True, deadline=None)


@functools.cache
def run(t_end: float = 0.25) -> nsmb.Solution:
    """Return a shift with the default data."""
    return nsmb.simulate(synchroniser(), t_end)


def held(system: nsmb.System, position: str, speed: float | None = None) -> nsmb.State:
    """Return teeth on their flanks in a locking position, with rotating clutch and full force.

    With a speed, all rings and the clutch rotate back with it, and the teeth slide as in unlocking.
    """
    p = SynchroniserParameters(**dict(system.parameters))  # type: ignore[arg-type]
    q, u = np.zeros(6), np.zeros(6)
    q[PHI_A] = 0.0 if position == "I" else -p.phi_AI
    q[X_A] = p.x_A
    q[X_S] = p.x_A + p.x_0 - 0.5 * p.D_A * q[PHI_A] / p.tip  # (12.39)
    q[PHI_F] = -p.phi_CF  # the clutch drives the friction ring
    if speed is None:
        u[[PHI_F, PHI_C]] = p.Omega
    else:
        u[PHI_A:], u[X_S] = -speed, 0.5 * p.D_A * speed / p.tip
    return nsmb.State(p.t_S, q, u)


def safety_of(system: nsmb.System, position: str) -> float:
    """Return (12.46) from the contact forces of a run of zero duration."""
    start = held(system, position, 1e-3)
    sol = nsmb.simulate(system, start.t, t_start=start.t, q=start.q, u=start.u)
    assert sol.contact_state[0, 0] == nsmb.ContactState.SLIP_NEGATIVE
    T_R, T_E = synchroniser.torques(sol, start.t)
    return float(T_R[0] / T_E[0])


# ---- geometry -----------------------------------------------------------------------------------


@given(numbers(1.0, 2.6), numbers(0.0, 0.4))
@law
def test_directions_are_those_of_the_book(gamma: float, beta: float) -> None:
    """(12.41), (12.45) hold with misprints in w_5 to w_8 corrected and the ring in position I."""
    p = SynchroniserParameters(gamma=gamma, beta=beta)
    system = synchroniser(gamma=gamma, beta=beta)
    half = 0.5 * gamma
    a = (1.0 + math.tan(beta) ** 2 * math.sin(half) ** 2) ** -0.5
    n_x, n_z = a * math.sin(half), -a * math.cos(half)
    r = 0.5 * p.D_A
    q = np.array([p.x_A + 0.9 * p.x_0, p.x_A, 0.0, 0.0, 0.0, 0.0])
    found = system.contact_kinematics(0.0, q, np.zeros(6))
    names = list(system.contact_names)
    expected = {
        "teeth": (-n_x, n_x, r * n_z, 0, 0, 0),
        "hub_A": (0, 0, -1, 0, 0, 0),
        "hub_A_back": (0, 0, 1, 0, 0, 0),
        "hub_I": (0, 0, 0, 0, -1, 0),
        "hub_I_back": (0, 0, 0, 0, 1, 0),
        "link": (0, 0, 1, 0, -1, 0),
        "link_back": (0, 0, -1, 0, 1, 0),
        "drive": (0, 0, 0, -1, 0, 1),
        "drive_back": (0, 0, 0, 1, 0, -1),
        "cone": (0, -1, 0, 0, 0, 0),
    }
    for name, w in expected.items():
        np.testing.assert_allclose(found["W_N"][:, names.index(name)], w, atol=1e-15)
    w_2 = (n_z, -n_z, r * n_x, 0, 0, 0)  # (12.40)
    np.testing.assert_allclose(found["W_T"][:, names.index("teeth")], w_2, atol=1e-15)
    g_1 = (q[X_A] - q[X_S] + p.x_0) * n_x  # (12.39) with its offset
    assert found["g_N"][names.index("teeth")] == pytest.approx(g_1, rel=1e-12)


def test_the_sleeve_passes_where_the_teeth_stand_before_gaps_and_only_there() -> None:
    system = synchroniser()
    p, names = DEFAULT, list(system.contact_names)
    for z, passes in (
        (0.5 * p.z_T, False),
        (p.z_T + 0.5 * p.z_G, True),
        (p.z_T + 2 * p.z_G, False),
    ):
        q = np.array([p.x_A + p.x_1 + 1e-3, p.x_A, -2.0 * z / p.D_A, 0.0, 0.0, 0.0])
        gaps = system.contact_kinematics(0.0, q, np.zeros(6))["g_N"]
        free = min(gaps[names.index("teeth")], gaps[names.index("teeth_back")]) >= 0.0
        assert free == passes


def test_flanks_end_round_and_without_a_step() -> None:
    """Gap and directions are continuous, with equal length of normal and tangent."""
    system, p = synchroniser(), DEFAULT
    names = list(system.contact_names)
    columns = [names.index("teeth"), names.index("teeth_back")]
    for x in (p.x_1 - p.b, p.x_1 + p.b):
        sides = []
        for s in (x - 1e-9, x + 1e-9):
            q = np.array([p.x_A + s, p.x_A, -0.03, 0.0, 0.0, 0.0])
            found = system.contact_kinematics(0.0, q, np.zeros(6))
            sides.append(
                [found["g_N"][columns], found["W_N"][:, columns], found["W_T"][:, columns]]
            )
            scale = np.diag([1.0, 0.0, 2.0 / p.D_A, 0.0, 0.0, 0.0])  # sleeve and ring as a plane
            normal, tangent = scale @ sides[-1][1], scale @ sides[-1][2]
            np.testing.assert_allclose((normal * tangent).sum(axis=0), 0.0, atol=1e-7)
            np.testing.assert_allclose(
                np.linalg.norm(normal, axis=0), np.linalg.norm(tangent, axis=0), rtol=1e-6
            )
        for left, right in zip(*sides, strict=True):
            np.testing.assert_allclose(left, right, atol=1e-4)


# ---- safety -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 2.73),
        ({"mu_IF": 0.0, "mu_IC": 0.0}, 1.35),
        ({"gamma": math.radians(90.0)}, 1.87),
        (dict.fromkeys(("mu_SA", "mu_AF", "mu_IF", "mu_IC"), 0.08), 2.08),
    ],
)
def test_safety_from_contact_forces_is_that_of_the_closed_form(
    changes: dict[str, float], expected: float
) -> None:
    """(12.48) holds in both positions. The second is the first without the interior ring."""
    system = synchroniser(**WITHOUT, **changes)
    assert round(synchroniser.safety(system), 2) == expected
    for position in ("I", "II"):
        assert safety_of(system, position) == pytest.approx(synchroniser.safety(system), rel=1e-9)


@given(
    numbers(1.2, 2.2), numbers(0.05, 0.3),
    st.lists(numbers(0.02, 0.2), min_size=4, max_size=4), numbers(200.0, 4000.0),
)  # fmt: skip
@law
def test_safety_is_that_of_the_closed_form_for_any_data(
    gamma: float, alpha: float, mu: list[float], force: float
) -> None:
    names = ("mu_SA", "mu_AF", "mu_IF", "mu_IC")
    system = synchroniser(
        gamma=gamma, alpha=alpha, F_S=force, **WITHOUT, **dict(zip(names, mu, strict=True))
    )
    assert safety_of(system, "II") == pytest.approx(synchroniser.safety(system), rel=1e-9)


@pytest.mark.parametrize(("s", "locks"), [(1.0 + 1e-5, True), (1.0 - 1e-5, False)])
def test_held_teeth_let_go_where_the_safety_is_one(s: float, locks: bool) -> None:
    """Runs start at rest in position II with rotating clutch, and cone friction sets s."""
    plain = synchroniser(**WITHOUT)
    factor = s / synchroniser.safety(plain)
    cones = dict.fromkeys(("mu_AF", "mu_IF", "mu_IC"), 0.1 * factor)
    system = synchroniser(**WITHOUT, **cones)
    assert synchroniser.safety(system) == pytest.approx(s, rel=1e-12)
    start = held(system, "II")
    sol = nsmb.simulate(
        system, start.t + 0.05, t_start=start.t, q=start.q, u=start.u,
        method=system.recommended.method,
    )  # fmt: skip
    assert sol.u[-1, PHI_C] > 10.0  # speeds are not equal yet
    if locks:
        places = [X_S, PHI_A, PHI_I]
        np.testing.assert_allclose(sol.q[-1, places], start.q[places], atol=1e-11)
    else:
        assert sol.q[-1, PHI_A] < start.q[PHI_A] - 1e-9


def test_safety_rises_with_every_friction_and_with_the_angle_of_the_tips() -> None:
    least = synchroniser.safety(synchroniser())
    for name in ("mu_SA", "mu_AF", "mu_IF", "mu_IC", "gamma"):
        more = synchroniser(**{name: 1.05 * getattr(DEFAULT, name)})
        assert synchroniser.safety(more) > least


# ---- a shift ------------------------------------------------------------------------------------


def test_teeth_meet_after_120_ms_and_position_one_follows_after_140_ms() -> None:
    sol = run()
    blows = sol.events.of_kind("impact").at_contact("teeth").t
    assert 0.120 < blows[0] < 0.125
    assert blows[-1] < 0.160
    first, *more = synchroniser.positions(sol)
    assert first.name == "I"
    assert not more
    assert first.begin == pytest.approx(0.140, abs=0.005)
    inner = sol.events.of_kind("impact").at_contact("hub_A").t
    assert ((inner > blows[0]) & (inner < first.begin)).sum() > 3  # recoils against the hub


def test_it_lets_go_when_the_speeds_are_equal() -> None:
    sol = run()
    (position,) = synchroniser.positions(sol)
    assert abs(sol.at(position.end).u[PHI_C]) < 0.5
    unlocked = synchroniser.unlocking(sol)
    assert unlocked is not None
    assert unlocked[0] > position.end
    assert unlocked[1] <= 0.0
    assert sol.q[-1, X_S] == pytest.approx(DEFAULT.x_S, abs=1e-6)


def test_position_two_follows_where_the_exterior_ring_alone_does_not_lock() -> None:
    """The exterior ring crosses the clearance of the link, where the interior ring holds it."""
    slippery = nsmb.systems.synchroniser.parameter_sets["slippery_exterior_cone"]
    system = synchroniser(**slippery)
    alone = system.with_parameters(mu_IF=0.0, mu_IC=0.0)
    assert synchroniser.safety(alone) < 1.0 < synchroniser.safety(system)
    sol = nsmb.simulate(system, 0.25)
    (position,) = synchroniser.positions(sol)
    assert position.name == "II"
    assert (position.begin, position.end) == pytest.approx((0.159, 0.209), abs=1e-3)
    middle = sol.at(0.5 * (position.begin + position.end))
    assert middle.q[PHI_I] == pytest.approx(0.0, abs=1e-9)
    assert middle.q[PHI_A] == pytest.approx(-DEFAULT.phi_AI, abs=1e-9)
    assert middle.u[PHI_C] > 10.0  # locked while the speeds differ
    assert abs(sol.at(position.end).u[PHI_C]) < 0.5
    unlocked = synchroniser.unlocking(sol)
    assert unlocked is not None
    assert unlocked[0] > position.end


def test_friction_has_peaks_from_impacts_and_the_speed_has_no_trace_of_them() -> None:
    sol = run()
    torque = -sol.lambda_T[:, sol.contact_names.index("AF")]
    blows = sol.events.of_kind("impact").at_contact("teeth")
    before = torque[sol.t < blows.t[0]].max()
    during = torque[(sol.t > blows.t[0]) & (sol.t < 0.144)].max()
    assert during > 3.0 * before
    jump = np.abs(blows.u_plus[:, PHI_C] - blows.u_minus[:, PHI_C]).max()
    assert jump < 0.01 * DEFAULT.Omega


def test_nothing_penetrates_and_the_laws_hold() -> None:
    """Checks are g_1, g_3 to g_11, complementarity and Newton's impact law."""
    check = run().check()
    assert check, str(check)


def test_the_first_recoil_meets_the_link_and_ends_there() -> None:
    """The interior ring hits hub and link.

    Then the exterior ring recoils less than the clearance.
    """
    sol = run()
    impacts = sol.events.of_kind("impact")
    teeth = impacts.at_contact("teeth").t[0]
    link = impacts.at_contact("link").t
    caught = link[link > teeth]
    assert caught.size > 3
    assert caught[-1] < teeth + 2e-3
    inner = impacts.at_contact("hub_I").t
    assert ((inner > caught[0]) & (inner < teeth + 2e-3)).any()
    later = (sol.t > caught[-1]) & (sol.t < synchroniser.positions(sol)[0].end)
    apart = sol.q[later, PHI_I] - sol.q[later, PHI_A]
    # It starts from the end of the clearance and does not return there.
    recoil = apart[np.argmax(apart < DEFAULT.phi_AI - 1e-6) :]
    assert 1e-4 < recoil.max() < DEFAULT.phi_AI - 1e-6


def test_all_flanks_and_both_sides_of_the_link_are_met() -> None:
    hit = {name for event in run().events.of_kind("impact") for name in event.contacts}
    assert {"teeth", "teeth_back", "link", "link_back", "hub_A", "hub_I", "drive", "cone"} <= hit


def unlocked_with(**changes: float) -> float:
    """Return the clutch speed at unlocking in rad/s, with the method of the system."""
    unlocked = synchroniser.unlocking(nsmb.simulate(synchroniser(**changes), 0.3))
    assert unlocked is not None
    return unlocked[1]


@pytest.mark.parametrize(
    ("F_E", "phi_AI", "too_soon"),
    [(60.0, 0.016, True), (60.0, DEFAULT.phi_AI, False), (DEFAULT.F_E, 0.016, False)],
)
def test_a_fast_sleeve_and_a_wide_link_together_unlock_too_soon(
    F_E: float, phi_AI: float, too_soon: bool
) -> None:
    """With s = 2.73, the quasi-static safety does not show this."""
    assert synchroniser.safety(synchroniser(F_E=F_E, phi_AI=phi_AI)) > 2.0
    left = unlocked_with(F_E=F_E, phi_AI=phi_AI)
    assert (left > 40.0) if too_soon else (left < 0.0)


def test_friction_in_impacts_holds_what_a_fast_sleeve_knocks_away() -> None:
    fast = synchroniser(F_E=60.0, phi_AI=0.016)
    sol = nsmb.simulate(fast, 0.3, method=nsmb.EventDriven(impact_law="poisson"))
    unlocked = synchroniser.unlocking(sol)
    assert unlocked is not None
    assert unlocked[1] < 0.0


# ---- bad input ----------------------------------------------------------------------------------


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'gamma': expected an angle in"):
        synchroniser(gamma=4.0)
    with pytest.raises(ValueError, match=r"parameter 'phi_A': expected an angle < 0, got 0\.1"):
        synchroniser(phi_A=0.1)
    with pytest.raises(ValueError, match=r"'mu_SA': expected less than 1/tan\(gamma/2\) = 0.1725"):
        synchroniser(gamma=2.8, mu_SA=0.18)
    with pytest.raises(ValueError, match="system: expected a synchroniser, got 'bouncing_ball'"):
        synchroniser.safety(nsmb.systems.bouncing_ball())
    other = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.1)
    for function in (synchroniser.positions, synchroniser.unlocking):
        with pytest.raises(ValueError, match=r"solution.system: expected a synchroniser"):
            function(other)

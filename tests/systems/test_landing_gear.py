"""Landings of the airplane of Pfeiffer & Glocker, section 14.4."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import analysis, testing
from nsmb.systems import landing_gear
from tests.oracles.landing_gear import LEGS, SmoothLanding
from tests.systems.landings import (
    GUIDE_2,
    GUIDE_3,
    LOWER_2,
    LOWER_3,
    OPEN,
    Q_1,
    STICK,
    UPPER_2,
    UPPER_3,
    Y_22,
    Y_23,
    X,
    Y,
    air,
    both,
    data,
    forces,
    gauss,
    landed,
)
from tests.systems.long_runs import RTOLS, Case, run

# ---- the airplane as a whole --------------------------------------------------------------------


@both
def test_momentum_is_the_impulse_of_what_acts_from_outside(elastic: int) -> None:
    """External are gravity, air, thrust and tyres. Struts, guides and stops are internal."""
    sol = landed(elastic)
    system = sol.system
    assert system is not None
    p, M = data(sol), system.mass_matrix(0.0, sol.q[0])
    t, weights = gauss(sol.t)
    at, legs = sol.at(t), landing_gear.forces(sol, t)
    A, W, _, F_S = air(p, at.q, at.u)
    mass = M[X, X]
    down = mass * p["g"] - A - 2 * legs["main"].tyre - legs["nose"].tyre
    along = F_S - W - 2 * legs["main"].wheel - legs["nose"].wheel
    p_y = (sol.u[[0, -1]] @ M[[Y, Y_22, Y_23]].T).sum(axis=1)
    p_x = sol.u[[0, -1]] @ M[X]
    # N s; measured: 0.02, by Gauss quadrature over kinks of the slip curve
    assert np.diff(p_y)[0] == pytest.approx(weights @ down, abs=0.1)
    assert np.diff(p_x)[0] == pytest.approx(weights @ along, abs=0.1)
    assert np.diff(p_x)[0] < -5e3
    assert mass * p["v_sink"] > 3e4


@both
def test_the_energy_balance_closes(elastic: int) -> None:
    """Energy balance and contact laws hold in the library's own check of a run."""
    sol = landed(elastic)
    testing.assert_valid(sol)
    assert sol.energy.relative < 1e-7
    assert sol.energy.friction_loss[-1] > 1e3
    assert sol.energy.impact_loss[-1] > 10.0


@both
def test_stops_are_inelastic(elastic: int) -> None:
    """Δẏ+ = 0, and half m_red Δẏ² is lost where only one stop is hit (14.91), (14.92)."""
    sol = landed(elastic)
    system = sol.system
    assert system is not None
    M = system.mass_matrix(0.0, sol.q[0])
    W = system.contact_kinematics(0.0, sol.q[0], sol.u[0])["W_N"]
    hard = sol.events.of_kind("impact")
    hard = hard[hard.Lambda_N.max(axis=1) > 1.0]
    assert len(hard) >= 2
    for k in range(len(hard)):
        struck = np.flatnonzero(hard.Lambda_N[k] > 0.0)
        assert np.abs(W[:, struck].T @ hard.u_plus[k]).max() < 1e-9
        closed = np.flatnonzero(hard.state_minus[k][:4] != OPEN)
        if struck.size == 1 and not closed.size and not hard.Lambda_T[k].any():
            w = W[:, struck[0]]
            lost = 0.5 * (w @ hard.u_minus[k]) ** 2 / (w @ np.linalg.solve(M, w))
            assert hard.energy_loss[k] == pytest.approx(lost, rel=1e-9)


@both
def test_all_four_modes_are_reached(elastic: int) -> None:
    """Both free, either one blocked, and both blocked last more than a few milliseconds each."""
    sol = landed(elastic)
    legs = forces(sol)
    span = np.diff(sol.t, append=sol.t[-1])
    for main in (False, True):
        for nose in (False, True):
            here = (legs["main"].blocked == main) & (legs["nose"].blocked == nose)
            assert span[here].sum() > 0.01
    # blocked by friction and by stops
    stuck = (sol.contact_state[:, [GUIDE_2, GUIDE_3]] == STICK) & (
        sol.contact_state[:, [LOWER_2, LOWER_3]] == OPEN
    ) & (sol.contact_state[:, [UPPER_2, UPPER_3]] == OPEN)  # fmt: skip
    assert stuck.any(axis=0).all()


def test_the_landing_is_that_of_smoothed_friction_and_stops() -> None:
    """The reference has the printed equations, tanh, stiff springs and another integrator."""
    from nsmb.systems.machines.landing_gear_equations import SLIP_CURVE

    sol = landed()
    smooth = SmoothLanding(data(sol), np.array(SLIP_CURVE), epsilon=1e-3, stiffness=1e10)
    times = np.linspace(0.0, 1.0, 1001)
    q, u = smooth.land(times)
    # m, rad; measured: 0.11 mm, with epsilon 3e-3 and a third of the stiffness 0.22 mm
    np.testing.assert_allclose(sol.at(times).q[:, :5], q[:, :5], atol=3e-4)
    legs = landing_gear.forces(sol, times)
    for name, (i, _, rake, place) in zip(("main", "nose"), LEGS, strict=True):
        F_1, F_R, _ = smooth.leg(i, rake, place, q.T, u.T)
        assert legs[name].tyre.max() == pytest.approx(F_R.max(), rel=1e-3)
        assert legs[name].strut.max() == pytest.approx(F_1.max(), rel=2e-3)


@pytest.mark.parametrize("rtol", [RTOLS[0], RTOLS[-1]])
def test_the_elastic_airplane_lands_and_rolls_for_long(rtol: float) -> None:
    """The checks are those of test_long_runs for the rigid one."""
    outcome = run(Case("landing_gear", {"elastic": 1}, 10.0, rtol))
    assert (outcome.status, outcome.findings) == ("finished", [])


# ---- what the book says of the landing ----------------------------------------------------------


def peaks(sol: nsmb.Solution) -> tuple[float, float, float, float]:
    """Return the largest F_1 of main and nose strut, and their times."""
    legs = forces(sol)
    at = [int(np.argmax(legs[name].strut)) for name in ("main", "nose")]
    return (
        float(legs["main"].strut[at[0]]), float(legs["nose"].strut[at[1]]),
        float(sol.t[at[0]]), float(sol.t[at[1]]),
    )  # fmt: skip


def fall(sol: nsmb.Solution) -> float:
    """Return the descent of the centre of mass before its first reversal in m."""
    turn = int(np.argmax(sol.u[:, Y] < 0.0))
    return float(sol.q[turn, Y] - sol.q[0, Y])


def test_the_rigid_airplane_lands_as_in_figures_14_29_and_14_30() -> None:
    """It falls about 300 mm, with 170 kN at a main leg, later 450 kN at the nose."""
    sol = landed()
    main, nose, t_main, t_nose = peaks(sol)
    assert fall(sol) == pytest.approx(0.30, rel=0.05)
    assert main == pytest.approx(170e3, rel=0.03)
    assert nose == pytest.approx(450e3, rel=0.03)
    assert t_nose > t_main + 0.3
    assert np.abs(sol.u[:, Y]).max() == pytest.approx(4.3, rel=1e-3)
    impacts = sol.events.of_kind("impact")
    hard = impacts.Lambda_N > 1.0
    assert hard[:, [LOWER_3, UPPER_3]].sum() > hard[:, [LOWER_2, UPPER_2]].sum()
    assert not hard[:, UPPER_2].any()


def test_elasticity_lowers_the_peaks_and_hardly_changes_the_fall() -> None:
    """Figs. 14.31, 14.32 are met, and the nose strut hits its upper stop."""
    rigid, elastic = landed(0), landed(1)
    assert peaks(elastic)[1] < 0.9 * peaks(rigid)[1]
    assert peaks(elastic)[0] < 0.95 * peaks(rigid)[0]
    assert fall(elastic) == pytest.approx(fall(rigid), rel=0.1)
    assert (elastic.events.of_kind("impact").Lambda_N[:, UPPER_3] > 10.0).any()


def test_the_lowest_mode_of_the_airplane_has_seven_hertz() -> None:
    """nsmb.analysis.modes finds it at touchdown with locked struts.

    It also appears in force and stroke velocity of the main legs after the nose's impact, unlike
    for the rigid airplane.
    """
    system = landing_gear(elastic=1)
    start = system.initial_state
    found = analysis.modes(system, start, u=start.u, undamped=True, frozen=True)
    shapes = np.abs(found.shapes[Q_1]).max(axis=0)
    bending = found.frequencies[(shapes > 0.1) & (found.frequencies > 1.0)]
    assert bending.min() == pytest.approx(7.0, abs=0.05)
    t = np.linspace(0.6, 1.0, 2001)[:-1]
    f = np.fft.rfftfreq(1 << 16, t[1] - t[0])
    for name in ("strut", "rate"):
        strongest = []
        for sol in (landed(0), landed(1)):
            signal = getattr(landing_gear.forces(sol, t)["main"], name)
            rest = (signal - np.polyval(np.polyfit(t, signal, 3), t)) * np.hanning(t.size)
            strongest.append(f[np.argmax(np.abs(np.fft.rfft(rest, 1 << 16)))])
        # Hz; 0.4 s resolve 2.5 Hz
        assert strongest[1] == pytest.approx(7.0, abs=0.3)
        assert strongest[0] < 6.0


def test_the_stiff_limit_is_the_rigid_airplane() -> None:
    """From touchdown until the struts move, elastic deformation scales with 1/EI."""
    p = dict(landing_gear().parameters)
    times = np.linspace(0.0, 0.04, 61)
    rigid = nsmb.simulate(landing_gear(), times[-1], rtol=1e-10)
    distances = []
    for factor in (1e2, 1e3, 1e4):
        stiffness = {f"EI_{i}": factor * p[f"EI_{i}"] for i in (1, 2, 3)}
        stiff = landing_gear(elastic=1, zeta=0.2, **stiffness)
        sol = nsmb.simulate(stiff, times[-1], rtol=1e-9)
        distances.append(np.abs(sol.at(times).q[:, :5] - rigid.at(times).q[:, :5]).max())
        assert sol.events.kinds == rigid.events.kinds
    assert distances[0] < 1e-3
    ratios = np.array(distances[:-1]) / distances[1:]
    np.testing.assert_allclose(ratios, 10.0, rtol=0.1)  # measured: 10.3 and 9.8


# ---- runway, brakes, misuse ---------------------------------------------------------------------


def test_waves_of_the_runway_press_the_tyres() -> None:
    """Rolling over a hill of 30 mm (14.65) includes the work of the slope in the energy balance."""
    flat, wavy = landed(), landed(h_r=0.03, l_r=20.0)
    leg = forces(wavy)["main"]
    way = 2 * np.pi * (wavy.q[:, X] + data(wavy)["x_12"]) / 20.0
    pressed = wavy.q[:, Y_22] + 0.015 * (1 - np.cos(way))
    p = data(wavy)
    ends = np.array([0.0, p["s_12"], p["s_22"], np.inf])
    pieces = np.clip(pressed[:, None] - ends[:-1], 0.0, np.diff(ends))
    np.testing.assert_allclose(
        leg.tyre, pieces @ [p["c_12"], p["c_22"], p["c_32"]], rtol=1e-12, atol=1e-9
    )
    assert abs(forces(flat)["main"].tyre.max() - leg.tyre.max()) > 1e3
    assert wavy.energy.relative < 1e-7


def test_brakes_take_speed() -> None:
    """Brakes act from t_S on (14.68), and wheels slip against the direction of flight."""
    free, braked = landed(), landed(M_B=3000.0, t_S=0.6)
    assert braked.at(0.6).u[X] == pytest.approx(free.at(0.6).u[X], rel=1e-9)
    assert braked.u[-1, X] < free.u[-1, X] - 0.1
    late = braked.t > 0.8
    assert np.median(forces(braked)["main"].slip[late]) > 0.001


@pytest.mark.parametrize(
    ("changes", "least"),
    [
        ({"y_min3": 0.6, "y_max3": 0.7}, -1.0),  # at the start
        ({"V_13": 6e-5, "V_23": 2e-5, "p_13": 1.0, "p_23": 2.0}, 0.3),  # too weak for the weight
    ],
)
def test_used_up_gas_ends_a_run_with_the_name_of_the_strut(
    changes: dict[str, float], least: float
) -> None:
    sol = nsmb.simulate(landing_gear(**changes), 1.0, throw=False)
    assert sol.status == "integration_failure"
    assert "element 'nose_strut': gas volume" in sol.message
    assert least < sol.t[-1] < 1.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"p_22": 5e5}, "main_strut.*pressure_2 - pressure_1"),
        ({"V_12": -1e-3}, "'V_12': expected a number > 0"),
        ({"x_13": 9.0}, "'x_13': must be a position on the fuselage"),
        ({"a_g2": 1.5}, "'l_g2': expected a number above a_g2 = 1.5"),
        ({"y_max3": -0.1}, "'y_max3': expected a number > 0"),
        ({"y_min2": 0.5}, "'y_max2': expected a number above y_min2 = 0.5"),
        ({"elastic": 2}, "'elastic': expected 0 or 1, got 2"),
        ({"mu_G": -0.1}, "'mu_G': expected a number >= 0"),
        ({"s_12": 0.5}, "main_tyre.*steps"),
    ],
)
def test_data_that_no_airplane_has_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        landing_gear(**changes)


def test_forces_of_other_systems_are_refused() -> None:
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.1)
    with pytest.raises(ValueError, match="expected a landing_gear, got 'bouncing_ball'"):
        landing_gear.forces(sol)
    assert sol.system is not None
    with pytest.raises(ValueError, match="expected a landing_gear, got 'bouncing_ball'"):
        landing_gear.airframe(sol.system)

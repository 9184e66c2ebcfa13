"""The landing airplane of Pfeiffer & Glocker, section 14.4."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

import nsmb
from nsmb import analysis, testing
from nsmb.systems import landing_gear, landing_gear_airframe, landing_gear_forces
from tests.oracles.landing_gear import LEGS, SmoothLanding
from tests.systems.examples import Array
from tests.systems.long_runs import RTOLS, Case, run

LOWER_2, UPPER_2, LOWER_3, UPPER_3, GUIDE_2, GUIDE_3 = range(6)
OPEN, STICK = int(nsmb.ContactState.OPEN), int(nsmb.ContactState.STICK)
X, Y, ALPHA, Y_22, Y_23, PHI_2, PHI_3 = range(7)
Q_1, Q_2, Q_3 = slice(7, 12), slice(12, 14), slice(14, 16)
both = pytest.mark.parametrize("elastic", [0, 1])


@functools.cache
def landed(elastic: int = 0, **changes: float) -> nsmb.Solution:
    """The usual run."""
    system = landing_gear(elastic=elastic, **changes)
    return nsmb.simulate(system, system.recommended.t_end)


def forces(sol: nsmb.Solution) -> dict[str, Any]:
    return landing_gear_forces(sol)


def data(sol: nsmb.Solution) -> dict[str, float]:
    assert sol.system is not None
    return dict(sol.system.parameters)


def gauss(t: Array, points: int = 6) -> tuple[Array, Array]:
    """Times and weights of Gauss's rule between all these times."""
    knots = np.unique(t)
    nodes, weights = np.polynomial.legendre.leggauss(points)
    half = 0.5 * np.diff(knots)
    times = (knots[:-1] + half)[:, None] + half[:, None] * nodes
    return times.ravel(), (weights * half[:, None]).ravel()


# ---- bodies -------------------------------------------------------------------------------------


class Printed:
    """(14.50)-(14.53) as they are printed, but for what is said; functions are those in use."""

    def __init__(self, system: nsmb.System) -> None:
        self.p = dict(system.parameters)
        self.made = landing_gear_airframe(system)
        p = self.p
        shift = (2 * p["m_2o"] * p["x_12"] + p["m_3o"] * p["x_13"]) / p["m_1"]
        self.ends = -0.5 * p["l_1"] - shift, 0.5 * p["l_1"] - shift

    def functions(self, body: int, x: float) -> tuple[Array, Array]:
        w, slope = self.made.functions(body, x)
        return w, slope

    def sections(self, body: int) -> tuple[Array, Array, Array, Array]:
        """Places, weights, w̄ and w̄' for Gauss's rule on pieces that are not those of splines."""
        a, b = self.ends if body == 1 else (0.0, self.p[f"l_0{body}"])
        x, dx = gauss(np.linspace(a, b, 90))
        w, slope = zip(*(self.functions(body, s) for s in x.tolist()), strict=True)
        return x, dx, np.array(w), np.array(slope)

    def rigid(self) -> Array:
        """(14.50)."""
        p = self.p
        m_2, m_3 = p["m_2o"] + p["m_2u"], p["m_3o"] + p["m_3u"]
        m_ges = p["m_1"] + 2 * (m_2 + p["m_4"]) + m_3 + p["m_5"]
        M = np.zeros((7, 7))
        M[X, X] = m_ges
        # l_4,S0 = l_02: legs begin on the axis
        M[X, ALPHA] = m_2 * p["l_02"] + 2 * p["m_4"] * p["l_02"]
        M[X, ALPHA] += 0.5 * m_3 * p["l_03"] + p["m_5"] * p["l_03"]
        M[ALPHA, X] = M[X, ALPHA]
        M[Y, Y] = m_ges - 2 * (p["m_4"] + p["m_2u"]) - (p["m_5"] + p["m_3u"])
        M[Y_22, Y_22] = 2 * (p["m_4"] + p["m_2u"])
        M[Y_23, Y_23] = p["m_5"] + p["m_3u"]
        M[PHI_2, PHI_2], M[PHI_3, PHI_3] = 2 * p["I_4"], p["I_5"]
        low, high = self.ends
        line = p["m_1"] / p["l_1"]
        I_ges = line * (high**3 - low**3) / 3 + p["I_1z"] * p["l_1"]
        for i, n, m, wheel in (("2", 2, m_2, p["m_4"]), ("3", 1, m_3, p["m_5"])):
            l_0 = p[f"l_0{i}"]
            I_ges += n * (p[f"m_{i}o"] * p[f"x_1{i}"] ** 2 + (wheel + m / 3) * l_0**2)
            I_ges += n * p[f"I_{i}z"] * l_0
        M[ALPHA, ALPHA] = I_ges
        return M

    def elastic(self) -> tuple[Array, Array]:
        """M_e (14.51) with restored primes, and M_re (14.52)."""
        p, outer = self.p, np.outer
        M_e, M_re = np.zeros((9, 9)), np.zeros((7, 9))
        one = slice(0, 5)
        line = p["m_1"] / p["l_1"]
        x, dx, w, slope = self.sections(1)
        M_e[one, one] = (w.T * line * dx) @ w + (slope.T * p["I_1z"] * dx) @ slope
        M_re[ALPHA, one] = -(line * x * dx) @ w - p["I_1z"] * dx @ slope
        for i, n, wheel, own in (
            ("2", 2, p["m_4"], slice(5, 7)), ("3", 1, p["m_5"], slice(7, 9)),
        ):  # fmt: skip
            l_0, upper, m = p[f"l_0{i}"], p[f"m_{i}o"], p[f"m_{i}o"] + p[f"m_{i}u"]
            star, turn = m / l_0, p[f"I_{i}z"]
            x_1 = p[f"x_1{i}"]
            w_1, s_1 = self.functions(1, x_1)
            w_l, _ = self.functions(int(i), l_0)
            x, dx, w, slope = self.sections(int(i))
            first = star * dx @ w
            moment = star * (x * dx) @ w + turn * dx @ slope
            square = (w.T * star * dx) @ w + (slope.T * turn * dx) @ slope
            hung = (wheel + m / 3) * l_0**2 + turn * l_0
            M_e[one, one] += n * (hung * outer(s_1, s_1) + upper * outer(w_1, w_1))
            M_e[one, own] = n * outer(s_1, wheel * l_0 * w_l + moment)
            M_e[own, one] = M_e[one, own].T
            M_e[own, own] = n * (square + wheel * outer(w_l, w_l))
            M_re[X, one] -= n * (wheel + 0.5 * m) * l_0 * s_1
            M_re[X, own] = -n * (wheel * w_l + first)
            M_re[Y, one] += n * upper * w_1
            M_re[ALPHA, one] -= n * (hung * s_1 + upper * x_1 * w_1)
            M_re[ALPHA, own] = -n * (wheel * l_0 * w_l + moment)
        return M_e, M_re


def test_the_assembled_mass_matrix_is_the_printed_one() -> None:
    """(14.50); M_yα vanishes as x_1 is measured from the centre of what the legs carry."""
    system = landing_gear()
    M = system.mass_matrix(0.0, system.initial_state.q)
    np.testing.assert_allclose(M, Printed(system).rigid(), rtol=1e-12, atol=1e-9)
    assert np.linalg.eigvalsh(M)[0] > 0.0


def test_the_assembled_elastic_mass_matrix_is_the_printed_one() -> None:
    """(14.51), (14.52); the other rows are zero."""
    system = landing_gear(elastic=1)
    M = system.mass_matrix(0.0, system.initial_state.q)
    printed = Printed(system)
    M_e, M_re = printed.elastic()
    np.testing.assert_allclose(M[:7, :7], printed.rigid(), rtol=1e-12, atol=1e-9)
    # Measured: 2.5e-6, of Gauss's rule over the knots of the splines.
    np.testing.assert_allclose(M[7:, 7:], M_e, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(M[:7, 7:], M_re, rtol=1e-5, atol=1e-5)
    assert np.linalg.eigvalsh(M)[0] > 0.0


def test_stiffness_is_the_work_of_bending() -> None:
    """(14.47): ∫ EI w''² by differences of slopes, the main legs twice."""
    system = landing_gear(elastic=1)
    printed, p = Printed(system), dict(system.parameters)
    K = landing_gear_airframe(system).K
    assert not K[:7].any()
    for body, own, count in ((1, Q_1, 1), (2, Q_2, 2), (3, Q_3, 1)):
        low, high = printed.ends if body == 1 else (0.0, p[f"l_0{body}"])
        x = np.linspace(low, high, 1201)
        slopes = np.array([printed.functions(body, s)[1] for s in x.tolist()])
        bent = np.diff(slopes, axis=0) / (x[1] - x[0])
        work = count * p[f"EI_{body}"] * (x[1] - x[0]) * bent.T @ bent
        # differences over 1/360 of the distance of two knots
        np.testing.assert_allclose(K[own, own], work, rtol=1e-4, atol=1e-5 * np.abs(work).max())


# ---- forces -------------------------------------------------------------------------------------


def air(p: dict[str, float], q: Array, u: Array) -> tuple[Array, Array, Array, Array]:
    """A, W, M_A and F_S, (14.61)-(14.63)."""
    alpha, v = q[..., ALPHA], u[..., X]
    pressure = 0.5 * p["rho"] * v**2 * p["F_B"]
    c_A = p["c_A_alpha"] * (alpha - p["alpha_0"])
    c_W = p["a_0"] + p["a_1"] * alpha + p["a_2"] * alpha**2
    c_M = p["c_M0"] + p["c_M_A"] * c_A + p["c_M_q"] * p["l_mu"] * u[..., ALPHA] / v
    return pressure * c_A, pressure * c_W, pressure * c_M * p["l_mu"], p["F_S0"] - p["k"] * v


@both
def test_forces_are_the_printed_vector(elastic: int) -> None:
    """(14.48) and (14.53) at instants of a landing with brakes. Against the print the weight of the
    upper legs has the sign it has in row y, rows 4 and 5 have g, the brakes stand in the pitch row
    only, and the bending of the main legs counts twice. Guides are no part of h."""
    sol = landed(elastic, M_B=4000.0, t_S=0.3)
    system = sol.system
    assert system is not None
    p, made = data(sol), landing_gear_airframe(system)
    times = np.array([0.02, 0.11, 0.2, 0.29, 0.45, 0.52, 0.56, 0.61, 0.75, 0.97])
    at, legs = sol.at(times), landing_gear_forces(sol, times)
    A, W, M_A, F_S = air(p, at.q, at.u)
    F_12, F_13 = (legs[name].gas + legs[name].oil for name in ("main", "nose"))
    F_R2, F_R3 = legs["main"].tyre, legs["nose"].tyre
    F_Sp2, F_Sp3 = legs["main"].wheel, legs["nose"].wheel
    M_B = np.where(times > 0.3, 4000.0, 0.0)
    m_4u, m_5u = p["m_4"] + p["m_2u"], p["m_5"] + p["m_3u"]
    m_ges = p["m_1"] + 2 * (p["m_2o"] + m_4u) + p["m_3o"] + m_5u
    h = np.zeros((times.size, system.nu))
    h[:, X] = -W + F_S - 2 * F_Sp2 - F_Sp3
    h[:, Y] = -A - F_S * p["alpha_0"] - 2 * F_12 - F_13 + (m_ges - 2 * m_4u - m_5u) * p["g"]
    h[:, ALPHA] = 2 * (p["x_12"] * F_12 - p["l_02"] * F_Sp2 - M_B)
    h[:, ALPHA] += p["x_13"] * F_13 - p["l_03"] * F_Sp3 + M_A
    h[:, Y_22] = 2 * (F_12 - F_R2 + m_4u * p["g"])
    h[:, Y_23] = F_13 - F_R3 + m_5u * p["g"]
    h[:, PHI_2] = 2 * ((p["r_2"] - at.q[:, Y_22]) * F_Sp2 - M_B)
    h[:, PHI_3] = (p["r_3"] - at.q[:, Y_23]) * F_Sp3
    if elastic:
        w_0, s_0 = made.functions(1, 0.0)
        (w_2, s_2), (w_3, s_3) = (made.functions(1, p[f"x_1{i}"]) for i in "23")
        l_2, l_3 = p["l_02"], p["l_03"]
        h[:, Q_1] = -np.outer(A + F_S * p["alpha_0"], w_0) - np.outer(M_A, s_0)
        h[:, Q_1] -= 2 * np.outer(F_12 - p["g"] * p["m_2o"], w_2)
        h[:, Q_1] -= np.outer(F_13 - p["g"] * p["m_3o"], w_3)
        h[:, Q_1] += 2 * np.outer(l_2 * F_Sp2 + M_B, s_2) + np.outer(l_3 * F_Sp3, s_3)
        w, s = made.functions(2, l_2)
        h[:, Q_2] = 2 * (np.outer(F_Sp2, w) + np.outer(M_B, s))
        h[:, Q_3] = np.outer(F_Sp3, made.functions(3, l_3)[0])
        h -= at.q @ made.K + at.u @ made.D
    for k, t in enumerate(times.tolist()):
        mine = system.forces(t, at.q[k], at.u[k], at.x[k])
        # rounding of 1e6 N
        np.testing.assert_allclose(h[k], mine, rtol=1e-9, atol=1e-6)


def test_pressures_are_those_of_two_chambers_in_balance() -> None:
    """(14.74), (14.80), (14.81): pistons that share the displaced oil so that pressures agree."""
    sol = landed()
    p, leg = data(sol), forces(sol)["main"]
    K, V_1, V_2, p_1, p_2, n = (p[k] for k in ("K_2", "V_12", "V_22", "p_12", "p_22", "n_p"))
    below = p_1 * (V_1 / (V_1 - K * leg.stroke)) ** n < p_2
    assert 20 < below.sum() < below.size - 20

    def unbalanced(taken: float, oil: float) -> float:
        second = p_2 * (V_2 / (V_2 - oil + taken)) ** n
        return float(p_1 * (V_1 / (V_1 - taken)) ** n - second)

    for stroke, gas, first in list(zip(leg.stroke, leg.gas, below, strict=True))[::7]:
        taken = oil = K * stroke  # of the first chamber, and pushed out of the way
        if not first:
            ends = max(0.0, oil - 0.999 * V_2), min(oil, 0.999 * V_1)
            taken = brentq(unbalanced, *ends, args=(oil,), xtol=1e-18, rtol=1e-15)
        assert gas == pytest.approx(K * p_1 * (V_1 / (V_1 - taken)) ** n, rel=1e-9)


def test_the_force_is_continuous_at_the_change_of_stage_and_its_slope_is_not() -> None:
    """(14.79): slopes n K² p_2/V_L1 and n K² p_2/(V_L1 + V_L2), both from the run."""
    sol = landed()
    p = data(sol)
    switches = sol.events.at_element("main_strut.second")
    assert len(switches) >= 2
    left = p["V_12"] * (p["p_12"] / p["p_22"]) ** (1 / p["n_p"])
    slopes = p["n_p"] * p["K_2"] ** 2 * p["p_22"] / np.array([left, left + p["V_22"]])
    for t in switches.t.tolist():
        around = t + 1e-5 * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
        leg = landing_gear_forces(sol, around)["main"]
        assert leg.gas[2] == pytest.approx(p["K_2"] * p["p_22"], rel=1e-9)
        found = np.diff(leg.gas) / np.diff(leg.stroke)
        pair = np.array([found[0], found[-1]])
        expected = slopes if leg.rate[2] > 0.0 else slopes[::-1]
        # curvature over 30 µm of stroke
        np.testing.assert_allclose(pair, expected, rtol=5e-3)
        # what the element does to the fuselage has no jump either
        system = sol.system
        assert system is not None
        sides = [sol.at(t, side) for side in ("left", "right")]
        h = [system.forces(t, s.q, s.u, s.x)[Y] for s in sides]
        assert h[0] == pytest.approx(h[1], rel=1e-9)
    assert slopes[0] > 2.0 * slopes[1]


@both
def test_guides_follow_coulomb_with_the_bound_of_the_tyre_s_forces(elastic: int) -> None:
    """(14.87), (14.88): what slides has the bound, what sticks no more."""
    sol = landed(elastic)
    p = data(sol)
    for leg, guide, i, sign in (
        (forces(sol)["main"], GUIDE_2, "2", 1), (forces(sol)["nose"], GUIDE_3, "3", -1),
    ):  # fmt: skip
        lever = (p[f"l_g{i}"] + p[f"a_g{i}"]) / (p[f"l_g{i}"] - p[f"a_g{i}"])
        beta = np.arctan(p[f"k_{i}"])
        across = np.sin(beta) * leg.tyre + sign * np.cos(beta) * leg.wheel
        np.testing.assert_allclose(leg.bound, p["mu_G"] * lever * np.abs(across), atol=1e-9)
        size = leg.bound.max()
        slides = sol.contact_state[:, guide] > STICK
        moves = slides & (np.abs(leg.rate) > 1e-6)
        assert moves.sum() > 50
        expected = leg.bound * np.sign(leg.rate)
        np.testing.assert_allclose(leg.friction[moves], expected[moves], atol=1e-7 * size)
        assert (np.abs(leg.friction) <= leg.bound + 1e-7 * size).all()


def test_the_wheels_spin_up_until_they_roll() -> None:
    """(14.66), (14.67): full slip at touchdown, none later; forces by the curve of Fig. 14.24."""
    from nsmb.systems.machines.landing_gear_equations import SLIP_CURVE

    sol = landed()
    leg = forces(sol)["main"]
    p = data(sol)
    loaded = leg.tyre > 1e3
    assert leg.slip[loaded][0] > 0.9
    rolling = np.argmax(loaded & (np.abs(leg.slip) < 0.02))
    assert 0.0 < leg.t[rolling] < 0.15
    curve = PchipInterpolator(*np.array(SLIP_CURVE).T)
    share = np.sign(leg.slip) * curve(np.minimum(np.abs(leg.slip), 1.0))
    np.testing.assert_allclose(leg.wheel, p["mu_Sp"] * share * leg.tyre, atol=1e-6)
    # the impulse that spins the wheels, until they roll for the first time
    t, weights = gauss(sol.t[: rolling + 1])
    on_way = landing_gear_forces(sol, t)["main"]
    spun = weights @ ((p["r_2"] - sol.at(t).q[:, Y_22]) * on_way.wheel)
    # Measured: 4e-7, of Gauss's rule over the kinks of the curve.
    assert spun == pytest.approx(p["I_4"] * sol.u[rolling, PHI_2], rel=1e-5)


# ---- the airplane as a whole --------------------------------------------------------------------


@both
def test_momentum_is_the_impulse_of_what_acts_from_outside(elastic: int) -> None:
    """Down and forwards: gravity, air, thrust and tyres; struts, guides and stops are inside."""
    sol = landed(elastic)
    system = sol.system
    assert system is not None
    p, M = data(sol), system.mass_matrix(0.0, sol.q[0])
    t, weights = gauss(sol.t)
    at, legs = sol.at(t), landing_gear_forces(sol, t)
    A, W, _, F_S = air(p, at.q, at.u)
    mass = M[X, X]
    down = mass * p["g"] - A - 2 * legs["main"].tyre - legs["nose"].tyre
    along = F_S - W - 2 * legs["main"].wheel - legs["nose"].wheel
    p_y = (sol.u[[0, -1]] @ M[[Y, Y_22, Y_23]].T).sum(axis=1)
    p_x = sol.u[[0, -1]] @ M[X]
    # N s; measured: 0.02, of Gauss's rule over the kinks of the slip curve
    assert np.diff(p_y)[0] == pytest.approx(weights @ down, abs=0.1)
    assert np.diff(p_x)[0] == pytest.approx(weights @ along, abs=0.1)
    assert np.diff(p_x)[0] < -5e3
    assert mass * p["v_sink"] > 3e4


@both
def test_the_energy_balance_closes(elastic: int) -> None:
    """As do the laws of contacts, by the library's own check of a run."""
    sol = landed(elastic)
    testing.assert_valid(sol)
    assert sol.energy.relative < 1e-7
    assert sol.energy.friction_loss[-1] > 1e3
    assert sol.energy.impact_loss[-1] > 10.0


@both
def test_stops_are_inelastic(elastic: int) -> None:
    """(14.91), (14.92): Δẏ+ = 0; half m_red Δẏ² is lost where one stop is hit alone."""
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
    """Both free, one blocked, the other, both: each for more than a few milliseconds."""
    sol = landed(elastic)
    legs = forces(sol)
    span = np.diff(sol.t, append=sol.t[-1])
    for main in (False, True):
        for nose in (False, True):
            here = (legs["main"].blocked == main) & (legs["nose"].blocked == nose)
            assert span[here].sum() > 0.01
    # blocked by friction as well as by stops
    stuck = (sol.contact_state[:, [GUIDE_2, GUIDE_3]] == STICK) & (
        sol.contact_state[:, [LOWER_2, LOWER_3]] == OPEN
    ) & (sol.contact_state[:, [UPPER_2, UPPER_3]] == OPEN)  # fmt: skip
    assert stuck.any(axis=0).all()


def test_the_landing_is_that_of_smoothed_friction_and_stops() -> None:
    """All of it, by the printed equations, tanh, stiff springs and another integrator."""
    from nsmb.systems.machines.landing_gear_equations import SLIP_CURVE

    sol = landed()
    smooth = SmoothLanding(data(sol), np.array(SLIP_CURVE), epsilon=1e-3, stiffness=1e10)
    times = np.linspace(0.0, 1.0, 1001)
    q, u = smooth.land(times)
    # m, rad; measured: 0.11 mm, with epsilon 3e-3 and a third of the stiffness 0.22 mm
    np.testing.assert_allclose(sol.at(times).q[:, :5], q[:, :5], atol=3e-4)
    legs = landing_gear_forces(sol, times)
    for name, (i, _, rake, place) in zip(("main", "nose"), LEGS, strict=True):
        F_1, F_R, _ = smooth.leg(i, rake, place, q.T, u.T)
        assert legs[name].tyre.max() == pytest.approx(F_R.max(), rel=1e-3)
        assert legs[name].strut.max() == pytest.approx(F_1.max(), rel=2e-3)


@pytest.mark.parametrize("rtol", [RTOLS[0], RTOLS[-1]])
def test_the_elastic_airplane_lands_and_rolls_for_long(rtol: float) -> None:
    """As test_long_runs has it for the rigid one."""
    outcome = run(Case("landing_gear", {"elastic": 1}, 10.0, rtol))
    assert (outcome.status, outcome.findings) == ("finished", [])


# ---- what the book says of the landing ----------------------------------------------------------


def peaks(sol: nsmb.Solution) -> tuple[float, float, float, float]:
    """Largest F_1 of main and nose strut, and when."""
    legs = forces(sol)
    at = [int(np.argmax(legs[name].strut)) for name in ("main", "nose")]
    return (
        float(legs["main"].strut[at[0]]), float(legs["nose"].strut[at[1]]),
        float(sol.t[at[0]]), float(sol.t[at[1]]),
    )  # fmt: skip


def fall(sol: nsmb.Solution) -> float:
    """How far the mass centre sinks before it first turns round, m."""
    turn = int(np.argmax(sol.u[:, Y] < 0.0))
    return float(sol.q[turn, Y] - sol.q[0, Y])


def test_the_rigid_airplane_lands_as_in_figures_14_29_and_14_30() -> None:
    """Fall about 300 mm, 170 kN at a main leg, 450 kN at the nose, later; fastest at the start."""
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
    """Figs. 14.31, 14.32; the nose strut hits its upper stop."""
    rigid, elastic = landed(0), landed(1)
    assert peaks(elastic)[1] < 0.9 * peaks(rigid)[1]
    assert peaks(elastic)[0] < 0.95 * peaks(rigid)[0]
    assert fall(elastic) == pytest.approx(fall(rigid), rel=0.1)
    assert (elastic.events.of_kind("impact").Lambda_N[:, UPPER_3] > 10.0).any()


def test_the_lowest_mode_of_the_airplane_has_seven_hertz() -> None:
    """By nsmb.analysis.modes at touchdown, struts shut, and in force and stroke velocity of the
    main legs behind the nose's impact, where the rigid airplane has no such line."""
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
            signal = getattr(landing_gear_forces(sol, t)["main"], name)
            rest = (signal - np.polyval(np.polyfit(t, signal, 3), t)) * np.hanning(t.size)
            strongest.append(f[np.argmax(np.abs(np.fft.rfft(rest, 1 << 16)))])
        # Hz; 0.4 s tell 2.5 Hz apart
        assert strongest[1] == pytest.approx(7.0, abs=0.3)
        assert strongest[0] < 6.0


def test_the_stiff_limit_is_the_rigid_airplane() -> None:
    """From touchdown until the struts move: what the bodies still give way goes with 1/EI."""
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
    """(14.65): rolling over a hill of 30 mm; the work of the slope is in the energy balance."""
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
    """(14.68): from t_S on; wheels slip against the flight."""
    free, braked = landed(), landed(M_B=3000.0, t_S=0.6)
    assert braked.at(0.6).u[X] == pytest.approx(free.at(0.6).u[X], rel=1e-9)
    assert braked.u[-1, X] < free.u[-1, X] - 0.1
    late = braked.t > 0.8
    assert np.median(forces(braked)["main"].slip[late]) > 0.001


@pytest.mark.parametrize(
    ("changes", "least"),
    [
        ({"y_min3": 0.6, "y_max3": 0.7}, -1.0),  # at the start
        ({"V_13": 6e-5, "V_23": 2e-5, "p_13": 1.0, "p_23": 2.0}, 0.3),  # too little to bear it
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
        ({"x_13": 9.0}, "'x_13': expected a place on the fuselage"),
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
        landing_gear_forces(sol)
    assert sol.system is not None
    with pytest.raises(ValueError, match="expected a landing_gear, got 'bouncing_ball'"):
        landing_gear_airframe(sol.system)

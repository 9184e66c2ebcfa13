"""Masses and forces of the landing airplane as printed by Pfeiffer & Glocker, section 14.4."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

import nsmb
from nsmb.systems import landing_gear
from tests.systems.examples import Array
from tests.systems.landings import (
    ALPHA,
    GUIDE_2,
    GUIDE_3,
    PHI_2,
    PHI_3,
    Q_1,
    Q_2,
    Q_3,
    STICK,
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

# ---- bodies -------------------------------------------------------------------------------------


class Printed:
    """The printed (14.50)-(14.53) with the corrections noted, for the functions in use."""

    def __init__(self, system: nsmb.System) -> None:
        self.p = dict(system.parameters)
        self.made = landing_gear.airframe(system)
        p = self.p
        shift = (2 * p["m_2o"] * p["x_12"] + p["m_3o"] * p["x_13"]) / p["m_1"]
        self.ends = -0.5 * p["l_1"] - shift, 0.5 * p["l_1"] - shift

    def functions(self, body: int, x: float) -> tuple[Array, Array]:
        w, slope = self.made.functions(body, x)
        return w, slope

    def sections(self, body: int) -> tuple[Array, Array, Array, Array]:
        """Return points, weights, w̄ and w̄' for Gauss quadrature, independent of the splines."""
        a, b = self.ends if body == 1 else (0.0, self.p[f"l_0{body}"])
        x, dx = gauss(np.linspace(a, b, 90))
        w, slope = zip(*(self.functions(body, s) for s in x.tolist()), strict=True)
        return x, dx, np.array(w), np.array(slope)

    def rigid(self) -> Array:
        """Return (14.50)."""
        p = self.p
        m_2, m_3 = p["m_2o"] + p["m_2u"], p["m_3o"] + p["m_3u"]
        m_ges = p["m_1"] + 2 * (m_2 + p["m_4"]) + m_3 + p["m_5"]
        M = np.zeros((7, 7))
        M[X, X] = m_ges
        # l_4,S0 = l_02: legs start on the axis
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
        """Return M_e (14.51) with restored primes, and M_re (14.52)."""
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
    """In (14.50), M_yα vanishes as x_1 starts at the centre of mass of what the legs carry."""
    system = landing_gear()
    M = system.mass_matrix(0.0, system.initial_state.q)
    np.testing.assert_allclose(M, Printed(system).rigid(), rtol=1e-12, atol=1e-9)
    assert np.linalg.eigvalsh(M)[0] > 0.0


def test_the_assembled_elastic_mass_matrix_is_the_printed_one() -> None:
    """The rows are (14.51), (14.52), and zero otherwise."""
    system = landing_gear(elastic=1)
    M = system.mass_matrix(0.0, system.initial_state.q)
    printed = Printed(system)
    M_e, M_re = printed.elastic()
    np.testing.assert_allclose(M[:7, :7], printed.rigid(), rtol=1e-12, atol=1e-9)
    # Measured: 2.5e-6, by Gauss quadrature over the knots of the splines.
    np.testing.assert_allclose(M[7:, 7:], M_e, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(M[:7, 7:], M_re, rtol=1e-5, atol=1e-5)
    assert np.linalg.eigvalsh(M)[0] > 0.0


def test_stiffness_is_the_work_of_bending() -> None:
    """The work (14.47) is ∫ EI w''² by differences of slopes, with the main legs twice."""
    system = landing_gear(elastic=1)
    printed, p = Printed(system), dict(system.parameters)
    K = landing_gear.airframe(system).K
    assert not K[:7].any()
    for body, own, count in ((1, Q_1, 1), (2, Q_2, 2), (3, Q_3, 1)):
        low, high = printed.ends if body == 1 else (0.0, p[f"l_0{body}"])
        x = np.linspace(low, high, 1201)
        slopes = np.array([printed.functions(body, s)[1] for s in x.tolist()])
        bent = np.diff(slopes, axis=0) / (x[1] - x[0])
        work = count * p[f"EI_{body}"] * (x[1] - x[0]) * bent.T @ bent
        # differences over 1/360 of the knot spacing
        np.testing.assert_allclose(K[own, own], work, rtol=1e-4, atol=1e-5 * np.abs(work).max())


# ---- forces -------------------------------------------------------------------------------------


@both
def test_forces_are_the_printed_vector(elastic: int) -> None:
    """(14.48) and (14.53) hold at instants of a landing with brakes, apart from misprints.

    The weight of the upper legs has the sign of row y, rows 4 and 5 have g, brakes are in the pitch
    row only, and bending of the main legs counts twice. Guides are not part of h.
    """
    sol = landed(elastic, M_B=4000.0, t_S=0.3)
    system = sol.system
    assert system is not None
    p, made = data(sol), landing_gear.airframe(system)
    times = np.array([0.02, 0.11, 0.2, 0.29, 0.45, 0.52, 0.56, 0.61, 0.75, 0.97])
    at, legs = sol.at(times), landing_gear.forces(sol, times)
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
    """By (14.74), (14.80), (14.81) pistons share the displaced oil at equal pressures."""
    sol = landed()
    p, leg = data(sol), forces(sol)["main"]
    K, V_1, V_2, p_1, p_2, n = (p[k] for k in ("K_2", "V_12", "V_22", "p_12", "p_22", "n_p"))
    below = p_1 * (V_1 / (V_1 - K * leg.stroke)) ** n < p_2
    assert 20 < below.sum() < below.size - 20

    def unbalanced(taken: float, oil: float) -> float:
        second = p_2 * (V_2 / (V_2 - oil + taken)) ** n
        return float(p_1 * (V_1 / (V_1 - taken)) ** n - second)

    for stroke, gas, first in list(zip(leg.stroke, leg.gas, below, strict=True))[::7]:
        taken = oil = K * stroke  # volume of the first chamber, and displaced oil
        if not first:
            ends = max(0.0, oil - 0.999 * V_2), min(oil, 0.999 * V_1)
            taken = brentq(unbalanced, *ends, args=(oil,), xtol=1e-18, rtol=1e-15)
        assert gas == pytest.approx(K * p_1 * (V_1 / (V_1 - taken)) ** n, rel=1e-9)


def test_the_force_is_continuous_at_the_change_of_stage_and_its_slope_is_not() -> None:
    """At (14.79), slopes are n K² p_2/V_L1 and n K² p_2/(V_L1 + V_L2), both from the run."""
    sol = landed()
    p = data(sol)
    switches = sol.events.at_element("main_strut.second")
    assert len(switches) >= 2
    left = p["V_12"] * (p["p_12"] / p["p_22"]) ** (1 / p["n_p"])
    slopes = p["n_p"] * p["K_2"] ** 2 * p["p_22"] / np.array([left, left + p["V_22"]])
    for t in switches.t.tolist():
        around = t + 1e-5 * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
        leg = landing_gear.forces(sol, around)["main"]
        assert leg.gas[2] == pytest.approx(p["K_2"] * p["p_22"], rel=1e-9)
        found = np.diff(leg.gas) / np.diff(leg.stroke)
        pair = np.array([found[0], found[-1]])
        expected = slopes if leg.rate[2] > 0.0 else slopes[::-1]
        # curvature over 30 µm of stroke
        np.testing.assert_allclose(pair, expected, rtol=5e-3)
        # the force of the element on the fuselage is also continuous
        system = sol.system
        assert system is not None
        sides = [sol.at(t, side) for side in ("left", "right")]
        h = [system.forces(t, s.q, s.u, s.x)[Y] for s in sides]
        assert h[0] == pytest.approx(h[1], rel=1e-9)
    assert slopes[0] > 2.0 * slopes[1]


@both
def test_guides_follow_coulomb_with_the_bound_of_the_tyre_s_forces(elastic: int) -> None:
    """Friction equals the bound (14.87), (14.88) in sliding and does not exceed it in sticking."""
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
    """By (14.66), (14.67) slip is full at touchdown and zero later.

    Forces follow the curve of Fig. 14.24.
    """
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
    on_way = landing_gear.forces(sol, t)["main"]
    spun = weights @ ((p["r_2"] - sol.at(t).q[:, Y_22]) * on_way.wheel)
    # Measured: 4e-7, by Gauss quadrature over the kinks of the curve.
    assert spun == pytest.approx(p["I_4"] * sol.u[rolling, PHI_2], rel=1e-5)

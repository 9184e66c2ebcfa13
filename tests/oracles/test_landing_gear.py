"""The regularised landing airplane agrees with closed forms."""

import numpy as np
import pytest

from tests.oracles.landing_gear import LEGS, SmoothLanding

CURVE = np.array([(0.0, 0.0), (0.1, 1.0), (1.0, 0.5)])


def data() -> dict[str, float]:
    """Return the data of an airplane in vacuum. Tests set tyres and struts."""
    common = {"m_1": 7000.0, "l_1": 10.0, "I_1z": 200.0, "g": 9.81, "n_p": 1.25, "v_x": 50.0}
    common |= {"m_4": 70.0, "m_5": 30.0, "I_4": 4.0, "I_5": 1.0, "v_sink": 2.0, "alpha": 0.1}
    still = ("rho", "F_B", "l_mu", "alpha_0", "c_A_alpha", "a_0", "a_1", "a_2", "c_M0", "c_M_A")
    common |= dict.fromkeys((*still, "c_M_q", "F_S0", "k", "mu_Sp", "mu_G"), 0.0)
    for i, x in (("2", -1.0), ("3", 4.0)):
        common |= {f"m_{i}o": 80.0, f"m_{i}u": 40.0, f"I_{i}z": 0.1, f"x_1{i}": x, f"l_0{i}": 1.5}
        common |= {f"K_{i}": 1e-2, f"V_1{i}": 4e-3, f"V_2{i}": 2e-3, f"p_1{i}": 1e6}
        common |= {f"p_2{i}": 4e6, f"oil_in{i}": 0.0, f"oil_out{i}": 0.0, f"r_{i}": 0.4}
        common |= {f"y_min{i}": 0.0, f"y_max{i}": 0.3, f"k_{i}": 0.1, f"l_g{i}": 1.0}
        common |= {f"a_g{i}": 0.5, f"s_1{i}": 0.1, f"s_2{i}": 0.2}
        common |= {f"c_{k}{i}": 0.0 for k in (1, 2, 3)}
    return common


def test_without_tyres_all_of_it_falls_freely() -> None:
    """The gas force of 10 kN over the stiffness is the penetration of the lower stops."""
    t = np.linspace(0.0, 0.5, 51)
    q, u = SmoothLanding(data(), CURVE, 1e-3, 1e9).land(t)
    way = 2.0 * t + 0.5 * 9.81 * t**2
    for place in (1, 3, 4):
        np.testing.assert_allclose(q[:, place] - q[0, place], way, atol=2e-5)
    np.testing.assert_allclose(q[:, 2], 0.1, atol=1e-5)
    np.testing.assert_allclose(u[:, 0], 50.0, atol=1e-4)


def test_forces_are_those_of_the_formulas_at_given_places() -> None:
    p = data() | {"c_12": 1e6, "c_22": 2e6, "c_32": 4e6, "mu_Sp": 0.8, "oil_in2": 1e4}
    made = SmoothLanding(p, CURVE, 1e-3, 1e9)
    q, u = np.zeros(7), np.zeros(7)
    q[1], q[3], u[0], u[1], u[5] = 0.35, 0.25, 50.0, 2.0, 0.0
    strut, load, drag = made.leg(*LEGS[0][::2], 3, q, u)
    assert load == pytest.approx(0.1 * 1e6 + 0.1 * 2e6 + 0.05 * 4e6)
    assert drag == pytest.approx(0.8 * 0.5 * load)  # full slip
    gas = 1e-2 * 1e6 * (4e-3 / (4e-3 - 1e-2 * 0.1)) ** 1.25
    assert strut == pytest.approx(gas + 1e4 * 2.0**2)

"""Parabola on a straight line from contours: section 4.6, regression values to ten digits."""

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb._core import geometry as core

A, B, P_1, P_2 = 0.7, 0.5, 1.3, 0.8
HALF_DIGIT = 5.1e-11  # values have ten decimals


def damper(law=None, **start):
    m = nsmb.Model()
    platform = m.add_body("platform", mass=2.0)
    body = m.add_body("damper", mass=1.0, inertia=0.1)
    m.add_joint("z", joints.Prismatic((1, 0)), m.ground, platform)
    m.add_joint("damper", joints.Planar(), m.ground, body)
    m.add_contact(
        platform.contour("line", geometry.Line((0.0, B), (1.0, A))),
        body.contour("parabola", geometry.Parabola(P_1, P_2)),
        law or nsmb.ContactLaw(),
        name="contact",
    )
    return m.build(**start)


@pytest.fixture
def system():
    return damper(
        initial={"z": 0.1, "damper": [0.3, -0.4, 0.2]},
        velocities={"z": 0.3, "damper": [-0.2, 0.6, 0.9]},
    )


def test_regression_values(system) -> None:
    state = system.initial_state
    k = system.contact_kinematics(0.0, state.q, state.u)
    order = [0, 3, 1, 2]  # (z, phi, x, y) of the book

    def near(value):
        return pytest.approx(value, abs=HALF_DIGIT, rel=0)

    assert k["g_N"] == near(0.0850973666)
    assert k["W_N"][order, 0] == near([-0.5734623444, -0.1512902554, 0.5734623444, -0.8192319205])
    # Here b = +e_z: the tangents are reversed.
    assert -k["W_T"][order, 0] == near([-0.8192319205, -0.7669038307, 0.8192319205, 0.5734623444])
    assert k["W_N"].T @ state.u == near(-0.9144315544)
    assert -k["W_T"].T @ state.u == near(-0.7557520013)
    assert k["w_bar_N"] == near(0.2169481688)
    assert -k["w_bar_T"] == near(-0.1225451069)
    assert not k["w_tilde_N"].any()
    sigma = k["sigma"][0, 1]
    assert -sigma == near(-0.1674979151)
    point = geometry.Parabola(P_1, P_2).at(sigma)
    assert point.kappa[0] == near(2.0037406422)

    c, s = np.cos(0.2), np.sin(0.2)
    arm = np.array([[c, -s], [s, c]]) @ point.r[0]
    v_2 = np.array([-0.2, 0.6]) + 0.9 * np.array([-arm[1], arm[0]])
    t_1 = np.array([1.0, A]) / np.hypot(1.0, A)
    rates = core.contact_rates(t_1, 0.0, point.kappa[0], k["g_N"][0], [0.3, 0.0], v_2, 0.0, 0.9)
    # The book traverses the parabola in the other direction (b = -e_z), as with σ_2 above: -ṡ_2 is
    # its rate.
    assert -rates["sdot_2"] == near(0.4491599267)
    assert -rates["sdot_2"] / point.speed[0] == near(0.4118038368)


def test_same_motion_as_with_formulas_written_by_hand() -> None:
    """`nsmb.systems.parabola_on_line` implements (4.48)-(4.55)."""
    by_hand = nsmb.systems.parabola_on_line(c=0.0, F=0.0, e_N=0.4)
    system = damper(
        nsmb.ContactLaw(mu=0.3, e_N=0.4),
        initial={"z": 0.1, "damper": [0.3, -0.4, 0.2]},
        velocities={"z": 0.3, "damper": [-0.2, 0.6, 0.9]},
    )
    tight = nsmb.EventDriven(impact_law="poisson", rtol=1e-11)
    one, two = (nsmb.simulate(each, 0.5, method=tight) for each in (system, by_hand))
    assert one.events.kinds == two.events.kinds
    assert "impact" in one.events.kinds
    assert one.events.t == pytest.approx(two.events.t, abs=1e-10)
    assert one.q[-1] == pytest.approx(two.q[-1][[0, 2, 3, 1]], abs=1e-9)
    assert one.events.Lambda_N == pytest.approx(two.events.Lambda_N, abs=1e-10)
    assert one.events.Lambda_T == pytest.approx(-two.events.Lambda_T, abs=1e-10)

"""Bodies, force elements and single quantities of a run by name."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import nsmb
from nsmb import joints

G = 9.81


def thrown_rod() -> nsmb.Solution:
    """A rod of 2 kg in free flight in space."""
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    rod = m.add_body("rod", mass=2.0, inertia=(0.02, 0.3, 0.3))
    m.add_joint("free", joints.Free(), m.ground, rod)
    start = {"free": (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)}
    return nsmb.simulate(m.build(start, {"free": (3.0, 0.0, 2.0, 4.0, 0.0, 0.0)}), 0.5)


def test_a_body_moves_as_its_parabola_and_turns_as_it_began() -> None:
    sol = thrown_rod()
    rod, t = sol.bodies["rod"], sol.t
    assert list(sol.bodies) == ["rod"]
    zero = np.zeros_like(t)
    path = np.stack([3.0 * t, zero, 1.0 + 2.0 * t - G * t**2 / 2], axis=1)
    np.testing.assert_allclose(rod.position, path, atol=1e-9)
    np.testing.assert_allclose(
        rod.velocity, np.stack([zero + 3.0, zero, 2.0 - G * t], axis=1), atol=1e-9
    )
    np.testing.assert_allclose(
        rod.angular_velocity, np.outer(zero + 1.0, [4.0, 0.0, 0.0]), atol=1e-9
    )
    tip, speed = rod.at((0.0, 0.5, 0.0))
    turn = np.stack([zero, 0.5 * np.cos(4.0 * t), 0.5 * np.sin(4.0 * t)], axis=1)
    np.testing.assert_allclose(tip, path + turn, atol=1e-8)
    np.testing.assert_allclose(speed, rod.velocity + np.cross([4.0, 0.0, 0.0], turn), atol=1e-7)
    own = rod.in_body_axes(tip - rod.position)
    np.testing.assert_allclose(own, np.outer(zero + 1.0, [0.0, 0.5, 0.0]), atol=1e-12)
    np.testing.assert_allclose(rod.energy.kinetic, sol.energy.kinetic, rtol=1e-12)
    assert (rod.contact_force == 0.0).all()
    assert list(rod.to_dataframe())[:2] == ["t", "position_x"]
    with pytest.raises(ValueError, match="point: expected shape"):
        rod.at((1.0, 2.0, 3.0, 4.0))


def test_a_spring_between_two_carts_pulls_as_hooke_says() -> None:
    """Two carts on a rail, 1 kg each, and a spring of 50 N/m that is 0.1 m too long."""
    m = nsmb.Model()
    carts = []
    for k, name in enumerate(("left", "right")):
        cart = m.add_body(name, mass=1.0, inertia=1.0)
        m.add_joint(name, joints.Prismatic(), m.ground, cart, at=(0.5 * k, 0.0))
        carts.append(cart)
    m.add_spring_damper("spring", *carts, c=50.0, free_length=0.4)
    m.add_torsion_spring("brake", "left", c=0.0, d=0.5)
    sol = nsmb.simulate(m.build(), 1.0, rtol=1e-11)
    spring, brake = sol.elements["spring"], sol.elements["brake"]
    assert list(sol.elements) == ["spring", "brake"]
    length = 0.5 + sol["right"] - sol["left"]
    np.testing.assert_allclose(spring.length, length, atol=1e-14)
    np.testing.assert_allclose(spring.rate, sol["right_dot"] - sol["left_dot"], atol=1e-14)
    np.testing.assert_allclose(spring.force, -50.0 * (length - 0.4), atol=1e-12)
    np.testing.assert_allclose(brake.force, -0.5 * sol["left_dot"], atol=1e-14)
    assert spring.between == ("left", "right")
    assert brake.between is None
    # What the spring gives is what the carts have, and what the brake has taken.
    stored = 25.0 * (length - 0.4) ** 2
    np.testing.assert_allclose(spring.work, stored[0] - stored, atol=1e-10)
    np.testing.assert_allclose(spring.work + brake.work, sol.energy.kinetic, atol=1e-10)
    assert list(spring.to_dataframe()) == ["t", "length", "rate", "force", "power"]


def test_a_constant_motor_does_its_work_forward() -> None:
    """+1 N m on a joint turns it forward."""
    m = nsmb.Model()
    disc = m.add_body("disc", mass=1.0, inertia=0.5)
    m.add_joint("hinge", joints.Revolute(), m.ground, disc)
    torque = nsmb.Input("torque", 1.0, unit="N m")
    m.add_joint_force("motor", "hinge", torque)
    sol = nsmb.simulate(m.build(), 2.0)
    assert sol["hinge_dot"][-1] == pytest.approx(4.0, rel=1e-12)
    np.testing.assert_array_equal(sol["torque"], np.ones(sol.t.size))
    np.testing.assert_array_equal(sol.elements["motor"].force, np.ones(sol.t.size))
    assert sol.elements["motor"].work[-1] == pytest.approx(4.0, rel=1e-9)


def test_elements_with_switching_are_elements_too() -> None:
    sol = nsmb.simulate(nsmb.systems.spring_damper_wall(), 0.5)
    assert len(sol.elements) == 1
    wall = sol.elements[sol.element_names[0]]
    np.testing.assert_array_equal(wall.length, sol.element_gamma[:, 0])
    np.testing.assert_array_equal(wall.force, sol.element_force[:, 0])
    h = 1e-6
    for k in range(5, sol.t.size - 5, 50):
        t = float(sol.t[k])
        before, after = (
            sol.system.element_kinematics(time, sol.at(time).q)["gamma"][0]
            for time in (t - h, t + h)
        )
        assert wall.rate[k] == pytest.approx((after - before) / (2 * h), rel=1e-4, abs=1e-6)
    with pytest.raises(ValueError, match=r"work: .*Use sol\.energy\.element_loss"):
        wall.work  # noqa: B018 - it raises


def test_quantities_are_read_by_their_names() -> None:
    toy = nsmb.systems.woodpecker()
    sol = nsmb.simulate(toy, 0.3)
    np.testing.assert_array_equal(sol["phi_S"], sol.q[:, 2])
    np.testing.assert_array_equal(sol["phi_S_dot"], sol.u[:, 2])
    sample = sol.at([0.1, 0.2])
    np.testing.assert_array_equal(sample["y"], sample.q[:, 0])
    assert copy.deepcopy(sample)["y_dot"].shape == (2,)
    with nsmb.Simulator(toy) as simulator:
        simulator.reset()
        simulator.advance(0.1)
        assert simulator["y"] == simulator.q[0]
        assert simulator["y_dot"] == simulator.u[0]
        with pytest.raises(
            KeyError, match=r"name 'phi_s': expected one of y, .*did you mean 'phi_S'"
        ):
            simulator["phi_s"]
    for asked in (sol, sample):
        with pytest.raises(KeyError, match="did you mean 'phi_S'"):
            asked["phi_s"]
        with pytest.raises(TypeError, match=r"\[\.\.\.\]: must be a name, got 0\. Use the arrays"):
            asked[0]  # type: ignore[index]


def test_parts_that_are_not_there_are_told() -> None:
    sol = thrown_rod()
    with pytest.raises(KeyError, match="force element 'spring': expected none"):
        sol.elements["spring"]
    with pytest.raises(TypeError, match="bodies"):
        sol.bodies[0]  # type: ignore[index]
    with pytest.raises(TypeError, match="elements"):
        sol.elements[0]  # type: ignore[index]
    assert repr(sol.elements) == "Elements: none"
    assert repr(sol.bodies) == "Bodies: rod"

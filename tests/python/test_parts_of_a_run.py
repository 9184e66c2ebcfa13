"""Bodies, force elements and single quantities of a run by name."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import joints

G = 9.81


def thrown_rod() -> nsmb.Solution:
    """Return a run of a rod of 2 kg in free flight."""
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
    data = rod.to_xarray()
    np.testing.assert_array_equal(data["position_y"].sel(t=0.0), rod.position[0, 1])
    assert (data.attrs["name"], [*data.dims]) == ("rod", ["t"])
    with pytest.raises(ValueError, match="point: expected shape"):
        rod.at((1.0, 2.0, 3.0, 4.0))


def test_a_spring_between_two_carts_pulls_as_hooke_says() -> None:
    """Two carts of 1 kg on a rail have a spring of 50 N/m that is stretched by 0.1 m."""
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
    # The spring's work is the carts' energy plus the loss of the brake.
    stored = 25.0 * (length - 0.4) ** 2
    np.testing.assert_allclose(spring.work, stored[0] - stored, atol=1e-10)
    np.testing.assert_allclose(spring.work + brake.work, sol.energy.kinetic, atol=1e-10)
    assert list(spring.to_dataframe()) == ["t", "length", "rate", "force", "power"]


def test_a_constant_motor_does_its_work_forward() -> None:
    """A moment of +1 N m rotates its joint forward."""
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
    with pytest.raises(ValueError, match=r"work: .*Use sol\.energy\.parts\["):
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
    with pytest.raises(KeyError, match="force element 'spring': expected no name"):
        sol.elements["spring"]
    with pytest.raises(TypeError, match="bodies"):
        sol.bodies[0]  # type: ignore[index]
    with pytest.raises(TypeError, match="elements"):
        sol.elements[0]  # type: ignore[index]
    assert repr(sol.elements) == "Elements: none"
    assert repr(sol.bodies) == "Bodies: rod"


@dataclass(frozen=True, kw_only=True)
class LiftParameters(nsmb.Parameters):
    c: float = nsmb.parameter(100.0, "N/m", "Stiffness")
    height: float = nsmb.parameter(0.2, "m", "Of the rail")
    slope: float = nsmb.parameter(0.0, "rad", "Of the rail and its stop")


@nsmb.parametric(LiftParameters)
def lift(p: LiftParameters) -> nsmb.System:
    """Return a block on a spring that presses on its rail."""
    m = nsmb.Model(gravity=(0.0, -G))
    block = m.add_body("block", mass=2.0, inertia=0.01)
    m.add_joint("x", joints.Prismatic(), m.ground, block, at=(0.0, p.height), angle=p.slope)
    m.add_torsion_spring("spring", "x", c=p.c)
    end = block.contour("end", nsmb.geometry.Circle(0.1))
    wall = m.ground.contour("wall", nsmb.geometry.Line(), at=(0.0, p.height), angle=p.slope + 1.5)
    m.add_contact(wall, end, name="wall")
    return m.build({"x": -0.2}, {"x": 0.3})


def test_parts_have_the_parameters_of_their_time() -> None:
    """Each piece agrees with a separate run with its parameters."""
    later = {"c": 300.0, "height": 0.5, "slope": 0.2}
    with nsmb.Simulator(lift()) as simulator:
        simulator.reset()
        for k in range(1, 5):
            simulator.advance(0.05 * k)
        end = simulator.solution.t.size
        simulator.set_parameters(**later)
        for k in range(5, 9):
            simulator.advance(0.05 * k)
        sol = simulator.solution
    for piece, system in ((slice(0, end), lift()), (slice(end, None), lift(**later))):
        t, q, u = sol.t[piece], sol.q[piece], sol.u[piece]
        assert isinstance(system, nsmb.MultibodySystem)
        c = system.parameters["c"]
        spring, block = sol.elements["spring"], sol.bodies["block"]
        np.testing.assert_allclose(spring.force[piece], -c * q[:, 0], rtol=1e-14)
        np.testing.assert_array_equal(block.position[piece], system.motion("block", t, q, u)[0])
        slope = system.parameters["slope"]
        along = np.array([np.cos(slope), np.sin(slope), 0.0])
        contact, rail = sol.contacts["wall"], sol.joints["x"]
        np.testing.assert_allclose(rail.force[piece] @ along, spring.force[piece], atol=1e-12)
        pressed = contact.closed[piece]
        angle = slope + 1.5 + np.pi / 2.0
        normal = np.array([np.cos(angle), np.sin(angle), 0.0])
        np.testing.assert_allclose(contact.normal[piece][pressed] @ normal, 1.0, rtol=1e-12)
    with pytest.raises(ValueError, match=r"work: must be read from a run with the same parameters"):
        sol.elements["spring"].work  # noqa: B018 - it raises


def test_force_laws_of_a_file_are_known_with_its_system(tmp_path: Path) -> None:
    m = nsmb.Model()
    disc = m.add_body("disc", mass=1.0, inertia=0.5)
    m.add_joint("hinge", joints.Revolute(), m.ground, disc)
    m.add_torsion_spring("spring", "hinge", c=2.0)
    sol = nsmb.simulate(m.build({"hinge": 0.3}), 0.1)
    sol.save(tmp_path / "run.npz")
    loaded = nsmb.Solution.load(tmp_path / "run.npz")
    assert repr(loaded.elements) == "Elements: none (force laws are known with solution.system)"
    with pytest.raises(ValueError, match=r"Set solution\.system"):
        loaded.elements["spring"]
    loaded.system = sol.system
    np.testing.assert_array_equal(loaded.elements["spring"].force, sol.elements["spring"].force)


def test_modes_of_gears_have_no_force_of_their_own() -> None:
    """The teeth carry the load, and forces of modes are not reported as zero."""
    m = nsmb.Model()
    one, two = (m.add_body(name, mass=1.0, inertia=2e-3) for name in ("one", "two"))
    gear = nsmb.gears.Gear(z=20, m_n=2e-3, width=0.02)
    pair = nsmb.gears.GearPair(gear_1=gear, gear_2=gear.mate(30))
    m.add_joint("first", joints.Revolute(), m.ground, one)
    m.add_joint("second", joints.Revolute(), m.ground, two, at=(pair.a_0, 0.0))
    m.add_gear_pair("gears", one, two, pair, phases=(0.0, pair.phase_2(0.0)))
    m.add_joint_force("motor", "first", lambda t, q, u: 2.0)
    sol = nsmb.simulate(m.build(), 0.005)
    assert np.abs(sol.joints["first"].force).max() > 10.0
    mode = sol.elements["gears.left"]
    for name in ("force", "rate", "power"):
        with pytest.raises(ValueError, match=r"got a mode of 'gears', .*Use sol\.joints"):
            getattr(mode, name)
    assert list(mode.to_dataframe()) == ["t", "length"]
    assert repr(mode) == "Element 'gears.left': a mode of 'gears'"
    assert sol.elements["motor"].force[-1] == 2.0

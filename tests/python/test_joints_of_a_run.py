"""Forces and moments of joints: closed forms, momentum, the same mechanism as another tree."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G = 9.81
EXACT = nsmb.EventDriven(rtol=1e-11)


def test_a_pendulum_pulls_at_its_hinge() -> None:
    """The force is m (r̈ - g), with φ̈ = -(m g s / I) sin φ."""
    m, s, inertia = 2.0, 0.4, 0.05 + 2.0 * 0.4**2
    model = nsmb.Model(gravity=(0.0, -G))
    rod = model.add_body("rod", mass=m, inertia=0.05, center=(0.0, -s))
    model.add_joint("hinge", joints.Revolute(), model.ground, rod)
    sol = nsmb.simulate(model.build({"hinge": 1.0}), 2.0, method=EXACT)
    hinge = sol.joints["hinge"]
    phi, omega = sol["hinge"], sol["hinge_dot"]
    alpha = -m * G * s / inertia * np.sin(phi)
    x = m * s * (alpha * np.cos(phi) - omega**2 * np.sin(phi))
    y = m * s * (alpha * np.sin(phi) + omega**2 * np.cos(phi)) + m * G
    np.testing.assert_allclose(hinge.force[:, 0], x, atol=1e-11)
    np.testing.assert_allclose(hinge.force[:, 1], y, atol=1e-11)
    np.testing.assert_allclose(hinge.moment, 0.0, atol=1e-11)
    assert hinge.bodies == ("ground", "rod")
    np.testing.assert_array_equal(hinge.force_on("ground"), -hinge.force)
    assert list(hinge.coordinates) == ["hinge"]
    assert list(hinge.rates) == ["hinge_dot"]


def test_a_spinning_wheel_resists_the_rotation_of_its_axis() -> None:
    """With a platform at Ω about e_z and a wheel at ω about its e_x, I ω Ω acts about e_y."""
    model = nsmb.Model()
    platform = model.add_body("platform", mass=1.0, inertia=(1.0, 1.0, 1.0))
    turn = np.polynomial.Polynomial([0.2, 0.7])
    model.add_joint("axis", joints.Revolute(), model.ground, platform, motion=turn)
    wheel = model.add_body("wheel", mass=3.0, inertia=(0.2, 0.1, 0.1))
    model.add_joint("spin", joints.Revolute((1.0, 0.0, 0.0)), platform, wheel, at=(0.5, 0.0, 0.0))
    sol = nsmb.simulate(model.build(velocities={"spin": 50.0}), 1.0, method=EXACT)
    angle = 0.2 + 0.7 * sol.t
    along = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
    across = np.stack([-np.sin(angle), np.cos(angle), np.zeros_like(angle)], axis=1)
    spin = sol.joints["spin"]
    np.testing.assert_allclose(spin.moment, 0.2 * 50.0 * 0.7 * across, atol=1e-10)
    np.testing.assert_allclose(spin.force, -3.0 * 0.5 * 0.7**2 * along, atol=1e-10)
    np.testing.assert_allclose(sol.joints["axis"].force, spin.force, atol=1e-10)  # its own at rest


def arm(**options: object) -> nsmb.Solution:
    """Return a run of three spatial links with various joints, spring, motor, friction and stop."""
    model = nsmb.Model(gravity=(0.3, -0.2, -G))
    one = model.add_body("one", mass=1.0, inertia=(0.02, 0.03, 0.04), center=(0.1, 0.05, 0.0))
    two = model.add_body("two", mass=0.7, inertia=(0.01, 0.02, 0.015), center=(0.2, 0.0, 0.02))
    three = model.add_body("three", mass=0.4, inertia=(0.01, 0.01, 0.02), center=(0.0, 0.1, 0.1))
    model.add_joint("base", joints.Universal(), model.ground, one, at=(0.0, 0.0, 1.0))
    model.add_joint("slide", joints.Cylindrical(), one, two, at=(0.3, 0.0, 0.0))
    model.add_joint("wrist", joints.Spherical(), two, three, at=(0.4, 0.0, 0.0))
    model.add_spring_damper("spring", model.ground, two, c=40.0, d=0.5, free_length=0.5)
    model.add_joint_force("motor", "slide.angle", lambda t, q, u: 0.3 * np.cos(5.0 * t))
    model.add_joint_friction("rub", "slide.shift", 0.4)
    model.add_stop("slide.shift", lower=-0.05, upper=0.05, law=nsmb.ContactLaw(e_N=0.5))
    start = {"slide.shift": 0.0}
    return nsmb.simulate(model.build(start), 0.6, method=EXACT, **options)


def momentum_rates(sol: nsmb.Solution, t: float, h: float = 1e-5) -> tuple[np.ndarray, np.ndarray]:
    """Return the rates of momentum and angular momentum about the origin, to fourth order."""
    system = sol.system
    assert isinstance(system, nsmb.MultibodySystem)
    rows = []
    for k in (-2, -1, 1, 2):
        now = sol.at(t + k * h)
        rows.append(np.concatenate(system.momentum(t + k * h, now.q, now.u)))
    rate = (rows[0] - 8.0 * rows[1] + 8.0 * rows[2] - rows[3]) / (12.0 * h)
    return rate[:3], rate[3:]


def test_the_base_of_an_arm_carries_all_that_is_on_it() -> None:
    """Its force and moment, weight and the spring to the ground change the momentum."""
    sol = arm()
    assert len(sol.events.of_kind("impact")) > 0
    base, spring = sol.joints["base"], sol.elements["spring"]
    gravity = np.array([0.3, -0.2, -G])
    system = sol.system
    assert isinstance(system, nsmb.MultibodySystem)
    masses = {"one": (1.0, (0.1, 0.05, 0.0)), "two": (0.7, (0.2, 0.0, 0.02)),
              "three": (0.4, (0.0, 0.1, 0.1))}  # fmt: skip
    checked = 0
    for k in range(20, sol.t.size - 20, 97):
        if np.abs(sol.events.t - sol.t[k]).min() < 1e-4:
            continue
        force, moment = base.force[k].copy(), base.moment[k].copy()
        moment += np.cross(base.point[k], base.force[k])
        for name, (mass, center) in masses.items():
            place = sol.bodies[name].at(center)[0][k]
            force += mass * gravity
            moment += np.cross(place, mass * gravity)
        end = sol.bodies["two"].position[k]
        push = spring.force[k] * end / np.linalg.norm(end)
        force, moment = force + push, moment + np.cross(end, push)
        p_dot, L_dot = momentum_rates(sol, float(sol.t[k]))
        np.testing.assert_allclose(force, p_dot, atol=2e-6)
        np.testing.assert_allclose(moment, L_dot, atol=2e-6)
        checked += 1
    assert checked > 5


def test_forces_on_a_link_are_those_of_its_two_joints() -> None:
    """For the middle link, m r̈ is the sum of both joints, spring and weight."""
    sol = arm()
    h, link = 1e-5, sol.bodies["two"]
    system = sol.system
    assert isinstance(system, nsmb.MultibodySystem)
    for k in range(30, sol.t.size - 30, 151):
        t = float(sol.t[k])
        if np.abs(sol.events.t - t).min() < 1e-4:
            continue
        times = t + h * np.array([-2.0, -1.0, 1.0, 2.0])
        now = sol.at(times)
        r, A, v, w = system.motion("two", times, now.q, now.u)
        speed = v + np.cross(w, A @ np.array([0.2, 0.0, 0.02]))
        a = (speed[0] - 8.0 * speed[1] + 8.0 * speed[2] - speed[3]) / (12.0 * h)
        end = link.position[k]
        push = sol.elements["spring"].force[k] * end / np.linalg.norm(end)
        total = sol.joints["slide"].force_on("two")[k] + sol.joints["wrist"].force_on("two")[k]
        np.testing.assert_allclose(
            total + push + 0.7 * np.array([0.3, -0.2, -G]), 0.7 * a, atol=2e-6
        )
        assert r.shape == (4, 3)


# ---- the same mechanism on another tree ----

LENGTHS = {"crank": 0.1, "coupler": 0.3, "rocker": 0.25}


@cache
def four_bar(loop: str) -> nsmb.Solution:
    """Return a driven four-bar in which the named joint closes the loop.

    The rocker pushes against a bumper.
    """
    crank, coupler, rocker = LENGTHS.values()
    angle = 0.6
    a = crank * np.array([np.cos(angle), np.sin(angle)])
    b = np.array([0.3, 0.0])
    d = b - a
    base = np.arctan2(d[1], d[0])
    length = np.hypot(*d)
    own = base + np.arccos((coupler**2 + length**2 - rocker**2) / (2.0 * coupler * length))
    c = a + coupler * np.array([np.cos(own), np.sin(own)])
    back = np.arctan2(*(c - b)[::-1])
    model = nsmb.Model(gravity=(0.0, -G))
    bodies = {
        name: model.add_body(name, mass=1.0 + k, inertia=0.01, center=(0.4 * LENGTHS[name], 0.01))
        for k, name in enumerate(LENGTHS)
    }
    turn = np.polynomial.Polynomial([angle, 6.0])
    model.add_joint("shaft", joints.Revolute(), model.ground, bodies["crank"], motion=turn)
    ends = {
        "knee": (bodies["crank"], bodies["coupler"], (crank, 0.0), (0.0, 0.0)),
        "pin": (bodies["coupler"], bodies["rocker"], (coupler, 0.0), (rocker, 0.0)),
        "pivot": (model.ground, bodies["rocker"], (0.3, 0.0), (0.0, 0.0)),
    }
    start = {"knee": own - angle, "pin": back - own, "pivot": back}
    for name, (first, second, at, at_2) in ends.items():
        if name == loop:
            continue
        model.add_joint(name, joints.Revolute(), first, second, at=at, at_2=at_2)
    first, second, at, at_2 = ends[loop]
    model.add_loop(loop, joints.Revolute(), first, second, at=at, at_2=at_2)
    del start[loop]
    return nsmb.simulate(model.build(start), 1.0, method=EXACT, output_step=0.02)


@pytest.mark.parametrize("name", ["shaft", "knee", "pin", "pivot"])
def test_joints_transmit_the_same_whether_they_close_the_loop(name: str) -> None:
    pin, pivot = four_bar("pin"), four_bar("pivot")
    np.testing.assert_array_equal(pin.t, pivot.t)
    ours, theirs = pin.joints[name], pivot.joints[name]
    size = np.abs(ours.force).max()
    np.testing.assert_allclose(ours.force, theirs.force, atol=1e-7 * size)
    np.testing.assert_allclose(ours.moment, theirs.moment, atol=1e-7 * size)
    np.testing.assert_allclose(ours.point, theirs.point, atol=1e-8)


def test_the_shaft_gives_what_the_energy_gains() -> None:
    """Its moment times 6 rad/s is the rate of energy."""
    sol = four_bar("pin")
    power = 6.0 * sol.joints["shaft"].moment[:, 2]
    energy = sol.energy.kinetic + sol.energy.potential
    later = nsmb.simulate(sol.system, 1.0, method=EXACT, output_step=0.001)
    fine = 6.0 * later.joints["shaft"].moment[:, 2]
    steps = np.diff(later.t)
    work = np.concatenate([[0.0], np.cumsum(0.5 * steps * (fine[1:] + fine[:-1]))])
    bodies = [later.bodies[name].energy.kinetic for name in LENGTHS]
    total = np.sum(bodies, axis=0)
    for k, name in enumerate(LENGTHS):
        center = later.bodies[name].at((0.4 * LENGTHS[name], 0.01))[0]
        total = total + (1.0 + k) * G * center[:, 1]
    np.testing.assert_allclose(total - total[0], work, atol=1e-4 * np.abs(work).max())
    assert power.size == energy.size


def test_a_guide_holds_what_a_contact_pushes_aside() -> None:
    """A driven table presses on a block on a rail from below, and the rail carries the friction."""
    model = nsmb.Model(gravity=(0.0, -G))
    table = model.add_body("table", mass=1.0, inertia=0.1)
    speed = np.polynomial.Polynomial([0.0, 0.5])
    model.add_joint("belt", joints.Prismatic(), model.ground, table, motion=speed)
    block = model.add_body("block", mass=2.0, inertia=0.1)
    model.add_joint("rail", joints.Prismatic((0.0, 1.0, 0.0)), model.ground, block)
    disc = block.contour("disc", geometry.Circle(0.1))
    model.add_contact(table.contour("top", geometry.Line()), disc, nsmb.ContactLaw(mu=0.3), "rub")
    sol = nsmb.simulate(model.build({"rail": 0.1}), 0.1)
    rail = sol.joints["rail"]
    np.testing.assert_allclose(rail.force[:, 0], -0.3 * 2.0 * G, rtol=1e-12)
    np.testing.assert_allclose(rail.force[:, 1], 0.0, atol=1e-12)
    # Friction acts a radius below the rail's frame on the block.
    np.testing.assert_allclose(rail.moment[:, 2], -0.1 * 0.3 * 2.0 * G, rtol=1e-9)
    assert list(rail.to_dataframe())[:3] == ["t", "rail", "rail_dot"]
    belt = sol.joints["belt"]  # drive of the table
    np.testing.assert_allclose(belt.force[:, 0], 0.3 * 2.0 * G, rtol=1e-12)


def test_inputs_of_a_joint_go_with_it() -> None:
    """The elbow transmits the moment of its manually set motor, and the shoulder its reaction."""
    model = nsmb.Model()
    upper = model.add_body("upper", mass=1.0, inertia=0.1)
    lower = model.add_body("lower", mass=1.0, inertia=0.1)
    model.add_joint("shoulder", joints.Revolute(), model.ground, upper)
    model.add_joint("elbow", joints.Revolute(), upper, lower)
    model.add_joint_force("hold", "shoulder", nsmb.Input("hold", unit="N m"))
    model.add_joint_force("motor", "elbow", nsmb.Input("torque", unit="N m"))
    sol = nsmb.simulate(model.build(), 0.1, inputs={"torque": 2.0, "hold": 0.5})
    np.testing.assert_allclose(sol.joints["elbow"].moment[:, 2], 2.0, rtol=1e-12)
    np.testing.assert_allclose(sol.joints["shoulder"].moment[:, 2], 0.5, rtol=1e-12)


def test_joints_that_are_not_there_are_told() -> None:
    sol = four_bar("pin")
    assert list(sol.joints) == ["shaft", "knee", "pivot", "pin"]
    with pytest.raises(KeyError, match=r"joint 'pni': expected one of .*did you mean 'pin'"):
        sol.joints["pni"]
    with pytest.raises(ValueError, match="joint 'pin': body 'crank': expected one of coupler"):
        sol.joints["pin"].force_on("crank")
    with pytest.raises(TypeError, match="joints"):
        sol.joints[0]  # type: ignore[index]
    toy = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.1)
    with pytest.raises(ValueError, match=r"^joints: .*Use q, u and lambda_B"):
        toy.joints["hinge"]


def accelerations(sol: nsmb.Solution, body: str, t: float, h: float = 2e-5) -> np.ndarray:
    """Return r̈ and ω̇ of the frame of a body, shape (6,), to fourth order."""
    system = sol.system
    assert isinstance(system, nsmb.MultibodySystem)
    times = t + h * np.array([-2.0, -1.0, 1.0, 2.0])
    now = sol.at(times)
    rows = np.hstack(system.motion(body, times, now.q, now.u)[2:])
    result: np.ndarray = (rows[0] - 8.0 * rows[1] + 8.0 * rows[2] - rows[3]) / (12.0 * h)
    return result


def calm_samples(sol: nsmb.Solution, step: int) -> list[int]:
    return [
        k for k in range(10, sol.t.size - 10, step)
        if np.abs(sol.events.t - sol.t[k]).min(initial=np.inf) > 2e-4
    ]  # fmt: skip


def test_a_joint_on_a_curve_refuses_its_force_which_is_lambda_b() -> None:
    """For a bead on a circle, λ = m v²/R - m g y/R towards the centre."""
    model = nsmb.Model(gravity=(0.0, -G))
    ring = geometry.Circle(0.7)
    bead = model.add_body("bead", mass=2.0, inertia=0.1)
    model.add_joint("bead", joints.Planar(), model.ground, bead)
    model.add_loop("wire", joints.OnCurve(ring), model.ground, bead)
    sol = nsmb.simulate(model.build({"bead": (0.7, 0.0, 0.3)}), 0.4, method=EXACT)
    wire, message = sol.joints["wire"], r"joint 'wire': force: .*Use lambda_B, which is its normal"
    for read in (lambda: wire.force, lambda: wire.moment, wire.columns, wire.to_dataframe):
        with pytest.raises(ValueError, match=message):
            read()
    x, y = sol["bead.x"], sol["bead.y"]
    v_2 = sol["bead.x_dot"] ** 2 + sol["bead.y_dot"] ** 2
    np.testing.assert_allclose(np.hypot(x, y), 0.7, atol=1e-10)
    np.testing.assert_allclose(sol.lambda_B[:, 0], 2.0 * (v_2 - G * y) / 0.7, atol=1e-8)


def geared(by_coordinates: bool) -> nsmb.Solution:
    """Return a run of two links with a spring between their angles, c (φ_1 - φ_2/2)."""

    def forces(one: float, two: float) -> tuple[float, float]:
        pull = 40.0 * (one - 0.5 * two)
        return -pull, 0.5 * pull

    def on_joints(now: nsmb.ForceInput) -> tuple[float, float]:
        return forces(*now.q)

    def on_bodies(now: nsmb.ForceInput) -> np.ndarray:
        angles = np.arctan2(now.A[:, 1, 0], now.A[:, 0, 0])
        first, second = forces(*np.diff(angles))
        wrenches = np.zeros((3, 2, 3))
        wrenches[:, 1, 2] = -first, first - second, second
        return wrenches

    model = nsmb.Model(gravity=(0.0, -G))
    one = model.add_body("one", mass=1.0, inertia=0.1, center=(0.2, 0.0))
    two = model.add_body("two", mass=0.5, inertia=0.05)
    model.add_joint("first", joints.Revolute(), model.ground, one)
    model.add_joint("second", joints.Revolute(), one, two, at=(0.4, 0.0), at_2=(-0.1, 0.0))
    if by_coordinates:
        model.add_user_force("gear", on_joints, coordinates=["first", "second"])
    else:
        model.add_user_force("gear", on_bodies, [model.ground, one, two])
    return nsmb.simulate(model.build({"first": 0.3}), 0.25, method=EXACT)


def test_a_joint_with_a_force_element_on_several_joints_refuses_its_force() -> None:
    """With the same element on points of the bodies it is available, f = m (r̈ - g)."""
    refused, told = geared(by_coordinates=True), geared(by_coordinates=False)
    message = r"joint 'second': force: .*got force element 'gear' on several joints\. Let it act on"
    with pytest.raises(ValueError, match=message):
        refused.joints["second"].to_dataframe()
    np.testing.assert_allclose(told.at(0.25).q, refused.at(0.25).q, atol=1e-9)
    second = told.joints["second"]
    assert np.linalg.norm(second.force, axis=1).max() > 1.0
    for k in calm_samples(told, 37):
        rates = accelerations(told, "two", float(told.t[k]))
        expected = 0.5 * (rates[:3] - np.array([0.0, -G, 0.0]))
        np.testing.assert_allclose(second.force[k], expected, atol=1e-5)
        np.testing.assert_allclose(second.moment[k], 0.0, atol=1e-10)


@pytest.mark.parametrize(
    "joint",
    [joints.Revolute(), joints.Prismatic((1.0, 0.0, 0.0)), joints.Cylindrical((0.0, 1.0, 0.0))],
    ids=["angle", "shift", "both"],
)
def test_a_joint_that_closes_a_loop_transmits_its_stop(joint: joints.Joint) -> None:
    """The Newton-Euler equations hold for a link that hangs on this joint alone."""
    weight = np.array([3.0, -0.4, -G])
    model = nsmb.Model(gravity=weight)
    arm = model.add_body("arm", mass=1.0, inertia=(0.02, 0.03, 0.04), center=(0.1, 0.05, 0.02))
    link = model.add_body("link", mass=0.7, inertia=(0.015, 0.015, 0.015))
    model.add_joint("turn", joints.Revolute((0.0, 1.0, 0.0)), model.ground, arm)
    model.add_joint("free", joints.Free(), model.ground, link)
    model.add_loop("guide", joint, arm, link, at=(0.2, 0.1, 0.0), at_2=(-0.1, 0.1, 0.3))
    own = [f"guide.{name}" if name else "guide" for name in joint.coordinates]
    for coordinate in own:
        model.add_stop(coordinate, lower=-0.03, upper=0.03)
    start = {"free": (0.3, 0.0, -0.3, 1.0, 0.0, 0.0, 0.0)}
    sol = nsmb.simulate(model.build(start), 0.5, method=EXACT)
    assert max(sol.contacts[name].lambda_N.max() for name in sol.contacts) > 0.1
    guide, body = sol.joints["guide"], sol.bodies["link"]
    for k in calm_samples(sol, 37):
        rates = accelerations(sol, "link", float(sol.t[k]))
        arm_of = guide.point[k] - body.position[k]
        moment = guide.moment[k] + np.cross(arm_of, guide.force[k])
        np.testing.assert_allclose(guide.force[k] + 0.7 * weight, 0.7 * rates[:3], atol=2e-5)
        np.testing.assert_allclose(moment, 0.015 * rates[3:], atol=2e-5)


def test_a_contact_at_a_node_of_an_elastic_body_moves_what_hangs_on_it() -> None:
    """A bar of two masses with a spring stands on one mass, and a rod hangs on the other."""
    K = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag([200.0, 0.0]))
    shape = [[-1.0], [0.0], [1.0], [0.0]]
    elastic = nsmb.flexible.FlexibleBody([(0, 0), (1, 0)], np.eye(4), K, shape)
    model = nsmb.Model(gravity=(0.0, -G))
    bar = model.add_elastic_body("bar", elastic)
    model.add_joint("free", joints.Planar(), model.ground, bar)
    foot = bar.contour("foot", geometry.Point(), at=0)
    floor = model.ground.contour("floor", geometry.Line())
    model.add_contact(foot, floor, name="foot")
    rod = model.add_body("rod", mass=3.0, inertia=0.02)
    model.add_joint("pin", joints.Revolute(), bar, rod, at=1, at_2=(0.0, 0.2))
    sol = nsmb.simulate(model.build({"free": (0.0, 0.5, 1.2)}), 0.5, method=EXACT)
    assert sol.contacts["foot"].lambda_N.max() > 1.0
    pin = sol.joints["pin"]
    for k in calm_samples(sol, 41):
        rates = accelerations(sol, "rod", float(sol.t[k]))
        expected = 3.0 * (rates[:3] - np.array([0.0, -G, 0.0]))
        np.testing.assert_allclose(pin.force[k], expected, atol=1e-5)

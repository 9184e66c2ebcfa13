"""Named contacts beside contacts of shapes that touch anywhere, in one step."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from tests.support.methods import stepping

G = 9.81

Start = dict[str, Any]


def spinning_disc(m: nsmb.Model) -> Start:
    disc = m.add_body("disc", mass=1.0, inertia=0.01)
    m.add_joint("j", joints.Planar(), m.ground, disc)
    rim = disc.contour("rim", geometry.Circle(0.1))
    floor = m.ground.contour("floor", geometry.Line())
    m.add_contact(floor, rim, nsmb.ContactLaw(mu=0.3, e_N=0.5, e_T=0.4), "c")
    return {"initial": {"j": (0, 0.3, 0)}, "velocities": {"j": (1.0, 0, 20.0)}}


def stopped_pendulum(m: nsmb.Model) -> Start:
    arm = m.add_body("arm", mass=1.0, inertia=0.02)
    m.add_joint("j", joints.Revolute(), m.ground, arm)
    m.add_stop("j", lower=-0.5, upper=0.7)
    m.add_joint_friction("rub", "j", 0.3)
    m.add_torsion_spring("spring", "j", c=3.0, preload=-1.0)
    return {"initial": {"j": 0.3}, "velocities": {"j": 5.0}}


def tower_of_discs(m: nsmb.Model) -> Start:
    initial = {}
    below = [m.ground.contour("floor", geometry.Line())]
    for k in range(3):
        disc = m.add_body(f"b{k}", mass=1.0 + k, inertia=0.01)
        m.add_joint(f"j{k}", joints.Planar(), m.ground, disc)
        rim = disc.contour("rim", geometry.Circle(0.1))
        initial[f"j{k}"] = (0.05 * k, 0.15 + 0.25 * k, 0)
        for other in below:
            m.add_contact(other, rim, nsmb.ContactLaw(mu=0.4, e_N=0.2))
        below.append(rim)
    return {"initial": initial}


def driven_slider(m: nsmb.Model) -> Start:
    """Shoe pulled over a rough floor by a drive: it cannot move freely along its slip."""
    drive = m.add_body("drive", mass=1.0, inertia=0.01)
    x = joints.Prismatic((1, 0, 0))
    motion = lambda t: (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t))  # noqa: E731
    m.add_joint("drive", x, m.ground, drive, motion=motion)
    shoe = m.add_body("shoe", mass=2.0, inertia=0.01)
    m.add_joint("j", joints.Prismatic((0, 1, 0)), drive, shoe)
    floor = m.ground.contour("floor", geometry.Line())
    point = shoe.contour("point", geometry.Circle(0.1))
    m.add_contact(floor, point, nsmb.ContactLaw(mu=0.3), "shoe")
    return {"initial": {"j": 0.1}}


def closed_loop(m: nsmb.Model) -> Start:
    """Crank with friction that pushes a slider until it meets its stop."""
    crank = m.add_body("crank", mass=1.0, inertia=0.01)
    rod = m.add_body("rod", mass=1.0, inertia=0.02)
    m.add_joint("crank", joints.Revolute(), m.ground, crank)
    m.add_joint("rod", joints.Revolute(), crank, rod, at=(0.2, 0, 0))
    slider = m.add_body("slider", mass=0.5, inertia=0.01)
    m.add_joint("slider", joints.Prismatic((1, 0, 0)), m.ground, slider)
    m.add_loop("pin", joints.Revolute(), slider, rod, at_2=(0.5, 0, 0))
    m.add_stop("crank", lower=-2.0, upper=1.0)
    m.add_joint_friction("rub", "crank", 0.2)
    return {
        "initial": {"crank": 0.4},
        "guess": {"rod": -0.55, "slider": 0.6},
        "velocities": {"crank": 8.0},
    }


SCENES = [spinning_disc, stopped_pendulum, tower_of_discs]


def build(scene: Callable[[nsmb.Model], Start], *, beside: bool) -> nsmb.MultibodySystem:
    """Build the system with or without a ball that bounces beside it, by shapes."""
    m = nsmb.Model(gravity=(0, -G, 0))
    start = scene(m)
    if beside:
        m.ground.shape("floor", geometry.Box((1.0, 0.2, 1.0)), at=(50.0, -0.1, 0.0))
        ball = m.add_solid("ball", geometry.Sphere(0.1), 1000.0)
        m.add_joint("ball", joints.Free(), m.ground, ball)
        start["initial"]["ball"] = (50.0, 0.15, 0.0, 1, 0, 0, 0)
        m.collide(nsmb.ContactLaw(mu=0.2, e_N=0.3))
    return m.build(**start)


def run(system: nsmb.System, t_end: float, **options: Any) -> nsmb.Solution:
    method = stepping(1e-3, **options)
    return nsmb.simulate(system, t_end, method=method, output_step=0.01)


@pytest.mark.filterwarnings("ignore::nsmb.EnergyGainWarning")
@pytest.mark.parametrize("scene", SCENES)
def test_what_shapes_do_elsewhere_changes_nothing(scene: Any) -> None:
    """Two solutions of the same steps: exact, and to 1e-8 together with the contacts of shapes."""
    alone = run(build(scene, beside=False), 1.0)
    system = build(scene, beside=True)
    both = run(system, 1.0)
    nq, nu = alone.q.shape[1], alone.u.shape[1]
    np.testing.assert_allclose(both.q[:, :nq], alone.q, atol=1e-8)
    np.testing.assert_allclose(both.u[:, :nu], alone.u, atol=1e-7)
    largest = np.abs(alone.lambda_N).max()
    np.testing.assert_allclose(both.lambda_N, alone.lambda_N, atol=1e-7 * largest)
    np.testing.assert_array_equal(both.contact_state, alone.contact_state)
    np.testing.assert_allclose(both.friction_loss, alone.friction_loss, atol=1e-6)
    assert len(both.events) == len(alone.events)
    # The ball has come to rest on its floor, independently of the named contacts.
    assert both.q[-1, nq + 1] == pytest.approx(0.1, abs=1e-3)
    weight = 1000.0 * 4.0 / 3.0 * np.pi * 1e-3 * G
    floor = both.contacts["ground.floor-ball.solid"]
    assert floor.lambda_N[-1] == pytest.approx(weight, rel=1e-6)


def test_friction_where_nothing_can_move_is_that_of_its_slip() -> None:
    """Friction does not change the motion, but the drive has to overcome it."""
    sol = run(build(driven_slider, beside=True), 0.5)
    np.testing.assert_allclose(sol.lambda_N[1:, 0], 2.0 * G, rtol=1e-7)
    np.testing.assert_allclose(sol.lambda_T[1:-1, 0], -0.3 * 2.0 * G, rtol=1e-7)
    loss = 0.3 * 2.0 * G * np.sin(1.5)
    assert sol.friction_loss[-1, 0] == pytest.approx(loss, rel=1e-3)


def test_stop_and_friction_of_a_closed_loop() -> None:
    """The error is of first order in the step, as is that of the time at which the stop is hit."""
    exact = nsmb.simulate(build(closed_loop, beside=False), 0.5, output_step=0.01)
    assert len(exact.events.of_kind("impact")) > 0
    errors = []
    for step in (2e-3, 2e-4):
        method = nsmb.Midpoint(step)
        sol = nsmb.simulate(build(closed_loop, beside=True), 0.5, method=method, output_step=0.01)
        errors.append(np.abs(sol.at(exact.t).q[:, :3] - exact.q).max())
    assert errors[0] < 0.05
    assert errors[1] < 0.2 * errors[0]


def test_constraints_bear_their_part_of_an_impact() -> None:
    """Without restitution Poisson's law and Moreau's coincide.

    One scheme computes impacts before the forces, the other with them.
    """
    largest = []
    for law in ("moreau", "poisson"):
        method = nsmb.Midpoint(1e-3, impact_law=law)  # type: ignore[arg-type]
        sol = nsmb.simulate(build(closed_loop, beside=True), 0.2, method=method, output_step=1e-3)
        assert len(sol.events.of_kind("impact")) > 0
        largest.append(np.abs(sol.lambda_B).max(axis=0))
    assert largest[0].max() > 100.0  # N, an impulse over a step; forces are below 5
    np.testing.assert_allclose(largest[1], largest[0], rtol=0.05, atol=0.01 * largest[0].max())


def hopper(mass: float = 3.0) -> nsmb.MultibodySystem:
    """Mass of 3 kg on a leg of 1 kg with a round foot, whose joint ends at a stop."""
    m = nsmb.Model(gravity=(0, 0, -G))
    base = m.add_body("base", mass=mass, inertia=np.diag([0.1, 0.1, 0.1]))
    m.add_joint("base", joints.Prismatic((0, 0, 1)), m.ground, base)
    foot = m.add_solid("foot", geometry.Sphere(0.1), 1.0 / (4.0 / 3.0 * np.pi * 1e-3))
    m.add_joint("leg", joints.Prismatic((0, 0, 1)), base, foot)
    m.add_stop("leg", lower=-0.6, upper=-0.4)
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=0.5))
    return m.build(initial={"base": 0.5, "leg": -0.4})


@pytest.mark.parametrize("sleeping", [False, True])
def test_a_robot_stands_on_its_feet_and_on_its_stops(sleeping: bool) -> None:
    sol = run(hopper(), 0.5, sleeping=sleeping)
    np.testing.assert_allclose(sol.q, np.broadcast_to(sol.q[0], sol.q.shape), atol=1e-8)
    stop = [k for k, name in enumerate(sol.system.contact_names) if "upper" in name]
    np.testing.assert_allclose(sol.lambda_N[1:, stop], 3.0 * G, rtol=1e-6)
    foot = sol.contacts["ground.floor-foot.solid"]
    np.testing.assert_allclose(foot.lambda_N[1:], 4.0 * G, rtol=1e-6)
    assert (sol.stats["asleep"] > 0) is sleeping


def test_a_robot_lands() -> None:
    """Dropped from 5 cm, the robot comes to rest; floor and stop dissipate its energy."""
    system = hopper()
    start = np.add(system.initial_state.q, [0.05, 0.0])
    method = nsmb.Midpoint(1e-3)
    sol = nsmb.simulate(system, 1.0, method=method, q=start)
    # Half-explicit steps have the impact in their middle, with penetration of the floor.
    np.testing.assert_allclose(sol.q[-1], [0.5, -0.4], atol=1e-3)
    assert sol.energy.relative < 1e-3
    lost = 4.0 * G * (start[0] - sol.q[-1, 0])
    assert sol.energy.impact_loss[-1] == pytest.approx(lost, rel=2e-2)


def test_contacts_that_miss_are_named_by_both_kinds_of_names() -> None:
    budget: Any = {"solver": "gauss_seidel", "max_iterations": 1, "on_failure": "stop"}
    method = stepping(1e-3, **budget)
    names = set()
    for heavy in (False, True):
        sol = nsmb.simulate(hopper(1.0 if heavy else 3.0), 0.1, method=method, throw=False)
        assert sol.status == "no_contact_solution"
        names |= set(re.findall(r"'[^']*'(?: on '[^']*')?", sol.message.partition("contacts ")[2]))
    assert names >= {"'ground.floor' on 'foot.solid'"}
    assert names <= {"'ground.floor' on 'foot.solid'", "'stop of leg.upper'"}


def test_a_run_of_both_kinds_comes_back_from_a_file(tmp_path: Path) -> None:
    sol = run(hopper(), 0.05)
    sol.save(tmp_path / "run.npz")
    read = nsmb.Solution.load(tmp_path / "run.npz")
    np.testing.assert_array_equal(read.lambda_N, sol.lambda_N)
    foot, own = (each.contacts["ground.floor-foot.solid"] for each in (read, sol))
    np.testing.assert_array_equal(foot.force, own.force)
    assert foot.force[-1, 2] == pytest.approx(4.0 * G, rel=1e-6)


def test_error_control_follows_stops_and_shapes() -> None:
    method = nsmb.Midpoint(1e-2, error=1e-5)
    system = hopper()
    start = np.add(system.initial_state.q, [0.05, 0.0])
    sol = nsmb.simulate(system, 0.5, method=method, q=start)
    np.testing.assert_allclose(sol.q[-1], [0.5, -0.4], atol=1e-4)

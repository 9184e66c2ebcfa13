"""Groups at rest that steps skip: their state, and the causes that wake them."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb.simulation.core_simulator import core_simulator
from tests.support.methods import Steps, stepping

G = 9.81
R = 0.1
STEP = 1e-3


def stepped(*, sleeping: bool = True, scheme: str = "midpoint") -> Steps:
    return stepping(STEP, scheme, sleeping=sleeping)


def free_ball(m: nsmb.Model, name: str) -> nsmb.Body:
    body = m.add_solid(name, geometry.Sphere(R), 1000.0)
    m.add_joint(name, joints.Free(), m.ground, body)
    return body


def towers(*, hammer: float = 50.0) -> nsmb.MultibodySystem:
    """Two pairs of boxes on a floor, far from each other, and a ball high over the first one."""
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(4):
        body = m.add_solid(f"b{k}", geometry.Box((0.2, 0.2, 0.2)), 1000.0)
        m.add_joint(f"b{k}", joints.Free(), m.ground, body)
        initial[f"b{k}"] = (2.0 * (k // 2), 0, 0.1 + 0.2 * (k % 2), 1, 0, 0, 0)
    free_ball(m, "hammer")
    initial["hammer"] = (0.05, 0.02, hammer, 1, 0, 0, 0)
    m.collide(nsmb.ContactLaw(mu=0.5))
    return m.build(initial=initial)


def test_groups_sleep_and_one_wakes_where_it_is_hit() -> None:
    system = towers(hammer=0.5 + 0.5 * G * 0.1**2)
    run = core_simulator(system, stepped())
    start = system.initial_state
    run.reset(0.0, start.q, start.u, np.zeros(0))
    run.advance(0.09)
    assert run.statistics["asleep"] == 4
    assert run.statistics["steps_asleep"] > 4 * 50
    run.advance(0.11)
    assert run.statistics["asleep"] == 2
    u = run.trajectory()["y"][-1, 35:]
    assert (u[:12] != 0.0).any()
    assert (u[12:24] == 0.0).all()


def test_what_sleeps_keeps_its_place_and_the_forces_of_its_contacts() -> None:
    sol = nsmb.simulate(towers(), 0.2, method=stepped(), output_step=STEP)
    q = sol.q[:, :28]
    assert (q[60:] == q[60]).all()
    weight = 1000.0 * 0.2**3 * G
    force = sol.contacts.points.force_on("ground.floor")
    np.testing.assert_allclose(force[[60, 150, 200], 2], -4.0 * weight, rtol=1e-7)


def test_nothing_changes_as_long_as_nothing_sleeps() -> None:
    """The runs are bitwise equal until the first group has been quiet for long enough."""
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    rng = np.random.default_rng(2)
    for k in range(6):
        free_ball(m, f"b{k}")
        initial[f"b{k}"] = (*rng.uniform(-0.05, 0.05, 2), 0.11 + 0.22 * k, 1, 0, 0, 0)
    m.collide(nsmb.ContactLaw(mu=0.4, e_N=0.3))
    system = m.build(initial=initial)
    one, two = (
        nsmb.simulate(system, 0.4, method=stepped(sleeping=sleeping)) for sleeping in (False, True)
    )
    assert two.stats["steps_asleep"] == 0
    np.testing.assert_array_equal(one.q, two.q)
    np.testing.assert_array_equal(one.u, two.u)


def test_a_load_that_grows_wakes_what_it_acts_on() -> None:
    """A horizontal force starts at 0.1 s and grows until the box slides, at μ m g."""
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    body = m.add_solid("box", geometry.Box((0.2, 0.2, 0.2)), 1000.0)
    m.add_joint("box", joints.Free(), m.ground, body)
    m.collide(nsmb.ContactLaw(mu=0.5))
    bound = 0.5 * 8.0 * G
    m.add_load("pull", body, lambda t, *_: (max(0.0, t - 0.1) * 10.0 * bound, 0.0, 0.0))
    system = m.build(initial={"box": (0, 0, 0.1, 1, 0, 0, 0)})
    sols = [
        nsmb.simulate(system, 0.4, method=stepped(sleeping=s), output_step=STEP)
        for s in (True, False)
    ]
    assert sols[0].stats["steps_asleep"] > 50
    np.testing.assert_allclose(sols[0].q, sols[1].q, rtol=0.0, atol=1e-7)
    slides = sols[0].u[:, 0] > 1e-3
    assert 0.199 < sols[0].t[slides][0] < 0.21


def test_what_slides_slowly_stays_awake() -> None:
    """A slope slightly steeper than the friction limit causes 1e-5 m/s in a step, and growing."""
    angle = np.arctan(0.5) + 2e-3
    m = nsmb.Model(gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
    m.ground.shape("floor", geometry.HalfSpace())
    body = m.add_solid("box", geometry.Box((0.2, 0.2, 0.2)), 1000.0)
    m.add_joint("box", joints.Free(), m.ground, body)
    m.collide(nsmb.ContactLaw(mu=0.5))
    system = m.build(initial={"box": (0, 0, 0.1, 1, 0, 0, 0)})
    sol = nsmb.simulate(system, 0.2, method=stepped())
    a = G * (np.sin(angle) - 0.5 * np.cos(angle))
    assert sol.stats["steps_asleep"] == 0
    np.testing.assert_allclose(sol.u[-1, 0], a * 0.2, rtol=1e-6)


def test_what_a_plate_lifts_slowly_stays_awake() -> None:
    """A plate rises at 1e-6 m/s, far below the 9.8e-3 m/s due to weight in one step."""
    rise = 1e-6
    m = nsmb.Model(gravity=(0, 0, -G))
    plate = m.add_body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    motion = np.polynomial.Polynomial([0.0, rise])
    m.add_joint("lift", joints.Prismatic((0, 0, 1)), m.ground, plate, motion=motion)
    plate.shape("top", geometry.HalfSpace())
    body = m.add_solid("box", geometry.Box((0.2, 0.2, 0.2)), 1000.0)
    m.add_joint("box", joints.Free(), m.ground, body)
    m.collide(nsmb.ContactLaw(mu=0.5), None)
    system = m.build(initial={"box": (0, 0, 0.1, 1, 0, 0, 0)})
    sol = nsmb.simulate(system, 0.06, method=stepped())
    assert sol.stats["steps_asleep"] == 0
    assert sol.u[-1, 2] == pytest.approx(rise, rel=1e-6)


def test_a_new_start_wakes_all() -> None:
    system = towers()
    run = core_simulator(system, stepped())
    start = system.initial_state
    run.reset(0.0, start.q, start.u, np.zeros(0))
    run.advance(0.05)
    assert run.statistics["asleep"] == 4
    # Friction at both faces of the lower box, one of which carries two boxes.
    u = np.zeros(system.nu)
    u[0] = 1.0
    run.reset(0.0, start.q, u, np.zeros(0))
    run.advance(0.01)
    assert run.statistics["asleep"] == 0
    np.testing.assert_allclose(run.trajectory()["y"][-1, 35], 1.0 - 1.5 * G * 0.01, rtol=1e-6)


def test_energy_that_is_taken_from_what_falls_asleep_is_in_the_book() -> None:
    sol = nsmb.simulate(towers(), 0.2, method=stepped(), output_step=0.01)
    assert sol.stats["asleep"] == 4
    assert abs(sol.energy.relative) < 1e-9

"""Steps of models with shapes that touch anywhere, against closed forms and fixed contacts."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from tests.support.methods import Steps, stepping

G = 9.81
R = 0.1


def stepped(step: float = 1e-3, **options: object) -> Steps:
    return stepping(step, **options)


def ball_model(gravity: tuple[float, float, float] = (0.0, 0.0, -G)) -> nsmb.Model:
    m = nsmb.Model(gravity=gravity)
    body = m.add_solid("ball", geometry.Sphere(R), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("floor", geometry.HalfSpace())
    return m


def ball(z: float = R, e_N: float = 0.0, mu: float = 0.3) -> nsmb.MultibodySystem:
    m = ball_model()
    m.collide(nsmb.ContactLaw(mu=mu, e_N=e_N))
    return m.build(initial={"free": (0, 0, z, 1, 0, 0, 0)})


def moving(system: nsmb.MultibodySystem, u: tuple[float, ...]) -> nsmb.State:
    return nsmb.State(0.0, system.initial_state.q, np.array(u))


def box_on_incline(angle: float, mu: float) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
    body = m.add_solid("box", geometry.Box((0.4, 0.3, 0.2)), 500.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=mu))
    return m.build(initial={"free": (0, 0, 0.1, 1, 0, 0, 0)})


def heap(n: int, layers: int, mu: float = 0.5) -> nsmb.MultibodySystem:
    """Spheres slightly above one another, none exactly over the one below."""
    rng = np.random.default_rng(1)
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(n * n * layers):
        body = m.add_solid(f"b{k}", geometry.Sphere(R), 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        x, y = 0.22 * np.array([k % n, (k // n) % n]) + rng.uniform(-0.005, 0.005, 2)
        initial[f"j{k}"] = (x, y, 0.11 + 0.22 * (k // (n * n)), 1, 0, 0, 0)
    m.collide(nsmb.ContactLaw(mu=mu, mu_R=2e-3))
    return m.build(initial=initial)


def test_ball_at_rest_stays_where_it_is() -> None:
    sol = nsmb.simulate(ball(), 0.1, method=stepped())
    assert sol.success
    np.testing.assert_allclose(sol.q[-1], sol.q[0], atol=1e-12)
    assert np.abs(sol.u).max() < 1e-12
    assert sol.stats["missed_steps"] == 0
    assert sol.step_residual.max() < 1e-10


def test_sliding_ball_begins_to_roll() -> None:
    """v = v_0 - μ g t until 2 v_0/(7 μ g), from then on 5 v_0/7."""
    mu, v_0 = 0.3, 1.0
    system = ball(mu=mu)
    sol = nsmb.simulate(system, 0.2, method=stepped(), start=moving(system, (v_0, 0, 0, 0, 0, 0)))
    begin = 2.0 * v_0 / (7.0 * mu * G)
    slides = sol.t < begin - 1e-3
    assert 0.09 < begin < 0.1
    np.testing.assert_allclose(sol.u[slides, 0], v_0 - mu * G * sol.t[slides], atol=1e-9)
    np.testing.assert_allclose(sol.u[sol.t > begin + 1e-3, 0], 5.0 / 7.0 * v_0, atol=1e-8)
    np.testing.assert_allclose(sol.q[:, 2], R, atol=1e-10)


@pytest.mark.parametrize("e_N", [0.0, 0.5, 1.0])
def test_ball_bounces_as_its_law_says(e_N: float) -> None:
    """The velocity after the impact is e_N times the impact velocity of a step."""
    sol = nsmb.simulate(ball(z=1.1, e_N=e_N), 0.6, method=stepped(), output_step=1e-3)
    fastest = sol.u[:, 2].min()
    # It strikes within a step of √(2 g H).
    assert abs(fastest + np.sqrt(2.0 * G)) < 2e-3 * G
    np.testing.assert_allclose(sol.u[sol.t > 0.453, 2].max(), -e_N * fastest, atol=2e-3 * G)
    jump = np.diff(sol.u[:, 2]).argmax()
    np.testing.assert_allclose(sol.u[jump + 1, 2], -e_N * sol.u[jump, 2], atol=1e-7)
    assert abs(sol.energy.relative) < 1e-10


@pytest.mark.parametrize(("mu", "slides"), [(0.6, False), (0.5, True)])
def test_box_on_an_incline(mu: float, slides: bool) -> None:
    """tan 30° = 0.577: sticks above, slides with g (sin α - μ cos α) below."""
    angle = np.radians(30.0)
    sol = nsmb.simulate(box_on_incline(angle, mu), 0.5, method=stepped())
    a = G * (np.sin(angle) - mu * np.cos(angle)) if slides else 0.0
    assert sol.stats["missed_steps"] == 0
    np.testing.assert_allclose(sol.u[:, 0], a * sol.t, atol=1e-7)
    # The split into four impulses is not unique, but the box must not rotate.
    assert np.abs(sol.u[:, 1:]).max() < 1e-6


def test_fixed_contact_and_found_one_agree() -> None:
    """The same ball with a named contact, in the same scheme: it bounces, slides and rolls."""
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    mass = 1000.0 * 4.0 / 3.0 * np.pi * R**3
    body = m.add_body("ball", mass=mass, inertia=0.4 * mass * R**2 * np.eye(3))
    m.add_joint("free", joints.Free(), m.ground, body)
    floor = m.ground.shape("floor", geometry.HalfSpace())
    law = nsmb.ContactLaw(mu=0.3, e_N=0.5)
    m.add_contact(floor, body.shape("skin", geometry.Sphere(R)), law)
    fixed = m.build(initial={"free": (0, 0, 0.15, 1, 0, 0, 0)})
    found = ball(z=0.15, e_N=0.5, mu=0.3)
    u = (1.0, 0.2, 0.0, 0.0, 3.0, 0.0)
    one, two = (
        nsmb.simulate(system, 0.5, method=stepped(), start=moving(system, u), output_step=1e-2)
        for system in (fixed, found)
    )
    assert one.stats["impacts"] > 2
    np.testing.assert_allclose(two.q, one.q, atol=1e-8)
    np.testing.assert_allclose(two.u, one.u, atol=1e-7)


def test_free_turning_keeps_its_momentum_to_second_order() -> None:
    """Gyroscopic terms alone, for a long body about its middle axis."""
    m = nsmb.Model()
    body = m.add_solid("box", geometry.Box((0.4, 0.2, 0.1)), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide()
    system = m.build(initial={"free": (0, 0, 5.0, 1, 0, 0, 0)})
    start = moving(system, (0, 0, 0, 0.1, 10.0, 0.2))
    steps, errors = [4e-3, 2e-3, 1e-3], []
    for step in steps:
        kinetic = nsmb.simulate(system, 1.0, method=stepped(step), start=start).energy.kinetic
        errors.append(float(np.abs(kinetic / kinetic[0] - 1.0).max()))
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] > 1.9


def test_heap_of_spheres_keeps_its_contacts_and_gains_no_energy() -> None:
    """Penetration is limited to a step at the largest approach speed.

    It consists of the travel in half a step before the touch and of the rotation of contact
    directions. The largest speed is that of a fall through the whole heap.
    """
    step = 2e-3
    system = heap(3, 3)
    sol = nsmb.simulate(system, 1.0, method=stepped(step), output_step=0.05)
    assert sol.success
    assert sol.stats["missed_steps"] == 0
    deepest = min(system.find_contacts(0.0, q).g_N.min(initial=0.0) for q in sol.q)
    bound = step * np.sqrt(2.0 * G * 0.66)
    assert -bound < deepest < 0.0
    total = sol.energy.total
    assert (np.diff(total) < 1e-9 * total[0]).all()


def test_what_solvers_keep_from_step_to_step_changes_no_bit() -> None:
    """Colours, elimination order and storage of a run are still there when the next one starts."""
    system = heap(2, 3)
    used = nsmb.Simulator(system, stepped(2e-3))
    ends = []
    for simulator in (used, used, nsmb.Simulator(system, stepped(2e-3))):
        simulator.reset()
        simulator.advance(0.2)
        ends.append((simulator.q.tobytes(), simulator.u.tobytes()))
    assert ends[0] == ends[1] == ends[2]


def test_impulses_are_what_the_momentum_changes_by() -> None:
    """Two spheres, one on the other, slightly offset.

    The sums of all forces on both, step by step, are those of the table of contacts.
    """
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    places = {}
    for name, place in (("a", (0.0, 0.0, R)), ("b", (0.05, 0.02, 0.32))):
        body = m.add_solid(name, geometry.Sphere(R), 1000.0)
        m.add_joint(name, joints.Free(), m.ground, body)
        places[name] = (*place, 1, 0, 0, 0)
    m.collide(nsmb.ContactLaw(mu=0.4, e_N=0.3))
    system = m.build(initial=places)
    step, mass = 1e-3, 1000.0 * 4.0 / 3.0 * np.pi * R**3
    sol = nsmb.simulate(system, 0.2, method=stepped(step), output_step=step)
    found = sol.contacts.points
    assert sol.t.size == 201
    sums = -found.force_on("ground.floor")
    change = mass * np.diff(sol.u[:, :3] + sol.u[:, 6:9], axis=0)
    expected = step * (sums[1:] + np.array([0.0, 0.0, -2.0 * mass * G]))
    assert np.unique(found.identity).size >= 2
    np.testing.assert_allclose(change, expected, atol=1e-8 * mass)


def test_a_motion_that_leaves_all_numbers_ends_with_its_velocity() -> None:
    m = nsmb.Model()
    ball = m.add_solid("ball", geometry.Sphere(R), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, ball)
    m.ground.shape("floor", geometry.HalfSpace())
    m.add_load("blast", ball, lambda t, r, A, v, Omega: (1e140, 0.0, 0.0))
    m.collide()
    system = m.build(initial={"free": (0, 0, 1.0, 1, 0, 0, 0)})
    with pytest.raises(nsmb.SimulationError, match=r"gives no finite value of") as error:
        nsmb.simulate(system, 1e102, method=stepped(1e100))
    assert error.value.solution.status == "integration_failure"

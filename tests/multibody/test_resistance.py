"""Resistance to rolling and drilling, against closed forms, in all methods and descriptions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints

Array = NDArray[np.float64]
G, R, MASS = 9.81, 0.1, 2.0
J = 0.4 * MASS * R**2  # of a solid sphere, also taken for the wheel in a plane
MU_R, MU_D = 0.002, 0.003
ACCURATE = nsmb.EventDriven(rtol=1e-11)
LAW = nsmb.ContactLaw(mu=0.4, mu_R=MU_R, mu_D=MU_D)
IN_PLANE = nsmb.ContactLaw(mu=0.4, mu_R=MU_R)


UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # e_y is up


def wheel(
    law: nsmb.ContactLaw = IN_PLANE, floor_first: bool = True, vertical: bool = False
) -> nsmb.MultibodySystem:
    """A wheel on a line, in the x-y plane or upright in the x-z plane."""
    turn = geometry.Frame(A=UPRIGHT if vertical else np.eye(3))
    model = nsmb.Model(gravity=(0, 0, -G) if vertical else (0, -G))
    body = model.add_body("wheel", mass=MASS, inertia=(J, J, J))
    model.add_joint("free", joints.Planar(), model.ground, body, at=turn, at_2=turn)
    rim = body.contour("rim", geometry.Circle(R), turn)
    line = model.ground.contour("floor", geometry.Line(), turn)
    sides = (line, rim) if floor_first else (rim, line)
    model.add_contact(*sides, law, name="tread")
    return model.build(initial={"free": (0.0, R, 0.0)})


def ball(
    law: nsmb.ContactLaw = LAW, listed: bool = True, slope: float = 0.0
) -> nsmb.MultibodySystem:
    """A ball on a half-space, by a named contact or by shapes that touch anywhere."""
    gravity = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    model = nsmb.Model(gravity=gravity)
    floor = model.ground.shape("floor", geometry.HalfSpace())
    body = model.add_body("ball", mass=MASS, inertia=(J, J, J))
    model.add_joint("free", joints.Free(), model.ground, body)
    sphere = body.shape("skin", geometry.Sphere(R))
    if listed:
        model.add_contact(floor, sphere, law, name="ground.floor-ball.skin")
    else:
        model.collide(law)
    return model.build(initial={"free": (0, 0, R, 1, 0, 0, 0)})


def rolling(v: Array) -> Array:
    """Velocities of a ball that rolls in a direction of the plane."""
    return np.array([v[0], v[1], 0.0, -v[1] / R, v[0] / R, 0.0])


DECELERATION = MU_R * MASS * G / R / (MASS + J / R**2)


def test_a_wheel_that_rolls_comes_to_rest() -> None:
    """(m + J/R²) v̇ = -mu_R m g / R."""
    sol = nsmb.simulate(wheel(), 20.0, u=[2.0, 0.0, -2.0 / R], method=ACCURATE)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(2.0 / DECELERATION, rel=1e-12)
    assert sol.q[-1, 0] == pytest.approx(2.0 / DECELERATION, rel=1e-12)  # v²/2a with v = 2
    energy = 0.5 * (MASS + J / R**2) * 4.0
    assert sol.contacts["tread.rolling"].friction_loss[-1] == pytest.approx(energy, rel=1e-12)
    assert sol.contacts["tread"].friction_loss[-1] == pytest.approx(0.0, abs=1e-14)
    assert sol.check()


@pytest.mark.parametrize("vertical", [False, True])
@pytest.mark.parametrize("floor_first", [True, False])
def test_the_moment_of_a_contact_in_a_plane_opposes_the_rotation(
    floor_first: bool, vertical: bool
) -> None:
    """The wheel turns about -z of its plane, so that the moment on it is about +z."""
    sol = nsmb.simulate(wheel(IN_PLANE, floor_first, vertical), 0.1, u=[2.0, 0.0, -2.0 / R])
    axis = np.array([0.0, -1.0, 0.0] if vertical else [0.0, 0.0, 1.0])
    tread = sol.contacts["tread"]
    on_wheel = tread.moment * (1.0 if tread.bodies == ("ground", "wheel") else -1.0)
    np.testing.assert_allclose(on_wheel, np.tile(MU_R * MASS * G * axis, (sol.t.size, 1)))


@pytest.mark.parametrize("listed", [True, False])
def test_a_ball_that_rolls_comes_to_rest_along_a_line(listed: bool) -> None:
    v = 2.0 * np.array([np.cos(0.3), np.sin(0.3)])
    sol = nsmb.simulate(ball(listed=listed), 20.0, u=rolling(v), method=ACCURATE)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(2.0 / DECELERATION, rel=1e-11)
    np.testing.assert_allclose(sol.q[-1, :2], v / DECELERATION, rtol=1e-10)  # v |v|/2a
    moment = sol.contacts["ground.floor-ball.skin"].moment[0]
    np.testing.assert_allclose(moment, MU_R * MASS * G * np.array([v[1], -v[0], 0.0]) / 2.0)


@pytest.mark.parametrize("listed", [True, False])
def test_a_ball_that_spins_comes_to_rest(listed: bool) -> None:
    """J Ω̇ = -mu_D m g."""
    spin = [0.0, 0.0, 0.0, 0.0, 0.0, 20.0]
    sol = nsmb.simulate(ball(listed=listed), 10.0, u=spin, method=ACCURATE)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(20.0 * J / (MU_D * MASS * G), rel=1e-11)
    moment = sol.contacts["ground.floor-ball.skin"].moment[0]
    np.testing.assert_allclose(moment, [0.0, 0.0, -MU_D * MASS * G], atol=1e-12)


@pytest.mark.parametrize(("factor", "moves"), [(0.999, False), (1.001, True)])
def test_a_ball_on_a_slope_starts_to_roll_above_mu_R_over_R(factor: float, moves: bool) -> None:
    slope = np.arctan(factor * MU_R / R)
    sol = nsmb.simulate(ball(slope=slope), 1.0)
    way = 0.5 * MASS * G * (np.sin(slope) - MU_R / R * np.cos(slope)) / (MASS + J / R**2)
    assert sol.q[-1, 0] == pytest.approx(way if moves else 0.0, abs=1e-10)


@pytest.mark.parametrize(
    "method", [nsmb.Midpoint(5e-4), nsmb.Hybrid(5e-4), nsmb.VelocityForces(5e-4)]
)
def test_methods_agree_on_a_ball_that_slides_rolls_and_spins(method: Any) -> None:
    start = [1.0, 0.3, 0.0, 3.0, 10.0, 15.0]
    exact = nsmb.simulate(ball(), 1.0, u=start, method=ACCURATE)
    sol = nsmb.simulate(ball(), 1.0, u=start, method=method)
    np.testing.assert_allclose(sol.q[-1, :3], exact.q[-1, :3], atol=2e-4)
    np.testing.assert_allclose(sol.u[-1], exact.u[-1], atol=2e-3)


def test_a_bouncing_wheel_is_that_of_a_linear_system() -> None:
    """The same wheel by rows: friction that the floor presses, along the rotation."""
    law = nsmb.ContactLaw(mu=0.4, e_N=0.5)
    floor = nsmb.Contact(w_N=[0, 1, 0], w_T=[1, 0, R], law=law, name="floor")
    roll = nsmb.Friction(w_T=[0, 0, 1], mu=MU_R, normal="floor", name="roll")
    rows = nsmb.LinearSystem(
        np.diag([MASS, MASS, J]), force=[0, -MASS * G, 0], contacts=[floor, roll]
    )
    start = np.array([2.0, 0.0, 3.0])
    by_rows = nsmb.simulate(rows, 2.0, q=[0, 0.4, 0], u=start, method=ACCURATE)
    bodies = wheel(nsmb.ContactLaw(mu=0.4, e_N=0.5, mu_R=MU_R))
    sol = nsmb.simulate(bodies, 2.0, q=[0, 0.4 + R, 0], u=start, method=ACCURATE)
    assert sol.events.kinds == by_rows.events.kinds
    np.testing.assert_allclose(sol.events.t, by_rows.events.t, atol=1e-10)
    np.testing.assert_allclose(sol.u[-1], by_rows.u[-1], atol=1e-9)


@pytest.mark.parametrize(
    "method",
    [
        nsmb.EventDriven(),
        nsmb.Midpoint(5e-3),
        nsmb.Hybrid(5e-3),
        nsmb.VelocityForces(1e-3),
        nsmb.PositionForces(1e-3),
    ],
)
def test_resistance_is_open_while_its_contact_is(method: Any) -> None:
    """In flight, a spring that turns the wheel to and fro makes no events and meets no friction."""
    floor = nsmb.Contact(w_N=[0, 1, 0], w_T=[1, 0, R], law=IN_FLIGHT, name="floor")
    roll = nsmb.Friction(w_T=[0, 0, 1], mu=MU_R, normal="floor", name="roll")
    rows = nsmb.LinearSystem(
        np.diag([MASS, MASS, J]), K=np.diag([0.0, 0.0, 1000.0 * J]), force=[0, -MASS * G, 0],
        contacts=[floor, roll],
    )  # fmt: skip
    sol = nsmb.simulate(rows, 1.0, q=[0, 2.0, 0.3], u=[2.0, 3.0, 0.0], method=method)
    assert sol.success
    assert len(sol.events) == 0
    angle = 0.3 * np.cos(np.sqrt(1000.0) * sol.t)
    np.testing.assert_allclose(sol.q[:, 2], angle, atol=2e-2)
    assert not sol.contact_state.any()


IN_FLIGHT = nsmb.ContactLaw(mu=0.4)


def test_two_bodies_resist_each_other_whatever_their_order() -> None:
    """Two balls pressed together by a spring: the moment depends on their relative rotation."""
    ends = []
    for order in ((0, 1), (1, 0)):
        model = nsmb.Model()
        bodies = {k: model.add_body(f"b{k}", mass=MASS, inertia=(J, J, J)) for k in order}
        for k in order:
            model.add_joint(f"j{k}", joints.Free(), model.ground, bodies[k])
        shapes = [bodies[k].shape("s", geometry.Sphere(R)) for k in (0, 1)]
        model.add_contact(shapes[0], shapes[1], LAW, name="touch")
        model.add_spring_damper("pull", bodies[0], bodies[1], c=200.0, free_length=0.1)
        start = {"j0": (0, 0, 0, 1, 0, 0, 0), "j1": (2 * R, 0, 0, 1, 0, 0, 0)}
        turn = {"j0": (0, 0, 0, 4.0, 1.0, 0.0), "j1": (0, 0, 0, -1.0, 0.5, 0.2)}
        sol = nsmb.simulate(model.build(start, turn), 0.5, method=ACCURATE)
        names = [f"b{k}" for k in (0, 1)]
        ends.append([sol.bodies[name].angular_velocity[-1] for name in names])
        total = sum(J * sol.bodies[name].angular_velocity for name in names)
        arm = sum(
            MASS * np.cross(sol.bodies[name].position, sol.bodies[name].velocity) for name in names
        )
        np.testing.assert_allclose(total + arm, np.tile((total + arm)[0], (sol.t.size, 1)))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)


def test_independent_wheels_run_in_parts() -> None:
    model = nsmb.Model(gravity=(0, -G))
    line = model.ground.contour("floor", geometry.Line())
    start, turn = {}, {}
    for k in range(8):
        body = model.add_body(f"w{k}", mass=MASS, inertia=J)
        model.add_joint(f"j{k}", joints.Planar(), model.ground, body)
        rim = body.contour("rim", geometry.Circle(R))
        model.add_contact(line, rim, nsmb.ContactLaw(mu=0.4, mu_R=1e-3 * (k + 1)), name=f"c{k}")
        start[f"j{k}"], turn[f"j{k}"] = (0.0, R, 0.0), (1.0, 0.0, -1.0 / R)
    sol = nsmb.simulate(model.build(start, turn), 15.0)
    stops = [(MASS + J / R**2) * R / (1e-3 * (k + 1) * MASS * G) for k in range(8)]
    np.testing.assert_allclose(sorted(sol.events.t), sorted(t for t in stops if t < 15.0))
    for k in range(8):
        row = sol.contacts[f"c{k}.rolling"].force[0]
        assert row[1] == pytest.approx(1e-3 * (k + 1) * MASS * G)


def test_a_system_with_resistance_can_be_copied() -> None:
    system = ball(listed=False)
    start = rolling(np.array([1.0, 0.0]))
    copied = pickle.loads(pickle.dumps(system))
    sol = nsmb.simulate(copied, 0.2, u=start)
    np.testing.assert_array_equal(sol.q, nsmb.simulate(system, 0.2, u=start).q)


def test_stiff_integrators_know_the_derivatives_of_rolling() -> None:
    start = [2.0, 0.0, -2.0 / R]
    sol = nsmb.simulate(wheel(), 1.0, u=start, method=nsmb.EventDriven(integrator="cvode"))
    assert sol.u[-1, 0] == pytest.approx(2.0 - DECELERATION, abs=1e-6)


def test_derivative_of_the_rest_by_the_start() -> None:
    """x(∞) = v²/2a: dx/dv = v/a."""
    start = [2.0, 0.0, -2.0 / R]
    sol = nsmb.simulate(wheel(), 20.0, u=start, sensitivity=True, method=ACCURATE)
    assert sol.sensitivity is not None
    S = sol.sensitivity.state
    along = S[0, 3] - S[0, 5] / R  # v and Ω change together
    assert along == pytest.approx(2.0 / DECELERATION, rel=1e-6)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: wheel(LAW), "law: must have mu_D = 0, got 0.003. Nothing turns about the normal"),
        (lambda: nsmb.Contact(w_N=[1.0], law=IN_PLANE), "law: must have mu_R = 0, got 0.002. Only"),
        (lambda: nsmb.ContactLaw(mu_R=-1e-3), "mu_R: expected"),
        (lambda: nsmb.ContactLaw(mu_D=np.nan), "mu_D: expected"),
    ],
)
def test_resistance_is_refused_where_it_has_no_meaning(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        build()


def test_a_joint_limit_has_no_resistance() -> None:
    model = nsmb.Model()
    body = model.add_body("arm", mass=1.0, inertia=(J, J, J))
    hinge = model.add_joint("hinge", joints.Revolute(), model.ground, body)
    with pytest.raises(ValueError, match=r"law: must have mu_R = 0, got 0\.002\. Nothing rolls"):
        model.add_stop(hinge, lower=-1.0, law=nsmb.ContactLaw(mu_R=MU_R))

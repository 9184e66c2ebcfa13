"""Lasting contacts on curved surfaces: rings, wheels, cones, and rolling on planes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints

G = 9.81
R, SMALL = 1.0, 0.1  # m, of a ring and of a ball
Array = NDArray[np.float64]


def ball_in_a_ring(speed: float) -> tuple[nsmb.MultibodySystem, Array]:
    """Ball that rolls round inside a ring, without gravity."""
    m = nsmb.Model()
    body = m.add_body("ball", mass=1.0, inertia=0.4 * SMALL**2)
    m.add_joint("free", joints.Planar(), m.ground, body)
    ring = m.ground.contour("ring", geometry.Circle(-R))
    m.add_contact(ring, body.contour("skin", geometry.Circle(SMALL)), nsmb.ContactLaw(mu=1.0))
    system = m.build(initial={"free": (0, -(R - SMALL), 0)})
    return system, np.array([speed, 0.0, -speed / SMALL])


@pytest.mark.parametrize(
    ("steps", "energy", "angle"), [(50, 2e-4, 1e-2), (100, 3e-5, 3e-3), (400, 1e-6, 2e-4)]
)
def test_a_ball_rolls_round_a_ring_without_loss(steps: int, energy: float, angle: float) -> None:
    """One revolution in a number of steps.

    With velocities at the end of steps only, 27 % were lost in 50 steps, and the ball sank by 0.4
    R. The remaining loss is of third order, and the error of the position of second.
    """
    turn = 2.0 * np.pi * (R - SMALL)
    system, u = ball_in_a_ring(turn)
    method = nsmb.Midpoint(1.0 / steps)
    sol = nsmb.simulate(system, 1.0, u=u, method=method, output_step=1.0 / steps)
    kinetic = sol.energy.kinetic
    assert np.abs(kinetic / kinetic[0] - 1.0).max() < energy
    assert np.abs(sol.g_N).min(axis=1).max() < 2e-9
    assert (sol.contact_state[1:] == nsmb.ContactState.STICK).any(axis=1).all()
    x, y = sol.q[-1, :2]
    assert abs(np.arctan2(x, -y)) < angle


def test_the_force_of_a_ring_is_that_of_the_circle() -> None:
    """m v²/(R - r), also in the first step."""
    system, u = ball_in_a_ring(3.0)
    sol = nsmb.simulate(system, 0.5, u=u, method=nsmb.Midpoint(5e-3), output_step=5e-3)
    np.testing.assert_allclose(sol.lambda_N[1:, 0], 9.0 / (R - SMALL), rtol=1e-3)


def test_a_point_leaves_a_cylinder_within_a_step_of_where_it_must() -> None:
    """Without friction, a point that starts at the top leaves the cylinder at cos φ = 2/3."""
    m = nsmb.Model(gravity=(0, -G))
    body = m.add_body("ball", mass=1.0, inertia=1.0)
    m.add_joint("free", joints.Planar(), m.ground, body)
    top = m.ground.contour("top", geometry.Circle(R))
    m.add_contact(top, body.contour("skin", geometry.Circle(1e-3)), nsmb.ContactLaw())
    start = 0.1
    far = R + 1e-3
    system = m.build(initial={"free": (far * np.sin(start), far * np.cos(start), 0)})
    for step in (1e-2, 5e-3, 2.5e-3):
        sol = nsmb.simulate(system, 1.5, method=nsmb.Midpoint(step), output_step=step)
        last = int(np.flatnonzero(sol.lambda_N[:, 0] > 0.0)[-1])
        x, y = sol.q[last, :2]
        leaving = np.arctan2(x, y)
        speed = np.hypot(*sol.u[last, :2]) / far
        exact = np.arccos(2.0 / 3.0 * np.cos(start))
        assert abs(leaving - exact) < 1.5 * step * speed


def test_a_wheel_on_a_plane_keeps_its_motion_to_rounding() -> None:
    """No surface is curved: no energy is lost, whatever the step."""
    m = nsmb.Model(gravity=(0, -G))
    body = m.add_body("wheel", mass=1.0, inertia=0.5 * SMALL**2)
    m.add_joint("free", joints.Planar(), m.ground, body)
    plane = m.ground.contour("plane", geometry.Line((0, 0), (-1.0, 0)))
    m.add_contact(plane, body.contour("rim", geometry.Circle(SMALL)), nsmb.ContactLaw(mu=0.5))
    system = m.build(initial={"free": (0, SMALL, 0)})
    u = np.array([2.0, 0.0, -20.0])
    sol = nsmb.simulate(system, 5.0, u=u, method=nsmb.Midpoint(0.05), output_step=0.05)
    np.testing.assert_allclose(sol.u, np.tile(u, (sol.t.size, 1)), atol=1e-11)
    np.testing.assert_allclose(sol.q[:, 0], 2.0 * sol.t, atol=1e-10)


def test_a_disc_that_rolls_on_its_rim_is_followed_to_second_order() -> None:
    """A coin in motion, at 0.4 rad per step and less, against fine steps."""
    radius, tilt = 0.1, 0.35
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    coin = m.add_solid("coin", geometry.Cylinder(radius, 1e-2), 8000.0)
    m.add_joint("coin", joints.Free(), m.ground, coin)
    m.collide(nsmb.ContactLaw(mu=1.0))
    lean = (np.cos(0.5 * (np.pi / 2 - tilt)), np.sin(0.5 * (np.pi / 2 - tilt)), 0, 0)
    system = m.build(initial={"coin": (0, 0, 1.0, *lean)})
    q = system.initial_state.q.copy()
    q[2] -= system.find_contacts(0.0, q, margin=2.0).g_N.min()
    u = np.array([0, 0, 0, 0, 0, 25.0])
    # It rolls: the velocity of the lowest point of the rim is zero.
    found = system.find_contacts(0.0, q, margin=1e-9)
    arm = found.point[0] - q[:3]
    w, x, y, z = lean
    turned = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]) * 25.0
    u[:3] = -np.cross(turned, arm)

    def end(step: float) -> nsmb.Solution:
        method = nsmb.Midpoint(step)
        return nsmb.simulate(system, 0.2, q=q, u=u, method=method, output_step=0.01)

    exact = end(2.5e-4)
    steps, errors = (4e-3, 2e-3, 1e-3), []
    for step in steps:
        sol = end(step)
        errors.append(np.abs(sol.q[-1, :3] - exact.q[-1, :3]).max())
        total = sol.energy.total
        assert np.abs(total - total[0]).max() < 2e-3 * sol.energy.kinetic[0]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] > 1.7

"""Contacts of spheres along axes, and along the singular direction of their tangents."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

AXES = np.eye(3)
SINGULAR = -np.array([0.23, 0.31, 0.92]) / np.linalg.norm([0.23, 0.31, 0.92])


def frame_of(axis: np.ndarray) -> np.ndarray:
    """Return the axis and two directions across it, as rows."""
    across = np.cross(axis, np.roll(axis, 1))
    across /= np.linalg.norm(across)
    return np.stack([axis, np.cross(across, axis), across])


def two_spheres(axis: np.ndarray, offset: float = 0.0) -> nsmb.MultibodySystem:
    """Two rotating spheres of 1 kg, 0.1 m apart along an axis."""
    _, first, second = frame_of(axis)
    m = nsmb.Model()
    placed = []
    for name in "ab":
        body = m.add_body(name, mass=1.0, inertia=(0.02, 0.02, 0.02))
        m.add_joint(name, joints.Free(), m.ground, body)
        placed.append(body.shape("s", geometry.Sphere(0.2)))
    m.add_contact(*placed, nsmb.ContactLaw(mu=0.5, e_N=0.5), "touch")
    aside = offset * first
    start = {"a": (0, 0, 0, 1, 0, 0, 0), "b": (*(0.5 * axis + aside), 1, 0, 0, 0)}
    spin = 0.3 * second
    return m.build(start, {"a": (*axis, *spin), "b": (0, 0, 0, 0, 0, 0)})


@pytest.mark.parametrize("offset", [0.0, 1e-12, 1e-8, 1e-5])
def test_rows_along_any_axis_collide_alike(offset: float) -> None:
    """The same motion along e_x, e_y, e_z and along a singular direction of tangents."""
    ends = []
    for axis in (*AXES, SINGULAR):
        sol = nsmb.simulate(two_spheres(axis, offset), 0.5)
        assert sol.events.kinds[0] == "impact"
        touch = sol.contacts["touch"]
        assert touch.bodies == ("a", "b")
        a, b = sol.bodies["a"], sol.bodies["b"]
        turned = frame_of(axis)
        vectors = (a.velocity, b.velocity, a.angular_velocity, b.angular_velocity)
        ends.append(np.concatenate([turned @ v[-1] for v in vectors]))
    for other in ends[1:]:
        np.testing.assert_allclose(other, ends[0], atol=1e-9)
    # Newton's law along the axis: v_b - v_a = e_N, and momentum is conserved.
    assert ends[0][3] - ends[0][0] == pytest.approx(0.5, abs=1e-6)
    assert ends[0][0] + ends[0][3] == pytest.approx(1.0, abs=1e-9)


def test_a_row_of_spheres_along_the_first_axis_passes_its_momentum_on() -> None:
    m = nsmb.Model()
    placed, start = [], {}
    for k in range(4):
        body = m.add_body(f"b{k}", mass=1.0, inertia=(0.02, 0.02, 0.02))
        m.add_joint(f"b{k}", joints.Free(), m.ground, body)
        placed.append(body.shape("s", geometry.Sphere(0.2)))
        start[f"b{k}"] = (0.5 * k, 0, 0, 1, 0, 0, 0)
    for k in range(3):
        m.add_contact(placed[k], placed[k + 1], nsmb.ContactLaw(e_N=1.0), f"c{k}")
    sol = nsmb.simulate(m.build(start, {"b0": (1, 0, 0, 0, 0, 0)}), 1.0)
    speeds = [sol.bodies[f"b{k}"].velocity[-1, 0] for k in range(4)]
    np.testing.assert_allclose(speeds, [0.0, 0.0, 0.0, 1.0], atol=1e-9)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-11])
def test_spheres_that_rub_on_each_other_keep_their_momentum(axis: np.ndarray, rtol: float) -> None:
    """A spring presses two spheres together, which turn about each other from a start on an axis.

    The samples of the first step are held to the closed form: friction of mu times the spring's
    force brakes both spheres until they separate.
    """
    m = nsmb.Model()
    mass, inertia, radius = 2.0, 0.008, 0.1
    placed, bodies = [], []
    for name in "ab":
        body = m.add_body(name, mass=mass, inertia=(inertia,) * 3)
        m.add_joint(name, joints.Free(), m.ground, body)
        placed.append(body.shape("s", geometry.Sphere(radius)))
        bodies.append(body)
    m.add_contact(*placed, nsmb.ContactLaw(mu=0.4), "touch")
    m.add_spring_damper("pull", *bodies, c=200.0, free_length=0.1)
    start = {"a": (0, 0, 0, 1, 0, 0, 0), "b": (*(2.0 * radius * axis), 1, 0, 0, 0)}
    _, _, across = frame_of(axis)
    spins = {"a": 4.0 * axis + across, "b": -axis + 0.5 * across}
    turn = {name: (0, 0, 0, *spin) for name, spin in spins.items()}
    method = nsmb.EventDriven(rtol=rtol)
    sol = nsmb.simulate(m.build(start, turn), 0.5, method=method)
    momentum = np.zeros((sol.t.size, 3))
    for name in "ab":
        body = sol.bodies[name]
        momentum += inertia * body.angular_velocity
        momentum += mass * np.cross(body.position, body.velocity)
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (sol.t.size, 1)), atol=30 * rtol)
    early = sol.t <= 0.004
    braked = 1.0 - 0.4 * 20.0 * radius / inertia * sol.t[early]
    rate = sol.bodies["a"].angular_velocity[early] @ across
    np.testing.assert_allclose(rate, braked, atol=1e-3)

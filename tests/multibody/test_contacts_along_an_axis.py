"""Contacts of spheres whose normal is the reference direction of the first tangent."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

AXES = np.eye(3)


def two_spheres(axis: np.ndarray, offset: float = 0.0) -> nsmb.MultibodySystem:
    """Two rotating spheres of 1 kg, 0.1 m apart along an axis."""
    m = nsmb.Model()
    placed = []
    for name in "ab":
        body = m.add_body(name, mass=1.0, inertia=(0.02, 0.02, 0.02))
        m.add_joint(name, joints.Free(), m.ground, body)
        placed.append(body.shape("s", geometry.Sphere(0.2)))
    m.add_contact(*placed, nsmb.ContactLaw(mu=0.5, e_N=0.5), "touch")
    aside = offset * np.roll(axis, 1)
    start = {"a": (0, 0, 0, 1, 0, 0, 0), "b": (*(0.5 * axis + aside), 1, 0, 0, 0)}
    spin = 0.3 * np.roll(axis, 2)
    return m.build(start, {"a": (*axis, *spin), "b": (0, 0, 0, 0, 0, 0)})


@pytest.mark.parametrize("offset", [0.0, 1e-12, 1e-8, 1e-5])
def test_rows_along_any_axis_collide_alike(offset: float) -> None:
    """The same motion along e_x, e_y and e_z, where only e_x is the reference of the tangent."""
    ends = []
    for axis in AXES:
        sol = nsmb.simulate(two_spheres(axis, offset), 0.5)
        assert sol.events.kinds[0] == "impact"
        touch = sol.contacts["touch"]
        assert touch.bodies == ("a", "b")
        a, b = sol.bodies["a"], sol.bodies["b"]
        turned = np.stack([axis, np.roll(axis, 1), np.roll(axis, 2)])
        vectors = (a.velocity, b.velocity, a.angular_velocity, b.angular_velocity)
        ends.append(np.concatenate([turned @ v[-1] for v in vectors]))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-9)
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

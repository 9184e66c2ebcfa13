"""No force acts between shapes that touch in a direction in which no joint lets them move."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G = 9.81


def standing(place: tuple[float, float]) -> nsmb.MultibodySystem:
    """A trunk on a floor with a leg beside it, whose hinge axis is normal to their common side."""
    m = nsmb.Model(gravity=(0, 0, -G))
    trunk = m.add_solid("trunk", geometry.Box((0.4, 0.2, 0.2)), 500.0)
    m.add_joint("free", joints.Free(), m.ground, trunk)
    leg = m.add_solid("leg", geometry.Box((0.1, 0.1, 0.3)), 500.0)
    # The sides of leg and trunk are in one plane, to rounding.
    m.add_joint("hip", joints.Revolute((0, 1, 0)), trunk, leg, at=(0.1, 0.15, 0.05))
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=0.6))
    m.let_touch(trunk, leg)
    half = 0.35  # rad, about the vertical: the scene is not along an axis
    return m.build({"free": (*place, 0.1, np.cos(half), 0, 0, np.sin(half))})


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.123456, 777.77)])
def test_flush_links_have_no_force_between_them(place: tuple[float, float]) -> None:
    system = standing(place)
    sol = nsmb.simulate(system, 0.05, method=nsmb.Midpoint(1e-3))
    forces = np.abs(sol.contacts.points.lambda_N)
    weight = 500.0 * (0.4 * 0.2 * 0.2 + 0.1 * 0.1 * 0.3) * G
    assert forces.max() < 10.0 * weight
    assert sol.stats["missed_steps"] == 0

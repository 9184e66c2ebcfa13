"""Plates with regular outlines stand on contact points that surround their middle."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G, R, H = 9.81, 0.1, 0.03
TILT = 0.4


def plate(corners: int, yaw: float, on_box: bool) -> nsmb.MultibodySystem:
    angle = 2.0 * np.pi * np.arange(corners) / corners
    rim = np.column_stack([R * np.cos(angle), R * np.sin(angle)])
    points = np.vstack([np.column_stack([rim, np.full(corners, z)]) for z in (-H, H)])
    model = nsmb.Model(gravity=(G * np.sin(TILT), 0.0, -G * np.cos(TILT)))
    body = model.add_body("plate", mass=1.5, inertia=(4e-3, 4e-3, 7e-3))
    body.shape("hull", geometry.ConvexHull(points))
    model.add_joint("free", joints.Free(), model.ground, body)
    if on_box:
        model.ground.shape("floor", geometry.Box((9.0, 9.0, 1.0)), at=(0.0, 0.0, -0.5))
    else:
        model.ground.shape("floor", geometry.HalfSpace())
    model.collide(nsmb.ContactLaw(mu=1.0))
    turned = (np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))
    return model.build({"free": (0.0, 0.0, H, *turned)})


@pytest.mark.parametrize("on_box", [False, True])
@pytest.mark.parametrize("yaw", [0.0, 0.3, 1.5, 3.0])
@pytest.mark.parametrize("corners", [3, 5, 6, 7, 8, 10, 12])
def test_the_points_kept_surround_the_middle(corners: int, yaw: float, on_box: bool) -> None:
    system = plate(corners, yaw, on_box)
    found = system.find_contacts(0.0, system.initial_state.q, margin=1e-9)
    around = np.sort(np.arctan2(found.point[:, 1], found.point[:, 0]))
    between = np.diff(np.append(around, around[0] + 2.0 * np.pi))
    assert between.max() < np.pi - 0.1


@pytest.mark.parametrize("yaw", [0.3, 1.5, 3.0])
def test_a_hexagon_rests_on_a_slope(yaw: float) -> None:
    sol = nsmb.simulate(plate(6, yaw, on_box=False), 0.5, method=nsmb.Midpoint(5e-3))
    np.testing.assert_allclose(sol.q, np.tile(sol.q[0], (sol.t.size, 1)), atol=1e-14)
    assert sol.stats["coarse_steps"] == 0

"""Event-driven runs of boxes on height fields, judged by the heights of points of the box."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from tests.campaign.scenes import rotation

Array = NDArray[np.float64]
X = np.linspace(-2.0, 2.0, 21)
HEIGHTS = 0.03 * np.cos(4.0 * X[:, None]) * np.cos(3.0 * X) - 0.03


def ground(p: Array) -> Array:
    """Height below points: two triangles for each cell."""
    s = (p[:, :2] + 2.0) / 0.2
    i, j = np.clip(s.astype(int), 0, 19).T
    a, b = s[:, 0] - i, s[:, 1] - j
    H = HEIGHTS
    low = H[i, j] + a * (H[i + 1, j] - H[i, j]) + b * (H[i + 1, j + 1] - H[i + 1, j])
    high = H[i, j] + b * (H[i, j + 1] - H[i, j]) + a * (H[i + 1, j + 1] - H[i, j + 1])
    return np.where(a >= b, low, high)


def surface(half: Array) -> Array:
    """Points on the faces of a box, in its frame."""
    grid = np.linspace(-1.0, 1.0, 41)
    A, B = (part.ravel() for part in np.meshgrid(grid, grid))
    faces = [np.column_stack([A, B, np.full(A.size, k)]) for k in (-1.0, 1.0)]
    turns = ([0, 1, 2], [0, 2, 1], [2, 0, 1])
    return np.concatenate([face[:, turn] for face in faces for turn in turns]) * half


@pytest.mark.parametrize("seed", [6, 8, 13, 16, 20, 31])
def test_boxes_thrown_on_hills_come_to_rest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    half, q = rng.uniform(0.04, 0.1, 3), rng.normal(size=4)
    model = nsmb.Model(gravity=(0, 0, -9.81))
    model.collide(nsmb.ContactLaw(mu=0.3, e_N=0.3))
    model.ground.shape("hills", geometry.HeightField(HEIGHTS, 0.2, origin=(-2, -2, 0)))
    box = model.add_solid("box", geometry.Box(2.0 * half), 800.0)
    model.add_joint("free", joints.Free(), model.ground, box)
    start, velocity = (0, 0, 0.3, *(q / np.linalg.norm(q))), np.zeros(6)
    velocity[:3], velocity[3:] = rng.uniform(-1.0, 1.0, 3), rng.uniform(-3.0, 3.0, 3)
    system = model.build({"free": start}, {"free": velocity})
    sol = nsmb.simulate(system, 0.6, method=nsmb.EventDriven(max_events=4000))
    points = surface(half)
    for q in sol.q[:: max(1, sol.t.size // 40)]:
        at = points @ rotation(q[3:]).T + q[:3]
        assert (at[:, 2] - ground(at)).min() > -1e-5

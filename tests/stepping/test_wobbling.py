"""Rotating bodies that land in coarse steps: the floor carries bodies that wobble on it."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

RING = [
    (0.4 * np.cos(a), 0.4 * np.sin(a), z) for a in np.arange(8) * np.pi / 4 for z in (-0.15, 0.15)
]
SOLID = ("block", "column")
BODIES = {
    "cylinder": geometry.Cylinder(0.4, 0.3),
    "box": geometry.Box((0.8, 0.7, 0.3)),
    "prism": geometry.ConvexHull(np.array(RING)),
}
SQUARE = [(x, y, 0.0) for x in (-10.0, 10.0) for y in (-10.0, 10.0)]
FLOORS = {
    "half-space": geometry.HalfSpace(),
    "block": geometry.Box((20.0, 20.0, 20.0)),
    "column": geometry.Cylinder(10.0, 20.0),
    "mesh": geometry.TriangleMesh(SQUARE, [(0, 2, 3), (0, 3, 1)]),
    "field": geometry.HeightField(np.zeros((9, 9)), 2.5, origin=(-10.0, -10.0, 0.0)),
}


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("kind", BODIES)
def test_what_wobbles_does_not_sink(kind: str, floor: str) -> None:
    """Bodies fall from 1 cm, 0.3 m thick, rotating by up to a quarter of a radian per step.

    The lowest position of a centre is 2.9 cm below its rest position. With a single contact point
    at a time, it sank by 7 m.
    """
    m = nsmb.Model(gravity=(0.0, 0.0, -9.81))
    m.ground.shape("floor", FLOORS[floor], (0, 0, -10.0 if floor in SOLID else 0.0))
    body = m.add_solid("b", BODIES[kind], 1000.0)
    m.add_joint("b", joints.Free(), m.ground, body)
    m.collide(nsmb.ContactLaw(mu=0.1))
    system = m.build(initial={"b": (0.1, 0.05, 0.16, 1, 0, 0, 0)})
    for omega in (0.5, 1.0, 2.0, 5.0):
        u = np.array([0, 0, 0, omega, 0.3 * omega, 0])
        start = nsmb.State(0.0, system.initial_state.q, u)
        sol = nsmb.simulate(system, 10.0, method=nsmb.Midpoint(0.05), start=start)
        assert sol.q[:, 2].min() > 0.15 - 0.06

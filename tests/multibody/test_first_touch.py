"""The first touch of moving shapes, against small steps of the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb._core import multibody as mb

TOLERANCE = 1e-9
DEPTH = {"sphere": 0.05, "box": 0.01, "capsule": 0.02, "cylinder": 0.015}
ZOO = {
    "sphere": geometry.Sphere(0.05),
    "box": geometry.Box((0.2, 0.3, 0.02)),
    "capsule": geometry.Capsule(0.02, 0.2),
    "cylinder": geometry.Cylinder(0.06, 0.03),
}


def two(first: str, second: str) -> nsmb.MultibodySystem:
    m = nsmb.Model()
    for name, kind in (("a", first), ("b", second)):
        body = m.add_solid(name, ZOO[kind], 1000.0)
        m.add_joint(name, joints.Free(), m.ground, body)
    m.collide(nsmb.ContactLaw())
    return m.build(initial={"a": (0, 0, 0, 1, 0, 0, 0), "b": (9, 0, 0, 1, 0, 0, 0)})


def first_touch(
    system: nsmb.MultibodySystem, q: np.ndarray, u: np.ndarray, step: float
) -> tuple[float, float]:
    return mb.first_touch(system._core, 0.0, q, u, TOLERANCE, step, 0.5 * step)


def after(system: nsmb.MultibodySystem, q: np.ndarray, u: np.ndarray, time: float) -> np.ndarray:
    """Return the positions after t at constant velocities, for bodies that do not rotate."""
    there = q.copy()
    for k in range(2):
        there[7 * k : 7 * k + 3] += time * u[6 * k : 6 * k + 3]
    return there


def least_gap(system: nsmb.MultibodySystem, q: np.ndarray) -> float:
    found = mb.find_contacts(system._core, 0.0, q, np.zeros(system.nu), 1.0)
    return float(found["g_N"].min(initial=np.inf))


@pytest.mark.parametrize("first", sorted(ZOO))
@pytest.mark.parametrize("second", sorted(ZOO))
def test_what_would_be_through_is_found_from_any_side(first: str, second: str) -> None:
    """Gaps of convex shapes are convex along a straight path: the touch is before the minimum."""
    system = two(first, second)
    rng = np.random.default_rng(3)
    hits = misses = 0
    for _ in range(40):
        turn = rng.normal(size=(2, 4))
        turn /= np.linalg.norm(turn, axis=1)[:, None]
        way = rng.normal(size=3)
        way *= 1.5 / np.linalg.norm(way)
        q, u = np.zeros(14), np.zeros(12)
        q[3:7], q[10:14] = turn
        q[:3] = rng.uniform(-0.2, 0.2, 3) - 0.4 * way
        u[:3] = way
        if least_gap(system, q) < 1e-3:
            continue
        # If the bodies pass through each other between half and the end of the step, the next
        # evaluation sees it.
        time, brief = first_touch(system, q, u, 1.0)
        times = np.linspace(0.0, 1.0, 400)
        gaps = np.array([least_gap(system, after(system, q, u, t)) for t in times])
        if gaps.min() > 1e-3:
            misses += 1
            assert time == np.inf
        elif gaps.min() < -1e-3:
            hits += 1
            assert brief > 0.0
            touch = times[gaps < 0.0][0]
            if time == np.inf:
                seen = least_gap(system, after(system, q, u, 0.5 if touch < 0.5 else 1.5))
                assert -0.25 * (DEPTH[first] + DEPTH[second]) <= seen <= TOLERANCE
                continue
            assert 0.0 < time < touch
            assert abs(least_gap(system, after(system, q, u, time))) <= TOLERANCE
    assert hits > 5
    assert misses > 1


def test_what_the_next_look_finds_is_none() -> None:
    """Travel up to a quarter of the depth of both is safe.

    So is longer travel whose end on a face is no deeper.
    """
    system = two("sphere", "box")
    q, u = np.zeros(14), np.zeros(12)
    q[[3, 10]] = 1.0
    sure = 0.25 * (0.05 + 0.01)
    touch = 0.05 + 0.01
    for speed, gap, expected in (
        (0.99 * sure, 0.1 * sure, False),
        (1.01 * sure, 0.1 * sure, False),  # at half the step not deeper than that
        (4.00 * sure, 1.5 * sure, False),
        (4.00 * sure, 0.5 * sure, True),
        (40.0 * sure, 1.0 * sure, True),
    ):
        q[2], u[2] = -touch - gap, speed
        time, _ = first_touch(system, q, u, 1.0)
        assert (time < np.inf) == expected
        if expected:
            np.testing.assert_allclose(time, gap / speed, rtol=0.0, atol=1e-7)


def test_turning_bodies_are_met_on_time() -> None:
    """A rod that rotates like a fan meets a ball beside it."""
    system = two("capsule", "sphere")
    q, u = np.zeros(14), np.zeros(12)
    q[[3, 10]] = 1.0
    q[7:10] = 0.0, 0.08, 0.05  # the rod is along z, and rotates about x
    u[3] = -100.0
    time, brief = first_touch(system, q, u, 0.1)
    # The axis of the rod is at angle 100 t from z; the ball at 0.08 and 0.05 from its middle.
    angle = np.arctan2(0.08, 0.05) - np.arcsin(0.07 / np.hypot(0.08, 0.05))
    np.testing.assert_allclose(time, angle / 100.0, rtol=1e-6)
    assert 0.0 < brief < 2e-3

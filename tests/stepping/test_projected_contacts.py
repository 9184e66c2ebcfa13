"""Contacts of shapes that touch anywhere do not drift."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G = 9.81
R = 0.1


def stepped(step: float = 1e-3, **options: object) -> nsmb.Midpoint:
    return nsmb.Midpoint(step, **options)  # type: ignore[arg-type]


def ball(z: float, e_N: float) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0, 0, -G))
    body = m.add_solid("ball", geometry.Sphere(R), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=0.3, e_N=e_N))
    return m.build(initial={"free": (0, 0, z, 1, 0, 0, 0)})


def boxes(n: int, above: float) -> nsmb.MultibodySystem:
    """A stack, each box slightly rotated, and above the one below."""
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(n):
        body = m.add_solid(f"b{k}", geometry.Box((0.2, 0.2, 0.2)), 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        angle = 0.3 * (k % 3 - 1)
        x = 0.01 * ((k * 7) % 5 - 2)
        z = 0.1 + above + k * (0.2 + above)
        initial[f"j{k}"] = (x, 0.5 * x, z, np.cos(angle / 2), 0, 0, np.sin(angle / 2))
    m.collide(nsmb.ContactLaw(mu=0.5))
    return m.build(initial=initial)


def deepest(system: nsmb.MultibodySystem, q: np.ndarray) -> float:
    return -min(0.0, float(system.find_contacts(0.0, q).g_N.min(initial=0.0)))


@cache
def fallen(n: int, step: float) -> tuple[nsmb.MultibodySystem, nsmb.Solution]:
    system = boxes(n, 0.03)
    return system, nsmb.simulate(system, 1.0, method=stepped(step), output_step=step)


@pytest.mark.parametrize("step", [4e-3, 1e-3])
def test_falling_boxes_are_never_within_each_other(step: float) -> None:
    system, sol = fallen(4, step)
    # Sixteen impulses depend on one another: a step occasionally ends slightly above tol.
    assert sol.step_residual.max() < 1e-7
    assert max(deepest(system, q) for q in sol.q) < 2e-9


@pytest.mark.parametrize("step", [4e-3, 1e-3])
def test_energy_is_never_above_that_of_the_start(step: float) -> None:
    _, sol = fallen(4, step)
    total = sol.energy.total
    assert total.max() <= total[0] * (1.0 + 1e-9)


@pytest.mark.parametrize("step", [4e-3, 1e-3])
def test_boxes_end_on_each_other(step: float) -> None:
    _, sol = fallen(4, step)
    heights = 0.1 * (1.0 + 2.0 * np.arange(4))
    np.testing.assert_allclose(sol.q[-1].reshape(4, 7)[:, 2], heights, rtol=0.0, atol=1e-8)
    assert np.abs(sol.u[-1]).max() < 1e-6


def test_stack_at_rest_does_not_drift() -> None:
    """The run takes 1e4 steps.

    Solvers leave tol of the velocity of a fall in one step, 1e-8 G h. Over 10 s this is 1e-9 m.
    """
    system = boxes(4, 0.0)
    sol = nsmb.simulate(system, 10.0, method=stepped(dense_output=False), output_step=1.0)
    np.testing.assert_allclose(sol.q, sol.q[:1] + 0.0 * sol.q, rtol=0.0, atol=1e-9)
    assert max(deepest(system, q) for q in sol.q) < 1e-9  # gap_tolerance


@pytest.mark.parametrize("e_N", [0.0, 0.5, 1.0])
def test_ball_bounces_as_its_law_says_and_gains_nothing(e_N: float) -> None:
    sol = nsmb.simulate(ball(1.1, e_N), 2.0, method=stepped(), output_step=1e-3)
    jump = np.diff(sol.u[:600, 2]).argmax()
    if e_N > 0.0:
        np.testing.assert_allclose(sol.u[jump + 1, 2], -e_N * sol.u[jump, 2], atol=1e-7)
    else:
        np.testing.assert_allclose(sol.q[600:, 2], R, rtol=0.0, atol=1e-8)
    assert sol.q[:, 2].min() > R - 2e-9
    total = sol.energy.total
    # A bounce is up to half a step early: this changes its height, but not its energy.
    assert total.max() <= total[0] * (1.0 + 1e-9)


def test_what_flies_beside_is_left_alone() -> None:
    """The plane of the nearest features extends beyond the box."""
    m = nsmb.Model()
    body = m.add_solid("ball", geometry.Sphere(R), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("block", geometry.Box((0.2, 0.2, 0.2)))
    m.collide()
    system = m.build(initial={"free": (-0.4, 0.0, 0.3, 1, 0, 0, 0)})
    for step in (1e-2, 1e-3):
        for height in (0.2001, 0.21, 0.25):
            q = np.array([-0.5, 0.0, height, 1.0, 0, 0, 0])
            start = nsmb.State(0.0, q, np.array([30.0, 0, 0, 0, 0, 0]))
            sol = nsmb.simulate(system, 0.05, method=stepped(step), start=start)
            np.testing.assert_array_equal(sol.u[-1], start.u)


def test_heap_of_spheres_stays_apart() -> None:
    rng = np.random.default_rng(1)
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(18):
        body = m.add_solid(f"b{k}", geometry.Sphere(R), 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        x, y = 0.22 * np.array([k % 3, (k // 3) % 3]) + rng.uniform(-0.005, 0.005, 2)
        initial[f"j{k}"] = (x, y, 0.11 + 0.22 * (k // 9), 1, 0, 0, 0)
    m.collide(nsmb.ContactLaw(mu=0.5, mu_R=2e-3))
    system = m.build(initial=initial)
    sol = nsmb.simulate(system, 1.0, method=stepped(2e-3), output_step=0.01)
    assert sol.stats["missed_steps"] == 0
    # Removing the penetration of one sphere may cause as small a penetration of another one.
    assert max(deepest(system, q) for q in sol.q) < 1e-5
    assert (np.diff(sol.energy.total) < 1e-5 * sol.energy.total[0]).all()


def test_what_cannot_come_out_is_marked() -> None:
    """A box in a slot that is 1 cm too narrow for it."""
    m = nsmb.Model(gravity=(0, 0, -G))
    for name, x in (("left", -0.595), ("right", 0.595)):
        m.ground.shape(name, geometry.Box((1.0, 1.0, 1.0)), at=(x, 0, 0))
    box = m.add_solid("box", geometry.Box((0.2, 0.2, 0.2)), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, box)
    m.collide(nsmb.ContactLaw(mu=0.3))
    system = m.build(initial={"free": (0, 0, 0.1, 1, 0, 0, 0)}, penetration=0.01)
    sol = nsmb.simulate(system, 0.02, method=stepped(start_tolerance=1.0))
    assert np.all(sol.step_status == nsmb.results.StepStatus.COARSE)
    method = stepped(start_tolerance=1.0, on_failure="stop")
    sol = nsmb.simulate(system, 0.02, method=method, throw=False)
    assert sol.status == "integration_failure"
    assert "leaves a penetration of 0.0050" in sol.message


def test_what_cannot_come_out_of_named_contacts_is_marked() -> None:
    """A disc between two walls that are 1 cm too close."""
    m = nsmb.Model(gravity=(0, -G))
    disc = m.add_body("disc", mass=1.0, inertia=0.01)
    m.add_joint("j", joints.Planar(), m.ground, disc)
    rim = disc.contour("rim", nsmb.geometry.Circle(0.1))
    for name, x, y in (("left", -0.095, -1.0), ("right", 0.095, 1.0)):
        wall = nsmb.geometry.Segment((x, y), (x, -y))
        m.add_contact(m.ground.contour(name, wall), rim, nsmb.ContactLaw())
    system = m.build({"j": (0.0, 3.0, 0.0)})
    slot = np.zeros(3)
    sol = nsmb.simulate(system, 0.02, method=stepped(start_tolerance=1.0), q=slot)
    assert np.all(sol.step_status == nsmb.results.StepStatus.COARSE)

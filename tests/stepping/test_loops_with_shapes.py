"""Closed loops and detected contacts in one step, against the same mechanism as a tree."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G = 9.81
LENGTH = 0.5
STEPS = [2e-3, 1e-3, 5e-4]


def mechanism(*, loop: bool, e_N: float, beside: float = 0.0) -> nsmb.MultibodySystem:
    """Rod that falls about a hinge at its end onto a block, and a ball that lies on the block."""
    m = nsmb.Model(gravity=(0, 0, -G))
    rod = m.add_solid("rod", geometry.Capsule(0.03, LENGTH), 2000.0)
    m.ground.shape("block", geometry.Box((0.3, 0.3, 0.1)), at=(0.45, 0.0, -0.3))
    ball = m.add_solid("ball", geometry.Sphere(0.05), 2000.0)
    m.add_joint("ball", joints.Free(), m.ground, ball)
    initial: dict[str, object] = {"ball": (0.5, beside, -0.2, 1, 0, 0, 0)}
    hinge = joints.Revolute((0.0, 1.0, 0.0))
    places = {"at": (0, 0, 0), "at_2": (0, 0, -LENGTH / 2)}
    if loop:
        m.add_joint("rod", joints.Free(), m.ground, rod)
        m.add_loop("hinge", hinge, m.ground, rod, **places)
        x, z = LENGTH / 2 * np.sin(0.6), LENGTH / 2 * np.cos(0.6)
        initial["rod"] = (x, 0.0, z, np.cos(0.3), 0, np.sin(0.3), 0)
    else:
        m.add_joint("rod", hinge, m.ground, rod, **places)
        initial["rod"] = 0.6
    m.collide(nsmb.ContactLaw(mu=0.3, e_N=e_N))
    return m.build(initial=initial)


@cache
def run(step: float, e_N: float, *, loop: bool) -> tuple[nsmb.MultibodySystem, nsmb.Solution]:
    system = mechanism(loop=loop, e_N=e_N)
    method = nsmb.Midpoint(step)
    return system, nsmb.simulate(system, 1.0, method=method, output_step=0.01)


@pytest.mark.parametrize("step", STEPS)
def test_loop_moves_as_the_tree(step: float) -> None:
    """The rod falls on the ball, with the same motion between impulses."""
    (_, tree), (_, loop) = run(step, 0.0, loop=False), run(step, 0.0, loop=True)
    np.testing.assert_allclose(loop.q[:, :3], tree.q[:, :3], rtol=0.0, atol=5e-6)


@pytest.mark.parametrize("e_N", [0.0, 0.4])
def test_loop_holds_and_keeps_the_energy_as_its_book_says(e_N: float) -> None:
    """The energy balance has the error of the motion between impacts, of second order."""
    losses = []
    for step in STEPS:
        system, sol = run(step, e_N, loop=True)
        for t, q, u in zip(sol.t, sol.q, sol.u, strict=True):
            at = system.constraint_kinematics(t, q, u)
            assert np.abs(at["g"]).max() < 1e-11
            assert np.abs(at["W"].T @ u + at["w_tilde"]).max() < 1e-9
        losses.append(abs(sol.energy.relative))
    assert np.polyfit(np.log(STEPS), np.log(losses), 1)[0] > 1.8
    assert losses[-1] < 3e-6


def test_forces_of_constraints_hold_the_rod() -> None:
    """The rod comes to rest on the ball: weight, contact and hinge are in balance."""
    system = mechanism(loop=True, e_N=0.0)
    method = nsmb.Midpoint(1e-3)
    sol = nsmb.simulate(system, 1.5, method=method, output_step=0.1)
    q, u = sol.q[-1], sol.u[-1]
    assert np.abs(u).max() < 1e-8
    force = sol.contacts.points.force_on("rod.solid")[-1]
    mass = 2000.0 * np.pi * 0.03**2 * (LENGTH + 4.0 / 3.0 * 0.03)
    W = system.constraint_kinematics(0.0, q, u)["W"]
    hinge = W[6:9] @ sol.lambda_B[-1]
    assert np.linalg.norm(hinge) > 10.0
    np.testing.assert_allclose(force + hinge, [0.0, 0.0, mass * G], rtol=0.0, atol=1e-5)

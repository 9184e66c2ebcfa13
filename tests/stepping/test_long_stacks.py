"""Stacked boxes in space: contacts keep their identity, and nothing drifts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb.simulation.core_simulator import core_simulator
from tests.support.found_table import found_table

G = 9.81


def stack(masses: list[float], mu: float) -> nsmb.MultibodySystem:
    """Cubes of 0.2 m, each slightly rotated relative to the one below."""
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k, mass in enumerate(masses):
        body = m.add_body(f"b{k}", mass=mass, inertia=mass * 0.04 / 6.0 * np.eye(3))
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        body.shape("s", geometry.Box((0.2, 0.2, 0.2)))
        half = 0.05 * k
        initial[f"j{k}"] = (0.01 * k, 0, 0.1 + 0.2 * k, np.cos(half), 0, 0, np.sin(half))
    m.collide(nsmb.ContactLaw(mu=mu))
    return m.build(initial=initial)


@pytest.mark.parametrize(
    ("masses", "mu", "missed"),
    [
        ([1.0] * 4, 0.5, 0),
        ([1.0] * 3, 2.0, 0),
        ([1.0] * 3, 0.0, 0),
        ([1e6, 1.0], 0.5, 0),
        ([1.0, 1e6], 0.5, 2),  # measured: one step, which is marked
    ],
)
def test_a_stack_at_rest_keeps_its_contacts(masses: list[float], mu: float, missed: int) -> None:
    system = stack(masses, mu)
    step, n = 1.0 / 1024.0, 2000
    run = core_simulator(system, nsmb.Midpoint(step))
    start = system.initial_state
    run.reset(0.0, start.q, start.u, np.zeros(0))
    run.set_output_step(step)
    run.advance(n * step)
    data = run.trajectory()
    table = found_table(data)
    assert (data["step_status"] != 0).sum() <= missed
    assert data["step_residual"].max() < 2e-8
    first = table["first"]
    kept = [set(table["identity"][first[k] : first[k + 1]].tolist()) for k in range(1, n + 1)]
    assert len(kept[0]) == 4 * len(masses)
    assert sum(a != b for a, b in pairwise(kept)) == 0
    # A tenth of a micrometre in 2 s, for a tol of 1e-8.
    assert np.abs(data["y"][-1][: system.nq] - start.q).max() < 1e-7

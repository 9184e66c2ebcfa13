"""Boxes thrown on a table, several at once, event by event."""

from __future__ import annotations

import numpy as np

import nsmb
from nsmb import geometry, joints


def thrown(seed: int, count: int = 3) -> nsmb.MultibodySystem:
    rng = np.random.default_rng(seed)
    m = nsmb.Model(gravity=(0, 0, -9.81))
    m.ground.shape("table", geometry.HalfSpace())
    q, u = {}, {}
    for k in range(count):
        box = m.add_solid(f"box{k}", geometry.Box((0.02, 0.03, 0.04)), 1200.0)
        m.add_joint(f"free{k}", joints.Free(), m.ground, box)
        turn = rng.normal(size=4)
        q[f"free{k}"] = (0, 0, 0.08 + 0.06 * k, *(turn / np.linalg.norm(turn)))
        u[f"free{k}"] = (*rng.normal(size=3) * 0.3, *rng.normal(size=3) * 8)
    m.collide(nsmb.ContactLaw(mu=0.4, e_N=0.5))
    return m.build(q, u)


def test_slip_that_began_backwards_ends_no_step_before_its_start() -> None:
    """At 0.428 s a corner slips at 2e-6 m/s, against its initial direction of slip.

    The instant of zero slip is before the step.
    """
    sol = nsmb.simulate(thrown(5), 0.43)
    assert sol.status == "finished"
    assert len(sol.events) > 100
    assert sol.energy.relative < 1e-6
    assert sol.contacts.points.g_N.min() > -1e-8

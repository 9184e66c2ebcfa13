"""Impacts with prescribed slip: friction changes no velocity, but the belt does work."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

MU, E, SPEED, HEIGHT, G = 0.3, 0.5, 2.0, 0.5, 9.81
Law = Literal["poisson", "moreau"]


@pytest.mark.parametrize("impact_law", ["poisson", "moreau"])
def test_a_guided_mass_falls_on_a_belt(impact_law: Law) -> None:
    """Λ_N = (1 + e) m v, Λ_T = mu Λ_N; the belt works Λ_T times its speed."""
    law = nsmb.ContactLaw(mu=MU, e_N=E)
    belt = nsmb.Contact(w_N=[1.0], w_T=[0.0], w_tilde_T=-SPEED, law=law, name="belt")
    system = nsmb.LinearSystem([[1.0]], force=[-G], contacts=[belt])
    method = nsmb.EventDriven(impact_law=impact_law)
    sol = nsmb.simulate(system, 1.0, q=[HEIGHT], method=method)
    first = sol.events[0]
    v = np.sqrt(2.0 * G * HEIGHT)
    Lambda_N = (1.0 + E) * v
    assert first.Lambda_N[0] == pytest.approx(Lambda_N, rel=1e-10)
    assert first.Lambda_T[0] == pytest.approx(MU * Lambda_N, rel=1e-10)
    assert first.drive_work == pytest.approx(MU * Lambda_N * SPEED, rel=1e-10)
    lost = 0.5 * (1.0 - E**2) * v**2 + MU * Lambda_N * SPEED
    assert first.energy_loss == pytest.approx(lost, rel=1e-10)
    assert sol.check()


def test_a_body_in_a_guide_on_a_moving_table_has_the_law_in_two_directions() -> None:
    """A slide falls along z onto a table that runs in x and y."""
    model = nsmb.Model(gravity=(0, 0, -G))
    table = model.add_body("table", mass=1.0, inertia=(1.0, 1.0, 1.0))
    way = np.array([0.6, 0.8, 0.0])
    model.add_joint(
        "way", joints.Prismatic(way), model.ground, table,
        motion=lambda t: (SPEED * t, SPEED, 0.0),
    )  # fmt: skip
    floor = table.shape("top", geometry.HalfSpace())
    ball = model.add_body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.add_joint("fall", joints.Prismatic((0, 0, 1)), model.ground, ball)
    skin = ball.shape("skin", geometry.Sphere(0.1))
    model.add_contact(floor, skin, nsmb.ContactLaw(mu=MU), name="touch")
    sol = nsmb.simulate(model.build({"fall": 0.1 + HEIGHT}), 0.5)
    impulse = sol.contacts["touch"].impulse[-1]
    Lambda_N = np.sqrt(2.0 * G * HEIGHT)
    np.testing.assert_allclose(impulse, MU * Lambda_N * way + [0.0, 0.0, Lambda_N], rtol=1e-9)

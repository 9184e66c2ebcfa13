"""Length tolerances are relative to the outlines in contact, or to options of the run."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints


def off_the_step(L: float) -> nsmb.Solution:
    """A disc that slides off the edge of a step, with all lengths times L."""
    model = nsmb.Model(gravity=(0.0, -9.81 * L))
    outline = [(-3.0, -1.0), (3.0, -1.0), (3.0, -0.05), (0.5, -0.05), (0.5, 0.0), (-3.0, 0.0)]
    step = model.ground.contour("step", geometry.Polygon(L * np.array(outline)))
    disc = model.add_body("disc", mass=1.0, inertia=0.5 * (0.08 * L) ** 2)
    model.add_joint("disc", joints.Planar(), model.ground, disc)
    rim = disc.contour("rim", geometry.Circle(0.08 * L))
    model.add_contact(step, rim, nsmb.ContactLaw(mu=0.2), name="contact")
    system = model.build({"disc": (0.0, 0.08 * L, 0.0)}, {"disc": (1.39 * L, 0.0, 0.0)})
    method = nsmb.EventDriven(
        gap_tolerance=1e-11 * L, rest_velocity=1e-11 * L, start_tolerance=1e-9 * L
    )
    return nsmb.simulate(system, 0.6, method=method)


@pytest.fixture(scope="module")
def reference() -> nsmb.Solution:
    return off_the_step(1.0)


# From a disc of 5 mm to one of 0.15 um; powers of two change no digit.
@pytest.mark.parametrize("power", [-20, -17, -15, -13, -10, -5, 5, 10])
def test_a_scene_in_other_lengths_is_the_same_motion(reference: nsmb.Solution, power: int) -> None:
    sol = off_the_step(2.0**power)
    assert [e.kind for e in sol.events] == [e.kind for e in reference.events]
    np.testing.assert_allclose(sol.events.t, reference.events.t, rtol=1e-12)
    places = sol.q[-1] / [2.0**power, 2.0**power, 1.0]
    np.testing.assert_allclose(places, reference.q[-1], rtol=1e-9)

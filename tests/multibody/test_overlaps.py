"""Overlapping bodies are detected by their outlines at any depth, and the run ends."""

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

BOX = geometry.Polygon([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)])


def boxes(motion):
    """A floating box, and a box with prescribed motion along x."""
    m = nsmb.Model()
    floating = m.add_body("floating", mass=1.0, inertia=0.01)
    m.add_joint("free", joints.Planar(), m.ground, floating)
    driven = m.add_body("driven", mass=1.0, inertia=0.01)
    m.add_joint("rail", joints.Prismatic((1, 0, 0)), m.ground, driven, motion=motion)
    law = nsmb.ContactLaw(e_N=0.3, mu=0.4)
    m.add_contact(floating.contour("sides", BOX), driven.contour("sides", BOX), law, name="pair")
    return m.build({"free": [1.1, 0.05, 0.1]})


def at_rest(t):
    return 0.0, 0.0, 0.0


def carried(t):
    """Position that jumps without a velocity, so that the impact cannot be detected."""
    return (0.0 if t < 0.503 else 1.0), 0.0, 0.0


@pytest.mark.parametrize("turn", [0.0, 1e-16, -1e-16, 3e-17])
def test_a_box_beside_a_notch_at_its_height_is_apart(turn):
    """The middle of the box is level with the bottom of the notch, which is flat to rounding."""
    notch = geometry.Polygon(
        [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (0.1, 0.1), (0.1, 0.0), (-0.1, 0.0), (-0.1, 0.1),
         (-0.2, 0.1)]
    )  # fmt: skip
    m = nsmb.Model()
    bodies = [m.add_body(name, mass=1.0, inertia=0.01) for name in ("box", "notched")]
    for name, body in zip("ab", bodies, strict=True):
        m.add_joint(name, joints.Planar(), m.ground, body)
    law = nsmb.ContactLaw(e_N=0.3, mu=0.4)
    outlines = [body.contour("c", c) for body, c in zip(bodies, (BOX, notch), strict=True)]
    m.add_contact(*outlines, law, name="pair")
    system = m.build({"a": [1.0, 0.1, 0.0], "b": [1.6, 0.1, 0.0]})
    for x in np.linspace(1.45, 1.7, 40):
        assert system.overlaps(0.0, [1.0, 0.1, 0.0, x, 0.1, turn]) == {}


@pytest.mark.parametrize(
    ("q", "depth"),
    [
        ([0.3, 0.0, 0.0], 0.1),  # the corner edges pass through the middle, 0.1 m from both sides
        ([0.0, 0.0, 0.0], 0.1),  # coincident
        ([0.39, 0.19, 0.0], 0.01),  # corners in the common square of 0.01 m
    ],
)
def test_depth_is_reached_at_least(q, depth):
    found = boxes(at_rest).overlaps(0.0, q)
    assert found == {"pair": pytest.approx(depth, rel=1e-9)}


@pytest.mark.parametrize("q", [[0.4, 0.0, 0.0], [0.4 + 1e-12, 0.1, 0.0], [1.0, 0.0, 2.0]])
def test_bodies_that_touch_or_are_apart_do_not_overlap(q):
    assert boxes(at_rest).overlaps(0.0, q) == {}


def test_systems_without_outlines_have_no_overlaps():
    assert nsmb.systems.woodpecker().overlaps(0.0, np.zeros(3)) == {}


def test_a_run_that_ends_within_another_body_has_not_finished():
    system = boxes(carried)
    sol = nsmb.simulate(system, 0.4)
    assert sol.check().ok
    sol = nsmb.simulate(system, 1.0, throw=False)
    assert sol.status == "integration_failure"
    assert "'pair' overlap by at least 0.0847 m" in sol.message
    with pytest.raises(nsmb.SimulationError, match="an impact has been missed"):
        nsmb.simulate(system, 1.0)


def test_check_looks_at_outlines_between_the_samples():
    broken = nsmb.simulate(boxes(carried), 1.0, throw=False).check().violations
    assert {v.rule for v in broken} == {"bodies apart"}
    assert min(v.t for v in broken) > 0.5

"""Polygons that meet flush do not pass through each other in any stepped scheme."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from numpy.polynomial import Polynomial
from shapely import affinity

import nsmb
from nsmb import geometry, joints
from tests.support.methods import stepping
from tests.support.overlaps import common_part

Points = list[tuple[float, float]]
SCHEMES = ["midpoint", "hybrid"]


def meeting(
    outlines: tuple[Points, Points],
    places: Any,
    speed: float,
    law: nsmb.ContactLaw,
    mass: float = 1.0,
) -> nsmb.MultibodySystem:
    """Two bodies on one floor, the first one slides into the second."""
    m = nsmb.Model(gravity=(0, -9.81))
    floor = m.ground.contour("floor", geometry.Line())
    found = []
    for i, points in enumerate(outlines):
        body = m.add_body(f"b{i}", mass=mass if i else 1.0, inertia=0.01)
        m.add_joint(f"j{i}", joints.Planar(), m.ground, body)
        contour = body.contour("c", geometry.Polygon(points))
        m.add_contact(floor, contour, law, name=f"f{i}")
        found.append(contour)
    m.add_contact(found[0], found[1], law, name="pair")
    return m.build(initial={"j0": places[0], "j1": places[1]}, velocities={"j0": (speed, 0.0, 0.0)})


def box(width: float, height: float, top: float = 1.0) -> Points:
    low, high = -height / 2, height / 2
    above = [(top * width / 2, high), (-top * width / 2, high)] if top else [(0.0, high)]
    return [(-width / 2, low), (width / 2, low), *above]


def deepest_overlap(sol: nsmb.Solution, outlines: tuple[Points, Points]) -> float:
    """Return the largest common area over the smaller one, by Shapely."""
    worst = 0.0
    areas = [shapely.Polygon(points).area for points in outlines]
    for q in sol.q:
        placed = [
            affinity.translate(
                affinity.rotate(
                    shapely.Polygon(points), q[3 * i + 2], origin=(0, 0), use_radians=True
                ),
                q[3 * i],
                q[3 * i + 1],
            )
            for i, points in enumerate(outlines)
        ]
        worst = max(worst, common_part(placed[0], placed[1]).area / min(areas))
    return worst


def draw(seed: int) -> tuple[tuple[Points, Points], Any, float, nsmb.ContactLaw]:
    rng = np.random.default_rng(seed)
    heights, widths = rng.uniform(0.1, 0.3, 2), rng.uniform(0.1, 0.3, 2)
    tops = rng.choice([0.0, 0.5, 1.0], 2)
    if seed % 2:
        heights[1] = heights[0]
    outlines = (
        box(widths[0], heights[0], float(tops[0])),
        box(widths[1], heights[1], float(tops[1])),
    )
    places = ((0.0, heights[0] / 2, 0.0), (widths.sum() / 2 + 0.1, heights[1] / 2, 0.0))
    law = nsmb.ContactLaw(mu=float(rng.choice([0.0, 0.05])), e_N=float(rng.choice([0.0, 0.4])))
    return outlines, places, float(rng.uniform(0.5, 3.0)), law


# Contacts of one impact have different restitution.
@pytest.mark.filterwarnings("ignore:impacts that created energy")
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(10))
def test_bodies_that_meet_on_a_floor_do_not_pass(seed: int, scheme: str) -> None:
    outlines, places, speed, law = draw(seed)
    system = meeting(outlines, places, speed, law)
    method = stepping(1e-3, scheme)
    sol = nsmb.simulate(system, 0.4, method=method, output_step=1e-3)
    assert (np.diff(sol.q[:, [0, 3]], axis=1) > 0.0).all()
    assert deepest_overlap(sol, outlines) < 0.05


@pytest.mark.parametrize("scheme", SCHEMES)
def test_two_equal_squares_exchange_their_velocities(scheme: str) -> None:
    """The squares have no friction and e = 1, and every step length works."""
    square = box(0.2, 0.2)
    law = nsmb.ContactLaw(mu=0.0, e_N=1.0)
    system = meeting((square, square), ((0.0, 0.1, 0.0), (0.3, 0.1, 0.0)), 1.0, law)
    for step in (1e-3, 3e-4):
        sol = nsmb.simulate(system, 0.3, method=stepping(step, scheme))
        np.testing.assert_allclose(sol.u[-1, [0, 3]], [0.0, 1.0], atol=1e-9)


def test_all_ways_of_moving_agree_on_what_becomes_of_a_flush_meeting() -> None:
    """Inelastic, without friction: both continue with the momentum of the first."""
    square = box(0.2, 0.2)
    system = meeting(
        (square, square), ((0.0, 0.1, 0.0), (0.3, 0.1, 0.0)), 1.0, nsmb.ContactLaw(), 3.0
    )
    methods = [nsmb.EventDriven(), *(stepping(1e-3, s) for s in SCHEMES)]
    for method in methods:
        sol = nsmb.simulate(system, 0.5, method=method)
        np.testing.assert_allclose(sol.u[-1, [0, 3]], 0.25, atol=1e-6, err_msg=repr(method))
        assert abs(sol.q[-1, 3] - sol.q[-1, 0] - 0.2) < 2e-3


def test_fast_bodies_do_not_pass_in_one_step() -> None:
    """A square of 0.1 m moves by 0.3 m in a step."""
    square = box(0.1, 0.1)
    system = meeting(
        (square, square), ((0.0, 0.05, 0.0), (0.5, 0.05, 0.0)), 300.0, nsmb.ContactLaw()
    )
    sol = nsmb.simulate(system, 5e-3, method=nsmb.Midpoint(1e-3))
    assert sol.q[-1, 3] - sol.q[-1, 0] > 0.06
    np.testing.assert_allclose(sol.u[-1, [0, 3]], 150.0, rtol=1e-6)


def test_what_no_step_can_hold_ends_the_run() -> None:
    """A slide of prescribed motion drives a square into a fixed one."""
    m = nsmb.Model()
    square = geometry.Polygon(box(0.2, 0.2))
    slide = m.add_body("slide", mass=1.0, inertia=0.01)
    m.add_joint("x", joints.Prismatic((1, 0)), m.ground, slide, motion=Polynomial([0.0, 1.0]))
    m.add_joint("beside", joints.Planar(), m.ground, m.add_body("other", mass=1.0, inertia=0.01))
    wall = m.ground.contour("wall", square, at=(0.3, 0.0))
    m.add_contact(wall, slide.contour("square", square), nsmb.ContactLaw(), name="crash")
    method = nsmb.Midpoint(1e-3)
    sol = nsmb.simulate(m.build(), 0.4, method=method, throw=False)
    assert sol.status == "integration_failure"
    assert sol.message.startswith("t = 0.1")
    assert "the outlines of contact 'crash[0]' overlap by 2" in sol.message
    assert 0.13 < sol.t[-1] < 0.15

"""Default numbers of contact points of two contours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

SQUARE = geometry.Polygon([(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)])
TRIANGLE = geometry.Polygon([(-0.1, -0.1), (0.1, -0.1), (0.0, 0.1)])
STEP = geometry.Polyline([(2.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5)])
TABLE = geometry.Segment((1.0, 0.0), (-1.0, 0.0))
DISC, POINT = geometry.Circle(0.1), geometry.Point()


def scene(
    ground: Any, moving: Any, place: Any, speed: Any = (0.0, 0.0, 0.0), points: Any = None
) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0, -9.81))
    body = m.add_body("b", mass=1.0, inertia=5e-3)
    m.add_joint("j", joints.Planar(), m.ground, body)
    law = nsmb.ContactLaw(mu=0.3, e_N=0.4)
    pair = m.ground.contour("g", ground), body.contour("c", moving)
    m.add_contact(*pair, law, "c", points=points)
    return m.build({"j": place}, {"j": speed})


@pytest.mark.parametrize(
    ("ground", "moving", "number"),
    [
        (TABLE, POINT, 1),  # ends are only touched by curves and edges
        (TABLE, DISC, 3),  # the side and both ends
        (STEP, POINT, 3),
        (STEP, DISC, 7),
        (TRIANGLE, POINT, 3),
        (TRIANGLE, DISC, 6),
        (SQUARE, DISC, 8),
        (SQUARE, SQUARE, 8),
        (geometry.Line(), DISC, 1),
        (geometry.Ellipse(1.0, 2.0), POINT, 1),
        (geometry.Segment((1.0, 0.0), (-1.0, 0.0)), geometry.Ellipse(0.1, 0.2), 8),
    ],
)
def test_straight_pieces_have_as_many_as_there_are_pairs_of_features(
    ground: Any, moving: Any, number: int
) -> None:
    assert scene(ground, moving, (0.0, 5.0, 0.0)).nc == number


@pytest.mark.parametrize(
    ("ground", "moving", "place", "speed"),
    [
        (TABLE, POINT, (0.9, 0.05, 0.0), (0.5, 0.0, 0.0)),  # bounces, slides, and leaves the end
        (TABLE, DISC, (0.9, 0.15, 0.0), (0.7, 0.0, -3.0)),  # rolls over the end
        (STEP, DISC, (0.2, 0.65, 0.0), (1.0, 0.0, 0.0)),  # down a step
        (SQUARE, POINT, (0.0, 0.3, 0.0), (0.3, 0.0, 0.0)),
    ],
)
def test_the_motion_is_that_with_more_of_them(
    ground: Any, moving: Any, place: Any, speed: Any
) -> None:
    few, many = (
        nsmb.simulate(scene(ground, moving, place, speed, points), 1.0) for points in (None, 16)
    )
    assert few.system.nc < many.system.nc
    assert few.events.kinds == many.events.kinds
    assert "impact" in few.events.kinds
    assert np.abs(few.events.t - many.events.t).max() < 1e-9
    assert np.abs(few.q[-1] - many.q[-1]).max() < 1e-9


def test_a_point_beside_the_end_of_a_segment_is_not_within_its_body() -> None:
    """The contact point is discarded beyond the end of the segment: its gap is meaningless."""
    fall = nsmb.simulate(scene(TABLE, POINT, (1.5, -0.02, 0.0)), 0.5)
    assert fall.events.kinds == []
    assert fall.q[-1, 1] == pytest.approx(-0.02 - 0.5 * 9.81 * 0.25, abs=1e-12)

"""Figures of body models: contours at their markers, contact points from the core."""

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb.pictures.subjects import contact_frames
from tests.python.test_drawing import STATES, arrows, dots, newton_per_unit, patch
from tests.python.test_viewer import Window, visualizer

pyplot = pytest.importorskip("matplotlib.pyplot")

RADIUS, MASS, G, SLOPE, MU = 0.1, 2.0, 10.0, 0.2, 0.4


def disc(*, ground_first: bool = False, height: float = 0.0) -> nsmb.System:
    """Return a disc on a plane with SLOPE to the right, whose line runs uphill."""
    m = nsmb.Model(gravity=(0, -G), name="disc")
    body = m.add_body("disc", mass=MASS, inertia=0.5 * MASS * RADIUS**2)
    m.add_joint("disc", joints.Planar(), m.ground, body)
    rim = body.contour("rim", geometry.Circle(RADIUS))
    direction = (-np.cos(SLOPE), np.sin(SLOPE))
    plane = m.ground.contour("plane", geometry.Line((0, 0), direction))
    pair = (plane, rim) if ground_first else (rim, plane)
    m.add_contact(*pair, nsmb.ContactLaw(mu=MU), "contact")
    start = (RADIUS + height) * np.array([np.sin(SLOPE), np.cos(SLOPE)])
    return m.build({"disc": [*start, 0.0]})


def in_plane(vector: Any) -> tuple[float, float]:
    """Return the components down the plane and normal to it."""
    x, y = float(vector[0]), float(vector[1])
    cos, sin = np.cos(SLOPE), np.sin(SLOPE)
    return x * cos - y * sin, x * sin + y * cos


@pytest.mark.parametrize("ground_first", [False, True])
def test_forces_act_on_the_body_whichever_contour_comes_first(ground_first: bool) -> None:
    """When rolling, λ_N = m g cos α supports the disc, and λ_T = m g sin α / 3 brakes it."""
    system = disc(ground_first=ground_first)
    ax = system.draw()
    (tail, normal, color), (_, friction, _) = arrows(ax)
    np.testing.assert_allclose(tail, (0.0, 0.0), atol=1e-9)
    scale = newton_per_unit(ax)
    weight = MASS * G
    np.testing.assert_allclose(
        in_plane(scale * normal), (0.0, weight * np.cos(SLOPE)), atol=1e-9 * weight
    )
    np.testing.assert_allclose(
        in_plane(scale * friction), (-weight * np.sin(SLOPE) / 3.0, 0.0), atol=1e-9 * weight
    )
    assert color == STATES[nsmb.ContactState.STICK]


def test_contour_is_drawn_where_the_body_is() -> None:
    system = disc()
    q = np.array([0.5, 0.3, 1.0])
    corners = patch(system.draw(q), "disc")
    radii = np.hypot(*(corners - (500.0, 300.0)).T)  # mm
    np.testing.assert_allclose(radii, 100.0, rtol=1e-12)


def test_a_line_without_end_does_not_widen_the_view() -> None:
    """It is given by many points, but the view shows the disc of 0.2 m."""
    ax = disc().draw()
    for low, high in (ax.get_xlim(), ax.get_ylim()):
        assert 200.0 < high - low < 260.0


def test_contact_points_ride_along() -> None:
    """In a run the dot is below the centre at the distance of the radius, on the plane."""
    system = disc()
    run = nsmb.simulate(system, 0.5)
    for t in np.linspace(0.0, 0.5, 11):
        q = run.at(t).q
        (frame,) = contact_frames(system, t, q)
        assert frame is not None
        along, above = in_plane(frame.point)
        assert above == pytest.approx(0.0, abs=1e-9)
        assert along == pytest.approx(in_plane(q)[0], abs=1e-9)
        assert in_plane(frame.normal) == pytest.approx((0.0, 1.0), abs=1e-12)
    ax = run.draw(0.5)
    assert dots(ax)[1] == [STATES[nsmb.ContactState.STICK]]
    assert len(arrows(ax)) == 2


def test_slots_without_a_contact_point_have_no_place() -> None:
    m = nsmb.Model(gravity=(0, -G))
    block = m.add_body("block", mass=1.0, inertia=0.01)
    m.add_joint("block", joints.Planar(), m.ground, block)
    square = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]
    body = block.contour("square", geometry.Polygon(square))
    floor = m.ground.contour("floor", geometry.Segment((1, 0), (-1, 0)))
    m.add_contact(body, floor, nsmb.ContactLaw(mu=0.5), "contact")
    system = m.build({"block": [0.2, 0.1, 0.0]})
    frames = contact_frames(system, 0.0, system.initial_state.q)
    found = sorted(tuple(np.round(f.point, 9)) for f in frames if f is not None)
    lowest = [place for place in found if abs(place[1]) < 1e-9]
    assert lowest == [(0.1, 0.0, 0.0), (0.3, 0.0, 0.0)]
    assert None in frames
    ax = system.draw()
    vectors = [newton_per_unit(ax) * vector for _, vector, _ in arrows(ax)]
    normals = [vector for vector in vectors if abs(vector[1]) > abs(vector[0])]
    np.testing.assert_allclose(np.sum(normals, axis=0), (0.0, G), atol=1e-9)


def test_models_can_be_viewed_in_space() -> None:
    window = Window()
    run = nsmb.simulate(disc(), 0.2)
    nsmb.view(run, fps=10.0, visualizer=visualizer(window))
    bodies = [c for c in window.of_kind("set_object") if "/marker_" in c["path"]]
    assert len(bodies) == 2  # rim and plane
    (command,) = window.of_kind("set_animation")
    assert sum("/marker_" in a["path"] for a in command["animations"]) == 2


def test_contours_seen_from_behind_keep_their_body_on_the_left() -> None:
    """Otherwise filled bodies and hatched lines would be inverted."""
    outlines = nsmb.systems.woodpecker_4dof().scene.outlines(0.0, np.zeros(4))
    closed = [o.points for o in outlines if o.closed]
    assert len(closed) >= 4
    for ring in closed:
        x, y = ring[:, 0], ring[:, 1]
        assert np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) > 0.0
    lines = [o.points for o in outlines if not o.closed and len(o.points) > 1]
    for line in lines:  # the pole is on their left
        along = line[-1] - line[0]
        assert along[1] * line[0, 0] > 0.0  # the middle of the pole is at x = 0

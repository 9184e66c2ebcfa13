"""Contact points that appear and disappear while bodies bounded by polygons move."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nsmb
from tests.multibody.scenes import SQUARE, PolygonScene, rectangle, regular
from tests.support.draws import numbers

LAW = nsmb.ContactLaw(mu=0.3, e_N=0.3)
FLOOR = rectangle(-2.0, -1.0, 2.0, 0.0)
# Closed contacts have gaps below 1e-13 m at the ends of steps. Between them the dense output is as
# accurate as the integration, rtol 1e-8 of a metre. Measured 3e-9.
CLEARANCE = 2e-8


def test_box_that_falls_on_a_corner_tumbles_and_comes_to_rest_flat():
    scene = PolygonScene(SQUARE, [FLOOR], LAW, q=(0.0, 0.5, 0.2))
    sol = nsmb.simulate(scene, t_end=1.5)
    assert sol.success
    assert sol.q[-1, 1] == pytest.approx(0.1, abs=1e-12)
    assert np.cos(4.0 * sol.q[-1, 2]) == pytest.approx(1.0, abs=1e-12)
    assert sol.u[-1] == pytest.approx(0.0, abs=1e-12)
    assert scene.penetration(sol) < CLEARANCE
    closed = sol.contact_state[-1] != nsmb.ContactState.OPEN
    assert closed.sum() == 2
    assert sol.lambda_N[-1].sum() == pytest.approx(9.81)


def test_first_impact_is_that_of_a_corner_on_a_plane():
    """Closed form: vertex of a free body on a smooth half plane, (8.11) for one contact."""
    law = nsmb.ContactLaw(e_N=0.3)
    sol = nsmb.simulate(PolygonScene(SQUARE, [FLOOR], law, q=(0.0, 0.5, 0.2)), t_end=0.29)
    arm = 0.1 * np.array([-np.cos(0.2) + np.sin(0.2), -np.sin(0.2) - np.cos(0.2)])
    t = np.sqrt(2.0 * (0.5 + arm[1]) / 9.81)
    event = sol.events[0]
    assert event.t == pytest.approx(t, abs=1e-12)
    mass = 1.0 / (1.0 + arm[0] ** 2 / 0.01)
    assert event.Lambda_N.sum() == pytest.approx(1.3 * mass * 9.81 * t, rel=1e-11)
    assert event.features[event.Lambda_N > 0.0].tolist() == [[0, 5]]  # vertex 0 on edge 2


def test_box_that_slides_over_the_end_of_a_table_tips_over_its_corner():
    table = rectangle(-2.0, -1.0, 0.3, 0.0)
    scene = PolygonScene(SQUARE, [table], LAW, q=(0.0, 0.1, 0.0), u=(2.0, 0.0, 0.0))
    sol = nsmb.simulate(scene, t_end=0.6)
    assert sol.success
    assert scene.penetration(sol) < CLEARANCE
    # The front corner leaves the table at its end, after 0.2 m with friction.
    t = (2.0 - np.sqrt(4.0 - 2.0 * 0.3 * 9.81 * 0.2)) / (0.3 * 9.81)
    assert sol.events.t[0] == pytest.approx(t, abs=1e-8)
    # The corner of the table takes over without an impact, and the box continues to slide.
    assert "impact" not in sol.events[sol.events.t < 0.2].kinds
    before, after = sol.at(t - 1e-6).u, sol.at(t + 1e-6).u
    assert before == pytest.approx(after, abs=1e-4)
    touch = sol.events.of_kind("touch")[0]
    assert touch.features[[name in touch.contacts for name in sol.contact_names]][0, 1] == 4
    assert sol.q[-1, 2] < -0.1
    assert sol.q[-1, 1] < 0.05


def test_box_that_slides_into_a_wall_is_stopped_by_it():
    """In the corner of floor and wall a vertex touches both edges of a concave polygon."""
    room = np.array([(-1, -0.5), (1.5, -0.5), (1.5, 1), (1, 1), (1, 0), (-1, 0)], float)
    law = nsmb.ContactLaw(mu=0.1)
    scene = PolygonScene(SQUARE, [room], law, q=(0.0, 0.1, 0.0), u=(3.0, 0.0, 0.0))
    sol = nsmb.simulate(scene, t_end=0.6)
    assert sol.success
    t = (3.0 - np.sqrt(9.0 - 2.0 * 0.981 * 0.9)) / 0.981
    hit = sol.events.of_kind("impact")[0]
    assert hit.t == pytest.approx(t, abs=1e-8)
    assert sol.q[-1, 0] == pytest.approx(0.9, abs=1e-9)
    assert sol.u[-1] == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("n", [12, 60])
def test_polygon_that_rolls_changes_its_contact_vertex(n):
    scene = PolygonScene(
        regular(n),
        [FLOOR],
        nsmb.ContactLaw(mu=0.5),
        q=(0.0, 0.1, np.pi / n * (n % 4 == 2)),
        u=(0.5, 0.0, -5.0),
    )
    sol = nsmb.simulate(scene, t_end=0.5)
    assert sol.success
    assert scene.penetration(sol) < CLEARANCE
    used = {tuple(f) for row in sol.features for f in row if f[0] % 2 == 0 and f[0] >= 0}
    assert len(used) > 3
    assert np.diff(scene.energies(sol)).max() < 1e-8


def test_result_does_not_depend_on_the_room_for_candidates():
    sols = [
        nsmb.simulate(
            PolygonScene(regular(60), [FLOOR], LAW, q=(0, 0.15, 0.1), u=(0.4, 0, 2), points=points),
            t_end=0.25,
            rtol=1e-11,
        )
        for points in (4, 8, 24)
    ]
    first = sols[0]
    for other in sols[1:]:  # later, rattling amplifies small differences
        assert other.events.kinds[:8] == first.events.kinds[:8]
        assert other.events.t[:8] == pytest.approx(first.events.t[:8], abs=1e-10)
        t = first.events.t[8] - 1e-6
        assert other.at(t).q == pytest.approx(first.at(t).q, abs=1e-10)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    n=st.integers(3, 9),
    phi=numbers(-3.0, 3.0),
    u=st.tuples(numbers(-2, 2), numbers(-2, 2), numbers(-10, 10)),
    mu=st.sampled_from([0.0, 0.3, 1.0]),
    e_N=st.sampled_from([0.0, 0.5]),
)
def test_no_polygon_ever_goes_through_another(n, phi, u, mu, e_N):
    law = nsmb.ContactLaw(mu=mu, e_N=e_N)
    step = rectangle(0.35, -0.2, 0.9, 0.12)
    scene = PolygonScene(regular(n), [FLOOR, step], law, q=(0.0, 0.25, phi), u=u, points=6)
    sol = nsmb.simulate(scene, t_end=0.4, throw=False)
    assert sol.status in ("finished", "event_limit")
    assert scene.penetration(sol, 120) < CLEARANCE
    assert np.diff(scene.energies(sol)).max() < 1e-7


def test_start_inside_another_body_is_refused():
    scene = PolygonScene(SQUARE, [FLOOR], LAW, q=(0.0, 0.095, 0.0))
    with pytest.raises(ValueError, match=r"g_N = -0.005"):
        nsmb.simulate(scene, t_end=0.1)


def test_too_many_contact_points_name_the_remedy():
    comb = np.array(
        [p for k in range(6) for p in ((0.02 * k - 0.1, 0.0), (0.02 * k - 0.09, 0.05))]
        + [(0.02, 0.3), (-0.1, 0.3)],
        float,
    )
    scene = PolygonScene(comb, [FLOOR], LAW, q=(0.0, 0.0, 0.0), points=3)
    with pytest.raises(ValueError, match=r"'c0'.*points = 3.*Increase `points`"):
        nsmb.simulate(scene, t_end=0.1)


def test_stacked_blocks_fly_side_by_side_bounce_and_settle():
    """Two blocks fall together for a while and touch without force."""
    law = nsmb.ContactLaw(mu=0.5, e_N=0.2)
    m = nsmb.Model(gravity=(0.0, -10.0))
    below = m.ground.contour("floor", nsmb.geometry.Segment((0.6, 0.0), (-0.6, 0.0)))
    for k in range(3):
        block = m.add_body(f"block{k}", mass=1.0, inertia=0.005)
        m.add_joint(f"block{k}", nsmb.joints.Planar(), m.ground, block)
        outline = block.contour("square", nsmb.geometry.Polygon(SQUARE * [1.0, 0.5]))
        m.add_contact(outline, below, law, f"contact{k}")
        below = outline
    system = m.build(
        {"block0": [0, 0.05, 0], "block1": [0.04, 0.16, 0.02], "block2": [-0.03, 0.28, -0.05]}
    )
    sol = nsmb.simulate(system, t_end=0.6)
    assert sol.success
    assert sol.u[-1] == pytest.approx(0.0, abs=1e-9)
    assert sol.q[-1, 1::3] == pytest.approx([0.05, 0.15, 0.25], abs=1e-8)
    loads = [sol.lambda_N[-1, k : k + 8].sum() for k in range(0, sol.lambda_N.shape[1], 8)]
    assert loads == pytest.approx([30.0, 20.0, 10.0], rel=1e-8)


@pytest.mark.parametrize("half_width", [2.0, 100.0, 380.0])
def test_contour_with_long_arms_that_asks_for_many_searches_misses_no_impact(half_width):
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=0.1)
    m.add_joint("body", nsmb.joints.Planar(), m.ground, body)
    bowl = nsmb.geometry.Parabola(1.3, 0.5, half_width=half_width)
    m.add_contact(
        m.ground.contour("line", nsmb.geometry.Line()),
        body.contour("bowl", bowl, angle=np.pi),
        nsmb.ContactLaw(e_N=0.4),
        "contact",
        points=1,
        search_distance=0.3,
    )
    system = m.build({"body": [0, 1.0, 0.1]}, {"body": [0.1, -1.0, 0.2]})
    sol = nsmb.simulate(system, 0.51, rtol=1e-11)
    assert sol.events.kinds == ["impact"]
    assert sol.events.t[0] == pytest.approx(0.50223158, abs=1e-8)


@pytest.mark.parametrize("y", [0.5, 0.55, 0.6, 0.61])
def test_ball_dropped_into_a_trough(y):
    wall, law = 0.01, nsmb.ContactLaw(mu=0.3, e_N=0.3)
    inner = [(0.5 - wall, 0.4), (0.5 - wall, wall), (wall - 0.5, wall), (wall - 0.5, 0.4)]
    trough = np.array([(-0.5, 0.4), (-0.5, 0), (0.5, 0), (0.5, 0.4), *inner])
    m = nsmb.Model(gravity=(0, -9.81))
    ball = m.add_body("ball", mass=1.0, inertia=0.02)
    m.add_joint("ball", nsmb.joints.Planar(), m.ground, ball)
    m.add_contact(
        ball.contour("disc", nsmb.geometry.Circle(0.2)),
        m.ground.contour("trough", nsmb.geometry.Polygon(trough)),
        law,
        "contact",
        skin=0.005,
    )
    sol = nsmb.simulate(m.build({"ball": [0.05, y, 0]}, {"ball": [0.4, 0, 0]}), t_end=1.2)
    assert sol.success
    assert sol.g_N[np.isfinite(sol.g_N)].min() > -1e-8
    assert abs(sol.q[-1, 0]) <= 0.29 + 1e-9


def test_pin_that_starts_in_the_middle_of_its_hole_falls_onto_its_wall():
    m = nsmb.Model(gravity=(0.0, -9.81))
    pin = m.add_body("pin", mass=1.0, inertia=0.01)
    m.add_joint("pin", nsmb.joints.Planar(), m.ground, pin)
    hole = m.ground.contour("hole", nsmb.geometry.Circle(-0.11))
    law = nsmb.ContactLaw(mu=0.2)
    m.add_contact(pin.contour("disc", nsmb.geometry.Circle(0.1)), hole, law, "contact")
    sol = nsmb.simulate(m.build({"pin": [0.0, 0.0, 0.0]}), t_end=0.3)
    assert sol.events.kinds == ["impact"]
    assert sol.events.t[0] == pytest.approx(np.sqrt(2.0 * 0.01 / 9.81), abs=1e-9)
    assert sol.q[-1] == pytest.approx([0.0, -0.01, 0.0], abs=1e-10)


def test_ellipses_that_spin_in_flight_keep_their_contact_point():
    rng = np.random.default_rng(4)
    ellipse = nsmb.geometry.Ellipse(0.4, 0.4 / 1.5)
    for _ in range(4):
        m = nsmb.Model()
        outlines = []
        for name in ("left", "right"):
            body = m.add_body(name, mass=1.0, inertia=0.1)
            m.add_joint(name, nsmb.joints.Planar(), m.ground, body)
            outlines.append(body.contour("rim", ellipse))
        m.add_contact(*outlines, nsmb.ContactLaw(mu=0.2, e_N=0.7), "contact")
        spin = rng.uniform(-8.0, 8.0, 2)
        system = m.build(
            {"left": [-0.6, 0, 0], "right": [0.6, 0.1, 1]},
            {"left": [0.5, 0, spin[0]], "right": [-0.5, 0, spin[1]]},
        )
        sol = nsmb.simulate(system, t_end=2.0)
        assert sol.success
        assert len(sol.events) > 0
        p = [system.momentum(t, q, u)[0] for t, q, u in zip(sol.t, sol.q, sol.u, strict=True)]
        assert np.abs(np.array(p) - p[0]).max() < 1e-9


def test_friction_in_a_joint_works_beside_contacts_that_are_far_away():
    m = nsmb.Model()
    slider = m.add_body("slider", mass=1.0, inertia=1.0)
    m.add_joint("p", nsmb.joints.Prismatic(), m.ground, slider)
    m.add_joint_friction("f", "p", 2.0)
    disc = slider.contour("disc", nsmb.geometry.Circle(0.1))
    floor = m.ground.contour("floor", nsmb.geometry.Segment((5, -50), (-5, -50)))
    m.add_contact(disc, floor, LAW, "contact")
    sol = nsmb.simulate(m.build({}, {"p": 1.0}), t_end=2.0)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(0.5, abs=1e-9)
    assert sol.q[-1, 0] == pytest.approx(0.25, abs=1e-9)
    assert sol.u[-1, 0] == 0.0


def test_simulator_that_begins_anew_remembers_nothing():
    """Neither the closed contacts nor the candidates of the previous run are remembered."""
    scene = PolygonScene(SQUARE, [FLOOR], LAW, q=(0.0, 0.3, 0.2))
    simulator = nsmb.Simulator(scene, nsmb.EventDriven())
    runs = []
    for _ in range(2):
        start = scene.initial_state
        simulator.reset(t=0.0, q=start.q, u=start.u)
        simulator.advance(0.7)
        runs.append(simulator.solution)
    first, again = runs
    assert len(first.events) > 10
    assert again.events.t.tolist() == first.events.t.tolist()
    assert again.features.tolist() == first.features.tolist()
    assert again.q.tolist() == first.q.tolist()


# The far side of the square comes within reach of the disc at y = ±0.05 m. A new point counts from
# 1e-7 m before on.
@pytest.mark.parametrize("way", [1e-6, 2e-7, 9e-8, 1e-8, 1e-9, 1e-10, 0.0, -1e-10, -1e-8, -1e-6])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_far_side_is_no_contact_of_a_disc_that_passes_its_end(way: float, side: float) -> None:
    m = nsmb.Model(gravity=(0, 0))
    square = m.ground.contour("square", nsmb.geometry.Polygon(0.5 * SQUARE))
    body = m.add_body("disc", mass=1.0, inertia=0.01)
    m.add_joint("j", nsmb.joints.Planar(), m.ground, body)
    disc = body.contour("c", nsmb.geometry.Circle(0.05))
    m.add_contact(square, disc, nsmb.ContactLaw(), "pair")
    system = m.build({"j": [0.6, side * (0.05 + way), 0]}, {"j": [0, 1.0, 0]})
    sol = nsmb.simulate(system, 0.2)
    assert len(sol.events) == 0
    np.testing.assert_allclose(sol.q[-1], [0.6, side * (0.05 + way) + 0.2, 0], atol=1e-12)

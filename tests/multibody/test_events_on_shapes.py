"""Shapes that touch anywhere, event by event: closed forms, other descriptions, differences."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.spatial import ConvexHull

import nsmb
from nsmb import geometry, joints

Array = NDArray[np.float64]
G = 9.81
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
TURNED = np.array([0.9, 0.1, 0.3, 0.2]) / np.linalg.norm([0.9, 0.1, 0.3, 0.2])


def thrown(
    shape: geometry.Shape,
    floor: Callable[[nsmb.Model], object],
    start: object,
    velocity: object = np.zeros(6),
    law: nsmb.ContactLaw = nsmb.ContactLaw(mu=0.3, e_N=0.4),  # noqa: B008 - immutable
    **build: object,
) -> nsmb.System:
    model = nsmb.Model(gravity=(0, 0, -G))
    floor(model)
    body = model.add_solid("body", shape, density=1000.0)
    model.add_joint("free", joints.Free(), model.ground, body)
    model.collide(law)
    return model.build(initial={"free": start}, velocities={"free": velocity}, **build)


def half_space(model: nsmb.Model) -> None:
    model.ground.shape("floor", geometry.HalfSpace())


def table(model: nsmb.Model) -> None:
    model.ground.shape("floor", geometry.Box((4, 4, 0.2)), at=(0, 0, -0.1))


def impacts(sol: nsmb.Solution) -> Array:
    return np.asarray(sol.events.of_kind("impact").t)


def quarter_turn(axis: int, angle: float) -> list[float]:
    """Return the quaternion (w, x, y, z) of a quarter rotation."""
    vector = np.zeros(3)
    vector[axis] = np.sin(0.5 * angle)
    return [float(np.cos(0.5 * angle)), *vector.tolist()]


def prism_or_polygon(seed: int) -> tuple[nsmb.System, nsmb.System]:
    """Return the same falling body as a polygon with contours and as a prism with shapes."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(6, 10)), 2)) * 0.15
    points = points[ConvexHull(points).vertices]
    law = nsmb.ContactLaw(mu=rng.uniform(0.0, 0.6), e_N=rng.uniform(0.1, 0.6))
    start = {"j": (0.0, 0.8, rng.uniform(0.0, 6.0))}
    velocity = {"j": rng.uniform(-2.0, 2.0, 3)}
    systems = []
    for in_space in (False, True):
        model = nsmb.Model(gravity=(0, -G, 0))
        body = model.add_body("b", mass=2.0, inertia=np.diag([0.02, 0.02, 0.03]))
        model.add_joint("j", joints.Planar(), model.ground, body)
        if in_space:
            model.ground.shape("floor", geometry.Box((10, 1, 2)), at=(0, -0.5, 0))
            corners = [[x, y, z] for x, y in points for z in (-0.2, 0.2)]
            body.shape("prism", geometry.ConvexHull(np.array(corners)))
            model.collide(law)
        else:
            square = nsmb.geometry.Polygon([(-5, -1), (5, -1), (5, 0), (-5, 0)])
            floor = model.ground.contour("floor", square)
            model.add_contact(floor, body.contour("b", nsmb.geometry.Polygon(points)), law)
        systems.append(model.build(initial=start, velocities=velocity))
    return systems[0], systems[1]


def compare_prism(seed: int) -> None:
    flat, solid = (nsmb.simulate(s, 0.7) for s in prism_or_polygon(seed))
    n = min(8, len(impacts(flat)))  # later ones differ by the rest of the series
    assert n > 0
    np.testing.assert_allclose(impacts(solid)[:n], impacts(flat)[:n], rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(solid.q[-1], flat.q[-1], atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_prisms_have_the_events_of_polygons(seed: int) -> None:
    """Measured over a hundred seeds: times 1e-12 s, positions 1e-9 m."""
    compare_prism(seed)


def test_a_hundred_prisms_have_the_events_of_polygons() -> None:
    for seed in range(3, 103):
        compare_prism(seed)


@pytest.mark.parametrize("floor", [half_space, table])
def test_a_box_falls_as_with_named_contacts(floor: Callable[[nsmb.Model], object]) -> None:
    """Eight corners on a half-space, each a contact of its own."""
    start, velocity = (0, 0, 0.5, *TURNED), (0.3, 0.1, 0, 1, 2, -1)
    listed = thrown(geometry.Box((0.1, 0.2, 0.3)), floor, start, velocity)
    model = nsmb.Model(gravity=(0, 0, -G))
    inertia = 0.5 * np.diag([0.13, 0.1, 0.05])
    body = model.add_body("body", mass=6.0, inertia=inertia)
    model.add_joint("free", joints.Free(), model.ground, body)
    ground = model.ground.shape("floor", geometry.HalfSpace())
    solid = body.shape("corners", geometry.Box((0.1, 0.2, 0.3)))
    model.add_contact(ground, solid, nsmb.ContactLaw(mu=0.3, e_N=0.4))
    named = model.build(initial={"free": start}, velocities={"free": velocity})
    one, other = (nsmb.simulate(s, 0.5) for s in (named, listed))
    assert len(impacts(one)) > 8
    np.testing.assert_allclose(impacts(other)[:8], impacts(one)[:8], rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(other.q[-1], one.q[-1], atol=1e-8)


def test_crossed_edges_meet_in_time_and_bounce() -> None:
    """The impact is at √(2 h / g); no corner and no face of either box is near."""
    height, side = 0.3, 0.1
    edge = 0.5 * np.sqrt(2.0) * side

    def ridge(model: nsmb.Model) -> None:
        c = np.sqrt(0.5)
        place = nsmb.geometry.Frame((0.0, 0.0, -edge), [[c, 0.0, c], [0.0, 1.0, 0.0], [-c, 0.0, c]])
        model.ground.shape("ridge", geometry.Box((side, 0.6, side)), place)

    start = (0.02, -0.03, edge + height, *quarter_turn(0, 0.25 * np.pi))
    system = thrown(geometry.Box((0.4, side, side)), ridge, start, law=nsmb.ContactLaw(e_N=0.5))
    sol = nsmb.simulate(system, 0.3)
    assert impacts(sol)[0] == pytest.approx(np.sqrt(2.0 * height / G), abs=1e-12)
    assert len(sol.events.of_kind("impact")[0].contacts) == 1


@pytest.mark.parametrize(
    ("where", "place"),
    [("face", (0.1, 0.2)), ("edge", (0.55, 0.1)), ("corner", (0.53, 0.56))],
)
def test_a_ball_meets_a_face_an_edge_or_a_corner(where: str, place: tuple[float, float]) -> None:
    """The ball hits when the distance of its centre to the cube equals the radius."""
    radius, height = 0.1, 1.0

    def cube(model: nsmb.Model) -> None:
        model.ground.shape("cube", geometry.Box((1, 1, 1)), at=(0, 0, -0.5))

    def gap(t: float) -> float:
        centre = np.array([*place, height - 0.5 * G * t * t + 0.5])
        return float(np.linalg.norm(np.maximum(np.abs(centre) - 0.5, 0.0)) - radius)

    start = (*place, height, 1.0, 0.0, 0.0, 0.0)
    sol = nsmb.simulate(thrown(geometry.Sphere(radius), cube, start), 0.45)
    assert impacts(sol)[0] == pytest.approx(brentq(gap, 0.0, 0.44, xtol=1e-14), abs=1e-12), where


def test_no_joint_of_the_floor_stops_what_slides_over_it() -> None:
    """x = v t - μ g t²/2, over two flush joints."""
    mu, speed = 0.2, 1.5

    def tiles(model: nsmb.Model) -> None:
        for k in range(3):
            place = (0.25 * k, 0.0, -0.05)
            model.ground.shape(f"tile{k}", geometry.Box((0.25, 1.0, 0.1)), at=place)

    start = (0.0, 0.02, 0.05, 1.0, 0.0, 0.0, 0.0)
    law = nsmb.ContactLaw(mu=mu)
    system = thrown(geometry.Box((0.1, 0.1, 0.1)), tiles, start, (speed, 0, 0, 0, 0, 0), law)
    sol = nsmb.simulate(system, 0.3, output_step=0.05)
    # Corners count from 1e-7 m before a tile on.
    np.testing.assert_allclose(sol.q[:, 0], speed * sol.t - 0.5 * mu * G * sol.t**2, atol=1e-7)
    np.testing.assert_allclose(sol.q[:, 2], 0.05, atol=1e-7)
    assert sol.q[-1, 0] > 0.3


def test_a_mesh_is_the_box_it_encloses() -> None:
    hull = ConvexHull(CUBE)
    faces = [
        face if np.cross(*(CUBE[face[1:]] - CUBE[face[0]])) @ normal[:3] > 0.0 else face[::-1]
        for face, normal in zip(hull.simplices, hull.equations, strict=True)
    ]
    start, velocity = (0, 0, 1.2, *TURNED), (0.3, 0.1, 0, 1, 2, -1)
    box = nsmb.simulate(thrown(geometry.Box((1, 1, 1)), table, start, velocity), 1.0)
    mesh = geometry.TriangleMesh(CUBE, np.array(faces))
    sol = nsmb.simulate(thrown(mesh, table, start, velocity), 1.0)
    assert len(impacts(box)) > 8
    np.testing.assert_allclose(impacts(sol)[:8], impacts(box)[:8], rtol=0.0, atol=1e-9)


def test_a_ball_without_friction_keeps_its_energy_in_a_bowl() -> None:
    x = np.linspace(-1.0, 1.0, 21)
    bowl = geometry.HeightField(0.5 * (x[:, None] ** 2 + x**2), 0.1, origin=(-1.0, -1.0, 0.0))
    start, velocity = (0.31, 0.12, 0.4, 1, 0, 0, 0), (0.5, 0.2, 0, 0, 0, 0)
    system = thrown(
        geometry.Sphere(0.1),
        lambda model: model.ground.shape("bowl", bowl),
        start,
        velocity,
        nsmb.ContactLaw(e_N=1.0),
    )
    sol = nsmb.simulate(system, 0.6)
    assert len(impacts(sol)) > 1
    energy = 0.5 * (sol.u[:, :3] ** 2).sum(axis=1) + G * sol.q[:, 2]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)


def test_dominoes_hit_each_other_when_the_closed_form_says() -> None:
    """With feet that stick and no friction between the dominoes, there is one degree of freedom."""
    row = nsmb.systems.dominoes(n=3)
    sol = nsmb.simulate(row, 0.16, method=nsmb.EventDriven())
    first = {}
    for event in sol.events.of_kind("impact"):
        for contact in event.contacts:
            first.setdefault(contact.partition("[")[0], event.t)
    times = nsmb.systems.dominoes.times(n=3)
    found = [first["d1.solid-d2.solid"], first["d2.solid-d3.solid"]]
    np.testing.assert_allclose(found, times[:2], rtol=1e-7)


def test_edges_that_stay_parallel_cost_no_steps() -> None:
    """A domino that leans on the next rotates about an edge of both; no other edge is near."""
    sol = nsmb.simulate(nsmb.systems.dominoes(n=2), 0.1, method=nsmb.EventDriven())
    assert len(impacts(sol)) == 1
    assert sol.stats["steps"] < 20  # 11; 250 if all rotations were counted


def test_dominoes_come_to_rest() -> None:
    """Dozens of contacts along parallel edges are nearly dependent, and most of them carry no load.

    The final position is 0.6 mm from that of steps of 0.1 ms.
    """
    row = nsmb.systems.dominoes(n=9)
    sol = nsmb.simulate(row, 0.45, method=nsmb.EventDriven(rest_velocity=1e-8))
    steps = nsmb.simulate(row, 0.45, method=nsmb.Midpoint(1e-3))
    assert np.abs(sol.u[-1]).max() < 1e-9
    poses, stepped = (run.q[-1].reshape(9, 7) for run in (sol, steps))
    assert np.abs(poses[:, [1, 4, 6]]).max() < 1e-8  # nothing leaves the plane of symmetry
    np.testing.assert_allclose(poses[:, [0, 2]], stepped[:, [0, 2]], atol=3e-3)


def sliding_box(mu: float = 0.3, e_N: float = 0.4) -> nsmb.System:
    return thrown(
        geometry.Box((0.2, 0.3, 0.4)),
        table,
        (0, 0, 0.4, *TURNED),
        (0.3, 0.1, 0, 1, 2, -1),
        nsmb.ContactLaw(mu=mu, e_N=e_N),
        parameters={"mu": mu, "e_N": e_N},
        rebuild=sliding_box,
    )


def test_derivatives_by_friction_and_by_the_start_are_those_of_differences() -> None:
    """Derivatives through five impacts; measured 6e-9."""
    t_end, h = 0.35, 1e-6
    exact = nsmb.EventDriven(rtol=1e-12, atol=1e-13)
    system = sliding_box()
    sol = nsmb.simulate(system, t_end, sensitivity=["mu", "e_N"], output_step=0.0)
    assert sol.sensitivity.exists

    def end(change: np.ndarray = np.zeros(6), **parameters: float) -> Array:  # noqa: B008
        run = nsmb.simulate(
            sliding_box(**parameters),
            t_end,
            u=system.initial_state.u + change,
            method=exact,
            output_step=0.0,
        )
        return np.concatenate([run.q[-1], run.u[-1]])

    by_parameter = [
        (end(mu=0.3 + h) - end(mu=0.3 - h)) / (2.0 * h),
        (end(e_N=0.4 + h) - end(e_N=0.4 - h)) / (2.0 * h),
    ]
    np.testing.assert_allclose(sol.sensitivity.parameter.T, by_parameter, atol=1e-6)
    up = h * np.eye(6)[3]
    by_start = (end(up) - end(-up)) / (2.0 * h)
    np.testing.assert_allclose(sol.sensitivity.state[:, 7 + 3], by_start, atol=1e-6)


def test_rates_of_listed_contacts_are_those_of_their_gaps() -> None:
    """γ_N = ġ_N and γ̇_N = w̄ + Wᵀ u̇ of all near pairs of features, by differences in flight."""
    system = sliding_box()
    sol = nsmb.simulate(system, 0.2, method=nsmb.EventDriven(rtol=1e-12), output_step=0.01)
    core, h = sol.system._core, 1e-6
    t = 0.15 + h * np.array([-1.0, 0.0, 1.0])
    states = [sol.at(time) for time in t]
    u = np.array([state.u for state in states])
    assert np.abs(impacts(sol) - 0.15).min() > 1e-3
    pairs = [(5, feature) for feature in range(18, 26)]  # the top of the table under each corner
    pairs += [(edge, other) for edge in (6, 9, 12) for other in range(6, 18, 3)]
    for first, second in pairs:
        found = core.follow_contact(
            0, t, [s.q for s in states], u, [first] * 3, [second] * 3, [0.0] * 3, [1.0] * 3
        )
        rate = (found["g_N"][2] - found["g_N"][0]) / (2.0 * h)
        assert np.isfinite(rate)
        assert found["gamma"][1, 0] == pytest.approx(rate, abs=1e-8)
        acceleration = (found["gamma"][2, 0] - found["gamma"][0, 0]) / (2.0 * h)
        udot = (u[2] - u[0]) / (2.0 * h)
        assert found["w_bar"][1, 0] + found["W_N"][1] @ udot == pytest.approx(
            acceleration, abs=1e-5
        )


@pytest.mark.parametrize("depth", [0.02, 0.2])
def test_shapes_in_each_other_end_a_run(depth: float) -> None:
    """Deep corners that have not passed the face form no contact of a pair of features."""
    start = (0, 0, 0.15 - depth, 1, 0, 0, 0)
    system = thrown(geometry.Box((0.1, 0.2, 0.3)), table, start, penetration=1.0)
    sol = nsmb.simulate(system, 0.5, throw=False)
    assert sol.status == "integration_failure"
    assert "the shapes of contact 'ground.floor-body.solid[0]' overlap by" in sol.message
    assert nsmb.simulate(system, 0.5, method=nsmb.Midpoint(1e-3)).success


def test_copies_parameters_and_later_runs_keep_the_contacts() -> None:
    sol = nsmb.simulate(sliding_box(), 0.3)
    system = sol.system
    assert "ground.floor-body.solid[0]" in system.contact_names
    assert pickle.loads(pickle.dumps(system)).contact_names == system.contact_names
    assert system.with_parameters(mu=0.1).contact_names == system.contact_names
    steps = nsmb.simulate(system, 0.3, method=nsmb.Midpoint(1e-3))
    assert steps.system.nc == 0
    assert len(steps.contacts.points) > 0
    whole = nsmb.simulate(sliding_box(), 0.5)
    rest = nsmb.simulate(sliding_box(), 0.5, start=sol)
    np.testing.assert_allclose(rest.q[-1], whole.q[-1], atol=1e-8)


def test_what_cannot_be_listed_is_refused_with_what_can_be_done() -> None:
    coin = thrown(geometry.Cylinder(0.1, 0.2), table, (0, 0, 0.5, *TURNED))
    with pytest.raises(ValueError, match="where cylinders touch anything but half-spaces"):
        nsmb.simulate(coin, 0.1, method=nsmb.EventDriven())
    assert nsmb.simulate(coin, 0.1, method=nsmb.Midpoint(1e-3)).success
    with pytest.raises(ValueError, match=r"120 pairs .* 4000 at most\. Choose nsmb.Midpoint"):
        nsmb.simulate(nsmb.systems.dominoes(n=15), 0.1, method=nsmb.EventDriven())


@pytest.mark.parametrize("tilt", [0.0, 1e-10])
def test_a_rim_that_lies_flat_is_refused_by_name(tilt: float) -> None:
    """A named contact has one point at each rim; shapes that meet anywhere have feet."""
    R, h = 0.02, 0.002
    height = R * np.sin(tilt) + 0.5 * h * np.cos(tilt)
    model = nsmb.Model(gravity=(0.0, 0.0, -G))
    floor = model.ground.shape("floor", geometry.HalfSpace())
    coin = model.add_body("coin", mass=2.5e-3, inertia=(2.5e-7, 2.5e-7, 5e-7))
    model.add_joint("free", joints.Free(), model.ground, coin)
    model.add_contact(floor, coin.shape("disc", geometry.Cylinder(R, h)), nsmb.ContactLaw(mu=0.3))
    with pytest.raises(ValueError, match=r"must have one nearest point, got many.*Model\.collide"):
        model.build(initial={"free": (0, 0, height, *quarter_turn(0, tilt))})


@pytest.mark.parametrize("radius", [0.2, 0.03, 0.003])
@pytest.mark.parametrize("beside", [0.0, 1e-12, 1e-6, 1e-3])
def test_a_ball_near_the_axis_of_a_cylinder_touches_its_face(radius: float, beside: float) -> None:
    """On the axis of the cylinder, the rim is equally near on all sides."""

    def post(model: nsmb.Model) -> None:
        model.ground.shape("post", geometry.Cylinder(radius, 0.4), at=(0, 0, -0.2))

    start, velocity = (-beside, 0, 0.35, 1, 0, 0, 0), (beside / 0.1, 0, 0, 0, 0, 0)
    sol = nsmb.simulate(thrown(geometry.Sphere(0.05), post, start, velocity), 0.4)
    assert impacts(sol)[0] == pytest.approx(np.sqrt(2.0 * 0.3 / G), abs=1e-12)
    assert sol.q[-1, 0] == pytest.approx(3.0 * beside, abs=beside + 1e-12)


def test_a_tippe_top_of_shapes_turns_over_as_that_of_named_contacts() -> None:
    named = nsmb.systems.tippe_top()
    p = named.parameters
    model = nsmb.Model(gravity=(0, 0, -p["g"]))
    top = model.add_body("top", mass=p["m"], inertia=(p["I_1"], p["I_1"], p["I_3"]))
    model.add_joint("top", joints.Free(), model.ground, top)
    model.ground.shape("floor", geometry.HalfSpace())
    for name, radius, place in (("ball", p["R_1"], p["a_1"]), ("stem", p["R_2"], p["a_2"])):
        top.shape(name, geometry.Sphere(radius), at=(0, 0, place))
    model.collide(nsmb.ContactLaw(mu=p["mu"]))
    start = named.initial_state
    found = model.build(initial={"top": start.q}, velocities={"top": start.u})
    method = nsmb.EventDriven(rtol=1e-10)
    one, other = (nsmb.simulate(s, 3.13, method=method) for s in (named, found))
    assert len(impacts(one)) > 3
    np.testing.assert_allclose(impacts(other), impacts(one), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(other.q[-1], one.q[-1], atol=1e-7)


@pytest.mark.parametrize("corner", [True, False])
def test_a_ball_falls_along_the_line_of_an_edge(corner: bool) -> None:
    """A ball falls on the upper corner of a box, and on the end of an upright capsule."""

    def post(model: nsmb.Model) -> None:
        shape = geometry.Box((0.2, 0.2, 0.4)) if corner else geometry.Capsule(0.02, 0.36)
        model.ground.shape("post", shape, at=(0.1, 0.1, -0.2) if corner else (0, 0, -0.2))

    sol = nsmb.simulate(thrown(geometry.Sphere(0.05), post, (0, 0, 0.35, 1, 0, 0, 0)), 0.3)
    assert impacts(sol)[0] == pytest.approx(np.sqrt(2.0 * 0.3 / G), abs=1e-12)
    speed = 0.4 * np.sqrt(2.0 * 0.3 * G)  # straight up again
    assert sol.events.u_plus[0, 2] == pytest.approx(speed, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_boxes_turn_over_a_joint_of_two_tiles(seed: int) -> None:
    """Without friction the motion is unchanged, whichever contacts meet at the joint."""
    rng = np.random.default_rng(seed)
    model = nsmb.Model(gravity=(0, 0, -G))
    for name, x in (("left", -1.0), ("right", 1.0)):
        model.ground.shape(name, geometry.Box((2, 4, 0.2)), at=(x, 0, -0.1))
    starts, velocities = {}, {}
    for k in range(2):
        name, turn = f"box{k}", quarter_turn(2, rng.uniform(0.0, 1.5))
        body = model.add_solid(name, geometry.Box((0.25, 0.36, 0.1)), 500.0)
        model.add_joint(name, joints.Free(), model.ground, body)
        starts[name] = (rng.uniform(-0.05, 0.05), 1.2 * k - 1.0, 0.05, *turn)
        velocities[name] = (*0.05 * rng.normal(size=2), 0, 0, 0, 3.0 * rng.normal())
    model.collide(nsmb.ContactLaw(mu=0.0, e_N=0.0))
    system = model.build(initial=starts, velocities=velocities)
    sol = nsmb.simulate(system, 0.2)
    assert len(sol.events) > 0
    np.testing.assert_allclose(sol.u[-1], system.initial_state.u, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(sol.q[-1, [2, 9]], 0.05, rtol=0.0, atol=1e-12)


def pile(
    parts: list[tuple[geometry.Shape, object]], floor: Callable[[nsmb.Model], object]
) -> Array:
    """Return the heights after a second, event by event and in steps, shape (2, bodies)."""
    model = nsmb.Model(gravity=(0, 0, -G))
    floor(model)
    starts = {}
    for k, (shape, place) in enumerate(parts):
        body = model.add_solid(f"part{k}", shape, 1000.0)
        model.add_joint(f"part{k}", joints.Free(), model.ground, body)
        starts[f"part{k}"] = place
    model.collide(nsmb.ContactLaw(mu=0.4, e_N=0.2))
    system = model.build(initial=starts)
    runs = [nsmb.simulate(system, 1.0, method=m) for m in (nsmb.EventDriven(), nsmb.Midpoint(1e-3))]
    assert [run.status for run in runs] == ["finished", "finished"]
    return np.array([run.q[-1, 2::7] for run in runs])


def groove(model: nsmb.Model) -> None:
    for side in (-1.0, 1.0):
        c = np.sqrt(0.5)
        axes = [[c, 0.0, -side * c], [0.0, 1.0, 0.0], [side * c, 0.0, c]]
        place = nsmb.geometry.Frame((0.25 * side, 0.0, 0.15), axes)
        model.ground.shape(f"wall{side:g}", geometry.Box((0.6, 0.6, 0.1)), place)


def test_what_lies_in_piles_rests_where_steps_bring_it() -> None:
    """Bodies exactly above one another, with axes exactly parallel or crossed."""
    cube, post, ball = (
        geometry.Box((0.1, 0.1, 0.1)),
        geometry.Box((0.1, 0.1, 0.2)),
        geometry.Sphere(0.04),
    )
    upright, rod = (1, 0, 0, 0), geometry.Capsule(0.03, 0.2)
    dropped = [(cube, (0.01 * k, 0, 0.07 + 0.12 * k, *upright)) for k in range(3)]
    np.testing.assert_allclose(pile(dropped, half_space), [[0.05, 0.15, 0.25]] * 2, atol=1e-6)
    posts = [(post, (x, 0, 0.1, *upright)) for x in (-0.3, 0.3)]
    plank = (geometry.Box((0.9, 0.1, 0.02)), (0, 0, 0.21, *upright))
    bridge = [*posts, plank, (ball, (0.1, 0, 0.4, *upright))]
    np.testing.assert_allclose(pile(bridge, half_space), [[0.1, 0.1, 0.21, 0.26]] * 2, atol=1e-6)
    crossed = [(rod, (0, 0, 0.05 + 0.07 * k, *quarter_turn(k % 2, 0.5 * np.pi))) for k in range(3)]
    np.testing.assert_allclose(pile(crossed, half_space), [[0.03, 0.09, 0.15]] * 2, atol=1e-6)
    heights = pile([(ball, (0.03, 0, 0.5, *upright))], groove)
    np.testing.assert_allclose(heights[0], heights[1], atol=1e-6)

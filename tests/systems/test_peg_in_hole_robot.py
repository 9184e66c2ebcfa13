"""A robot that inserts a peg into a hole (section 14.5, case 7A): jams, releases, tolerances."""

from __future__ import annotations

import functools
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

import nsmb
from nsmb.systems import peg_in_hole_robot
from tests.systems.examples import Array

B, C, HALF = 0.01, 1e-3, 0.00995  # half widths of hole and peg, chamfer
MU, V = 0.19, 24e-3
ERROR, TILT = 0.5e-3, -0.013
SHOULDER, LENGTHS = np.array([-0.43, 0.22]), (0.35, 0.30, 0.12)
MASSES, INERTIAS = (4.0, 3.0, 1.5), (0.05, 0.03, 5e-3)
K_P = np.array([55.0, 65.0, 45.0])
OPEN, STICK = int(nsmb.ContactState.OPEN), int(nsmb.ContactState.STICK)


@functools.cache
def run() -> nsmb.Solution:
    return nsmb.simulate(peg_in_hole_robot(), 2.0, output_step=1e-3)


def triangle(pose: Array) -> Array:
    """Return joint angles by the law of cosines."""
    x, y, phi = pose
    a, b, c = LENGTHS
    wrist = np.array([x - c * np.sin(phi), y + c * np.cos(phi)]) - SHOULDER
    r = np.hypot(*wrist)
    shoulder = np.arctan2(wrist[1], wrist[0]) + np.arccos((a**2 + r**2 - b**2) / (2 * a * r))
    elbow = np.arccos((a**2 + b**2 - r**2) / (2 * a * b)) - np.pi
    return np.array([shoulder, elbow, phi - shoulder - elbow])


def path(t: float) -> Array:
    """Return the path before its end, whose corner reaches the chamfer at 0.9 s."""
    hit = ERROR + HALF * np.cos(TILT) - B - C - HALF * np.sin(TILT)
    return np.array([ERROR, hit - V * (t - 0.9), TILT])


def jacobian(q: Array) -> Array:
    """Return the Jacobian (3, 3) of the tip (x, y, φ) by differences of forward kinematics."""

    def tip(q: Array) -> Array:
        first, second, third = np.cumsum(q)
        x = SHOULDER[0] + LENGTHS[0] * np.cos(first) + LENGTHS[1] * np.cos(second)
        y = SHOULDER[1] + LENGTHS[0] * np.sin(first) + LENGTHS[1] * np.sin(second)
        return np.array([x + LENGTHS[2] * np.sin(third), y - LENGTHS[2] * np.cos(third), third])

    return np.column_stack([(tip(q + e) - tip(q - e)) / 2e-6 for e in 1e-6 * np.eye(3)])


def phases(sol: nsmb.Solution) -> list[tuple[float, float, int, bool]]:
    """Return start, end, number of closed contacts and whether all of them stick."""
    found: list[tuple[float, float, int, bool]] = []
    for t, state in zip(sol.t.tolist(), sol.contact_state, strict=True):
        closed = state[state != OPEN]
        kind = int(closed.size), bool(closed.size) and bool((closed == STICK).all())
        if found and found[-1][2:] == kind:
            found[-1] = (found[-1][0], t, *kind)
        else:
            found.append((t, t, *kind))
    return found


def jams(before: float = 1.6) -> list[tuple[float, float]]:
    """Return jams that end before a time. The path slows down from 1.53 s and ends at 1.63 s."""
    return [(a, b) for a, b, n, sticks in phases(run()) if n == 2 and sticks and b < before]


# ---- arm and path ------------------------------------------------------------------------------


def test_the_tip_is_led_straight_down_by_inverse_kinematics() -> None:
    system = peg_in_hole_robot()
    assert isinstance(system, nsmb.MultibodySystem)
    for t in (0.0, 0.4, 0.9, 1.3, 1.5):
        r, A = system.pose("peg", t, np.zeros(3))
        np.testing.assert_allclose(r[:2], path(t)[:2], rtol=0, atol=2e-9)
        assert np.arctan2(A[1, 0], A[0, 0]) == pytest.approx(TILT, abs=1e-12)
    for t in (1.8, 3.0):
        assert system.position("peg", t, np.zeros(3))[1] == pytest.approx(-17e-3, abs=2e-9)


def test_the_mass_matrix_is_that_of_three_links() -> None:
    system = peg_in_hole_robot()
    q = triangle(path(0.9))
    M = np.zeros((3, 3))
    turned, place = np.cumsum(q), SHOULDER.copy()
    axes = np.column_stack([np.cos(turned), np.sin(turned)])
    axes[2] = [np.sin(turned[2]), -np.cos(turned[2])]
    joints = []
    for k in range(3):
        joints.append(place)
        center = place + 0.5 * LENGTHS[k] * axes[k]
        rows = np.zeros((3, 3))
        for i, joint in enumerate(joints):
            rows[:, i] = [joint[1] - center[1], center[0] - joint[0], 1.0]
        M += rows.T @ np.diag([MASSES[k], MASSES[k], INERTIAS[k]]) @ rows
        place = place + LENGTHS[k] * axes[k]
    np.testing.assert_allclose(system.mass_matrix(0.9, np.zeros(3)), M, rtol=1e-7)


# ---- insertion with a jam ----------------------------------------------------------------------


def test_the_chamfer_is_hit_and_two_points_touch_at_the_times_of_the_book() -> None:
    """Times are 0.9 s and 1.2 s (Fig. 14.42), the second by choice of the errors."""
    sol = run()
    assert sol.status == "finished"
    # The arm is 0.7 µm off its path, which curves in joint space.
    assert sol.events[0].t == pytest.approx(0.9, abs=1e-4)
    two = next(a for a, _, n, _ in phases(sol) if n == 2)
    assert two == pytest.approx(1.2, abs=5e-3)


@pytest.mark.parametrize(
    ("error", "tilt"), [(-0.1e-3, -0.018), (0.1e-3, 0.018), (-0.6e-3, 0.01), (0.3e-3, 0.0)]
)
def test_whichever_corner_comes_first_meets_the_chamfer_at_the_time_given(
    error: float, tilt: float
) -> None:
    sol = nsmb.simulate(peg_in_hole_robot(error=error, tilt=tilt, t_hit=0.5), 0.52)
    first = sol.events[0]
    assert first.kind.label == "impact"
    # The arm, which starts with constant joint rates, is 13 µm off its path of 24 mm/s.
    assert first.t == pytest.approx(0.5, abs=1e-3)
    assert (first.features[first.state_plus != OPEN, 1] == 3).all()  # chamfers


def test_the_peg_jams_at_once_where_two_points_touch() -> None:
    sol = run()
    a, b = jams()[0]
    assert next(begin for begin, _, n, _ in phases(sol) if n == 2) == a
    assert b - a > 0.025
    pose = peg_in_hole_robot.pose(sol)
    stands = pose[(sol.t >= a) & (sol.t <= b)]
    # the row before the impact is part of the path
    assert np.ptp(stands[1:], axis=0).max() < 1e-9
    moving = np.abs(np.gradient(pose[:, 1], sol.t + 1e-12 * np.arange(sol.t.size)))
    assert moving[np.searchsorted(sol.t, a) - 5] > 0.5 * V


def test_torques_of_the_control_grow_as_the_path_goes_on() -> None:
    """The peg is at rest, while the joints lag behind the inverse kinematics of the path."""
    sol = run()
    torque, force = peg_in_hole_robot.torque(sol), peg_in_hole_robot.force(sol)
    for a, b in jams(before=1.53):
        i, j = np.flatnonzero(sol.t == a)[-1], np.flatnonzero(sol.t == b)[0]
        expected = K_P * (triangle(path(b)) - triangle(path(a)))
        # Damping forces change with the rates of the joints on the path: measured 0.3 %.
        np.testing.assert_allclose(torque[j] - torque[i], expected, rtol=0.005)
        assert (np.abs(torque[j]) > np.abs(torque[i])).all()
        assert (np.diff(force[i : j + 1, 0]) > 0.0).all()
        # The hole carries them, as nothing moves.
        J = jacobian(triangle(peg_in_hole_robot.pose(sol)[j]))
        load = force[j, [1, 0, 2]]
        np.testing.assert_allclose(J.T @ load, -torque[j], rtol=1e-6, atol=1e-8)


def cones(pose: Array) -> Array:
    """Return the edges of both friction cones about the tip, shape (4, 3).

    The left corner is on the wall, and the peg on the right edge.
    """
    x, y, phi = pose
    corner = np.array([x - HALF * np.cos(phi), y - HALF * np.sin(phi)])
    edge = np.array([B, -C])
    assert corner[0] == pytest.approx(-B, abs=1e-9)
    normal = -np.array([np.cos(phi), np.sin(phi)])
    assert (edge - pose[:2]) @ -normal == pytest.approx(HALF, abs=1e-9)
    rows = []
    for point, n in ((corner, np.array([1.0, 0.0])), (edge, normal)):
        across = np.array([-n[1], n[0]])
        for sense in (1.0, -1.0):
            f = n + sense * MU * across
            r = point - pose[:2]
            rows.append([*f, r[0] * f[1] - r[1] * f[0]])
    return np.array(rows)


def outside(load: Array, edges: Array) -> float:
    """Return how far a load on the tip is outside the sum of the cones.

    It is the worst of the half spaces through pairs of edges that contain the other edges.
    """
    worst = -np.inf
    for i in range(4):
        for k in range(i):
            n = np.cross(edges[i], edges[k])
            n = n / np.linalg.norm(n)
            sides = edges @ n
            if (sides > -1e-12).all() or (sides < 1e-12).all():
                inner = np.sign(sides[np.abs(sides).argmax()])
                worst = max(worst, float(-inner * (n @ -load)))
    return worst


def beyond_the_cones(t: float, q: Array, J: Array, edges: Array, K_d: Array) -> float:
    """Return the excess load of a tip at rest with joints at `q`, from the path alone."""
    rate = (triangle(path(t + 1e-4)) - triangle(path(t - 1e-4))) / 2e-4
    torque = K_P * (triangle(path(t)) - q) + K_d * rate
    return outside(np.linalg.solve(J.T, torque), edges)


def test_the_peg_is_released_when_its_load_leaves_the_friction_cones() -> None:
    """Times of release follow from the pose at rest and the path alone."""
    sol = run()
    system = peg_in_hole_robot()
    K_d = 0.2 * np.sqrt(K_P * np.diag(system.mass_matrix(0.9, np.zeros(3))))
    for a, b in jams(before=1.53):
        pose = peg_in_hole_robot.pose(sol)[np.flatnonzero(sol.t == a)[-1]]
        q = triangle(pose)
        given = q, jacobian(q), cones(pose), K_d
        assert beyond_the_cones(a + 1e-4, *given) < 0.0 < beyond_the_cones(b + 0.02, *given)
        released = brentq(beyond_the_cones, a + 1e-4, b + 0.02, args=given, xtol=1e-12)
        # Measured: 2e-11 s.
        assert released == pytest.approx(b, abs=1e-8)


def test_it_goes_on_with_sliding_in_two_and_then_one_point_and_jams_again() -> None:
    sol, found = run(), jams()
    assert len(found) >= 5
    force = peg_in_hole_robot.force(sol)[:, 0]
    for (_, released), (again, _) in pairwise(found):
        between = [n for a, b, n, _ in phases(sol) if released <= a and b <= again and b > a]
        assert between == [2, 1]
    peaks = [force[np.flatnonzero(sol.t == b)[0]] for _, b in found]
    assert (np.diff(peaks) > 0.3).all()
    assert sol.energy.relative < 1e-5


# ---- statics -----------------------------------------------------------------------------------


def test_two_points_touch_where_the_geometry_says() -> None:
    statics = peg_in_hole_robot.statics(peg_in_hole_robot())
    for phi in (-0.03, -0.01, 0.004, 0.02):
        pose = statics.pose(phi)
        assert statics.depth(phi) == pytest.approx(
            (2 * B * np.cos(phi) - 2 * HALF) / abs(np.sin(phi))
        )
        if phi < 0.0:
            cones(pose)  # asserts both gaps
    sol = run()
    pose = peg_in_hole_robot.pose(sol)[np.flatnonzero(sol.t == jams()[2][0])[-1]]
    np.testing.assert_allclose(statics.pose(pose[2]), pose, rtol=0, atol=1e-9)
    edges = cones(pose)
    np.testing.assert_allclose(
        np.sort(statics.wrenches(pose[2]), axis=0), np.sort(edges, axis=0), atol=1e-9
    )


def standing(phi: float, mu: float, rng: np.random.Generator) -> tuple[float, bool, bool]:
    """Return the excess load of a random final path position, and whether the peg rests.

    It may rest in the simulation, and in any solution of the contact laws (6.35).
    """
    error, tilt = rng.uniform(-0.9e-3, 0.9e-3), rng.uniform(-0.03, 0.03)
    end = rng.uniform(8e-3, 30e-3)
    system = peg_in_hole_robot(mu=mu, mu_d=mu, error=error, tilt=tilt, path=end)
    pose = peg_in_hole_robot.statics(system).pose(phi)
    q = triangle(pose) - triangle(np.array([error, -end, tilt]))
    load = np.linalg.solve(jacobian(triangle(pose)).T, -K_P * q)
    now = nsmb.instant.accelerations(system, 10.0, q, np.zeros(3))
    assert now.udot is not None
    assert now.enumerated
    left = peg_in_hole_robot.statics(system).carries(load, phi)
    # A moving peg has accelerations above 0.1 rad/s².
    rests = [np.abs(solution.udot).max() < 1e-6 for solution in now.solutions]
    return left, bool(np.abs(now.udot).max() < 1e-6), any(rests)


@pytest.mark.parametrize(("mu", "wedged"), [(0.19, False), (0.45, True)])
def test_a_peg_stands_where_its_cones_carry_the_load(mu: float, wedged: bool) -> None:
    """Overlapping cones carry every load.

    Rest is then one solution, possibly of several, as the forces of two sticking points are not
    unique.
    """
    rng = np.random.default_rng(3)
    phi = -0.0125
    statics = peg_in_hole_robot.statics(peg_in_hole_robot(mu=mu, mu_d=mu))
    assert (statics.reserve(phi) < 0.0) == wedged
    left, taken, possible = np.array([standing(phi, mu, rng) for _ in range(25)]).T
    np.testing.assert_array_equal(possible, left < 1e-8)
    if wedged:
        assert possible.all()
        assert not taken.all()
    else:
        assert 3 < possible.sum() < 22
        np.testing.assert_array_equal(taken, possible)


def test_cones_overlap_from_a_friction_angle_on() -> None:
    """The angle is the inclination of the line between the points to both normals (Fig. 14.36)."""
    statics = peg_in_hole_robot.statics(peg_in_hole_robot())
    for phi in (-0.02, 0.011):
        corner = statics.pose(phi)[:2] + np.sign(phi) * HALF * np.array([np.cos(phi), np.sin(phi)])
        line = np.array([-np.sign(phi) * B, -C]) - corner
        line /= np.linalg.norm(line)
        normals = -np.sign(phi) * np.array([[1.0, 0.0], [np.cos(phi), np.sin(phi)]])
        limit = np.tan(np.arccos(normals @ line).max())
        for mu, sign in ((0.999 * limit, 1.0), (1.001 * limit, -1.0)):
            other = peg_in_hole_robot.statics(peg_in_hole_robot(mu=mu, mu_d=0.0))
            assert np.sign(other.reserve(phi)) == sign


# ---- tolerances --------------------------------------------------------------------------------

SLOW, DEEP = 4e-3, 12e-3


def slow(error: float, tilt: float) -> nsmb.System:
    return peg_in_hole_robot(error=error, tilt=tilt, v=SLOW, mu_d=MU, path=32e-3)


def slow_run(error: float, tilt: float) -> nsmb.Solution:
    system = slow(error, tilt)
    start = peg_in_hole_robot.inside(system)
    method = nsmb.EventDriven(impact_law="poisson", on_inconsistent="impact")
    return nsmb.simulate(system, start.t + 5.0, start=start, method=method, output_step=0.02)


@pytest.mark.parametrize(
    ("error", "tilt", "contacts"),
    [
        (0.5e-3, -0.013, "corner left and edge right"),
        (0.8e-3, -0.002, "edge right"),
        (-0.8e-3, 0.002, "edge left"),
    ],
)
def test_slow_runs_need_the_force_of_statics(error: float, tilt: float, contacts: str) -> None:
    sol = slow_run(error, tilt)
    pose, force = peg_in_hole_robot.pose(sol), peg_in_hole_robot.force(sol)
    rows = np.flatnonzero((pose[:, 1] < -9e-3) & (pose[:, 1] > -DEEP))[::10]
    assert rows.size > 3
    rest = peg_in_hole_robot.statics(slow(error, tilt)).insertion(pose[rows, 1], error, tilt)
    assert set(rest.contacts) == {contacts}
    np.testing.assert_allclose(rest.pose, pose[rows], rtol=0, atol=1e-6)
    # Joint dampers cause 0.06 N at 4 mm/s.
    np.testing.assert_allclose(rest.force, force[rows, 0], rtol=0, atol=0.06)


def largest(error: float, tilt: float) -> float:
    """Return the largest force over the depth in N, by statics."""
    y = np.linspace(-1.5e-3 - HALF * abs(tilt), -DEEP, 25)
    rest = peg_in_hole_robot.statics(slow(error, tilt)).insertion(y, error, tilt)
    return np.inf if "" in rest.contacts else float(rest.force.max())


@pytest.mark.parametrize("error", [-0.4e-3, 0.0, 0.6e-3])
def test_five_newtons_are_exceeded_where_statics_of_two_points_say(error: float) -> None:
    """The boundary of the angular error (Fig. 14.43) is tested from both sides."""
    low, high = -0.02, -0.008
    for _ in range(8):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if largest(error, middle) > 5.0 else (low, middle)
    inner, outer = (peg_in_hole_robot.peak(slow_run(error, f * low), DEEP) for f in (0.96, 1.04))
    assert inner < 5.0 < outer


@pytest.mark.parametrize("error", [-0.5e-3, 0.4e-3])
def test_pegs_that_lean_the_other_way_jam_for_good_where_two_points_touch(error: float) -> None:
    """For positive angular errors the boundary of Fig. 14.43 is two-point contact at 12 mm."""
    edge = brentq(lambda tilt: 1.0 if largest(error, tilt) > 5.0 else -1.0, 1e-3, 0.02, xtol=1e-6)
    y = [-DEEP + 1e-6]
    last = peg_in_hole_robot.statics(slow(error, edge - 2e-6)).insertion(y, error, edge - 2e-6)
    assert last.force[0] < 0.1
    deepest = DEEP - C - HALF * np.sin(last.pose[0, 2])
    depth = peg_in_hole_robot.statics(slow(error, edge)).depth(last.pose[0, 2])
    # 1e-6 rad of 1e-2 rad, of 11 mm
    assert depth == pytest.approx(deepest, abs=5e-6)
    assert peg_in_hole_robot.peak(slow_run(error, 0.96 * edge), DEEP) < 0.5
    jammed = slow_run(error, 1.04 * edge)
    assert peg_in_hole_robot.peak(jammed, DEEP) > 5.0
    assert peg_in_hole_robot.pose(jammed)[-1, 1] > -DEEP
    assert phases(jammed)[-1][2:] == (2, True)


def test_a_peg_that_stands_in_two_sticking_points_rests_in_long_steps() -> None:
    """Rows are nearly dependent, so that projection errors grow fiftyfold in joint velocities.

    After the last event at 1.8 s some 25 steps reach 20 s. If judged by single rows, steps of 1e-6
    s started at 17.8 s.
    """
    method = nsmb.EventDriven(impact_law="poisson", rtol=1e-11)
    sim = nsmb.Simulator(peg_in_hole_robot(), method=method, output_step=0.0)
    sim.advance(2.0)
    before = sim.solution.stats["steps"]
    while sim.t < 20.0:
        sim.advance(sim.t + 1.0)
        assert sim.solution.stats["steps"] - before < 200
    assert sim.contact_state[4] == sim.contact_state[12] == STICK


def test_wrong_data_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"parameter 'd': expected a number < D = 0\.02, got 0\.02"
    ):
        peg_in_hole_robot(d=0.02)
    with pytest.raises(ValueError, match=r"parameter 'mu_d': expected a number <= mu = 0\.19"):
        peg_in_hole_robot(mu_d=0.3)
    with pytest.raises(ValueError, match="parameter 'path': expected braking after t_hit"):
        peg_in_hole_robot(path=1e-4)
    with pytest.raises(ValueError, match=r"arm: expected the wrist between 0\.05 m and 0\.65 m"):
        peg_in_hole_robot(x=-0.7)
    with pytest.raises(
        ValueError, match=r"system: expected a peg_in_hole_robot, got 'peg_in_hole'"
    ):
        peg_in_hole_robot.statics(nsmb.systems.peg_in_hole())
    with pytest.raises(ValueError, match="expected a peg that rests below the chamfer"):
        peg_in_hole_robot.inside(slow(0.0, 0.2))
    with pytest.raises(ValueError, match=r"solution: expected a tip between chamfer and 0\.5 mm"):
        peg_in_hole_robot.peak(run(), 0.5e-3)

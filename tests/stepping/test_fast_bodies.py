"""Fast bodies do not tunnel: bullets against sheets, compared with closed forms of their paths."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from tests.geometry.mesh_zoo import box_mesh, plate, potato, torus

SPEED = 1000.0
RADIUS = 4e-3
SHEET = np.array([0.2, 0.3, 1e-3])
BALL = nsmb.geometry.Sphere(RADIUS)
END = 3e-3


def stepped(step: float) -> nsmb.Midpoint:
    return nsmb.Midpoint(step)


def scene(e_N: float, *, free: bool, sheets: tuple[float, ...] = (0.0,)) -> nsmb.MultibodySystem:
    """A bullet, and sheets at these heights."""
    m = nsmb.Model()
    bullet = m.add_solid("bullet", BALL, 8000.0)
    m.add_joint("bullet", joints.Free(), m.ground, bullet)
    for k, z in enumerate(sheets):
        if free:
            sheet = m.add_solid(f"sheet{k}", geometry.Box(tuple(SHEET)), 8000.0)
            m.add_joint(f"sheet{k}", joints.Free(), m.ground, sheet)
        else:
            m.ground.shape(f"sheet{k}", geometry.Box(tuple(SHEET)), at=(0.0, 0.0, z))
    m.collide(nsmb.ContactLaw(mu=0.0, e_N=e_N))
    return m.build(initial={"bullet": (0, 0, -10.0, 1, 0, 0, 0)})


def outside(p: np.ndarray) -> np.ndarray:
    """Return the vector from the nearest point of the sheet to p."""
    return p - np.clip(p, -SHEET / 2, SHEET / 2)


def first_hit(r: np.ndarray, v: np.ndarray) -> float:
    """Return the time of the first hit.

    The distance to a convex body is convex along the path: thirds find the minimum, bisection the
    touch.
    """

    def gap(t: float) -> float:
        return float(np.linalg.norm(outside(r + t * v))) - RADIUS

    low, high = 0.0, 1.0
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if gap(a) < gap(b):
            high = b
        else:
            low = a
    if gap(low) > 0.0:
        return np.inf
    hit, miss = low, 0.0
    for _ in range(100):
        middle = 0.5 * (hit + miss)
        if gap(middle) > 0.0:
            miss = middle
        else:
            hit = middle
    return hit


def shots(n: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return shots from all sides, from 0.05 to 1.5 m away.

    They aim at points of the sheet and slightly beside it.
    """
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < n:
        v = rng.normal(size=3)
        v *= SPEED / np.linalg.norm(v)
        aim = rng.uniform(-0.55, 0.55, 3) * (SHEET + 2 * RADIUS)
        r = aim - v * rng.uniform(0.5e-4, 1.5e-3)
        if np.linalg.norm(outside(r)) > 0.01:
            found.append((r, v))
    return found


def state(system: nsmb.MultibodySystem, r: np.ndarray, v: np.ndarray) -> nsmb.State:
    q, u = np.array(system.initial_state.q), np.zeros(system.nu)
    q[:3], u[:3] = r, v
    return nsmb.State(0.0, q, u)


@pytest.mark.parametrize("step", [1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("e_N", [0.0, 0.5, 1.0])
def test_bullets_bounce_off_a_fixed_sheet_where_they_meet_it(step: float, e_N: float) -> None:
    """u+ = u - (1 + e) (nᵀu) n with the normal at the touch; a bullet that misses continues."""
    system = scene(e_N, free=False)
    hits = 0
    for r, v in shots(60 if step > 1e-5 else 6, seed=1):
        start = state(system, r, v)
        sol = nsmb.simulate(system, END, method=stepped(step), start=start, output_step=END)
        time = first_hit(r, v)
        if time > END:
            np.testing.assert_array_equal(sol.u[-1, :3], v)
            np.testing.assert_allclose(sol.q[-1, :3], r + END * v, rtol=0.0, atol=1e-12)
            continue
        hits += 1
        n = outside(r + time * v)
        n /= np.linalg.norm(n)
        after = v - (1.0 + e_N) * (n @ v) * n
        np.testing.assert_allclose(sol.u[-1, :3], after, rtol=0.0, atol=3e-4 * SPEED)
        # A flat face may be hit in the middle of a step, at a depth with a well-defined normal.
        there = r + time * v + (END - time) * after
        deepest = 0.25 * (RADIUS + SHEET[2] / 2) * (1.0 + e_N)
        wrong = sol.q[-1, :3] - there
        turned = 3e-4 * SPEED * (END - time)
        assert np.linalg.norm(wrong - (n @ wrong) * n) < 1e-6 + turned
        assert -deepest - 1e-6 - turned < n @ wrong < 1e-6 + turned
        assert sol.stats["missed_steps"] == 0
        assert abs(sol.energy.relative) < 1e-9
    assert hits > 2


def turning(q: np.ndarray) -> np.ndarray:
    """Return the matrix of a unit quaternion."""
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def momenta(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return momentum and angular momentum of bullet and sheet about the origin."""
    mass = 8000.0 * np.array([4.0 / 3.0 * np.pi * RADIUS**3, np.prod(SHEET)])
    inertia = (
        mass[0] * 0.4 * RADIUS**2 * np.eye(3),
        mass[1] / 12.0 * np.diag([np.sum(SHEET**2) - d**2 for d in SHEET]),
    )
    total = np.zeros(6)
    for k in range(2):
        r, A = q[7 * k : 7 * k + 3], turning(q[7 * k + 3 : 7 * k + 7])
        v, omega = u[6 * k : 6 * k + 3], u[6 * k + 3 : 6 * k + 6]
        total[:3] += mass[k] * v
        total[3:] += mass[k] * np.cross(r, v) + A @ inertia[k] @ omega
    return total


@pytest.mark.parametrize("step", [1e-3, 1e-4])
@pytest.mark.parametrize("e_N", [0.0, 0.5, 1.0])
def test_free_sheet_gets_the_momentum(step: float, e_N: float) -> None:
    """Evaluated 3 µs after the impact, when the sheet has hardly rotated."""
    system = scene(e_N, free=True)
    hits = 0
    for r, v in shots(25, seed=2):
        start = state(system, r, v)
        time = first_hit(r, v)
        end = min(END, time + 3e-6)
        sol = nsmb.simulate(system, end, method=stepped(step), start=start, output_step=end)
        assert abs(sol.energy.relative) < 1e-9
        if time > END:
            np.testing.assert_array_equal(sol.u[-1], start.u)
            continue
        hits += 1
        before, after = momenta(start.q, start.u), momenta(sol.q[-1], sol.u[-1])
        np.testing.assert_allclose(after[:3], before[:3], rtol=0.0, atol=1e-12)
        # After an impact with a loss, penetration is corrected during the motion, by an amount that
        # decreases with the step.
        allowed = (1e-3 if e_N == 1.0 else 2e-2) * float(np.linalg.norm(before[3:]))
        np.testing.assert_allclose(after[3:], before[3:], rtol=0.0, atol=allowed)
        # At the touch they separate with e_N times the approach speed.
        place = r + time * v
        n = outside(place)
        n /= np.linalg.norm(n)
        A = turning(sol.q[-1, 10:14])
        arm = np.clip(place, -SHEET / 2, SHEET / 2)
        sheet = sol.u[-1, 6:9] + np.cross(A @ sol.u[-1, 9:12], arm)
        parting = (sol.u[-1, :3] - sheet) @ n
        np.testing.assert_allclose(parting, -e_N * (v @ n), rtol=0.0, atol=1e-3 * SPEED)
        kinetic = sol.energy.kinetic
        if e_N == 1.0:
            np.testing.assert_allclose(kinetic[-1], kinetic[0], rtol=1e-7)
        else:
            assert kinetic[-1] < kinetic[0]
    assert hits > 5


def test_bullet_between_two_sheets_stays_there() -> None:
    """Without loss the bullet moves back and forth, ten times in each step."""
    system = scene(1.0, free=False, sheets=(0.0, 0.1))
    start = state(system, np.array([0.01, 0.02, 0.03]), np.array([0.1, -0.2, SPEED]))
    sol = nsmb.simulate(system, 5e-3, method=stepped(1e-3), start=start)
    inner = 0.1 - SHEET[2] - 2.0 * RADIUS
    turns = (SPEED * 5e-3 + 0.03 - SHEET[2] / 2 - RADIUS) / inner
    assert turns > 50
    left = (turns % 1.0) * inner
    up = int(turns) % 2 == 0
    bottom = SHEET[2] / 2 + RADIUS
    z = bottom + left if up else bottom + inner - left
    np.testing.assert_allclose(sol.u[-1, :3], [0.1, -0.2, SPEED if up else -SPEED], atol=1e-6)
    np.testing.assert_allclose(sol.q[-1, 2], z, atol=1e-6)


def test_bullet_that_begins_on_the_sheet_does_not_get_in() -> None:
    system = scene(0.5, free=False)
    r = np.array([0.01, 0.02, SHEET[2] / 2 + RADIUS])
    start = state(system, r, np.array([0.0, 0.0, -SPEED]))
    sol = nsmb.simulate(system, 1e-3, method=stepped(1e-3), start=start)
    np.testing.assert_allclose(sol.u[-1, 2], 0.5 * SPEED, rtol=1e-9)
    np.testing.assert_allclose(sol.q[-1, 2], r[2] + 0.5 * SPEED * 1e-3, rtol=1e-5)


def test_slow_bodies_are_stepped_as_asked() -> None:
    """A box that slides fast over a table travels far, but not towards it."""
    m = nsmb.Model(gravity=(0.0, 0.0, -9.81))
    card = m.add_solid("card", geometry.Box((0.1, 0.1, 1e-3)), 500.0)
    m.add_joint("card", joints.Free(), m.ground, card)
    m.ground.shape("table", geometry.Box((50.0, 2.0, 0.05)), at=(0.0, 0.0, -0.025))
    m.collide(nsmb.ContactLaw(mu=0.1))
    system = m.build(initial={"card": (0, 0, 0.5e-3, 1, 0, 0, 0)})
    start = nsmb.State(0.0, system.initial_state.q, np.array([20.0, 0, 0, 0, 0, 0]))
    sol = nsmb.simulate(system, 0.1, method=stepped(1e-3), start=start)
    assert sol.stats["steps"] == 100
    np.testing.assert_allclose(sol.u[-1, 0], 20.0 - 0.1 * 9.81 * 0.1, rtol=1e-6)


MESHES = {
    "open": (geometry.TriangleMesh(*plate(400, seed=3, half=0.5)), 0.0),
    "closed": (geometry.TriangleMesh(*box_mesh((1.0, 1.0, 1e-3), 3)), 0.5e-3),
    "height field": (
        geometry.HeightField(np.zeros((21, 21)), (0.05, 0.05), origin=(-0.5, -0.5, 0)),
        0.0,
    ),
}
BULLETS = {
    "sphere": BALL,
    "box": geometry.Box((2 * RADIUS, 2 * RADIUS, 2 * RADIUS)),
    "cylinder": geometry.Cylinder(RADIUS, 2 * RADIUS),
    "mesh": geometry.TriangleMesh(*box_mesh((2 * RADIUS, 2 * RADIUS, 2 * RADIUS), 1)),
}


def against(sheet: geometry.Shape, bullet: geometry.Shape, e_N: float) -> nsmb.MultibodySystem:
    m = nsmb.Model()
    body = m.add_solid("bullet", bullet, 8000.0)
    m.add_joint("bullet", joints.Free(), m.ground, body)
    m.ground.shape("sheet", sheet)
    m.collide(nsmb.ContactLaw(mu=0.0, e_N=e_N))
    return m.build(initial={"bullet": (0, 0, 10.0, 1, 0, 0, 0)})


@pytest.mark.parametrize("step", [1e-3, 1e-4])
@pytest.mark.parametrize("e_N", [0.0, 0.5])
@pytest.mark.parametrize("sheet", MESHES)
@pytest.mark.parametrize("bullet", BULLETS)
def test_bullets_bounce_off_surfaces_of_triangles(
    bullet: str, sheet: str, e_N: float, step: float
) -> None:
    """Between the edges, a bullet from above bounces as on the plane of the triangles."""
    surface, top = MESHES[sheet]
    system = against(surface, BULLETS[bullet], e_N)
    rng = np.random.default_rng(5)
    for _ in range(8 if bullet == "sphere" else 3):
        # A bullet along the sheet would leave it.
        v = np.array([*rng.uniform(-0.25, 0.25, 2), -1.0])
        v *= SPEED / np.linalg.norm(v)
        time = rng.uniform(0.05, 1.4) * 1e-3
        place = np.array([*rng.uniform(-0.2, 0.2, 2), top + RADIUS])
        start = state(system, place - time * v, v)
        start.q[3:7] = 1.0, 0.0, 0.0, 0.0
        end = 2e-3
        sol = nsmb.simulate(system, end, method=stepped(step), start=start)
        after = v * (1.0, 1.0, -e_N)
        np.testing.assert_allclose(sol.u[-1, :3], after, rtol=0.0, atol=1e-6 * SPEED)
        wrong = sol.q[-1, :3] - (place + (end - time) * after)
        # Hit in the middle of a step at a depth with a well-defined normal: a quarter of both
        # depths.
        deepest = 0.25 * 2.0 * RADIUS * (1.0 + e_N)
        assert np.abs(wrong[:2]).max() < 1e-9
        assert -deepest < wrong[2] < 1e-6
        assert sol.stats["steps"] <= round(end / step) + 4
        assert sol.stats["coarse_steps"] == 0


@pytest.mark.parametrize("step", [1e-3, 1e-4])
@pytest.mark.parametrize("bullet", BULLETS)
@pytest.mark.parametrize("target", ["potato", "torus"])
def test_bullets_do_not_pass_closed_surfaces(target: str, bullet: str, step: float) -> None:
    """Shots from all sides at surfaces certainly in the path: no bullet keeps its velocity."""
    vertices, faces = potato(1, 2, 0.2) if target == "potato" else torus(1.0, 0.1, 12)
    system = against(geometry.TriangleMesh(vertices, faces), BULLETS[bullet], 0.5)
    rng = np.random.default_rng(8)
    for _ in range(8):
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        aim = rng.uniform(-0.3, 0.3, 3)
        if target == "torus":
            around = rng.uniform(0.0, 2.0 * np.pi)
            aim = 0.1 * aim + (np.cos(around), np.sin(around), 0.0)
        start = state(system, aim - 2.5 * way, SPEED * way)
        start.q[3:7] = 1.0, 0.0, 0.0, 0.0
        sol = nsmb.simulate(system, 4e-3, method=stepped(step), start=start)
        assert sol.u[-1, :3] @ way < 0.99 * SPEED
        assert sol.stats["coarse_steps"] == 0
        last = sol.q[-1, :3] - aim
        assert last @ way < 2.5 - 0.1  # not behind it


def narrow() -> tuple[nsmb.MultibodySystem, nsmb.State]:
    """A bullet between two sheets with 0.1 mm of clearance: 1e4 touches in a millisecond."""
    distance = SHEET[2] + 2.0 * RADIUS + 1e-4
    system = scene(1.0, free=False, sheets=(0.0, distance))
    r = np.array([0.01, 0.02, 0.5 * distance])
    return system, state(system, r, np.array([0.0, 0.0, SPEED]))


def test_touches_without_number_do_not_stop_the_run() -> None:
    """Within one step length a thousand steps are cut, then one is taken as it is and marked."""
    system, start = narrow()
    sol = nsmb.simulate(system, 3e-3, method=stepped(1e-3), start=start)
    assert sol.success
    assert sol.t[-1] == 3e-3
    marked = np.flatnonzero(np.asarray(sol.step_status) == nsmb.results.StepStatus.COARSE)
    assert sol.stats["coarse_steps"] == len(marked) > 0
    assert marked[0] == 1000
    assert sol.stats["steps"] <= 3 * 1001


def test_touches_without_number_stop_the_run_where_it_is_asked_to() -> None:
    system, start = narrow()
    method = nsmb.Midpoint(1e-3, on_failure="stop")
    sol = nsmb.simulate(system, 3e-3, method=method, start=start, throw=False)
    assert not sol.success
    assert "touch too often within the step of 0.001 s" in sol.message
    assert 0.0 < sol.t[-1] < 1e-3
    assert np.all(np.asarray(sol.step_status) == nsmb.results.StepStatus.SOLVED)

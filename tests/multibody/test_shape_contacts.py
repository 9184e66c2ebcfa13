"""Contacts of shapes that touch anywhere: none missed, directions against differences of gaps."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from nsmb._core import geometry as core
from nsmb._core import multibody as mb

Array = NDArray[np.float64]
LAW = nsmb.ContactLaw(mu=0.4)


def quaternion(rng: np.random.Generator) -> Array:
    p = rng.normal(size=4)
    return p / np.linalg.norm(p)


def zoo(rng: np.random.Generator) -> geometry.Shape:
    a, b, c = rng.uniform(0.1, 0.4, 3)
    kinds = [geometry.Sphere(a), geometry.Box((a, b, c)), geometry.Capsule(0.5 * a, b)]
    return kinds[int(rng.integers(len(kinds)))]


def pile(n: int, seed: int, spread: float) -> nsmb.MultibodySystem:
    """Bodies of all kinds, many of them overlapping, above a half-space."""
    rng = np.random.default_rng(seed)
    m = nsmb.Model(gravity=(0, 0, -9.81))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(n):
        body = m.add_solid(f"b{k}", zoo(rng), 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        initial[f"j{k}"] = np.concatenate([rng.uniform(0.0, spread, 3), quaternion(rng)])
    m.collide(LAW)
    return m.build(initial=initial, penetration=np.inf)


def pose_rows(q: Array) -> Array:
    """Return rows (n, 12) for the functions of the geometry: the free bodies of q."""
    rows = []
    for r, p in ((row[:3], row[3:]) for row in q.reshape(-1, 7)):
        w, x, y, z = p / np.linalg.norm(p)
        A = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        rows.append(np.concatenate([r, A.ravel()]))
    return np.array(rows)


@pytest.mark.parametrize("seed", range(4))
def test_contacts_of_a_pile_are_those_of_all_pairs(seed: int) -> None:
    system = pile(40, seed, 1.2)
    q, u = system.initial_state.q, system.initial_state.u
    margin = 0.03
    found = mb.find_contacts(system._core, 0.0, q, u, margin)
    records = list(system._model.shapes.values())
    poses = np.vstack([[*np.zeros(3), *np.eye(3).ravel()], pose_rows(q)])
    expected = []
    for i, k in combinations(range(len(records)), 2):
        args = records[i].shape._core, poses[i : i + 1], records[k].shape._core, poses[k : k + 1]
        table = core.shape_contacts(*args, margin)
        expected += [(i, k, g) for g in table["g_N"]]
    pairs = np.sort(np.column_stack([found["shape_1"], found["shape_2"]]), axis=1)
    got = sorted((int(i), int(k), float(g)) for (i, k), g in zip(pairs, found["g_N"], strict=True))
    assert len(got) > 30
    assert [row[:2] for row in got] == [row[:2] for row in sorted(expected)]
    np.testing.assert_allclose([r[2] for r in got], [r[2] for r in sorted(expected)], atol=1e-12)
    assert len(set(found["identity"].tolist())) == len(got)


@pytest.mark.parametrize("seed", range(3))
def test_no_pair_that_meets_within_the_step_is_missed(seed: int) -> None:
    """Bodies move with their velocities; pairs that come near were found before."""
    system = pile(25, 10 + seed, 2.0)
    rng = np.random.default_rng(seed)
    q = np.array(system.initial_state.q)
    u = rng.normal(size=system.nu) * np.tile([8.0, 8.0, 8.0, 5.0, 5.0, 5.0], 25)
    step, margin = 0.1, 0.01
    first = mb.find_contacts(system._core, 0.0, q, u, margin, step)
    known = set(zip(first["shape_1"].tolist(), first["shape_2"].tolist(), strict=True))
    parts, here = 200, q.copy()
    met = set()
    for _ in range(parts):
        rates = np.asarray(system._assembly.tree.coordinate_rates(here, u))
        half = np.array(system._assembly.tree.normalise(here + 0.5 * step / parts * rates))
        rates = np.asarray(system._assembly.tree.coordinate_rates(half, u))
        here = np.array(system._assembly.tree.normalise(here + step / parts * rates))
        now = mb.find_contacts(system._core, 0.0, here, u, margin)
        met |= set(zip(now["shape_1"].tolist(), now["shape_2"].tolist(), strict=True))
    assert len(met) > 10
    assert met <= known


def tree_scene(seed: int) -> nsmb.MultibodySystem:
    """Two chains, one on a foot with prescribed motion, and free bodies."""
    rng = np.random.default_rng(seed)
    m = nsmb.Model()
    foot = m.add_body("foot", mass=1.0, inertia=(1.0, 1.0, 1.0))
    drive = np.polynomial.Polynomial([0.0, 0.7, 0.2])
    m.add_joint("foot", joints.Revolute(), m.ground, foot, motion=drive)
    initial = {}
    for c in range(2):
        last = foot if c == 0 else m.ground
        for k in range(3):
            body = m.add_solid(f"link{c}{k}", zoo(rng), 1000.0)
            kind = joints.Spherical() if k else joints.Revolute((0.0, 1.0, 0.3))
            m.add_joint(f"joint{c}{k}", kind, last, body, at=rng.normal(size=3) * 0.3)
            last = body
    for k in range(3):
        body = m.add_solid(f"b{k}", zoo(rng), 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        initial[f"j{k}"] = np.concatenate([rng.normal(size=3) * 0.4, quaternion(rng)])
    m.ground.shape("wall", geometry.HalfSpace(), at=(0.0, 0.0, -1.0))
    foot.shape("pad", geometry.Box((0.5, 0.5, 0.5)), at=(0.2, 0.0, 0.0))
    m.collide(dataclasses.replace(LAW, mu_R=0.01, mu_D=0.02))
    return m.build(initial=initial, penetration=np.inf)


@pytest.mark.parametrize("seed", range(6))
def test_directions_are_rates_of_gaps_and_relative_velocities(seed: int) -> None:
    """γ_N = dg/dt by differences of order 2: 1e-7 with steps of 1e-6.

    Other points of a pair may be at the clip of one shape by the other, and move with it. Rows of
    rotation are Ω_2 - Ω_1 along the axes, and those of sliding the velocity of 2 relative to 1 at
    the contact.
    """
    system = tree_scene(seed)
    core, tree = system._core, system._assembly.tree
    rng = np.random.default_rng(seed)
    q, u = np.array(system.initial_state.q), rng.normal(size=system.nu)
    t, h = 0.3, 1e-6
    here = mb.find_contacts(core, t, q, u, 0.5, directions=True)
    gamma = here["W"].T @ u + here["w_tilde"]
    rates = np.asarray(tree.coordinate_rates(q, u))
    gaps = []
    for side in (-1.0, 1.0):
        end = np.array(tree.normalise(q + side * h * rates))
        there = mb.find_contacts(core, t + side * h, end, u, 0.5)
        gaps.append(dict(zip(there["identity"].tolist(), there["g_N"].tolist(), strict=True)))
    checked = 0
    names = [record.place.body for record in system._model.shapes.values()]
    for i, key in enumerate(here["identity"].tolist()):
        row = int(here["first_row"][i])
        assert here["rows"][i] == 6
        of_pair = (here["shape_1"] == here["shape_1"][i]) & (here["shape_2"] == here["shape_2"][i])
        is_least = here["g_N"][i] == here["g_N"][of_pair].min()
        if is_least and key in gaps[0] and key in gaps[1]:
            slope = (gaps[1][key] - gaps[0][key]) / (2.0 * h)
            assert gamma[row] == pytest.approx(slope, abs=2e-6)
            checked += 1
        axes = here["axes"][i].reshape(3, 3)
        one, two = (names[int(here[side][i])] for side in ("shape_1", "shape_2"))
        (v_1, Omega_1), (v_2, Omega_2) = (system.velocity(b, t, q, u) for b in (one, two))
        turn = Omega_2 - Omega_1
        np.testing.assert_allclose(gamma[row + 3 : row + 6], axes[[1, 2, 0]] @ turn, atol=1e-12)
        place = here["point"][i]
        r_1, r_2 = (system.position(b, t, q) for b in (one, two))
        g = 0.5 * here["g_N"][i] * axes[0]
        v = v_2 + np.cross(Omega_2, place + g - r_2) - v_1 - np.cross(Omega_1, place - g - r_1)
        np.testing.assert_allclose(gamma[row : row + 3], axes @ v, atol=1e-12)
    assert checked > 5


def test_what_one_search_remembers_does_not_change_the_next() -> None:
    system = pile(30, 3, 1.2)
    rng = np.random.default_rng(0)
    q = system.initial_state.q + 1e-3 * np.cumsum(rng.normal(size=(20, system.nq)), axis=0)
    q = np.array([system._assembly.tree.normalise(row) for row in q])
    u = np.zeros((20, system.nu))
    run = mb.follow_contacts(system._core, np.zeros(20), q, u, 0.02)
    for k, followed in enumerate(run):
        fresh = mb.find_contacts(system._core, 0.0, q[k], u[k], 0.02)
        np.testing.assert_array_equal(followed["identity"], fresh["identity"])
        np.testing.assert_allclose(followed["g_N"], fresh["g_N"], atol=1e-13)


def test_a_box_that_slides_keeps_the_identities_of_its_corners() -> None:
    m = nsmb.Model(gravity=(0, 0, -9.81))
    m.ground.shape("floor", geometry.HalfSpace())
    box = m.add_solid("box", geometry.Box((0.3, 0.2, 0.1)), 1000.0)
    m.add_joint("j", joints.Free(), m.ground, box)
    m.collide(LAW)
    system = m.build(initial={"j": (0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0)})
    angle = 0.5 * np.linspace(0.0, 7.0, 500)
    zero = np.zeros_like(angle)
    q = np.column_stack([angle, -2 * angle, 0.05 + zero, np.cos(angle), zero, zero, np.sin(angle)])
    run = mb.follow_contacts(system._core, zero, q, np.zeros((500, 6)), 1e-6)
    first = run[0]["identity"].tolist()
    assert len(set(first)) == 4
    assert all(row["identity"].tolist() == first for row in run)


def two_links(**between: object) -> tuple[nsmb.Model, nsmb.multibody.Body, nsmb.multibody.Body]:
    m = nsmb.Model()
    ball = geometry.Sphere(0.5)
    one, two = (m.add_solid(name, ball, 1.0, **between) for name in ("one", "two"))  # type: ignore[arg-type]
    m.add_joint("first", joints.Revolute(), m.ground, one)
    m.add_joint("second", joints.Revolute(), one, two, at=(0.8, 0.0))
    return m, one, two


def touching(m: nsmb.Model) -> int:
    system = m.build(penetration=np.inf)
    return len(system.find_contacts(0.0, system.initial_state.q).g_N)


def test_bodies_of_a_joint_touch_where_that_is_asked_for() -> None:
    m, one, two = two_links()
    m.collide(LAW)
    assert touching(m) == 0
    m.let_touch(one, two)
    assert touching(m) == 1
    m.let_pass(one, two)
    assert touching(m) == 0


def test_materials_and_groups_say_what_touches() -> None:
    m, one, two = two_links(group="arm")
    m.let_touch(one, two)
    m.collide(LAW)
    m.let_pass("arm", "arm")
    assert touching(m) == 0
    m, one, two = two_links(material="ice")
    m.let_touch(one, two)
    m.collide(LAW)
    assert touching(m) == 1
    m.collide(None, ("ice", "ice"))
    assert touching(m) == 0
    with pytest.raises(ValueError, match="materials: expected one law for 'ice' and 'ice'"):
        m.collide(LAW, ("ice", "ice"))


def test_penetration_at_the_start_is_reported_with_both_shapes() -> None:
    m, one, two = two_links()
    m.let_touch(one, two)
    m.collide(LAW)
    with pytest.raises(
        ValueError, match=r"shapes 'one.solid' and 'two.solid': .* penetration of 0.2 m"
    ):
        m.build()


def test_a_shape_without_law_is_warned_of() -> None:
    m, _, _ = two_links()
    with (
        pytest.warns(nsmb.ModelWarning, match="shape 'one.solid' is not used in any contact"),
        pytest.warns(nsmb.ModelWarning, match="shape 'two.solid' is not used in any contact"),
    ):
        m.build()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, b: b.shape("x", 3.0), "shape 'x' of body 'one': expected one of nsmb.geometry"),
        (lambda m, b: b.shape("solid", geometry.Sphere(1.0)), "must have a unique name"),
        (lambda m, b: m.collide(LAW, "ice"), "materials: expected two names, got 'ice'"),
        (lambda m, b: m.collide(nsmb.ContactLaw(mu_R=-1.0)), "mu_R: expected"),
        (lambda m, b: m.let_pass(b, "arm"), "expected two bodies or two names of groups"),
        (lambda m, b: m.let_touch(b, b), "expected two bodies, got 'one' twice"),
        (lambda m, b: m.add_solid("new", geometry.HalfSpace(), 1.0), "volume"),
    ],
)
def test_misuse_of_shapes_is_named(call: object, message: str) -> None:
    m, one, _ = two_links()
    with pytest.raises(ValueError, match=message):
        call(m, one)  # type: ignore[operator]


def test_a_law_of_shapes_is_a_contact_law() -> None:
    m, _, _ = two_links()
    with pytest.raises(TypeError, match=r"law: must be a nsmb\.ContactLaw, got 0\.3"):
        m.collide(0.3)  # type: ignore[arg-type]

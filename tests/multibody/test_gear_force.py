"""Forces of gears in mesh, against curves of flanks, virtual work, slices and impacts of masses."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import gears
from tests.multibody.gears import contacts, oracle, pose, turning
from tests.oracles import gears as curves

ONE = gears.Gear(z=14, m_n=0.005, width=0.02, x=0.2)
TWO = ONE.mate(39, x=-0.1)
PAIR = gears.GearPair(gear_1=ONE, gear_2=TWO, distance=0.1335, entry=0.0)
HELIX = gears.Gear(z=30, m_n=0.00185, beta=0.5, width=0.02, x=0.25)
HELICAL = gears.GearPair(gear_1=HELIX, gear_2=HELIX.mate(43, x=0.1), backlash=0.01)
UP = math.pi / 2
"""The direction of gear 2 here."""


def at(pair: gears.GearPair, phases: Any, a: float = 0.0, spins: Any = (0.0, 0.0), **options: Any):  # type: ignore[no-untyped-def]
    """Return contacts with gear 2 above gear 1, further away by a."""
    one = pose((0, 0, 0), phases[0], omega=spins[0])
    two = pose((0, pair.a_w + a, 0), phases[1], omega=spins[1])
    return contacts(pair, one, two, **options)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("turns", [0, 3])
@pytest.mark.parametrize("a", [-1e-4, 0.0, 2e-4])
def test_depth_of_every_pair_is_that_of_the_curves(left: bool, turns: int, a: float) -> None:
    first, second = oracle(ONE), oracle(TWO)
    rng = np.random.default_rng(turns)
    pair = dataclasses.replace(PAIR, distance=PAIR.a_w + a)
    for xi in rng.uniform(-0.008, 0.008, 4):
        p1, p2 = pair.phases(UP, xi, "left" if left else "right", gap=-2e-5)
        p1 += turns * 2.0 * math.pi / ONE.z
        found = at(pair, (p1, p2))
        assert len(found.delta) in (1, 2)
        assert (found.is_left == left).all()
        # the contact is in the middle of both pressed flanks
        off = np.remainder(found.xi - xi + 0.5 * ONE.p_b, ONE.p_b) - 0.5 * ONE.p_b
        np.testing.assert_allclose(np.abs(off), 1e-5, atol=1e-15)
        for (i, j), delta in zip(found.teeth, found.delta, strict=True):
            angles = p1 + i * 2.0 * math.pi / ONE.z, p2 + j * 2.0 * math.pi / TWO.z
            deep = curves.overlap(first, second, pair.a_w, *angles, left)
            assert delta == pytest.approx(deep, abs=1e-15)  # measured 2e-16


def test_play_at_a_changed_distance_is_that_of_the_curves() -> None:
    """The bodies are moved, but the distance of the pair is unchanged."""
    p1, p2 = PAIR.phases(UP, 0.0, "left", gap=0.0)
    for a in (-5e-5, -1e-5):
        found = at(PAIR, (p1, p2), a)
        first, second = oracle(ONE), oracle(TWO)
        deep = curves.overlap(
            first, second, PAIR.a_w + a, p1, p2 + found.teeth[0, 1] * 2 * math.pi / 39
        )
        assert found.delta[0] == pytest.approx(deep, abs=1e-15)
    assert len(at(PAIR, (p1, p2), 1e-5).delta) == 0


def test_number_of_pairs_is_that_of_the_contact_ratio() -> None:
    """Fractions of time of one and two pairs over a pitch, with instantaneous entry."""
    counts = []
    for k in range(400):
        phases = PAIR.phases(UP, (k + 0.5) / 400 * ONE.p_b, gap=-1e-6)
        counts.append(len(at(PAIR, phases).delta))
    assert np.mean(counts) == pytest.approx(PAIR.contact_ratio, abs=1.0 / 400)


def directions(pair: gears.GearPair) -> list[np.ndarray]:  # type: ignore[type-arg]
    rng = np.random.default_rng(3)
    return [rng.standard_normal(4) * (1.0, 1.0, 1.0, 20.0) for _ in range(4)]


@pytest.mark.parametrize("pair", [PAIR, HELICAL])
@pytest.mark.parametrize("flank", ["left", "right"])
def test_forces_are_those_of_virtual_work(pair: gears.GearPair, flank: str) -> None:
    """Gear 2 moves along x, y, z and rotates: F_n per pair times the loss of depth."""
    phases = pair.phases(UP, 0.001, flank, gap=-2e-5)

    def found(move: np.ndarray) -> gears.GearContacts:  # type: ignore[type-arg]
        two = pose((move[0], pair.a_w + move[1], move[2]), phases[1] + move[3])
        return contacts(pair, pose((0, 0, 0), phases[0]), two)

    base = found(np.zeros(4))
    arm = base.point - (0.0, pair.a_w, 0.0)
    moments = np.cross(arm, base.force)[:, 2]
    h = 1e-8
    for move in directions(pair):
        forward, back = found(h * move), found(-h * move)
        np.testing.assert_array_equal(forward.teeth, base.teeth)
        lost = -(forward.delta - back.delta) / (2.0 * h) * base.F_n
        work = base.force @ move[:3] + moments * move[3]
        np.testing.assert_allclose(work, lost, rtol=1e-6)  # h² and 1e-17/h of a depth of 1e-5


def test_force_components_of_a_helical_pair_are_those_of_the_source() -> None:
    """(7.17) with angles at the working pitch circle, and with β of its helix."""
    found = at(HELICAL, HELICAL.phases(UP, 0.0, gap=-1e-5))
    beta = math.atan(math.tan(HELIX.beta_b) / math.cos(HELICAL.alpha_w))
    alpha_n = math.atan(math.tan(HELICAL.alpha_w) * math.cos(beta))
    expected = [
        -math.cos(alpha_n) * math.cos(beta),
        math.sin(alpha_n),
        -math.cos(alpha_n) * math.sin(beta),
    ]
    for force, size in zip(found.force, found.F_n, strict=True):
        np.testing.assert_allclose(force / size, expected, atol=1e-14)


def test_torque_over_force_is_the_base_circle_for_every_place_and_distance() -> None:
    """The ratio of exact involutes is constant to rounding."""
    for xi in np.linspace(-0.008, 0.008, 9):
        for a in (0.0, -1e-4):
            pair = dataclasses.replace(PAIR, distance=PAIR.a_w + a)
            found = at(pair, pair.phases(UP, xi, gap=-1e-5))
            one = np.cross(found.point, -found.force)[:, 2] / found.F_n
            two = np.cross(found.point - (0, pair.a_w, 0), found.force)[:, 2] / found.F_n
            np.testing.assert_allclose(one, -ONE.r_b, rtol=1e-12)
            np.testing.assert_allclose(two, -TWO.r_b, rtol=1e-12)


def test_stiffness_of_helical_teeth_is_the_mean_over_slices() -> None:
    """Thin spur gears side by side, each rotated by the helix."""
    phases = HELICAL.phases(UP, 0.0, gap=-1e-5)
    found = at(HELICAL, phases)
    g = HELICAL.g_a1 + HELICAL.g_a2
    middle = 0.5 * (HELICAL.g_a1 - HELICAL.g_a2)
    z = (np.arange(20000) + 0.5) / 20000 - 0.5
    for xi, K in zip(found.xi, found.K, strict=True):
        s = xi + z * HELIX.width * math.tan(HELIX.beta_b)
        on = (s >= -HELICAL.g_a2) & (s <= HELICAL.g_a1)
        parabola = 1.0 - 0.2 * (2.0 * (s - middle) / g) ** 2
        assert pytest.approx(HELICAL.c_max * np.mean(np.where(on, parabola, 0.0)), rel=2e-4) == K


def test_stiffness_follows_the_parabola() -> None:
    for xi in (-0.005, 0.0, 0.004):
        found = at(PAIR, PAIR.phases(UP, xi, gap=-1e-9))
        k = int(np.argmin(np.abs(found.xi - xi)))
        s = 2.0 * (xi - 0.5 * (PAIR.g_a1 - PAIR.g_a2)) / (PAIR.g_a1 + PAIR.g_a2)
        assert found.K[k] == pytest.approx(PAIR.c_max * (1.0 - 0.2 * s * s), rel=1e-6)


def test_gears_that_slide_apart_along_their_axes_lose_width() -> None:
    p1, p2 = PAIR.phases(UP, 0.0, gap=-1e-6)
    whole, less, none = (
        contacts(PAIR, pose((0, 0, 0), p1), pose((0, PAIR.a_w, z), p2)) for z in (0.0, 0.005, 0.03)
    )
    assert less.K[0] == pytest.approx(0.75 * whole.K[0])
    assert less.point[0, 2] == pytest.approx(0.0025)
    assert len(none.K) == 0


def test_helical_gears_that_slide_along_their_axes_turn() -> None:
    """A shift z is a rotation by z tan β_b/r_b."""
    p1, p2 = HELICAL.phases(UP, 0.0, gap=-1e-5)
    z = 1e-4
    turn = z * math.tan(HELIX.beta_b) / HELICAL.gear_2.r_b
    moved = contacts(HELICAL, pose((0, 0, 0), p1), pose((0, HELICAL.a_w, z), p2 - turn))
    np.testing.assert_allclose(moved.delta, at(HELICAL, (p1, p2)).delta, atol=1e-16)


@pytest.mark.parametrize("flank", ["left", "right"])
def test_of_a_wider_helical_gear_only_the_common_face_matters(flank: str) -> None:
    """Moved along its axis and rotated by its helix, it has the same face with the same teeth."""
    wide = dataclasses.replace(HELIX, width=0.04)
    pair = dataclasses.replace(HELICAL, gear_1=wide)
    p1, p2 = HELICAL.phases(UP, 0.001, flank, gap=-1e-5)
    z = 0.008
    turn = z * math.tan(HELIX.beta_b) / HELIX.r_b
    two = pose((0, HELICAL.a_w, z), p2)
    whole = contacts(pair, pose((0, 0, 0), p1 - turn), two)
    face = contacts(HELICAL, pose((0, 0, z), p1), two)
    assert len(face.xi) > 1
    for name in ("xi", "delta", "K", "F_n", "point", "force"):
        value = getattr(face, name)
        np.testing.assert_allclose(getattr(whole, name), value, atol=1e-12 * np.abs(value).max())


def test_relief_and_crowning_take_away_what_they_say() -> None:
    relief = dataclasses.replace(ONE, tip_relief=1e-5, relief_length=0.004)
    pair = dataclasses.replace(PAIR, gear_1=relief)
    for to_the_tip, less in ((0.004, 0.0), (0.002, 5e-6), (0.0005, 8.75e-6)):
        xi = pair.g_a1 - to_the_tip
        found = at(pair, pair.phases(UP, xi, gap=-2e-5))
        k = int(np.argmax(found.xi))
        # the contact of pressed teeth is in the middle of both flanks
        assert found.delta[k] == pytest.approx(2e-5 - less, abs=3e-8 + 1e-5 / 400)
    crowned = dataclasses.replace(PAIR, gear_1=dataclasses.replace(ONE, crowning=2e-5))
    z = (np.arange(20000) + 0.5) / 10000 - 1.0
    for deep in (5e-6, 1.9e-5, 4e-5):
        phases = PAIR.phases(UP, 0.0, gap=-deep)
        plain, found = at(PAIR, phases), at(crowned, phases)
        slices = np.mean(np.maximum(deep - 2e-5 * z**2, 0.0))
        assert found.F_n[0] == pytest.approx(plain.K[0] * slices, rel=1e-5)


@pytest.mark.parametrize("crowning", [1e-6, 2e-5])
def test_crowned_teeth_give_back_the_energy_that_they_take(crowning: float) -> None:
    """Pressed over the whole width and over a part of it."""
    gear = dataclasses.replace(ONE, crowning=crowning)
    pair = dataclasses.replace(PAIR, gear_1=gear, stiffness_ratio=1.0)
    system = turning(pair, (4e-4, 2e-2), (3.0, 0.0), pair.phases(0.0, gap=1e-7))
    sol = nsmb.simulate(system, 2e-4, rtol=1e-10)
    rows = zip(sol.t, sol.q, sol.u, sol.x, strict=True)
    found = [system.gear_contacts("mesh", *row) for row in rows]
    deepest = max(f.delta.max(initial=0.0) for f in found)
    assert bool(deepest > crowning) == (crowning < 1e-5)
    lost = np.abs(sol.energy.work).max()  # the part that is not in the potential
    assert lost < 1e-6 * sol.energy.turnover[-1]


def test_damping_grows_with_depth_and_never_pulls() -> None:
    damped = dataclasses.replace(PAIR, damping=1e3, transition=1e-6)
    spins = (2.0, 0.0)
    v_n = 2.0 * ONE.r_b
    for deep, share in ((5e-7, 0.5), (3e-6, 1.0)):
        phases = damped.phases(UP, 0.0, gap=-deep)
        still = at(damped, phases)
        assert at(damped, phases, spins=spins).F_n[0] - still.F_n[0] == pytest.approx(
            share * 1e3 * v_n
        )
        assert at(damped, phases, spins=(-200.0, 0.0)).F_n[0] == 0.0


def test_friction_opposes_sliding_and_turns_at_the_pitch_point() -> None:
    """The sliding velocity is (|ω_1| + |ω_2|) ξ along the flanks; friction is full beyond v_eps."""
    rough = dataclasses.replace(PAIR, mu=0.1, v_eps=1e-4)
    spins = (5.0, -5.0 * ONE.z / TWO.z)
    for xi in (-0.006, -1e-5, 1e-5, 0.006):
        found = at(rough, rough.phases(UP, xi, gap=-1e-8), spins=spins)
        k = int(np.argmin(np.abs(found.xi - xi)))
        speed = (spins[0] - spins[1]) * abs(found.xi[k])
        s = min(speed / 1e-4, 1.0)
        assert found.F_t[k] == pytest.approx(0.1 * found.F_n[k] * s * (2.0 - s), rel=1e-9)
        p = found.point[k]
        v_1 = np.cross((0, 0, spins[0]), p)
        v_2 = np.cross((0, 0, spins[1]), p - (0, rough.a_w, 0))
        power = found.force[k] @ (v_2 - v_1)
        assert power == pytest.approx(-found.F_t[k] * speed, rel=1e-9)


def test_turn_angles_agree_at_the_pitch_point_alone() -> None:
    """(7.19) against the exact depth."""
    turned = dataclasses.replace(PAIR, measure="turn_angle")
    exact, other = (at(p, p.phases(UP, 0.0, gap=-1e-5)) for p in (PAIR, turned))
    assert other.delta[0] == pytest.approx(exact.delta[0], rel=1e-2)
    away = at(turned, turned.phases(UP, 0.006, gap=-1e-5))
    assert abs(away.delta[np.argmax(away.xi)] - 1e-5) > 1e-4


EQUAL = gears.Gear(z=97, m_n=0.006, width=0.05, dedendum=1.0315)
MID = gears.GearPair(gear_1=EQUAL, gear_2=EQUAL.mate(97), shape=0.85, flanks="left")


def impact(pair: gears.GearPair, teeth: gears.ElasticTeeth | None, **options: Any):  # type: ignore[no-untyped-def]
    lost = 0.0 if teeth is None else teeth.inertia_of(EQUAL)
    system = turning(
        pair, (2.27 - lost, 4.1 - lost), (1.745, 0.0), pair.phases(), teeth=teeth,
        spins=(1.745, 0.0),
    )  # fmt: skip
    sol = nsmb.simulate(system, 1e-3, **options)
    rows = zip(sol.t, sol.q, sol.u, sol.x, strict=True)
    forces = [system.gear_contacts("mesh", *row).F_n.sum() for row in rows]
    return sol, max(forces), sol.events.t[-1]


@pytest.mark.parametrize(
    ("ratio", "elastic", "peak", "duration"),
    [(1.0, False, 51.5e3, 0.569e-3), (0.8, False, 46.0e3, 0.637e-3),
     (1.0, True, 41.3e3, 0.708e-3), (0.8, True, 38.4e3, 0.763e-3)],
)  # fmt: skip
def test_impact_of_one_pair_is_that_of_two_masses(
    ratio: float, elastic: bool, peak: float, duration: float
) -> None:
    """No damping, massless teeth.

    A constant c_min is modelled as c_max with a smaller shape factor.
    """
    pair = dataclasses.replace(MID, stiffness_ratio=1.0, shape=0.85 * ratio)
    teeth = gears.ElasticTeeth(K=2e9, motion="static") if elastic else None
    sol, force, end = impact(pair, teeth)
    masses = 2.27 / EQUAL.r_b**2, 4.1 / EQUAL.r_b**2
    K = pair.c_max
    if elastic:
        K = 1.0 / (1.0 / K + 2.0 / gears.ElasticTeeth(K=2e9).stiffness_at_base(EQUAL))
    exact = curves.impact(masses, (1.745 * EQUAL.r_b, 0.0), K)
    assert force == pytest.approx(exact[0], rel=1e-5)
    assert end == pytest.approx(exact[1], rel=1e-5)
    assert force == pytest.approx(peak, rel=0.002)
    assert end == pytest.approx(duration, rel=0.002)
    np.testing.assert_allclose(sol.u[-1], [-0.5013, -1.2437], atol=1e-4)
    assert sol.energy.relative < 1e-6


def test_a_tooth_with_mass_and_damper_moves_as_a_chain_of_masses() -> None:
    teeth = gears.ElasticTeeth(K=2e9, D=2e5, mass=0.05, all_teeth=False)
    pair = dataclasses.replace(MID, stiffness_ratio=1.0)
    lost = teeth.inertia_of(EQUAL)
    share = (EQUAL.r_d / EQUAL.r_b) ** 2
    system = turning(
        pair,
        (2.27 - lost, 4.1 - lost),
        (1.745, 0.0),
        pair.phases(),
        teeth=teeth,
        spins=(1.745, 0.0),
    )
    assert len(system.states) < 40
    sol = nsmb.simulate(system, 1e-3, method=nsmb.EventDriven(integrator="cvode", rtol=1e-8))
    forces = [
        system.gear_contacts("mesh", *row).F_n.sum()
        for row in zip(sol.t, sol.q, sol.u, sol.x, strict=True)
    ]
    masses = [(inertia - lost) / EQUAL.r_b**2 for inertia in (2.27, 4.1)]
    exact = curves.impact(
        (masses[0], masses[1]), (1.745 * EQUAL.r_b, 0.0), pair.c_max,
        (0.05 * share, 2e9 * share, 2e5 * share, 1.0),
    )  # fmt: skip
    # The other teeth follow the gear on their dampers: their mass counts, 1 % of it.
    assert max(forces) == pytest.approx(exact[0], rel=0.01)
    assert sol.events.t[-1] == pytest.approx(exact[1], rel=0.01)


def test_quasi_static_teeth_are_teeth_without_mass() -> None:
    slow = gears.ElasticTeeth(K=2e9, D=2e5, motion="quasi-static", all_teeth=False)
    heavy = gears.ElasticTeeth(K=2e9, D=2e5, mass=1e-4, all_teeth=False)
    method = nsmb.EventDriven(integrator="cvode")
    runs = [impact(MID, teeth, method=method) for teeth in (slow, heavy)]
    assert runs[0][1] == pytest.approx(runs[1][1], rel=1e-3)
    assert runs[0][2] == pytest.approx(runs[1][2], rel=1e-3)


def test_stiff_teeth_are_rigid_ones() -> None:
    stiff = gears.ElasticTeeth(K=1e15, motion="static")
    rigid, elastic = impact(MID, None), impact(MID, stiff)
    assert elastic[1] == pytest.approx(rigid[1], rel=2e-6)
    np.testing.assert_allclose(elastic[0].u[-1], rigid[0].u[-1], rtol=2e-6)


def test_teeth_near_the_mesh_are_all_that_matter() -> None:
    """Teeth that pass on their states under load move like those that keep them."""
    pair = gears.GearPair(gear_1=ONE, gear_2=TWO, distance=0.1335, damping=0.0)
    teeth = gears.ElasticTeeth(K=5e7, D=1e4, motion="quasi-static", all_teeth=False)
    ends = []
    for one in (teeth, dataclasses.replace(teeth, all_teeth=True)):
        m = nsmb.Model(gravity=(0.0, 0.0))
        wheels = [m.add_body(f"gear_{k}", mass=1.0, inertia=i) for k, i in ((1, 4e-4), (2, 2e-2))]
        for k, (wheel, x) in enumerate(zip(wheels, (0.0, pair.a_w), strict=True)):
            m.add_joint(f"phi_{k + 1}", nsmb.joints.Revolute(), m.ground, wheel, at=(x, 0.0))
        m.add_torsion_spring("brake", "phi_2", c=0.0, d=0.5)
        m.add_torsion_spring("motor", "phi_1", c=0.0, preload=2.0)
        m.add_gear_pair("mesh", *wheels, pair, phases=pair.phases(), teeth=one, events=False)
        system = m.build(velocities={"phi_1": 20.0, "phi_2": -20.0 / pair.ratio})
        sol = nsmb.simulate(system, 0.05, method=nsmb.EventDriven(integrator="cvode", rtol=1e-7))
        ends.append((sol.q[-1], sol.u[-1]))
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-4)


def test_pairs_that_come_under_load_are_no_events() -> None:
    """With soft teeth, the arriving tooth is deeper than the deflected ones."""
    pair = gears.GearPair(gear_1=HELIX, gear_2=HELICAL.gear_2, backlash=0.02)
    teeth = gears.ElasticTeeth(K=2e8, D=2e4, motion="quasi-static", all_teeth=False)
    m = nsmb.Model(gravity=(0.0, 0.0))
    wheels = [m.add_body(f"gear_{k}", mass=1.0, inertia=i) for k, i in ((1, 8e-4), (2, 3e-3))]
    for k, (wheel, x) in enumerate(zip(wheels, (0.0, pair.a_w), strict=True)):
        m.add_joint(f"phi_{k + 1}", nsmb.joints.Revolute(), m.ground, wheel, at=(x, 0.0))
    m.add_gear_pair("mesh", *wheels, pair, phases=pair.phases(gap=-1e-6), teeth=teeth)
    m.add_torsion_spring("motor", "phi_1", c=0.0, preload=50.0)
    m.add_torsion_spring("brake", "phi_2", c=0.0, preload=-50.0 * pair.ratio * -0.9)
    system = m.build(velocities={"phi_1": 60.0, "phi_2": -60.0 / pair.ratio})
    sol = nsmb.simulate(system, 0.01, method=nsmb.EventDriven(integrator="cvode", rtol=1e-6))
    assert abs(sol.q[-1, 0]) > 2.0 * HELIX.p_b / HELIX.r_b
    assert len(sol.events) == 0


def test_soft_teeth_may_give_way_by_more_than_half_a_pitch() -> None:
    """Two held gears under a torque: the flanks carry it, and the other teeth stay apart."""
    teeth = gears.ElasticTeeth(K=2e5, D=2e2, motion="quasi-static")
    soft = dataclasses.replace(PAIR, entry=0.05)
    for side in (1.0, -1.0):
        m = nsmb.Model(gravity=(0.0, 0.0))
        wheels = [m.add_body(f"gear_{k}", mass=1.0, inertia=1e-3) for k in (1, 2)]
        m.add_joint("phi", nsmb.joints.Revolute(), m.ground, wheels[0])
        m.add_joint("held", nsmb.joints.Fixed(), m.ground, wheels[1], at=(soft.a_w, 0.0))
        phases = soft.phases(flank="left" if side > 0.0 else "right", gap=-1e-6)
        m.add_gear_pair("mesh", *wheels, soft, phases=phases, teeth=teeth)
        m.add_torsion_spring("motor", "phi", c=0.0, d=1.0, preload=side * 35.0)
        sol = nsmb.simulate(m.build(), 0.1, method=nsmb.EventDriven(integrator="cvode", rtol=1e-6))
        way = side * sol.q[-1, 0] * ONE.r_b
        assert 0.5 * ONE.p_b < way < 0.9 * ONE.p_b
        found = sol.system.gear_contacts("mesh", sol.t[-1], sol.q[-1], sol.u[-1], sol.x[-1])
        assert (found.is_left == (side > 0.0)).all()
        assert found.F_n.sum() == pytest.approx(35.0 / ONE.r_b, rel=2e-3)


def test_momentum_and_energy_of_free_gears_are_kept() -> None:
    """Two free discs with constant stiffness: only the forces at the flanks act."""
    pair = dataclasses.replace(PAIR, stiffness_ratio=1.0, entry=0.0)
    m = nsmb.Model(gravity=(0.0, 0.0))
    phases = pair.phases(UP, 0.001, gap=1e-7)
    for k, mass in enumerate((0.8, 4.0)):
        body = m.add_body(f"gear_{k + 1}", mass=mass, inertia=(4e-4, 2e-2)[k])
        m.add_joint(f"free_{k + 1}", nsmb.joints.Planar(), m.ground, body)
    one, two = m.bodies
    m.add_gear_pair("mesh", one, two, pair, phases=phases)
    system = m.build(
        initial={"free_2": (0.0, pair.a_w, 0.0)}, velocities={"free_1": (0.0, 0.0, 3.0)}
    )
    sol = nsmb.simulate(system, 2e-3, rtol=1e-10)
    assert len(sol.events) >= 2
    start = system.momentum(0.0, sol.q[0], sol.u[0])
    for q, u in zip(sol.q, sol.u, strict=True):
        p, L = system.momentum(0.0, q, u)
        np.testing.assert_allclose(p, start[0], atol=1e-13)
        np.testing.assert_allclose(L, start[1], atol=1e-13)
    assert sol.energy.relative < 1e-8


def test_derivatives_are_those_of_differences() -> None:
    """The elements have states and touching flanks. A user function removes all Jacobians."""
    teeth = gears.ElasticTeeth(K=1e8, D=1e5, motion="quasi-static", all_teeth=False)
    runs = []
    for by_differences in (False, True):
        m = nsmb.Model(gravity=(0.0, 0.0))
        wheels = []
        for k, (x, inertia) in enumerate(((0.0, 4e-4), (PAIR.a_w, 2e-2))):
            wheels.append(m.add_body(f"gear_{k}", mass=1.0, inertia=inertia))
            m.add_joint(f"phi_{k}", nsmb.joints.Revolute(), m.ground, wheels[-1], at=(x, 0.0))
        phases = PAIR.phases(0.0, gap=-2e-5)
        m.add_gear_pair("mesh", *wheels, PAIR, phases=phases, teeth=teeth, events=False)
        if by_differences:
            zero = np.zeros(3)
            m.add_load("none", wheels[0], lambda t, r, A, v, Omega: (zero, zero))  # noqa: B023
        runs.append(nsmb.simulate(m.build(), 1e-5, sensitivity=True))
    exact, other = (np.asarray(run.sensitivity.state) for run in runs)
    assert np.abs(other).max() > 1e3  # flanks were pressed
    # measured 2e-5, by differences of motions
    assert np.abs(exact - other).max() < 1e-4 * np.abs(other).max()


def test_stiff_integrators_are_given_the_jacobian() -> None:
    teeth = gears.ElasticTeeth(K=2e9, D=2e5, motion="quasi-static", all_teeth=False)
    sol, peak, _ = impact(MID, teeth, method=nsmb.EventDriven(integrator="cvode"))
    assert sol.stats["jacobian_evaluations"] > 0
    assert peak < 51.5e3


def test_axes_that_are_not_parallel_are_named() -> None:
    m = nsmb.Model(gravity=(0.0, 0.0))
    one = m.add_body("one", mass=1.0, inertia=(1.0, 1.0, 1.0))
    two = m.add_body("two", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.add_joint("phi_1", nsmb.joints.Revolute(), m.ground, one)
    m.add_joint("phi_2", nsmb.joints.Revolute(), m.ground, two, at=(PAIR.a_w, 0.0))
    c, s = math.cos(0.2), math.sin(0.2)
    tilted = nsmb.geometry.Frame(A=((1, 0, 0), (0, c, -s), (0, s, c)))
    m.add_gear_pair("mesh", one.marker("axis", at=tilted), two, PAIR)
    with pytest.raises((ValueError, nsmb.SimulationError), match="expected parallel axes"):
        nsmb.simulate(m.build(), 0.01)


def test_gears_too_near_are_named() -> None:
    m = nsmb.Model(gravity=(0.0, 0.0))
    one, two = (m.add_body(name, mass=1.0, inertia=1.0) for name in ("one", "two"))
    m.add_joint("phi", nsmb.joints.Revolute(), m.ground, one)
    m.add_joint("x", nsmb.joints.Prismatic((1.0, 0.0)), m.ground, two)
    m.add_gear_pair("mesh", one, two, PAIR, events=False)
    with pytest.raises(
        (ValueError, nsmb.SimulationError), match=r"sum of the base radii, 0\.1245.* m"
    ):
        nsmb.simulate(m.build(initial={"x": 0.1}), 0.01)


def test_contacts_are_asked_of_gears_alone() -> None:
    system = turning(PAIR, (1e-3, 2e-2), (1.0, 0.0), PAIR.phases(gap=-1e-6))
    start = system.initial_state
    assert len(system.gear_contacts("mesh", 0.0, start.q, start.u).K) >= 1
    with pytest.raises(ValueError, match="gears 'spring'"):
        system.gear_contacts("spring", 0.0, start.q, start.u)


@pytest.mark.parametrize("flank", ["left", "right"])
@pytest.mark.parametrize("options", [
    {"backlash": 0.03}, {"backlash": 0.03, "distance": PAIR.a_w + 2e-4},
    {"backlash": 0.01, "distance": PAIR.a_w + 2e-4, "backlash_from": "factor"},
])  # fmt: skip
def test_gears_touch_where_they_are_asked_to(flank: str, options: dict[str, Any]) -> None:
    """Backlash from thinner teeth, from the distance, and from both."""
    pair = dataclasses.replace(PAIR, **options)
    for xi in (-2e-3, 0.0, 1.5e-3):
        found = at(pair, pair.phases(UP, xi, flank, gap=-1e-9))
        assert np.abs(found.xi - xi).min() < 1e-9

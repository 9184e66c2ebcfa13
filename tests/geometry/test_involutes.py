"""Involute flanks: the thread of a circle, the common tangent of two, and meshing gears."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from nsmb import geometry
from nsmb.geometry.contours.involute_function import inverse_involute
from tests.oracles.involute_gears import Gear, Mesh
from tests.support.draws import numbers

SIDES = [(side, concave) for side in ("right", "left") for concave in (False, True)]
DEGREE = math.pi / 180.0


def teeth(gear: Gear) -> geometry.GearTeeth:
    return geometry.GearTeeth(
        teeth=gear.z, module=gear.m, pressure_angle=gear.alpha, shift=gear.x, addendum=gear.h_a,
        dedendum=gear.h_f, thinning=gear.thinning, internal=gear.ring,
    )  # fmt: skip


gears = st.builds(
    Gear,
    z=st.integers(12, 60),
    m=st.just(2.0),
    alpha=numbers(17.0, 28.0).map(lambda degrees: degrees * DEGREE),
    x=numbers(-0.1, 0.4),
    h_a=st.just(1.0),
    h_f=st.just(1.25),
    ring=st.just(False),
    thinning=numbers(0.02, 0.1),
)


@pytest.mark.parametrize(("side", "concave"), SIDES)
def test_a_flank_is_the_end_of_a_thread(side: Any, concave: bool) -> None:
    r_b, angle, center = 0.4, 0.7, np.array([0.2, -0.1])
    flank = geometry.Involute(r_b, 0.2, 1.5, angle, side, concave, tuple(center))
    roll = np.linspace(0.2, 1.5, 30)
    place = flank.at(roll if side == "right" else -roll)
    # At the centre, the thread leaves the circle at right angles, with the length of its arc.
    winds = (1.0 if side == "right" else -1.0) * (-1.0 if concave else 1.0)
    theta = angle + winds * roll
    foot = center + r_b * np.column_stack([np.cos(theta), np.sin(theta)])
    np.testing.assert_allclose(np.linalg.norm(place.r - foot, axis=1), r_b * roll, rtol=1e-13)
    np.testing.assert_allclose(np.abs(np.sum((place.r - foot) * place.t, axis=1)), 0, atol=1e-15)
    np.testing.assert_allclose(place.kappa, (-1 if concave else 1) / (r_b * roll), rtol=1e-12)
    # The body is counter-clockwise of a right flank, and clockwise of a left one.
    polar = center - place.r
    turned = place.n[:, 0] * polar[:, 1] - place.n[:, 1] * polar[:, 0]
    assert (turned > 0.0).all() if side == "right" else (turned < 0.0).all()


@pytest.mark.parametrize(("side", "concave"), SIDES)
def test_below_its_begin_a_flank_goes_on_smoothly(side: Any, concave: bool) -> None:
    """Newton may evaluate the flank below its start; the involute has a cusp at the base circle."""
    flank = geometry.Involute(0.4, 0.2, 1.5, 0.7, side, concave)
    edge = np.array([0.2]) if side == "right" else np.array([-0.2])
    for step in (1e-6, -1e-6):
        near = flank.at(edge + step)
        at = flank.at(edge)
        np.testing.assert_allclose(near.r, at.r + step * at.speed * at.t, atol=1e-12)
        np.testing.assert_allclose(near.t, at.t, atol=1e-5)
        np.testing.assert_allclose(near.kappa, at.kappa, rtol=1e-4)


def test_the_flank_between_two_radii_ends_there() -> None:
    flank = geometry.Involute.between(0.3, 0.31, 0.5, angle=-0.4, side="left")
    begin, end = flank.at([-flank.end, -flank.begin]).r
    assert np.linalg.norm(begin) == pytest.approx(0.5, rel=1e-15)
    assert np.linalg.norm(end) == pytest.approx(0.31, rel=1e-15)


@settings(max_examples=60, deadline=None)
@given(
    r=st.tuples(numbers(0.2, 1.0), numbers(1.2, 3.0)),
    sides=st.sampled_from([("right", "right"), ("left", "left"), ("right", "left")]),
    ring=st.booleans(),
    rolls=st.tuples(numbers(0.3, 0.6), numbers(0.4, 0.8)),
    gap=numbers(-0.05, 0.2),
    pose=st.tuples(numbers(-2.0, 2.0), numbers(-2.0, 2.0), numbers(-3.0, 3.0)),
)
def test_the_closed_form_is_what_newton_finds(
    r: tuple[float, float], sides: tuple[Any, Any], ring: bool, rolls: tuple[float, float],
    gap: float, pose: tuple[float, float, float],
) -> None:  # fmt: skip
    """Two flanks in contact at known points, one of them as a user-defined curve."""
    first = geometry.Involute(r[0], 0.1, 1.2, 0.2, sides[0])
    second = geometry.Involute(r[1], 0.1, 1.2, -0.5, sides[1], ring)
    sigma = [u if side == "right" else -u for u, side in zip(rolls, sides, strict=True)]
    p, q = first.at(sigma[0]), second.at(sigma[1])
    assume(p.kappa[0] + q.kappa[0] + gap * p.kappa[0] * q.kappa[0] > 0.05)
    # pose of the second: its normal against that of the first, `gap` in between
    turn = math.atan2(*-p.n[0][::-1]) - math.atan2(*q.n[0][::-1])
    c, s = math.cos(turn), math.sin(turn)
    R = np.array([[c, -s], [s, c]])
    pose_2 = np.array([*(p.r[0] - gap * p.n[0] - R @ q.r[0]), turn])
    both = np.array([np.zeros(3), pose_2])
    # moved together
    c, s = math.cos(pose[2]), math.sin(pose[2])
    both[:, :2] = both[:, :2] @ np.array([[c, s], [-s, c]]) + pose[:2]
    both[:, 2] += pose[2]
    found = [
        x
        for x in geometry.find_contacts(first, second, 0.3, pose_1=both[0], pose_2=both[1])
        if (x.first, x.second) == (1, 1)
    ]
    assert len(found) == 1
    assert found[0].g_N == pytest.approx(gap, abs=1e-14)
    assert found[0].sigma_1 == pytest.approx(sigma[0], abs=1e-13)
    assert found[0].sigma_2 == pytest.approx(sigma[1], abs=1e-13)
    np.testing.assert_allclose(found[0].n_1, -np.array(found[0].n_2), atol=1e-15)
    own = geometry.UserCurve(
        lambda x: first.at(x).r[0], first._core.range(0)[0], first._core.range(0)[1],
        lambda x: first.at(x).speed[0] * first.at(x).t[0], lambda x: _second(first, x), parts=16,
    )  # fmt: skip
    by_newton = [
        x.g_N
        for x in geometry.find_contacts(own, second, 0.3, pose_1=both[0], pose_2=both[1])
        if (x.first, x.second) == (1, 1)
    ]
    # Measured: 3e-16 apart.
    assert min(abs(g - gap) for g in by_newton) < 1e-13


def _second(flank: geometry.Involute, sigma: float) -> Any:
    """Return r'' = (r')²κ n + speed' t, with speed' = ± r_b."""
    place = flank.at(sigma)
    rise = flank.base_radius if sigma > 0.0 else -flank.base_radius
    return place.speed[0] ** 2 * place.kappa[0] * place.n[0] + rise * place.t[0]


@settings(max_examples=60, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(first=gears, second=gears, ring=st.booleans(), extra=numbers(0.001, 0.1), data=st.data())
def test_gaps_of_a_mesh_are_linear_in_the_angles(
    first: Gear, second: Gear, ring: bool, extra: float, data: st.DataObject
) -> None:
    """Every pair of flanks within reach, against lengths of threads; the ratio is constant."""
    second = second._replace(alpha=first.alpha)
    if ring:
        first = first._replace(z=max(first.z, 20), x=0.0, h_a=0.8)
        second = second._replace(z=first.z + 30, x=0.0, h_a=0.8, ring=True)
    pair = teeth(first), teeth(second)
    tight = geometry.GearMesh.distance_for(*pair)
    a = tight - extra * first.m if ring else tight + extra * first.m
    mesh = geometry.GearMesh(*pair, a)
    oracle = Mesh(first, second, a)
    assert mesh.play == pytest.approx(oracle.play, abs=1e-13)
    # Flanks that end at the base circle start at u = 1e-3.
    shorter = 1.001e-3 * (first.z + second.z) / (2.0 * math.pi)
    assert mesh.contact_ratio == pytest.approx(oracle.contact_ratio, abs=shorter)
    phi_1 = data.draw(numbers(-3.0, 3.0))
    phi_2 = mesh.angle(phi_1, data.draw(numbers(-1.0, 1.0)))
    found = geometry.find_contacts(
        *pair, 0.25 * mesh.first.base_pitch, pose_1=(0, 0, phi_1), pose_2=(a, 0, phi_2)
    )
    assert found
    for point in found:
        assert point.domain >= 0.0
        side = point.first // 2 % 2
        assert point.second // 2 % 2 == (1 - side if ring else side)
        # Measured: 2e-14; angles of some radians times radii of 60.
        assert point.g_N == pytest.approx(oracle.gap(phi_1, phi_2, side), abs=2e-13)
    # Each side has floor(ε) or ceil(ε) pairs.
    for side in (0, 1):
        count = sum(point.first // 2 % 2 == side for point in found)
        assert math.floor(mesh.contact_ratio) <= count <= math.ceil(mesh.contact_ratio)


def test_pairs_in_contact_over_a_pitch_are_the_contact_ratio_on_average() -> None:
    first, second = Gear(20, 3.0), Gear(31, 3.0, thinning=0.05)
    pair = teeth(first), teeth(second)
    a = 3.0 * 51 / 2
    mesh = geometry.GearMesh(*pair, a)
    n, count = 2000, 0
    for k in range(n):
        phi = 2.0 * math.pi / 20 * (k + 0.5) / n
        found = geometry.find_contacts(
            *pair, 1.0, pose_1=(0, 0, phi), pose_2=(a, 0, mesh.angle(phi, -1.0))
        )
        count += sum(point.first // 2 % 2 == 0 for point in found)
    # Each pair enters and leaves at one of n positions.
    assert count / n == pytest.approx(mesh.contact_ratio, abs=2.0 / n)


@pytest.mark.parametrize(
    ("gears", "a", "ratio", "distances"),
    [
        # examples of Ebrahimi: table 7.1; table 7.2, where the path of the pinion is cut short
        ((Gear(97, 6e-3, h_f=1.0315), Gear(97, 6e-3, h_f=1.0315)), 0.582, 1.849, None),
        ((Gear(14, 5e-3, h_f=1.05), Gear(39, 5e-3, h_f=1.05)), 0.1325, 1.542,
         (10.795e-3, 11.971e-3)),
    ],
)  # fmt: skip
def test_contact_ratios_of_the_thesis(
    gears: tuple[Gear, Gear], a: float, ratio: float, distances: tuple[float, float] | None
) -> None:
    pair = teeth(gears[0]._replace(thinning=1e-5)), teeth(gears[1])
    mesh = geometry.GearMesh(*pair, a)
    # printed to three digits; flanks that end at the base circle start 1e-3 rad above it
    assert mesh.contact_ratio == pytest.approx(ratio, abs=3e-3)
    if distances is not None:
        pitch = mesh.first.base_radius * math.tan(mesh.pressure_angle)
        begin, end = mesh.path
        assert end - pitch == pytest.approx(distances[0], abs=5e-7)
        assert pitch - begin == pytest.approx(distances[1], abs=4e-5)


def test_the_distance_without_play_is_that_of_the_standard() -> None:
    """(7.4) in the form of DIN 3960, with α of the rack."""
    first, second = Gear(17, 2.0, x=0.4), Gear(29, 2.0, x=0.25)
    tight = geometry.GearMesh.distance_for(teeth(first), teeth(second))
    alpha = 20 * DEGREE
    value = math.tan(alpha) - alpha + 2 * 0.65 / 46 * math.tan(alpha)
    alpha_v = inverse_involute(value)
    assert math.tan(alpha_v) - alpha_v == pytest.approx(value, rel=1e-14)
    assert tight == pytest.approx(46.0 * math.cos(alpha) / math.cos(alpha_v), rel=1e-14)
    wide = geometry.GearMesh.distance_for(teeth(first), teeth(second), 0.1)
    mesh = geometry.GearMesh(teeth(first), teeth(second), wide)
    assert mesh.play == pytest.approx(0.1, abs=1e-13)


@pytest.mark.parametrize("degrees", [1e-3, 5.0, 20.0, 45.0, 80.0])
def test_the_involute_function_is_inverted(degrees: float) -> None:
    alpha = degrees * DEGREE
    # tan α - α loses the digits of α³
    assert inverse_involute(math.tan(alpha) - alpha) == pytest.approx(alpha, rel=1e-5)
    if degrees >= 5.0:
        assert inverse_involute(math.tan(alpha) - alpha) == pytest.approx(alpha, rel=1e-12)


def test_the_outline_of_a_gear_goes_around_it_between_tip_and_root() -> None:
    for gear in (Gear(23, 2.0), Gear(40, 2.0, ring=True)):
        flanks = teeth(gear)
        points = flanks.points(600)
        radii = np.linalg.norm(points, axis=1)
        low, high = sorted((flanks.tip_radius, flanks.root_radius))
        assert radii.min() == pytest.approx(low, rel=1e-12)
        assert radii.max() == pytest.approx(high, rel=1e-12)
        np.testing.assert_array_equal(points[0], points[-1])
        x, y = points[:-1].T
        area = 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
        assert bool(area < 0.0) == gear.ring
        assert math.pi * low**2 < abs(area) < math.pi * high**2


PINION, WHEEL = teeth(Gear(20, 2.0)), teeth(Gear(30, 2.0))
RING = teeth(Gear(60, 2.0, ring=True))
MISUSE: dict[str, tuple[Any, str]] = {
    "cusp": (lambda: geometry.Involute(1.0, 0.0, 1.0), r"begin: expected .*> 0.*got 0"),
    "backwards": (
        lambda: geometry.Involute(1.0, 0.5, 0.2), r"end: expected a roll angle > begin = 0.5.*0.2"),
    "no circle": (lambda: geometry.Involute(-1.0, 0.1, 0.2), r"base_radius: expected"),
    "side": (
        lambda: geometry.Involute(1.0, 0.1, 0.2, side="top"),  # type: ignore[arg-type]
        r"side: expected 'right' or 'left', got 'top'"),
    "not a number": (lambda: geometry.Involute(1.0, 0.1, math.nan), r"end: expected"),
    "radii": (
        lambda: geometry.Involute.between(1.0, 0.9, 1.2),
        r"expected 0 < base_radius < inner < outer, got base_radius = 1, inner = 0.9"),
    "one tooth": (lambda: geometry.GearTeeth(teeth=1, module=1.0), r"teeth: .* >= 2, got 1"),
    "half a tooth": (
        lambda: geometry.GearTeeth(teeth=12.5, module=1.0),  # type: ignore[arg-type]
        r"teeth: expected a whole number"),
    "module": (lambda: geometry.GearTeeth(teeth=12, module=0.0), r"module: .* > 0, got 0"),
    "angle": (
        lambda: geometry.GearTeeth(teeth=12, module=1.0, pressure_angle=20.0),
        r"pressure_angle: expected an angle in \(0, π/2\), got 20 rad"),
    "pointed": (
        lambda: geometry.GearTeeth(teeth=12, module=1.0, shift=1.2),
        r"teeth with a width at their tips, got -"),
    "no room between teeth": (
        lambda: geometry.GearTeeth(teeth=30, module=1.0, shift=0.0, thinning=-1.2),
        r"shift, thinning: expected spaces with a width"),
    "upside down": (
        lambda: geometry.GearTeeth(teeth=12, module=1.0, addendum=-2.0),
        r"tips beyond the root, got radii"),
    "ring in its base circle": (
        lambda: geometry.GearTeeth(teeth=20, module=1.0, internal=True),
        r"tips outside the base circle"),
    "flank begins beyond the tip": (
        lambda: geometry.GearTeeth(teeth=20, module=1.0, flank_begin=12.0),
        r"flanks that reach beyond the radius 12 m, got 11 m"),
    "no gear": (
        lambda: geometry.GearMesh(PINION, geometry.Circle(1.0), 50.0),  # type: ignore[arg-type]
        r"second: expected GearTeeth, got Circle"),
    "ring first": (lambda: geometry.GearMesh(RING, PINION, 40.0), r"Pass the ring as second"),
    "other module": (
        lambda: geometry.GearMesh(PINION, teeth(Gear(30, 2.5)), 50.0),
        r"base pitch of the first gear, 5\.90\d+ m, got 7\.38"),
    "jammed": (
        lambda: geometry.GearMesh(PINION, WHEEL, 49.8),
        r"got 49.8 m, where flanks overlap by 0\.1\d+ m along the line of action"),
    "jammed by shift": (
        lambda: geometry.GearMesh(PINION, teeth(Gear(30, 2.0, x=0.3)), 50.0),
        r"must leave a clearance between"),
    "tip in root": (
        lambda: geometry.GearMesh(PINION, WHEEL, 48.4),
        r"clearance between the tip of gear \d and the root of gear \d, got 48\.4 m, where"),
    "too far apart": (
        lambda: geometry.GearMesh(PINION, WHEEL, 52.6), r"contact ratio of at least 1, got 0\."),
    "one in the other": (
        lambda: geometry.GearMesh(PINION, WHEEL, 30.0), r"where base circles touch, got 30 m"),
    "no distance": (
        lambda: geometry.GearMesh.distance_for(
            PINION, teeth(Gear(30, 2.0, h_a=0.5, thinning=1.6))),
        r"`play`: no centre distance gives a backlash of"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISUSE)
def test_flanks_and_gears_that_cannot_be_are_refused(case: str) -> None:
    build, message = MISUSE[case]
    with pytest.raises(ValueError, match=message):
        build()

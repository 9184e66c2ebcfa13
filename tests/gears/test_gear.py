"""Geometry of gears and pairs against curves drawn point by point, and infeasible gears."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from nsmb import gears
from tests.multibody.gears import oracle
from tests.oracles import gears as curves

PINION = gears.Gear(z=14, m_n=0.005, width=0.02, dedendum=1.05)
SHIFTED = gears.Gear(z=17, m_n=0.003, width=0.02, x=0.3)


def test_inv_of_20_degrees_and_its_inverse_are_those_of_tables() -> None:
    assert gears.involute(math.radians(20.0)) == pytest.approx(0.0149043839, abs=5e-11)
    assert math.degrees(gears.inverse_involute(0.0149043839)) == pytest.approx(20.0, abs=1e-7)


@pytest.mark.parametrize("alpha", [1e-4, 0.01, 0.3, 0.8, 1.2, 1.5, 1.57])
def test_the_inverse_is_that_of_bisection(alpha: float) -> None:
    theta = math.tan(alpha) - alpha
    root = brentq(lambda a: math.tan(a) - a - theta, 0.5 * alpha, 0.5 * (alpha + math.pi / 2))
    # digits of θ that remain in tan α - α, a quarter of those of α there
    rounding = 1e-15 * (1.0 + 1.0 / alpha**2)
    assert gears.inverse_involute(theta) == pytest.approx(alpha, rel=4.0 * rounding)
    assert gears.inverse_involute(theta) == pytest.approx(root, abs=1e-11)


def test_the_contour_has_circles_and_teeth_of_the_gear() -> None:
    teeth = SHIFTED.contour()
    circles = [teeth.reference_radius, teeth.base_radius, teeth.tip_radius, teeth.root_radius]
    own = [SHIFTED.r_p, SHIFTED.r_b, SHIFTED.r_a, SHIFTED.r_d]
    assert circles == pytest.approx(own, rel=1e-15)
    assert teeth.base_half_angle == pytest.approx(SHIFTED.half_tooth, rel=1e-15)
    thinner = SHIFTED.contour(1e-4).base_half_angle
    assert thinner == pytest.approx(SHIFTED.half_tooth - 0.5e-4 / SHIFTED.r_p, rel=1e-13)
    with pytest.raises(ValueError, match=r"beta: expected 0, a spur gear, got 0\.1 rad"):
        gears.Gear(z=17, m_n=0.003, width=0.02, beta=0.1).contour()


def test_flanks_are_curves_of_a_string() -> None:
    wheel = oracle(SHIFTED)
    for r, point in zip(np.linspace(SHIFTED.r_b, SHIFTED.r_a, 7), SHIFTED.flank(7), strict=True):
        np.testing.assert_allclose(point, wheel.flank(0.0, wheel.roll_at(r)), atol=1e-15)
    assert SHIFTED.outline(4).shape == (17 * 2 * 5, 2)
    x, y = SHIFTED.outline(4).T
    assert np.hypot(x, y).min() == pytest.approx(SHIFTED.r_d)
    assert np.hypot(x, y).max() == pytest.approx(SHIFTED.r_a)


@pytest.mark.parametrize("a", [1.0, 1.003, 1.01])
@pytest.mark.parametrize("x", [(0.0, 0.0), (0.3, -0.1), (0.25, 0.2)])
def test_play_and_path_of_contact_are_those_of_curves(a: float, x: tuple[float, float]) -> None:
    one = gears.Gear(z=14, m_n=0.005, width=0.02, x=x[0])
    two = one.mate(39, x=x[1])
    pair = gears.GearPair(gear_1=one, gear_2=two)
    pair = gears.GearPair(gear_1=one, gear_2=two, distance=a * pair.a_v)
    first, second = oracle(one), oracle(two)
    play = curves.play_by_thickness(first, second, pair.a_w) * math.cos(pair.alpha_w)
    assert pair.play == pytest.approx(play, abs=1e-16)
    path = curves.path_of_contact(first, second, pair.a_w)
    np.testing.assert_allclose((pair.g_a1, pair.g_a2), path, rtol=1e-12)


def test_an_undercut_pinion_has_its_path_cut() -> None:
    """Values of the second example of the thesis: 1.586 without the cut, 1.542 with it."""
    pair = gears.GearPair(gear_1=PINION, gear_2=PINION.mate(39))
    assert PINION.is_undercut
    assert not pair.gear_2.is_undercut
    assert 1e3 * pair.g_a1 == pytest.approx(10.795, abs=5e-4)
    assert 1e3 * pair.g_a2 == pytest.approx(11.971, abs=5e-4)
    assert pair.contact_ratio == pytest.approx(1.542, abs=5e-4)
    assert pair.c_max == pytest.approx(2.8e8)


def test_normal_force_is_that_of_all_three_components() -> None:
    """(7.17) without friction, pair D of the gearbox: 6145, 2623 and 3766 N."""
    one = gears.Gear(z=30, m_n=0.00185, beta=math.radians(31.5), width=0.02)
    pair = gears.GearPair(gear_1=one, gear_2=one.mate(43))
    assert pair.normal_force(200.0) == pytest.approx(np.hypot(np.hypot(6145, 2623), 3766), rel=2e-4)
    assert pair.overlap_ratio == pytest.approx(
        0.02 * math.sin(math.radians(31.5)) / (math.pi * 0.00185)
    )


def test_shift_moves_axes_apart() -> None:
    """(7.5) to first order with the factor 2 of (7.4)."""
    one = gears.Gear(z=40, m_n=0.002, width=0.01, x=1e-4)
    pair = gears.GearPair(gear_1=one, gear_2=one.mate(60))
    assert (pair.a_v - pair.a_0) / one.m_n == pytest.approx(2e-4, rel=1e-3)


def test_mass_of_teeth_is_that_of_their_polygons() -> None:
    corners = SHIFTED.outline(60)
    x, y = corners.T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    disc = math.pi * SHIFTED.r_d**2
    mass = (area - disc) * SHIFTED.width * SHIFTED.density / SHIFTED.z
    # chords of the root circle and the foot within the base circle
    assert SHIFTED.tooth_mass == pytest.approx(mass, rel=0.02)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"z": 0}, "z: expected a whole number >= 1"),
        ({"width": 0.0}, "width: expected a number > 0, got 0"),
        ({"m_n": -1.0}, "m_n"),
        ({"addendum": 2.6}, "teeth with a width at the tip, got -"),
        ({"z": 200, "dedendum": 2.4}, "gaps between the teeth, got a width of -"),
        ({"x": -5.0}, "tip circle outside the base circle"),
    ],
)  # fmt: skip
def test_gears_that_are_none_are_refused_with_numbers(changes: dict, words: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=words):
        gears.Gear(**({"z": 17, "m_n": 0.003, "width": 0.02} | changes))


def test_gears_jammed_by_shift_are_refused_with_numbers() -> None:
    """Pair R2 of the gearbox: jammed by 0.158 mm on the pitch circle."""
    one = gears.Gear(
        z=26, m_n=0.00214, beta=math.radians(31.5), x=0.254, width=0.02, addendum=1.1, dedendum=1.15
    )
    two = one.mate(42, x=0.149)
    with pytest.raises(
        ValueError, match=r"at least 0\.08617.*z = 26 and 42.*got 0\.086 m.*overlap"
    ):
        gears.GearPair(gear_1=one, gear_2=two, distance=0.086)
    jam = gears.GearPair(gear_1=one, gear_2=two, distance=0.086, backlash_from="factor")
    assert jam.play == 0.0
    loose = gears.GearPair(gear_1=one, gear_2=two, distance=0.087)
    assert loose.play > 0.0


@pytest.mark.parametrize(
    ("two", "options", "words"),
    [
        (PINION.mate(39, m_n=0.004), {}, "m_n = 0.005 of gear_1, got 0.004"),
        (PINION.mate(39, beta=0.3), {}, "opposite to that of gear_1, got 0.3"),
        (PINION.mate(39), {"distance": 0.12}, "both base circles"),
        (PINION.mate(39), {"flanks": ("top",)}, "flanks"),
        (PINION.mate(39), {"damping": -1.0}, "damping"),
        (
            PINION.mate(39, dedendum=1.0, addendum=1.3),
            {"distance": 0.1325},
            "tip circle of gear_2",
        ),
    ],
)
def test_pairs_that_are_none_are_refused(two: gears.Gear, options: dict, words: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=words):
        gears.GearPair(gear_1=PINION, gear_2=two, **options)


def test_teeth_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="K: expected a number > 0"):
        gears.ElasticTeeth(K=0.0)
    with pytest.raises(ValueError, match="D of quasi-static teeth"):
        gears.ElasticTeeth(K=1e9, motion="quasi-static")


def test_trains_that_are_none_are_refused() -> None:
    pair = gears.GearPair(gear_1=PINION, gear_2=PINION.mate(39))
    both = {"a": pair.gear_1, "b": pair.gear_2}
    with pytest.raises(ValueError, match="meshes: expected one or more"):
        gears.GearTrain(gears=both, meshes={})
    with pytest.raises(ValueError, match="which is 'b'"):
        gears.GearTrain(gears=both, meshes={"": ("b", "a", pair)})
    with pytest.raises(ValueError, match="gear 'c'"):
        gears.GearTrain(gears=both, meshes={"": ("a", "c", pair)})
    damped = gears.GearPair(gear_1=pair.gear_1, gear_2=pair.gear_2, damping=1.0)
    static = gears.ElasticTeeth(K=1e9, motion="static")
    with pytest.raises(ValueError, match="damping: expected 0 for massless teeth"):
        gears.GearTrain(gears=both, meshes={"": ("a", "b", damped)}, teeth=static).states  # noqa: B018

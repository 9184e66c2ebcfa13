"""The curves of the oracle agree with formulas that need no curves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.oracles.gears import Wheel, impact, overlap, path_of_contact, play_by_thickness, unwound

ONE = Wheel(20, 0.004, math.radians(20.0))
TWO = Wheel(31, 0.004, math.radians(20.0))


def test_the_string_is_as_long_as_the_arc_it_has_left() -> None:
    end = unwound(0.3, 0.7)
    foot = 0.3 * np.array([math.cos(0.7), math.sin(0.7)])
    assert np.linalg.norm(end - foot) == pytest.approx(0.21)
    assert (end - foot) @ foot == pytest.approx(0.0, abs=1e-16)


def test_standard_gears_have_no_play_at_the_sum_of_their_pitch_circles() -> None:
    assert play_by_thickness(ONE, TWO, ONE.r_p + TWO.r_p) == pytest.approx(0.0, abs=1e-16)


def test_flanks_of_standard_gears_touch_at_the_pitch_point() -> None:
    a = ONE.r_p + TWO.r_p
    quarter = [math.pi / 2 / wheel.z for wheel in (ONE, TWO)]
    turns = math.pi / 2 - quarter[0], -math.pi / 2 - quarter[1]
    assert overlap(ONE, TWO, a, *turns) == pytest.approx(0.0, abs=1e-15)
    recess, approach = path_of_contact(ONE, TWO, a)
    chords = [math.sqrt(wheel.r_a**2 - wheel.r_b**2) for wheel in (ONE, TWO)]
    assert recess + approach == pytest.approx(sum(chords) - a * math.sin(ONE.alpha))


def test_a_rigid_impact_is_a_half_sine() -> None:
    """The peak is v √(K m), the duration π √(m/K), with velocities of an elastic impact."""
    peak, duration, v1, v2 = impact((30.0, 55.0), (0.5, 0.0), 6e8)
    m = 30.0 * 55.0 / 85.0
    assert peak == pytest.approx(0.5 * math.sqrt(6e8 * m), rel=1e-5)
    assert duration == pytest.approx(math.pi * math.sqrt(m / 6e8), rel=1e-5)
    assert v1 == pytest.approx(0.5 * (30.0 - 55.0) / 85.0, rel=1e-5)
    assert v2 == pytest.approx(30.0 / 85.0, rel=1e-5)

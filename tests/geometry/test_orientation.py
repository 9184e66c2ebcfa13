"""Closed curves have the body on their left, for either orientation of the input."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import nsmb.geometry as c

TURN = 2 * np.pi
EGG = np.array([[1.0, 0.0], [0.7, 0.6], [0.0, 0.8], [-0.7, 0.5], [-0.9, 0.0], [0.3, -0.7]])
CLOCKWISE = np.vstack([EGG[:1], EGG[:0:-1]])
u = sympy.Symbol("u")


def of_functions(sense: float, hole: bool) -> c.UserCurve:
    """Return an ellipse with half axes 1 and 0.8 around (3, 1), by functions."""
    return c.UserCurve(
        lambda s: (3 + np.cos(s), 1 + 0.8 * sense * np.sin(s)),
        0.5,
        0.5 + TURN,
        lambda s: (-np.sin(s), 0.8 * sense * np.cos(s)),
        lambda s: (-np.cos(s), -0.8 * sense * np.sin(s)),
        closed=True,
        hole=hole,
    )


def of_expressions(sense: float, hole: bool) -> c.UserCurve:
    r = 3 + sympy.cos(u), 1 + 0.8 * sense * sympy.sin(u)
    return c.UserCurve(r, 0.5, 0.5 + TURN, closed=True, hole=hole)


def of_points(sense: float, hole: bool) -> c.Spline:
    return c.Spline((EGG if sense > 0 else CLOCKWISE) + [3.0, 1.0], hole=hole)


@pytest.mark.parametrize("hole", [False, True])
@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("make", [of_functions, of_expressions, of_points])
def test_the_body_is_on_the_left_whichever_way_a_curve_is_given(
    make: Callable[[float, bool], Any], sense: float, hole: bool
) -> None:
    curve = make(sense, hole)
    assert curve.reversed is ((sense < 0) != hole)
    way = "counter-clockwise around a hole" if hole else "clockwise"
    assert curve.note == (f"curve ran {way} and was reversed" if curve.reversed else "")
    begin, end, _ = curve._core.range(0)
    sigma = np.linspace(begin, end, 101)
    place = curve.at(sigma)
    inwards = np.sum(place.n * (np.array([3.0, 1.0]) - place.r), axis=1)
    assert (inwards < 0).all() if hole else (inwards > 0).all()
    # t is dr/ds of the returned curve: differences of second order, (h²/6) |r'''|, h = 1e-4
    change = (curve.at(sigma[1:-1] + 1e-4).r - curve.at(sigma[1:-1] - 1e-4).r) / 2e-4
    exact = place.t[1:-1] * place.speed[1:-1, None]
    np.testing.assert_allclose(change, exact, atol=1e-6)


@pytest.mark.parametrize("make", [of_expressions, of_points])
def test_a_reversed_curve_is_found_where_it_is_and_survives_pickling(make: Any) -> None:
    """The lowest point of a body above the floor: a hole would not touch the floor there."""
    curves = [make(1.0, False), make(-1.0, False)]
    curves.append(pickle.loads(pickle.dumps(curves[1])))
    found = [c.find_contacts(curve, c.Line(), 1.0) for curve in curves]
    for points, curve in zip(found, curves, strict=True):
        lowest = curve.at(np.linspace(*curve._core.range(0)[:2], 20001)).r[:, 1].min()
        # the grid misses the minimum by (h²/8) |y''| < 1e-7
        assert [point.g_N for point in points] == [pytest.approx(lowest, abs=1e-7)]
    assert curves[2].note == curves[1].note != ""


def test_reversed_points_of_a_spline_begin_with_the_first() -> None:
    np.testing.assert_array_equal(c.Spline(CLOCKWISE).through, EGG)
    np.testing.assert_array_equal(c.Spline(EGG, hole=True).through, CLOCKWISE)


def test_open_curves_stay_as_they_are() -> None:
    spline = c.Spline(CLOCKWISE, closed=False)
    assert spline.note == ""
    np.testing.assert_array_equal(spline.through, CLOCKWISE)

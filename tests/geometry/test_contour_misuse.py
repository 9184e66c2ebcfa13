"""Errors of contours: a ValueError that names the points, the edges, the argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import nsmb.geometry as c

u, v = sympy.symbols("u v")
RING = [(np.cos(a), np.sin(a)) for a in 2 * np.pi * np.arange(500) / 500]


def twisted() -> Any:
    """Polygon with two crossing edges far apart: points 100 and 101 are exchanged."""
    points = [*RING]
    points[100] = (0.0, -2.0)
    return points


def line(sigma: float) -> tuple[float, float]:
    return sigma, 0.0


def along(sigma: float) -> tuple[float, float]:
    return 1.0, 0.0


def zero(sigma: float) -> tuple[float, float]:
    return 0.0, 0.0


CASES: dict[str, tuple[Callable[[], object], str]] = {
    "bow tie": (
        lambda: c.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]),
        r"points: expected a boundary that does not cross itself, got edge 0 \(points 0, 1\) "
        r"meeting edge 2 \(points 2, 3\)",
    ),
    "far edges that cross": (
        lambda: c.Polygon(twisted()),
        r"does not cross itself, got edge \d+ \(points \d+, \d+\) meeting edge \d+ \(points",
    ),
    "vertex on another edge": (
        lambda: c.Polygon([(0, 0), (4, 0), (4, 2), (2, 0), (0, 2)]),
        r"edge 0 \(points 0, 1\) meeting edge 2 \(points 2, 3\)",
    ),
    "spike": (
        lambda: c.Polygon([(0, 0), (2, 0), (1, 0), (1, 1)]),
        r"edge 1 \(points 1, 2\), which folds back onto edge 0 \(points 0, 1\)",
    ),
    "all on a line": (
        lambda: c.Polygon([(0, 0), (1, 1), (2, 2)]),
        r"edge 2 .* folds back onto edge 1",
    ),
    "point twice in a row": (
        lambda: c.Polygon([(0, 0), (1, 0), (1, 0), (0, 1)]),
        r"points: expected distinct points, got points\[2\] = \(1, 0\), equal to points\[1\]",
    ),
    "first point repeated": (
        lambda: c.Polygon([(0, 0), (1, 0), (0, 1), (0, 0)]),
        r"got points\[3\] = \(0, 0\), equal to points\[0\]",
    ),
    "polygon of two points": (
        lambda: c.Polygon([(0, 0), (1, 0)]),
        r"points: expected at least 3 points, got 2",
    ),
    "NaN": (
        lambda: c.Polygon([(0, 0), (1, np.nan), (0, 1)]),
        r"points: expected finite numbers, got points\[1\] = \(1, nan\)",
    ),
    "points in space": (
        lambda: c.Polygon(np.zeros((4, 3))),
        r"points: expected shape \(n, 2\), got shape \(4, 3\)",
    ),
    "words": (lambda: c.Polygon("square"), r"points: expected numbers of shape \(n, 2\)"),
    "what to do with a reversal": (
        lambda: c.Polygon(RING, on_reversal="raise"),  # type: ignore[arg-type]
        r"on_reversal: expected 'note' or 'warn', got 'raise'",
    ),
    "polyline of one point": (
        lambda: c.Polyline([(0, 0)]),
        r"points: expected at least 2 points, got 1",
    ),
    "polyline that crosses itself": (
        lambda: c.Polyline([(0, 0), (2, 0), (2, 1), (1, -1)]),
        r"edge 0 \(points 0, 1\) meeting edge 2 \(points 2, 3\)",
    ),
    "segment without length": (
        lambda: c.Segment((1, 1), (1, 1)),
        r"expected distinct points",
    ),
    "line without direction": (
        lambda: c.Line((0, 0), (0, 0)),
        r"direction: expected a vector that is not zero, got zero",
    ),
    "circle without radius": (lambda: c.Circle(0.0), r"radius: expected a number that is not 0"),
    "infinite circle": (lambda: c.Circle(np.inf), r"radius: expected a finite number, got inf"),
    "arc of negative radius": (
        lambda: c.Arc(-1.0, 0.0, 1.0),
        r"radius: expected a number > 0, got -1\.0",
    ),
    "arc around": (
        lambda: c.Arc(1.0, 0.0, 7.0),
        r"end: expected less than a full turn after begin, got 7 rad",
    ),
    "arc of no angle": (lambda: c.Arc(1.0, 1.0, 1.0), r"end: expected a parameter > -1, got -1"),
    "flat ellipse": (lambda: c.Ellipse(1.0, 0.0), r"b: expected a number > 0, got 0"),
    "straight parabola": (lambda: c.Parabola(0.0), r"p_1: expected a number > 0, got 0"),
    "narrow parabola": (lambda: c.Parabola(1.0, half_width=-1.0), r"end: expected a parameter > 1"),
    "spline of two points": (
        lambda: c.Spline([(0, 0), (1, 1)]),
        r"through: expected at least 3 points, got 2",
    ),
    "spline that rests": (
        lambda: c.Spline([(0, 0), (1, 1), (1, 1), (2, 0)]),
        r"through: expected no point twice in a row, got points\[2\] again",
    ),
    "spline with NaN": (
        lambda: c.Spline([(0, 0), (1, 1), (np.nan, 1)]),
        r"through: expected finite numbers, got .* at \[2\]",
    ),
    "two symbols": (
        lambda: c.UserCurve((u, v), 0.0, 1.0),
        r"r: expected two expressions of one symbol, got 2 of u, v",
    ),
    "no derivative": (
        lambda: c.UserCurve(line, 0.0, 1.0),
        r"d1: expected a function of sigma, got None",
    ),
    "curve that stands still": (
        lambda: c.UserCurve(line, 0.0, 1.0, zero, zero),
        r"curve: expected r' that is not zero, got zero at sigma = 0",
    ),
    "curve that does not close": (
        lambda: c.UserCurve(line, 0.0, 1.0, along, zero, closed=True),
        r"curve: expected a closed curve, r\(end\) = r\(begin\), got 1 apart",
    ),
    "curve in space": (
        lambda: c.UserCurve(lambda s: (s, s, s), 0.0, 1.0, along, zero),
        r"r\(sigma\): expected shape \(2,\), got shape \(3,\)",
    ),
    "curve with NaN": (
        lambda: c.UserCurve(lambda s: (s, np.nan), 0.0, 1.0, along, zero),
        r"curve: expected finite r, r', r'', got a value that is not finite at sigma = 0",
    ),
    "piece that is not there": (
        lambda: c.Circle(1.0).at(0.0, piece=1),
        r"piece: expected 0 \.\.\. 0, got 1",
    ),
    "one point to draw": (lambda: c.Circle(1.0).points(1), r"n: expected at least 2 points, got 1"),
    "negative distance": (
        lambda: c.find_contacts(c.Circle(1.0), c.Line(), -1.0),
        r"distance: expected a number >= 0, got -1",
    ),
    "two lines": (
        lambda: c.find_contacts(c.Line(), c.Line((0, 1), (1, 0)), 1.0),
        r"contours: expected curvature or vertices on one of them, got two infinite lines",
    ),
    "two points": (
        lambda: c.find_contacts(c.Point(), c.Point(), 1.0),
        r"contours: expected a curve or an edge on one of them, got two points",
    ),
    "negative skin": (
        lambda: c.find_contacts(c.Circle(1.0), c.Line(), 1.0, skin=-1.0),
        r"skin: expected a number >= 0, got -1",
    ),
    "skin in words": (
        lambda: c.find_contacts(c.Circle(1.0), c.Line(), 1.0, skin="a"),  # type: ignore[arg-type]
        r"skin: expected a number, got 'a'",
    ),
    "skin that is no number": (
        lambda: c.find_contacts(c.Circle(1.0), c.Line(), 1.0, skin=np.nan),
        r"skin: expected a number >= 0, got nan",
    ),
    "half a contact point": (
        lambda: c.find_contacts(c.Circle(1.0), c.Line(), 1.0, limit=1.5),  # type: ignore[arg-type]
        r"limit: expected a whole number >= 0, got 1\.5",
    ),
    "negative limit": (
        lambda: c.find_contacts(c.Circle(1.0), c.Line(), 1.0, limit=-1),
        r"limit: expected a number >= 0, got -1",
    ),
    "no contour": (
        lambda: c.find_contacts(c.Circle(1.0), (0.0, 0.0), 1.0),  # type: ignore[arg-type]
        r"contour_2: expected a contour of nsmb\.geometry, got \(0\.0, 0\.0\)",
    ),
    "open hole": (
        lambda: c.Spline([(0, 0), (1, 1), (2, 0)], closed=False, hole=True),
        r"`hole`: must be False for an open curve, got True",
    ),
    "open hole of one's own": (
        lambda: c.UserCurve(line, 0.0, 1.0, along, zero, hole=True),
        r"`hole`: must be False for an open curve, got True",
    ),
    "pose of two numbers": (
        lambda: c.find_contacts(c.Circle(1.0), c.Line(), 1.0, pose_2=(0.0, 0.0)),
        r"pose_2: expected shape \(3,\), got shape \(2,\)",
    ),
}


@pytest.mark.parametrize("case", list(CASES))
def test_message_names_the_culprit(case: str) -> None:
    call, message = CASES[case]
    with pytest.raises(ValueError, match=message):
        call()

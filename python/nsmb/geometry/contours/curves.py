"""Curves and points as contours, and contact points between two contours."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsmb._core import geometry as _geometry
from nsmb.common.arguments import as_array, as_number
from nsmb.common.expressions import as_expression, python_function
from nsmb.common.extras import import_extra
from nsmb.geometry.contours.base import (
    Array,
    Contour,
    OrientedContour,
    as_points,
    runs_wrong,
)

__all__ = [
    "Arc",
    "Circle",
    "ContactPoint",
    "Ellipse",
    "Line",
    "Parabola",
    "Point",
    "Segment",
    "Spline",
    "UserCurve",
    "find_contacts",
]

_Pair = tuple[float, float]


def _pair(name: str, value: ArrayLike) -> Array:
    return as_array(name, value, (2,))


@dataclass(frozen=True)
class Line(Contour):
    """An infinite straight line, r = point + σ direction, with the body on its left.

    The default is a floor with the body below the x axis. ``direction`` may have any length; σ is
    in m.
    """

    point: _Pair = (0.0, 0.0)
    """A point of the line, m."""
    direction: _Pair = (-1.0, 0.0)
    """Direction of traversal."""

    def _build(self) -> _geometry.Contour:
        return _geometry.line(_pair("point", self.point), _pair("direction", self.direction))


@dataclass(frozen=True)
class Segment(Contour):
    """A straight line from `start` to `end`, with the body on its left; ends can be touched."""

    start: _Pair
    """Start point, m."""
    end: _Pair
    """End point, m."""

    def _build(self) -> _geometry.Contour:
        points = np.array([_pair("start", self.start), _pair("end", self.end)])
        return _geometry.Chain(points, closed=False)

    def points(self, n: int = 200, reach: float = 1.0) -> Array:
        """Return both ends, (2, 2) m."""
        return np.array([self.start, self.end], dtype=np.float64)


@dataclass(frozen=True)
class Circle(Contour):
    """A circle, or a hole if `radius` is negative; σ is the angle, or minus the angle in a hole."""

    radius: float
    """Radius, m; κ = 1/radius."""
    center: _Pair = (0.0, 0.0)
    """Centre, m."""

    def _build(self) -> _geometry.Contour:
        return _geometry.circle(_pair("center", self.center), as_number("radius", self.radius))


@dataclass(frozen=True)
class Arc(Contour):
    """An arc of a circle from the angle `start` to `end`.

    If counter-clockwise (``end > start``), the body is on the side of the centre, and σ is the
    angle. If clockwise, the body is outside, the arc is concave, and σ is minus the angle. Both
    ends can be touched.
    """

    radius: float
    """Radius, m, > 0."""
    start: float
    """Start angle, rad."""
    end: float
    """End angle, rad; less than a full rotation from `start`."""
    center: _Pair = (0.0, 0.0)
    """Centre, m."""

    def _build(self) -> _geometry.Contour:
        radius = as_number("radius", self.radius)
        if not radius > 0.0:
            raise ValueError(f"radius: expected a number > 0, got {radius}")
        start, end = as_array("start", self.start, ()), as_array("end", self.end, ())
        sense = 1.0 if end > start else -1.0
        return _geometry.arc(
            _pair("center", self.center), sense * radius, float(sense * start), float(sense * end)
        )


@dataclass(frozen=True)
class Ellipse(Contour):
    """An ellipse with semi-axes a along x and b along y: r = (a cos σ, b sin σ)."""

    a: float
    """Semi-axis along x, m."""
    b: float
    """Semi-axis along y, m."""
    concave: bool = False
    """True for a hole: the body is outside, and the ellipse is traversed clockwise."""

    def _build(self) -> _geometry.Contour:
        return _geometry.ellipse(as_number("a", self.a), as_number("b", self.b), bool(self.concave))


@dataclass(frozen=True)
class Parabola(Contour):
    """A parabola y = -p_1 x² + p_2 of section 4.6, with the body below it (x = -σ).

    Contact points are searched up to a slope of 1000.
    """

    p_1: float
    """Coefficient, 1/m, > 0."""
    p_2: float = 0.0
    """Height, m."""
    concave: bool = False
    """True if the body is above the parabola (x = σ)."""
    half_width: float = np.inf
    """Half of the width in m; the parabola ends at x = ± half_width."""

    def _build(self) -> _geometry.Contour:
        return _geometry.parabola(
            as_number("p_1", self.p_1),
            as_number("p_2", self.p_2),
            bool(self.concave),
            as_number("half_width", self.half_width),
        )


@dataclass(frozen=True)
class Point(Contour):
    """A point with arbitrary normal, which touches curves and edges, but not vertices."""

    position: _Pair = (0.0, 0.0)
    """Position, m."""

    def _build(self) -> _geometry.Contour:
        return _geometry.point(_pair("position", self.position))


@dataclass(frozen=True, eq=False)
class Spline(OrientedContour):
    """A cubic spline through points, with continuous curvature (SciPy's ``CubicSpline``).

    σ is the length of the chords up to a point. A closed spline runs counter-clockwise around a
    body and clockwise around a hole. Otherwise its points are reversed, starting with the same
    point; `reversed` and `note` report this.

    Raises
    ------
    ValueError
        If there are fewer than three points, a number is not finite, two consecutive points
        coincide, or a hole is open.
    """

    through: ArrayLike
    """Points (n, 2), m, with the body on the left; do not repeat the first point if closed."""
    closed: bool = True
    """True for a periodic spline; an open one ('not-a-knot') has ends that can be touched."""
    hole: bool = False
    """True if the body is outside."""

    def __post_init__(self) -> None:
        points = as_points("through", self.through)
        points.setflags(write=False)
        object.__setattr__(self, "through", points)
        super().__post_init__()

    def _orient(self) -> bool:
        points = np.asarray(self.through)
        if not runs_wrong(self._core, _knots(np.vstack([points, points[:1]])), self.hole):
            return False
        turned = np.vstack([points[:1], points[:0:-1]])
        turned.setflags(write=False)
        object.__setattr__(self, "through", turned)
        return True

    def _build(self) -> _geometry.Contour:
        from scipy import interpolate

        points = as_points("through", self.through)
        if len(points) < 3:
            raise ValueError(f"through: expected at least 3 points, got {len(points)}")
        if not np.isfinite(points).all():
            bad = int(np.argmin(np.isfinite(points).all(axis=1)))
            raise ValueError(f"through: expected finite numbers, got {points[bad]} at [{bad}]")
        if self.closed:
            points = np.vstack([points, points[:1]])
        chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if not chords.all():
            bad = int(np.argmin(chords)) + 1
            raise ValueError(f"through: expected no point twice in a row, got points[{bad}] again")
        knots = _knots(points)
        condition = "periodic" if self.closed else "not-a-knot"
        cubic = interpolate.CubicSpline(knots, points, bc_type=condition)
        c = cubic.c[::-1]  # (4, n, 2), constant first
        return _geometry.spline(knots, c[:, :, 0], c[:, :, 1], bool(self.closed))


def _knots(points: Array) -> Array:
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(chords)])


@dataclass(frozen=True, eq=False)
class UserCurve(OrientedContour):
    """A user-defined curve r(σ) for begin <= σ <= end; slow, since it calls Python.

    It is given by a function and its derivatives, or by two SymPy expressions of one symbol, which
    are differentiated automatically. A closed curve runs counter-clockwise around a body and
    clockwise around a hole. Otherwise it is replaced by r(begin + end - σ); `reversed` and `note`
    report this.

    Raises
    ------
    ValueError
        If text is passed, which is never evaluated, expressions have several symbols, or
        derivatives are missing. Also if values are not finite, r' = 0, a closed curve does not
        close, or a hole is open.
    """

    r: Any
    """Function σ -> (2,) in m, or two SymPy expressions."""
    begin: float
    end: float
    d1: Callable[[float], ArrayLike] | None = None
    """Function r'; None for expressions."""
    d2: Callable[[float], ArrayLike] | None = None
    """Function r''; None for expressions."""
    closed: bool = False
    parts: int = field(default=64)
    """Number of intervals, by rotation, from which the search for contact points subdivides."""
    hole: bool = False
    """True if the body is outside."""

    def _orient(self) -> bool:
        begin, end, _ = self._core.range(0)
        return runs_wrong(self._core, np.linspace(begin, end, self.parts + 1), self.hole)

    def _build(self) -> _geometry.Contour:
        functions = _given(self.r, self.d1, self.d2) if callable(self.r) else _derived(self.r)
        names = ("r(sigma)", "r'(sigma)", "r''(sigma)")
        begin, end = as_number("begin", self.begin), as_number("end", self.end)
        turned = bool(self.__dict__.get("_note"))

        def place(sigma: float) -> tuple[Array, Array, Array]:
            own = begin + end - sigma if turned else sigma
            first, second, third = (
                np.asarray(f(own), dtype=np.float64).reshape(-1) for f in functions
            )
            for name, value in zip(names, (first, second, third), strict=True):
                if value.shape != (2,):
                    raise ValueError(f"{name}: expected shape (2,), got shape {value.shape}")
            return first, -second if turned else second, third

        if self.parts < 4:
            raise ValueError(f"parts: expected at least 4, got {self.parts}")
        return _geometry.user(place, begin, end, bool(self.closed), self.parts)


_Functions = tuple[Callable[[float], Any], Callable[[float], Any], Callable[[float], Any]]


def _given(r: Any, d1: Any, d2: Any) -> _Functions:
    for name, function in (("d1", d1), ("d2", d2)):
        if not callable(function):
            raise ValueError(f"{name}: expected a function of sigma, got {function!r}")
    return r, d1, d2


def _derived(expressions: Any) -> _Functions:
    """Return functions of r, r', r'' from two SymPy expressions."""
    sympy = import_extra("sympy", "symbolic")
    if isinstance(expressions, str) or not isinstance(expressions, Iterable):
        raise ValueError(f"r: expected a function or two expressions, got {expressions!r}")
    r = [as_expression("r", part) for part in expressions]
    symbols = sorted(set().union(*(part.free_symbols for part in r)), key=str) if r else []
    if len(r) != 2 or len(symbols) != 1:
        found = ", ".join(map(str, symbols)) or "none"
        raise ValueError(f"r: expected two expressions of one symbol, got {len(r)} of {found}")
    orders = [[sympy.diff(part, symbols[0], order) for part in r] for order in range(3)]
    first, second, third = (python_function("r", [symbols[0]], parts) for parts in orders)
    return first, second, third


@dataclass(frozen=True)
class ContactPoint:
    """A contact point of (4.21), in the common plane."""

    first: int
    """Feature of contour 1: 2 i is vertex i, 2 i + 1 is piece i."""
    second: int
    """Feature of contour 2."""
    sigma_1: float
    sigma_2: float
    r_1: Array
    """Point on contour 1, shape (2,), in m."""
    r_2: Array
    """Point on contour 2, shape (2,), in m."""
    t_1: Array
    n_1: Array
    """Normal into body 1, shape (2,), with n_2 = -n_1."""
    t_2: Array
    n_2: Array
    kappa_1: float
    """Curvature, 1/m; infinite at a vertex."""
    kappa_2: float
    g_N: float
    """Gap (4.23), m."""
    domain: float
    """Distance of the point from the end of its features, m."""


def find_contacts(
    contour_1: Contour,
    contour_2: Contour,
    distance: float,
    *,
    pose_1: ArrayLike = (0.0, 0.0, 0.0),
    pose_2: ArrayLike = (0.0, 0.0, 0.0),
    skin: float | None = None,
    limit: int | None = None,
) -> tuple[ContactPoint, ...]:
    """Return all contact points of two contours with -skin < g_N <= distance, nearest first.

    Parameters
    ----------
    contour_1, contour_2 : Contour
    distance : float
        Largest gap, m.
    pose_1, pose_2 : array_like (3,)
        Positions x, y (m) and angles (rad) of the frames of the contours.
    skin : float, optional
        Largest penetration in m, less than the thickness of the bodies; by default `distance`.
    limit : int, optional
        Maximum number of contact points, nearest first; by default all.

    Raises
    ------
    ValueError
        If distance, skin or limit is negative, the limit is not a whole number, an argument is not
        a contour, or poses have a wrong shape. Also if the contours can never touch: two infinite
        lines, or two points.
    """
    for name, contour in (("contour_1", contour_1), ("contour_2", contour_2)):
        if not isinstance(contour, Contour):
            raise ValueError(f"{name}: expected a contour of nsmb.geometry, got {contour!r}")
    try:
        count = -1 if limit is None else operator.index(limit)
    except TypeError:
        raise ValueError(f"limit: expected a whole number >= 0, got {limit!r}") from None
    depth = -1.0 if skin is None else as_number("skin", skin)
    _geometry.check_pair(contour_1._core, contour_2._core)
    poses = [as_array(name, p, (3,)) for name, p in (("pose_1", pose_1), ("pose_2", pose_2))]
    for name, given, value in (("skin", skin, depth), ("limit", limit, count)):
        if given is not None and not value >= 0:
            raise ValueError(f"{name}: expected a number >= 0, got {given}")
    found = _geometry.find_candidates(
        contour_1._core,
        poses[0][None],
        contour_2._core,
        poses[1][None],
        as_number("distance", distance),
        depth,
        count,
    )
    names = ContactPoint.__dataclass_fields__
    return tuple(
        ContactPoint(**{name: found[name][i] for name in names}) for i in range(len(found["row"]))
    )

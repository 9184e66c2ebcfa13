"""One contour of every kind with independent formulas, and configurations with known contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from nsmb import geometry

Array = NDArray[np.float64]
Formula = Callable[[Array], Array]


@dataclass(frozen=True)
class Places:
    """n random points on a contour, in its frame."""

    feature: NDArray[np.int64]
    sigma: Array
    r: Array
    angle: Array  # of the tangent
    kappa: Array
    is_straight: NDArray[np.bool_]
    is_behind: NDArray[np.bool_]  # at an end, touched from the side of the body


@dataclass(frozen=True)
class Kind:
    contour: geometry.Contour
    draw: Callable[[np.random.Generator, int], Places]
    outline: Callable[[Array], Array] | None  # parameter in [0, 1] -> (n, 2); None: unbounded
    is_convex: bool = True
    is_slow: bool = False
    knots: Sequence[float] = ()


def smooth(
    r: Formula, d1: Formula, d2: Formula, low: float, high: float, ends: bool
) -> tuple[Callable[[np.random.Generator, int], Places], Formula]:
    """Return points on one smooth piece: its interior, and its ends if it has any."""

    def draw(rng: np.random.Generator, n: int) -> Places:
        sigma = low + (high - low) * rng.uniform(0.02, 0.98, n)
        feature = np.ones(n, dtype=np.int64)
        if ends:
            feature = rng.choice([0, 1, 1, 1, 1, 2], n)
            sigma = np.where(feature == 0, low, np.where(feature == 2, high, sigma))
        place, first, second = r(sigma), d1(sigma), d2(sigma)
        angle = np.arctan2(first[:, 1], first[:, 0])
        # An end is touched from the half plane beyond it.
        turn = rng.uniform(0.02, np.pi - 0.02, n)
        angle = np.where(feature == 0, angle + np.pi + turn, angle)
        angle = np.where(feature == 2, angle + turn, angle)
        kappa = (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / np.linalg.norm(
            first, axis=1
        ) ** 3
        vertex = feature != 1
        return Places(
            feature,
            np.where(vertex, 0.0, sigma),
            place,
            angle,
            np.where(vertex, np.inf, kappa),
            np.zeros(n, dtype=bool),
            vertex & (np.where(feature == 0, np.pi - turn, turn) > np.pi / 2),
        )

    return draw, lambda u: r(low + (high - low) * u)


def chain(points: Array, closed: bool) -> tuple[Callable[[np.random.Generator, int], Places], Any]:
    """Return points on straight edges and at convex corners and ends."""
    n_points = len(points)
    edges = n_points if closed else n_points - 1
    d = np.roll(points, -1, axis=0)[:edges] - points[:edges]
    length = np.linalg.norm(d, axis=1)
    heading = np.arctan2(d[:, 1], d[:, 0])
    corners: dict[int, tuple[float, float]] = {}  # vertex: incoming tangent angle, rotation
    for i in range(n_points):
        if not closed and i in (0, n_points - 1):
            corners[i] = (heading[0] + np.pi if i == 0 else heading[-1], np.pi)
            continue
        turn = (heading[i % edges] - heading[i - 1] + np.pi) % (2 * np.pi) - np.pi
        if turn > 0:
            corners[i] = (heading[i - 1], turn)

    def draw(rng: np.random.Generator, n: int) -> Places:
        on_edge = rng.random(n) < 0.5
        edge = rng.integers(0, edges, n)
        share = rng.uniform(0.02, 0.98, n)
        corner = rng.choice(list(corners), n)
        start, turn = np.array([corners[i] for i in corner]).T
        share_of_turn = rng.uniform(0.02, 0.98, n)
        late = np.where(corner == 0, 1.0 - share_of_turn, share_of_turn) > 0.5
        return Places(
            np.where(on_edge, 2 * edge + 1, 2 * corner),
            np.where(on_edge, share * length[edge], 0.0),
            np.where(on_edge[:, None], points[edge] + share[:, None] * d[edge], points[corner]),
            np.where(on_edge, heading[edge], start + turn * share_of_turn),
            np.where(on_edge, 0.0, np.inf),
            on_edge,
            ~on_edge & (turn == np.pi) & late,
        )

    ends = np.concatenate([[0.0], np.cumsum(length)]) / length.sum()
    ring = np.vstack([points, points[:1]]) if closed else points

    def outline(u: Array) -> Array:
        return np.stack([np.interp(u, ends, ring[:, k]) for k in (0, 1)], axis=-1)

    return draw, outline


def columns(x: Array, y: Array) -> Array:
    return np.stack(np.broadcast_arrays(x, y), axis=-1)


def circle_formulas(R: float, sense: float, center: tuple[float, float]) -> list[Formula]:
    c = np.array(center)
    return [
        lambda s: c + R * columns(np.cos(s), sense * np.sin(s)),
        lambda s: R * columns(-np.sin(s), sense * np.cos(s)),
        lambda s: -R * columns(np.cos(s), sense * np.sin(s)),
    ]


def ellipse_formulas(a: float, b: float) -> list[Formula]:
    return [
        lambda s: columns(a * np.cos(s), b * np.sin(s)),
        lambda s: columns(-a * np.sin(s), b * np.cos(s)),
        lambda s: columns(-a * np.cos(s), -b * np.sin(s)),
    ]


def parabola_formulas(p_1: float, p_2: float, sense: float) -> list[Formula]:
    return [
        lambda s: columns(sense * s, -p_1 * s**2 + p_2),
        lambda s: columns(np.full_like(s, sense), -2 * p_1 * s),
        lambda s: columns(np.zeros_like(s), np.full_like(s, -2 * p_1)),
    ]


def involute_formulas(r_b: float, angle: float, sense: float) -> list[Formula]:
    """Return the thread that leaves a circle of radius r_b, its free length r_b |σ|."""

    def out(s: Array) -> Array:
        return columns(np.cos(angle + sense * s), np.sin(angle + sense * s))

    def across(s: Array) -> Array:
        return columns(-np.sin(angle + sense * s), np.cos(angle + sense * s))

    return [
        lambda s: r_b * (out(s) - sense * s[:, None] * across(s)),
        lambda s: r_b * s[:, None] * out(s),
        lambda s: r_b * (out(s) + sense * s[:, None] * across(s)),
    ]


EGG = np.array(
    [[1.0, 0.0], [0.7, 0.6], [0.0, 0.8], [-0.7, 0.5], [-0.9, 0.0], [-0.5, -0.6], [0.3, -0.7]]
)
WAVE = np.array([[1.5, 0.0], [0.8, 0.2], [0.1, -0.1], [-0.6, 0.25], [-1.4, 0.0]])
HEXAGON = np.array([[1.0, 0.1], [0.4, 0.9], [-0.5, 0.8], [-1.0, 0.0], [-0.4, -0.8], [0.6, -0.7]])
STAR = np.array([[1.0, 0.0], [0.3, 0.3], [0.0, 1.0], [-0.3, 0.2], [-1.0, -0.1], [0.1, -0.6]])
ROD = [(0.8, 0.1), (-0.7, -0.2)]
OPEN = np.array([[1.0, 0.0], [0.5, 0.4], [-0.3, 0.5], [-1.0, 0.1]])


def spline_kind(points: Array, closed: bool) -> Kind:
    through = np.vstack([points, points[:1]]) if closed else points
    knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(through, axis=0), axis=1))])
    s = CubicSpline(knots, through, bc_type="periodic" if closed else "not-a-knot")
    draw, outline = smooth(s, s.derivative(1), s.derivative(2), 0.0, knots[-1], not closed)
    return Kind(geometry.Spline(points, closed), draw, outline, closed, knots=tuple(knots))


@cache
def kinds() -> dict[str, Kind]:
    turn = 2 * np.pi

    def of(contour: geometry.Contour, formulas: list[Formula], low: float, high: float, *,
           ends: bool = False, **flags: Any) -> Kind:  # fmt: skip
        draw, outline = smooth(*formulas, low, high, ends)
        return Kind(contour, draw, outline, **flags)

    zero, side = (0.0, 0.0), (0.1, -0.2)
    egg = ellipse_formulas(1.2, 0.7)
    all_kinds = {
        "circle": of(geometry.Circle(0.8, side), circle_formulas(0.8, 1, side), 0, turn),
        "hole": of(geometry.Circle(-2.5), circle_formulas(2.5, -1, zero), 0, turn, is_convex=False),
        "arc": of(
            geometry.Arc(1.1, -0.4, 1.7), circle_formulas(1.1, 1, zero), -0.4, 1.7, ends=True),
        "concave arc": of(
            geometry.Arc(2.2, 1.7, -0.4),
            circle_formulas(2.2, -1, zero), -1.7, 0.4, ends=True, is_convex=False),
        "ellipse": of(geometry.Ellipse(1.2, 0.7), egg, 0, turn),
        "elliptic hole": of(
            geometry.Ellipse(3.0, 2.2, concave=True), ellipse_formulas(3.0, -2.2), 0, turn,
            is_convex=False),
        "parabola": of(geometry.Parabola(0.9, 0.2), parabola_formulas(0.9, 0.2, -1), -1.5, 1.5),
        "cut parabola": of(
            geometry.Parabola(0.6, 0.1, half_width=1.0), parabola_formulas(0.6, 0.1, -1), -1, 1,
            ends=True),
        "concave parabola": of(
            geometry.Parabola(0.25, 0.3, concave=True), parabola_formulas(0.25, 0.3, 1), -2.0, 2.0,
            is_convex=False),
        "involute": of(
            geometry.Involute(0.6, 0.5, 1.7, 0.3), involute_formulas(0.6, 0.3, 1), 0.5, 1.7,
            ends=True),
        "spline": spline_kind(EGG, True),
        "open spline": spline_kind(WAVE, False),
        "user curve": of(
            geometry.UserCurve(*egg[:1], 0.0, turn, *egg[1:], closed=True), egg, 0, turn,
            is_slow=True),
    }  # fmt: skip
    for name, contour, points, closed, convex in (
        ("segment", geometry.Segment(*ROD), ROD, False, True),
        ("polygon", geometry.Polygon(HEXAGON), HEXAGON, True, True),
        ("star", geometry.Polygon(STAR), STAR, True, False),
        ("polyline", geometry.Polyline(OPEN), OPEN, False, False),
    ):  # fmt: skip
        draw, outline = chain(np.array(points), closed)
        all_kinds[name] = Kind(contour, draw, outline, convex)

    def on_line(rng: np.random.Generator, n: int) -> Places:
        sigma = rng.uniform(-3, 3, n)
        d = np.array([-0.6, 0.8])
        r = np.array([0.1, 0.2]) + sigma[:, None] * d
        angle, zero = np.full(n, np.arctan2(*d[::-1])), np.zeros(n)
        return Places(np.ones(n, np.int64), sigma, r, angle, np.zeros(n), zero < 1, zero > 1)

    def at_point(rng: np.random.Generator, n: int) -> Places:
        angle = rng.uniform(0, turn, n)
        zero, r = np.zeros(n), np.tile([0.3, -0.1], (n, 1))
        return Places(zero.astype(np.int64), zero, r, angle, zero + np.inf, zero > 1, zero > 1)

    all_kinds["line"] = Kind(geometry.Line((0.1, 0.2), (-1.2, 1.6)), on_line, None)
    all_kinds["point"] = Kind(
        geometry.Point((0.3, -0.1)), at_point, lambda u: np.tile([0.3, -0.1], (len(u), 1))
    )
    return all_kinds


@dataclass(frozen=True)
class Scenes:
    """Configurations of two contours with one known root of (4.21) each."""

    poses_1: Array
    poses_2: Array
    places_1: Places
    places_2: Places
    g_N: Array


def take(p: Places, kept: Any) -> Places:
    return Places(*(getattr(p, name)[kept] for name in Places.__dataclass_fields__))


def regularity(kappa_1: Array, kappa_2: Array, g_N: Array) -> Array:
    """Return D of (4.35) over the sum of the absolute curvatures; for a vertex the limit."""
    finite_1, finite_2 = np.isfinite(kappa_1), np.isfinite(kappa_2)
    k_1, k_2 = np.where(finite_1, kappa_1, 0.0), np.where(finite_2, kappa_2, 0.0)
    size = np.abs(k_1) + np.abs(k_2)
    both = (k_1 + k_2 + g_N * k_1 * k_2) / np.where(size > 0, size, 1.0)
    return np.where(finite_1, np.where(finite_2, both, 1 + g_N * k_1), 1 + g_N * k_2)


def scenes(
    a: Kind, b: Kind, n: int, seed: int, depth: float, height: float, *, separate: bool = False
) -> Scenes | None:
    """Return n configurations with -depth < g_N < height, one in five with g_N = 0.

    None means that there is no such pair. `separate`: for convex contours only those that the
    common tangent separates.
    """
    rng = np.random.default_rng(seed)
    for drawn in (4 * n, 40 * n):  # most pairs need few
        p, q = a.draw(rng, drawn), b.draw(rng, drawn)
        g_N = np.where(rng.random(drawn) < 0.2, 0.0, rng.uniform(-depth, height, drawn))
        # Away from (4.35) and from points of inflection, where the contact is not isolated either.
        good = regularity(p.kappa, q.kappa, g_N) > 0.1
        good &= np.maximum(np.abs(p.kappa), np.abs(q.kappa)) > 0.3
        good &= ~(np.isinf(p.kappa) & np.isinf(q.kappa)) & ~(p.is_straight & q.is_straight)
        if separate:
            good &= ~(p.is_behind | q.is_behind)
        kept = np.flatnonzero(good)[:n]
        if len(kept) == n:
            break
    else:
        return None
    p, q, g_N = take(p, kept), take(q, kept), g_N[kept]
    poses_1 = np.column_stack([rng.uniform(-1, 1, (n, 2)), rng.uniform(-np.pi, np.pi, n)])
    angle_1 = p.angle + poses_1[:, 2]
    r_1 = poses_1[:, :2] + rotated(p.r, poses_1[:, 2])
    n_2 = columns(np.sin(angle_1), -np.cos(angle_1))
    phi_2 = angle_1 + np.pi - q.angle
    origin = r_1 + g_N[:, None] * n_2 - rotated(q.r, phi_2)
    return Scenes(poses_1, np.column_stack([origin, phi_2]), p, q, g_N)


def rotated(r: Array, phi: Array) -> Array:
    c, s = np.cos(phi), np.sin(phi)
    return columns(c * r[..., 0] - s * r[..., 1], s * r[..., 0] + c * r[..., 1])

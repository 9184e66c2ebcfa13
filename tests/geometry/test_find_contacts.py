"""The search without a start finds every contact point: known roots, brute force, rigid motions."""

from __future__ import annotations

import itertools
import zlib

import numpy as np
import pytest

from nsmb import geometry
from nsmb._core import geometry as core
from tests.geometry.zoo import Array, Kind, kinds, rotated, scenes

NAMES = list(kinds())
PAIRS = list(itertools.combinations_with_replacement(NAMES, 2))
CONVEX = [name for name, kind in kinds().items() if kind.is_convex and name != "user curve"]


def pair_id(pair: tuple[str, str]) -> str:
    return " - ".join(pair)


def seed(pair: tuple[str, str]) -> int:
    return zlib.crc32(pair_id(pair).encode()) + 1


@pytest.mark.parametrize("pair", PAIRS, ids=pair_id)
def test_known_contact_is_among_the_candidates(pair: tuple[str, str]) -> None:
    """Known contacts are found for concave contours, for penetration, and if not the nearest."""
    a, b = (kinds()[name] for name in pair)
    n = 5 if a.is_slow or b.is_slow else 150
    s = scenes(a, b, n, seed(pair), depth=0.003, height=0.1)
    if s is None:
        return  # pairs listed in test_contact_points
    f = core.find_candidates(a.contour._core, s.poses_1, b.contour._core, s.poses_2, 0.12, 0.02)
    assert (f["domain"] >= 0).all()
    for i in range(n):
        here = f["row"] == i
        here &= (f["first"] == s.places_1.feature[i]) & (f["second"] == s.places_2.feature[i])
        near = np.abs(f["g_N"][here] - s.g_N[i]) < 1e-12
        near &= np.abs(f["sigma_1"][here] - s.places_1.sigma[i]) < 1e-9
        near &= np.abs(f["sigma_2"][here] - s.places_2.sigma[i]) < 1e-9
        assert near.sum() == 1, (i, s.places_1.feature[i], s.places_2.feature[i], s.g_N[i])


def minimum_distance(a: Kind, b: Kind, poses_1: Array, poses_2: Array) -> Array:
    """Return the distance of two curves for all n poses, by a parameter grid and a local search."""
    first, second = a.outline, b.outline
    assert first is not None
    assert second is not None
    n, m = len(poses_1), 25

    def distance(u: Array, v: Array) -> Array:  # (n, k) parameters each
        r_1 = rotated(first(u.ravel()).reshape(*u.shape, 2), poses_1[:, 2:])
        r_2 = rotated(second(v.ravel()).reshape(*v.shape, 2), poses_2[:, 2:])
        d = r_1 + poses_1[:, None, :2] - r_2 - poses_2[:, None, :2]
        return np.hypot(d[..., 0], d[..., 1])

    grid = np.linspace(0.0, 1.0, m)
    r_1 = rotated(first(grid)[None], poses_1[:, 2:]) + poses_1[:, None, :2]
    r_2 = rotated(second(grid)[None], poses_2[:, 2:]) + poses_2[:, None, :2]
    coarse = np.linalg.norm(r_1[:, :, None] - r_2[:, None], axis=-1).reshape(n, -1)
    rows, k = np.arange(n), coarse.argmin(axis=1)
    u, v = grid[k // m], grid[k % m]
    step = np.full(n, 0.5 / (m - 1))
    neighbours = np.array([(0, 0), *(p for p in itertools.product((-1, 0, 1), repeat=2) if any(p))])
    least = np.zeros(n)
    for _ in range(48):
        near_u = np.clip(u[:, None] + step[:, None] * neighbours[:, 0], 0.0, 1.0)
        near_v = np.clip(v[:, None] + step[:, None] * neighbours[:, 1], 0.0, 1.0)
        d = distance(near_u, near_v)
        k = d.argmin(axis=1)
        u, v, least = near_u[rows, k], near_v[rows, k], d[rows, k]
        step[k == 0] *= 0.5
    return least


@pytest.mark.parametrize(
    "pair",
    [
        (x, y)
        for x, y in itertools.combinations_with_replacement(CONVEX, 2)
        if kinds()[x].outline is not None and kinds()[y].outline is not None and {x, y} != {"point"}
    ],
    ids=pair_id,
)
def test_nearest_candidate_is_the_minimum_of_the_distance(pair: tuple[str, str]) -> None:
    """Convex contours apart, against brute force over both parameters, 1,000 poses."""
    a, b = (kinds()[name] for name in pair)
    s = scenes(a, b, 1000, seed(pair), depth=-0.02, height=0.5, separate=True)
    assert s is not None
    f = core.find_candidates(a.contour._core, s.poses_1, b.contour._core, s.poses_2, 0.6, 0.0)
    nearest = np.full(1000, np.inf)
    np.minimum.at(nearest, f["row"], f["g_N"])
    apart = s.g_N > 0.0
    np.testing.assert_allclose(nearest[apart], s.g_N[apart], rtol=0, atol=1e-12)
    brute = minimum_distance(a, b, s.poses_1, s.poses_2)[apart]
    assert (nearest[apart] <= brute + 1e-12).all()
    # The search is slow in the narrow valley between nearly parallel sides. The outline of the
    # unbounded parabola is a part of it.
    assert (np.abs(nearest[apart] - brute) < 1e-4).mean() > 0.9


@pytest.mark.parametrize(
    "pair",
    [("ellipse", "elliptic hole"), ("spline", "star"), ("open spline", "ellipse")],
    ids=pair_id,
)
def test_candidates_move_with_the_bodies(pair: tuple[str, str]) -> None:
    a, b = (kinds()[name] for name in pair)
    s = scenes(a, b, 200, seed(pair), depth=0.01, height=0.2)
    assert s is not None
    f = core.find_candidates(a.contour._core, s.poses_1, b.contour._core, s.poses_2, 0.3, 0.02)
    turn, shift = 0.8, np.array([3.0, -2.0])
    moved = [
        np.column_stack([rotated(p[:, :2], np.full(200, turn)) + shift, p[:, 2] + turn])
        for p in (s.poses_1, s.poses_2)
    ]
    g = core.find_candidates(a.contour._core, moved[0], b.contour._core, moved[1], 0.3, 0.02)
    for name in ("row", "first", "second"):
        np.testing.assert_array_equal(f[name], g[name])
    np.testing.assert_allclose(f["g_N"], g["g_N"], rtol=0, atol=1e-12)
    r = rotated(f["r_1"], np.full(len(f["r_1"]), turn)) + shift
    np.testing.assert_allclose(g["r_1"], r, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    "names", [("ellipse", "polygon"), ("circle", "polygon"), ("spline", "arc")]
)
def test_convex_contours_apart_hand_over_from_feature_to_feature(names: tuple[str, str]) -> None:
    """Edges, vertices and ends partition the positions: always one contact, never two."""
    a, b = (kinds()[name] for name in names)
    s = scenes(a, b, 1000, 9, depth=-0.01, height=1.0, separate=True)
    assert s is not None
    f = core.find_candidates(a.contour._core, s.poses_1, b.contour._core, s.poses_2, 2.0, 0.0)
    count = np.bincount(f["row"], minlength=1000)
    apart = s.g_N > 0.0
    if names[1] == "arc":  # its inner side is no body, and its ends may be near from there
        assert (count[apart] >= 1).all()
    else:
        assert (count[apart] == 1).all()


def test_contact_is_never_between_two_features() -> None:
    """A disc rolls from an edge over a corner to the next, in steps far below the overlap."""
    square = geometry.Polygon([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    disc = geometry.Circle(0.25)
    # Transitions from edge 0 to vertex 1, and from vertex 1 to edge 1; sizes are 0.7 here.
    for corner, before, along in (
        ([1.0, -0.25], 1, [1.0, 0.0]),
        ([1.25, 0.0], 2, [0.0, 1.0]),
    ):
        steps = 1e-10 * np.arange(-30, 31)
        poses = np.zeros((61, 3))
        poses[:, :2] = np.array(corner) + steps[:, None] * np.array(along)
        f = core.find_candidates(square._core, np.zeros((61, 3)), disc._core, poses, 0.1)
        features = [set(f["first"][f["row"] == row]) for row in range(61)]
        assert features[0] == {before}
        assert features[-1] == {before + 1}
        assert all(found and found <= {before, before + 1} for found in features)
        # A feature that is followed lasts longer than a search would return it.
        old = np.full(61, before)
        one = np.ones(61, dtype=int)
        start = core.contact_points(
            square._core, np.zeros((61, 3)), disc._core, poses, old, one, 0.0 * old, 0.0 * old
        )
        kept = start["domain"] >= 0
        assert kept[0]
        assert not kept[-1]
        ended = int(np.argmin(kept))
        assert features[ended] == {before + 1}
        assert features[ended - 1] == {before + 1}


def test_exchanged_contours_have_the_same_contacts() -> None:
    a, b = kinds()["ellipse"], kinds()["star"]
    s = scenes(a, b, 200, 3, depth=0.01, height=0.2)
    assert s is not None
    f = core.find_candidates(a.contour._core, s.poses_1, b.contour._core, s.poses_2, 0.3, 0.02)
    g = core.find_candidates(b.contour._core, s.poses_2, a.contour._core, s.poses_1, 0.3, 0.02)
    assert len(f["row"]) == len(g["row"]) > 200
    np.testing.assert_allclose(np.sort(f["g_N"]), np.sort(g["g_N"]), rtol=0, atol=1e-13)


def test_ellipse_in_a_circular_hole_touches_it_twice() -> None:
    """The contacts are at the two ends of the long axis."""
    hole, ellipse = geometry.Circle(-2.0), geometry.Ellipse(1.5, 0.8)
    found = geometry.find_contacts(hole, ellipse, 0.9)
    assert [round(p.g_N, 12) for p in found] == [0.5, 0.5]
    assert {round(float(p.r_2[0]), 9) for p in found} == {1.5, -1.5}


def test_concentric_circles_are_singular() -> None:
    """(4.35): all directions are equivalent, as for a circle with its own centre of curvature."""
    hole, disc = geometry.Circle(-2.0), geometry.Circle(1.0)
    found = core.contact_points(
        hole._core, np.zeros((1, 3)), disc._core, np.zeros((1, 3)), [1], [1], [0.0], [0.0]
    )
    assert found["status"][0] == int(core.ContactPointStatus.SINGULAR)
    assert found["g_N"][0] == 1.0
    rates = core.contact_rates([1.0, 0.0], -0.5, 1.0, 1.0, [0.0, 0.0], [1.0, 0.0], 0.0, 0.0)
    assert rates["is_singular"]
    assert rates["sdot_1"] == rates["sdot_2"] == 0.0


def test_depth_of_both_radii_is_singular() -> None:
    """A point at the centre of curvature of an ellipse, -g_N = R_1 + R_2 with R_2 = 0 (4.35)."""
    ellipse, point = geometry.Ellipse(2.0, 1.0), geometry.Point()
    # Centre of curvature at (a, 0): a - b²/a.
    pose = np.array([[2.0 - 0.5, 0.0, 0.0]])
    found = core.contact_points(
        ellipse._core, np.zeros((1, 3)), point._core, pose, [1], [0], [0.0], [0.0]
    )
    assert found["status"][0] == int(core.ContactPointStatus.SINGULAR)
    assert found["g_N"][0] == pytest.approx(-0.5, abs=1e-12)


def test_two_straight_lines_have_no_contact_point_but_their_ends_have() -> None:
    floor, rod = geometry.Line(), geometry.Segment((-1.0, 0.0), (1.0, 0.0))
    pose = np.array([[0.3, 0.1, 0.0]])
    flat = core.contact_points(
        floor._core, np.zeros((1, 3)), rod._core, pose, [1], [1], [0.0], [0.0]
    )
    assert flat["status"][0] == int(core.ContactPointStatus.SINGULAR)
    assert flat["g_N"][0] == pytest.approx(0.1, abs=1e-15)
    found = geometry.find_contacts(floor, rod, 0.2, pose_2=pose[0])
    assert [(p.first, p.second) for p in found] == [(1, 0), (1, 2)]
    assert [p.g_N for p in found] == pytest.approx([0.1, 0.1], abs=1e-15)


def test_parabola_on_a_line_is_example_e3() -> None:
    """(4.48)-(4.54) with the numbers of the specification, to the ten given digits."""
    z, phi, x, y, a, p_1, p_2, b = 0.1, 0.2, 0.3, -0.4, 0.7, 1.3, 0.8, 0.5
    line, parabola = geometry.Line((0.0, 0.0), (1.0, a)), geometry.Parabola(p_1, p_2)
    found = geometry.find_contacts(line, parabola, 0.2, pose_1=(z, b, 0.0), pose_2=(x, y, phi))
    assert len(found) == 1
    p = found[0]
    # σ_2 of the book is along +x, here the body is on the left and x = -σ.
    assert -p.sigma_2 == pytest.approx(-0.1674979151, abs=5e-11)
    assert p.kappa_2 == pytest.approx(2.0037406422, abs=5e-11)
    assert p.g_N == pytest.approx(0.0850973666, abs=5e-11)
    turn = 0.9
    v_2 = np.array([-0.2, 0.6]) + turn * np.array([y - p.r_2[1], p.r_2[0] - x])
    rates = core.contact_rates(p.t_1, 0.0, p.kappa_2, p.g_N, [0.3, 0.0], v_2, 0.0, turn)
    assert rates["sdot_2"] == pytest.approx(-0.4491599267, abs=5e-11)


def test_nearest_ones_can_be_asked_for() -> None:
    hexagon, floor = kinds()["polygon"].contour, geometry.Line()
    every = geometry.find_contacts(floor, hexagon, 5.0, pose_2=(0.0, 1.5, 0.0))
    assert len(every) == 6
    assert [p.g_N for p in every] == sorted(p.g_N for p in every)
    some = geometry.find_contacts(floor, hexagon, 5.0, pose_2=(0.0, 1.5, 0.0), limit=2)
    assert [p.second for p in some] == [p.second for p in every[:2]]


@pytest.mark.parametrize("reach", [2e-5, 2e-7])
@pytest.mark.parametrize(
    "curve",
    [
        geometry.Ellipse(0.4, 0.3), geometry.Circle(0.3),
        geometry.Parabola(1.0, 0.5, half_width=1.0),
        # The highest and the outermost of these points are between two samples of the boxes.
        geometry.Arc(0.3, 0.11, 3.0), geometry.Arc(0.3, 1.23, 6.4), geometry.Arc(0.3, 2.9, -0.4),
    ],
)  # fmt: skip
def test_search_of_small_reach_sees_how_far_curves_bulge_over_their_samples(
    curve: geometry.Contour, reach: float
) -> None:
    """Boxes around samples 1.5° apart would end 1e-4 r below the curve."""
    own = curve._core
    begin, end, _ = own.range(0)
    n = 1500
    places = own.at(0, begin + (end - begin) * (np.arange(n) + 0.5) / n)
    outside = places["r"] - 0.5 * reach * places["n"]
    point = geometry.Point((0.0, 0.0))._core
    rest = np.zeros((n, 3))
    found = core.find_candidates(
        own, rest, point, np.column_stack([outside, np.zeros(n)]), reach, reach
    )
    assert found["row"].tolist() == list(range(n))
    np.testing.assert_allclose(found["g_N"], 0.5 * reach, atol=1e-13)

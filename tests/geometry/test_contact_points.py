"""Contact points of all pairs of contours: known roots, gradients of the gap, rates (4.30)."""

from __future__ import annotations

import itertools
import zlib
from functools import cache

import numpy as np
import pytest

from nsmb._core import geometry
from tests.geometry.zoo import Array, Kind, Scenes, kinds, rotated, scenes

N = 1000
NAMES = list(kinds())
FOUND = int(geometry.ContactPointStatus.FOUND)
PAIRS = list(itertools.combinations_with_replacement(NAMES, 2))


def pair_id(pair: tuple[str, str]) -> str:
    return " - ".join(pair)


@cache
def configurations(pair: tuple[str, str]) -> Scenes | None:
    a, b = (kinds()[name] for name in pair)
    n = N if not (a.is_slow or b.is_slow) else 40
    return scenes(a, b, n, zlib.crc32(pair_id(pair).encode()), depth=0.05, height=0.5)


def solve(
    pair: tuple[str, str], s: Scenes, poses_1: Array, poses_2: Array, start: float = 0.0
) -> dict[str, Array]:
    a, b = (kinds()[name] for name in pair)
    return geometry.contact_points(
        a.contour._core,
        poses_1,
        b.contour._core,
        poses_2,
        s.places_1.feature,
        s.places_2.feature,
        s.places_1.sigma + start,
        s.places_2.sigma - start,
    )


def can_touch(pair: tuple[str, str]) -> bool:
    """Return False for two concave curves, a line with itself or a concave curve, two points."""
    flat = {"hole", "elliptic hole", "concave parabola", "line"}
    return not (set(pair) <= flat or set(pair) == {"point"})


POSSIBLE = [pair for pair in PAIRS if can_touch(pair)]


def test_only_pairs_that_cannot_touch_are_left_out() -> None:
    assert [pair for pair in PAIRS if configurations(pair) is not None] == POSSIBLE


@pytest.mark.parametrize("pair", POSSIBLE, ids=pair_id)
def test_root_is_found_from_a_start_nearby(pair: tuple[str, str]) -> None:
    """Contours placed so that (4.21) holds at known points have these points and gap."""
    s = configurations(pair)
    assert s is not None
    found = solve(pair, s, s.poses_1, s.poses_2, start=0.005)
    assert (found["status"] == FOUND).all()
    # Newton's method ends at the rounding of the sizes, some units, amplified by 1/D, here up to
    # 10.
    np.testing.assert_allclose(found["g_N"], s.g_N, rtol=0, atol=1e-13)
    for which, places, poses in (("1", s.places_1, s.poses_1), ("2", s.places_2, s.poses_2)):
        r = poses[:, :2] + rotated(places.r, poses[:, 2])
        np.testing.assert_allclose(found[f"r_{which}"], r, rtol=0, atol=1e-11)
        np.testing.assert_allclose(found[f"kappa_{which}"], places.kappa, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["n_1"], -found["n_2"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["t_1"], -found["t_2"], rtol=0, atol=1e-12)
    assert found["residual"].max() < 1e-12


@pytest.mark.parametrize("pair", POSSIBLE, ids=pair_id)
def test_gap_changes_along_the_normal(pair: tuple[str, str]) -> None:
    """∂g_N/∂r = n_2 and ∂g_N/∂φ = (r_2 - r)ₓ n_2 for body 2, (4.39), by central differences."""
    s = configurations(pair)
    assert s is not None
    here = solve(pair, s, s.poses_1, s.poses_2)
    arm = here["r_2"] - s.poses_2[:, :2]
    n_2 = here["n_2"]
    exact = np.column_stack([n_2, arm[:, 0] * n_2[:, 1] - arm[:, 1] * n_2[:, 0]])
    h = 1e-5
    for k in range(3):
        step = h * np.eye(3)[k]
        g = [solve(pair, s, s.poses_1, s.poses_2 + i * step)["g_N"] for i in (-2, -1, 1, 2)]
        difference = (8 * (g[2] - g[1]) - (g[3] - g[0])) / (12 * h)
        # The error is h⁴ times the fifth derivative, some (κ/D)⁴; at knots of splines it is h².
        np.testing.assert_allclose(difference, exact[:, k], rtol=0, atol=1e-7)


@pytest.mark.parametrize("pair", POSSIBLE, ids=pair_id)
def test_rates_of_the_parameters(pair: tuple[str, str]) -> None:
    """(4.30) against differences of the parameters along a motion of both bodies, to 1e-7."""
    s = configurations(pair)
    assert s is not None
    rng = np.random.default_rng(5)
    n = len(s.g_N)
    u_1, u_2 = rng.uniform(-1, 1, (2, n, 3))
    here = solve(pair, s, s.poses_1, s.poses_2)
    h = 1e-5
    path = [
        solve(pair, s, s.poses_1 + k * h * u_1, s.poses_2 + k * h * u_2) for k in (-2, -1, 1, 2)
    ]
    rates = [rate_of(here, i, s, u_1[i], u_2[i]) for i in range(n)]
    sides = ((1, s.places_1, pair[0]), (2, s.places_2, pair[1]))
    jump = np.zeros(n, dtype=bool)
    for which, places, name in sides:
        sigma = [p[f"sigma_{which}"] for p in path]
        low, high = np.min(sigma, axis=0), np.max(sigma, axis=0)
        jump |= high - low > 1.0  # across the seam of a closed contour
        for knot in kinds()[name].knots:  # jumps of the third derivative
            jump |= (places.feature == 1) & (low - 1e-4 < knot) & (high + 1e-4 > knot)
    assert jump.mean() < 0.03
    for which, places, name in sides:
        sigma = [p[f"sigma_{which}"] for p in path]
        difference = (8 * (sigma[2] - sigma[1]) - (sigma[3] - sigma[0])) / (12 * h)
        difference *= speeds(kinds()[name], places.feature, places.sigma)
        exact = np.array([rate[f"sdot_{which}"] for rate in rates])
        error = np.abs(difference - exact) / (1.0 + np.abs(exact))
        assert error[~jump].max() < 1e-7
    # Third line of (4.29), also where a vertex has κ infinite and ṡ zero.
    turn = u_2[:, 2] - u_1[:, 2]
    normal_turn = [rate["kappa_sdot_1"] - rate["kappa_sdot_2"] for rate in rates]
    np.testing.assert_allclose(normal_turn, turn, rtol=1e-9, atol=1e-9)


def rate_of(here: dict[str, Array], i: int, s: Scenes, u_1: Array, u_2: Array) -> dict[str, float]:
    v = []
    for which, poses, u in (("1", s.poses_1, u_1), ("2", s.poses_2, u_2)):
        x, y = here[f"r_{which}"][i] - poses[i, :2]
        v.append([u[0] - u[2] * y, u[1] + u[2] * x])
    return geometry.contact_rates(
        here["t_1"][i], here["kappa_1"][i], here["kappa_2"][i], here["g_N"][i], *v, u_1[2], u_2[2]
    )


def speeds(kind: Kind, feature: Array, sigma: Array) -> Array:
    """Return |r'| at points on pieces; straight ones are parametrised by length."""
    core = kind.contour._core
    if core.pieces != 1:
        return np.ones(len(sigma))
    return np.where(feature % 2 == 1, core.at(0, sigma)["speed"], 1.0)

"""Contacts of contours on moving bodies against positions and differences: (4.23), (4.38)-(4.46).

Both bodies move in the plane, and their joints in addition as prescribed in time. Configurations
with a known contact point come from the tests of the geometry.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

import nsmb
from nsmb import joints
from nsmb._core import geometry
from nsmb.multibody.assembly import Assembly
from tests.geometry.zoo import Scenes, columns, kinds, rotated, scenes

Array = NDArray[np.float64]
N = 1000
SLOW = 40  # contours that call Python
OFFSETS = (((0.1, -0.2), 0.4), ((-0.05, 0.3), -1.1))  # positions of the contours on their bodies
DRIVES = [Polynomial(c) for c in np.random.default_rng(2).uniform(-1, 1, (6, 4))]
# Central differences of order 6; errors fall with h^6 down to 1e-10, near (4.35) from 1e-2 at 1e-3.
STENCIL = ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60), (-1, -45 / 60), (-2, 9 / 60), (-3, -1 / 60))
H = 1.5e-5
PAIRS = [(a, b) for a in kinds() for b in kinds()]


@cache
def core(pair: tuple[str, str]) -> Any:
    m = nsmb.Model()
    sides = []
    for k, name in enumerate(pair):
        body = m.add_body(f"body_{k}", mass=1.0, inertia=0.1)
        m.add_joint(f"place_{k}", joints.Planar(), m.ground, body)
        for c, s in zip(("x", "y", "phi"), DRIVES[3 * k : 3 * k + 3], strict=True):
            m.drive(f"place_{k}.{c}", s, locked=False)
        sides.append(body.contour("edge", kinds()[name].contour, *OFFSETS[k]))
    m.add_contact(*sides, name="touch", points=2, search_distance=0.1, skin=0.1)
    return Assembly(m._records).core


def states(s: Scenes, n: int) -> tuple[Array, Array, Array]:
    """Draw times, coordinates and velocities at which the contours have these poses."""
    rng = np.random.default_rng(7)
    t, u = rng.uniform(0, 1, n), rng.uniform(-1, 1, (n, 6))
    parts = []
    for poses, (at, turn) in zip((s.poses_1, s.poses_2), OFFSETS, strict=True):
        phi = poses[:, 2] - turn
        parts.append(np.column_stack([poses[:, :2] - rotated(np.array(at), phi), phi]))
    return t, np.hstack(parts) - np.column_stack([drive(t) for drive in DRIVES]), u


def follow(pair: tuple[str, str], s: Scenes, t: Array, q: Array, u: Array) -> dict[str, Array]:
    p_1, p_2 = s.places_1, s.places_2
    return core(pair).follow_contact(  # type: ignore[no-any-return]
        0, t, q, u, p_1.feature, p_2.feature, p_1.sigma, p_2.sigma
    )


def material_velocities(s: Scenes, t: Array, u: Array) -> Array:
    """Return v_C1 - v_C2 of the body-fixed contact points, from their positions alone."""
    speeds = u + np.column_stack([drive.deriv()(t) for drive in DRIVES])
    v = []
    for k, (poses, places) in enumerate(((s.poses_1, s.places_1), (s.poses_2, s.places_2))):
        at, turn = OFFSETS[k]
        phi = poses[:, 2] - turn
        arm = rotated(np.array(at), phi) + rotated(places.r, poses[:, 2])
        shift, omega = speeds[:, 3 * k : 3 * k + 2], speeds[:, 3 * k + 2]
        v.append(shift + omega[:, None] * columns(-arm[:, 1], arm[:, 0]))
    return v[0] - v[1]


def near_knots(pair: tuple[str, str], s: Scenes) -> NDArray[np.bool_]:
    """Return True near a knot of a spline, where its third derivative jumps."""
    near = np.zeros(len(s.g_N), dtype=bool)
    for name, places in zip(pair, (s.places_1, s.places_2), strict=True):
        for knot in kinds()[name].knots:
            near |= (places.feature == 1) & (np.abs(places.sigma - knot) < 0.01)
    return near


@pytest.mark.parametrize("pair", PAIRS, ids=" - ".join)
def test_contact_kinematics_are_derivatives(pair: tuple[str, str]) -> None:
    a, b = (kinds()[name] for name in pair)
    n = SLOW if a.is_slow or b.is_slow else N
    s = scenes(a, b, n, zlib.crc32("-".join(pair).encode()), depth=0.05, height=0.5)
    if s is None:  # points, straight lines without ends, or both concave
        assert geometry.find_candidates(
            a.contour._core, np.zeros((1, 3)), b.contour._core, np.zeros((1, 3)), 1.0
        )["row"].size == 0 or not (a.is_convex or b.is_convex)
        return
    t, q, u = states(s, n)
    here = follow(pair, s, t, q, u)
    assert (s.g_N > 0).any()
    assert (s.g_N == 0).any()
    np.testing.assert_allclose(here["g_N"], s.g_N, rtol=0, atol=1e-12)

    angle = s.places_1.angle + s.poses_1[:, 2]
    t_1, n_1 = columns(np.cos(angle), np.sin(angle)), columns(-np.sin(angle), np.cos(angle))
    v = material_velocities(s, t, u)
    exact = columns((n_1 * v).sum(axis=1), (t_1 * v).sum(axis=1))  # (4.38)
    np.testing.assert_allclose(here["gamma"], exact, rtol=0, atol=1e-10)

    g_rate, gamma_rate = np.zeros(n), np.zeros((n, 2))
    for k, weight in STENCIL:
        there = follow(pair, s, t + k * H, q + k * H * u, u)
        g_rate += weight / H * there["g_N"]
        gamma_rate += weight / H * there["gamma"]
    smooth = ~near_knots(pair, s)
    assert smooth.mean() > 0.9
    error = np.abs(g_rate - here["gamma"][:, 0]) / (1.0 + np.abs(g_rate))
    assert error[smooth].max() < 1e-7
    error = np.abs(gamma_rate - here["w_bar"]) / (1.0 + np.abs(gamma_rate))
    assert error[smooth].max() < 1e-7

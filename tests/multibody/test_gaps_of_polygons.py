"""Gaps of non-convex polygons, at states without a history, against elementary geometry."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from nsmb.instant.contact_equations import contact_equations

Array = NDArray[np.float64]


def star(rng: np.random.Generator) -> Array:
    """Polygon about its origin with reflex corners and thin arms."""
    n = int(rng.integers(5, 12))
    angles = np.sort(rng.random(n)) * 2.0 * np.pi
    gaps = np.diff(np.append(angles, angles[0] + 2.0 * np.pi))
    if gaps.min() < 0.15 or gaps.max() > 2.5:
        return star(rng)
    radii = np.where(rng.random(n) < 0.5, rng.uniform(0.15, 0.4, n), rng.uniform(0.6, 1.0, n))
    return radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def moved(points: Array, pose: Array) -> Array:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return points @ np.array([[c, s], [-s, c]]) + pose[:2]


def two(first: Array, second: Array) -> nsmb.MultibodySystem:
    m = nsmb.Model()
    outlines = []
    for name, points in (("a", first), ("b", second)):
        body = m.add_body(name, mass=1.0, inertia=1.0)
        m.add_joint(f"j{name}", joints.Planar(), m.ground, body)
        outlines.append(body.contour("outline", geometry.Polygon(points)))
    m.add_contact(*outlines, nsmb.ContactLaw(), "pair", search_distance=0.5)
    return m.build({"ja": [0.0, 0.0, 0.0], "jb": [5.0, 0.0, 0.0]})


def nearest_foot(first: Array, second: Array) -> tuple[float, bool]:
    """Return the distance of two separate outlines.

    Also return True if it is from a corner to the interior of an edge.
    """
    best, inside = np.inf, False
    for corners, outline in ((first, second), (second, first)):
        start = outline
        edge = np.roll(outline, -1, axis=0) - outline
        length = np.linalg.norm(edge, axis=1)
        along = np.einsum("pek,ek->pe", corners[:, None] - start[None], edge) / length
        foot = np.clip(along, 0.0, length)
        place = start[None] + (foot / length)[:, :, None] * edge[None]
        d = np.linalg.norm(corners[:, None] - place, axis=2)
        k = np.unravel_index(np.argmin(d), d.shape)
        if d[k] < best:
            best = float(d[k])
            inside = bool(1e-3 < along[k] < length[k[1]] - 1e-3)
    return best, inside


@pytest.mark.parametrize("seed", range(12))
def test_gaps_are_distances_and_none_is_negative_where_bodies_are_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = star(rng), star(rng)
    system = two(first, second)
    apart = met = 0
    for _ in range(60):
        q = np.concatenate([rng.uniform(-0.2, 0.2, 2), rng.uniform(-4, 4, 1),
                            rng.uniform(-1.6, 1.6, 2), rng.uniform(-4, 4, 1)])  # fmt: skip
        a, b = moved(first, q[:3]), moved(second, q[3:])
        if shapely.Polygon(a).intersects(shapely.Polygon(b)):
            continue
        apart += 1
        distance, is_foot = nearest_foot(a, b)
        g_N = system.contact_quantities(0.0, q, np.zeros(6))["g_N"]
        assert g_N.min() > distance - 1e-9
        if is_foot and distance < 0.3:
            met += 1
            assert g_N.min() == pytest.approx(distance, abs=1e-9)
    assert apart > 5
    assert met > 0


def test_a_notch_wider_than_the_body_shows_no_penetration() -> None:
    """A box in the mouth of a U is behind the outer sides of its arms, but outside the arms."""
    u = np.array([(-0.5, 0), (0.5, 0), (0.5, 1), (0.48, 1), (0.48, 0.1), (-0.48, 0.1), (-0.48, 1),
                  (-0.5, 1)])  # fmt: skip
    box = 0.1 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    system = two(u, box)
    for x in np.linspace(-0.37, 0.37, 30):
        q = np.array([0.0, 0.0, 0.0, x, 0.5, 0.0])
        g_N = system.contact_quantities(0.0, q, np.zeros(6))["g_N"]
        assert g_N.min() == pytest.approx(min(0.38 - abs(x), 0.3), abs=1e-12)
        closed = contact_equations(system, 0.0, q, np.zeros(6), None, 1e-9, 1e-11)
        assert closed.I_S.size == 0

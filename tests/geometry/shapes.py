"""Random polygons, and the search for their contacts by formulas over all vertices and edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def star_polygon(rng: np.random.Generator, n: int, roughness: float) -> Array:
    """Return a counter-clockwise polygon that is star-shaped about the origin.

    It is concave when rough.
    """
    angle = 2 * np.pi * (np.arange(n) + rng.uniform(-0.3, 0.3, n)) / n
    radius = 1.0 + roughness * rng.uniform(-1, 1, n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def convex_polygon(rng: np.random.Generator, n: int) -> Array:
    """Return points of an ellipse."""
    angle = np.sort(2 * np.pi * (np.arange(n) + rng.uniform(-0.4, 0.4, n)) / n)
    return np.column_stack([rng.uniform(0.5, 1.5) * np.cos(angle), np.sin(angle)])


def placed(points: Array, pose: Array) -> Array:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return points @ np.array([[c, s], [-s, c]]) + pose[:2]


@dataclass(frozen=True)
class Pairs:
    """Vertices `vertex` near edges `edge`, with the gaps g_N."""

    vertex: NDArray[np.int64]
    edge: NDArray[np.int64]
    g_N: Array


def turn_of(before: Array, after: Array) -> Array:
    cross = before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0]
    return np.arctan2(cross, (before * after).sum(axis=-1))


def all_pairs(tips: Array, edges: Array, distance: float, skin: float) -> Pairs:
    """Return convex vertices of one closed polygon against the edges of another, in the same frame.

    Outside, the foot is on the edge. Behind the edge, (33)-(36) hold with angles, as printed. At
    concave corners, both neighbours have a margin of 1e-6 of the diagonal of the box of the
    polygon.
    """
    before = tips - np.roll(tips, 1, axis=0)
    after = np.roll(tips, -1, axis=0) - tips
    convex = turn_of(before, after) > 0
    A, B = edges, np.roll(edges, -1, axis=0)
    AB = B - A
    length = np.linalg.norm(AB, axis=1)
    phi_A = np.pi - turn_of(np.roll(AB, 1, axis=0), AB)  # interior angles
    phi_B = np.roll(phi_A, -1)
    AC = tips[:, None] - A[None]
    BC = tips[:, None] - B[None]
    area = AB[:, 0] * AC[..., 1] - AB[:, 1] * AC[..., 0]
    along = (AB * AC).sum(axis=-1)
    g_N = -area / length
    foot = along / length
    angle_A = np.arctan2(area, along)
    angle_B = np.arctan2(area, -(AB * BC).sum(axis=-1))
    outside = (g_N > 0) & (g_N <= distance) & (foot >= 0) & (foot <= length)
    behind = (g_N <= 0) & (-g_N < skin)
    overlap = 1e-6 * np.linalg.norm(np.ptp(edges, axis=0))
    near_A = (phi_A > np.pi) & (foot >= -overlap) & (foot <= length)
    near_B = (phi_B > np.pi) & (foot <= length + overlap) & (foot >= 0)
    by_bisectors = (angle_A <= phi_A / 2) & (angle_B < phi_B / 2)
    by_corners = ((angle_A <= phi_A / 2) | near_A) & ((angle_B < phi_B / 2) | near_B)
    outward = np.column_stack([AB[:, 1], -AB[:, 0]])
    chord = after / np.linalg.norm(after, axis=1)[:, None]
    chord = chord - before / np.linalg.norm(before, axis=1)[:, None]
    comes_in = chord @ outward.T >= 0
    outside |= (
        (g_N > 0)
        & (g_N <= distance)
        & (((phi_A > np.pi) & (foot < 0) & (foot >= -overlap))
           | ((phi_B > np.pi) & (foot > length) & (foot <= length + overlap)))
    )  # fmt: skip
    found = convex[:, None] & (outside | (behind & (by_bisectors | by_corners) & comes_in))
    vertex, edge = np.nonzero(found)
    return Pairs(vertex, edge, g_N[vertex, edge])

"""Random triangle surfaces under spheres and capsules: gaps, invariance, identities of contacts.

Gaps are compared with all triangles. Seeds determine rows of shapes and poses, so that none is on a
border of two features.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import nsmb.geometry as s
from nsmb._core import geometry
from tests.geometry.mesh_zoo import potato, torus
from tests.geometry.solid_zoo import Floats, least_gap, pose, turned
from tests.support.draws import numbers

KINDS = ("potato", "torus", "field")
POSES = 20  # per example
SEEDS = st.integers(0, 2**32 - 1)
LENGTHS = numbers(0.02, 0.5)
quick = settings(max_examples=12, deadline=None, derandomize=True, database=None)


@dataclass(frozen=True)
class Surface:
    shape: geometry.Shape
    triangles: Floats  # (n, 3, 3) m
    is_closed: bool


def surface_of(kind: str, rng: np.random.Generator) -> Surface:
    if kind == "field":
        heights = 0.15 * rng.normal(size=(int(rng.integers(4, 9)), int(rng.integers(4, 9))))
        spacing = tuple(rng.uniform(0.2, 0.4, 2).tolist())
        field = s.HeightField(heights, spacing, origin=(-0.8, -0.8, 0.1))
        vertices, faces = field.mesh()
        return Surface(field._core, vertices[faces], False)
    if kind == "potato":
        vertices, faces = potato(1, int(rng.integers(2**31)), float(rng.uniform(0.0, 0.3)))
    else:
        vertices, faces = torus(1.0, float(rng.uniform(0.2, 0.6)), int(rng.integers(4, 8)))
    return Surface(geometry.triangle_mesh(vertices, faces), vertices[faces], True)


def dot(a: Floats, b: Floats) -> Floats:
    return np.asarray((a * b).sum(axis=-1))


def between_segments(p: Floats, d: Floats, q: Floats, e: Floats) -> Floats:
    """Return distances of segments p + s d and q + t e, s and t in [0, 1].

    The minimum is in the interior of both, or at an end.
    """
    r = p - q
    a, b, c, f, g = dot(d, d), dot(d, e), dot(e, e), dot(d, r), dot(e, r)
    area = a * c - b * b
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v = (b * g - c * f) / area, (a * g - b * f) / area
        inside = (u >= 0.0) & (u <= 1.0) & (v >= 0.0) & (v <= 1.0)
        cross = np.abs(dot(np.cross(d, e), r)) / np.sqrt(area)
    found = np.where(inside, cross, np.inf)
    for s_end in (0.0, 1.0):
        t = np.clip((g + s_end * b) / c, 0.0, 1.0)
        found = np.fmin(found, np.linalg.norm(r + s_end * d - t[..., None] * e, axis=-1))
    for t_end in (0.0, 1.0):
        t = np.clip((t_end * b - f) / np.where(a > 0.0, a, 1.0), 0.0, 1.0)
        found = np.fmin(found, np.linalg.norm(r + t[..., None] * d - t_end * e, axis=-1))
    return np.asarray(found)


def heights_and_feet(x: Floats, triangles: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return heights over all triangle planes, (k, n), and True where the foot is inside."""
    a, b, c = triangles.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    height = dot(x[:, None] - a, normal)
    on_it = np.ones(height.shape, dtype=bool)
    for p, q in ((a, b), (b, c), (c, a)):
        on_it &= dot(np.cross(normal, q - p), x[:, None] - p) >= 0.0
    return height, on_it


def distances(x: Floats, y: Floats, triangles: Floats) -> Floats:
    """Return distances (k, n) of segments from x to y, or of points if these are the same object.

    No segment crosses a triangle.
    """
    height, on_it = heights_and_feet(x, triangles)
    found = np.where(on_it, np.abs(height), np.inf)
    if x is not y:
        height, on_it = heights_and_feet(y, triangles)
        found = np.fmin(found, np.where(on_it, np.abs(height), np.inf))
    for k in range(3):
        p = triangles[:, k]
        e = triangles[:, (k + 1) % 3] - p
        found = np.fmin(found, between_segments(x[:, None], (y - x)[:, None], p, e))
    return found


def crossings(x: Floats, y: Floats, triangles: Floats) -> NDArray[np.int64]:
    """Return the number of triangles that each segment from x to y crosses, (k,)."""
    a, b, c = triangles.transpose(1, 0, 2)
    d = (y - x)[:, None]

    def volume(p: Floats, q: Floats) -> Floats:
        return dot(d, np.cross(p - x[:, None], q - x[:, None]))

    sides = np.stack([volume(a, b), volume(b, c), volume(c, a)])
    ends = [heights_and_feet(end, triangles)[0] for end in (x, y)]
    through = ((sides > 0.0).all(axis=0) | (sides < 0.0).all(axis=0)) & (ends[0] * ends[1] < 0.0)
    return np.asarray(through.sum(axis=1))


def is_outside(x: Floats, surface: Surface) -> NDArray[np.bool_]:
    """Return True outside, by the crossings of a ray from far away.

    For open surfaces, True over them, not beyond their border.
    """
    far = x + (np.array([0.31, 0.17, 10.0]) if surface.is_closed else (0.0, 0.0, -10.0))
    count = crossings(x, far, surface.triangles)
    return np.asarray(count % 2 == 0 if surface.is_closed else count == 1)


def places_over(surface: Surface, height: float, n: int, rng: np.random.Generator) -> Floats:
    """Return points beside random points of the surface, up to some heights away from it."""
    some = surface.triangles[rng.integers(len(surface.triangles), size=n)]
    foot = np.einsum("ij,ijk->ik", rng.dirichlet(np.ones(3), n), some)
    return np.asarray(foot + height * rng.uniform(0.0, 2.0, (n, 1)) * rng.normal(size=(n, 3)))


def along(axis: Floats) -> Floats:
    """Return axes (k, 3, 3) of bodies whose third axis is given."""
    side = np.cross(axis, np.roll(axis, 1, axis=1) + np.array([0.1, 0.2, 0.3]))
    side /= np.linalg.norm(side, axis=1)[:, None]
    return np.stack([side, np.cross(axis, side), axis], axis=-1)


@pytest.mark.parametrize("kind", KINDS)
@quick
@given(seed=SEEDS, radius=LENGTHS, height=LENGTHS)
def test_gap_of_a_sphere_is_the_least_of_all_triangles(
    kind: str, seed: int, radius: float, height: float
) -> None:
    """Outside, and behind the surface by less than the radius where a facet is nearest."""
    rng = np.random.default_rng(seed)
    surface = surface_of(kind, rng)
    x = places_over(surface, min(height, radius), POSES, rng)
    n = len(x)
    found = geometry.shape_contacts(
        surface.shape, np.tile(pose(), (n, 1)), geometry.sphere(radius),
        np.hstack([x, np.tile(np.eye(3).ravel(), (n, 1))]), 10.0,
    )  # fmt: skip
    gap = least_gap(found, n)
    distance = distances(x, x, surface.triangles).min(axis=1)
    outside = is_outside(x, surface)
    np.testing.assert_allclose((gap + radius)[outside], distance[outside], rtol=0.0, atol=1e-13)
    if surface.is_closed:
        height_over, on_it = heights_and_feet(x, surface.triangles)
        facet = np.where(on_it, np.abs(height_over), np.inf).min(axis=1)
        shallow = ~outside & (facet <= distance + 1e-14) & (distance < 0.9 * radius)
        np.testing.assert_allclose(
            (gap + radius)[shallow], -distance[shallow], rtol=0.0, atol=1e-13
        )


@pytest.mark.parametrize("kind", KINDS)
@quick
@given(seed=SEEDS, radius=LENGTHS, length=LENGTHS)
@example(seed=171, radius=0.5, length=0.5)  # nearest to a corner of the border, below one facet
def test_gap_of_a_capsule_is_the_least_of_all_triangles(
    kind: str, seed: int, radius: float, length: float
) -> None:
    """The reference is the distance of the axis, which is outside, to faces, edges and corners."""
    rng = np.random.default_rng(seed)
    surface = surface_of(kind, rng)
    middle = places_over(surface, radius + 0.5 * length, POSES, rng)
    axis = rng.normal(size=middle.shape)
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    x, y = middle - 0.5 * length * axis, middle + 0.5 * length * axis
    fits = is_outside(x, surface) & is_outside(y, surface)
    fits &= crossings(x, y, surface.triangles) == 0
    assume(fits.any())
    q = np.hstack([middle, along(axis).reshape(-1, 9)])[fits]
    n = len(q)
    found = geometry.shape_contacts(
        surface.shape, np.tile(pose(), (n, 1)), geometry.capsule(radius, length), q, 10.0
    )
    distance = distances(x[fits], y[fits], surface.triangles).min(axis=1)
    np.testing.assert_allclose(least_gap(found, n) + radius, distance, rtol=0.0, atol=1e-12)


def body_of(kind: str, radius: float) -> geometry.Shape:
    return geometry.sphere(radius) if kind == "sphere" else geometry.capsule(radius, 3.0 * radius)


def rows_of(found: dict[str, NDArray[np.generic]]) -> NDArray[np.intp]:
    """Return the order of contacts by their identities."""
    return np.lexsort((found["feature_2"], found["feature_1"], found["row"]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", ["sphere", "capsule"])
@quick
@given(seed=SEEDS, radius=LENGTHS)
def test_what_moves_both_moves_their_contacts(
    kind: str, body: str, seed: int, radius: float
) -> None:
    rng = np.random.default_rng(seed)
    surface, shape = surface_of(kind, rng), body_of(body, radius)
    axes = Rotation.random(POSES, random_state=rng).as_matrix().reshape(POSES, 9)
    q = np.hstack([places_over(surface, radius, POSES, rng), axes])
    p = np.tile(pose(), (POSES, 1))
    r, A = rng.normal(size=3), Rotation.random(random_state=rng).as_matrix()
    found = geometry.shape_contacts(surface.shape, p, shape, q, radius)
    moved = geometry.shape_contacts(surface.shape, turned(p, r, A), shape, turned(q, r, A), radius)
    i, j = rows_of(found), rows_of(moved)
    for key in ("row", "feature_1", "feature_2"):
        assert np.array_equal(found[key][i], moved[key][j])
    np.testing.assert_allclose(found["g_N"][i], moved["g_N"][j], rtol=0.0, atol=1e-13)
    for key in ("r_1", "r_2"):
        np.testing.assert_allclose(found[key][i] @ A.T + r, moved[key][j], rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(found["normal"][i] @ A.T, moved["normal"][j], rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", ["sphere", "capsule"])
@quick
@given(seed=SEEDS, radius=LENGTHS)
def test_contacts_keep_their_names_when_the_pair_moves_a_little(
    kind: str, body: str, seed: int, radius: float
) -> None:
    """The motion is 1e-10 of the radius in position, and as small in direction.

    Gaps change by a small multiple of it.
    """
    rng = np.random.default_rng(seed)
    surface, shape = surface_of(kind, rng), body_of(body, radius)
    turn = Rotation.random(POSES, random_state=rng)
    little = Rotation.from_rotvec(1e-10 * rng.normal(size=(POSES, 3)))
    places = places_over(surface, radius, POSES, rng)
    q = np.hstack([places, turn.as_matrix().reshape(POSES, 9)])
    shift = places + 1e-10 * radius * rng.normal(size=places.shape)
    near = np.hstack([shift, (little * turn).as_matrix().reshape(POSES, 9)])
    p = np.tile(pose(), (POSES, 1))
    found = geometry.shape_contacts(surface.shape, p, shape, q, radius)
    again = geometry.shape_contacts(surface.shape, p, shape, near, radius)
    i, j = rows_of(found), rows_of(again)
    for key in ("row", "feature_1", "feature_2"):
        assert np.array_equal(found[key][i], again[key][j])
    # The ends of a capsule are two and a half radii away from its middle.
    assert np.abs(found["g_N"][i] - again["g_N"][j]).max(initial=0.0) < 2e-9 * radius

"""Shapes in space from Python: volumes, mass properties, faces of hulls, misuse."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import nsmb.geometry as s

CUBE = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)]


def monte_carlo(inside: Any, half: tuple[float, float, float]) -> tuple[float, Any]:
    """Return volume and ∫ x xᵀ dV by a lattice of midpoints, accurate to about 1e-3."""
    axes = [(np.arange(160) + 0.5) / 80.0 - 1.0 for _ in range(3)]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3) * half
    x = x[inside(x)]
    cell = np.prod(2.0 * np.array(half)) / 160**3
    return cell * len(x), cell * x.T @ x


def in_sphere(x: Any) -> Any:
    return (x**2).sum(axis=1) < 0.5**2


def in_cylinder(x: Any) -> Any:
    return (np.hypot(x[:, 0], x[:, 1]) < 0.5) & (np.abs(x[:, 2]) < 0.4)


def in_capsule(x: Any) -> Any:
    core = np.clip(x[:, 2], -0.4, 0.4)
    return x[:, 0] ** 2 + x[:, 1] ** 2 + (x[:, 2] - core) ** 2 < 0.5**2


@pytest.mark.parametrize(
    ("shape", "inside", "height"),
    [
        (s.Sphere(0.5), in_sphere, 0.5),
        (s.Cylinder(0.5, 0.8), in_cylinder, 0.4),
        (s.Capsule(0.5, 0.8), in_capsule, 0.9),
    ],
)
def test_mass_properties_are_the_integrals(shape: s.Shape, inside: Any, height: float) -> None:
    volume, second = monte_carlo(inside, (0.5, 0.5, height))
    properties = shape.mass_properties(density=2.0)
    assert shape.volume == pytest.approx(volume, rel=2e-3)
    assert properties.mass == pytest.approx(2.0 * shape.volume, rel=1e-15)
    inertia = 2.0 * (np.trace(second) * np.eye(3) - second)
    assert np.abs(properties.inertia - inertia).max() < 3e-3 * properties.inertia.max()
    assert not properties.center.any()


@pytest.mark.parametrize("shape", [s.Box((1.0, 2.0, 3.0)), s.ConvexHull(CUBE)])
def test_a_box_has_the_inertia_of_the_book(shape: s.Shape) -> None:
    properties = shape.mass_properties(density=0.5)
    assert properties.mass == pytest.approx(3.0, rel=1e-15)
    expected = np.diag([4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0]) * 3.0 / 12.0
    assert np.abs(properties.inertia - expected).max() < 1e-14
    center = (0.5, 1.0, 1.5) if isinstance(shape, s.ConvexHull) else (0.0, 0.0, 0.0)
    assert np.abs(properties.center - center).max() < 1e-15


def test_triangles_in_one_plane_are_one_face() -> None:
    rng = np.random.default_rng(1)
    inner = rng.uniform(0.1, 0.9, (20, 3)) * [1.0, 2.0, 3.0]
    hull = s.ConvexHull([*CUBE, *inner])
    assert hull.vertices.shape == (8, 3)
    assert sorted(len(face) for face in hull.faces) == [4] * 6
    assert hull.volume == pytest.approx(6.0, rel=1e-15)


@pytest.mark.parametrize("make", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("shape", [s.Sphere(0.5), s.HalfSpace(), s.ConvexHull(CUBE)])
def test_copies_are_the_same_shape(shape: s.Shape, make: Any) -> None:
    assert make(shape).volume == shape.volume


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: s.Sphere(0.0), "radius"),
        (lambda: s.Sphere(np.nan), "radius"),
        (lambda: s.Capsule(1.0, -1.0), "length"),
        (lambda: s.Cylinder(np.inf, 1.0), "radius"),
        (lambda: s.Box((1.0, 2.0)), "size"),
        (lambda: s.Box((1.0, -2.0, 1.0)), "size"),
        (lambda: s.ConvexHull(CUBE[:3]), "points"),
        (lambda: s.ConvexHull([(x, y, 0.0) for x in range(3) for y in range(3)]), "plane"),
        (lambda: s.ConvexHull([*CUBE, (np.nan, 0.0, 0.0)]), "finite"),
        (lambda: s.HalfSpace().mass_properties(1.0), "finite volume"),
        (lambda: s.Sphere(1.0).mass_properties(0.0), "density"),
    ],
)
def test_misuse_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


JUNK = [None, "x", b"1", np.nan, np.inf, 1j, {}, object(), [1e200] * 3, [1e-200] * 3, [[1.0], []]]


@pytest.mark.parametrize("value", JUNK, ids=lambda value: repr(value).partition(" at ")[0])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (s.Sphere, "radius"), (lambda x: s.Capsule(1.0, x), "length"), (s.Box, "size"),
        (s.ConvexHull, "points"), (s.Sphere(1.0).mass_properties, "density"),
    ],
)  # fmt: skip
def test_anything_else_than_numbers_is_refused_by_name(make: Any, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        make(value)

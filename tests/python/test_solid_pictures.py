"""Pictures of solids: what rays meet against closed forms and triangles, who hides whom, shadow."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.pictures.plane import OBLIQUE
from nsmb.pictures.rays import Placed, Raster, Seen, look
from nsmb.pictures.solids import Box, Cylinder, Shape, Sphere, Surface
from nsmb.pictures.surfaces import surface

pyplot = pytest.importorskip("matplotlib.pyplot")

Floats = NDArray[np.float64]
N = 120
PIXEL = 2.0 / N


def seen(*placed: Placed) -> Seen:
    return look(Raster(OBLIQUE, (-1.0, 1.0), (-1.0, 1.0), N, N), placed)


def turned() -> Floats:
    """Axes of no special direction."""
    A, _ = np.linalg.qr(np.array([[0.9, -0.3, 0.2], [0.1, 0.8, 0.5], [-0.4, 0.3, 0.7]]))
    return A * np.sign(np.linalg.det(A))


def test_a_sphere_is_a_disc_whose_depth_is_known() -> None:
    r = 0.1 * OBLIQUE.normal + 0.2 * OBLIQUE.right
    image = seen((Sphere(0.5), r, turned(), 7))
    hit = image.number == 7
    assert hit.sum() * PIXEL**2 == pytest.approx(np.pi * 0.25, rel=2e-2)
    x = -1.0 + PIXEL * (np.arange(N) + 0.5)
    across, upwards = np.meshgrid(x - 0.2, x[::-1])
    depth = 0.1 + np.sqrt(np.maximum(0.25 - across**2 - upwards**2, 0.0))
    np.testing.assert_allclose(image.depth[hit], depth[hit], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(image.normal[hit], axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose((image.normal @ OBLIQUE.normal * 0.5)[hit], (depth - 0.1)[hit])
    assert np.isneginf(image.depth[~hit]).all()


@pytest.mark.parametrize(
    ("shape", "atol"),
    [(Box((0.6, 0.4, 0.8)), 1e-12), (Cylinder(0.4, 0.9), 0.4 * (1 - np.cos(np.pi / 32)) * 8)],
)
def test_a_solid_is_where_its_triangles_are(shape: Shape, atol: float) -> None:
    """Of a cylinder they are inside by the sagitta of their corners, and more along the ray."""
    A, r = turned(), np.array([0.1, -0.05, 0.2])
    exact = seen((shape, r, A, 0))
    mesh = seen((Surface(*surface(shape)), r, A, 0))
    both = (exact.number == 0) & (mesh.number == 0)
    apart = (exact.number == 0) != (mesh.number == 0)
    assert both.sum() > 1000
    assert apart.sum() < 0.03 * both.sum()
    error = exact.depth[both] - mesh.depth[both]
    assert np.quantile(np.abs(error), 0.98) < atol
    if isinstance(shape, Box):
        np.testing.assert_allclose(exact.normal[both], mesh.normal[both], atol=1e-12)


def test_the_nearer_one_is_seen() -> None:
    near, far = OBLIQUE.normal * 0.3, -OBLIQUE.normal * 0.3
    for order in (1, -1):
        placed: list[Placed] = [
            (Sphere(0.2), near, np.eye(3), 1),
            (Box((0.8, 0.8, 0.8)), far, np.eye(3), 2),
        ][::order]
        image = seen(*placed)
        assert image.number[N // 2, N // 2] == 1
        assert (image.number == 2).sum() > (image.number == 1).sum() > 300


def ball_over_floor(z: float) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0, 0, -9.81))
    m.ground.shape("floor", nsmb.geometry.HalfSpace())
    for name in ("ball", "other"):
        body = m.add_solid(name, nsmb.geometry.Sphere(0.1), 1000.0)
        m.add_joint(name, nsmb.joints.Free(), m.ground, body)
    m.collide()
    return m.build({"ball": (0, 0, z, 1, 0, 0, 0), "other": (0.8, 0, 0.1, 1, 0, 0, 0)})


def brightness(system: nsmb.MultibodySystem, place: tuple[float, float, float]) -> float:
    """Of a place in space, in the picture of the start."""
    ax = system.draw()
    image = ax.images[0]
    pixels = np.asarray(image.get_array())
    x, y = OBLIQUE.of(np.array(place))
    left, right, bottom, top = image.get_extent()
    unit = 1e3 if right - left > 50.0 else 1.0  # mm or m
    column = int((unit * x - left) / (right - left) * pixels.shape[1])
    row = int((top - unit * y) / (top - bottom) * pixels.shape[0])
    pyplot.close("all")
    return float(pixels[row, column].mean())


def test_a_ball_throws_a_shadow_where_the_light_comes_from() -> None:
    """The light comes along (0.35, 0.6, -0.72): from the height z it is moved by z/0.72 of that."""
    system = ball_over_floor(0.2)
    under = (0.2 * 0.35 / 0.72, 0.2 * 0.6 / 0.72, 0.0)
    lit = (under[0] + 0.3, under[1] - 0.25, 0.0)
    assert brightness(system, under) < 0.85 * brightness(system, lit)


def test_the_picture_holds_all_bodies_and_the_scale_is_a_bar() -> None:
    ax = ball_over_floor(0.4).draw()
    places = OBLIQUE.of(np.array([(0.0, 0.0, 0.4), (0.8, 0.0, 0.1)]))
    (bar,) = ax.lines
    length = float(np.ptp(np.asarray(bar.get_xdata())))
    (label,) = ax.texts
    number, unit = label.get_text().split()
    assert length == pytest.approx(float(number))
    scale = {"m": 1.0, "mm": 1e3}[unit]
    for x, y in scale * places:
        assert ax.get_xlim()[0] + 0.1 * scale < x < ax.get_xlim()[1] - 0.1 * scale
        assert ax.get_ylim()[0] + 0.1 * scale < y < ax.get_ylim()[1] - 0.1 * scale
    pyplot.close("all")

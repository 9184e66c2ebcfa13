"""Images of solids: areas and brightness in closed form, occlusion, edges, shadows."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.pictures import rendering
from nsmb.pictures.framing import View
from nsmb.pictures.plane import OBLIQUE
from nsmb.pictures.rendering import Renderer
from nsmb.pictures.solids import Box, Cylinder, Ground, Shape, Solid, Sphere, Surface
from nsmb.pictures.surfaces import surface
from tests.support.rendering import require_rendering

pyplot = pytest.importorskip("matplotlib.pyplot")
pyvista = pytest.importorskip("pyvista")

Floats = NDArray[np.float64]
Placed = tuple[str, Shape, Floats, Floats]
N = 120
PIXEL = 2.0 / N
SQUARE = View((-1.0, 1.0), (-1.0, 1.0), OBLIQUE, np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]))
COLORS = {"ground": np.ones(3), "red": np.array([0.9, 0.2, 0.2]), "blue": np.array([0.2, 0.2, 0.9])}
COLORS["also red"] = COLORS["red"]
LIGHT = np.array([-0.35, -0.6, 0.72]) / np.linalg.norm([-0.35, -0.6, 0.72])


@pytest.fixture(autouse=True, scope="module")
def _renders() -> None:
    require_rendering()


def image(*placed: Placed, view: View = SQUARE) -> Floats:
    solids = [Solid(body, k, shape) for k, (body, shape, _, _) in enumerate(placed)]
    poses = [(r, A) for *_, r, A in placed]
    return Renderer(solids, poses, COLORS, view).image(poses, view, (N, N))


def turned() -> Floats:
    """Return axes in a general direction."""
    A, _ = np.linalg.qr(np.array([[0.9, -0.3, 0.2], [0.1, 0.8, 0.5], [-0.4, 0.3, 0.7]]))
    return A * np.sign(np.linalg.det(A))


def area(pixels: NDArray[Any]) -> float:
    return float(pixels.sum()) * PIXEL**2


def color_at(pixels: Floats, place: Floats) -> Floats:
    """Return the colour at a point in space."""
    x, y = OBLIQUE.of(place)
    return np.asarray(pixels[int((1.0 - y) / PIXEL), int((1.0 + x) / PIXEL)])


def test_a_sphere_is_a_disc_where_it_is_and_as_large() -> None:
    r = 0.1 * OBLIQUE.normal + 0.2 * OBLIQUE.right - 0.3 * OBLIQUE.up
    seen = (image(("red", Sphere(0.5), r, turned())) < 1.0).any(axis=2)
    assert np.sqrt(area(seen) / np.pi) == pytest.approx(0.5, abs=PIXEL)
    rows, columns = np.nonzero(seen)
    assert PIXEL * (columns.mean() + 0.5) - 1.0 == pytest.approx(0.2, abs=PIXEL)
    assert 1.0 - PIXEL * (rows.mean() + 0.5) == pytest.approx(-0.3, abs=PIXEL)


def test_a_box_shows_its_faces_in_the_light_of_each() -> None:
    """Three faces are visible, with areas by their angle to the view.

    Brightness follows from their angle to the light, from 0.6 facing away to 1.08 facing the
    light.
    """
    A, size = turned(), np.array([0.6, 0.4, 0.8])
    pixels = image(("red", Box(size), np.zeros(3), A))
    towards = A.T @ OBLIQUE.normal
    faces = np.prod(size) / size
    around = 4.0 * np.sqrt(size @ size)  # about, and half a pixel wide
    shown = area((pixels < 1.0).any(axis=2)) - 0.5 * PIXEL * around
    assert shown == pytest.approx(np.abs(towards) @ faces, rel=2e-2)
    for k in range(3):
        n = A[:, k] * np.sign(towards[k])
        shade = 0.6 + 0.48 * max(0.0, float(n @ LIGHT))
        np.testing.assert_allclose(
            color_at(pixels, 0.5 * size[k] * n), shade * COLORS["red"], atol=0.012
        )


@pytest.mark.parametrize("shape", [Box((0.6, 0.4, 0.8)), Cylinder(0.4, 0.9)])
def test_a_solid_looks_as_its_triangles_do(shape: Shape) -> None:
    A, r = turned(), np.array([0.1, -0.05, 0.2])
    exact = image(("red", shape, r, A))
    mesh = image(("red", Surface(*surface(shape, corners=48)), r, A))
    np.testing.assert_array_equal(exact, mesh)


@pytest.mark.parametrize("order", [1, -1])
def test_the_nearer_one_hides_the_other(order: int) -> None:
    """A ball in front of a box hides the part of the box within its disc."""
    placed = [
        ("red", Sphere(0.2), 0.3 * OBLIQUE.normal, np.eye(3)),
        ("blue", Box((0.8, 0.8, 0.8)), -0.3 * OBLIQUE.normal, np.eye(3)),
    ]
    pixels = image(*placed[::order])
    red, blue = pixels[..., 0] > pixels[..., 2] + 0.1, pixels[..., 2] > pixels[..., 0] + 0.1
    assert red[N // 2, N // 2]
    assert area(red) == pytest.approx(np.pi * 0.04, rel=0.1)  # without its edge
    shown = np.abs(OBLIQUE.normal).sum() * 0.64 - np.pi * 0.04
    assert area(blue) == pytest.approx(shown, rel=0.1)


def test_ground_reaches_to_the_box_and_ends_at_other_ground() -> None:
    """A floor at z = -0.5, and a wall at x = -0.5 that looks along x."""
    upright = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    ball = ("red", Sphere(0.01), np.array([0.5, 0.0, -0.3]), np.eye(3))
    floor = ("ground", Ground(), np.array([0.0, 0.0, -0.5]), np.eye(3))
    wall = ("ground", Ground(), np.array([-0.5, 0.0, 0.0]), upright)
    assert SQUARE.box is not None
    view = View((-1.0, 1.0), (-1.0, 1.0), OBLIQUE, 0.65 * SQUARE.box)
    below, beside = 1.3 * 1.3 * OBLIQUE.normal[2], 1.3 * 1.15 * OBLIQUE.normal[[2, 0]].sum()
    for grounds, shown in (((floor,), below), ((floor, wall), beside)):
        # From grey for a covered pixel to white. Lines are darker.
        covered = np.clip((1.0 - image(ball, *grounds, view=view)[..., 0]) / 0.07, 0.0, 1.0)
        assert area(covered) == pytest.approx(shown, rel=2e-2)


def test_round_ends_continue_their_body_without_an_edge() -> None:
    """A ball at the end of a cylinder shows an edge only if they are two bodies."""
    A = np.column_stack([OBLIQUE.up, OBLIQUE.normal, OBLIQUE.right])  # lies across the image
    cylinder: Placed = ("red", Cylinder(0.2, 0.8), np.zeros(3), A)
    one, two = (
        image(cylinder, (body, Sphere(0.2), A @ np.array([0.0, 0.0, 0.4]), A))
        for body in ("red", "also red")
    )
    rows, columns = np.nonzero((one != two).any(axis=2))
    np.testing.assert_allclose(PIXEL * (columns + 0.5) - 1.0, 0.4, atol=1.5 * PIXEL)
    assert np.ptp(rows) * PIXEL == pytest.approx(0.4, abs=3.0 * PIXEL)


def ball_over_floor(z: float) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0, 0, -9.81))
    m.ground.shape("floor", nsmb.geometry.HalfSpace())
    for name in ("ball", "other"):
        body = m.add_solid(name, nsmb.geometry.Sphere(0.1), 1000.0)
        m.add_joint(name, nsmb.joints.Free(), m.ground, body)
    m.collide()
    return m.build({"ball": (0, 0, z, 1, 0, 0, 0), "other": (0.8, 0, 0.1, 1, 0, 0, 0)})


def brightness(system: nsmb.MultibodySystem, *places: tuple[float, float, float]) -> list[float]:
    """Return the brightness at points in space, in the image of the start."""
    ax = system.draw(ax=pyplot.figure(figsize=(3.0, 3.0)).subplots())
    image = ax.images[0]
    pixels = np.asarray(image.get_array())
    left, right, bottom, top = image.get_extent()
    unit = 1e3 if right - left > 50.0 else 1.0  # mm or m
    x, y = unit * OBLIQUE.of(np.array(places)).T
    columns = ((x - left) / (right - left) * pixels.shape[1]).astype(int)
    rows = ((top - y) / (top - bottom) * pixels.shape[0]).astype(int)
    pyplot.close("all")
    return np.asarray(pixels)[rows, columns].mean(axis=1).tolist()


def test_a_ball_throws_a_shadow_where_the_light_comes_from() -> None:
    """With light along (0.35, 0.6, -0.72), the shadow of height z is offset by z/0.72 times it."""
    system = ball_over_floor(0.2)
    under = (0.2 * 0.35 / 0.72, 0.2 * 0.6 / 0.72, 0.0)
    lit = (under[0] + 0.3, under[1] - 0.25, 0.0)
    dark, bright = brightness(system, under, lit)
    assert dark < 0.85 * bright


def test_the_picture_holds_all_bodies_and_the_scale_is_a_bar() -> None:
    ax = ball_over_floor(0.4).draw(ax=pyplot.figure(figsize=(2.0, 2.0)).subplots())
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


def test_a_picture_leaves_nothing_behind(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no message about a missing display, no theme and no window."""
    monkeypatch.delenv("DISPLAY", raising=False)
    theme = pyvista.global_theme.to_dict()
    poses = [(np.zeros(3), np.eye(3))]
    renderer = Renderer([Solid("red", 0, Sphere(0.5))], poses, COLORS, SQUARE)
    renderer.image(poses, SQUARE, (N, N))
    plotter = renderer._plotter
    assert plotter.render_window is not None
    del renderer
    assert plotter.render_window is None
    assert pyvista.global_theme.to_dict() == theme
    assert capfd.readouterr() == ("", "")


def test_the_theme_of_a_user_changes_nothing() -> None:
    ball: Placed = ("red", Sphere(0.5), np.zeros(3), np.eye(3))
    plain = image(ball)
    pyvista.set_plot_theme("dark")
    try:
        np.testing.assert_array_equal(image(ball), plain)
    finally:
        pyvista.set_plot_theme("default")


def test_threads_draw_the_same() -> None:
    ball: Placed = ("red", Sphere(0.5), np.zeros(3), np.eye(3))
    found: list[Floats] = []
    threads = [threading.Thread(target=lambda: found.append(image(ball))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for pixels in found:
        np.testing.assert_array_equal(pixels, image(ball))
    assert len(found) == 2


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    window = type("vtkOSOpenGLRenderWindow", (SimpleNamespace,), {})()
    monkeypatch.setattr(rendering, "find_library", lambda name: None)
    with pytest.raises(ImportError, match=r"Install EGL \(Debian, Ubuntu: apt-get install"):
        rendering._check_library(window)
    monkeypatch.setitem(sys.modules, "pyvista", None)
    with pytest.raises(ImportError, match=r"pyvista is not installed: pip install 'nsmb\[view\]'"):
        ball_over_floor(0.2).draw()
    pyplot.close("all")

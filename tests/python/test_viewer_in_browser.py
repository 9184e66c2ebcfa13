"""A pile of all shapes is animated in a real browser with WebGL."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from tests.explore.pages import BROWSER
from tests.python.in_browser import meshcat_server, played

pytest.importorskip("meshcat")
image = pytest.importorskip("PIL.Image")
pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

WIDTH, HEIGHT = 640, 480
LOOK = """() => new Promise((done) => requestAnimationFrame(() => {
    viewer.render(); done(viewer.renderer.domElement.toDataURL()); }))"""


def pile(bodies: int) -> nsmb.MultibodySystem:
    """Return all shapes in layers above the floor."""
    points = [(0.1, 0, 0), (-0.1, 0, 0), (0, 0.1, 0), (0, -0.1, 0), (0, 0, 0.1), (0, 0, -0.1)]
    kinds = [
        geometry.Sphere(0.1), geometry.Box((0.2, 0.15, 0.12)), geometry.Capsule(0.06, 0.1),
        geometry.Cylinder(0.08, 0.16), geometry.ConvexHull(points),
    ]  # fmt: skip
    m = nsmb.Model(gravity=(0.0, 0.0, -9.81))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(bodies):
        body = m.add_solid(f"b{k}", kinds[k % 5], 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        x, y, z = k % 6, (k // 6) % 6, k // 36
        initial[f"j{k}"] = (0.25 * x, 0.25 * y, 0.15 + 0.25 * z, 1.0, 0.0, 0.0, 0.0)
    m.collide(nsmb.ContactLaw(mu=0.5))
    return m.build(initial=initial)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with meshcat_server() as window:
        yield window


@pytest.fixture(scope="module")
def fallen() -> nsmb.Solution:
    method = nsmb.Midpoint(5e-3)
    return nsmb.simulate(pile(200), 0.5, method=method, output_step=0.05)


@pytest.fixture(scope="module")
def page(fallen: nsmb.Solution, server: Any, tmp_path_factory: Any) -> Iterator[Any]:
    path: Path = tmp_path_factory.mktemp("pile") / "pile.html"
    html = nsmb.view(fallen, fps=10.0, visualizer=server).to_html()
    with played(html, path, WIDTH, HEIGHT) as opened:
        yield opened


def pixels(page: Any) -> NDArray[np.int64]:
    import base64

    data = base64.b64decode(page.evaluate(LOOK).partition(",")[2])
    with image.open(io.BytesIO(data)) as opened:
        return np.array(opened.convert("RGB"), dtype=np.int64)


def at(page: Any, t: float) -> NDArray[np.int64]:
    """Return the pixels after moving the slider to t."""
    page.evaluate(f"viewer.animator.pause(); viewer.animator.seek({t})")
    return pixels(page)


def colored(picture: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the mask of bodies, which are neither background nor ground."""
    return np.asarray(np.ptp(picture, axis=2) > 30)


def test_bodies_fall_as_the_run_says(page: Any, fallen: nsmb.Solution) -> None:
    """By its extreme coloured pixels, the pile is finally lower and wider."""
    before, after = colored(at(page, 0.0)), colored(at(page, 0.5))
    assert before.sum() > 5000 < after.sum()
    tops = [int(np.nonzero(picture.any(axis=1))[0][0]) for picture in (before, after)]
    fall = fallen.q[0, 2::7].max() - fallen.q[-1, 2::7].max()
    assert fall > 0.2
    assert tops[1] - tops[0] > 20
    assert not page.complaints


def test_it_plays_and_stops(page: Any) -> None:
    page.evaluate("viewer.animator.reset(); viewer.animator.play()")
    page.wait_for_function("viewer.animator.time > 0.1")
    page.evaluate("viewer.animator.pause()")
    time, held = page.evaluate("viewer.animator.time"), pixels(page)
    page.wait_for_timeout(300)
    assert page.evaluate("viewer.animator.time") == time
    np.testing.assert_array_equal(pixels(page), held)
    assert (at(page, 0.0) != held).any()


def test_every_body_is_there(page: Any, fallen: nsmb.Solution) -> None:
    names = page.evaluate("Object.keys(viewer.scene_tree.find(['meshcat', 'nsmb']).children)")
    assert sum(name.startswith("marker_") for name in names) >= 200
    assert "contacts" in names

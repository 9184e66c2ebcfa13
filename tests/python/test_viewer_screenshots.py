"""The viewer in a browser, by pixels of pages in headless Chromium."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.pictures import solids
from tests.python.in_browser import meshcat_server

pytest.importorskip("meshcat")
image = pytest.importorskip("PIL.Image")

Floats = NDArray[np.float64]

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
# Debian: apt-get install chromium. .ci/setup.sh does so if permitted.
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
WIDTH, HEIGHT, BAR = 640, 480, 24  # pixels; MeshCat's own controls are in the top bar


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with meshcat_server() as window:
        yield window


def screenshot(subject: Any, server: Any, folder: Path, **options: Any) -> NDArray[np.int64]:
    """Return the pixels of the page after its animation, shape (HEIGHT, WIDTH, 3)."""
    server.delete()
    page, picture = folder / "page.html", folder / "page.png"
    page.write_text(nsmb.view(subject, visualizer=server, **options).to_html(), "utf-8")
    subprocess.run(
        [
            str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle",
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
            f"--user-data-dir={folder / 'profile'}", f"--window-size={WIDTH},{HEIGHT}",
            "--virtual-time-budget=6000", f"--screenshot={picture}", page.as_uri(),
        ],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    with image.open(picture) as opened:
        return np.array(opened.convert("RGB"), dtype=np.int64)[:HEIGHT]


def seen(pixels: NDArray[np.int64]) -> tuple[Floats, Floats, float]:
    """Return centre and size of the foreground in pixels, and its share of the middle fifth."""
    drawn = (pixels.min(axis=2) < 240)[BAR:]
    rows, columns = np.nonzero(drawn)
    low, high = np.array([columns.min(), rows.min()]), np.array([columns.max(), rows.max()])
    middle = drawn[2 * HEIGHT // 5 - BAR : 3 * HEIGHT // 5 - BAR, 2 * WIDTH // 5 : 3 * WIDTH // 5]
    return (low + high) / 2.0 + (0, BAR), high - low + 1.0, float(middle.mean())


def plate(size: float = 0.2, upright: Any = None, turn: float = 0.0) -> nsmb.System:
    """Return a plate, 2 size by size, on a joint about its normal, away from the origin."""
    frame = nsmb.geometry.Frame(
        r=size * np.array([3.0, -2.0, 1.0]), A=np.eye(3) if upright is None else upright
    )
    m = nsmb.Model(name="plate")
    body = m.add_body("plate", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("pin", nsmb.joints.Revolute(), m.ground, body, at=frame)
    corners = 0.5 * size * np.array([(-2, -1), (2, -1), (2, 1), (-2, 1)])
    body.outline("plate", nsmb.geometry.Polygon(corners))
    return m.build({"pin": 0.0}, {"pin": turn})


UPRIGHT = {
    "x-y": np.eye(3),
    "x-z": np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]),
    "y-z": np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]),
}


@pytest.mark.parametrize("plane", UPRIGHT)
@pytest.mark.parametrize("size", [2e-3, 0.2, 50.0])
def test_plate_is_seen_in_full_in_the_middle(
    plane: str, size: float, server: Any, tmp_path: Path
) -> None:
    """It is twice as wide as high for any plane and size. Seen edge-on it would be a bar."""
    if size != 0.2 and plane != "x-y":
        return
    pixels = screenshot(plate(size, UPRIGHT[plane]), server, tmp_path)
    middle, extent, share = seen(pixels)
    np.testing.assert_allclose(middle, (WIDTH / 2.0, HEIGHT / 2.0), atol=4.0)
    # Its face is closer to the camera than its middle, by some per cent of perspective.
    assert extent[0] / extent[1] == pytest.approx(2.0, rel=0.03)
    assert 0.5 < extent[0] / WIDTH < 0.95
    assert share > 0.95


def test_toy_is_not_a_bar(server: Any, tmp_path: Path) -> None:
    """The parts of the toy next to its pole have the shape of their outlines."""
    toy = nsmb.systems.woodpecker_4dof()
    pixels = screenshot(toy, server, tmp_path, forces=False, thickness=1e-4)
    outlines = toy.scene.outlines(0.0, toy.initial_state.q)
    points = np.vstack([o.points for o in outlines if not o.is_ground and o.closed])
    expected = np.ptp(points, axis=0)[:2]
    blue = pixels[:, :, 2] - pixels[:, :, 0] > 25  # of the bird
    orange = pixels[:, :, 0] - pixels[:, :, 2] > 25  # of the sleeve
    rows, columns = np.nonzero((blue | orange)[BAR:])
    extent = np.array([np.ptp(columns), np.ptp(rows)])
    np.testing.assert_allclose(extent[0] / extent[1], expected[0] / expected[1], rtol=0.05)


def test_animation_ends_where_the_run_ends(server: Any, tmp_path: Path) -> None:
    """Rotated by 90° the plate stands upright, half as wide as high."""
    run = nsmb.simulate(plate(turn=0.5 * np.pi), 1.0)
    _, extent, share = seen(screenshot(run, server, tmp_path, fps=20.0))
    assert extent[0] / extent[1] == pytest.approx(0.5, rel=0.03)
    assert share > 0.4


def test_solids_are_within_the_window(server: Any, tmp_path: Path) -> None:
    """Seen obliquely from above, the nearest corner of a box has three visible faces."""
    system = plate()
    assert system.scene is not None
    pose = (np.array([5.0, 1.0, -2.0]), np.eye(3))
    box, rod = solids.Box((0.4, 0.3, 0.2)), solids.Cylinder(0.05, 1.0)
    parts = [solids.Solid("box", 0, box), solids.Solid("rod", 0, rod)]
    system.scene = nsmb.plotting.Scene((), lambda t, q: [pose], solids=parts)
    pixels = screenshot(system, server, tmp_path)
    middle, extent, _ = seen(pixels)
    low, high = middle - extent / 2.0, middle + extent / 2.0
    assert low.min() > BAR
    assert high[0] < WIDTH - BAR
    assert high[1] < HEIGHT - BAR
    assert extent[1] > 0.4 * HEIGHT
    shades = np.unique(pixels[BAR:].reshape(-1, 3) // 8, axis=0)
    assert len(shades) > 20


def block() -> nsmb.System:
    """Return a block that slides to the left, with an orange contact."""
    m = nsmb.Model(gravity=(0, -9.81), name="block")
    body = m.add_body("block", mass=1.0, inertia=1e3)
    m.add_joint("block", nsmb.joints.Planar(), m.ground, body)
    body.outline("block", nsmb.geometry.Polygon([(-1, 0), (1, 0), (1, 1), (-1, 1)]))
    foot = body.contour("foot", nsmb.geometry.Circle(0.05), at=(0, 0.05))
    floor = m.ground.contour("floor", nsmb.geometry.Line())
    m.add_contact(foot, floor, nsmb.ContactLaw(mu=0.5), name="floor")
    return m.build({"block": [0.0, 0.0, 0.0]}, {"block": [-5.0, 0.0, 0.0]})


def orange(pixels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the mask of #E69F00 or #D55E00 for slip, in any light, with hardly any blue."""
    r, g, b = np.moveaxis(pixels, 2, 0)
    return np.asarray((r > 80) & (g < 0.85 * r) & (g > 0.25 * r) & (b < 0.2 * r))


def test_contacts_have_dots_and_arrows_in_the_colour_of_their_state(
    server: Any, tmp_path: Path
) -> None:
    """Arrow lengths agree with λ_N = m g upwards and λ_T = m g/2 to the right."""
    system = block()
    marked = orange(screenshot(system, server, tmp_path))
    rows, columns = np.nonzero(marked)
    tall, wide = float(np.ptp(rows)), float(np.ptp(columns))
    assert marked.sum() > 200
    assert wide / tall == pytest.approx(0.5, abs=0.1)  # heads and dot are some pixels wide
    assert not orange(screenshot(system, server, tmp_path, forces=False)).any()

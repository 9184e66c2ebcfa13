"""The commands sent to MeshCat by the viewer, and its shapes."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import nsmb
from nsmb.pictures.framing import View
from nsmb.pictures.in_space import (
    arrow_between,
    arrow_mesh,
    clipped,
    motion_between,
    prism,
)
from nsmb.pictures.scene import Outline
from nsmb.pictures.solids import Box, Cylinder, Extrusion, Solid, Sphere, Surface, triangles
from tests.support.draws import numbers

Floats = NDArray[np.float64]


class Window:
    """A window that records the commands to the server."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, command: Any) -> None:
        self.sent.append(command.lower())

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [command for command in self.sent if command["type"] == kind]

    def place(self, path: str) -> Floats:
        """Return the last transform sent to a path."""
        matrices = [c["matrix"] for c in self.of_kind("set_transform") if c["path"] == path]
        return np.array(matrices[-1]).reshape(4, 4).T


def visualizer(window: Window) -> Any:
    return pytest.importorskip("meshcat").Visualizer(window=window)


def lift() -> nsmb.LinearSystem:
    """Return a mass thrown upwards, on a marker rotated by 90° about z."""
    A = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    system = nsmb.LinearSystem(
        [[1.0]],
        force=[-10.0],
        coordinates=["y"],
        coordinate_units=["m"],
        initial_state=nsmb.State(0.0, np.array([0.5]), np.array([2.0])),
        name="lift",
    )
    square = [(0.0, 0.0), (0.2, 0.0), (0.2, 0.1), (0.0, 0.1)]
    system.scene = nsmb.plotting.Scene(
        [
            nsmb.plotting.SceneItem("cab", 0, square),
            nsmb.plotting.SceneItem("ground", 1, [(1.0, 0.0), (-1.0, 0.0)], closed=False),
        ],
        lambda t, q: [((0.0, q[0], 0.0), A), (np.zeros(3), np.eye(3))],
    )
    return system


def test_shapes_are_sent_once_and_markers_move() -> None:
    window = Window()
    viewer = nsmb.view(lift(), visualizer=visualizer(window))
    objects = [c["path"] for c in window.of_kind("set_object") if "nsmb" in c["path"]]
    assert objects == [
        "/meshcat/nsmb/marker_0/outline_0",
        "/meshcat/nsmb/marker_1/outline_1",
    ]
    place = window.place("/meshcat/nsmb/marker_0")
    np.testing.assert_array_equal(place[:3, 3], (0.0, 0.5, 0.0))
    np.testing.assert_array_equal(place[:3, :3] @ (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    viewer.show([0.75])
    np.testing.assert_array_equal(window.place("/meshcat/nsmb/marker_0")[:3, 3], (0.0, 0.75, 0.0))
    assert len(window.of_kind("set_object")) == 3  # two shapes and the camera
    up = window.place("/meshcat/nsmb") @ (0.0, 1.0, 0.0, 0.0)  # y of a planar scene is up, z
    np.testing.assert_array_equal(up, (0.0, 0.0, 1.0, 0.0))


def test_run_is_played_as_it_went() -> None:
    window = Window()
    run = nsmb.simulate(lift(), 0.4)
    nsmb.view(run, speed=0.5, fps=10.0, visualizer=visualizer(window))
    (command,) = window.of_kind("set_animation")
    clip = next(a for a in command["animations"] if a["path"] == "/meshcat/nsmb/marker_0")["clip"]
    assert clip["fps"] == 10.0
    track = next(t for t in clip["tracks"] if t["name"] == ".position")
    t = np.linspace(0.0, 0.4, 9)
    heights = [key["value"][1] for key in track["keys"]]
    np.testing.assert_allclose(heights, 0.5 + 2.0 * t - 5.0 * t**2, atol=1e-12)


def test_solids_become_shapes_of_meshcat() -> None:
    system, window = lift(), Window()
    solids = [
        Solid("a", 0, Box((1.0, 2.0, 3.0))),
        Solid("b", 0, Sphere(0.5)),
        Solid("c", 1, Cylinder(0.1, 2.0)),
        Solid("d", 1, Extrusion([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], 0.2)),
        Solid("e", 1, Surface(np.eye(3), [(0, 1, 2)])),
    ]
    assert system.scene is not None
    system.scene = nsmb.plotting.Scene((), system.scene.poses, solids=solids)
    nsmb.view(system, visualizer=visualizer(window))
    bodies = [c for c in window.of_kind("set_object") if "/solid_" in c["path"]]
    shapes = [c["object"]["geometries"][0] for c in bodies]
    assert [s["type"] for s in shapes] == [
        "BoxGeometry",
        "SphereGeometry",
        "CylinderGeometry",
        "BufferGeometry",
        "BufferGeometry",
    ]
    assert (shapes[0]["width"], shapes[0]["height"], shapes[0]["depth"]) == (1.0, 2.0, 3.0)
    axis = window.place("/meshcat/nsmb/marker_1/solid_2") @ (0.0, 1.0, 0.0, 0.0)
    np.testing.assert_array_equal(axis[:3], (0.0, 0.0, 1.0))  # along z of the marker
    np.testing.assert_array_equal(window.place("/meshcat/nsmb"), np.eye(4))  # z is up


def test_server_gives_a_page_with_the_scene(capsys: pytest.CaptureFixture[str]) -> None:
    """This uses a real local server without a browser."""
    pytest.importorskip("meshcat")
    viewer = nsmb.view(lift())
    try:
        assert "http://127.0.0.1:" in capsys.readouterr().out
        page = viewer.to_html()
        assert page.lstrip().lower().startswith("<!doctype html>")
        assert len(page) > 100_000  # contains the viewer
    finally:
        viewer.close()


def test_views_refuse_what_they_cannot_show() -> None:
    with pytest.raises(ValueError, match="has no drawing"):
        nsmb.view(nsmb.LinearSystem([[1.0]]), visualizer=object())
    with pytest.raises(ValueError, match=r"expected a nsmb\.System or nsmb\.Solution, got str"):
        nsmb.view("toy")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="up: expected 'y' or 'z', got 'x'"):
        nsmb.view(lift(), up="x", visualizer=object())
    with pytest.raises(ValueError, match="thickness: expected a number > 0, got -1"):
        nsmb.view(lift(), thickness=-1.0, visualizer=object())


def test_missing_meshcat_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "meshcat.geometry", None)
    with pytest.raises(ImportError, match=r"pip install 'nsmb\[view\]'"):
        nsmb.view(lift())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere(0.0), "radius: expected a number > 0, got 0.0"),
        (lambda: Cylinder(1.0, np.inf), "length: expected a number > 0, got inf"),
        (lambda: Box((1.0, -1.0, 1.0)), "size: expected numbers > 0"),
        (lambda: Surface(np.eye(2), [(0, 1, 1)]), r"vertices: expected shape \(n, 3\)"),
        (lambda: Surface(np.eye(3), [(0, 1)]), r"faces: expected shape \(n, 3\)"),
        (lambda: Extrusion([(0.0, 0.0)], 1.0), r"points: expected shape \(n, 2\) with n >= 3"),
    ],
)
def test_shapes_out_of_range_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def star(radii: list[float]) -> Floats:
    """Return a polygon around the origin, in general not convex."""
    angle = np.linspace(0.0, 2.0 * np.pi, len(radii), endpoint=False)
    return np.column_stack([radii * np.cos(angle), radii * np.sin(angle)])


@given(st.lists(numbers(0.2, 1.0), min_size=3, max_size=30))
def test_triangles_cover_a_polygon_once(radii: list[float]) -> None:
    """None is inverted, and their areas add up to that of the polygon (shoelace formula)."""
    points = star(radii)
    x, y = points.T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    a, b, c = (points[triangles(points)[:, k]] for k in range(3))
    parts = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    assert len(parts) == len(points) - 2
    assert parts.min() >= -1e-12  # rounding of areas up to 1
    assert parts.sum() == pytest.approx(area, rel=1e-12)


@given(st.lists(numbers(0.2, 1.0), min_size=3, max_size=20), st.booleans())
def test_prisms_are_closed_and_turned_outwards(radii: list[float], clockwise: bool) -> None:
    """The volume by the divergence theorem is area times thickness, and edges have two sides."""
    points = star(radii)
    x, y = points.T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    vertices, faces = Extrusion(points[::-1] if clockwise else points, 0.3).mesh()
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij", a, np.cross(b, c)) / 6.0 == pytest.approx(0.3 * area, rel=1e-12)
    edges = {(int(f[k]), int(f[(k + 1) % 3])) for f in faces for k in range(3)}
    assert len(edges) == 3 * len(faces)
    assert edges == {(b, a) for a, b in edges}


@given(st.lists(numbers(0.5, 1.0), min_size=401, max_size=410))
@settings(max_examples=10)
def test_fine_outlines_have_lids_where_all_is_seen_from_the_middle(radii: list[float]) -> None:
    """The volume by the divergence theorem is area times thickness."""
    points = star(radii)
    middle = points.mean(axis=0)
    a, b = points - middle, np.roll(points, -1, axis=0) - middle
    parts = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    assume(bool((parts > 1e-12).all()))
    vertices, faces = prism(points, True, 0.3, 1.0, False)
    p, q, r = (vertices[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij", p, np.cross(q, r)) / 6.0
    assert volume == pytest.approx(0.3 * parts.sum(), rel=1e-12)


@given(numbers(0.1, 3.0), numbers(-np.pi, np.pi))
def test_ground_is_cut_to_what_is_beside_the_view(size: float, slope: float) -> None:
    """A line through the view keeps its direction, and a strip keeps its width."""
    view = View((-size, size), (-size, size))
    along = np.array([np.cos(slope), np.sin(slope)])
    line = clipped(np.array([-100.0 * along, 100.0 * along]), False, view)
    across = np.array([-along[1], along[0]])
    np.testing.assert_allclose(line @ across, 0.0, atol=1e-12)
    length = float(np.linalg.norm(line[1] - line[0]))
    assert 4.0 * size <= length * (1.0 + 1e-12) <= 4.0 * np.sqrt(2.0) * size * (1.0 + 1e-9)
    far = clipped(np.array([[90.0, 0.0], [100.0, 0.0], [100.0, 1.0]]), True, view)
    assert len(far) == 0


@given(numbers(-3.0, 3.0), numbers(-1.0, 1.0), numbers(-1.0, 1.0))
def test_motion_of_an_outline_is_found_from_its_points(angle: float, x: float, y: float) -> None:
    points = np.array([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 1.0, 0.0)])
    A = np.array(
        [
            [np.cos(angle), -np.sin(angle), 0.0],
            [np.sin(angle), np.cos(angle), 0.0],
            [0.0, 0.0, 1.0],
        ]
    )
    moved = Outline("body", points @ A.T + (x, y, 0.0), True)
    found = motion_between(Outline("body", points, True), moved)
    np.testing.assert_allclose(found[:3, :3], A, atol=1e-12)
    np.testing.assert_allclose(found[:3, 3], (x, y, 0.0), atol=1e-12)


@given(st.tuples(*[numbers(-1.0, 1.0)] * 3), st.tuples(*[numbers(-1.0, 1.0)] * 3))
def test_arrows_go_from_tail_to_tip(tail: tuple[float, ...], tip: tuple[float, ...]) -> None:
    a, b = np.array(tail), np.array(tip)
    assume(float(np.linalg.norm(b - a)) > 1e-6)
    place = arrow_between(a, b, 0.1)
    np.testing.assert_allclose(place @ (0.0, 0.0, 0.0, 1.0), [*a, 1.0], atol=1e-12)
    np.testing.assert_allclose(place @ (0.0, 0.0, 1.0, 1.0), [*b, 1.0], atol=1e-12)
    vertices, faces = arrow_mesh()
    p, q, r = (vertices[faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij", p, np.cross(q, r)) > 0.0  # oriented outwards


def test_contacts_of_a_run_appear_and_vanish() -> None:
    """A resting ball has a dot, which is invisible during flight."""
    window = Window()
    ball = nsmb.systems.bouncing_ball(H=0.5, e_N=0.0)
    nsmb.view(nsmb.simulate(ball, 1.0), fps=10.0, visualizer=visualizer(window))
    (command,) = window.of_kind("set_animation")
    stick = int(nsmb.ContactState.STICK)
    path = f"/meshcat/nsmb/contacts/0/dot/{stick}"
    clip = next(a for a in command["animations"] if a["path"] == path)["clip"]
    shown = next(t for t in clip["tracks"] if t["name"] == ".visible")["keys"]
    landing = np.sqrt(2.0 * 0.5 / 9.81)
    assert [key["value"] for key in shown] == [0.1 * key["time"] >= landing for key in shown]

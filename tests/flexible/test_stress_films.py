"""Stresses in animations have one scale for all frames, in files and in the browser."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import flexible
from tests.flexible.blocks import bar
from tests.python.in_browser import meshcat_server, played
from tests.python.test_viewer import Window, visualizer

pyplot = pytest.importorskip("matplotlib.pyplot")
image = pytest.importorskip("PIL.Image")

E, STRETCH = 1e6, 0.05
Floats = NDArray[np.float64]


def stretched() -> nsmb.flexible.FlexibleBody:
    """Return a bar with the shape u = (x, -ν y) and σ = E q_1, exact in bilinear elements."""
    elements = bar(10, E=E)
    x = elements.nodes
    return flexible.FlexibleBody.from_elements(
        elements, np.column_stack([x[:, 0], -0.3 * x[:, 1]]).reshape(-1, 1)
    )


@pytest.fixture(scope="module")
def swinging() -> nsmb.Solution:
    """Return half a period of a moving bar, from largest stretch to largest compression."""
    body = stretched()
    m = nsmb.Model()
    m.add_joint("free", nsmb.joints.Planar(), m.ground, m.add_elastic_body("bar", body))
    period = 2.0 * np.pi / float(body.frequencies[0])
    speeds = {"free": (0.2 / period, 0.0, 0.0)}
    return nsmb.simulate(m.build({"bar.q1": STRETCH}, speeds), 0.5 * period)


def told(run: nsmb.Solution, frames: int) -> dict[str, float]:
    """Return options for that many frames, including both ends."""
    return {"fps": 10.0, "speed": 10.0 * run.t_span[1] / (frames - 1)}


def swing(run: nsmb.Solution, t: Floats) -> Floats:
    """Return the stress in Pa, shape (n,), by the closed form of a free oscillation."""
    return np.asarray(E * STRETCH * np.abs(np.cos(np.pi * t / run.t_span[1])))


def colored(figure: Any) -> Any:
    from matplotlib.collections import TriMesh

    (mesh,) = [artist for artist in figure.axes[0].collections if isinstance(artist, TriMesh)]
    return mesh


def test_film_has_one_scale_and_the_stress_of_each_frame(swinging: nsmb.Solution) -> None:
    movie = swinging.animate(stresses=True, dpi=40.0, **told(swinging, 5))
    assert len(movie) == 5
    exact = 1e-3 * swing(swinging, movie.times)  # kPa
    figure, show = movie._figure()
    (scale,) = [ax for ax in figure.axes if ax.get_xlabel().startswith("von Mises")]
    assert scale.get_xlabel() == "von Mises stress / kPa"
    assert scale.get_xlim() == pytest.approx((0.0, exact.max()), rel=1e-6)
    for k in (3, 1, 4, 2, 0):
        show(k)
        mesh = colored(figure)
        # by the tolerance of the run
        assert np.asarray(mesh.get_array()) == pytest.approx(exact[k], abs=1e-4 * exact.max())
        assert mesh.norm.vmax == pytest.approx(exact.max(), rel=1e-6)
        q = swinging.at(movie.times[k]).q
        place = q[0] + (1.0 + q[3]) * stretched().nodes[:, 0]
        assert mesh._triangulation.x == pytest.approx(place, abs=1e-12)
    assert len(figure.axes) == 2
    assert not pyplot.get_fignums()


def test_scale_of_a_film_ends_where_it_is_told_to(swinging: nsmb.Solution) -> None:
    movie = swinging.animate(stresses=2e4, dpi=40.0, **told(swinging, 3))
    figure, show = movie._figure()
    first = colored(figure)
    assert (first.norm.vmax, first.colorbar.extend) == (20.0, "max")
    show(1)
    assert colored(figure).norm.vmax == 20.0
    wide = swinging.animate(stresses=1e6, dpi=40.0, **told(swinging, 3))
    assert colored(wide._figure()[0]).colorbar.extend == "neither"


def test_gif_keeps_the_colours_of_the_scale(swinging: nsmb.Solution, tmp_path: Path) -> None:
    """Half of a palette of 256 is the colour scale, in steps of 1/127, a few levels."""
    from matplotlib import colormaps

    movie = swinging.animate(stresses=2.0 * E * STRETCH, dpi=40.0, **told(swinging, 3))
    with image.open(movie.save(tmp_path / "bar.gif")) as gif:
        assert gif.n_frames == 3
        found = np.asarray(gif.convert("RGB"), dtype=float).reshape(-1, 3)
    wanted = 255.0 * np.array(colormaps["viridis"](0.5)[:3])
    assert (np.abs(found - wanted).max(axis=1) <= 3.0).sum() > 100


def test_what_has_no_stresses_is_not_filmed(swinging: nsmb.Solution) -> None:
    beam = flexible.beam([(0, 0), (1, 0)], E=E, density=1e3, area=1e-2, I_z=1e-5)
    m = nsmb.Model()
    body = m.add_elastic_body("beam", flexible.reduce(beam, 1))
    m.add_joint("free", nsmb.joints.Planar(), m.ground, body)
    run = nsmb.simulate(m.build(), 1e-3)
    for look in (run.animate, lambda **options: nsmb.view(run, **options)):
        with pytest.raises(ValueError, match=r"a mesh from nsmb\.flexible\.plane or solid"):
            look(stresses=True, **({} if look == run.animate else {"visualizer": window()}))
    with pytest.raises(ValueError, match="stresses: expected a number > 0, got -1"):
        swinging.animate(stresses=-1.0)
    with pytest.raises(ValueError, match="stresses: expected a number > 0, got 0"):
        nsmb.view(swinging, stresses=0.0, visualizer=object())


# ---- in the browser -----------------------------------------------------------------------------


def window() -> Any:
    return visualizer(Window())


def sent(to: Window) -> dict[str, dict[str, Any]]:
    """Return the stress meshes by name: positions, colours and kind of material."""
    found: dict[str, dict[str, Any]] = {}
    for command in to.sent:
        path = command.get("path", "").partition("/stresses")[2]
        if command["type"] == "delete" and command["path"].endswith("/stresses"):
            found.clear()
        if command["type"] != "set_object" or not path:
            continue
        data = command["object"]["geometries"][0]["data"]
        arrays = {
            name: np.frombuffer(data["attributes"][name]["array"].data, np.float32).reshape(-1, 3)
            for name in ("position", "color")
        }
        material = command["object"]["materials"][0]
        assert material["vertexColors"]
        found[path] = {**arrays, "material": material["type"]}
    return found


def test_viewer_has_a_mesh_for_each_frame(swinging: nsmb.Solution) -> None:
    """Positions and colours of vertices agree, each mesh visible in its own frame only."""
    from matplotlib import colormaps

    to = Window()
    made = nsmb.view(swinging, stresses=True, visualizer=visualizer(to), **told(swinging, 5))
    times = np.linspace(*swinging.t_span, 5)
    exact = swing(swinging, times)
    assert made.stress_limit == pytest.approx(exact.max(), rel=1e-6)
    found = sent(to)
    assert set(found) == {f"/0/{k}" for k in range(5)}
    nodes = stretched().nodes
    for k, t in enumerate(times.tolist()):
        q, mesh = swinging.at(t).q, found[f"/0/{k}"]
        place = np.column_stack([(1.0 + q[3]) * nodes[:, 0], (1.0 - 0.3 * q[3]) * nodes[:, 1]])
        assert mesh["position"][:, :2] == pytest.approx(place + q[:2], abs=1e-6)  # 32 bits
        share = exact[k] / exact.max()
        color = np.array(colormaps["viridis"](share)[:3])
        assert np.abs(mesh["color"] - color).max() < 0.02  # one of 256 colours off
        assert mesh["material"] == "MeshBasicMaterial"
    (command,) = to.of_kind("set_animation")
    for k in range(5):
        path = f"/meshcat/nsmb/stresses/0/{k}"
        clip = next(a for a in command["animations"] if a["path"] == path)["clip"]
        keys = next(t for t in clip["tracks"] if t["name"] == ".visible")["keys"]
        seen = {key["time"]: key["value"] for key in keys}
        last = [[seen[j] for j in range(frame + 1) if j in seen][-1] for frame in range(5)]
        assert last == [frame == k for frame in range(5)]


def test_still_in_the_viewer_is_coloured_as_it_stands(swinging: nsmb.Solution) -> None:
    """The scale is its own largest stress, or that of the run after an animation."""
    assert swinging.system is not None
    to = Window()
    made = nsmb.view(swinging.system, stresses=True, visualizer=visualizer(to))
    q = swinging.at(0.0).q.copy()
    for stretch in (0.02, 0.04):
        q[3] = stretch
        made.show(q)
        assert made.stress_limit == pytest.approx(E * stretch, rel=1e-9)
        assert set(sent(to)) == {"/0/now"}
        x = sent(to)["/0/now"]["position"][:, 0]
        assert np.ptp(x) == pytest.approx(
            (1.0 + stretch) * np.ptp(stretched().nodes[:, 0]), rel=1e-6
        )
    made.play(swinging, **told(swinging, 3))
    assert set(sent(to)) == {"/0/0", "/0/1", "/0/2"}
    made.show(q)
    assert made.stress_limit == pytest.approx(E * STRETCH, rel=1e-6)
    plain = nsmb.view(swinging.system, visualizer=window())
    assert plain.stress_limit is None


def test_surface_of_a_solid_is_lit_in_the_viewer() -> None:
    elements = flexible.solid(flexible.Mesh.box((1, 0.2, 0.4), (3, 1, 1)), E=E, nu=0.3, density=1)
    body, to = flexible.reduce(elements, 1), Window()
    m = nsmb.Model()
    m.add_joint("free", nsmb.joints.Free(), m.ground, m.add_elastic_body("box", body))
    made = nsmb.view(m.build({"box.q1": 0.01}), stresses=True, visualizer=visualizer(to))
    (mesh,) = sent(to).values()
    assert mesh["material"] == "MeshLambertMaterial"
    assert made.stress_limit == pytest.approx(body.von_mises([0.01]).max())
    assert len(mesh["position"]) == len(np.unique(body.triangles))


@pytest.fixture(scope="module")
def page(swinging: nsmb.Solution, tmp_path_factory: Any) -> Iterator[Any]:
    options: dict[str, Any] = {"stresses": True, "forces": False, **told(swinging, 5)}
    with meshcat_server() as server:
        html = nsmb.view(swinging, visualizer=server, **options).to_html()
    path: Path = tmp_path_factory.mktemp("bar") / "bar.html"
    with played(html, path, 480, 320) as opened:
        yield opened


def test_browser_shows_the_colour_of_each_frame(page: Any, swinging: nsmb.Solution) -> None:
    """The centre of the window agrees within one of 256 colours, forwards and backwards."""
    from matplotlib import colormaps

    times = np.linspace(*swinging.t_span, 5)
    shares = swing(swinging, times) / (E * STRETCH)
    for k in (0, 2, 1, 4, 3):
        time = (k + 0.5) / 10.0  # for ten frames per second
        data = page.evaluate(
            f"""new Promise((done) => {{ const a = viewer.animator;
            a.reset(); a.play(); a.pause(); a.seek(Math.min({time}, a.duration));
            requestAnimationFrame(() => {{ viewer.render();
            done(viewer.renderer.domElement.toDataURL()); }}); }})"""
        )
        with image.open(io.BytesIO(base64.b64decode(data.partition(",")[2]))) as opened:
            picture = np.array(opened.convert("RGB"), dtype=float)
        height, width, _ = picture.shape
        wanted = 255.0 * np.array(colormaps["viridis"](shares[k])[:3])
        assert picture[height // 2, width // 2] == pytest.approx(wanted, abs=4.0)

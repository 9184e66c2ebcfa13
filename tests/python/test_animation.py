"""Animations have the right instants and complete files, and leave nothing open."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import nsmb

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")
Image = pytest.importorskip("PIL.Image")
from nsmb.pictures import animation, drawing  # noqa: E402
from nsmb.pictures.animation import Animation, frame_times  # noqa: E402

NONE = np.zeros(0)


@pytest.fixture(scope="module")
def bouncing() -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0)


def small(run: nsmb.Solution, **options: object) -> Animation:
    return run.animate(**{"speed": 0.5, "fps": 10.0, "dpi": 40.0, **options})


def test_frames_are_as_far_apart_as_speed_and_rate_say() -> None:
    times = frame_times((1.0, 2.0), speed=0.5, fps=10.0, impacts=NONE)
    np.testing.assert_allclose(times, np.linspace(1.0, 2.0, 21), rtol=1e-15)
    assert times[-1] <= 2.0


def test_slow_motion_slows_down_around_impacts_only() -> None:
    """Playback time is ∫ (1 + (k - 1) w) dt / v, where w = cos² has the mean ½ over its width."""
    k, v, fps, hits = 5.0, 0.2, 50.0, np.array([0.4, 1.4])
    times = frame_times((0.0, 2.0), speed=v, fps=fps, impacts=hits, slow_motion=k)
    step = np.diff(times)
    width = animation._AROUND * v / k
    far = (np.abs(times[:-1, None] - hits) > width + v / fps).all(axis=1)
    np.testing.assert_allclose(step[far], v / fps, rtol=1e-9)
    at = np.searchsorted(times, 0.4)
    assert step[at] == pytest.approx(v / fps / k, rel=0.05)  # rises by (π w/2 width)² nearby
    extra = 2 * (k - 1.0) * width / v  # s of playback, for two impacts
    assert times.size / fps == pytest.approx(2.0 / v + extra, abs=2.0 / fps)
    assert (step > 0.0).all()


def test_gif_has_all_frames_their_size_and_the_length_of_playback(
    bouncing: nsmb.Solution, tmp_path: Path
) -> None:
    movie = small(bouncing, fps=30.0, speed=1.0)
    path = movie.save(tmp_path / "ball.gif")
    assert path == tmp_path / "ball.gif"
    with Image.open(path) as gif:
        assert gif.n_frames == len(movie) == 31  # 1 s with both ends
        height, width, _ = movie.frame(0).shape
        assert gif.size == (width, height)
        shown = 0
        for k in range(gif.n_frames):
            gif.seek(k)
            shown += gif.info["duration"]  # ms
        assert shown == pytest.approx(1e3 * 31 / 30.0, abs=10.0)  # GIF cannot store 33 1/3 ms
        gif.seek(0)
        first = np.asarray(gif.convert("RGB"), dtype=float)
    assert list(first[1, 1]) == [255.0, 255.0, 255.0]
    # palette colours are close to the image on average
    assert np.abs(first - movie.frame(0)[:, :, :3]).mean() < 3.0
    assert [p.name for p in tmp_path.iterdir()] == ["ball.gif"]
    assert not pyplot.get_fignums()


def test_ball_is_drawn_at_its_height(bouncing: nsmb.Solution) -> None:
    """The lowest and highest coloured rows of pixels are compared over the frames."""
    movie = small(bouncing, forces=False)
    blue = np.array(matplotlib.colors.to_rgb("#BCD7EC")) * 255.0
    rows = []
    for k in (0, 5, 20):
        picture = movie.frame(k)[:, :, :3].astype(float)
        rows.append(np.flatnonzero((np.abs(picture - blue) < 3.0).all(axis=2).any(axis=1)))
    heights = bouncing.at(movie.times[[0, 5, 20]]).q[:, 0]
    middle = np.array([0.5 * (r[0] + r[-1]) for r in rows])
    per_metre = np.mean([(r[-1] - r[0] + 1.5) / 0.2 for r in rows])  # the ball is 0.2 m wide
    fall = (middle - middle[0]) / per_metre
    np.testing.assert_allclose(fall, heights[0] - heights, atol=0.05)  # edge: 2 px of 190 per m


def test_view_follows_a_body(toy: nsmb.Solution) -> None:
    movie = small(toy, follow="sleeve", t_span=(0.0, 1.0), fps=2.0)
    assert len(movie) == 5
    figure, show = movie._figure()
    low, high = figure.axes[0].get_ylim()
    show(4)
    moved = np.array(figure.axes[0].get_ylim()) - (low, high)
    fall = 1e3 * (toy.at(1.0).q[0] - toy.at(0.0).q[0])  # mm
    np.testing.assert_allclose(moved, fall, rtol=0.02)  # its middle also rotates
    assert fall < -50.0


def test_trail_is_where_the_body_was(bouncing: nsmb.Solution) -> None:
    movie = small(bouncing, trail=0.2)
    figure, show = movie._figure()
    show(12)
    trail = next(line for line in figure.axes[0].lines if line.get_zorder() == 2.8)
    times = np.linspace(movie.times[12] - 0.2, movie.times[12], len(trail.get_ydata()))
    heights = bouncing.at(times).q[:, 0]
    # mean of the corners without repetition: the centre, 0.1 m above
    np.testing.assert_allclose(trail.get_ydata(), heights + 0.1, atol=1e-12)


def test_arrows_keep_one_scale_over_the_run(bouncing: nsmb.Solution) -> None:
    """The longest arrow belongs to the largest force of all frames."""
    run = nsmb.simulate(nsmb.systems.rocking_rod(), 0.4)
    movie = small(run, fps=20.0)
    figure, show = movie._figure()
    picture_scale = re.search(
        r"arrows: (\S+) N", figure.axes[0].get_legend().get_title().get_text()
    )
    assert picture_scale is not None
    for k in range(len(movie)):
        show(k)
        now = movie._instants[k]
        lengths = [
            np.hypot(*(np.array(a._posA_posB[1]) - np.array(a._posA_posB[0])))
            for a in figure.axes[0].patches
            if hasattr(a, "_posA_posB") and a.get_visible()
        ]
        largest = float(picture_scale[1]) * max(lengths, default=0.0)
        assert largest == pytest.approx(now.largest_force, rel=1e-9)


def test_player_is_shown_inline(bouncing: nsmb.Solution) -> None:
    movie = small(bouncing, fps=2.0)
    html = movie._repr_html_()
    assert html == movie.to_html()
    assert html.count("data:image/png;base64") == len(movie) == 5
    assert not pyplot.get_fignums()


def test_html_file_is_a_page(bouncing: nsmb.Solution, tmp_path: Path) -> None:
    path = small(bouncing, fps=2.0).save(tmp_path / "ball.html")
    assert path.read_text("utf-8").startswith("<!doctype html>")


def test_mp4_is_a_film(bouncing: nsmb.Solution, tmp_path: Path) -> None:
    if not matplotlib.animation.FFMpegWriter.isAvailable():
        pytest.importorskip("imageio_ffmpeg")
    path = small(bouncing, fps=10.0).save(tmp_path / "ball.mp4")
    head = path.read_bytes()[:12]
    assert head[4:8] == b"ftyp"
    assert path.stat().st_size > 1000
    assert not pyplot.get_fignums()


def test_film_without_ffmpeg_names_the_extra(
    bouncing: nsmb.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = pytest.importorskip("matplotlib.animation").FFMpegWriter
    monkeypatch.setattr(writer, "isAvailable", classmethod(lambda cls: False))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ImportError, match=r"pip install 'nsmb\[io\]'"):
        small(bouncing).save(tmp_path / "ball.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_interrupted_file_leaves_what_was_there(
    bouncing: nsmb.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    if suffix == ".mp4" and not matplotlib.animation.FFMpegWriter.isAvailable():
        pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / f"ball{suffix}"
    path.write_bytes(b"before")
    show, shown = drawing.Picture.show, []

    def interrupted(self: drawing.Picture, now: animation.Instant) -> None:
        shown.append(now)
        if len(shown) == 5:
            raise KeyboardInterrupt
        show(self, now)

    monkeypatch.setattr(drawing.Picture, "show", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small(bouncing).save(path)
    assert path.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert not pyplot.get_fignums()


def test_progress_is_shown_on_demand(
    bouncing: nsmb.Solution, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small(bouncing, fps=3.0).save(tmp_path / "ball.gif", progress=True)
    assert "1.000/1.000 s" in capsys.readouterr().err


def test_bad_arguments_of_animations_are_refused(bouncing: nsmb.Solution, tmp_path: Path) -> None:
    for name, value, wanted in [
        ("speed", 0.0, "a number > 0"),
        ("fps", -1.0, "a number > 0"),
        ("fps", np.inf, "a number > 0"),
        ("trail", -0.1, "a number >= 0"),
        ("slow_motion", 0.5, "a number >= 1"),
        ("dpi", "many", "a number"),
    ]:
        with pytest.raises(ValueError, match=f"{name}: expected {wanted}, got {value}|got 'many'"):
            bouncing.animate(**{name: value})
    with pytest.raises(ValueError, match=r"t_span: expected 0 <= start < end <= 1"):
        bouncing.animate(t_span=(0.5, 2.0))
    with pytest.raises(ValueError, match="body: expected one of ball, ground, got 'bird'"):
        bouncing.animate(follow="bird")
    with pytest.raises(ValueError, match=r"ending in \.gif, \.mp4 or \.html, got ball\.avi"):
        bouncing.animate().save("ball.avi")
    method = nsmb.EventDriven(dense_output=False)
    sparse = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, method=method)
    with pytest.raises(ValueError, match="dense_output=True"):
        sparse.animate()

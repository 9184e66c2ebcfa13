"""Animations of runs: inline in Jupyter, GIF, MP4 and HTML.

Matplotlib is imported when an animation is created.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import as_number
from nsmb.common.extras import import_extra
from nsmb.common.progress import Progress
from nsmb.pictures.drawing import COLORS, Picture, picture_of
from nsmb.pictures.framing import center_of, figure_size, view_of
from nsmb.pictures.instant import Instant, instant_of_run
from nsmb.pictures.plane import Plane
from nsmb.pictures.solid_picture import SolidPicture
from nsmb.pictures.stress_colors import (
    StressColors,
    end_of_scale,
    largest_stress,
    scale_colors,
    stress_fields,
)
from nsmb.pictures.subjects import scene_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nsmb.pictures.subjects import Motion

__all__ = ["Animation", "frame_times"]

Floats = NDArray[np.float64]

_AROUND = 0.15  # s of slow playback before and after an impact
_LARGEST_HTML = 200.0  # MB
_TRAIL_POINTS = 400


class Animation:
    """An animation of a run, which Jupyter displays automatically.

    Parameters
    ----------
    solution : Solution
        A run with dense output of a system with a scene.
    speed : float
        Seconds of motion per second of playback; 0.1 is ten times slower than real time.
    fps : float
        Frames per second of playback.
    t_span : (float, float), optional
        Interval to show, s; default: the whole run.
    trail : float
        Time for which the paths of the centres of bodies stay visible, s; 0 for no paths.
    follow : str, optional
        Name of the body that stays in the middle; by default the view is fixed.
    slow_motion : float
        Factor >= 1 by which playback is slowed down around impacts.
    forces : bool
        Whether to draw force arrows.
    dpi : float
        Pixels per inch.
    stresses : bool or float
        Whether to colour bodies of a mesh by von Mises stress, as in `Solution.draw`. The scale
        below the axes is the same for all frames. It ends at the largest stress, or at the given
        number in Pa.

    Raises
    ------
    ValueError
        If the system has no scene or the run no dense output, a body is unknown, `t_span` is empty
        or outside the run, a number is out of range, or `stresses` is requested and no body can
        compute stresses.
    """

    def __init__(
        self,
        solution: Motion,
        *,
        speed: float = 1.0,
        fps: float = 25.0,
        t_span: tuple[float, float] | None = None,
        trail: float = 0.0,
        follow: str | None = None,
        slow_motion: float = 1.0,
        forces: bool = True,
        dpi: float = 100.0,
        stresses: bool | float = False,
    ) -> None:
        self._scene = scene_of(solution.system)
        self._solution, self._system = solution, solution.system
        self._follow = follow
        self._forces = forces
        self._trail = _number("trail", trail, 0.0)
        self._fps = _number("fps", fps, 0.0, above=True)
        self._dpi = _number("dpi", dpi, 0.0, above=True)
        span = _span(solution, t_span)
        self.times = frame_times(
            span,
            speed=_number("speed", speed, 0.0, above=True),
            fps=self._fps,
            impacts=np.unique(solution.events.of_kind("impact").t),
            slow_motion=_number("slow_motion", slow_motion, 1.0),
        )
        """Times of the frames, shape (n,), s."""
        start = solution.at(span[0])
        outlines = self._scene.outlines(span[0], start.q)
        if follow is not None:
            center_of(outlines, follow)
        self._bodies = tuple(dict.fromkeys(o.body for o in outlines if not o.is_ground))
        self._stresses, self._end = stresses is not False, end_of_scale(stresses)
        if self._stresses:
            stress_fields(self._system, instant_of_run(solution, span[0], "right"))
        self._instants: list[Instant] = []
        self._html = ""

    def __len__(self) -> int:
        """Return the number of frames."""
        return int(self.times.size)

    def frame(self, k: int) -> NDArray[np.uint8]:
        """Return frame k as RGBA values, shape (height, width, 4).

        Raises
        ------
        IndexError
            If k is out of range.
        """
        time = self.times[k]
        figure, show = self._figure()
        show(int(np.searchsorted(self.times, time)))
        return _pixels(figure)

    def save(self, path: str | PathLike[str], *, progress: bool | None = None) -> Path:
        """Write a GIF, MP4 or HTML file, which replaces an existing one once it is complete.

        Parameters
        ----------
        path : path
            ``.gif``; ``.mp4``, which needs ffmpeg or imageio-ffmpeg; or ``.html``.
        progress : bool, optional
            Whether to show a progress bar; by default in terminals if writing takes long.

        Returns
        -------
        Path

        Raises
        ------
        ValueError
            If the suffix is not one of these.
        ImportError
            If the writer is not installed; ``pip install nsmb[io]`` installs all writers.
        KeyboardInterrupt
            If interrupted; no file is left then.
        """
        target = Path(path)
        writers = {".gif": self._write_gif, ".mp4": self._write_mp4, ".html": self._write_html}
        write = writers.get(target.suffix.lower())
        if write is None:
            raise ValueError(f"path: expected a name ending in .gif, .mp4 or .html, got {path!s}")
        with _beside(target) as unfinished, self._progress(progress) as monitor:
            write(unfinished, monitor or (lambda t: None))
        return target

    def to_html(self) -> str:
        """Return a player with all frames as self-contained HTML."""
        if not self._html:
            animation = import_extra("matplotlib.animation", "plot")
            figure, show = self._figure()
            made = animation.FuncAnimation(
                figure, show, frames=len(self), interval=1000.0 / self._fps, init_func=lambda: None
            )
            matplotlib = import_extra("matplotlib", "plot")
            with matplotlib.rc_context({"animation.embed_limit": _LARGEST_HTML}):
                self._html = made.to_jshtml()
        return self._html

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        seconds = len(self) / self._fps
        return (
            f"<Animation of {self._solution.system_name}: {len(self)} frames, {seconds:.3g} s, "
            f"{self.times[0]:g} s to {self.times[-1]:g} s of the run>"
        )

    # ---- details -----------------------------------------------------------------------------

    def _progress(self, wanted: bool | None) -> Progress:
        return Progress(wanted, float(self.times[0]), float(self.times[-1]))

    def _figure(self) -> tuple[Figure, Callable[[int], object]]:
        """Return a new figure outside of pyplot, and the function that shows frame k in it."""
        make = import_extra("matplotlib.figure", "plot").Figure
        system = self._system
        if not self._instants:
            self._instants = [instant_of_run(self._solution, t, "right") for t in self.times]
        view, scale = view_of(system, self._instants, self._follow, forces=self._forces)
        plane = view.plane
        size = figure_size(view, bool(system.nc))
        figure: Figure = make(figsize=size, dpi=self._dpi, layout="constrained")
        import_extra("matplotlib.backends.backend_agg", "plot").FigureCanvasAgg(figure)
        ax = figure.subplots()
        trails = self._bodies if self._trail > 0.0 else ()
        picture = picture_of(ax, system, view, scale, trails)
        colors = self._colors(picture)
        step = float(np.diff(self.times).min()) if len(self) > 1 else 1.0
        digits = int(np.clip(np.ceil(-np.log10(step)), 0, 9))
        label = ax.set_title("", loc="left", fontsize="medium", fontweight="bold")
        width = len(f"{self.times[-1]:.{digits}f}")

        def show(k: int) -> None:
            now = self._instants[k]
            picture.show(now)
            if colors is not None:
                colors.show(stress_fields(system, now))
            for body in trails:
                picture.show_trail(body, self._path(body, now.t, plane))
            if self._follow is not None:
                center = center_of(self._scene.outlines(now.t, now.q), self._follow, plane)
                picture.look_at(view.shifted(float(center[0]), float(center[1])))
            label.set_text(f"{self._solution.system_name}, t = {now.t:{width}.{digits}f} s")

        show(0)
        figure.canvas.draw()  # the layout, once for all frames
        figure.set_layout_engine("none")
        return figure, show

    def _colors(self, picture: Picture | SolidPicture) -> StressColors | None:
        """Return the stress colours with one scale for all frames."""
        if not self._stresses or not isinstance(picture, Picture):
            return None
        most = largest_stress(stress_fields(self._system, now) for now in self._instants)
        return picture.colors(self._end or most, most)

    def _path(self, body: str, t: float, plane: Plane) -> Floats:
        first = max(float(self.times[0]), t - self._trail)
        times = np.linspace(first, t, min(_TRAIL_POINTS, 2 + int(200 * (t - first) / self._trail)))
        q = self._solution.at(times).q
        return np.array(
            [
                center_of(self._scene.outlines(time, row), body, plane)
                for time, row in zip(times.tolist(), q, strict=True)
            ]
        )

    def _write_gif(self, path: Path, monitor: Callable[[float], object]) -> None:
        image = import_extra("PIL.Image", "plot")
        figure, show = self._figure()
        palette = image.new("P", (1, 1))
        palette.putpalette(_palette(self._stresses))
        pictures = []
        for k, time in enumerate(self.times):
            show(k)
            picture = image.fromarray(_pixels(figure)[:, :, :3])
            pictures.append(picture.quantize(palette=palette, dither=image.Dither.NONE))
            monitor(float(time))
        # Delays are multiples of 0.01 s; their sum preserves the speed.
        ends = np.round(100.0 * np.arange(len(self) + 1) / self._fps)
        delays = np.maximum(1, np.diff(ends)).astype(int)
        pictures[0].save(
            path, format="GIF", save_all=True, append_images=pictures[1:], loop=0,
            duration=(10 * delays).tolist(), disposal=1, optimize=False,
        )  # fmt: skip

    def _write_mp4(self, path: Path, monitor: Callable[[float], object]) -> None:
        matplotlib = import_extra("matplotlib", "plot")
        animation = import_extra("matplotlib.animation", "plot")
        settings = {}
        if not animation.FFMpegWriter.isAvailable():
            ffmpeg = import_extra("imageio_ffmpeg", "io").get_ffmpeg_exe()
            settings["animation.ffmpeg_path"] = ffmpeg
        with matplotlib.rc_context(settings):
            figure, show = self._figure()
            writer = animation.FFMpegWriter(fps=self._fps, codec="h264")
            interrupt: BaseException | None = None
            try:
                with writer.saving(figure, str(path), self._dpi):
                    try:
                        for k, time in enumerate(self.times):
                            show(k)
                            writer.grab_frame()
                            monitor(float(time))
                    except BaseException as error:
                        interrupt = error
                        raise
            except Exception:
                if interrupt is not None:  # hides the error of the interrupted ffmpeg
                    raise interrupt from None
                raise

    def _write_html(self, path: Path, monitor: Callable[[float], object]) -> None:
        html = self.to_html()
        monitor(float(self.times[-1]))
        head = f'<!doctype html><meta charset="utf-8"><title>{self._solution.system_name}</title>'
        path.write_text(head + html, "utf-8")


def frame_times(
    span: tuple[float, float],
    *,
    speed: float,
    fps: float,
    impacts: Floats,
    slow_motion: float = 1.0,
) -> Floats:
    """Return the times of the frames, including the start and (nearly) the end of the span.

    Playback has the rate `speed`, and is `slow_motion` times slower around impacts: playback time
    is the integral of ``(1 + (slow_motion - 1) w) / speed``, where w is one at an impact and
    decreases to zero before and after it.
    """
    start, end = span
    step = speed / fps
    if slow_motion == 1.0 or impacts.size == 0:
        last = int(np.floor((end - start) / step * (1.0 + 1e-12)))
        return np.asarray(np.minimum(start + step * np.arange(last + 1), end))
    width = _AROUND * speed / slow_motion
    knots = impacts[(impacts > start - width) & (impacts < end + width), None]
    knots = knots + width * np.linspace(-1.0, 1.0, 41)
    grid = np.union1d(np.linspace(start, end, 2000), knots.ravel())
    grid = grid[(grid >= start) & (grid <= end)]
    place = np.searchsorted(impacts, grid)
    near = np.minimum(
        np.abs(grid - impacts[np.clip(place - 1, 0, None)]),
        np.abs(grid - impacts[np.clip(place, None, impacts.size - 1)]),
    )
    weight = np.cos(0.5 * np.pi * np.minimum(near / width, 1.0)) ** 2
    slowness = (1.0 + (slow_motion - 1.0) * weight) / speed
    mean = 0.5 * (slowness[1:] + slowness[:-1])
    playback = np.concatenate([[0.0], np.cumsum(mean * np.diff(grid))])
    frames = np.arange(int(np.floor(playback[-1] * fps * (1.0 + 1e-12))) + 1) / fps
    return np.asarray(np.interp(frames, playback, grid))


def _palette(stresses: bool) -> list[int]:
    """Return 256 colours: those of the artists and their shades towards white and black.

    With `stresses`, half of them are colours of the stress scale.
    """
    from matplotlib.colors import to_rgb

    shades = [np.full((16, 3), np.linspace(0.0, 1.0, 16)[:, None])]
    for color in COLORS:
        own = np.array(to_rgb(color))
        shades += [own + s * (1.0 - own) for s in np.linspace(0.0, 0.9, 8)[:, None, None]]
        shades += [s * own[None] for s in np.linspace(0.25, 0.85, 4)[:, None, None]]
    colors = np.unique(np.round(255.0 * np.vstack([s.reshape(-1, 3) for s in shades])), axis=0)
    colors = colors[colors.min(axis=1) < 240.0]  # Pillow would replace white by some of them
    table = np.full((256, 3), 255.0)
    if stresses:
        colors = np.vstack([np.round(255.0 * scale_colors(np.linspace(0.0, 1.0, 128))), colors])
    table[1 : 1 + min(len(colors), 255)] = colors[:255]
    return [int(value) for value in table.ravel()]


def _pixels(figure: Figure) -> NDArray[np.uint8]:
    canvas: Any = figure.canvas
    canvas.draw()
    return np.array(canvas.buffer_rgba(), dtype=np.uint8)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield a temporary file in the folder of `target`, which replaces `target` on success."""
    handle, name = tempfile.mkstemp(suffix=target.suffix, prefix=".nsmb-", dir=target.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(0o666 & ~mask)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _span(solution: Motion, t_span: tuple[float, float] | None) -> tuple[float, float]:
    first, last = solution.t_span
    if t_span is None:
        return first, last
    start, end = float(t_span[0]), float(t_span[1])
    if not first <= start < end <= last:
        raise ValueError(
            f"t_span: expected {first:.10g} <= start < end <= {last:.10g}, got ({start}, {end})"
        )
    return start, end


def _number(name: str, value: float, least: float, *, above: bool = False) -> float:
    number = as_number(name, value)
    if not (np.isfinite(number) and (number > least if above else number >= least)):
        raise ValueError(
            f"{name}: expected a number {'>' if above else '>='} {least:g}, got {value}"
        )
    return number

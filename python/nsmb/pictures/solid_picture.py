"""Pictures of scenes in space: solids seen from the side and above, with light and shadow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.contact_marks import Chains, contact_legend
from nsmb.pictures.framing import View
from nsmb.pictures.instant import Instant
from nsmb.pictures.plane import Plane
from nsmb.pictures.plot import _prefix
from nsmb.pictures.rays import Placed, Raster, Seen, look
from nsmb.pictures.scene import GROUND
from nsmb.pictures.solids import Ground
from nsmb.pictures.subjects import scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.subjects import Subject

__all__ = ["SolidPicture"]

Floats = NDArray[np.float64]

_LIGHT = np.array([-0.35, -0.6, 0.72])
_LIGHT /= np.linalg.norm(_LIGHT)
_SHADE, _SHADOW = 0.6, 0.78  # brightness of what looks away from the light, and of what is behind
_BRIGHT = 1.08  # of what looks into the light
_PALE = 0.5  # part of white, behind forces
_FINE = 2  # rays across a pixel
_BIAS = 0.01  # of the size: what is this near to what the light sees is lit
_CREASE = 0.8  # cosine: surfaces that meet under a smaller one have an edge
_STEP = 0.02  # of the size: depths that differ by more have one, too
_FLAT = 0.05  # cosine: planes seen flatter are left out
_LINES = 6  # squares of the floor across the picture, about
_FLOOR, _LINE, _EDGE = 0.93, 0.84, 0.25  # brightness


class SolidPicture:
    """As `Picture`, for models whose shapes touch anywhere: an image instead of outlines.

    Parameters
    ----------
    ax : Axes
    system : System
    view : View
        With a box.
    colors : sequence of str
        Of bodies, one after the other.
    scale : float or None
        N per metre of the lines along forces; None: no lines.
    trails : sequence of str
        Bodies whose centre leaves a line.
    """

    def __init__(
        self,
        ax: Axes,
        system: Subject,
        view: View,
        colors: Sequence[str],
        scale: float | None = None,
        trails: Sequence[str] = (),
    ) -> None:
        from matplotlib.colors import to_rgb

        assert view.box is not None
        self.ax, self._scene, self._view = ax, scene_of(system), view
        self._prefix, self._unit = _prefix("m", np.array([view.size]))
        self._colors = np.array([to_rgb(color) for color in colors])
        bodies = dict.fromkeys(s.body for s in self._scene.solids if s.body not in GROUND)
        self._number = {body: k for k, body in enumerate(bodies)}
        self._image: Any = None
        self._trails = {
            body: ax.plot([], [], color="#333333", linewidth=0.8, alpha=0.7)[0] for body in trails
        }
        ax.set_aspect("equal", adjustable="box")
        ax.set_axis_off()
        self._pale = 0.0 if scale is None else _PALE
        self._chains = Chains(ax, view, scale, self._unit)
        if scale is not None:
            contact_legend(ax, system, scale, self._unit, self._prefix)
        self.look_at(view)
        self._scale()

    def look_at(self, view: View) -> None:
        """Set the limits of the axes."""
        self._view = view
        self.ax.set_xlim(self._unit * view.x[0], self._unit * view.x[1])
        self.ax.set_ylim(self._unit * view.y[0], self._unit * view.y[1])

    def show(self, now: Instant) -> None:
        """Bring everything to an instant."""
        if now.found is not None:
            self._chains.show(now.found)
        pixels = self._rendered(now)
        view = self._view
        x, y = ([self._unit * end for end in ends] for ends in (view.x, view.y))
        extent = (x[0], x[1], y[0], y[1])
        if self._image is None:
            self._image = self.ax.imshow(pixels, extent=extent, interpolation="antialiased")
            self.look_at(view)
            return
        self._image.set_data(pixels)
        self._image.set_extent(extent)

    def show_trail(self, body: str, path: Floats) -> None:
        """Path (n, 2) m that the centre of a body has gone."""
        self._trails[body].set_data(self._unit * path[:, 0], self._unit * path[:, 1])

    # ---- details -----------------------------------------------------------------------------

    def _rendered(self, now: Instant) -> Floats:
        """(height, width, 3) colours."""
        poses = self._scene.poses(now.t, now.q)
        placed: list[Placed] = [
            (solid.shape, *poses[solid.marker], self._number.get(solid.body, -2))
            for solid in self._scene.solids
            if not isinstance(solid.shape, Ground)
        ]
        raster = self._raster(self._view)
        seen = look(raster, placed)
        solids = self._scene.solids
        grounds = [poses[s.marker] for s in solids if isinstance(s.shape, Ground)]
        seen, tone = _with_grounds(raster, seen, grounds, self._view)
        who = seen.number
        color = np.where(
            who[..., None] >= 0, self._colors[who % len(self._colors)], tone[..., None]
        )
        dark = self._in_shadow(raster, seen, placed)
        light = np.where(dark, 0.0, np.clip(seen.normal @ _LIGHT, 0.0, 1.0))
        bodies = _SHADE + (_BRIGHT - _SHADE) * light
        floor = np.where(dark, _SHADOW, 1.0)
        color = np.clip(color * np.where(who >= 0, bodies, floor)[..., None], 0.0, 1.0)
        color = np.where(_edges(seen, self._view.size)[..., None], _EDGE, color)
        color = self._pale + (1.0 - self._pale) * color
        color[~np.isfinite(seen.depth)] = 1.0
        h, w = raster.height // _FINE, raster.width // _FINE
        return np.asarray(color.reshape(h, _FINE, w, _FINE, 3).mean(axis=(1, 3)))

    def _raster(self, view: View) -> Raster:
        figure: Any = self.ax.figure
        across, upwards = view.x[1] - view.x[0], view.y[1] - view.y[0]
        box = self.ax.get_position()
        width, height = figure.get_size_inches()
        scale = min(box.width * width / across, box.height * height / upwards) * figure.dpi
        count = [max(16, round(scale * length)) * _FINE for length in (across, upwards)]
        return Raster(view.plane, view.x, view.y, *count)

    def _in_shadow(self, raster: Raster, seen: Seen, placed: Sequence[Placed]) -> NDArray[np.bool_]:
        """Where something lies between a surface and the light."""
        box = self._view.box
        assert box is not None
        right = np.cross((0.0, 1.0, 0.0), _LIGHT)
        right /= np.linalg.norm(right)
        plane = Plane(right, np.cross(_LIGHT, right))
        corners = np.array([box[list(k), [0, 1, 2]] for k in np.ndindex(2, 2, 2)])
        (x0, y0), (x1, y1) = plane.of(corners).min(axis=0), plane.of(corners).max(axis=0)
        lamp = Raster(plane, (x0, x1), (y0, y1), raster.width, raster.height)
        lit = look(lamp, placed).depth
        eye = raster.plane
        depth = np.where(np.isfinite(seen.depth), seen.depth, 0.0)
        upwards, across = raster.rows[:, None], raster.columns[None, :]
        # Products of the axes of both planes instead of every point in space.
        ways = [
            across * (eye.right @ e) + upwards * (eye.up @ e) + depth * (eye.normal @ e)
            for e in (plane.right, plane.up, _LIGHT)
        ]
        column = ((ways[0] - x0) / (x1 - x0) * lamp.width).astype(int)
        row = ((y1 - ways[1]) / (y1 - y0) * lamp.height).astype(int)
        inside = (column >= 0) & (column < lamp.width) & (row >= 0) & (row < lamp.height)
        met = lit[np.clip(row, 0, lamp.height - 1), np.clip(column, 0, lamp.width - 1)]
        return np.asarray(inside & (met > ways[2] + _BIAS * self._view.size))

    def _scale(self) -> None:
        """A bar with its length, instead of axes."""
        view = self._view
        length = _nice(0.2 * (view.x[1] - view.x[0]))
        x, y = self._unit * view.x[0], self._unit * (view.y[0] - 0.02 * view.size)
        style: dict[str, Any] = {"color": "#333333", "linewidth": 2.0, "solid_capstyle": "butt"}
        self.ax.plot([x, x + self._unit * length], [y, y], clip_on=False, **style)
        text = f"{self._unit * length:g} {self._prefix}m"
        self.ax.text(x + 1.1 * self._unit * length, y, text, va="center", fontsize="small")


def _nice(length: float) -> float:
    power = 10.0 ** np.floor(np.log10(length))
    return float(max(f for f in (1.0, 2.0, 5.0) if f * power <= length) * power)


def _with_grounds(
    raster: Raster, seen: Seen, grounds: Sequence[tuple[Floats, Floats]], view: View
) -> tuple[Seen, Floats]:
    """Half-spaces that look to the eye, as far as they lie in the box; and how bright each is."""
    box = view.box
    assert box is not None
    depth, normal, number = seen.depth.copy(), seen.normal.copy(), seen.number.copy()
    tone = np.ones(depth.shape)
    near = 1e-9 * view.size
    square = _nice(view.size / _LINES)
    wide = 0.5 * (raster.x[1] - raster.x[0]) / raster.width * 1.5
    eye, x, y = raster.plane, raster.columns[None, :], raster.rows[:, None]
    for r, A in grounds:
        m = A[:, 2]
        slope = float(m @ eye.normal)
        if slope < _FLAT:
            continue

        def along(e: Floats, r: Floats = r, m: Floats = m, slope: float = slope) -> Floats:
            """Component of the place where each ray meets the plane, linear in x and y."""
            k = float(e @ eye.normal) / slope
            across, upwards = e @ eye.right - k * (m @ eye.right), e @ eye.up - k * (m @ eye.up)
            return np.asarray(across * x + upwards * y + k * (m @ r))

        s = along(eye.normal)
        shown = s > depth
        for axis, e in enumerate(np.eye(3)):
            place = along(e)
            shown &= (place >= box[0, axis] - near) & (place <= box[1, axis] + near)
        for other, axes in grounds:
            shown &= along(axes[:, 2]) >= other @ axes[:, 2] - near
        beside = np.full(depth.shape, np.inf)
        for e in A[:, :2].T:
            place = along(e) - r @ e
            beside = np.minimum(beside, np.abs(place - square * np.round(place / square)))
        depth[shown], number[shown], normal[shown] = s[shown], -1, m
        tone[shown] = np.where(beside < wide, _LINE, _FLOOR)[shown]
    return Seen(depth, normal, number), tone


def _edges(seen: Seen, size: float) -> NDArray[np.bool_]:
    """Pixels beside another body, a crease or a jump in depth."""
    found = np.zeros(seen.number.shape, dtype=bool)
    for axis in (0, 1):
        here = (slice(1, None), slice(None)) if axis == 0 else (slice(None), slice(1, None))
        there = (slice(None, -1), slice(None)) if axis == 0 else (slice(None), slice(None, -1))
        a, b = seen.number[here], seen.number[there]
        either = (a != -1) | (b != -1)
        crease = (seen.normal[here] * seen.normal[there]).sum(axis=-1) < _CREASE
        with np.errstate(invalid="ignore"):
            jump = np.abs(seen.depth[here] - seen.depth[there]) > _STEP * size
        found[here] |= (a != b) | (either & (crease | jump))
    return found

"""Figures of scenes in space: solids seen obliquely from above, with light and shadow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.contact_marks import Chains, contact_legend
from nsmb.pictures.framing import View
from nsmb.pictures.instant import Instant
from nsmb.pictures.plot import _prefix
from nsmb.pictures.rendering import Renderer, round_length
from nsmb.pictures.scene import GROUND
from nsmb.pictures.subjects import scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.subjects import Subject

__all__ = ["SolidPicture"]

Floats = NDArray[np.float64]

_PALE = 0.5  # fraction of white, behind forces
_GROUND = 0.93  # grey level


class SolidPicture:
    """The counterpart of `Picture` for models with `Model.collide`: an image instead of outlines.

    Parameters
    ----------
    ax : Axes
    system : System
    view : View
        View with a box.
    colors : sequence of str
        Colours of bodies, in order.
    scale : float or None
        N per metre of the lines along forces; None for no lines.
    trails : sequence of str
        Bodies for which the path of the centre is drawn.
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
        bodies = dict.fromkeys(s.body for s in self._scene.solids if s.body not in GROUND)
        self._colors = dict.fromkeys(GROUND, np.full(3, _GROUND))
        self._colors |= {b: np.array(to_rgb(c)) for b, c in zip(bodies, cycle(colors))}
        self._renderer: Renderer | None = None
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
        """Update all artists to an instant."""
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
        """Show the path of the centre of a body, shape (n, 2), m."""
        self._trails[body].set_data(self._unit * path[:, 0], self._unit * path[:, 1])

    # ---- details -----------------------------------------------------------------------------

    def _rendered(self, now: Instant) -> Floats:
        """Return red, green and blue of the pixels of the view in the figure."""
        poses = self._scene.poses(now.t, now.q)
        if self._renderer is None:
            self._renderer = Renderer(self._scene.solids, poses, self._colors, self._view)
        figure: Any = self.ax.figure
        view, box = self._view, self.ax.get_position()
        across, upwards = view.x[1] - view.x[0], view.y[1] - view.y[0]
        width, height = figure.get_size_inches() * figure.dpi
        scale = min(box.width * width / across, box.height * height / upwards)
        shape = max(16, round(scale * upwards)), max(16, round(scale * across))
        return self._pale + (1.0 - self._pale) * self._renderer.image(poses, view, shape)

    def _scale(self) -> None:
        """Add a scale bar with its length instead of axes."""
        view = self._view
        length = round_length(0.2 * (view.x[1] - view.x[0]))
        x, y = self._unit * view.x[0], self._unit * (view.y[0] - 0.02 * view.size)
        style: dict[str, Any] = {"color": "#333333", "linewidth": 2.0, "solid_capstyle": "butt"}
        self.ax.plot([x, x + self._unit * length], [y, y], clip_on=False, **style)
        text = f"{self._unit * length:g} {self._prefix}m"
        self.ax.text(x + 1.1 * self._unit * length, y, text, va="center", fontsize="small")

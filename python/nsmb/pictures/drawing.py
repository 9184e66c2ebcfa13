"""Figures of planar scenes: bodies, ground, contact points and their forces at one instant.

Matplotlib is imported when a figure is created.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, one_of
from nsmb.events.enums import ContactState
from nsmb.pictures.contact_marks import Chains, contact_legend
from nsmb.pictures.framing import View, contact_forces, figure_size, view_of
from nsmb.pictures.instant import Instant, instant, instant_of_run, shown_state
from nsmb.pictures.joint_marks import JointMarks
from nsmb.pictures.plot import _new_figure, _prefix
from nsmb.pictures.rows import STATES, force_color, state_color
from nsmb.pictures.scene import GROUND, ContactFrame, Outline
from nsmb.pictures.solid_picture import SolidPicture
from nsmb.pictures.stress_colors import (
    StressColors,
    end_of_scale,
    largest_stress,
    stress_fields,
)
from nsmb.pictures.subjects import contact_frames, scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.subjects import Motion, Subject

__all__ = ["BODIES", "COLORS", "Picture", "draw", "draw_run", "picture_of"]

Floats = NDArray[np.float64]

BODIES = ("#BCD7EC", "#F6DDB5", "#CBE4C6", "#E4CFE0", "#F3C9BC", "#E9E3A6")
"""Colours of bodies, in order."""
_EDGE = "#333333"
_SIDES = ("left", "right")
_GROUND = "#EFEFEF"
_HATCH = "#9A9A9A"
COLORS = (*BODIES, *(style[0] for style in STATES.values()))
"""All colours that are not grey."""
_DOT, _SMALL_DOT = 26.0, 8.0  # points²
_BAR = 5.0  # points, width of a bar with its edges
_BAND = 0.035  # width of hatched ground along a line, relative to the size of the figure


def draw(
    system: Subject,
    q: ArrayLike | None = None,
    t: float | None = None,
    *,
    u: ArrayLike | None = None,
    x: ArrayLike | None = None,
    ax: Axes | None = None,
    forces: bool = True,
    title: str | None = None,
    stresses: bool | float = False,
) -> Axes:
    """Draw a scene at (t, q).

    The figure shows the x-y plane, or the plane in which the parts lie and move. Bodies are filled
    and the ground is hatched. Dots mark closed contacts, coloured by their state if velocities are
    known. Arrows at the dots are the forces on body 1 (on body 2 if the first is the ground).
    Normal forces have filled heads and friction forces open heads, all in the scale of the legend.
    A body of a model without an outline is drawn as bars from its centre of mass, a crossed circle,
    to its joints and contours. A circle is a hinge, on a triangle if it is fixed to the ground. A
    square is a slider, on a line along its axis.

    Models with `Model.collide` are drawn as solids in space, seen obliquely from above. For a run,
    each contact with a force has a line along its force with proportional length. These force
    chains are drawn in front of the bodies, which are paler then.

    Parameters
    ----------
    system : System
        Must have a `scene`.
    q : array_like (nq,), optional
        Coordinates; default: those of the initial state, with its `t`, `u` and `x`.
    t : float, optional
        Time, s; default: that of the initial state.
    u : array_like (nu,), optional
        Velocities; if `q` is given without them, no forces are drawn.
    x : array_like (nx,), optional
        Internal states; default: zeros.
    ax : Axes, optional
        Axes to draw in; default: those of a new figure.
    forces : bool
        Whether to draw force arrows.
    title : str, optional
        Title; default: the name of the system.
    stresses : bool or float
        Whether to colour the deformed bodies of a mesh, or the visible surface of solids, by von
        Mises stress. A number is the end of the scale in Pa; by default the scale ends at the
        largest stress. The scale is below the axes.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the system has no scene, an array has a wrong shape or contains NaN, or `stresses` is
        requested and no body can compute stresses.
    ImportError
        If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it. For solids in space
        also if PyVista is not installed (``pip install nsmb[view]``), or if there is neither a
        display nor a library for off-screen rendering.
    """
    scene_of(system)
    start = system.initial_state
    time = start.t if t is None else float(as_array("t", t, ()))
    if q is None:
        u, x = (start.u if u is None else u), (start.x if x is None else x)
    now = instant(system, time, start.q if q is None else q, u, x)
    return _draw(system, now, ax, forces, system.name if title is None else title, stresses)


def draw_run(
    solution: Motion,
    t: float,
    *,
    side: str = "right",
    ax: Axes | None = None,
    forces: bool = True,
    title: str | None = None,
    stresses: bool | float = False,
) -> Axes:
    """Draw a scene at a time of a run, see `Solution.draw`."""
    scene_of(solution.system)
    now = instant_of_run(solution, t, "left" if one_of("side", side, _SIDES) == "left" else "right")
    if title is None:
        title = f"{solution.system_name}, t = {float(t):.6g} s"
        if not solution.success and float(t) == solution.t_span[1]:
            title += f" ({solution.status.replace('_', ' ')})"
    return _draw(solution.system, now, ax, forces, title, stresses)


def _draw(
    system: Subject, now: Instant, ax: Axes | None, forces: bool, title: str, stresses: bool | float
) -> Axes:
    fields = [] if stresses is False else stress_fields(system, now)
    end = end_of_scale(stresses)
    view, scale = view_of(system, [now], forces=forces)
    if ax is None:
        ax = _new_figure(
            *figure_size(view, bool(system.nc) or system._core.finds_contacts)
        ).subplots()
    ax.set_title(title, loc="left", fontsize="medium", fontweight="bold")
    picture = picture_of(ax, system, view, scale)
    picture.show(now)
    if isinstance(picture, Picture) and fields:
        most = largest_stress([fields])
        picture.colors(end or most, most).show(fields)
    return ax


def picture_of(
    ax: Axes, system: Subject, view: View, scale: float | None, trails: Sequence[str] = ()
) -> Picture | SolidPicture:
    """Return the artists of a system; for the arguments, see `Picture`."""
    if view.box is not None:
        return SolidPicture(ax, system, view, BODIES, scale, trails)
    return Picture(ax, system, view, scale, trails)


class Picture:
    """The artists of a scene in axes; `show` updates them to an instant.

    Parameters
    ----------
    ax : Axes
    system : System
    view : View
    scale : float or None
        N per metre of arrow; None for no arrows.
    trails : sequence of str
        Bodies for which the path of the centre is drawn.
    """

    def __init__(
        self,
        ax: Axes,
        system: Subject,
        view: View,
        scale: float | None,
        trails: Sequence[str] = (),
    ) -> None:
        from matplotlib.patches import FancyArrowPatch

        self.ax = ax
        self._system = system
        self._scene = scene_of(system)
        self._view, self._plane = view, view.plane
        self._scale = scale
        prefix, self._unit = _prefix("m", np.array([view.size]))
        self._bodies: dict[str, Any] = {}
        self._lines: dict[int, Any] = {}
        self._bars: dict[int, Any] = {}
        self._colors: dict[str, str] = {}
        self._marks = JointMarks(ax, self._plane, self._unit, view.size)
        self._trails = {
            body: ax.plot([], [], color=_EDGE, linewidth=0.8, alpha=0.7, zorder=2.8)[0]
            for body in trails
        }
        self._dots = ax.scatter([], [], s=_DOT, edgecolors=_EDGE, linewidths=0.8, zorder=6)
        self._chains = Chains(ax, view, scale, self._unit)
        self.arrows: dict[tuple[int, str], Any] = {}
        for i, contact in enumerate(system.contacts):
            for kind, head in (("normal", "-|>"), ("friction", "->")):
                if scale is None or (kind == "normal" and not contact.is_unilateral):
                    continue
                arrow = FancyArrowPatch(
                    (0.0, 0.0), (0.0, 0.0), arrowstyle=head, mutation_scale=11.0, shrinkA=0.0,
                    shrinkB=0.0, linewidth=1.8, zorder=5, visible=False,
                )  # fmt: skip
                ax.add_patch(arrow)
                self.arrows[i, kind] = arrow
        ax.set_aspect("equal", adjustable="box")
        right, up = view.plane.names
        ax.set_xlabel(f"{right} / {prefix}m")
        ax.set_ylabel(f"{up} / {prefix}m")
        ax.spines[["top", "right"]].set_visible(False)
        self.look_at(view)
        contact_legend(ax, system, scale, self._unit, prefix)

    def look_at(self, view: View) -> None:
        """Set the limits of the axes."""
        self.ax.set_xlim(self._unit * view.x[0], self._unit * view.x[1])
        self.ax.set_ylim(self._unit * view.y[0], self._unit * view.y[1])

    def show(self, now: Instant) -> None:
        """Update all artists to an instant."""
        outlines = self._scene.outlines(now.t, now.q)
        for name in dict.fromkeys(outline.body for outline in outlines if not outline.is_ground):
            self._colors.setdefault(name, BODIES[len(self._colors) % len(BODIES)])
        bodies: dict[str, list[Outline]] = {}
        for k, outline in enumerate(outlines):
            if outline.closed:
                bodies.setdefault(outline.body, []).append(outline)
            else:
                self._show_line(k, outline)
        for name, parts in bodies.items():
            self._show_body(name, parts)
        self._marks.show(self._scene, now)
        self._show_contacts(now)

    def show_trail(self, body: str, path: Floats) -> None:
        """Show the path of the centre of a body, shape (n, 2), m."""
        self._trails[body].set_data(self._unit * path[:, 0], self._unit * path[:, 1])

    def colors(self, end: float, largest: float) -> StressColors:
        """Return the stress colours up to `end`, Pa; `largest` is the largest stress, Pa."""
        return StressColors(self.ax, self._plane, self._unit, end, largest)

    # ---- details -----------------------------------------------------------------------------

    def _show_body(self, name: str, parts: Sequence[Outline]) -> None:
        """Show the closed outlines of a body; clockwise outlines within others are holes."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        rings = [self._unit * self._plane.outline(part) for part in parts]
        rings = [np.vstack([ring, ring[:1]]) for ring in rings]
        path = Path.make_compound_path(*(Path(ring, closed=True) for ring in rings))
        if name in self._bodies:
            self._bodies[name].set_path(path)
            return
        style: dict[str, Any] = {"facecolor": _GROUND, "hatch": "////", "edgecolor": _HATCH}
        style |= {"linewidth": 0.8, "zorder": 1}
        if name not in GROUND:
            style = {"facecolor": self._colors[name], "edgecolor": _EDGE, "zorder": 2}
            style |= {"linewidth": 1.1, "joinstyle": "round"}
        self._bodies[name] = self.ax.add_patch(PathPatch(path, label=name, **style))

    def _show_line(self, k: int, outline: Outline) -> None:
        """Show an open outline: ground hatched on its left, or a bar of a body without outline."""
        points = self._unit * self._plane.outline(outline)
        if k not in self._lines:
            marker = "o" if len(points) == 1 else ""
            style: dict[str, Any] = {"color": _EDGE, "linewidth": 1.6, "zorder": 2.5}
            if outline.is_bar and len(points) > 1:
                style |= {"linewidth": _BAR, "zorder": 1.8, "solid_capstyle": "round"}
            line = self.ax.plot([], [], marker=marker, markersize=3.0, **style)[0]
            band = None
            if outline.is_bar and len(points) > 1:
                style |= {"color": self._colors[outline.body], "linewidth": _BAR - 2.0}
                inside = self.ax.plot([], [], **style | {"zorder": 1.9})[0]
                self._bars[k] = inside
            if outline.is_ground and len(points) > 1:
                band = self.ax.fill(
                    [0.0], [0.0], facecolor=_GROUND, hatch="////", edgecolor=_HATCH, linewidth=0.0,
                    zorder=1,
                )[0]  # fmt: skip
            self._lines[k] = line, band
        line, band = self._lines[k]
        line.set_data(points[:, 0], points[:, 1])
        if k in self._bars:
            self._bars[k].set_data(points[:, 0], points[:, 1])
        if band is not None:
            inner = points + self._unit * _BAND * self._view.size * _left(points)
            band.set_xy(np.vstack([points, inner[::-1]]))

    def _show_contacts(self, now: Instant) -> None:
        from matplotlib.colors import to_rgba

        frames = contact_frames(self._system, now.t, now.q)
        places, colors = [], []
        for arrow in self.arrows.values():
            arrow.set_visible(False)
        for i, frame in enumerate(frames):
            state = shown_state(self._system, now, i, self._view.size)
            if frame is None or state is None:
                continue
            color = state_color(state)
            places.append(self._unit * self._plane.of(np.asarray(frame.point, dtype=np.float64)))
            colors.append(to_rgba(color))
            if now.lambda_N is not None and state != ContactState.OPEN:
                self._show_forces(now, i, frame, color)
        if now.found is not None:
            places += list(self._unit * self._plane.of(now.found.point))
            colors += [to_rgba(force_color(state)) for state in now.found.state.tolist()]
            self._chains.show(now.found)
        self._dots.set_sizes([_DOT if now.found is None else _SMALL_DOT])
        self._dots.set_offsets(np.array(places).reshape(-1, 2))
        self._dots.set_facecolor(colors)

    def _show_forces(self, now: Instant, i: int, frame: ContactFrame, color: str) -> None:
        point = self._plane.of(np.asarray(frame.point, dtype=np.float64))
        for kind, force in contact_forces(self._system, now, i, frame, self._plane):
            arrow = self.arrows.get((i, kind))
            if arrow is None or self._scale is None:
                continue
            vector = force / self._scale
            arrow.set_visible(bool(np.hypot(*vector) > 0.005 * self._view.size))
            arrow.set_color(color)
            arrow.set_positions(self._unit * point, self._unit * (point + vector))


def _left(points: Floats) -> Floats:
    """Return unit vectors (n, 2) to the left of a polyline."""
    step = np.diff(points, axis=0)
    normal = np.column_stack([-step[:, 1], step[:, 0]])
    length = np.hypot(normal[:, 0], normal[:, 1])[:, None]
    normal = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0.0)
    mean = np.vstack([normal[:1], normal[:-1] + normal[1:], normal[-1:]])
    size = np.hypot(mean[:, 0], mean[:, 1])[:, None]
    return np.divide(mean, size, out=np.zeros_like(mean), where=size > 0.0)

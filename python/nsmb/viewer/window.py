"""Three-dimensional scenes in a browser, with MeshCat.

Shapes are sent once, and the motion moves their nodes. MeshCat is imported when the first viewer is
created.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_number, left_out
from nsmb.common.extras import import_extra
from nsmb.pictures.framing import contact_forces, half_lines, view_of
from nsmb.pictures.in_space import (
    apart,
    arrow_between,
    arrow_mesh,
    clipped,
    edges_of,
    extent,
    in_space,
    matrix,
    motion_between,
    placed_back,
    plane_of,
    prism,
)
from nsmb.pictures.instant import FoundForces, Instant, instant, instant_of_run, shown_state
from nsmb.pictures.rows import force_color, state_color
from nsmb.pictures.scene import GROUND
from nsmb.pictures.solids import Box, Cylinder, Ground, Shape, Sphere
from nsmb.pictures.stress_colors import (
    end_of_scale,
    largest_stress,
    scale_colors,
    stress_fields,
)
from nsmb.pictures.subjects import contact_frames, scene_of
from nsmb.pictures.surfaces import plate, surface
from nsmb.solution.solution import Solution
from nsmb.system.base import System, SystemLike, as_system
from nsmb.viewer.camera import Y_UP, Sight, look, upwards
from nsmb.viewer.server import visualizer as new_visualizer

__all__ = ["Viewer", "view"]

Floats = NDArray[np.float64]
Places = dict[str, Floats]

_COLORS = (0x6FA8DC, 0xF0B060, 0x86BF7A, 0xC08BB8, 0xE38E75, 0xA0A0A0)
_GROUND_COLOR, _DARK, _WHITE = 0xC8C8C8, 0x505050, 0xFFFFFF
_DOT, _ARROW, _ROD, _SPRING, _FORCE_ROD = 0.012, 0.5, 0.008, 0.004, 0.003  # relative to the size
_MOST_RODS = 200  # per frame
_LOOKS, _MANY = 60, 50  # instants that determine the view; fewer are used above _MANY bodies


def view(
    subject: SystemLike | Solution,
    *,
    speed: float | None = None,
    fps: float | None = None,
    thickness: float | None = None,
    up: str | None = None,
    forces: bool = True,
    opacity: float = 1.0,
    stresses: bool | float = False,
    visualizer: Any = None,
) -> Viewer:
    """Show a system at its initial state, or animate a run, in three dimensions.

    The function starts a server and prints its address. `Viewer.open` opens a browser, and Jupyter
    shows a copy of the scene inline. The server listens only on 127.0.0.1 and answers only
    addresses that contain its secret, so that only those who know the address can see the scene. It
    ends with this process, or when `Viewer.close` is called.

    Outlines are drawn as prisms. Closed contacts have a dot in the colour of their state, and their
    forces are arrows, as in `System.draw`. In models with `Model.collide`, each contact with a
    force has a rod along its force; a frame shows the 200 strongest. The camera looks onto the
    plane of the motion, and everything is in view. The page has controls to stop the animation, and
    to select any time.

    Parameters
    ----------
    subject : System, Model or Solution
        Must have a scene.
    speed, fps : float, optional
        For a run: seconds of motion per second of playback, by default 1, and frames per second,
        by default 30.
    thickness : float, optional
        Thickness of the prisms, m; default: a tenth of the largest outline.
    up : {"y", "z"}, optional
        Upward direction; default: that of `System.draw`, or z if the scene has solids.
    forces : bool
        Whether to show dots and arrows of contacts.
    opacity : float
        Opacity of moving bodies, above 0; below 1 the forces between them are visible.
    stresses : bool or float
        Whether to colour the deformed bodies of a mesh by von Mises stress. The scale is the same
        for all frames, from dark blue at 0 to yellow at the largest stress, or at the given number
        in Pa, see `Viewer.stress_limit`. Requires Matplotlib.
    visualizer : meshcat.Visualizer, optional
        Visualizer to draw in; default: a new one. A visualizer created by MeshCat itself has a
        server that listens on all interfaces.

    Returns
    -------
    Viewer

    Raises
    ------
    ValueError
        If there is no scene, if a number is out of range, or if `stresses` is requested and no body
        can compute stresses.
    ImportError
        If MeshCat is not installed; ``pip install nsmb[view]`` installs it.

    Examples
    --------
    ``nsmb.view(nsmb.simulate(nsmb.systems.tippe_top())).open()`` shows a tippe top that inverts.
    """
    options: dict[str, Any] = {
        "thickness": thickness,
        "up": up,
        "forces": forces,
        "opacity": opacity,
        "stresses": stresses,
    }
    if isinstance(subject, Solution):
        viewer = Viewer(subject.system, visualizer=visualizer, run=subject, **options)
        viewer.play(
            subject, speed=1.0 if speed is None else speed, fps=30.0 if fps is None else fps
        )
        return viewer
    system = as_system("subject", subject, " or nsmb.Solution")
    for name, value in (("speed", speed), ("fps", fps)):
        left_out(name, value, "for a system at rest", "Give a nsmb.Solution as subject.")
    return Viewer(system, visualizer=visualizer, **options)


class Viewer:
    """A scene in a MeshCat visualizer; for parameters and errors, see :func:`view`.

    With `run`, the camera shows the whole motion of the run.
    """

    def __init__(
        self,
        system: System,
        *,
        thickness: float | None = None,
        up: str | None = None,
        forces: bool = True,
        opacity: float = 1.0,
        stresses: bool | float = False,
        visualizer: Any = None,
        run: Solution | None = None,
    ) -> None:
        scene = scene_of(system)
        if up not in (None, "y", "z"):
            raise ValueError(f"up: expected 'y' or 'z', got {up!r}")
        if not 0.0 < as_number("opacity", opacity) <= 1.0:
            raise ValueError(f"opacity: expected a number above 0, up to 1, got {opacity}")
        self._system, self._scene, self._forces = system, scene, forces
        self._opacity = float(opacity)
        self._stresses, self._end = stresses is not False, end_of_scale(stresses)
        self._is_film = False
        self.stress_limit: float | None = None
        """Upper end of the stress scale, Pa, fixed for a run; None without colours."""
        start = system.initial_state
        now = instant(system, start.t, start.q, start.u, start.x)
        looks = _LOOKS if len(scene.solids) <= _MANY else _LOOKS // 5
        times = [] if run is None else np.linspace(*run.t_span, looks).tolist()
        seen = [now] if run is None else [instant_of_run(run, t, "right") for t in times]
        self._view, self._scale = view_of(system, seen, forces=forces, solids=True)
        self._first = scene.outlines(start.t, start.q)
        if thickness is None:
            moving = [o.points for o in self._first if not o.is_ground]
            thickness = 0.1 * max((extent(points) for points in moving), default=0.0)
            thickness = thickness or 0.1 * self._view.size
        elif not 0.0 < as_number("thickness", thickness) < np.inf:
            raise ValueError(f"thickness: expected a number > 0, got {thickness}")
        self._thickness = float(thickness)
        self._geometry = import_extra("meshcat.geometry", "view")
        if visualizer is None:
            visualizer = new_visualizer()
        self.visualizer: Any = visualizer
        """The meshcat.Visualizer."""
        self._root = visualizer["nsmb"]
        self._root.delete()
        self._known: set[str] = set()
        turn = upwards(self._view.plane, up, bool(scene.solids))
        self._root.set_transform(turn)
        self._place_outlines()
        self._place_solids()
        look(visualizer, self._geometry, self._sight(turn))
        self._show(now)
        if run is None:  # stop an earlier animation of the visualizer
            empty = import_extra("meshcat.animation", "view").Animation()
            visualizer.set_animation(empty, play=False)

    def show(self, q: ArrayLike | None = None, t: float | None = None) -> None:
        """Move all bodies to (t, q), by default to the initial state.

        If `q` is given, velocities are unknown: closed contacts have white dots and no forces.
        """
        start = self._system.initial_state
        time = start.t if t is None else float(t)
        if q is None:
            self._show(instant(self._system, time, start.q, start.u, start.x))
        else:
            self._show(instant(self._system, time, as_array("q", q, (self._system.nq,))))

    def play(self, solution: Solution, *, speed: float = 1.0, fps: float = 30.0) -> None:
        """Animate a run of the system; the run must have dense output."""
        animation = import_extra("meshcat.animation", "view").Animation(default_framerate=fps)
        for name, value in (("speed", speed), ("fps", fps)):
            if not 0.0 < as_number(name, value) < np.inf:
                raise ValueError(f"{name}: expected a number > 0, got {value}")
        start, end = solution.t_span
        frames = int((end - start) * fps / speed * (1.0 + 1e-12)) + 1
        times = np.minimum(start + speed / fps * np.arange(frames), end)
        instants = [instant_of_run(solution, t, "right") for t in times.tolist()]
        self._set_scale(*instants)
        self._is_film = True
        self._root["stresses"].delete()
        self._known = {path for path in self._known if not path.startswith("stresses/")}
        steps = [
            (self._places(now), self._marks(now) | self._colored(now, str(k)))
            for k, now in enumerate(instants)
        ]
        marks = list(dict.fromkeys(path for _, found in steps for path in found))
        for path in marks:
            self._add_mark(path)
        shown = dict.fromkeys(marks, True)  # until the first frame
        for k, (places, found) in enumerate(steps):
            for path, place in (places | found).items():
                self._at(animation, path, k, place)
            for path in marks:
                # MeshCat animates each node only up to its own last key.
                if k in (0, frames - 1) or shown[path] != (path in found):
                    shown[path] = path in found
                    at = animation.at_frame(self._root[path], k)
                    at.set_property("visible", "boolean", shown[path])
        self.visualizer.set_animation(animation)

    def open(self) -> Viewer:
        """Open a browser.

        The browser receives the address on its command line, which other users of this machine may
        be able to see. If that matters, open the printed address by hand.
        """
        self.visualizer.open()
        return self

    def close(self) -> None:
        """Stop the server."""
        self.visualizer.close()

    def to_html(self) -> str:
        """Return the scene and the animation as a page that needs no server."""
        return str(self.visualizer.static_html())

    def _repr_html_(self) -> str:
        return str(self.visualizer.render_static().data)

    def _sight(self, turn: Floats) -> Sight:
        shown = [o.points for o in self._first if not o.is_ground]
        normal = self._view.plane.normal
        depth = float(np.vstack(shown).mean(axis=0) @ normal) if shown else 0.0
        return Sight(self._view, turn, depth, self._thickness, bool(self._scene.solids))

    # ---- shapes ------------------------------------------------------------------------------

    def _place_outlines(self) -> None:
        """Add outlines of items at their markers and of functions at the start; clip the ground."""
        colors = self._colors()
        start = self._system.initial_state
        poses = self._scene.poses(start.t, start.q) if self._scene.items else []
        plane = self._view.plane
        items = len(self._scene.items)
        for k, outline in enumerate(self._first):
            if k >= items and self._scene._points is None:  # rods
                continue
            if k < items and self._scene.items[k].has_solid:
                continue
            frame, node = plane_of(outline), f"function_{k}/outline_{k}"
            if k < items:
                marker = self._scene.items[k].marker
                r, A = poses[marker]
                frame, node = matrix(r, A), f"marker_{marker}/outline_{k}"
            local = (outline.points - frame[:3, 3]) @ frame[:3, :2]
            if outline.is_ground:
                flat = plane.of(outline.points)
                kept = clipped(flat, outline.closed, self._view)
                if len(kept) < min(len(flat), 2):
                    continue
                if kept is not flat:
                    local = placed_back(kept, flat, outline.points, frame)
            if frame[:3, 2] @ outline.normal < 0.0:
                local = local[::-1]
            mesh = prism(local, outline.closed, self._thickness, self._view.size, outline.is_ground)
            geometry = self._geometry.TriangularMeshGeometry(*mesh)
            self._add(node, geometry, colors[outline.body])
            if k >= items:
                self._root[node].set_transform(frame)

    def _place_solids(self) -> None:
        colors = self._colors()
        for k, solid in enumerate(self._scene.solids):
            node = f"marker_{solid.marker}/solid_{k}"
            if isinstance(solid.shape, Ground):
                self._add(node, self._plate(solid.marker), _GROUND_COLOR)
                continue
            opacity = 1.0 if solid.body in GROUND else self._opacity
            self._add(node, self._shape(solid.shape), colors[solid.body], opacity)
            if isinstance(solid.shape, Cylinder):  # cylinders of MeshCat have the axis y
                self._root[node].set_transform(Y_UP)
        size = self._view.size
        for k, body in enumerate(body for body, a, b in self._scene.links if a != b):
            self._add(f"link_{k}", self._rod(), colors[body])
        start = self._system.initial_state
        for k, (body, _, _) in enumerate(edges_of(self._scene.deformed(start.t, start.q))):
            self._add(f"edge_{k}", self._rod(), colors[body])
        for k in range(len(self._scene.springs)):
            self._add(f"spring_{k}", self._rod(), _DARK)
        for k in range(len(self._scene.joints)):
            self._add(f"joint_{k}", self._geometry.Sphere(1.5 * _ROD * size), _WHITE)
        for k in range(len(self._scene.centers)):
            self._add(f"center_{k}", self._geometry.Sphere(1.8 * _ROD * size), 0xFFD966)

    def _colors(self) -> dict[str, int]:
        bodies = [outline.body for outline in self._first]
        bodies += [solid.body for solid in self._scene.solids]
        moving = dict.fromkeys(body for body in bodies if body not in GROUND)
        colors = {body: _COLORS[k % len(_COLORS)] for k, body in enumerate(moving)}
        return colors | dict.fromkeys(GROUND, _GROUND_COLOR)

    def _shape(self, shape: Shape) -> Any:
        if isinstance(shape, Box):
            return self._geometry.Box(np.asarray(shape.size).tolist())
        if isinstance(shape, Sphere):
            return self._geometry.Sphere(shape.radius)
        if isinstance(shape, Cylinder):
            return self._geometry.Cylinder(shape.length, shape.radius)
        return self._geometry.TriangularMeshGeometry(*apart(*surface(shape)))

    def _plate(self, marker: int) -> Any:
        """Return a plate for unbounded ground that covers the visible region."""
        start = self._system.initial_state
        r, A = self._scene.poses(start.t, start.q)[marker]
        size, plane = self._view.size, self._view.plane
        corners = [x * plane.right + y * plane.up for x in self._view.x for y in self._view.y]
        seen = np.vstack([np.array(corners), self._scene.solids_at(start.t, start.q)])
        mesh = plate((seen - r) @ A, 0.02 * size, 0.1 * size)
        return self._geometry.TriangularMeshGeometry(*apart(*mesh))

    def _rod(self) -> Any:
        """Return a rod along z from 0 to 1 with radius 1."""
        angle = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        vertices, faces = prism(circle, True, 1.0, 1.0, False)
        return self._geometry.TriangularMeshGeometry(vertices + np.array([0.0, 0.0, 0.5]), faces)

    def _add(
        self,
        path: str,
        geometry: Any,
        color: int,
        opacity: float = 1.0,
        kind: str = "MeshLambertMaterial",
    ) -> None:
        options: dict[str, Any] = {}
        if opacity < 1.0:
            options |= {"opacity": opacity, "transparent": True}
        if getattr(geometry, "color", None) is not None:
            options["vertexColors"] = True
        material = getattr(self._geometry, kind)(color=color, **options)
        self._root[path].set_object(geometry, material)
        self._known.add(path)

    # ---- motion ------------------------------------------------------------------------------

    def _places(self, now: Instant) -> Places:
        """Return the transformations of all moving nodes, each of shape (4, 4)."""
        scene, size = self._scene, self._view.size
        markers = {item.marker for item in scene.items if not item.has_solid}
        markers |= {solid.marker for solid in scene.solids}
        poses = scene.poses(now.t, now.q) if markers or scene.links else []
        places = {f"marker_{k}": matrix(*poses[k]) for k in sorted(markers)}
        if scene._points is not None:
            for k, outline in enumerate(scene.outlines(now.t, now.q)):
                if f"function_{k}/outline_{k}" in self._known:
                    places[f"function_{k}"] = motion_between(self._first[k], outline)
        ends = [(poses[a][0], poses[b][0]) for _, a, b in scene.links if a != b]
        for k, (a, b) in enumerate(ends):
            places[f"link_{k}"] = arrow_between(a, b, _ROD * size)
        for k, (_, a, b) in enumerate(edges_of(scene.deformed(now.t, now.q))):
            places[f"edge_{k}"] = arrow_between(a, b, _ROD * size)
        for k, (a, b) in enumerate(scene.springs_at(now.t, now.q)):
            places[f"spring_{k}"] = arrow_between(a, b, _SPRING * size)
        for name, points in (
            ("joint", scene.joints_at(now.t, now.q)),
            ("center", scene.centers_at(now.t, now.q)),
        ):
            places |= {f"{name}_{k}": matrix(r, np.eye(3)) for k, r in enumerate(points)}
        return places

    def _marks(self, now: Instant) -> Places:
        """Return dots and force arrows of closed contacts, placed in front of the bodies."""
        found: Places = {}
        if not self._forces:
            return found
        if now.found is not None:
            return self._rods(now.found)
        plane, size = self._view.plane, self._view.size
        lift = 0.6 * self._thickness * plane.normal
        for i, frame in enumerate(contact_frames(self._system, now.t, now.q)):
            state = shown_state(self._system, now, i, size)
            if frame is None or state is None:
                continue
            point = in_space(frame.point) + lift
            found[f"contacts/{i}/dot/{int(state)}"] = matrix(point, _DOT * size * np.eye(3))
            if self._scale is None:
                continue
            for kind, force in contact_forces(self._system, now, i, frame, plane):
                arrow = (force[0] * plane.right + force[1] * plane.up) / self._scale
                if np.linalg.norm(arrow) > 0.005 * size:
                    place = arrow_between(point, point + arrow, _ARROW * size)
                    found[f"contacts/{i}/{kind}/{int(state)}"] = place
        return found

    def _rods(self, found: FoundForces) -> Places:
        """Return rods through the contacts along their forces."""
        if self._scale is None:
            return {}
        size = self._view.size
        strength = np.linalg.norm(found.force, axis=1)
        halves = half_lines(found, self._scale, size)
        places: Places = {}
        for i in np.argsort(-strength)[:_MOST_RODS].tolist():
            path = f"contacts/{found.identity[i]}/rod/{found.state[i]}"
            ends = found.point[i] - halves[i], found.point[i] + halves[i]
            places[path] = arrow_between(*ends, _FORCE_ROD * size)
        return places

    def _add_mark(self, path: str) -> None:
        if path in self._known:
            return
        _, _, kind, state = path.split("/")
        name = force_color if kind == "rod" else state_color
        color = int(name(int(state))[1:], 16)
        if kind == "dot":
            self._add(path, self._geometry.Sphere(1.0), color)
        elif kind == "rod":
            self._add(path, self._rod(), color)
        else:
            self._add(path, self._geometry.TriangularMeshGeometry(*arrow_mesh()), color)

    def _set_scale(self, *instants: Instant) -> None:
        """Set one stress scale for all instants."""
        if self._stresses:
            fields = (stress_fields(self._system, now) for now in instants)
            self.stress_limit = self._end or largest_stress(fields)

    def _colored(self, now: Instant, name: str) -> Places:
        """Send the deformed bodies coloured by stress, once for each instant."""
        found: Places = {}
        if self.stress_limit is None:
            return found
        for i, field in enumerate(stress_fields(self._system, now)):
            path = f"stresses/{i}/{name}"
            colors = scale_colors(field.von_mises / self.stress_limit)
            mesh = self._geometry.TriangularMeshGeometry(field.points, field.triangles, colors)
            # Planar bodies are not shaded, so that their colours match the scale.
            kind = "MeshBasicMaterial" if field.is_planar else "MeshLambertMaterial"
            self._add(path, mesh, _WHITE, self._opacity, kind)
            found[path] = np.eye(4)
        return found

    def _show(self, now: Instant) -> None:
        if not self._is_film:
            self._set_scale(now)
        marks = self._marks(now) | self._colored(now, "now")
        for path in marks:
            self._add_mark(path)
        for path, place in (self._places(now) | marks).items():
            self._root[path].set_transform(place)
        for path in sorted(self._known):
            if path.startswith(("contacts/", "stresses/")):
                self._root[path].set_property("visible", path in marks)

    def _at(self, animation: Any, path: str, k: int, place: Floats) -> None:
        """Add a frame to the animation; MeshCat's own function ignores the scale."""
        at = animation.at_frame(self._root[path], k)
        scale = np.linalg.norm(place[:3, :3], axis=0)
        rigid = place.copy()
        rigid[:3, :3] /= scale
        at.set_transform(rigid)
        if path.partition("_")[0] not in ("marker", "function", "joint", "center"):
            at.set_property("scale", "vector3", scale.tolist())

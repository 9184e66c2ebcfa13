"""Scenes in space, in a browser through MeshCat.

Shapes are sent once; motion moves the nodes that carry them. MeshCat is imported when a viewer is
made, not before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_number
from nsmb.common.extras import import_extra
from nsmb.pictures.framing import contact_forces, half_lines, view_of
from nsmb.pictures.in_space import (
    apart,
    arrow_between,
    arrow_mesh,
    clipped,
    matrix,
    motion_between,
    prism,
)
from nsmb.pictures.instant import FoundForces, Instant, instant, instant_of_run, shown_state
from nsmb.pictures.rows import force_color, state_color
from nsmb.pictures.scene import GROUND, Outline
from nsmb.pictures.solids import Box, Cylinder, Ground, Shape, Sphere
from nsmb.pictures.subjects import contact_frames, scene_of
from nsmb.pictures.surfaces import plate, surface
from nsmb.solution.solution import Solution
from nsmb.system.base import System, as_system

__all__ = ["Viewer", "view"]

Floats = NDArray[np.float64]
Places = dict[str, Floats]

_COLORS = (0x6FA8DC, 0xF0B060, 0x86BF7A, 0xC08BB8, 0xE38E75, 0xA0A0A0)
_GROUND_COLOR, _DARK, _WHITE = 0xC8C8C8, 0x505050, 0xFFFFFF
_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
_FOV = 30.0  # degrees, upright: little perspective
_ASLANT = 1.5  # times further away, as more than the plane is seen
_WIDEST = 4.0 / 3.0  # of the window, for which the scene is fitted
_DOT, _ARROW, _ROD, _SPRING, _FORCE_ROD = 0.012, 0.5, 0.008, 0.004, 0.003  # of the size
_MOST_RODS = 200  # of a frame
_LOOKS, _MANY = 60, 50  # instants that decide what is seen; bodies of which fewer do


def view(
    subject: System | Solution,
    *,
    speed: float = 1.0,
    fps: float = 30.0,
    thickness: float | None = None,
    up: str | None = None,
    forces: bool = True,
    opacity: float = 1.0,
    visualizer: Any = None,
) -> Viewer:
    """Show a system at its initial state, or a run as animation, in space.

    Starts a local server and prints its address; `Viewer.open` opens a browser, and Jupyter shows
    a copy of the scene inline. Outlines become prisms; contacts that are closed have a dot in the
    colour of their state, and their forces are arrows, as `System.draw` has them. Where shapes
    touch anywhere, each contact that presses has a rod through it along its force, of a frame the
    200 strongest. The camera looks onto the plane of the motion, and everything is in view. The
    page has controls to stop the animation, and to go to any time of it.

    Parameters
    ----------
    subject : System or Solution
        With a scene.
    speed, fps : float
        Seconds of motion per second of playback, and frames per second.
    thickness : float, optional
        m, of the prisms; default: a tenth of the largest outline.
    up : {"y", "z"}, optional
        Direction that is drawn upwards; default: that of `System.draw`, z if the scene has solids.
    forces : bool
        Whether to show dots and arrows of contacts.
    opacity : float
        Of moving bodies, above 0: below 1 they let the forces between them be seen.
    visualizer : meshcat.Visualizer, optional
        To draw in; default: a new one.

    Returns
    -------
    Viewer

    Raises
    ------
    ValueError
        If there is no scene; for numbers out of range.
    ImportError
        If MeshCat is not installed; ``pip install nsmb[view]`` brings it.
    """
    options: dict[str, Any] = {
        "thickness": thickness,
        "up": up,
        "forces": forces,
        "opacity": opacity,
    }
    if isinstance(subject, Solution):
        viewer = Viewer(subject.system, visualizer=visualizer, run=subject, **options)
        viewer.play(subject, speed=speed, fps=fps)
        return viewer
    system = as_system("subject", subject, " or nsmb.Solution")
    return Viewer(system, visualizer=visualizer, **options)


class Viewer:
    """A scene in a MeshCat visualizer; parameters and errors as for :func:`view`.

    With `run` the camera takes in all of that motion.
    """

    def __init__(
        self,
        system: System | None,
        *,
        thickness: float | None = None,
        up: str | None = None,
        forces: bool = True,
        opacity: float = 1.0,
        visualizer: Any = None,
        run: Solution | None = None,
    ) -> None:
        scene = scene_of(system)
        assert system is not None
        if up not in (None, "y", "z"):
            raise ValueError(f"up: expected 'y' or 'z', got {up!r}")
        if not 0.0 < as_number("opacity", opacity) <= 1.0:
            raise ValueError(f"opacity: expected a number above 0, up to 1, got {opacity}")
        self._system, self._scene, self._forces = system, scene, forces
        self._opacity = float(opacity)
        start = system.initial_state
        now = instant(system, start.t, start.q, start.u, start.x)
        looks = _LOOKS if len(scene.solids) <= _MANY else _LOOKS // 5
        times = [] if run is None else np.linspace(*run.t_span, looks).tolist()
        seen = [now] if run is None else [instant_of_run(run, t, "right") for t in times]
        self._view, self._scale = view_of(system, seen, forces=forces, solids=True)
        self._first = scene.outlines(start.t, start.q)
        if thickness is None:
            moving = [o.points for o in self._first if not o.is_ground]
            thickness = 0.1 * max((_extent(points) for points in moving), default=0.0)
            thickness = thickness or 0.1 * self._view.size
        elif not 0.0 < as_number("thickness", thickness) < np.inf:
            raise ValueError(f"thickness: expected a number > 0, got {thickness}")
        self._thickness = float(thickness)
        self._geometry = import_extra("meshcat.geometry", "view")
        if visualizer is None:
            visualizer = import_extra("meshcat", "view").Visualizer()
        self.visualizer: Any = visualizer
        """The meshcat.Visualizer."""
        self._root = visualizer["nsmb"]
        self._root.delete()
        self._known: set[str] = set()
        self._turn = self._upwards(up)
        self._root.set_transform(self._turn)
        self._place_outlines()
        self._place_solids()
        self._look()
        self._show(now)
        if run is None:  # what the visualizer has played before would go on moving
            empty = import_extra("meshcat.animation", "view").Animation()
            visualizer.set_animation(empty, play=False)

    def show(self, q: ArrayLike | None = None, t: float | None = None) -> None:
        """Move everything to (t, q), by default to the initial state.

        Without velocities contacts that touch have white dots, and there are no forces.
        """
        start = self._system.initial_state
        time = start.t if t is None else float(t)
        if q is None:
            self._show(instant(self._system, time, start.q, start.u, start.x))
        else:
            self._show(instant(self._system, time, as_array("q", q, (self._system.nq,))))

    def play(self, solution: Solution, *, speed: float = 1.0, fps: float = 30.0) -> None:
        """Play a run of the system, with dense output."""
        animation = import_extra("meshcat.animation", "view").Animation(default_framerate=fps)
        for name, value in (("speed", speed), ("fps", fps)):
            if not 0.0 < as_number(name, value) < np.inf:
                raise ValueError(f"{name}: expected a number > 0, got {value}")
        start, end = solution.t_span
        frames = int((end - start) * fps / speed * (1.0 + 1e-12)) + 1
        times = np.minimum(start + speed / fps * np.arange(frames), end)
        instants = [instant_of_run(solution, t, "right") for t in times.tolist()]
        steps = [(self._places(now), self._marks(now)) for now in instants]
        marks = list(dict.fromkeys(path for _, found in steps for path in found))
        for path in marks:
            self._add_mark(path)
        shown = dict.fromkeys(marks, True)  # until the first frame
        for k, (places, found) in enumerate(steps):
            for path, place in (places | found).items():
                self._at(animation, path, k, place)
            for path in marks:
                if k == 0 or shown[path] != (path in found):
                    shown[path] = path in found
                    at = animation.at_frame(self._root[path], k)
                    at.set_property("visible", "boolean", shown[path])
        self.visualizer.set_animation(animation)

    def open(self) -> Viewer:
        """Open a browser."""
        self.visualizer.open()
        return self

    def to_html(self) -> str:
        """Scene and animation as a page that needs no server."""
        return str(self.visualizer.static_html())

    def _repr_html_(self) -> str:
        return str(self.visualizer.render_static().data)

    # ---- shapes ------------------------------------------------------------------------------

    def _place_outlines(self) -> None:
        """Of items at their markers, of functions at the start; ground as far as it is seen."""
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
            frame, node = self._frame(outline), f"function_{k}/outline_{k}"
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
                    local = self._back(kept, flat, outline.points, frame)
            if frame[:3, 2] @ outline.normal < 0.0:
                local = local[::-1]
            mesh = prism(local, outline.closed, self._thickness, self._view.size, outline.is_ground)
            geometry = self._geometry.TriangularMeshGeometry(*mesh)
            self._add(node, geometry, colors[outline.body])
            if k >= items:
                self._root[node].set_transform(frame)

    def _frame(self, outline: Outline) -> Floats:
        """(4, 4) whose x-y plane is that of an outline that a function gives."""
        n = outline.normal
        side = np.eye(3)[int(np.argmin(np.abs(n)))]
        e_y = np.cross(n, side) if abs(n[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
        return matrix(outline.points[0], np.column_stack([np.cross(e_y, n), e_y, n]))

    def _back(self, kept: Floats, flat: Floats, points: Floats, frame: Floats) -> Floats:
        """Points of the picture, in the frame of an outline: both are flat, the map is affine."""
        local = (points - frame[:3, 3]) @ frame[:3, :2]
        known = np.column_stack([flat, np.ones(len(flat))])
        if len(flat) < 3 or np.linalg.matrix_rank(known) < 3:
            # along a line: a place to its left makes the map unique
            along, inner = flat[-1] - flat[0], local[-1] - local[0]
            flat = np.vstack([flat, flat[0] + (-along[1], along[0])])
            local = np.vstack([local, local[0] + (-inner[1], inner[0])])
            known = np.column_stack([flat, np.ones(len(flat))])
        to_local = np.linalg.lstsq(known, local, rcond=None)[0]
        return np.asarray(np.column_stack([kept, np.ones(len(kept))]) @ to_local)

    def _place_solids(self) -> None:
        colors = self._colors()
        for k, solid in enumerate(self._scene.solids):
            node = f"marker_{solid.marker}/solid_{k}"
            if isinstance(solid.shape, Ground):
                self._add(node, self._plate(solid.marker), _GROUND_COLOR)
                continue
            opacity = 1.0 if solid.body in GROUND else self._opacity
            self._add(node, self._shape(solid.shape), colors[solid.body], opacity)
            if isinstance(solid.shape, Cylinder):  # its axis is y in MeshCat
                self._root[node].set_transform(_Y_UP)
        size = self._view.size
        for k, body in enumerate(body for body, a, b in self._scene.links if a != b):
            self._add(f"link_{k}", self._rod(), colors[body])
        start = self._system.initial_state
        for k, (body, _, _) in enumerate(_edges(self._scene.deformed(start.t, start.q))):
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
        """Ground without end, under what is seen."""
        start = self._system.initial_state
        r, A = self._scene.poses(start.t, start.q)[marker]
        size, plane = self._view.size, self._view.plane
        corners = [x * plane.right + y * plane.up for x in self._view.x for y in self._view.y]
        seen = np.vstack([np.array(corners), self._scene.solids_at(start.t, start.q)])
        mesh = plate((seen - r) @ A, 0.02 * size, 0.1 * size)
        return self._geometry.TriangularMeshGeometry(*apart(*mesh))

    def _rod(self) -> Any:
        """Along z from 0 to 1, of radius 1."""
        angle = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        vertices, faces = prism(circle, True, 1.0, 1.0, False)
        return self._geometry.TriangularMeshGeometry(vertices + np.array([0.0, 0.0, 0.5]), faces)

    def _add(self, path: str, geometry: Any, color: int, opacity: float = 1.0) -> None:
        see_through = {"opacity": opacity, "transparent": True} if opacity < 1.0 else {}
        material = self._geometry.MeshLambertMaterial(color=color, **see_through)
        self._root[path].set_object(geometry, material)
        self._known.add(path)

    # ---- motion ------------------------------------------------------------------------------

    def _places(self, now: Instant) -> Places:
        """(4, 4) of every node that moves."""
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
        for k, (_, a, b) in enumerate(_edges(scene.deformed(now.t, now.q))):
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
        """Dots of contacts that are closed, and arrows, before the bodies as they are seen."""
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
            point = _in_space(frame.point) + lift
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
        """Through contacts, along their forces."""
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

    def _show(self, now: Instant) -> None:
        marks = self._marks(now)
        for path in marks:
            self._add_mark(path)
        for path, place in (self._places(now) | marks).items():
            self._root[path].set_transform(place)
        for path in sorted(self._known):
            if path.startswith("contacts/"):
                self._root[path].set_property("visible", path in marks)

    def _at(self, animation: Any, path: str, k: int, place: Floats) -> None:
        """A frame of the animation; MeshCat's own function leaves out the scale."""
        at = animation.at_frame(self._root[path], k)
        scale = np.linalg.norm(place[:3, :3], axis=0)
        rigid = place.copy()
        rigid[:3, :3] /= scale
        at.set_transform(rigid)
        if path.partition("_")[0] not in ("marker", "function", "joint", "center"):
            at.set_property("scale", "vector3", scale.tolist())

    # ---- camera ------------------------------------------------------------------------------

    def _upwards(self, up: str | None) -> Floats:
        """(4, 4) of the whole scene: MeshCat draws z upwards."""
        if up is not None or self._scene.solids:
            return _Y_UP if up == "y" else np.eye(4)
        plane = self._view.plane  # to the right, away from the eye, upwards
        return matrix(np.zeros(3), np.array([plane.right, -plane.normal, plane.up]))

    def _look(self) -> None:
        """The camera looks along the normal of the plane at the middle of what is to be seen.

        MeshCat's camera turns about the origin: the scene is shifted there.
        """
        view, plane = self._view, self._view.plane
        width, height = view.x[1] - view.x[0], view.y[1] - view.y[0]
        shown = [o.points for o in self._first if not o.is_ground]
        depth = float(np.vstack(shown).mean(axis=0) @ plane.normal) if shown else 0.0
        middle = 0.5 * sum(view.x) * plane.right + 0.5 * sum(view.y) * plane.up
        center = self._turn[:3, :3] @ (middle + depth * plane.normal)
        half = 0.5 * max(height, width / _WIDEST)
        distance = half / np.tan(np.radians(0.5 * _FOV)) + 0.5 * self._thickness
        eye = self._turn[:3, :3] @ plane.normal
        if self._scene.solids:  # aslant from above
            aside = self._turn[:3, :3] @ (0.5 * plane.right)
            eye = eye + aside + (0.0, 0.0, 0.6)
            eye = eye / np.linalg.norm(eye)
            distance *= _ASLANT
        window = self.visualizer
        window.set_transform(matrix(-center, np.eye(3)))
        camera = window["/Cameras/default/rotated"]
        lens = self._geometry.PerspectiveCamera(
            fov=_FOV, near=0.01 * distance, far=100.0 * distance
        )
        camera.set_object(lens)
        position = distance * eye  # of the camera's own axes the second points upwards
        camera["<object>"].set_property("position", [position[0], position[2], -position[1]])
        for path in ("/Grid", "/Axes"):
            window[path].set_property("visible", False)
        for key in ("top_color", "bottom_color"):
            window["/Background"].set_property(key, [1.0, 1.0, 1.0])


def _extent(points: ArrayLike) -> float:
    return float(np.ptp(np.asarray(points, dtype=np.float64), axis=0).max())


def _edges(outlines: Sequence[Outline]) -> Iterator[tuple[str, Floats, Floats]]:
    """Body and ends of each straight piece."""
    for outline in outlines:
        points = outline.points
        ends = np.roll(points, -1, axis=0) if outline.closed else points[1:]
        for a, b in zip(points[: len(ends)], ends, strict=True):
            yield outline.body, a, b


def _in_space(point: ArrayLike) -> Floats:
    place = np.zeros(3)
    given = np.asarray(point, dtype=np.float64)
    place[: given.size] = given
    return place

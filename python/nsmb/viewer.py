"""Scenes in space, in a browser through MeshCat.

Shapes are sent once; motion moves the markers that carry them. MeshCat is imported when a viewer is
made, not before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_number
from nsmb.common.extras import import_extra
from nsmb.pictures.scene import GROUND, Scene, SceneItem
from nsmb.pictures.solids import Box, Cylinder, Extrusion, Shape, Solid, Sphere
from nsmb.pictures.subjects import scene_of
from nsmb.solution.solution import Solution
from nsmb.system.base import System, as_system

__all__ = ["Viewer", "view"]

Floats = NDArray[np.float64]

_COLORS = (0x6FA8DC, 0xF0B060, 0x86BF7A, 0xC08BB8, 0xE38E75, 0xA0A0A0)
_GROUND_COLOR = 0xD0D0D0
_MOST_CORNERS = 400  # of a polygon that gets lids
_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


def view(
    subject: System | Solution,
    *,
    speed: float = 1.0,
    fps: float = 30.0,
    thickness: float | None = None,
    up: str | None = None,
    visualizer: Any = None,
) -> Viewer:
    """Show a system at its initial state, or a run as animation, in space.

    Starts a local server and prints its address; `Viewer.open` opens a browser, and Jupyter shows
    a copy of the scene inline. Outlines become prisms along z of their markers.

    Parameters
    ----------
    subject : System or Solution
        With a scene that was made of items or solids.
    speed, fps : float
        Seconds of motion per second of playback, and frames per second.
    thickness : float, optional
        m, of the prisms; default: a tenth of the largest outline.
    up : {"y", "z"}, optional
        Direction that is drawn upwards; default: z if the scene has solids, else y.
    visualizer : meshcat.Visualizer, optional
        To draw in; default: a new one.

    Returns
    -------
    Viewer

    Raises
    ------
    ValueError
        If there is no scene, or one made by `Scene.from_function`; for numbers out of range.
    ImportError
        If MeshCat is not installed; ``pip install nsmb[view]`` brings it.
    """
    if isinstance(subject, Solution):
        viewer = Viewer(subject.system, thickness=thickness, up=up, visualizer=visualizer)
        viewer.play(subject, speed=speed, fps=fps)
        return viewer
    return Viewer(as_system("subject", subject), thickness=thickness, up=up, visualizer=visualizer)


class Viewer:
    """A scene in a MeshCat visualizer; parameters and errors as for :func:`view`."""

    def __init__(
        self,
        system: System | None,
        *,
        thickness: float | None = None,
        up: str | None = None,
        visualizer: Any = None,
    ) -> None:
        scene = scene_of(system)
        assert system is not None
        if not scene.items and not scene.solids:
            raise ValueError(
                "system.scene: expected outlines or solids at markers, got a scene made by "
                "Scene.from_function; show it with system.draw() and solution.animate()"
            )
        if up not in (None, "y", "z"):
            raise ValueError(f"up: expected 'y' or 'z', got {up!r}")
        self._system, self._scene = system, scene
        self._markers = sorted(
            {item.marker for item in scene.items} | {solid.marker for solid in scene.solids}
        )
        if thickness is None:
            thickness = 0.1 * max((_extent(item.points) for item in scene.items), default=1.0)
            thickness = thickness or 0.01
        elif not 0.0 < as_number("thickness", thickness) < np.inf:
            raise ValueError(f"thickness: expected a number > 0, got {thickness}")
        self._geometry = import_extra("meshcat.geometry", "view")
        if visualizer is None:
            visualizer = import_extra("meshcat", "view").Visualizer()
        self.visualizer = visualizer
        """The meshcat.Visualizer."""
        self._root = visualizer["nsmb"]
        self._root.delete()
        y_up = up == "y" or (up is None and not scene.solids)
        self._root.set_transform(_Y_UP if y_up else np.eye(4))
        self._place_objects(scene, float(thickness))
        self.show()

    def show(self, q: ArrayLike | None = None, t: float | None = None) -> None:
        """Move everything to (t, q), by default to the initial state."""
        start = self._system.initial_state
        position = start.q if q is None else as_array("q", q, (self._system.nq,))
        poses = self._scene.poses(start.t if t is None else float(t), position)
        for marker in self._markers:
            self._root[f"marker_{marker}"].set_transform(_matrix(*poses[marker]))

    def play(self, solution: Solution, *, speed: float = 1.0, fps: float = 30.0) -> None:
        """Play a run of the system, with dense output."""
        animation = import_extra("meshcat.animation", "view").Animation(default_framerate=fps)
        for name, value in (("speed", speed), ("fps", fps)):
            if not 0.0 < as_number(name, value) < np.inf:
                raise ValueError(f"{name}: expected a number > 0, got {value}")
        start, end = solution.t_span
        frames = int((end - start) * fps / speed * (1.0 + 1e-12)) + 1
        times = np.minimum(start + speed / fps * np.arange(frames), end)
        q = solution.at(times).q
        for k, (time, row) in enumerate(zip(times.tolist(), q, strict=True)):
            poses = self._scene.poses(time, row)
            for marker in self._markers:
                at = animation.at_frame(self._root[f"marker_{marker}"], k)
                at.set_transform(_matrix(*poses[marker]))
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

    def _place_objects(self, scene: Scene, thickness: float) -> None:
        bodies = [item.body for item in scene.items] + [solid.body for solid in scene.solids]
        colors = {b: _GROUND_COLOR for b in bodies if b in GROUND}
        for k, body in enumerate(dict.fromkeys(b for b in bodies if b not in GROUND)):
            colors[body] = _COLORS[k % len(_COLORS)]
        for k, item in enumerate(scene.items):
            self._place(item, f"outline_{k}", self._mesh(*_prism(item, thickness)), colors)
        for k, solid in enumerate(scene.solids):
            turned = np.eye(4)
            if isinstance(solid.shape, Cylinder):  # its axis is y in MeshCat
                turned[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
            self._place(solid, f"solid_{k}", self._shape(solid.shape), colors, turned)

    def _place(
        self,
        part: SceneItem | Solid,
        name: str,
        geometry: Any,
        colors: dict[str, int],
        turned: Floats | None = None,
    ) -> None:
        material = self._geometry.MeshLambertMaterial(color=colors[part.body])
        node = self._root[f"marker_{part.marker}"][name]
        node.set_object(geometry, material)
        if turned is not None:
            node.set_transform(turned)

    def _shape(self, shape: Shape) -> Any:
        if isinstance(shape, Box):
            return self._geometry.Box(np.asarray(shape.size).tolist())
        if isinstance(shape, Sphere):
            return self._geometry.Sphere(shape.radius)
        if isinstance(shape, Cylinder):
            return self._geometry.Cylinder(shape.length, shape.radius)
        return self._mesh(*shape.mesh())

    def _mesh(self, vertices: Floats, faces: NDArray[np.int64]) -> Any:
        return self._geometry.TriangularMeshGeometry(vertices, faces)


def _prism(item: SceneItem, thickness: float) -> tuple[Floats, NDArray[np.int64]]:
    """Vertices and triangles; open outlines, holes and very fine ones are walls without lids."""
    points = np.asarray(item.points, dtype=np.float64)
    n = len(points)
    following = np.roll(points, -1, axis=0)
    area = (points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]).sum()
    if item.closed and 3 <= n <= _MOST_CORNERS and area > 0.0:
        return Extrusion(points, thickness).mesh()
    if n == 1:  # a short rod
        points = points + 0.25 * thickness * np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
        n = 4
    half = np.full((n, 1), 0.5 * thickness)
    vertices = np.vstack([np.hstack([points, -half]), np.hstack([points, half])])
    i = np.arange(n if item.closed or len(np.atleast_2d(item.points)) == 1 else n - 1)
    j = (i + 1) % n
    return vertices, np.vstack([np.column_stack([i, j, j + n]), np.column_stack([i, j + n, i + n])])


def _extent(points: ArrayLike) -> float:
    return float(np.ptp(np.asarray(points, dtype=np.float64), axis=0).max())


def _matrix(r: Floats, A: Floats) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = A, r
    return matrix

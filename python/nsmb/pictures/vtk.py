"""Export of runs to files of the Visualization Toolkit, as time series for ParaView and PyVista."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_number
from nsmb.common.extras import import_extra
from nsmb.pictures.framing import View
from nsmb.pictures.in_space import Mesh, arrow_between, clipped, prism
from nsmb.pictures.scene import Outline, Scene
from nsmb.pictures.solids import Ground
from nsmb.pictures.subjects import FoundRows, Motion, Subject, contact_frames, scene_of
from nsmb.pictures.surfaces import plate, surface

__all__ = ["write_vtk"]

Floats = NDArray[np.float64]

_MOST_FRAMES, _LOOKS = 500, 60
_SPRING, _THICK, _PLATE = 0.004, 0.05, 0.02  # relative to the size of the scene
_FEW = 200  # up to this number, solids have more corners
_CORNERS, _LEAST_CORNERS = 32, 10  # corners of a circle


def write_vtk(
    solution: Motion,
    folder: str | os.PathLike[str],
    *,
    times: ArrayLike | None = None,
    thickness: float | None = None,
) -> tuple[Path, Path]:
    """Write a run as two time series: the bodies, and the contacts with their forces.

    There is one file for each frame and series, and an index of each series, ``bodies.pvd`` and
    ``contacts.pvd``, which ParaView opens. Frames are samples of the run. For an event, the sample
    after it is used, because its forces are known.

    Bodies are surfaces. Ground is included near moving parts. The cell data ``body`` is the index
    of the body, in the order of the scene. Contacts in use are points with ``contact`` (index),
    ``g_N`` (m), ``state`` (values of :class:`nsmb.ContactState`) and the vectors ``lambda_N`` and
    ``lambda_T`` (N), the forces on body 1, or on body 2 if the first is the ground. For models with
    `Model.collide`, the points are all contacts found in the step of the sample: ``contact`` is the
    identity, the forces are those on shape 2, and ``shape_1`` and ``shape_2`` are indices into
    `Labels.shape_names`.

    Parameters
    ----------
    solution : Solution
        Run of a system with a scene.
    folder : path
        Folder, created if necessary; files of the same names are replaced.
    times : array_like (n,), optional
        Times, s, for which the closest samples are written. Default: all samples, or 500 samples
        evenly spread over time if there are more.
    thickness : float, optional
        Thickness of planar bodies, m; default: a twentieth of the size of the scene.

    Returns
    -------
    bodies, contacts : Path
        The two indices.

    Raises
    ------
    ValueError
        If there is no scene, a number is out of range, or a time is outside the run.
    ImportError
        If meshio is not installed; ``pip install nsmb[io]`` installs it.

    Examples
    --------
    >>> import nsmb, tempfile
    >>> sol = nsmb.simulate(nsmb.systems.woodpecker(), 0.2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bodies, contacts = nsmb.plotting.write_vtk(sol, folder, times=[0.0, 0.1, 0.2])
    >>> bodies.name, contacts.name
    ('bodies.pvd', 'contacts.pvd')
    """
    meshio = import_extra("meshio", "io")
    system = solution.system
    scene = scene_of(system)
    rows = _rows(solution, times)
    surfaces = _Surfaces(scene, _seen(system, scene, solution, rows), thickness)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    bodies = _Series(place, "bodies", meshio)
    contacts = _Series(place, "contacts", meshio)
    for row in rows.tolist():
        t, q = float(solution.t[row]), solution.q[row]
        points, faces, body = surfaces.at(t, q)
        bodies.add(t, points, ("triangle", faces), {}, {"body": [body]})
        points, data = _contacts(system, solution, row)
        contacts.add(t, points, ("vertex", np.arange(len(points))[:, None]), data, {})
    return bodies.close(), contacts.close()


def _rows(solution: Motion, times: ArrayLike | None) -> NDArray[np.intp]:
    """Return the indices of exported samples, ascending, with the last one of equal times."""
    last: NDArray[np.intp] = np.flatnonzero(np.append(np.diff(solution.t) > 0.0, True))
    known = solution.t[last]
    start, end = solution.t_span
    if times is None:
        if last.size <= _MOST_FRAMES:
            return last
        wanted = np.linspace(start, end, _MOST_FRAMES)
    else:
        wanted = as_array("times", times, (np.size(times),))
        if wanted.size == 0 or wanted.min() < start or wanted.max() > end:
            raise ValueError(f"times: expected times within {start} s to {end} s, got {times!r}")
    after = np.clip(np.searchsorted(known, wanted), 0, known.size - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.where(wanted - known[before] < known[after] - wanted, before, after)
    chosen: NDArray[np.intp] = last[np.unique(nearer)]
    return chosen


def _seen(system: Subject, scene: Scene, solution: Motion, rows: NDArray[np.intp]) -> Floats:
    """Return points of moving parts during the run, or of the ground if none moves, (n, 3)."""
    some = rows[np.linspace(0, rows.size - 1, min(rows.size, _LOOKS)).astype(np.intp)]
    moving, still = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for row in some.tolist():
        t, q = float(solution.t[row]), solution.q[row]
        for outline in scene.outlines(t, q):
            (still if outline.is_ground else moving).append(outline.points)
        moving.append(scene.solids_at(t, q))
    seen = np.vstack(moving)
    seen = seen if len(seen) else np.vstack(still)
    if not len(seen):
        raise ValueError(
            f"system.scene: expected outlines or solids, got none in {system.name!r}; give bodies "
            "shapes or outlines before building the model, or set system.scene"
        )
    return seen


class _Surfaces:
    """All surfaces of a scene as triangles, with ground only near `seen`."""

    def __init__(self, scene: Scene, seen: Floats, thickness: float | None) -> None:
        self._scene = scene
        low, high = seen.min(axis=0), seen.max(axis=0)
        self._size = float((high - low).max()) or 1.0
        places = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        self._corners = low + places * (high - low)
        if thickness is None:
            thickness = _THICK * self._size
        elif not 0.0 < as_number("thickness", thickness) < np.inf:
            raise ValueError(f"thickness: expected a number > 0, got {thickness}")
        self._thickness = float(thickness)
        self._numbers: dict[str, int] = {}
        corners = _CORNERS if len(scene.solids) <= _FEW else _LEAST_CORNERS
        self._solids = [
            None if isinstance(solid.shape, Ground) else surface(solid.shape, corners=corners)
            for solid in scene.solids
        ]

    def at(self, t: float, q: Floats) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
        """Return vertices (n, 3), triangles (m, 3) and the body of each triangle (m,)."""
        points, faces, bodies = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], []
        count = 0
        for body, (vertices, triangles) in self._meshes(t, q):
            points.append(vertices)
            faces.append(triangles + count)
            bodies.append(np.full(len(triangles), body))
            count += len(vertices)
        return np.vstack(points), np.vstack(faces), np.concatenate([*bodies, np.zeros(0, np.int64)])

    def _meshes(self, t: float, q: Floats) -> Iterator[tuple[int, Mesh]]:
        items = self._scene.items
        for k, outline in enumerate(self._scene.outlines(t, q)):
            if k >= len(items) or not items[k].has_solid:
                yield self._number(outline.body), self._prism(outline)
        poses = self._scene.poses(t, q) if self._scene.solids else []
        for solid, known in zip(self._scene.solids, self._solids, strict=True):
            r, A = poses[solid.marker]
            vertices, triangles = known if known is not None else self._plate(r, A)
            yield self._number(solid.body), (r + vertices @ A.T, triangles)
        for a, b in self._scene.springs_at(t, q):
            placed = arrow_between(a, b, _SPRING * self._size)
            vertices, triangles = _rod()
            yield -1, (placed[:3, 3] + vertices @ placed[:3, :3].T, triangles)

    def _plate(self, r: Floats, A: Floats) -> Mesh:
        """Return a plate for unbounded ground near moving parts."""
        return plate((self._corners - r) @ A, _PLATE * self._size, 0.1 * self._size)

    def _number(self, body: str) -> int:
        return self._numbers.setdefault(body, len(self._numbers))

    def _prism(self, outline: Outline) -> Mesh:
        n = outline.normal if outline.normal.any() else np.array([0.0, 0.0, 1.0])
        side = np.eye(3)[int(np.argmin(np.abs(n)))]
        e_x = np.cross(side, n)
        A = np.column_stack([e_x / np.linalg.norm(e_x), np.zeros(3), n])
        A[:, 1] = np.cross(n, A[:, 0])
        origin = outline.points[0]
        flat = (outline.points - origin) @ A[:, :2]
        if outline.is_ground:
            near = (self._corners - origin) @ A[:, :2]
            (x0, y0), (x1, y1) = near.min(axis=0).tolist(), near.max(axis=0).tolist()
            flat = clipped(flat, outline.closed, View((x0, x1), (y0, y1)))
            if len(flat) < min(len(outline.points), 2):
                return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        mesh = prism(flat, outline.closed, self._thickness, self._size, outline.is_ground)
        return origin + mesh[0] @ A.T, mesh[1]


def _rod() -> Mesh:
    """Return a rod along z from 0 to 1 with radius 1."""
    angle = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
    vertices, faces = prism(np.column_stack([np.cos(angle), np.sin(angle)]), True, 1.0, 1.0, False)
    return vertices + np.array([0.0, 0.0, 0.5]), faces


def _contacts(
    system: Subject, solution: Motion, row: int
) -> tuple[Floats, dict[str, NDArray[Any]]]:
    """Return the positions (n, 3) of the contacts in use, and their data."""
    if system._core.finds_contacts:
        return _found_contacts(solution.contacts.points.at(row))
    frames = contact_frames(system, float(solution.t[row]), solution.q[row])
    used = [i for i, frame in enumerate(frames) if frame is not None]
    first = np.cumsum([0, *(contact.tangents for contact in system.contacts)])
    points, normal, friction = (np.zeros((len(used), 3)) for _ in range(3))
    for k, i in enumerate(used):
        frame = frames[i]
        assert frame is not None
        points[k] = _in_space(frame.point)
        normal[k] = solution.lambda_N[row, i] * _in_space(frame.normal)
        if system.contacts[i].tangents:
            friction[k] = solution.lambda_T[row, first[i]] * _in_space(frame.tangent)
        if system.contacts[i].tangents == 2:
            across = np.cross(_in_space(frame.normal), _in_space(frame.tangent))
            friction[k] += solution.lambda_T[row, first[i] + 1] * across
    data: dict[str, NDArray[Any]] = {
        "contact": np.array(used, dtype=np.int64),
        "g_N": solution.g_N[row, used],
        "state": solution.contact_state[row, used].astype(np.int64),
        "lambda_N": normal,
        "lambda_T": friction,
    }
    return points, data


def _found_contacts(rows: FoundRows) -> tuple[Floats, dict[str, NDArray[Any]]]:
    normal = rows.lambda_N[:, None] * rows.normal
    return rows.point, {
        "contact": rows.identity.astype(np.int64),
        "g_N": rows.g_N,
        "state": rows.state.astype(np.int64),
        "shape_1": rows.shape_1.astype(np.int64),
        "shape_2": rows.shape_2.astype(np.int64),
        "lambda_N": normal,
        "lambda_T": rows.force - normal,
    }


class _Series:
    """The files of one series and their index."""

    def __init__(self, folder: Path, name: str, meshio: Any) -> None:
        self._folder, self._name, self._meshio = folder, name, meshio
        self._root = ElementTree.Element("VTKFile", type="Collection", version="0.1")
        self._list = ElementTree.SubElement(self._root, "Collection")
        self._count = 0

    def add(
        self,
        t: float,
        points: Floats,
        cells: tuple[str, NDArray[np.int64]],
        point_data: dict[str, NDArray[Any]],
        cell_data: dict[str, list[NDArray[Any]]],
    ) -> None:
        name = f"{self._name}_{self._count:06d}.vtu"
        mesh = self._meshio.Mesh(points, [cells], point_data=point_data, cell_data=cell_data)
        mesh.write(self._folder / name)
        ElementTree.SubElement(self._list, "DataSet", timestep=repr(t), part="0", file=name)
        self._count += 1

    def close(self) -> Path:
        path = self._folder / f"{self._name}.pvd"
        tree = ElementTree.ElementTree(self._root)
        ElementTree.indent(tree)
        tree.write(path, encoding="utf-8", xml_declaration=True)
        return path


def _in_space(point: ArrayLike) -> Floats:
    place = np.zeros(3)
    given = np.asarray(point, dtype=np.float64)
    place[: given.size] = given
    return place

"""Images of solids with light, shadow and edges, rendered with PyVista."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from ctypes.util import find_library
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.pictures.framing import View
from nsmb.pictures.plane import Plane
from nsmb.pictures.solids import Ground, Solid
from nsmb.pictures.surfaces import surface

__all__ = ["Renderer", "round_length"]

Floats = NDArray[np.float64]
Ends = tuple[float, float]
Pose = tuple[Floats, Floats]

_LIGHT = np.array([-0.35, -0.6, 0.72]) / np.linalg.norm([-0.35, -0.6, 0.72])
_ACROSS = np.array([_LIGHT[2], 0.0, -_LIGHT[0]]) / np.hypot(_LIGHT[0], _LIGHT[2])
_LAMP = Plane(_ACROSS, np.cross(_LIGHT, _ACROSS))  # view from the light source

_FINE = 2  # supersampling factor
_SHADE, _BRIGHT = 0.6, 1.08  # brightness of faces away from the light and towards it
_FLOOR, _LINE, _SHADOW, _EDGE = 0.93, 0.84, 0.73, 0.25  # shades of grey
_CREASE = 37.0  # degrees, smallest angle between faces with an edge between them
_STEP = 0.02  # smallest jump of depth at an edge, relative to the size
_STEEP = 20.0  # largest change of depth between adjacent pixels of a face, in pixels
_BIAS = 0.01  # depth bias of the shadows, relative to the size
_LIFT, _NEAR = 1e-4, 1e-6  # height of lines above ground, ground beyond the box, relative to size
_SQUARES = 6  # approximate number of ground squares across the image
_FLAT = 0.05  # cosine, below which ground is omitted
_FEW, _CORNERS, _LEAST_CORNERS = 20, 48, 32  # up to _FEW solids have more corners


class Renderer:
    """A scene of solids, rendered off screen.

    Parameters
    ----------
    solids : sequence of Solid
    poses : sequence of ((3,) array, (3, 3) array)
        Position and axes of all markers; the ground stays there.
    colors : mapping of str to (3,) array
        Red, green and blue of each body.
    view : View
        View with a box, at which the ground ends.

    Raises
    ------
    ImportError
        If PyVista is not installed, or if it has no library to render with.
    """

    def __init__(
        self,
        solids: Sequence[Solid],
        poses: Sequence[Pose],
        colors: Mapping[str, Floats],
        view: View,
    ) -> None:
        assert view.box is not None
        self._pyvista = pyvista = import_extra("pyvista", "view")
        self._size, self._box = view.size, view.box
        theme = pyvista.themes.DocumentTheme()  # independent of user settings
        theme.multi_samples, theme.anti_aliasing = 1, None  # blended face numbers would be wrong
        with pyvista.vtk_verbosity("off"):  # suppress the warning about a missing display
            self._plotter = plotter = pyvista.Plotter(
                off_screen=True, notebook=False, lighting="none", theme=theme
            )
        weakref.finalize(self, plotter.close)
        _check_library(plotter.render_window)
        plotter.enable_parallel_projection()
        plotter.add_light(pyvista.Light(position=_LIGHT, focal_point=(0.0, 0.0, 0.0)))
        self._lit: list[Any] = []
        self._numbered: list[Any] = []
        self._add_grounds([poses[s.marker] for s in solids if isinstance(s.shape, Ground)], view)
        self._add_bodies([s for s in solids if not isinstance(s.shape, Ground)], colors)

    def image(self, poses: Sequence[Pose], view: View, shape: tuple[int, int]) -> Floats:
        """Red, green and blue of the pixels of a view, shape (height, width, 3)."""
        self._plotter.window_size = [_FINE * shape[1], _FINE * shape[0]]
        r = np.array([poses[marker][0] for marker in self._markers])[self._solid]
        A = np.array([poses[marker][1] for marker in self._markers])[self._solid]
        self._mesh.points = r + np.einsum("nij,nj->ni", A, self._points)
        self._mesh.point_data["Normals"] = np.einsum("nij,nj->ni", A, self._normals)
        self._aim(view.plane, view.x, view.y)
        self._show(self._lit, "white")
        self._plotter.render()
        color = self._pixels().copy()
        self._show(self._numbered, "black")
        depth = self._depth(view.plane)  # renders
        red, green, blue = np.moveaxis(self._pixels().astype(np.int32), 2, 0)
        number = red + (green << 8) + (blue << 16)
        dark = self._in_shadow(view, depth)
        color[dark] = self._dark[number[dark]]
        steep = _STEEP * (view.y[1] - view.y[0]) / len(depth)
        color[_edges(number, self._owners, depth, max(_STEP * self._size, steep))] = 255 * _EDGE
        parts = [color[k::_FINE, j::_FINE] for k, j in np.ndindex(_FINE, _FINE)]
        return np.asarray(np.sum(parts, axis=0, dtype=np.uint16) / (255.0 * len(parts)))

    # ---- scene -------------------------------------------------------------------------------

    def _add_bodies(self, solids: Sequence[Solid], colors: Mapping[str, Floats]) -> None:
        """Add one mesh of all bodies, in which smooth faces are numbered from 1."""
        corners = _CORNERS if len(solids) <= _FEW else _LEAST_CORNERS
        meshes = [surface(solid.shape, corners=corners) for solid in solids]
        counts = [len(points) for points, _ in meshes]
        first = np.cumsum([0, *counts[:-1]])
        mesh = self._pyvista.PolyData.from_regular_faces(
            np.vstack([points for points, _ in meshes]),
            np.vstack([faces + k for (_, faces), k in zip(meshes, first, strict=True)]),
        )
        mesh.point_data["solid"] = np.repeat(np.arange(len(solids)), counts)
        mesh = mesh.compute_normals(split_vertices=True, feature_angle=_CREASE).connectivity("all")
        self._mesh, self._markers = mesh, [solid.marker for solid in solids]
        self._solid = solid = np.array(mesh.point_data["solid"])
        self._points, self._normals = np.array(mesh.points), np.array(mesh.point_data["Normals"])
        number = 1 + np.array(mesh.point_data["RegionId"], dtype=np.int64)
        color = np.array([colors[solid.body] for solid in solids])[solid]
        body = np.unique([solid.body for solid in solids], return_inverse=True)[1][solid]
        self._owners = np.full((number.max() + 1, 2), -1)
        self._owners[number] = np.column_stack([body, solid])
        self._dark = np.full((number.max() + 1, 3), 255 * _SHADOW, dtype=np.uint8)
        self._dark[number] = 255 * _SHADE * color
        mesh.point_data["color"] = np.uint8(255.0 * color)
        mesh.point_data["number"] = np.uint8(number[:, None] >> np.array([0, 8, 16]) & 255)
        light = {"ambient": _SHADE, "diffuse": _BRIGHT - _SHADE}
        actor = self._add(self._lit, mesh, scalars="color", rgb=True, **light)
        actor.prop.interpolation = "Phong"  # with the normals above
        self._add(self._numbered, mesh, scalars="number", rgb=True, lighting=False)

    def _add_grounds(self, grounds: Sequence[Pose], view: View) -> None:
        """Add half-spaces that face the eye, clipped to the box and to each other."""
        low, high = self._box + _NEAR * self._size * np.array([[-1.0], [1.0]])
        sides = [(e, low) for e in np.eye(3)] + [(-e, high) for e in np.eye(3)]
        square = round_length(self._size / _SQUARES)
        count = 2 * int(np.ceil(2.0 * self._size / square))
        for r, A in grounds:
            n = A[:, 2]
            if n @ view.plane.normal < _FLAT:
                continue
            steps = np.round((self._box.mean(axis=0) - r) @ A[:, :2] / square)
            floor = self._pyvista.Plane(
                i_size=count * square, j_size=count * square, i_resolution=count, j_resolution=count
            )
            floor.points = r + A[:, :2] @ (square * steps) + floor.points @ A.T
            lines = floor.extract_all_edges()
            lines.points += _LIFT * self._size * n
            others = [(axes[:, 2], place) for place, axes in grounds if axes is not A]
            for normal, place in [*sides, *others]:
                floor, lines = (m.clip(normal=-normal, origin=place) for m in (floor, lines))
            self._add(self._lit, floor, color=[_FLOOR] * 3, lighting=False)
            self._add(self._lit, lines, color=[_LINE] * 3, lighting=False, line_width=1.5)
            self._add(self._numbered, floor, color="black", lighting=False)

    def _add(self, actors: list[Any], mesh: Any, **look: Any) -> Any:
        actors.append(self._plotter.add_mesh(mesh, reset_camera=False, render=False, **look))
        return actors[-1]

    # ---- images ------------------------------------------------------------------------------

    def _aim(self, plane: Plane, x: Ends, y: Ends) -> None:
        """Point the camera at a region of a plane, along its normal."""
        n = plane.normal
        middle = np.mean(x) * plane.right + np.mean(y) * plane.up + (self._box.mean(axis=0) @ n) * n
        self._plotter.camera_position = [middle + 2.0 * self._size * n, middle, plane.up]
        self._plotter.camera.parallel_scale = 0.5 * (y[1] - y[0])

    def _show(self, actors: Sequence[Any], background: str) -> None:
        for actor in self._lit + self._numbered:
            actor.visibility = any(actor is shown for shown in actors)
        self._plotter.set_background(background)

    def _pixels(self) -> NDArray[np.uint8]:
        """Return red, green and blue of the last rendered image."""
        return np.asarray(self._plotter.screenshot(return_img=True))

    def _depth(self, plane: Plane) -> Floats:
        """Return coordinates along the normal of a plane, m; -inf for the background."""
        depth = self._plotter.get_image_depth(fill_value=-np.inf)
        return np.asarray(depth + np.asarray(self._plotter.camera.position) @ plane.normal)

    def _in_shadow(self, view: View, depth: Floats) -> NDArray[np.bool_]:
        """Return the mask of pixels in the shadow of a body."""
        height, width = depth.shape
        corners = _LAMP.of(np.array([self._box[list(k), [0, 1, 2]] for k in np.ndindex(2, 2, 2)]))
        half = 0.5 * np.ptp(corners, axis=0)
        half = np.maximum(half, half[::-1] * (width / height, height / width))  # fill the window
        low = 0.5 * (corners.min(axis=0) + corners.max(axis=0)) - half
        high = low + 2.0 * half
        self._show(self._numbered[-1:], "black")  # bodies
        self._aim(_LAMP, (low[0], high[0]), (low[1], high[1]))
        met = self._depth(_LAMP)[::-1]
        seen, eye = np.isfinite(depth), view.plane
        x = view.x[0] + (view.x[1] - view.x[0]) * (np.arange(width) + 0.5) / width
        y = view.y[1] - (view.y[1] - view.y[0]) * (np.arange(height)[:, None] + 0.5) / height
        z = np.where(seen, depth, 0.0)
        # Use products of the axes of both planes instead of positions in space.
        across, upwards, towards = (
            x * (eye.right @ e) + y * (eye.up @ e) + z * (eye.normal @ e)
            for e in (_LAMP.right, _LAMP.up, _LIGHT)
        )
        column = ((across - low[0]) * (width / (high[0] - low[0]))).astype(np.intp)
        row = ((upwards - low[1]) * (height / (high[1] - low[1]))).astype(np.intp)
        nearest = met[row.clip(0, height - 1), column.clip(0, width - 1)]
        return np.asarray(seen & (nearest > towards + _BIAS * self._size))


def round_length(length: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten up to a length."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(max(f for f in (1.0, 2.0, 5.0) if f * power <= length) * power)


def _edges(
    number: NDArray[np.int32], owners: NDArray[np.int64], depth: Floats, step: float
) -> NDArray[np.bool_]:
    """Return the mask of pixels next to another body, another face, or a jump in depth."""
    found = np.zeros(number.shape, dtype=bool)
    for edge, face, z in ((found, number, depth), (found.T, number.T, depth.T)):
        with np.errstate(invalid="ignore"):  # background next to background
            jump = np.abs(np.diff(z, axis=0)) > step
        edge[1:] |= jump & (face[1:] > 0)
        beside = np.nonzero(face[1:] != face[:-1])
        (body, solid), (other, part) = (owners[side[beside]].T for side in (face[1:], face[:-1]))
        edge[1:][beside] |= (body != other) | (solid == part)
    return found


def _check_library(window: Any) -> None:
    """Check that OSMesa, the fallback of VTK, is installed; otherwise VTK ends the process."""
    if "OSOpenGL" in type(window).__name__ and find_library("OSMesa") is None:
        raise ImportError(
            "pyvista: must find a display, or a library that renders without one, got neither. "
            "Install EGL (Debian, Ubuntu: apt-get install libegl1 libgl1-mesa-dri)."
        )

"""The upward direction and the camera of MeshCat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.framing import View
from nsmb.pictures.in_space import matrix
from nsmb.pictures.plane import Plane

__all__ = ["Y_UP", "Sight", "look", "upwards"]

Floats = NDArray[np.float64]

Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""Rotation of the y-axis to the z-axis of MeshCat."""
_FOV = 30.0  # degrees, vertical: little perspective
_ASLANT = 1.5  # factor of the distance for oblique views, which show more than the plane
_WIDEST = 4.0 / 3.0  # aspect ratio of the window to which the scene is fitted


@dataclass(frozen=True, eq=False)
class Sight:
    """The visible region and the direction of view."""

    view: View
    turn: Floats
    """Transformation of the whole scene, shape (4, 4)."""
    depth: float
    """Mean position of the bodies along the normal of the plane, m."""
    thickness: float
    """Thickness of the prisms, m."""
    is_aslant: bool
    """True if the camera looks obliquely from above instead of along the normal."""


def upwards(plane: Plane, up: str | None, has_solids: bool) -> Floats:
    """Return the transformation of the whole scene, shape (4, 4); MeshCat draws z upwards."""
    if up is not None or has_solids:
        return Y_UP if up == "y" else np.eye(4)
    # to the right, away from the eye, upwards
    return matrix(np.zeros(3), np.array([plane.right, -plane.normal, plane.up]))


def look(window: Any, geometry: Any, sight: Sight) -> None:
    """Point the camera along the normal of the plane at the centre of the visible region.

    The camera of MeshCat rotates about the origin, so the scene is shifted there.
    """
    view, plane, turn = sight.view, sight.view.plane, sight.turn[:3, :3]
    width, height = view.x[1] - view.x[0], view.y[1] - view.y[0]
    middle = 0.5 * sum(view.x) * plane.right + 0.5 * sum(view.y) * plane.up
    center = turn @ (middle + sight.depth * plane.normal)
    half = 0.5 * max(height, width / _WIDEST)
    distance = half / np.tan(np.radians(0.5 * _FOV)) + 0.5 * sight.thickness
    eye = turn @ plane.normal
    if sight.is_aslant:
        eye = eye + turn @ (0.5 * plane.right) + (0.0, 0.0, 0.6)
        eye = eye / np.linalg.norm(eye)
        distance *= _ASLANT
    window.set_transform(matrix(-center, np.eye(3)))
    camera = window["/Cameras/default/rotated"]
    lens = geometry.PerspectiveCamera(fov=_FOV, near=0.01 * distance, far=100.0 * distance)
    camera.set_object(lens)
    position = distance * eye  # the second axis of the camera points upwards
    camera["<object>"].set_property("position", [position[0], position[2], -position[1]])
    for path in ("/Grid", "/Axes"):
        window[path].set_property("visible", False)
    for key in ("top_color", "bottom_color"):
        window["/Background"].set_property(key, [1.0, 1.0, 1.0])

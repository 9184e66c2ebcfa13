"""Which way is up, and where the camera of MeshCat stands."""

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
"""Turns y to where MeshCat has z."""
_FOV = 30.0  # degrees, upright: little perspective
_ASLANT = 1.5  # times further away, as more than the plane is seen
_WIDEST = 4.0 / 3.0  # of the window, for which the scene is fitted


@dataclass(frozen=True, eq=False)
class Sight:
    """What is to be seen."""

    view: View
    turn: Floats
    """(4, 4) of the whole scene."""
    depth: float
    """m, of bodies along the normal of the plane."""
    thickness: float
    """m, of prisms."""
    is_aslant: bool
    """From above and aside instead of along the normal."""


def upwards(plane: Plane, up: str | None, has_solids: bool) -> Floats:
    """(4, 4) of the whole scene: MeshCat draws z upwards."""
    if up is not None or has_solids:
        return Y_UP if up == "y" else np.eye(4)
    # to the right, away from the eye, upwards
    return matrix(np.zeros(3), np.array([plane.right, -plane.normal, plane.up]))


def look(window: Any, geometry: Any, sight: Sight) -> None:
    """The camera looks along the normal of the plane at the middle of what is to be seen.

    MeshCat's camera turns about the origin: the scene is shifted there.
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
    position = distance * eye  # of the camera's own axes the second points upwards
    camera["<object>"].set_property("position", [position[0], position[2], -position[1]])
    for path in ("/Grid", "/Axes"):
        window[path].set_property("visible", False)
    for key in ("top_color", "bottom_color"):
        window["/Background"].set_property(key, [1.0, 1.0, 1.0])

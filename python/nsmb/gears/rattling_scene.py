"""Scenes of teeth that rattle between flanks, not to scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.pictures.scene import ContactFrame, Scene

__all__ = ["meshes_scene"]

Vector = NDArray[np.float64]

_TOOTH, _ROW = 0.6, 1.6  # fractions of the backlash: thickness of a tooth, distance of meshes


def meshes_scene(
    names: Sequence[str],
    backlash: Sequence[float],
    plays: Callable[[float, Vector], Vector] | None = None,
) -> Scene:
    """Return a scene of one tooth between two flanks per mesh, at the right flank if s = 0.

    Contacts are the right and the left flank of each mesh. By default, the plays s are the
    coordinates.
    """
    meshes = _Meshes(tuple(backlash), plays)
    bodies = [body for name in names for body in (name, "drive", "drive")]
    return Scene.from_function(meshes.points, bodies=bodies, contacts=meshes.contacts)


@dataclass(frozen=True)
class _Meshes:
    """Functions for scenes that can be pickled, with meshes of nameless gearboxes."""

    backlash: tuple[float, ...]
    plays: Callable[[float, Vector], Vector] | None = None

    def points(self, t: float, q: Vector) -> list[ArrayLike]:
        tooth, high = self._size()
        found: list[ArrayLike] = []
        for i, (s, v) in enumerate(zip(self._plays(t, q), self.backlash, strict=True)):
            for width, x in ((1.0, s - 0.5 * tooth), (0.5, 0.25 * tooth), (0.5, -v - 1.25 * tooth)):
                found.append(_block(width * tooth, high) + np.array([x, -i * high / 0.8]))
        return found

    def contacts(self, t: float, q: Vector) -> list[ContactFrame | None]:
        tooth, high = self._size()
        found: list[ContactFrame | None] = []
        for i, s in enumerate(self._plays(t, q)):
            middle = -i * high / 0.8 + 0.5 * high
            found.append(ContactFrame((s, middle), (-1.0, 0.0), (0.0, 1.0)))
            found.append(ContactFrame((s - tooth, middle), (1.0, 0.0), (0.0, 1.0)))
        return found

    def _plays(self, t: float, q: Vector) -> Vector:
        return q if self.plays is None else self.plays(t, q)

    def _size(self) -> tuple[float, float]:
        """Return the thickness and height of a tooth."""
        size = max(self.backlash)
        return _TOOTH * size, 0.8 * _ROW * size


def _block(width: float, height: float) -> Vector:
    """Return the closed outline of a rectangle above the middle of its lower side, (5, 2)."""
    x = 0.5 * width
    return np.array([(-x, 0.0), (x, 0.0), (x, height), (-x, height), (-x, 0.0)])

"""The plane of a picture: where a system and its motion are seen in full size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.instant import Instant
from nsmb.pictures.solids import Ground
from nsmb.pictures.subjects import contact_frames, scene_of

if TYPE_CHECKING:
    from nsmb.pictures.scene import Outline
    from nsmb.pictures.subjects import Subject

__all__ = ["OBLIQUE", "XY", "Plane", "plane_of"]

Floats = NDArray[np.float64]

_STEP = 1e-6  # of a coordinate, to see where it moves the parts
_FLAT = 1e-9  # part of the variance: (3e-5)² of the size is no depth
_CLEAR = 2.0  # other planes of spatial motions are taken where they show that much more than x-y
_MOST, _FEW = 40, 7  # instants looked at, and coordinates
_MANY = 50  # bodies, of which a few instants and coordinates tell


@dataclass(frozen=True, eq=False)
class Plane:
    """Two directions in space, to the right and upwards; seen from their vector product."""

    right: Floats
    """(3,)"""
    up: Floats
    """(3,)"""

    @cached_property
    def normal(self) -> Floats:
        """(3,) towards the eye."""
        return np.cross(self.right, self.up)

    @property
    def names(self) -> tuple[str, str]:
        """Of both directions, for the axes."""
        return _name(self.right), _name(self.up)

    def of(self, points: Floats) -> Floats:
        """(n, 3) points, or one (3,), in the plane; what is given as planar stays what it is."""
        if points.shape[-1] == 2:
            return points
        return np.asarray(points @ np.column_stack([self.right, self.up]))

    def outline(self, outline: Outline) -> Floats:
        """(n, 2) points of an outline, the material on the left as it is seen."""
        points = self.of(outline.points)
        return points[::-1] if outline.normal @ self.normal < 0.0 else points


XY = Plane(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))


def _from_above(turn: float, height: float) -> Plane:
    """Seen from the side of -y, turned about z and raised by angles in rad."""
    c, s = np.cos(turn), np.sin(turn)
    right, ahead = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
    return Plane(right, np.sin(height) * ahead + np.cos(height) * np.array([0.0, 0.0, 1.0]))


OBLIQUE = _from_above(0.45, 0.35)
"""Of solids in space."""


def plane_of(system: Subject, instants: Sequence[Instant]) -> Plane:
    """x-y, or the plane in which the parts lie and move, as far as they tell.

    Of spatial motions the coordinate plane that shows most, x-y unless another shows far more; one
    that ground in space is seen in from the side.
    """
    most = _MOST if len(scene_of(system).solids) <= _MANY else _FEW
    chosen = instants[:: max(1, len(instants) // most)]
    shape = np.vstack([_points(system, now.t, now.q) for now in chosen] or [np.zeros((0, 3))])
    if len(shape) == 0:
        return XY
    shape = shape - shape.mean(axis=0)
    size = float(np.abs(shape).max()) or 1.0
    seen = np.vstack([shape / size, *_directions(system, chosen[0], most)])
    C = seen.T @ seen
    total = float(np.trace(C))
    if C[2, 2] <= _FLAT * total:
        return XY
    values, vectors = np.linalg.eigh(C)
    if values[1] <= _FLAT * total:  # all on one line
        along = vectors[:, 2]
        axis = next(k for k in (2, 1, 0) if abs(along[k]) <= np.sqrt(_FLAT) or k == 0)
        return _plane(np.eye(3)[axis] - along * along[axis])
    if values[0] <= _FLAT * total:
        return _plane(vectors[:, 0])
    depths = (shape**2).sum(axis=0)  # what is there counts, not where else it may go
    ground = _upwards_from_ground(system, chosen[0])
    if ground is not None:
        depths[int(np.argmax(np.abs(ground)))] = np.inf
        side = np.eye(3)[int(np.argmin(depths))]
        return _plane(side - (side @ ground) * ground)
    if depths[2] <= _CLEAR * depths.min():
        return XY
    return _plane(np.eye(3)[int(np.argmin(depths))])


def _upwards_from_ground(system: Subject, now: Instant) -> Floats | None:
    """(3,) normal of the first ground without end."""
    scene = scene_of(system)
    for solid in scene.solids:
        if isinstance(solid.shape, Ground):
            normal: Floats = scene.poses(now.t, now.q)[solid.marker][1][:, 2]
            return normal
    return None


def _points(system: Subject, t: float, q: Floats) -> Floats:
    """(n, 3) of all that moves, and of contacts."""
    scene = scene_of(system)
    parts = [outline.points for outline in scene.outlines(t, q) if not outline.is_ground]
    parts += [end[None] for pair in scene.springs_at(t, q) for end in pair]
    parts += [np.zeros((0, 3)), scene.joints_at(t, q), scene.centers_at(t, q)]
    parts += [scene.solids_at(t, q)]
    return np.vstack(parts)


def _directions(system: Subject, now: Instant, most: int) -> list[Floats]:
    """Where coordinates move the parts, the furthest by one, and normals of contacts."""
    found = []
    for frame in contact_frames(system, now.t, now.q):
        if frame is not None:
            found.append(_in_space(np.asarray(frame.normal, dtype=np.float64))[None])
    before = _points(system, now.t, now.q)
    for k in range(0, now.q.size, max(1, now.q.size // most)):
        q = now.q.copy()
        q[k] += _STEP
        after = _points(system, now.t, q)
        if after.shape == before.shape and after.size:
            way = after - before
            longest = float(np.abs(way).max())
            if longest > 1e-3 * _STEP:
                found.append(way / longest)
    return found


def _plane(normal: Floats) -> Plane:
    """Upwards is z where it can be, else y."""
    normal = normal / np.linalg.norm(normal)
    normal[np.abs(normal) < 1e-9] = 0.0
    if normal[0] == normal[1] == 0.0:
        return XY
    e_z = np.array([0.0, 0.0, 1.0])
    up = e_z - (e_z @ normal) * normal
    up = up / np.linalg.norm(up)
    right = np.cross(up, normal)
    if right @ (1.0, 1e-6, 0.0) < 0.0:
        right = -right
    return Plane(right + 0.0, up + 0.0)


def _in_space(vector: Floats) -> Floats:
    return np.append(vector, 0.0) if vector.size == 2 else vector


def _name(direction: Floats) -> str:
    for letter, axis in zip("xyz", np.eye(3), strict=True):
        if np.abs(direction - axis).max() < 1e-9:
            return letter
    return "along (" + ", ".join(f"{c:.3g}" for c in direction) + ")"

"""The plane of a figure, in which a system and its motion appear in true size."""

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

_STEP = 1e-6  # step of a coordinate, for the direction in which it moves the parts
_FLAT = 1e-9  # fraction of the variance that counts as flat, (3e-5)² of the size
_CLEAR = 2.0  # factor by which another plane must show more than the x-y plane
_MOST, _FEW = 40, 7  # evaluated instants and coordinates
_MANY = 50  # bodies, above which a few instants and coordinates suffice


@dataclass(frozen=True, eq=False)
class Plane:
    """Two directions in space, to the right and upwards; the eye is along their cross product."""

    right: Floats
    """Unit vector to the right, shape (3,)."""
    up: Floats
    """Unit vector upwards, shape (3,)."""

    @cached_property
    def normal(self) -> Floats:
        """Unit vector towards the eye, shape (3,)."""
        return np.cross(self.right, self.up)

    @property
    def names(self) -> tuple[str, str]:
        """Names of both directions, for the axes."""
        return _name(self.right), _name(self.up)

    def of(self, points: Floats) -> Floats:
        """Project points (n, 3), or one (3,), onto the plane; planar points stay unchanged."""
        if points.shape[-1] == 2:
            return points
        return np.asarray(points @ np.column_stack([self.right, self.up]))

    def outline(self, outline: Outline) -> Floats:
        """Return the points (n, 2) of an outline with the visible material on the left."""
        points = self.of(outline.points)
        return points[::-1] if outline.normal @ self.normal < 0.0 else points


XY = Plane(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))


def _from_above(turn: float, height: float) -> Plane:
    """Return a view from the side of -y, rotated about z and raised by angles in rad."""
    c, s = np.cos(turn), np.sin(turn)
    right, ahead = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
    return Plane(right, np.sin(height) * ahead + np.cos(height) * np.array([0.0, 0.0, 1.0]))


OBLIQUE = _from_above(0.45, 0.35)
"""View of solids in space."""


def plane_of(system: Subject, instants: Sequence[Instant]) -> Plane:
    """Return the x-y plane, or the plane in which the parts lie and move.

    For spatial motions, this is the coordinate plane that shows most, with preference for x-y. If
    there is ground in space, it is a plane that shows the ground from the side.
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
    if values[1] <= _FLAT * total:  # collinear points
        along = vectors[:, 2]
        axis = next(k for k in (2, 1, 0) if abs(along[k]) <= np.sqrt(_FLAT) or k == 0)
        return _plane(np.eye(3)[axis] - along * along[axis])
    if values[0] <= _FLAT * total:
        return _plane(vectors[:, 0])
    depths = (shape**2).sum(axis=0)  # depends on the parts only, not on the motion
    ground = _upwards_from_ground(system, chosen[0])
    if ground is not None:
        depths[int(np.argmax(np.abs(ground)))] = np.inf
        side = np.eye(3)[int(np.argmin(depths))]
        return _plane(side - (side @ ground) * ground)
    if depths[2] <= _CLEAR * depths.min():
        return XY
    return _plane(np.eye(3)[int(np.argmin(depths))])


def _upwards_from_ground(system: Subject, now: Instant) -> Floats | None:
    """Return the normal of the first unbounded ground, shape (3,)."""
    scene = scene_of(system)
    for solid in scene.solids:
        if isinstance(solid.shape, Ground):
            normal: Floats = scene.poses(now.t, now.q)[solid.marker][1][:, 2]
            return normal
    return None


def _points(system: Subject, t: float, q: Floats) -> Floats:
    """Return points of all moving parts and of contacts, shape (n, 3)."""
    scene = scene_of(system)
    parts = [outline.points for outline in scene.outlines(t, q) if not outline.is_ground]
    parts += [end[None] for pair in scene.springs_at(t, q) for end in pair]
    parts += [np.zeros((0, 3)), scene.joints_at(t, q), scene.centers_at(t, q)]
    parts += [scene.solids_at(t, q)]
    return np.vstack(parts)


def _directions(system: Subject, now: Instant, most: int) -> list[Floats]:
    """Return directions in which coordinates move the parts, scaled to one, and contact normals."""
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
    """Return the plane with a normal; z points upwards if possible, otherwise y."""
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

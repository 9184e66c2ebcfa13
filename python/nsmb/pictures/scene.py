"""The visual description of a system: outlines, springs, joints and contact points at (t, q).

A scene is used for figures (`System.draw`, `Solution.draw`, `Solution.animate`) and for the viewer
(`nsmb.view`). It does not affect forces or motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array
from nsmb.pictures.solids import Solid, half_size

__all__ = ["GROUND", "ContactFrame", "Outline", "Scene", "SceneItem", "StressField"]

Floats = NDArray[np.float64]
Pose = tuple[Floats, Floats]

GROUND = ("ground", "environment")
"""Names of bodies that are drawn as hatched ground and do not influence the view."""


@dataclass(frozen=True, eq=False)
class SceneItem:
    """An outline that is fixed to a body.

    The material is on its left: outer boundaries run counter-clockwise, holes clockwise.
    """

    body: str
    """Name of the body; items of one body have the same colour, those of the ground are hatched."""
    marker: int
    """Index of the marker whose x-y plane contains the points."""
    points: ArrayLike
    """Points, shape (n, 2), m."""
    closed: bool = True
    """True if the last point is connected to the first, and the inside is filled."""
    is_endless: bool = False
    """True for a line that extends beyond both ends, which then do not influence the view."""
    has_solid: bool = False
    """True if a solid of the scene replaces the outline in three-dimensional figures."""

    def __post_init__(self) -> None:
        points = _as_points(f"points of {self.body!r}", self.points, (2,))
        nearest = 1e-12 * np.ptp(points, axis=0).max()
        if self.closed and len(points) > 1 and np.abs(points[0] - points[-1]).max() <= nearest:
            points = points[:-1]
        object.__setattr__(self, "points", points)


@dataclass(frozen=True, eq=False)
class ContactFrame:
    """The position of a contact and the directions of its forces.

    λ_N acts along `normal` and λ_T along `tangent` on body 1, or on body 2 if the first is the
    ground (5.2).
    """

    point: ArrayLike
    """Position, shape (2,) or (3,), m."""
    normal: ArrayLike
    """Normal n_1 into the body, shape (2,) or (3,)."""
    tangent: ArrayLike
    """Tangent t_1, shape (2,) or (3,)."""


@dataclass(frozen=True, eq=False)
class Outline:
    """An outline at one instant."""

    body: str
    points: Floats
    """Points, shape (n, 3), m."""
    closed: bool
    normal: Floats = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    """Normal of its plane, towards a viewer who sees the material on the left, shape (3,).

    It is zero for lines without sides.
    """
    is_bar: bool = False
    """True if it represents a body with unknown shape."""
    is_endless: bool = False
    """True for a line that extends beyond both ends."""

    @property
    def is_ground(self) -> bool:
        """True if it belongs to the ground."""
        return self.body in GROUND


@dataclass(frozen=True, eq=False)
class StressField:
    """The stresses of a body at one instant."""

    body: str
    points: Floats
    """Points, shape (k, 3), m."""
    triangles: NDArray[np.int64]
    """Point indices of the triangles, counter-clockwise from outside, shape (m, 3)."""
    von_mises: Floats
    """Von Mises stresses at the points, shape (k,), Pa."""
    is_planar: bool
    """True if the triangles fill a planar body, which is visible from both sides.

    Otherwise they are the surface of a body in space.
    """


class Scene:
    """Outlines of bodies at markers, which are frames that move with the system.

    Parameters
    ----------
    items : sequence of SceneItem
    poses : callable (t, q) -> sequence of (r (3,), A (3, 3))
        Position and orientation of each marker: a point p of the marker is at r + A p.
    springs : sequence of (int, int)
        Pairs of markers with a spring between them.
    joints : sequence of int
        Markers with a rotational joint.
    supports : sequence of int
        Markers at which such a joint is fixed to the ground.
    guides : sequence of (int, int, array_like (3,))
        Markers of both frames of a sliding joint, and its axis in the first frame.
    contacts : callable (t, q) -> sequence of ContactFrame or None, optional
        One frame per contact, None if it has no position. Multibody models do not need it.
    solids : sequence of nsmb.pictures.solids.Solid
        Bodies in space, for the viewer.
    links : sequence of (str, int, int)
        Body and two of its markers, between which a line represents it, or one marker twice for a
        point.
    centers : sequence of int
        Markers at centres of mass.
    deforming : callable (t, q) -> sequence of Outline, optional
        Deforming outlines, which follow all others; their number and numbers of points are
        constant.
    stresses : callable (t, q) -> sequence of StressField, optional
        Stress fields of bodies with known stresses.

    Raises
    ------
    ValueError
        If points are not numbers of shape (n, 2).
    """

    def __init__(
        self,
        items: Sequence[SceneItem],
        poses: Callable[[float, Floats], Sequence[tuple[ArrayLike, ArrayLike]]],
        *,
        springs: Sequence[tuple[int, int]] = (),
        joints: Sequence[int] = (),
        supports: Sequence[int] = (),
        guides: Sequence[tuple[int, int, ArrayLike]] = (),
        contacts: Callable[[float, Floats], Sequence[ContactFrame | None]] | None = None,
        solids: Sequence[Solid] = (),
        links: Sequence[tuple[str, int, int]] = (),
        centers: Sequence[int] = (),
        deforming: Callable[[float, Floats], Sequence[Outline]] | None = None,
        stresses: Callable[[float, Floats], Sequence[StressField]] | None = None,
    ) -> None:
        self.items = tuple(items)
        self._poses = poses
        self.springs = tuple((int(a), int(b)) for a, b in springs)
        self.joints = tuple(int(marker) for marker in joints)
        self.supports = tuple(int(marker) for marker in supports)
        self.guides = tuple(
            (int(a), int(b), as_array("guides: axis", axis, (3,))) for a, b, axis in guides
        )
        self.contacts = contacts
        self.solids = tuple(solids)
        self.links = tuple((body, int(a), int(b)) for body, a, b in links)
        self.centers = tuple(int(marker) for marker in centers)
        self.deforming = deforming
        self.stresses = stresses
        self._points: Callable[[float, Floats], Sequence[ArrayLike]] | None = None
        self._bodies: tuple[str, ...] | None = None

    @classmethod
    def from_function(
        cls,
        points: Callable[[float, Floats], Sequence[ArrayLike]],
        *,
        bodies: Sequence[str] | None = None,
        markers: Callable[[float, Floats], Sequence[ArrayLike]] | None = None,
        springs: Sequence[tuple[int, int]] = (),
        joints: Sequence[int] = (),
        contacts: Callable[[float, Floats], Sequence[ContactFrame | None]] | None = None,
    ) -> Scene:
        """Return a planar scene of polylines given by a function, for systems without bodies.

        Parameters
        ----------
        points : callable (t, q) -> sequence of array_like (n, 2)
            Polylines in m; a polyline whose last point equals its first is closed and filled. Their
            number is constant.
        bodies : sequence of str, optional
            One name per polyline, ``"ground"`` for fixed parts; default: ``body_1``, ...
        markers : callable (t, q) -> sequence of array_like (2,), optional
            Points to which `springs` and `joints` refer.
        springs, joints, contacts : optional
            See :class:`Scene`.

        Examples
        --------
        >>> import numpy as np, nsmb
        >>> scene = nsmb.plotting.Scene.from_function(
        ...     lambda t, q: [[(0.0, q[0]), (0.1, q[0])], [(1.0, 0.0), (-1.0, 0.0)]],
        ...     bodies=["lath", "ground"],
        ... )
        >>> [outline.body for outline in scene.outlines(0.0, np.array([0.3]))]
        ['lath', 'ground']
        """

        scene = cls((), _Places(markers), springs=springs, joints=joints, contacts=contacts)
        scene._points = points
        scene._bodies = None if bodies is None else tuple(bodies)
        return scene

    def poses(self, t: float, q: Floats) -> list[Pose]:
        """Return position r (3,) in m and orientation A (3, 3) of each marker."""
        return [
            (
                as_array(f"poses(t, q)[{i}]: r", r, (3,)),
                as_array(f"poses(t, q)[{i}]: A", A, (3, 3)),
            )
            for i, (r, A) in enumerate(self._poses(t, q))
        ]

    def outlines(self, t: float, q: Floats) -> list[Outline]:
        """Return all outlines at (t, q), in the inertial frame.

        Raises
        ------
        ValueError
            If a marker does not exist, or a function returns an invalid value.
        """
        if self._points is not None:
            return self._given_outlines(self._points(t, q))
        poses = self.poses(t, q)
        outlines = []
        for item in self.items:
            r, A = _pose(poses, item.marker)
            local = np.asarray(item.points, dtype=np.float64)
            points = r + local @ A[:, :2].T
            normal = A[:, 2]
            if normal[2] < 0.0:  # seen from behind: the body stays on the left
                points, normal = points[::-1], -normal
            outlines.append(
                Outline(item.body, points, item.closed, normal, is_endless=item.is_endless)
            )
        for body, a, b in self.links:
            ends = [_pose(poses, marker)[0] for marker in dict.fromkeys((a, b))]
            outlines.append(Outline(body, np.array(ends), False, np.zeros(3), is_bar=True))
        return outlines + self.deformed(t, q)

    def deformed(self, t: float, q: Floats) -> list[Outline]:
        """Return the deforming outlines."""
        return [] if self.deforming is None else list(self.deforming(t, q))

    def springs_at(self, t: float, q: Floats) -> list[tuple[Floats, Floats]]:
        """Return the ends of each spring, each of shape (3,)."""
        poses = self.poses(t, q) if self.springs else []
        return [(_pose(poses, a)[0], _pose(poses, b)[0]) for a, b in self.springs]

    def joints_at(self, t: float, q: Floats) -> Floats:
        """Return the positions of the joints, shape (n, 3)."""
        return self._places(self.joints, t, q)

    def supports_at(self, t: float, q: Floats) -> Floats:
        """Return the positions of joints that are fixed to the ground, shape (n, 3)."""
        return self._places(self.supports, t, q)

    def guides_at(self, t: float, q: Floats) -> list[tuple[Floats, Floats, Floats]]:
        """Return both positions and the direction of each sliding joint, each of shape (3,)."""
        poses = self.poses(t, q) if self.guides else []
        return [
            (_pose(poses, a)[0], _pose(poses, b)[0], _pose(poses, a)[1] @ axis)
            for a, b, axis in self.guides
        ]

    def centers_at(self, t: float, q: Floats) -> Floats:
        """Return the positions of the centres of mass, shape (n, 3)."""
        return self._places(self.centers, t, q)

    def solids_at(self, t: float, q: Floats) -> Floats:
        """Return the corners of the boxes around the solids, shape (n, 3)."""
        poses = self.poses(t, q) if self.solids else []
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        found = [np.zeros((0, 3))]
        for solid in self.solids:
            r, A = _pose(poses, solid.marker)
            found.append(r + (corners * half_size(solid.shape)) @ A.T)
        return np.vstack(found)

    def _places(self, markers: Sequence[int], t: float, q: Floats) -> Floats:
        poses = self.poses(t, q) if markers else []
        return np.array([_pose(poses, marker)[0] for marker in markers]).reshape(-1, 3)

    def _given_outlines(self, polylines: Sequence[ArrayLike]) -> list[Outline]:
        names = self._bodies
        if names is None:
            names = tuple(f"body_{i + 1}" for i in range(len(polylines)))
        if len(names) != len(polylines):
            raise ValueError(
                f"points(t, q): expected {len(names)} polylines, as many as bodies, got "
                f"{len(polylines)}"
            )
        outlines = []
        for name, polyline in zip(names, polylines, strict=True):
            points = _as_points(f"points(t, q) of {name!r}", polyline, (2, 3))
            closed = len(points) > 3 and np.array_equal(points[0], points[-1])
            points = points[:-1] if closed else points
            flat = np.zeros((len(points), 3))
            flat[:, : points.shape[1]] = points
            outlines.append(Outline(name, flat, closed))
        return outlines


class _Places:
    """Poses of markers whose positions are given by a function; picklable if the function is."""

    def __init__(
        self, markers: Callable[[float, Floats], Sequence[ArrayLike]] | None = None
    ) -> None:
        self._markers = markers

    def __call__(self, t: float, q: Floats) -> list[Pose]:
        places = [] if self._markers is None else self._markers(t, q)
        return [(_in_space("markers(t, q)", place), np.eye(3)) for place in places]


def _pose(poses: Sequence[Pose], marker: int) -> Pose:
    if not 0 <= marker < len(poses):
        raise ValueError(f"scene: expected markers 0 ... {len(poses) - 1}, got {marker}")
    return poses[marker]


def _as_points(name: str, value: ArrayLike, columns: Sequence[int]) -> Floats:
    """Return `value` as finite points (n, d), where d is one of `columns`."""
    wanted = " or ".join(f"(n, {d})" for d in columns)
    try:
        points = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers of shape {wanted}, got {value!r}") from None
    if points.ndim != 2 or points.shape[1] not in columns or len(points) == 0:
        raise ValueError(f"{name}: expected shape {wanted}, got shape {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError(f"{name}: expected finite numbers")
    return points


def _in_space(name: str, value: ArrayLike) -> Floats:
    if np.shape(value) == (2,):
        return np.append(as_array(name, value, (2,)), 0.0)
    return as_array(name, value, (3,))

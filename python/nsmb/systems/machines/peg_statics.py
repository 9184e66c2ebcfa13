"""Statics of a peg between the walls of a hole: where it rests, slides, jams and is wedged."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.systems.machines.planar_arm import PlanarArm

__all__ = ["PegStatics", "Rest"]

Vector = NDArray[np.float64]
Contact = tuple[str, int]

_STEPS = 15  # of Newton's method: what needs more is left as not found
_CONVERGED = 1e-11  # rad and m, five digits above rounding
_DIFFERENCE = 1e-7  # rad, m and N, near the root of rounding
_GAP = 1e-10  # m, ten times what converged poses are known to
_TURN, _LAG = 0.2, 0.06  # rad and m: farther is nowhere
_SIDES = (-1, 1)
_SINGLE: list[tuple[Contact, ...]] = [((kind, s),) for kind in ("corner", "edge") for s in _SIDES]
_PAIRS: list[tuple[Contact, ...]] = [
    (("corner", s), ("edge", t)) for s, t in itertools.product(_SIDES, _SIDES)
]
_SETS: list[tuple[Contact, ...]] = [(), *_SINGLE, *_PAIRS]


@dataclass(frozen=True)
class Rest:
    """Insertion without inertia, one row for each depth."""

    contacts: tuple[str, ...]
    """``"corner left"`` of the peg on the wall, ``"edge right"`` of the hole on the peg, both
    joined by ``" and "``, ``"none"``; ``""``: no rest was found."""
    pose: Vector
    """(n, 3) x, y (m) and φ (rad) of the tip."""
    force: Vector
    """(n,) N, that the insertion needs."""
    lag: Vector
    """(n,) m, of the tip behind its path."""


@dataclass(frozen=True)
class PegStatics:
    """A peg in a hole along x = 0, whose wall begins `c` below y = 0, on an arm.

    Contacts slide inwards or are at the limit of doing so: friction is `mu` times the normal force
    and points outwards. Poses are (x, y, φ) of the middle of the tip.
    """

    D: float
    """Width of the hole, m."""
    d: float
    """Width of the peg, m."""
    c: float
    """Depth of the chamfer, m."""
    mu: float
    """Coefficient of friction."""
    arm: PlanarArm
    """That holds the peg, with the control that yields."""

    def depth(self, phi: ArrayLike) -> Vector:
        """Of the lower of two points in contact below the upper one, m.

        Peg and hole of Fig. 14.36: ``h = (D cos φ - d)/sin|φ|``.
        """
        angle = np.abs(np.asarray(phi, dtype=np.float64))
        return np.asarray((self.D * np.cos(angle) - self.d) / np.sin(angle))

    def reserve(self, phi: ArrayLike) -> Vector:
        """By how much the friction cones of two points miss each other, rad; < 0: they overlap.

        The line from point to point is inclined by α = arctan(h/D) to the normal of the wall and
        by α + |φ| to that of the peg. With both within the friction angle, forces along it press
        without bound, and the peg is wedged: no load moves it.
        """
        alpha = np.arctan2(self.depth(phi), self.D)
        return np.asarray(alpha + np.abs(phi) - np.arctan(self.mu))

    def pose(self, phi: float) -> Vector:
        """(3,) with corner and edge in contact, the edge on the side to which the peg leans."""
        side = np.sign(phi)
        b = 0.5 * self.d
        x = side * (0.5 * self.D - b * np.cos(phi))
        corner = -self.c - float(self.depth(phi))
        return np.array([x, corner - side * b * np.sin(phi), phi])

    def wrenches(self, phi: float) -> Vector:
        """(4, 3) about the tip: edges of the cones of corner and edge, outwards and inwards each,
        for a normal force of 1."""
        pose, side = self.pose(phi), int(np.sign(phi))
        rows = []
        for contact in (("corner", side), ("edge", -side)):
            for sense in (1.0, -1.0):
                rows.append(self._wrench(contact, pose, sense))
        return np.array(rows)

    def carries(self, load: Vector, phi: float) -> float:
        """What both contacts leave of a load (3,) on the tip, N and N m; 0: they carry it.

        Raises
        ------
        RuntimeError
            If the contact forces that fit the load best are not found.
        """
        from scipy import optimize

        A, b = self.wrenches(phi).T, -np.asarray(load)
        # Not nnls, which is wrong now and then before SciPy 1.16.
        found = optimize.lsq_linear(
            A, b, bounds=(0.0, np.inf), method="bvls", tol=1e-14, max_iter=100 * A.shape[1]
        )
        if not found.success:
            raise RuntimeError(f"carries: the least squares have no solution: {found.message}")
        return float(np.linalg.norm(A @ found.x - b))

    def insertion(self, y: ArrayLike, error: float, tilt: float) -> Rest:
        """Rest at heights of the tip when the path is beside by `error` and turned by `tilt`.

        Every set of contacts is tried, and taken where it presses and nothing penetrates.

        Parameters
        ----------
        y : (n,) array_like
            m, the tip in the hole and below its chamfer.
        error, tilt : float
            m, rad

        Returns
        -------
        Rest
        """
        heights = np.atleast_1d(np.asarray(y, dtype=np.float64))
        names, found = [""] * heights.size, np.full((heights.size, 5), np.nan)
        for contacts in _SETS:
            left = np.flatnonzero(np.isnan(found[:, 0]))
            if not left.size:
                break
            z, converged = self._solve(contacts, heights[left], error, tilt)
            pose = np.column_stack([z[:, 0], heights[left], z[:, 1]])
            gaps = np.array([self._gap(c, pose) for (c,) in _SINGLE])
            right = converged & (z[:, 3:] >= 0.0).all(axis=1) & (gaps > -_GAP).all(axis=0)
            force = np.zeros(left.size)
            for k, contact in enumerate(contacts):
                force += z[:, 3 + k] * self._wrench(contact, pose)[:, 1]
            rows = left[right]
            lag = heights[rows] - z[right, 2]
            found[rows] = np.column_stack([pose[right], force[right], lag])
            for i in rows.tolist():
                names[i] = " and ".join(map(_name, contacts)) or "none"
        return Rest(tuple(names), found[:, :3], found[:, 3], found[:, 4])

    def _solve(
        self, contacts: tuple[Contact, ...], y: Vector, error: float, tilt: float
    ) -> tuple[Vector, NDArray[np.bool_]]:
        """(n, 3 + k) x, φ, height of the path, normal forces: Newton's method at all heights."""
        z = np.zeros((y.size, 3 + len(contacts)))
        z[:, 0], z[:, 1], z[:, 2] = error, tilt, y
        converged = np.zeros(y.size, dtype=bool)
        within = np.column_stack([0 * y, 0 * y, y]), np.array([self.D, _TURN, _LAG])
        low, high = within[0] - within[1], within[0] + within[1]
        for _ in range(_STEPS):
            r = self._residual(contacts, z, y, error, tilt)
            columns = [
                (self._residual(contacts, z + _DIFFERENCE * e, y, error, tilt) - r) / _DIFFERENCE
                for e in np.eye(z.shape[1])
            ]
            # pseudoinverse: heights at which a set of contacts is singular do not stop the others
            step = (np.linalg.pinv(np.stack(columns, axis=-1)) @ r[..., None])[..., 0]
            z = z - step
            z[:, :3] = np.clip(z[:, :3], low, high)
            converged = np.abs(step[:, :3]).max(axis=1) < _CONVERGED
            if converged.all():
                break
        return z, converged

    def _residual(
        self, contacts: tuple[Contact, ...], z: Vector, y: Vector, error: float, tilt: float
    ) -> Vector:
        pose = np.column_stack([z[:, 0], y, z[:, 1]])
        path = np.column_stack([0 * y + error, z[:, 2], 0 * y + tilt])
        q = self.arm.angles(pose)
        torque = self.arm.K_p * (q - self.arm.angles(path))
        load = np.zeros_like(pose)
        for k, contact in enumerate(contacts):
            load += z[:, 3 + k, None] * self._wrench(contact, pose)
        J = self.arm.jacobian(q)
        rows = torque - np.einsum("nij,ni->nj", J, load)
        gaps = [self._gap(contact, pose) for contact in contacts]
        return np.column_stack([rows, *gaps])

    def _gap(self, contact: Contact, pose: Vector) -> Vector:
        """(14.93) of a corner of the peg from the wall, or of an edge of the hole from the peg."""
        kind, side = contact
        x, y, phi = np.moveaxis(pose, -1, 0)
        if kind == "corner":
            return np.asarray(0.5 * self.D - side * x - 0.5 * self.d * np.cos(phi))
        across = (side * 0.5 * self.D - x) * np.cos(phi) + (-self.c - y) * np.sin(phi)
        return np.asarray(side * across - 0.5 * self.d)

    def _wrench(self, contact: Contact, pose: Vector, sense: float = 1.0) -> Vector:
        """(..., 3) on the peg about its tip, for a normal force of 1 and friction outwards."""
        kind, side = contact
        x, y, phi = np.moveaxis(pose, -1, 0)
        c, s = np.cos(phi), np.sin(phi)
        mu = sense * self.mu
        if kind == "corner":
            force = [0 * x - side, 0 * x + mu]
            arm = [side * 0.5 * self.d * c, side * 0.5 * self.d * s]
        else:
            force = [-side * c - mu * s, -side * s + mu * c]
            arm = [side * 0.5 * self.D - x, -self.c - y]
        return np.stack([*force, arm[0] * force[1] - arm[1] * force[0]], axis=-1)


def _name(contact: Contact) -> str:
    return f"{contact[0]} {'left' if contact[1] < 0 else 'right'}"

"""Statics of a peg between the walls of a hole: equilibrium, sliding, jamming and wedging."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.systems.machines.planar_arm import PlanarArm

__all__ = ["PegStatics", "Rest"]

Vector = NDArray[np.float64]
Contact = tuple[str, int]

_STEPS = 15  # maximum number of Newton steps
_CONVERGED = 1e-11  # rad and m, five digits above rounding
_DIFFERENCE = 1e-7  # rad, m and N, near the root of rounding
_GAP = 1e-10  # m, ten times the accuracy of converged poses
_TURN, _LAG = 0.2, 0.06  # rad and m, limits of admissible solutions
_SIDES = (-1, 1)
_SINGLE: list[tuple[Contact, ...]] = [((kind, s),) for kind in ("corner", "edge") for s in _SIDES]
_PAIRS: list[tuple[Contact, ...]] = [
    (("corner", s), ("edge", t)) for s, t in itertools.product(_SIDES, _SIDES)
]
_SETS: list[tuple[Contact, ...]] = [(), *_SINGLE, *_PAIRS]


@dataclass(frozen=True)
class Rest:
    """A quasi-static insertion, one row for each depth."""

    contacts: tuple[str, ...]
    """Contacts at each depth.

    The parts are ``"corner left"`` for a corner of the peg on the wall and ``"edge right"`` for an
    edge of the hole on the peg, joined by ``" and "``. ``"none"`` means no contact, and ``""`` that
    no equilibrium was found.
    """
    pose: Vector
    """Poses x, y (m) and φ (rad) of the tip, shape (n, 3)."""
    force: Vector
    """Insertion forces, shape (n,), N."""
    lag: Vector
    """Distances of the tip behind its path, shape (n,), m."""


@dataclass(frozen=True)
class PegStatics:
    """A peg, held by an arm, in a hole along x = 0, whose wall starts `c` below y = 0.

    Contacts slide inwards or are at the limit of sliding inwards: friction is `mu` times the normal
    force and points outwards. Poses are (x, y, φ) of the middle of the tip.
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
    """Arm that holds the peg, with its compliant control."""

    def depth(self, phi: ArrayLike) -> Vector:
        """Return the vertical distance between two contact points, m.

        For peg and hole of Fig. 14.36, it is ``h = (D cos φ - d)/sin|φ|``.
        """
        angle = np.abs(np.asarray(phi, dtype=np.float64))
        return np.asarray((self.D * np.cos(angle) - self.d) / np.sin(angle))

    def reserve(self, phi: ArrayLike) -> Vector:
        """Return the angle between the friction cones of two points, rad; < 0 if they overlap.

        The line between the points is inclined by α = arctan(h/D) to the normal of the wall and by
        α + |φ| to that of the peg. If both angles are within the friction angle, forces along this
        line can be arbitrarily large, and the peg is wedged: no load moves it.
        """
        alpha = np.arctan2(self.depth(phi), self.D)
        return np.asarray(alpha + np.abs(phi) - np.arctan(self.mu))

    def pose(self, phi: float) -> Vector:
        """Return the pose (3,) with corner and edge in contact, the edge on the leaning side."""
        side = np.sign(phi)
        b = 0.5 * self.d
        x = side * (0.5 * self.D - b * np.cos(phi))
        corner = -self.c - float(self.depth(phi))
        return np.array([x, corner - side * b * np.sin(phi), phi])

    def wrenches(self, phi: float) -> Vector:
        """Return the wrenches on the edges of both friction cones, about the tip, shape (4, 3).

        The order is corner and edge, outwards and inwards each, for a normal force of 1.
        """
        pose, side = self.pose(phi), int(np.sign(phi))
        rows = []
        for contact in (("corner", side), ("edge", -side)):
            for sense in (1.0, -1.0):
                rows.append(self._wrench(contact, pose, sense))
        return np.array(rows)

    def carries(self, load: Vector, phi: float) -> float:
        """Return the part of a load (3,) on the tip that both contacts cannot carry, N and N m.

        Raises
        ------
        RuntimeError
            If the least-squares contact forces are not found.
        """
        from scipy import optimize

        A, b = self.wrenches(phi).T, -np.asarray(load)
        # Before SciPy 1.16 nnls occasionally returns wrong results.
        found = optimize.lsq_linear(
            A, b, bounds=(0.0, np.inf), method="bvls", tol=1e-14, max_iter=100 * A.shape[1]
        )
        if not found.success:
            raise RuntimeError(f"carries: the least squares have no solution: {found.message}")
        return float(np.linalg.norm(A @ found.x - b))

    def insertion(self, y: ArrayLike, error: float, tilt: float) -> Rest:
        """Return the equilibrium at given heights of the tip for a path with errors.

        All sets of contacts are tried. A set is accepted where all its normal forces are positive
        and nothing penetrates.

        Parameters
        ----------
        y : (n,) array_like
            Heights of the tip in the hole and below its chamfer, m.
        error, tilt : float
            Shift and rotation of the path, m and rad.

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
        """Return x, φ, height of the path, normal forces, shape (n, 3 + k), by Newton's method."""
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
            # pseudoinverse: heights at which a set is singular do not affect the others
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
        """Return the gap (14.93) of a corner to the wall, or of an edge of the hole to the peg."""
        kind, side = contact
        x, y, phi = np.moveaxis(pose, -1, 0)
        if kind == "corner":
            return np.asarray(0.5 * self.D - side * x - 0.5 * self.d * np.cos(phi))
        across = (side * 0.5 * self.D - x) * np.cos(phi) + (-self.c - y) * np.sin(phi)
        return np.asarray(side * across - 0.5 * self.d)

    def _wrench(self, contact: Contact, pose: Vector, sense: float = 1.0) -> Vector:
        """Return the wrench on the peg about its tip, (..., 3), for a unit normal force."""
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

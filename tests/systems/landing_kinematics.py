"""Equations of the landing airplane by closed-form Jacobians, for small and any rotations.

They are sums over mass elements (14.44), (14.46) with explicit positions of fuselage, legs and
wheels. `straight` makes the simplifications of the book: pitch, deflections and strokes are zero in
the Jacobians, and inertia has no quadratic terms in the velocities.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsmb.systems.machines.landing_gear_airframe import Airframe
from nsmb.systems.machines.landing_gear_data import GEARS, LandingGearParameters, Strut

Array = NDArray[np.float64]

_STEP = 1e-4  # for differences of M, whose third derivatives have its magnitude


class Place(NamedTuple):
    """The position and the motion of a cross-section."""

    r: Array
    """Forward and downward position in m for x = y = 0, shape (2,)."""
    J: Array
    """Jacobian of forward, downward and nose-down motion, shape (3, n)."""


class LandingKinematics:
    """The inertia and weight of an airplane with the functions of `made`."""

    def __init__(self, p: LandingGearParameters, made: Airframe, *, straight: bool) -> None:
        self.p, self.made, self.straight = p, made, straight
        self.names = made.coordinates
        self.functions = functools.cache(self._functions)

    def unit(self, name: str) -> Array:
        return np.eye(len(self.names))[self.names.index(name)]

    def _functions(self, body: int, x: float) -> tuple[Array, Array]:
        """Return w̄ and w̄' in their columns."""
        rows = np.zeros((2, len(self.names)))
        own = [k for k, name in enumerate(self.names) if name.startswith(f"q_{body}")]
        rows[:, own] = self.made.functions(body, x)
        return rows[0], rows[1]

    def fuselage(self, q: Array, x_1: float) -> Place:
        W, slope = self.functions(1, x_1)
        turn = -self.unit("alpha")
        phi, w = (0.0, 0.0) if self.straight else (turn @ q, W @ q)
        c, s = np.cos(phi), np.sin(phi)
        r = np.array([x_1 * c - w * s, x_1 * s + w * c])
        along = self.unit("x") - r[1] * turn - s * W
        down = self.unit("y") + r[0] * turn + c * W
        return Place(r, np.array([along, down, turn + slope]))

    def leg(self, q: Array, gear: Strut, x: float, *, lower: bool) -> Place:
        """Return a section of the upper part or of the sliding lower part (14.89)."""
        hinge = self.fuselage(q, getattr(self.p, f"x_1{gear.index}"))
        W, slope = self.functions(int(gear.index), x)
        slide = -self.stroke(gear) if lower else np.zeros_like(W)
        turn = hinge.J[2]
        theta, w, way = (0.0, 0.0, x) if self.straight else (turn @ q, W @ q, x + slide @ q)
        c, s = np.cos(theta), np.sin(theta)
        arm = np.array([-way * s - w * c, way * c - w * s])
        along = hinge.J[0] - arm[1] * turn - s * slide - c * W
        down = hinge.J[1] + arm[0] * turn + c * slide - s * W
        return Place(hinge.r + arm, np.array([along, down, turn + slope]))

    def wheel(self, q: Array, gear: Strut) -> Place:
        place = self.leg(q, gear, getattr(self.p, f"l_0{gear.index}"), lower=True)
        place.J[2] = self.unit(f"phi_{gear.index}")
        return place

    def stroke(self, gear: Strut) -> Array:
        """Return the stroke (14.89)."""
        x_1 = getattr(self.p, f"x_1{gear.index}")
        hinge = self.unit("y") - x_1 * self.unit("alpha") + self.functions(1, x_1)[0]
        return hinge - self.unit(f"y_2{gear.index}")

    def pressed(self, q: Array, gear: Strut) -> float:
        """Return the compression of a tyre in m."""
        if self.straight:
            return float(self.unit(f"y_2{gear.index}") @ q)
        r = self.wheel(q, gear).r
        return float(self.unit("y") @ q + r[1] - getattr(self.p, f"l_0{gear.index}"))

    def _parts(self, q: Array) -> Iterator[tuple[Array, float, float]]:
        """Yield Jacobian, mass and inertia of all mass elements."""
        p, line = self.p, self.made.bodies[0]
        for x, dx in _nodes(line.start, line.length):
            yield self.fuselage(q, x).J, p.m_1 / p.l_1 * dx, p.I_1z * dx
        for gear in GEARS:
            i, n = gear.index, gear.count
            length, I_z = getattr(p, f"l_0{i}"), getattr(p, f"I_{i}z")
            upper, lower = getattr(p, f"m_{i}o"), getattr(p, f"m_{i}u")
            for x, dx in _nodes(0.0, length):
                for mass, slides in ((upper, False), (lower, True)):
                    turning = n * I_z * dx * mass / (upper + lower)
                    yield self.leg(q, gear, x, lower=slides).J, n * mass / length * dx, turning
            mass, spin = (p.m_4, p.I_4) if i == "2" else (p.m_5, p.I_5)
            yield self.wheel(q, gear).J, n * mass, n * spin

    def mass_matrix(self, q: Array) -> Array:
        """Return the mass matrix (14.44)."""
        M = np.zeros((q.size, q.size))
        for J, mass, inertia in self._parts(q):
            M += (J.T * (mass, mass, inertia)) @ J
        return M

    def weight(self, q: Array) -> Array:
        """Return the weight (14.60)."""
        return np.sum([self.p.g * mass * J[1] for J, mass, _ in self._parts(q)], axis=0)

    def inertia_forces(self, q: Array, u: Array) -> Array:
        """Return the velocity-dependent forces ½ ∂(uᵀM u)/∂q - Ṁ u by central differences."""
        if self.straight:
            return np.zeros_like(q)

        def slope(along: Array) -> Array:
            ends = [self.mass_matrix(q + sign * _STEP * along) for sign in (1.0, -1.0)]
            return np.asarray((ends[0] - ends[1]) / (2.0 * _STEP))

        size = np.abs(u).max()
        gradient = np.array([0.5 * u @ slope(e) @ u for e in np.eye(q.size)])
        return gradient - slope(u / size) @ u * size


def _nodes(start: float, length: float) -> Iterator[tuple[float, float]]:
    """Yield nodes and weights of Gauss quadrature, exact between the 12 knots of the splines."""
    xi, weights = np.polynomial.legendre.leggauss(4)
    edges = start + length * np.linspace(0.0, 1.0, 12)
    for a, b in pairwise(edges):
        for x, dx in zip(0.5 * (a + b) + 0.5 * (b - a) * xi, 0.5 * (b - a) * weights, strict=True):
            yield float(x), float(dx)

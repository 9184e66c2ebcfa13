"""Inertia, stiffness and Jacobians of a landing airplane: (14.33)-(14.59) of Pfeiffer & Glocker.

Rows refer to the straight airplane, α + α_0 = 0 and β_1,i = π/2 in (14.59). As in the book, terms
of higher order in pitch and deformation are omitted, and legs have a mean length.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.multibody.ritz import Bending
from nsmb.multibody.shape_functions import splines
from nsmb.systems.machines.landing_gear_data import GEARS, LandingGearParameters, Strut

__all__ = ["Airframe", "airframe", "coordinates", "fuselage_rows"]

Array = NDArray[np.float64]

RIGID = ("x", "y", "alpha", "y_22", "y_23", "phi_2", "phi_3")
FUNCTIONS = (5, 2, 2)
"""Numbers of shape functions of fuselage, main legs and nose leg."""
_SPLINES = 12
"""Number of splines; the fifth mode of the fuselage is then accurate to 0.1 %."""
_POINTS = 6
"""Points of the Gauss rule between two knots, exact for products of splines."""


@dataclass(frozen=True, eq=False)
class Airframe:
    """Matrices and Jacobian rows of the bodies, in the order of the coordinates."""

    coordinates: tuple[str, ...]
    M: Array
    """Mass matrix (14.44), shape (n, n)."""
    K: Array
    """Stiffness matrix (14.47), shape (n, n)."""
    D: Array
    """Damping matrix, shape (n, n)."""
    weight: Array
    """Generalised force of gravity, shape (n,)."""
    rows: dict[str, Array]
    """Rows of Jacobians by name, each of shape (n,).

    ``centre`` is the downward velocity of the point at which the air acts, ``pitch`` the angular
    velocity there, nose up. ``hinge_2`` is the downward velocity of the hinge of a leg. ``axle_2``
    is the forward velocity of the end of the leg, and ``turn_2`` its angular velocity, nose down.
    The same rows exist with 3.
    """
    bodies: tuple[Bending, ...]
    """Fuselage, a main leg, the nose leg; used if the airplane is elastic."""

    def functions(self, body: int, x: float) -> tuple[Array, Array]:
        """Return w̄_i and w̄_i' (14.37) of body 1, 2 or 3 at x_i."""
        moves = self.bodies[body - 1].moves(np.array([x, 0.0, 0.0]))
        return moves[1], moves[5]


def coordinates(elastic: bool) -> tuple[str, ...]:
    """Return the names of q (14.33)."""
    if not elastic:
        return RIGID
    counts = enumerate(FUNCTIONS, 1)
    return RIGID + tuple(f"q_{i}{k}" for i, n in counts for k in range(1, n + 1))


def _fuselage(p: LandingGearParameters) -> Bending:
    """Return a beam with constant line mass; x_1 = 0 is the centre of the mass on the legs."""
    carried = sum(
        gear.count * getattr(p, f"m_{gear.index}o") * getattr(p, f"x_1{gear.index}")
        for gear in GEARS
    )
    start = -0.5 * p.l_1 - carried / p.m_1
    for name in ("x_12", "x_13"):
        if not start <= getattr(p, name) <= start + p.l_1:
            raise ValueError(
                f"parameter {name!r}: must be a position on the fuselage, {start:g} to "
                f"{start + p.l_1:g} m, got {getattr(p, name):g}"
            )
    return Bending(
        p.l_1, p.EI_1, p.m_1 / p.l_1, splines(_SPLINES, "free-free"), p.zeta, p.I_1z, start,
        modes=FUNCTIONS[0],
    )  # fmt: skip


def _leg(p: LandingGearParameters, gear: Strut) -> Bending:
    """Return a beam clamped to the fuselage axis, with equal upper and lower parts."""
    i = gear.index
    length, EI, I_z = (getattr(p, name) for name in (f"l_0{i}", f"EI_{i}", f"I_{i}z"))
    mass = getattr(p, f"m_{i}o") + getattr(p, f"m_{i}u")
    return Bending(
        length, EI, mass / length, splines(_SPLINES, "fixed-free"), p.zeta, I_z,
        modes=FUNCTIONS[int(i) - 1],
    )  # fmt: skip


class _Rows:
    """Builder of Jacobians of points and sections."""

    def __init__(self, p: LandingGearParameters, bodies: tuple[Bending, ...]) -> None:
        self.p, self.bodies = p, bodies
        self.names = coordinates(bool(p.elastic))
        self.at = {name: k for k, name in enumerate(self.names)}

    def zero(self) -> Array:
        return np.zeros(len(self.names))

    def unit(self, name: str) -> Array:
        row = self.zero()
        row[self.at[name]] = 1.0
        return row

    def functions(self, body: int, x: float) -> tuple[Array, Array]:
        """Return w̄_i and w̄_i' at x_i (14.37) in their columns."""
        value, slope = self.zero(), self.zero()
        if self.p.elastic:
            moves = self.bodies[body - 1].moves(np.array([x, 0.0, 0.0]))
            columns = [k for k, name in enumerate(self.names) if name.startswith(f"q_{body}")]
            value[columns], slope[columns] = moves[1], moves[5]
        return value, slope

    def fuselage(self, x_1: float) -> Array:
        """Return the rows forwards, downwards and nose down (14.54), shape (3, n)."""
        w, slope = self.functions(1, x_1)
        alpha = self.unit("alpha")
        return np.array([self.unit("x"), self.unit("y") - x_1 * alpha + w, slope - alpha])

    def leg(self, gear: Strut, x: float) -> Array:
        """Return the rows (3, n) of the upper part, (14.55), (14.56), rotated by β_1,i."""
        hinge = self.fuselage(getattr(self.p, f"x_1{gear.index}"))
        w, slope = self.functions(int(gear.index), x)
        turn = hinge[2] + slope
        return np.array([hinge[0] - x * hinge[2] - w, hinge[1], turn])

    def wheel(self, gear: Strut) -> Array:
        """Return the rows (3, n) of (14.57), (14.58); the vertical row, printed as 0, is y_2,i."""
        i = gear.index
        along = self.leg(gear, getattr(self.p, f"l_0{i}"))[0]
        return np.array([along, self.unit(f"y_2{i}"), self.unit(f"phi_{i}")])


def _nodes(body: Bending) -> Iterable[tuple[float, float]]:
    """Yield quadrature points and weights along a body, exact between the knots of its splines."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    edges = body.start + body.length * np.linspace(0.0, 1.0, _SPLINES)
    half = 0.5 * np.diff(edges)[:, None]
    x = edges[:-1, None] + half * (nodes + 1.0)
    return zip(x.ravel().tolist(), (half * weights).ravel().tolist(), strict=True)


def _bodies(p: LandingGearParameters) -> tuple[Bending, ...]:
    return (_fuselage(p), *(_leg(p, gear) for gear in GEARS))


def fuselage_rows(p: LandingGearParameters, shares: ArrayLike) -> tuple[Array, Array]:
    """Return positions x_1 (m,) at fractions of the fuselage, and downward velocities (m, n)."""
    bodies = _bodies(p)
    rows = _Rows(p, bodies)
    x = bodies[0].start + bodies[0].length * np.asarray(shares, dtype=float)
    return x, np.array([rows.fuselage(place)[1] for place in x.tolist()])


@functools.lru_cache(maxsize=8)
def airframe(p: LandingGearParameters) -> Airframe:
    """Return all matrices and rows by (14.44), (14.46), as sums over mass elements.

    Raises
    ------
    ValueError
        If a leg is not on the fuselage.
    """
    bodies = _bodies(p)
    rows = _Rows(p, bodies)
    n = len(rows.names)
    M, weight = np.zeros((n, n)), np.zeros(n)

    def add(J: Array, masses: tuple[float, float, float]) -> None:
        nonlocal M, weight
        M += (J.T * masses) @ J  # (14.44)
        weight += p.g * masses[1] * J[1]  # (14.60)

    for x, dx in _nodes(bodies[0]):
        dm = p.m_1 / p.l_1 * dx
        add(rows.fuselage(x), (dm, dm, p.I_1z * dx))
    for gear, leg in zip(GEARS, bodies[1:], strict=True):
        i, count = gear.index, gear.count
        upper, lower = getattr(p, f"m_{i}o"), getattr(p, f"m_{i}u")
        for x, dx in _nodes(leg):
            dm = (upper + lower) / leg.length * dx
            J = rows.leg(gear, x)
            turning = getattr(p, f"I_{i}z") * dx
            add(J, (count * dm, count * dm * upper / (upper + lower), count * turning))
        J, wheel, spin = rows.wheel(gear), *_wheels(p, i)
        add(J, (count * wheel, count * (wheel + lower), count * spin))
    return Airframe(rows.names, M, *_elastic(rows, bodies), weight, _places(rows), bodies)


def _wheels(p: LandingGearParameters, i: str) -> tuple[float, float]:
    """Return mass and inertia."""
    return (p.m_4, p.I_4) if i == "2" else (p.m_5, p.I_5)


def _elastic(rows: _Rows, bodies: tuple[Bending, ...]) -> tuple[Array, Array]:
    """Return K and D; (14.53) counts the main legs once, the mass matrix counts both."""
    n = len(rows.names)
    K, D = np.zeros((n, n)), np.zeros((n, n))
    if rows.p.elastic:
        for body, (count, made) in enumerate(
            zip((1, *(gear.count for gear in GEARS)), bodies, strict=True), 1
        ):
            own = [k for k, name in enumerate(rows.names) if name.startswith(f"q_{body}")]
            K[np.ix_(own, own)] = count * made.stiffness_matrix  # (14.47)
            D[np.ix_(own, own)] = count * made.damping_matrix
    return K, D


def _places(rows: _Rows) -> dict[str, Array]:
    centre = rows.fuselage(0.0)
    found = {"centre": centre[1], "pitch": -centre[2]}
    for gear in GEARS:
        i = gear.index
        end = rows.leg(gear, getattr(rows.p, f"l_0{i}"))
        # w_k of (14.90) is this row minus that of y_2,i
        found |= {f"hinge_{i}": end[1], f"axle_{i}": end[0], f"turn_{i}": end[2]}
    return found

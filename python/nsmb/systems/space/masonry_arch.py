"""A masonry arch of voussoirs, and its minimum thickness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.systems._recommended import in_steps

__all__ = ["MasonryArchParameters", "masonry_arch"]

Array = NDArray[np.float64]

_CLOSED = "chosen: closed form"
_HALVINGS = 40  # bisections of the thickness, to 1e-12 of the radius


@dataclass(frozen=True, kw_only=True)
class MasonryArchParameters(Parameters):
    """Data of the arch."""

    n: int = parameter(16, "-", "number of voussoirs", _CLOSED, positive=True)
    R: float = parameter(2.0, "m", "mean radius", _CLOSED, positive=True)
    t: float = parameter(0.24, "m", "thickness", "chosen: it stands", positive=True)
    b: float = parameter(0.5, "m", "depth", _CLOSED, positive=True)
    rho: float = parameter(2000.0, "kg/m³", "density", _CLOSED, positive=True)
    mu: float = parameter(0.7, "-", "friction coefficient", "chosen: nothing slides")
    g: float = parameter(9.81, "m/s²", "gravity", _CLOSED, positive=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n < 4:
            raise ValueError(f"parameter 'n': expected four voussoirs at least, got {self.n}")
        if self.t >= 2.0 * self.R:
            raise ValueError(f"parameter 't': expected less than 2 R, got {self.t:g}")


@parametric(MasonryArchParameters, recommended=in_steps(1e-3, 1.0))
def masonry_arch(p: MasonryArchParameters) -> MultibodySystem:
    """Self-supporting semicircular arch of dry stones.

    ===========  =========================================================================
    coordinates  ``v1.x``, ``v1.y``, ``v1.z`` (m) and a quaternion of each, from the left
    velocities   of their centres, m/s, and ω along axes fixed in them, rad/s
    contacts     joints between voussoirs, and on the ground
    source       chosen: closed form, Heyman (1969), Int. J. Mech. Sci. 11, 363
    ===========  =========================================================================

    Its joints are radial, and its voussoirs have plane faces. It stands if it is thicker than
    :func:`masonry_arch.thickness`. An arch of many voussoirs needs t/R = 0.1075.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, 0, -p.g), name="masonry_arch")
    m.ground.shape("floor", geometry.HalfSpace())
    half, inner, outer = 0.5 * np.pi / p.n, p.R - 0.5 * p.t, p.R + 0.5 * p.t
    # Geometry of the voussoir at the crown, relative to its mass centre.
    middle = np.cos(half) * _third(inner, outer) / (0.5 * (outer**2 - inner**2))
    corners = [
        (r * np.sin(turn), y, r * np.cos(turn) - middle)
        for r in (inner, outer)
        for turn in (-half, half)
        for y in (-0.5 * p.b, 0.5 * p.b)
    ]
    stone = geometry.ConvexHull(corners)
    initial = {}
    for i in range(p.n):
        name = f"v{i + 1}"
        m.add_joint(name, joints.Free(), m.ground, m.add_solid(name, stone, p.rho))
        turn = (2 * i + 1 - p.n) * half
        place = (middle * np.sin(turn), 0.0, middle * np.cos(turn))
        initial[name] = (*place, np.cos(0.5 * turn), 0.0, np.sin(0.5 * turn), 0.0)
    m.collide(ContactLaw(mu=p.mu))
    return m.build(initial=initial)


def _third(inner: float, outer: float) -> float:
    return (outer**3 - inner**3) / 3.0


@masonry_arch.evaluation
def thickness(**parameters: float) -> float:
    """Return the least thickness at which an arch of these voussoirs stands, m.

    By the safe theorem, the arch stands if there is a line of thrust within all joints and their
    friction cones. With the thrust H at the crown, its moment Q about the centre, and the weight W,
    acting at x, of the part between the crown and a joint at φ, the conditions are

        r_i N <= Q + W x <= r_o N,  |H sin φ - W cos φ| <= μ N,  N = H cos φ + W sin φ.

    Bisection gives the thickness at which a pair (H, Q) remains. For many voussoirs and without
    sliding it tends to 0.1075 R (Milankovitch 1907; Heyman's 0.106 is an estimate).

    Raises
    ------
    ValueError
        If a parameter is unknown, or no thickness below R suffices.
    """
    p = from_keywords(MasonryArchParameters, parameters)
    low, high = 0.0, 1.0
    if not _stands(p.n, high, p.mu):
        raise ValueError(f"`mu`: must be large enough for an arch to stand, got {p.mu:g}")
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _stands(p.n, middle, p.mu) else (middle, high)
    return p.R * high


def _stands(n: int, thickness: float, mu: float) -> bool:
    """Return True if the half-planes of all conditions have a common point (H, Q).

    Lengths are relative to R, weights to g rho b.
    """
    inner, outer, half = 1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness, 0.5 * np.pi / n
    rows: list[tuple[float, float, float]] = [(1.0, 0.0, 0.0)]  # a H + b Q + c >= 0
    first = n % 2  # the crown cuts the middle stone
    W, moment = 0.0, 0.0  # of the part between crown and joint
    phi = 0.0
    ring, lever = 0.5 * (outer**2 - inner**2), _third(inner, outer)
    if first:
        W = ring * np.sin(half) * np.cos(half)
        moment = 0.5 * lever * np.sin(half) ** 2 * np.cos(half)
        phi = half
    while True:
        sine, cosine = np.sin(phi), np.cos(phi)
        rows += [
            (-inner * cosine, 1.0, moment - inner * W * sine),
            (outer * cosine, -1.0, outer * W * sine - moment),
            (mu * cosine - sine, 0.0, (mu * sine + cosine) * W),
            (mu * cosine + sine, 0.0, (mu * sine - cosine) * W),
        ]
        if phi > 0.5 * np.pi - half:
            return _is_left(rows)
        middle = phi + half
        W += ring * np.sin(2.0 * half)
        moment += lever * np.sin(2.0 * half) * np.cos(half) * np.sin(middle)
        phi += 2.0 * half


def _is_left(rows: list[tuple[float, float, float]]) -> bool:
    """Return True if a square around all possible thrusts keeps a corner after the cuts."""
    far = 4.0
    corners = np.array([[0.0, 0.0], [far, 0.0], [far, far], [0.0, far]])
    for a, b, c in rows:
        height = corners @ (a, b) + c
        if (height >= 0.0).all():
            continue
        ahead, there = np.roll(corners, -1, axis=0), np.roll(height, -1)
        crosses = (height >= 0.0) != (there >= 0.0)
        if not crosses.any():
            return False
        part = height[crosses] / (height[crosses] - there[crosses])
        cut = corners[crosses] + part[:, None] * (ahead[crosses] - corners[crosses])
        order = np.concatenate([np.flatnonzero(height >= 0.0), np.flatnonzero(crosses) + 0.5])
        corners = np.concatenate([corners[height >= 0.0], cut])[np.argsort(order)]
    return True

"""Line load of an elastic ring in a rigid hole over the arc in contact, (14.97)-(14.100).

The closed-form formulas work for numbers and for SymPy expressions: `functions` is the module that
provides the functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["Hole", "Ring", "RingLoad", "line_load", "ring_load"]

_NEAR = 1e-15  # m: smaller eccentricities have no direction
_STEEPEST = 1.4  # rad, limit of the sum of wall and friction angles


@dataclass(frozen=True)
class Ring:
    """A ring on a piston, with numbers or expressions."""

    R_0: Any
    """Outer radius of the unloaded ring, m."""
    c_1: Any
    c_2: Any
    """p_N = c_1 Δa + c_2 Δa², N/m² and N/m³ (14.98)."""
    mu: Any


@dataclass(frozen=True)
class Hole:
    """A hole from z = 0 downwards with a rounded mouth and a notch along its whole length."""

    R: Any
    """Radius, m."""
    rounding: Any
    """Rounding radius of the mouth, m; larger than the compression of the ring."""
    notch: Any = 0.0
    """Half the angle of the notch, in which there is no wall, rad."""
    notch_at: Any = 0.0
    """Angle of the middle of the notch from the x-axis, rad."""

    def wall(self, depth: Any, functions: ModuleType = np) -> tuple[Any, Any]:
        """Return radius and inclination of the wall at a depth, m and rad."""
        low, high = _bounds(functions)
        beta = _arcsine(functions)(low(high(1 - depth / self.rounding, 0), 1))
        return self.R + self.rounding * (1 - functions.cos(beta)), beta


@dataclass(frozen=True)
class RingLoad:
    """The load of the wall on the ring."""

    normal: Any
    """∫ p_N ds, N."""
    F_x: Any
    F_y: Any
    """Forces normal to the axis, N."""
    steepness: Any
    """Ratio of axial to radial line load, tan(β + ϱ); μ if the wall is axial (14.100)."""
    M_x: Any
    M_y: Any
    """Moment of the axial part about the centre of the ring, N m."""

    @property
    def F_z(self) -> Any:
        """Upward force along the axis, N."""
        return self.normal * self.steepness


def line_load(squeeze: Any, delta_r: Any, c_1: Any, c_2: Any) -> tuple[Any, Any, Any]:
    """Return k_0, k_1, k_2 of p_N = k_0 + k_1 cos φ + k_2 cos² φ (14.99), squeeze = R_0 - R.

    In the book, c_2 is missing in k_2.
    """
    k_0 = c_1 * squeeze + c_2 * squeeze**2
    return k_0, delta_r * (2 * c_2 * squeeze + c_1), c_2 * delta_r**2


def ring_load(
    ring: Ring, hole: Hole, x: Any, y: Any, depth: Any, sense: Any = 1, functions: ModuleType = np
) -> RingLoad:
    """Return the load of a ring with the centre at (x, y) at a depth in the hole.

    Parameters
    ----------
    ring, hole : Ring and Hole
    x, y : m
        Offset from the axis of the hole.
    depth : m
        Depth of the plane of the ring below the upper end of the rounding.
    sense : -1 to 1
        1 if the ring moves down and friction acts upwards.
    functions : module
        ``numpy`` or ``sympy``.

    Returns
    -------
    RingLoad
        Loads are per length of the circumference of the hole.
    """
    f = functions
    low, high = _bounds(f)
    R, beta = hole.wall(depth, f)
    squeeze = ring.R_0 - R
    delta_r = high(f.sqrt(x**2 + y**2), _NEAR)  # (14.95)
    k = line_load(squeeze, delta_r, ring.c_1, ring.c_2)
    # p_N > 0 where cos φ > -squeeze/Δr: on the whole circle, on an arc, or nowhere
    phi_c = _arccosine(f)(low(high(-squeeze / delta_r, -1), 1))
    total = [a - b for a, b in zip(_primitive(k, phi_c, f), _primitive(k, -phi_c, f), strict=True)]
    if not (isinstance(hole.notch, float | int) and hole.notch == 0):
        centre = hole.notch_at - _arctangent(f)(y, x)
        turn = 2 * np.pi
        centre = centre - turn * f.floor(centre / turn + 0.5)  # -π to π
        for copy in (-turn, 0.0, turn):  # the contact arc ends within ±π, but the notch need not
            ends = [low(high(centre + copy + side * hole.notch, -phi_c), phi_c) for side in (-1, 1)]
            cut = [_primitive(k, end, f) for end in ends]
            total = [t - (b - a) for t, a, b in zip(total, *cut, strict=True)]
    cos, sin = x / delta_r, y / delta_r  # (14.96); for Δr = 0 both and all integrals vanish
    along, across = -R * total[1], -R * total[2]
    steepness = f.tan(low(beta + sense * _arctangent(f)(ring.mu, 1), _STEEPEST))
    return RingLoad(
        normal=R * total[0],
        F_x=along * cos - across * sin,
        F_y=along * sin + across * cos,
        steepness=steepness,
        # r × p_z e_z with r = R e_r
        M_x=R**2 * steepness * (total[1] * sin + total[2] * cos),
        M_y=-(R**2) * steepness * (total[1] * cos - total[2] * sin),
    )


def _primitive(k: tuple[Any, Any, Any], phi: Any, f: ModuleType) -> list[Any]:
    """Return the antiderivatives of p_N, p_N cos φ and p_N sin φ."""
    s, c = f.sin(phi), f.cos(phi)
    half = (phi + s * c) / 2
    return [
        k[0] * phi + k[1] * s + k[2] * half,
        k[0] * s + k[1] * half + k[2] * (s - s**3 / 3),
        -k[0] * c - k[1] * c**2 / 2 - k[2] * c**3 / 3,
    ]


def _bounds(f: ModuleType) -> tuple[Any, Any]:
    return (np.minimum, np.maximum) if f is np else (f.Min, f.Max)


def _arcsine(f: ModuleType) -> Any:
    return np.arcsin if f is np else f.asin


def _arccosine(f: ModuleType) -> Any:
    return np.arccos if f is np else f.acos


def _arctangent(f: ModuleType) -> Any:
    return np.arctan2 if f is np else f.atan2

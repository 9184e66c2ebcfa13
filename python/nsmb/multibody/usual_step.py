"""The default step length."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from nsmb.geometry.shapes.base import Shape
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.parts import GROUND

__all__ = ["smallest_radius", "usual_step"]

_PART = 50.0  # steps while a body falls by r/2 from rest, as in the examples of piles
_LONGEST = 1e-3  # s, without sizes, gravity and speeds
_SQUARES = 5.0  # a solid ellipsoid with semi-axis r has the mean square r²/5 along it


def usual_step(r: float, gravity: float, speed: float) -> tuple[float, str]:
    """Return a step in s, and the rule it follows from.

    The step is sqrt(r/g)/50, or r/(50 v) without gravity, rounded down to 1, 2 or 5 times a power
    of ten. Without either, it is 1 ms.

    Parameters
    ----------
    r : float
        Smallest radius of the bodies that touch, m.
    gravity : float
        Gravitational acceleration, m/s².
    speed : float
        Initial speed of the fastest body, m/s.
    """
    size = f"r = {r:.2g} m"
    if math.isfinite(r) and gravity > 0.0:
        rule = f"sqrt(r/g)/{_PART:g}, rounded down, with {size} and g = {gravity:.3g} m/s²"
        return _rounded(math.sqrt(r / gravity) / _PART), rule
    if math.isfinite(r) and speed > 0.0:
        rule = f"r/({_PART:g} v), rounded down, with {size} and v = {speed:.3g} m/s"
        return _rounded(r / (_PART * speed)), rule
    return _LONGEST, "1 ms, without sizes, gravity and speeds"


def smallest_radius(model: Blueprint) -> float:
    """Return the smallest semi-axis of the ellipsoids with the inertia of the shapes, in m.

    Shapes with infinite volume and shapes of the ground are ignored. Return infinity if no shape
    remains.
    """
    shapes = (shape for shape in model.shapes.values() if shape.place.body != GROUND)
    return min(_radii(shape.shape for shape in shapes), default=math.inf)


def _radii(shapes: Iterable[Shape]) -> list[float]:
    found = {}
    for shape in shapes:  # bodies may share a shape
        if id(shape) not in found and 0.0 < shape.volume < math.inf:
            properties = shape.mass_properties(1.0)
            moments = np.linalg.eigvalsh(properties.inertia)
            squares = 0.5 * moments.sum() - moments.max()
            found[id(shape)] = math.sqrt(_SQUARES * squares / properties.mass)
    return list(found.values())


def _rounded(step: float) -> float:
    """Return the largest of 1, 2 and 5 times powers of ten that does not exceed `step`."""
    power = math.floor(math.log10(step))
    digit = max(digit for digit in (1, 2, 5) if digit <= step / 10.0**power * (1.0 + 1e-12))
    return float(f"{digit}e{power}")

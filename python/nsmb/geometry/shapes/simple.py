"""Sphere, half-space, capsule, cylinder and box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nsmb._core import geometry as _geometry
from nsmb.common.arguments import as_array, positive
from nsmb.geometry.shapes.base import Shape

_SMALLEST, _LARGEST = 1e-100, 1e100  # m: limits for representable areas and volumes

__all__ = ["Box", "Capsule", "Cylinder", "HalfSpace", "Sphere"]


@dataclass(frozen=True)
class Sphere(Shape):
    """A sphere about the origin of its frame.

    Examples
    --------
    >>> import nsmb.geometry
    >>> round(nsmb.geometry.Sphere(0.1).mass_properties(density=7800.0).mass, 3)
    32.673

    Raises
    ------
    ValueError
        If the radius is not positive.
    """

    radius: float
    """Radius, m."""

    def _build(self) -> _geometry.Shape:
        object.__setattr__(self, "radius", positive("radius", self.radius))
        return _geometry.sphere(self.radius)


@dataclass(frozen=True)
class HalfSpace(Shape):
    """A half-space z <= 0, bounded by the plane z = 0."""

    def _build(self) -> _geometry.Shape:
        return _geometry.half_space()


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box about the origin of its frame, with edges along the axes.

    Raises
    ------
    ValueError
        If `size` is not three positive numbers.
    """

    size: ArrayLike
    """Edge lengths, shape (3,), in m."""

    def _build(self) -> _geometry.Shape:
        size = np.array(as_array("size", self.size, (3,)))
        if not ((size > _SMALLEST) & (size < _LARGEST)).all():
            raise ValueError(
                f"`size`: must be three numbers between 1e-100 and 1e100 m, got {size}"
            )
        size.setflags(write=False)
        object.__setattr__(self, "size", size)
        return _geometry.box(size)


@dataclass(frozen=True)
class Capsule(Shape):
    """A capsule about the origin: all points within `radius` of a segment along z.

    Raises
    ------
    ValueError
        If the radius or length is not positive.
    """

    radius: float
    """Radius, m."""
    length: float
    """Length of the segment in m. The capsule is longer by two radii."""

    def _build(self) -> _geometry.Shape:
        object.__setattr__(self, "radius", positive("radius", self.radius))
        object.__setattr__(self, "length", positive("length", self.length))
        return _geometry.capsule(self.radius, self.length)


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder about the origin of its frame, with the axis along z.

    Raises
    ------
    ValueError
        If the radius or length is not positive.
    """

    radius: float
    """Radius, m."""
    length: float
    """Length, m."""

    def _build(self) -> _geometry.Shape:
        object.__setattr__(self, "radius", positive("radius", self.radius))
        object.__setattr__(self, "length", positive("length", self.length))
        return _geometry.cylinder(self.radius, self.length)

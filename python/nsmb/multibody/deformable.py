"""Interface of deformable bodies for a model, independent of their shape functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.frames import Frame

__all__ = ["Deformable", "Drawing", "RigidPart", "StressLook", "von_mises"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RigidPart:
    """A mass in kg, its centre (3,) in m, and its inertia (3, 3) about the centre in kg m²."""

    mass: float
    center: Array
    inertia: Array

    def __add__(self, other: RigidPart) -> RigidPart:
        mass = self.mass + other.mass
        center = (self.mass * self.center + other.mass * other.center) / (mass or 1.0)
        inertia = np.zeros((3, 3))
        for part in (self, other):
            d = part.center - center
            inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return RigidPart(mass, center, inertia)


@dataclass(frozen=True, eq=False)
class Drawing:
    """Points of a body for drawing, and the lines between them."""

    places: Array
    """Undeformed positions, shape (k, 3), in m."""
    shapes: Array
    """Displacements for each elastic coordinate at 1, shape (k, 3, n)."""
    paths: tuple[tuple[Sequence[int], bool], ...]
    """Points connected by a line, and whether the line is closed."""
    is_planar: bool
    """True if closed paths are outlines in the body's x-y plane, with material on the left."""


@dataclass(frozen=True, eq=False)
class StressLook:
    """Triangles of a body for drawing stresses by colour."""

    places: Array
    """Undeformed positions, shape (k, 3), in m."""
    shapes: Array
    """Displacements for each elastic coordinate at 1, shape (k, 3, n)."""
    triangles: NDArray[np.int64]
    """Indices of positions, counter-clockwise seen from outside, shape (m, 3)."""
    stresses: Array
    """Stresses σ_xx, σ_yy, σ_zz, σ_xy, σ_xz, σ_yz for each coordinate at 1, (k, 6, n), in Pa."""
    is_planar: bool
    """True if all triangles are visible, otherwise only those that face the viewer are."""


def von_mises(stresses: Array) -> Array:
    """Return the von Mises stress (...,), Pa, of σ_xx, σ_yy, σ_zz, σ_xy, σ_xz, σ_yz (..., 6)."""
    x, y, z, xy, xz, yz = np.moveaxis(stresses, -1, 0)
    apart = (x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2
    return np.asarray(np.sqrt(0.5 * apart + 3.0 * (xy**2 + xz**2 + yz**2)))


class Deformable(ABC):
    """A body with elastic coordinates about a floating frame, which is attached to a joint.

    Attributes
    ----------
    count : int
        Number n of elastic coordinates.
    mass_matrix, stiffness_matrix, damping_matrix : (n, n) arrays
        Matrices M_el and K_el of (11.16), (14.44), (14.47), and the damping matrix.
    frequencies : (n,) array
        Eigenfrequencies of the body with fixed frame, rad/s, increasing.
    """

    unit: ClassVar[str]
    """Unit of its coordinates."""
    count: int
    mass_matrix: Array
    stiffness_matrix: Array
    damping_matrix: Array
    frequencies: Array

    @abstractmethod
    def _frame_at(self, argument: str, at: Any) -> Any:
        """Return a user-given position as a frame or its origin; None for the body's frame."""

    @abstractmethod
    def _section(self, frame: Frame) -> tuple[Hashable, Array, _multibody.ElasticNode | None]:
        """Return name, origin (3,) and motion of the section that moves a frame.

        The motion is None if the section moves with the body's frame.
        """

    @abstractmethod
    def _moves(self, frame: Frame) -> Array:
        """Return displacement above rotation of a frame, (6, n), for unit elastic coordinates."""

    def _boundary(self, argument: str, at: Any) -> tuple[list[int], bool]:
        """Return nodes along a planar edge, with the body on its left, and whether it is closed."""
        raise ValueError(f"{argument}: must be a nsmb.flexible.FlexibleBody, got a slender body")

    def _drawing(self) -> Drawing | None:
        """Return the drawing of a body without outlines."""
        return None

    def _stress_look(self) -> StressLook | None:
        """Return the drawing of stresses, or None if they are unknown."""
        return None

    @abstractmethod
    def _core(self) -> _multibody.Elastic:
        """Return inertia and stiffness for the core."""

    @abstractmethod
    def _rigid(self) -> RigidPart:
        """Return the rigid part of the undeformed elastic body."""

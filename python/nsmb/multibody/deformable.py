"""What a model asks of a body that deforms, wherever its shape functions come from."""

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
    """Mass in kg, centre (3,) in m, inertia (3, 3) about it in kg m²."""

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
    """Points of a body that are drawn, and what joins them."""

    places: Array
    """(k, 3) m, not deformed."""
    shapes: Array
    """(k, 3, n) displacements for elastic coordinates of one."""
    paths: tuple[tuple[Sequence[int], bool], ...]
    """Points joined by a line, and whether the last is joined to the first."""
    is_planar: bool
    """Closed paths are outlines in the x-y plane of the body, with material on the left."""


@dataclass(frozen=True, eq=False)
class StressLook:
    """Triangles of a body that are coloured by its stresses."""

    places: Array
    """(k, 3) m, not deformed."""
    shapes: Array
    """(k, 3, n) displacements for elastic coordinates of one."""
    triangles: NDArray[np.int64]
    """(m, 3) numbers of places, turning to the left as seen from outside."""
    stresses: Array
    """(k, 6, n) Pa, σ_xx, σ_yy, σ_zz, σ_xy, σ_xz, σ_yz for elastic coordinates of one."""
    is_planar: bool
    """All of it is seen; else what faces the eye."""


def von_mises(stresses: Array) -> Array:
    """(...,) Pa of σ_xx, σ_yy, σ_zz, σ_xy, σ_xz, σ_yz (..., 6)."""
    x, y, z, xy, xz, yz = np.moveaxis(stresses, -1, 0)
    apart = (x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2
    return np.asarray(np.sqrt(0.5 * apart + 3.0 * (xy**2 + xz**2 + yz**2)))


class Deformable(ABC):
    """A body with elastic coordinates about a floating frame, which is what hangs on a joint.

    Attributes
    ----------
    count : int
        n, elastic coordinates.
    mass_matrix, stiffness_matrix, damping_matrix : (n, n) arrays
        M_el and K_el of (11.16), (14.44), (14.47).
    frequencies : (n,) array
        Eigenfrequencies of the body with its frame held, rad/s, increasing.
    """

    unit: ClassVar[str]
    """Of its coordinates."""
    count: int
    mass_matrix: Array
    stiffness_matrix: Array
    damping_matrix: Array
    frequencies: Array

    @abstractmethod
    def _frame_at(self, argument: str, at: Any) -> Any:
        """What a user gives as a place, as a frame or its origin; None: the body's frame."""

    @abstractmethod
    def _section(self, frame: Frame) -> tuple[Hashable, Array, _multibody.ElasticNode | None]:
        """Name and origin (3,) of what moves a frame, and how; None: the body's frame alone."""

    @abstractmethod
    def _moves(self, frame: Frame) -> Array:
        """(6, n): displacement above turn of a frame for elastic coordinates of one."""

    def _boundary(self, argument: str, at: Any) -> tuple[list[int], bool]:
        """Nodes along an edge in the plane, the body on its left, and whether it is closed."""
        raise ValueError(
            f"{argument}: expected a body of nodes, nsmb.flexible.FlexibleBody, got a slender one"
        )

    def _drawing(self) -> Drawing | None:
        """What is drawn of a body without outlines."""
        return None

    def _stress_look(self) -> StressLook | None:
        """What is coloured of a body whose stresses are known."""
        return None

    @abstractmethod
    def _core(self) -> _multibody.Elastic:
        """Inertia and stiffness for the core."""

    @abstractmethod
    def _rigid(self) -> RigidPart:
        """Of the elastic part, not deformed."""

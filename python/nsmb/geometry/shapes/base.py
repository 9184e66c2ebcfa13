"""Base class of all shapes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import geometry as _geometry
from nsmb.common.arguments import as_number

__all__ = ["MassProperties", "Shape"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass properties of a body of uniform density that fills a shape."""

    mass: float
    """Mass, kg."""
    center: Array
    """Centre of mass in the frame of the shape, shape (3,), in m."""
    inertia: Array
    """Inertia about the centre of mass, along the axes of the shape, shape (3, 3), in kg m²."""


class Shape(ABC):
    """The surface of a body in space, in its own frame.

    Shapes are immutable, and bodies may share them.
    """

    _core: _geometry.Shape

    @abstractmethod
    def _build(self) -> _geometry.Shape:
        """Return the shape of the core."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_core", self._build())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        object.__setattr__(self, "_core", self._build())

    @property
    def volume(self) -> float:
        """Volume in m³, infinite for a half-space and 0 for an open surface."""
        return self._core.volume

    def mass_properties(self, density: float) -> MassProperties:
        """Return mass, centre of mass and inertia for a `density` in kg/m³.

        Raises
        ------
        ValueError
            If the density is not positive, or the shape has no finite volume.
        """
        return MassProperties(**self._core.mass_properties(as_number("density", density)))

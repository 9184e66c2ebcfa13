"""What all shapes have in common."""

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
    """Of a body of uniform density that fills a shape."""

    mass: float
    """kg"""
    center: Array
    """(3,) m, centre of mass in the frame of the shape."""
    inertia: Array
    """(3, 3) kg m², about the centre of mass, along the axes of the shape."""


class Shape(ABC):
    """The surface of a body in space, in a frame of its own.

    Shapes are immutable; bodies may share one.
    """

    _core: _geometry.Shape

    @abstractmethod
    def _build(self) -> _geometry.Shape:
        """The shape of the core."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_core", self._build())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        object.__setattr__(self, "_core", self._build())

    @property
    def volume(self) -> float:
        """m³; infinite for a half-space, 0 for a surface that is not closed."""
        return self._core.volume

    def mass_properties(self, density: float) -> MassProperties:
        """Mass, centre of mass and inertia of a body of this `density` in kg/m³.

        Raises
        ------
        ValueError
            For a density that is not positive, and for a shape that has no finite volume.
        """
        return MassProperties(**self._core.mass_properties(as_number("density", density)))

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core.geometry import ArealMesh
from nsmb._core.multibody import ForceElement

Array = NDArray[np.float64]
Vectors = Sequence[ArrayLike]

def area_coordinates(corners: ArrayLike, p: ArrayLike) -> Array: ...

class FoundationElements:
    Clipped: ClassVar[FoundationElements]
    Barycentre: ClassVar[FoundationElements]

class FoundationBase:
    First: ClassVar[FoundationBase]
    Second: ClassVar[FoundationBase]
    Both: ClassVar[FoundationBase]

class FoundationVelocity:
    Barycentric: ClassVar[FoundationVelocity]
    Average: ClassVar[FoundationVelocity]

class FoundationSide:
    def __init__(self, mesh: ArealMesh, shapes: ArrayLike, turns: ArrayLike) -> None: ...

class ElasticFoundation(ForceElement):
    def __init__(
        self,
        first: FoundationSide,
        second: FoundationSide,
        stiffness: float,
        damping: float,
        transition_depth: float,
        friction: float,
        switch_velocity: float,
        elements: FoundationElements,
        base: FoundationBase,
        velocity: FoundationVelocity,
        same_body: bool,
    ) -> None: ...

class FoundationProbe:
    def __init__(self, element: ElasticFoundation, exhaustive: bool = False) -> None: ...
    def contact(
        self, r: Vectors, A: Vectors, v: Vectors, Omega: Vectors, q: Vectors, u: Vectors
    ) -> dict[str, Any]: ...
    def energy(self, r: Vectors, A: Vectors, q: Vectors) -> float: ...
    def sweep(self, poses: ArrayLike) -> Array: ...

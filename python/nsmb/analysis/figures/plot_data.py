"""Protocols for the data that figures show, which the classes of results satisfy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BasinData",
    "BranchData",
    "DiagramData",
    "MultiplierData",
    "OrbitData",
    "PointData",
    "SpecialData",
]

Floats = NDArray[np.float64]


class PointData(Protocol):
    """Points of a Poincaré map."""

    @property
    def y_minus(self) -> Floats: ...
    @property
    def y_plus(self) -> Floats: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def status(self) -> str: ...


class DiagramData(Protocol):
    """A bifurcation diagram by brute force."""

    @property
    def parameter(self) -> str: ...
    @property
    def values(self) -> Floats: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def points(self) -> Floats: ...
    @property
    def direction(self) -> Sequence[str] | NDArray[np.str_]: ...
    @property
    def status(self) -> Sequence[str] | NDArray[np.str_]: ...


class OrbitData(Protocol):
    """A periodic orbit."""

    @property
    def multipliers(self) -> NDArray[np.complex128]: ...
    @property
    def multiplier_kinds(self) -> Sequence[str]: ...


class SpecialData(Protocol):
    """A special point of a branch."""

    @property
    def kind(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def accuracy(self) -> float: ...
    @property
    def index(self) -> int: ...


class BranchData(Protocol):
    """A branch of solutions; `stable` is missing if the stability is unknown."""

    @property
    def parameter(self) -> str: ...
    @property
    def values(self) -> Floats: ...
    @property
    def points(self) -> Sequence[Any]: ...
    @property
    def special_points(self) -> Sequence[Any]: ...
    def measure(self, what: Any, /) -> Floats: ...


class MultiplierData(BranchData, Protocol):
    """A branch of periodic orbits."""

    @property
    def multipliers(self) -> NDArray[np.complex128]: ...


class BasinData(Protocol):
    """Basins of attraction on a grid."""

    @property
    def axes(self) -> Mapping[str, Floats]: ...
    @property
    def labels(self) -> NDArray[np.integer[Any]]: ...


Measure = str | Callable[[Any], float]

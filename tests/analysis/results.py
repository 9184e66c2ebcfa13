"""Closed-form results for figures, of the logistic map z → r z (1 - z)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SECOND = 1.0 + math.sqrt(6.0)  # the orbit of period 2, born at 3, loses its stability


@dataclass(frozen=True)
class Points:
    y_plus: Floats
    y_minus: Floats
    names: tuple[str, ...] = ("phi", "phi_dot")
    status: str = "finished"


@dataclass(frozen=True)
class Diagram:
    values: Floats
    points: Floats
    direction: list[str]
    status: list[str]
    names: tuple[str, ...] = ("z",)
    parameter: str = "r"


@dataclass(frozen=True)
class Orbit:
    multipliers: NDArray[np.complex128]
    multiplier_kinds: tuple[str, ...]
    z: float = 0.0


@dataclass(frozen=True)
class Special:
    kind: str
    value: float
    index: int
    accuracy: float = 1e-9


@dataclass(frozen=True)
class Branch:
    values: Floats
    points: list[Orbit]
    stable: NDArray[np.bool_]
    multipliers: NDArray[np.complex128]
    special_points: list[Special] = field(default_factory=list)
    parameter: str = "r"

    def measure(self, what: str | Callable[[Orbit], float]) -> Floats:
        function = (lambda orbit: getattr(orbit, what)) if isinstance(what, str) else what
        return np.array([function(orbit) for orbit in self.points])


@dataclass(frozen=True)
class Basins:
    axes: dict[str, Floats]
    labels: NDArray[np.int_]


def logistic_diagram(values: Floats, samples: int, direction: str = "up") -> Diagram:
    z = np.full(values.size, 0.3)
    points = np.empty((values.size, samples, 1))
    for k in range(-500, samples):
        z = values * z * (1.0 - z)
        points[:, max(k, 0), 0] = z
    count = values.size
    return Diagram(values, points, [direction] * count, ["finished"] * count)


def branch_of(values: Floats, z: Floats, factor: Floats, special: list[Special]) -> Branch:
    """Return a branch with the nontrivial multiplier `factor` and a trivial one."""
    multipliers = np.column_stack([factor, np.ones(values.size)]).astype(np.complex128)
    orbits = [
        Orbit(m, ("", "time"), height) for m, height in zip(multipliers, z.tolist(), strict=True)
    ]
    return Branch(values, orbits, np.abs(factor) < 1.0, multipliers, special)


def fixed_points() -> Branch:
    """Return the branch z = 1 - 1/r with the factor 2 - r, which doubles its period at r = 3."""
    r = np.linspace(2.6, 3.6, 20)  # without 3
    doubling = Special("period doubling", 3.0, int(np.flatnonzero(r < 3.0)[-1]))
    end = Special("end", 3.6, 19)
    return branch_of(r, 1.0 - 1.0 / r, 2.0 - r, [doubling, end])


def period_two() -> Branch:
    """Return the branch of the lower point of period 2 with the factor 4 + 2 r - r²."""
    r = np.linspace(3.0, 3.6, 30)
    z = (r + 1.0 - np.sqrt((r - 3.0) * (r + 1.0))) / (2.0 * r)
    doubling = Special("period doubling", SECOND, int(np.flatnonzero(r < SECOND)[-1]))
    return branch_of(r, z, 4.0 + 2.0 * r - r**2, [Special("branch point", 3.0, 0), doubling])

"""Contacts of gear teeth at one instant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GearContacts"]

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GearContacts:
    """Pairs of teeth in contact, n in number."""

    meshes: tuple[str, ...]
    """Names of the meshes."""
    is_left: NDArray[np.bool_]
    """True for left flanks, shape (n,)."""
    teeth: Whole
    """Indices of both teeth, shape (n, 2)."""
    xi: Array
    """Positions on the path of contact from the pitch point, shape (n,), in m."""
    delta: Array
    """Depths normal to the flanks, shape (n,), in m."""
    K: Array
    """Stiffnesses, shape (n,), in N/m."""
    F_n: Array
    """Normal forces, shape (n,), in N."""
    F_t: Array
    """Friction forces, shape (n,), in N."""
    point: Array
    """Contact points, shape (n, 3), in m."""
    force: Array
    """Forces on the second gear, shape (n, 3), in N."""

    @classmethod
    def _of(cls, rows: list[tuple], names: list[str]) -> GearContacts:  # type: ignore[type-arg]
        columns = list(zip(*rows, strict=True)) if rows else [()] * 11
        n = len(rows)

        def numbers(k: int) -> Array:
            return np.array(columns[k], dtype=np.float64)

        return cls(
            tuple(names[k] for k in columns[0]),
            np.array(columns[1], dtype=np.bool_),
            np.array(columns[2:4], dtype=np.int64).reshape(2, n).T,
            *(numbers(k) for k in range(4, 9)),
            *(numbers(k).reshape(n, 3) for k in (9, 10)),
        )

    @property
    def total(self) -> Array:
        """Sum of all contact forces on second gears, shape (3,), in N."""
        return np.asarray(self.force.sum(axis=0))

"""Where teeth touch at an instant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GearContacts"]

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GearContacts:
    """Pairs of teeth that touch, n of them."""

    meshes: tuple[str, ...]
    """Which two gears."""
    is_left: NDArray[np.bool_]
    """(n,) left flanks."""
    teeth: Whole
    """(n, 2) numbers of both teeth."""
    xi: Array
    """(n,) m, place on the path of contact from the pitch point."""
    delta: Array
    """(n,) m, depth normal to the flanks."""
    K: Array
    """(n,) N/m, stiffness."""
    F_n: Array
    """(n,) N, normal force."""
    F_t: Array
    """(n,) N, friction."""
    point: Array
    """(n, 3) m"""
    force: Array
    """(n, 3) N, on the second gear."""

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
        """(3,) N, of all contacts on second gears."""
        return np.asarray(self.force.sum(axis=0))

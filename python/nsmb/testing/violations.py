"""Violations found by an assertion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Violation", "Violations"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Violation:
    """A violated statement, with its largest violation and the number of violations."""

    statement: str
    """The statement, in words."""
    size: float
    """The largest violation."""
    allowed: float
    """The tolerance."""
    t: float
    """The time of the first violation, in s."""
    name: str
    """Name of the contact, coordinate or event."""
    count: int
    """The number of violations."""

    def __str__(self) -> str:
        where = f" at {self.name}" if self.name else ""
        return (
            f"{self.statement}: {self.size:.3g}, allowed {self.allowed:.3g}{where}; "
            f"{self.count} times, first at t = {self.t:.17g} s"
        )


class Violations(list[Violation]):
    """A list of violations."""

    def judge(
        self,
        statement: str,
        t: ArrayLike,
        size: ArrayLike,
        allowed: ArrayLike,
        names: tuple[str, ...] = (),
    ) -> None:
        """Add a violation if `size` (m,) or (m, k) exceeds `allowed` at times t (m,); k `names`."""
        sizes = np.atleast_1d(np.asarray(size, dtype=np.float64))
        if sizes.size == 0:
            return
        sizes = sizes.reshape(len(sizes), -1)
        limits = np.broadcast_to(np.asarray(allowed, dtype=np.float64), sizes.shape)
        broken = ~(sizes <= limits)  # NaN is a violation
        if not broken.any():
            return
        times = np.broadcast_to(np.atleast_1d(np.asarray(t, dtype=np.float64)), sizes.shape[:1])
        excess = np.where(np.isnan(sizes), np.inf, sizes - limits)
        row, column = np.unravel_index(int(np.argmax(excess)), sizes.shape)
        first = int(np.argmax(broken.any(axis=1)))
        self.append(
            Violation(
                statement,
                float(sizes[row, column]),
                float(limits[row, column]),
                float(times[first]),
                names[int(column)] if names else "",
                int(broken.sum()),
            )
        )

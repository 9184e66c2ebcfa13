"""Observed quantities at section points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.maps.points import SectionPoints
from nsmb.system.base import System

__all__ = ["Observe", "check_observe", "observed", "observed_names"]

Observe = str | Sequence[str] | Callable[[SectionPoints], ArrayLike]
"""Names of components, or a function of points. None selects all velocities."""


def check_observe(system: System, observe: Observe | None) -> None:
    """Check that `system` has the observed components.

    Raises
    ------
    ValueError
        If it does not.
    """
    if observe is None or callable(observe):
        return
    names = _listed(observe)
    if not names:
        raise ValueError("observe: expected one name or more, got none")
    for name in names:
        system.labels.component(name)


def observed(points: SectionPoints, observe: Observe | None) -> NDArray[np.float64]:
    """Return the observed values at the points, shape (m, d)."""
    if callable(observe):
        table = np.asarray(observe(points), dtype=np.float64)
        table = table[:, None] if table.ndim == 1 else table
        if table.ndim != 2 or len(table) != len(points):
            raise ValueError(
                f"observe: expected a function that returns ({len(points)},) or "
                f"({len(points)}, d) numbers, got shape {table.shape}"
            )
        return table
    names = observed_names(points.system, observe, 0)
    return np.column_stack([points[name] for name in names])


def observed_names(system: System, observe: Observe | None, d: int) -> tuple[str, ...]:
    """Return the names of the d columns; `d` is used for functions only."""
    if observe is None:
        return system.labels.velocities
    if callable(observe):
        name = getattr(observe, "__name__", "observed")
        return (name,) if d == 1 else tuple(f"{name}[{i}]" for i in range(d))
    return tuple(_listed(observe))


def _listed(observe: str | Sequence[str]) -> list[str]:
    if not isinstance(observe, Sequence):
        raise ValueError(
            f"observe: expected names of components or a function of SectionPoints, got {observe!r}"
        )
    return [observe] if isinstance(observe, str) else list(observe)

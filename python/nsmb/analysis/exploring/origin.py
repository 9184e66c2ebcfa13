"""What a diagram was made of: all that is needed to go on from one of its points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.maps.points import SectionPoints
from nsmb.analysis.maps.sections import Section
from nsmb.system.base import System
from nsmb.system.options import EventDriven

__all__ = ["Origin"]


@dataclass(frozen=True, eq=False)
class Origin:
    """How the points of a diagram are found."""

    build: Callable[[float], System]
    """The system at a value of the parameter."""
    section: Section
    observed: Callable[[SectionPoints], NDArray[np.float64]]
    """(m, d) values that the diagram shows of (m,) points."""
    method: EventDriven | None
    t_max: float | None
    """s, the longest time to wait for a point."""

    def system(self, values: NDArray[np.float64]) -> System | None:
        """The system at the first of these values that it takes."""
        for value in values.tolist():
            try:
                return self.build(value)
            except Exception:  # of the user's function, too; the next value may do
                continue
        return None

"""The origin of a diagram: everything needed to continue from one of its points."""

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
    """The functions and options with which the points of a diagram are found."""

    build: Callable[[float], System]
    """Function that returns the system at a value of the parameter."""
    section: Section
    observed: Callable[[SectionPoints], NDArray[np.float64]]
    """Function that returns the values shown in the diagram, shape (m, d), of (m,) points."""
    method: EventDriven | None
    t_max: float | None
    """Longest time to wait for a point, in s."""

    def system(self, values: NDArray[np.float64]) -> System | None:
        """Return the system at the first of these values for which it can be built, or None."""
        for value in values.tolist():
            try:
                return self.build(value)
            except Exception:  # also from the user's function; the next value may succeed
                continue
        return None

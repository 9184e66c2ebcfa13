"""What a diagram was made of: all that is needed to go on from one of its points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.maps.points import Points
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
    observed: Callable[[Points], NDArray[np.float64]]
    """(m, d) values that the diagram shows of (m,) points."""
    method: EventDriven | None
    t_max: float | None
    """s, the longest time to wait for a point."""

    def units(self, parameter: str, values: NDArray[np.float64], names: Sequence[str]) -> list[str]:
        """Units of the parameter and of what is observed; empty where they are not known."""
        for value in values.tolist():
            try:
                labels = self.build(value).labels
                break
            except Exception:  # a value the system does not take
                continue
        else:
            return [""] * (1 + len(names))
        known = dict(zip(labels.components, labels.component_units, strict=True))
        known |= dict(zip(labels.parameter_names, labels.parameter_units, strict=True))
        return [known.get(name, "") for name in (parameter, *names)]

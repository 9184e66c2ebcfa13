"""The motion at one time, or at many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sample"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """State at one time, or at many: what `Solution.at` returns."""

    t: float | Floats
    """s, as asked for."""
    q: Floats
    """(..., nq) coordinates."""
    u: Floats
    """(..., nu) velocities."""
    x: Floats
    """(..., nx) internal states."""
    contact_state: NDArray[np.int8]
    """(..., nc) values of `nsmb.ContactState`."""

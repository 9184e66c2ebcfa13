"""The state of a system."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["State"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class State:
    """The state of a system: time, coordinates, velocities and internal states.

    Examples
    --------
    >>> import nsmb
    >>> start = nsmb.State(0.0, q=[0.2], u=[0.0])
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.1, start=start)
    >>> float(sol.q[0, 0])
    0.2
    """

    t: float
    q: Vector
    """Coordinates, shape (nq,)."""
    u: Vector
    """Velocities, shape (nu,)."""
    x: Vector = field(default_factory=lambda: np.zeros(0))
    """Internal states, shape (nx,). Empty: all zero, with the walls of force elements at rest."""

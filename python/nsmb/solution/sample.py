"""The motion at one time or at several times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.labels import Labels

__all__ = ["Sample"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """The motion at one time or at several times, as returned by `Solution.at`."""

    t: float | Floats
    """The requested times, in s."""
    q: Floats
    """Coordinates, shape (..., nq)."""
    u: Floats
    """Velocities, shape (..., nu)."""
    x: Floats
    """Internal states, shape (..., nx)."""
    contact_state: NDArray[np.int8]
    """Values of `nsmb.ContactState`, shape (..., nc)."""
    labels: Labels
    """Names of the columns."""
    _ask: Callable[[], dict[str, Floats]] | None = field(default=None, repr=False)

    def __getitem__(self, name: str) -> Any:
        """Return a coordinate, a velocity or an internal state by its name, shape (...,).

        Raises KeyError for an unknown name."""
        y = np.concatenate([self.q, self.u, self.x], axis=-1)
        return self.labels.pick(name, y, np.zeros(0), "sample")

    @cached_property
    def _forces(self) -> dict[str, Floats]:
        if self._ask is None:
            raise ValueError(
                "forces: must be read from a solution whose system is available. Load it where "
                "the system is defined."
            )
        return self._ask()

    @property
    def g_N(self) -> Floats:
        """Gaps, shape (..., nc), in m."""
        return self._forces["g_N"]

    @property
    def gamma_N(self) -> Floats:
        """Normal relative velocities, shape (..., nc), in m/s."""
        return self._forces["gamma_N"]

    @property
    def gamma_T(self) -> Floats:
        """Tangential relative velocities, shape (..., nt), in m/s."""
        return self._forces["gamma_T"]

    @property
    def lambda_N(self) -> Floats:
        """Normal forces, computed from the contact laws on first access, shape (..., nc), in N."""
        return self._forces["lambda_N"]

    @property
    def lambda_T(self) -> Floats:
        """Tangential forces, shape (..., nt), in N."""
        return self._forces["lambda_T"]

    @property
    def lambda_B(self) -> Floats:
        """Forces of the bilateral constraints, shape (..., nb)."""
        return self._forces["lambda_B"]

    @property
    def element_force(self) -> Floats:
        """Forces of the force elements with switching, shape (..., ne), in N."""
        return self._forces["element_force"]

    def __reduce__(self) -> tuple[type[Sample], tuple[Any, ...]]:
        return Sample, (self.t, self.q, self.u, self.x, self.contact_state, self.labels)

"""The motion of bodies at the samples of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nsmb.solution.record import Record

__all__ = ["HasMotion", "motion_of"]

Floats = NDArray[np.float64]


@runtime_checkable
class HasMotion(Protocol):
    """A system of bodies."""

    bodies: tuple[str, ...]

    def motion(self, body: str, t: Floats, q: Floats, u: Floats) -> tuple[Floats, ...]: ...


def motion_of(record: Record, body: str) -> tuple[Floats, ...]:
    """Return positions, axes, velocities and angular velocities of a body at all samples."""
    found = []
    for k, system in record._pieces:
        assert isinstance(system, HasMotion)
        found.append(system.motion(body, record.t[k], record.q[k], record.u[k]))
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))

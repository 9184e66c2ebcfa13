"""States carried from one value of a parameter to another."""

from __future__ import annotations

import numpy as np

from nsmb.instant.admissible import moved_apart
from nsmb.system.base import State, System

__all__ = ["carried_over"]


def carried_over(
    state: State, period: float | None, new: System, new_period: float | None
) -> State | None:
    """`state` of a system as a start of `new`, which differs in parameters.

    Time keeps its phase, if there are periods of both, s. Contacts that other parameters
    have pushed into each other are moved apart along M⁻¹W_N, the shortest way in the kinetic
    metric; loops are closed likewise.

    Returns
    -------
    State or None
        None if no admissible state was found near, or the systems do not fit.
    """
    if (state.q.size, state.u.size, state.x.size) != (new.nq, new.nu, new.nx):
        return None
    t = state.t
    if period is not None and new_period is not None:
        turns = t / period
        t = float(turns - np.floor(turns)) * new_period
    return moved_apart(new, State(t, state.q, state.u, state.x))

"""States carried over from one value of a parameter to another."""

from __future__ import annotations

import numpy as np

from nsmb.instant.admissible import moved_apart
from nsmb.system.base import State, System

__all__ = ["carried_over"]


def carried_over(
    state: State, period: float | None, new: System, new_period: float | None
) -> State | None:
    """Return `state` of a system as a start of `new`, which differs in parameters.

    Time keeps its phase if both periods (in s) are given. Contacts that penetrate with the new
    parameters are separated along M⁻¹W_N, the shortest path in the kinetic metric. Loops are closed
    in the same way.

    Returns
    -------
    State or None
        None if no admissible state was found nearby, or if the systems do not match.
    """
    if (state.q.size, state.u.size, state.x.size) != (new.nq, new.nu, new.nx):
        return None
    t = state.t
    if period is not None and new_period is not None:
        turns = t / period
        t = float(turns - np.floor(turns)) * new_period
    return moved_apart(new, State(t, state.q, state.u, state.x))

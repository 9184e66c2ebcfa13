"""States carried from one value of a parameter to another."""

from __future__ import annotations

import numpy as np

from nsmb.instants.consistent import consistent_state
from nsmb.system.base import State, System

__all__ = ["carried_over"]

_DEPTH = 1e-12  # m, of penetration that a start may have
_STEPS = 20


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
    q, u, x = state.q.copy(), state.u.copy(), state.x
    for _ in range(_STEPS):
        if new.nb > 0:
            try:
                closed = consistent_state(new, q, u, t=t, x=x)
            except ValueError:
                return None
            q, u = closed.q, closed.u
        unilateral = np.array([contact.is_unilateral for contact in new.contacts], dtype=np.bool_)
        kinematics = new.contact_kinematics(t, q, u)
        g = kinematics["g_N"]
        deep = np.flatnonzero(unilateral & (g < -_DEPTH))
        if deep.size == 0:
            return State(t, q, u, x)
        if new.nq != new.nu:
            return None
        W = kinematics["W_N"][:, deep]
        away = np.linalg.solve(new.mass_matrix(t, q), W)
        G = W.T @ away
        # Dependent contacts share the way.
        q = q - away @ np.linalg.lstsq(G, g[deep], rcond=1e-10)[0]
    return None

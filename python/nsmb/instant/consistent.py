"""States that satisfy the bilateral constraints of a system."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nsmb._core import simulation as _simulation
from nsmb.common.arguments import as_array, as_states
from nsmb.system.base import State, SystemLike, as_system

__all__ = ["consistent_state"]


def consistent_state(
    system: SystemLike,
    q: ArrayLike | None = None,
    u: ArrayLike | None = None,
    *,
    t: float | None = None,
    x: ArrayLike | None = None,
) -> State:
    """Return a state near (q, u) that satisfies the bilateral constraints.

    Newton steps along M⁻¹W satisfy the constraints ``g(q, t) = 0``. A further projection yields the
    velocity with ``Wᵀu + w̃ = 0`` that is nearest to `u` in the kinetic metric. Quaternions are
    normalised.

    Parameters
    ----------
    system : System or Model
    q, u, t, x : (nq,), (nu,), float, (nx,)
        Initial guess; default ``system.initial_state``.

    Returns
    -------
    State

    Raises
    ------
    ValueError
        If a shape is wrong, or if no such state is found near the guess.
    """
    system = as_system("system", system)
    start = system.initial_state
    time = float(as_array("t", start.t if t is None else t, ()))
    position = as_array("q", start.q if q is None else q, (system.nq,))
    velocity = as_array("u", start.u if u is None else u, (system.nu,))
    states = as_states("x", start.x if x is None else x, system._core.nx_own, system.nx)
    filled = np.zeros(system.nx)
    filled[: states.size] = states
    found, y = _simulation.satisfy_constraints(
        system._core, time, np.concatenate([position, velocity, filled])
    )
    if not found:
        error = system.constraint_kinematics(time, y[: system.nq], velocity)["g"]
        worst = int(np.argmax(np.abs(np.nan_to_num(error, nan=np.inf))))
        raise ValueError(
            "q: must be near a configuration with g = 0, but Newton's method ends with g = "
            f"{error[worst]:.3g} at constraint {system.constraints[worst]!r}"
        )
    return State(time, y[: system.nq], y[system.nq : system.nq + system.nu], states)

"""Admissible initial states, without penetration and with satisfied constraints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.arguments import as_floats, whole
from nsmb.complementarity import lcp
from nsmb.instant.consistent import consistent_state
from nsmb.system.base import State, System, SystemLike, as_system

__all__ = ["moved_apart", "random_start"]

Vector = NDArray[np.float64]

_DEPTH = 1e-12  # accepted penetration of an initial state, m
_STEPS = 20
_TRIES = 200


def moved_apart(system: System, state: State) -> State | None:
    """Return a state near `state` without penetration and with satisfied constraints.

    Penetrating contacts are moved apart along M⁻¹W_N, the shortest path in the kinetic metric.

    Returns
    -------
    State or None
        The state; None if none was found nearby.
    """
    t, q, u, x = state.t, state.q.copy(), state.u.copy(), state.x
    unilateral = np.array([contact.is_unilateral for contact in system.contacts], dtype=np.bool_)
    for step in range(2 * _STEPS):
        if system.nb > 0 or system.nq != system.nu:  # constraints, and quaternions of length 1
            try:
                closed = consistent_state(system, q, u, t=t, x=x)
            except ValueError:
                return None
            q, u = closed.q, closed.u
        kinematics = system.contact_kinematics(t, q, u)
        g = kinematics["g_N"]
        deep = np.flatnonzero(unilateral & (g < -_DEPTH))
        if deep.size == 0:
            return State(t, q, u, x)
        if system.nq != system.nu:
            return None
        if step < _STEPS:
            W = kinematics["W_N"][:, deep]
            away = np.linalg.solve(system.mass_matrix(t, q), W)
            G = W.T @ away
            # Dependent contacts share the displacement.
            q = q - away @ np.linalg.lstsq(G, g[deep], rcond=1e-10)[0]
            continue
        # Moving some contacts apart closes others. Solve all together, 0 <= g + G λ ⟂ λ >= 0.
        near = np.flatnonzero(unilateral & np.isfinite(g))
        W = kinematics["W_N"][:, near]
        away = np.linalg.solve(system.mass_matrix(t, q), W)
        found = lcp.solve(W.T @ away, g[near] - _DEPTH)
        if not found.success:
            return None
        q = q + away @ found.x
    return None


def random_start(
    system: SystemLike,
    seed: int = 0,
    *,
    spread: ArrayLike = 0.1,
    speed: ArrayLike = 1.0,
) -> State:
    """Return a random initial state without penetration and with satisfied constraints.

    Coordinates and velocities are drawn uniformly around ``system.initial_state``. Penetrating
    contacts are then moved apart, and constraints are satisfied. If this fails, the state is drawn
    again.

    Parameters
    ----------
    system : System or Model
    seed : int
        Seed of the random numbers; the same seed returns the same state.
    spread : float or array_like (nq,)
        Largest change of the coordinates, in their units.
    speed : float or array_like (nu,)
        Largest change of the velocities, in their units.

    Returns
    -------
    State
        Initial state for ``simulate(system, start=state)``.

    Raises
    ------
    ValueError
        If a number is negative, or if no state was found in 200 attempts.

    Examples
    --------
    >>> import nsmb
    >>> toy = nsmb.systems.woodpecker()
    >>> start = nsmb.instant.random_start(toy, seed=3)
    >>> bool((toy.contact_kinematics(0.0, start.q, start.u)["g_N"] >= -1e-9).all())
    True
    """
    system = as_system("system", system)
    rng = np.random.default_rng(whole("seed", seed, 0))
    q_wide, u_wide = _widths("spread", spread, system.nq), _widths("speed", speed, system.nu)
    initial = system.initial_state
    for _ in range(_TRIES):
        q = initial.q + q_wide * rng.uniform(-1.0, 1.0, system.nq)
        u = initial.u + u_wide * rng.uniform(-1.0, 1.0, system.nu)
        near = moved_apart(system, State(initial.t, q, u, initial.x))
        if near is not None and _is_admissible(system, near):
            return near
    raise ValueError(
        f"spread: must contain initial states of {system.name!r} without penetration, got none "
        f"in {_TRIES} tries. Pass a smaller spread."
    )


def _widths(name: str, value: ArrayLike, n: int) -> Vector:
    given = as_floats(name, np.broadcast_to(value, (n,)) if np.ndim(value) == 0 else value, (n,))
    if not (np.isfinite(given) & (given >= 0.0)).all():
        raise ValueError(f"{name}: expected numbers >= 0, got {given.tolist()}")
    return given


def _is_admissible(system: System, state: State) -> bool:
    """Return True if a run can start at `state`."""
    if any(depth > 0.0 for depth in system.overlaps(state.t, state.q).values()):
        return False
    run = _simulation.EventDriven(system._core, dense_output=False)
    try:
        run.reset(state.t, state.q, state.u, state.x)
    except ValueError:
        return False
    return True

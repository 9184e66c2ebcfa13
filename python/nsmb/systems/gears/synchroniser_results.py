"""Results of a run of the synchroniser: locking positions, safety and unlocking."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.events.enums import ContactState
from nsmb.solution.solution import Solution
from nsmb.system import System
from nsmb.system.parametric import data_of
from nsmb.systems.gears.synchroniser import SynchroniserParameters, synchroniser

__all__ = ["LockingPosition"]

Vector = NDArray[np.float64]

_CLOSED = {"I": ("teeth", "hub_A", "hub_I"), "II": ("teeth", "link", "hub_I")}


_data = functools.partial(data_of, SynchroniserParameters, "a synchroniser")


@dataclass(frozen=True)
class LockingPosition:
    """An interval of time in which the teeth lock."""

    name: str
    """Name of the position (Fig. 12.19).

    It is ``I`` if the pins of both rings are on one side of the link, and ``II`` if that of the
    exterior ring is on the other side.
    """
    begin: float
    """Start of the interval, s."""
    end: float
    """End of the interval, s."""


@synchroniser.evaluation
def positions(solution: Solution) -> tuple[LockingPosition, ...]:
    """Return the locking positions that a run reaches, one after another.

    In both positions the teeth are in contact, and the interior ring is supported by the hub. The
    exterior ring is supported by the hub in position I, and by the link in position II.

    Raises
    ------
    ValueError
        If the run is of another system.
    """
    _data("solution.system", solution.system)
    names = list(solution.contact_names)
    closed = solution.contact_state != ContactState.OPEN
    found: list[LockingPosition] = []
    for name, contacts in _CLOSED.items():
        locked = closed[:, [names.index(contact) for contact in contacts]].all(axis=1)
        # two samples at the same time enclose an event; otherwise the first sample gives the state
        edges = np.flatnonzero(np.diff(np.concatenate([[0], locked.astype(int), [0]])))
        for begin, end in edges.reshape(-1, 2):
            t = float(solution.t[begin]), float(solution.t[end - 1])
            if t[1] > t[0]:
                found.append(LockingPosition(name, *t))
    return tuple(sorted(found, key=lambda position: position.begin))


@synchroniser.evaluation
def safety(system: System) -> float:
    """Return the safety s against premature unlocking at rest (12.48).

    If it exceeds 1, the friction of all three surfaces keeps the teeth of a :func:`synchroniser`
    locked.

    Raises
    ------
    ValueError
        If the system is of another kind.
    """
    p = _data("system", system)
    sine = math.sin(p.alpha)
    teeth = (p.mu_SA + p.tip) / (1.0 - p.mu_SA * p.tip)
    cones = p.D_AF * p.mu_AF + p.D_IF * p.mu_IF + p.D_IC * p.mu_IC * sine
    return teeth * cones / (p.D_A * sine)


@synchroniser.evaluation
def torques(solution: Solution, t: ArrayLike) -> tuple[Vector, Vector]:
    """Return the locking and the unlocking torque from the contact forces of a run, N m.

    Parameters
    ----------
    solution : Solution
    t : float or (k,) array_like
        Times, s.

    Returns
    -------
    T_R : (k,) array
        Maximum friction torque of all three surfaces under the force that closes the cones.
    T_E : (k,) array
        Torque of the teeth on the exterior ring, positive if it unlocks.

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.

    References
    ----------
    (12.46), (12.47).
    """
    p = _data("solution.system", solution.system)
    names = list(solution.contact_names)
    at = solution.at(np.atleast_1d(np.asarray(t, dtype=np.float64)))
    axial = at.lambda_N[:, names.index("cone")]
    lever = 0.5 / math.sin(p.alpha)
    T_R = axial * (p.mu_AF * p.D_AF * lever + p.mu_IF * p.D_IF * lever + p.mu_IC * p.D_IC * 0.5)
    system = solution.system
    assert system is not None
    T_E = np.zeros(axial.size)
    for i, (time, q, u) in enumerate(zip(np.atleast_1d(at.t), at.q, at.u, strict=True)):
        W = system.contact_kinematics(float(time), q, u)
        for name in ("teeth", "teeth_back"):
            k = names.index(name)
            force = W["W_N"][2, k] * at.lambda_N[i, k] + W["W_T"][2, k] * at.lambda_T[i, k]
            T_E[i] -= force
    return np.asarray(T_R), T_E


@synchroniser.evaluation
def unlocking(solution: Solution) -> tuple[float, float] | None:
    """Return the time at which the teeth leave the chamfers, and the relative speed then.

    Returns
    -------
    (float, float) or None
        Time, s, and speed of the clutch relative to the hub, rad/s, at the first passage; None if
        the teeth stay locked until the end of the run.

    Raises
    ------
    ValueError
        If the run is of another system.
    """
    p = _data("solution.system", solution.system)
    ahead = solution.q[:, 0] - solution.q[:, 1]
    passed = np.flatnonzero(ahead >= p.x_1)
    if passed.size == 0:
        return None
    i = int(passed[0])
    if i == 0:
        return float(solution.t[0]), float(solution.u[0, 5])
    part = (p.x_1 - ahead[i - 1]) / (ahead[i] - ahead[i - 1])
    time = solution.t[i - 1] + part * (solution.t[i] - solution.t[i - 1])
    return float(time), float(
        solution.u[i - 1, 5] + part * (solution.u[i, 5] - solution.u[i - 1, 5])
    )

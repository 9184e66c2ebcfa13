"""States that satisfy the constraints of closed contacts: tangent space and projection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.events.enums import ContactState
from nsmb.system.base import System

__all__ = [
    "constraint_values",
    "invariant_coordinates",
    "invariant_in_time",
    "projected",
    "repeats_after",
    "tangent_basis",
]

Vector = NDArray[np.float64]
States = NDArray[np.int8]

_ITERATIONS = 8
_REPEATS = 23
_REPEATED = 1e-7  # relative to the largest value; allows a period rounded to eight digits
_STEP = 1e-6  # of central differences, in units of the scale


def constraint_values(system: System, t: float, y: Vector, states: States) -> Vector:
    """Return the values that must vanish in the given contact states, shape (k,).

    These are g_N and γ_N of closed contacts, γ_T of sticking contacts, and g and ġ of bilateral
    constraints.
    """
    q, u = y[: system.nq], y[system.nq : system.nq + system.nu]
    values: list[Vector] = []
    if system.nb:
        joint = system.constraint_kinematics(t, q, u)
        values += [joint["g"], joint["W"].T @ u + joint["w_tilde"]]
    closed = states != ContactState.OPEN
    if closed.any():
        quantities = system.contact_quantities(t, q, u)
        unilateral = np.array([contact.is_unilateral for contact in system.contacts])
        values += [
            quantities["g_N"][closed & unilateral],
            quantities["gamma_N"][closed & unilateral],
        ]
        tangents = [contact.tangents for contact in system.contacts]
        values += [quantities["gamma_T"][np.repeat(states == ContactState.STICK, tangents)]]
    return np.concatenate(values) if values else np.zeros(0)


def _jacobian(system: System, t: float, y: Vector, states: States, scale: Vector) -> Vector:
    """Return the derivative of the constraints by y in units of `scale`, shape (k, n)."""
    columns = []
    for i in range(y.size):
        step = np.zeros(y.size)
        step[i] = _STEP * scale[i]
        after = constraint_values(system, t, y + step, states)
        before = constraint_values(system, t, y - step, states)
        columns.append((after - before) / (2.0 * _STEP))
    return np.array(columns).T.reshape(-1, y.size)


def tangent_basis(
    system: System,
    t: float,
    y: Vector,
    states: States,
    scale: Vector,
    fixed: NDArray[np.bool_] | None = None,
) -> Vector:
    """Return orthonormal directions (n, r) of y / scale that keep constraints and `fixed`."""
    rows = [np.eye(y.size)[fixed]] if fixed is not None else []
    if constraint_values(system, t, y, states).size:
        A = _jacobian(system, t, y, states, scale)
        sizes = np.linalg.norm(A, axis=1, keepdims=True)
        rows.append(A / np.where(sizes > 0.0, sizes, 1.0))
    if not rows or not sum(len(row) for row in rows):
        return np.eye(y.size)
    _, singular, Vt = np.linalg.svd(np.concatenate(rows))
    return np.asarray(Vt[int((singular > 1e-9).sum()) :].T)


def projected(system: System, t: float, y: Vector, states: States, scale: Vector) -> Vector:
    """Return the state nearest to y, in units of `scale`, that satisfies the constraints.

    Raises
    ------
    ValueError
        If there is no such state near y.
    """
    first = constraint_values(system, t, y, states)
    if first.size == 0:
        return y
    A = _jacobian(system, t, y, states, scale)
    inverse = scale[:, None] * np.linalg.pinv(A, rcond=1e-9)
    change = values = first
    for _ in range(_ITERATIONS):
        step = inverse @ values
        y = y - step
        change, values = values, constraint_values(system, t, y, states)
        # Stop at the level of rounding, or if there is no more progress near zero.
        if np.abs(values).max() <= 1e-14 or (
            np.abs(values).max() >= np.abs(change).max() and np.abs(values).max() < 1e-12
        ):
            return y
    if np.abs(values).max() > 1e-11:
        raise ValueError(
            f"y: expected a state near the closed contacts, got one that misses them by "
            f"{np.abs(first).max():.3g}; choose another start"
        )
    return y


def invariant_coordinates(
    system: System, samples: list[tuple[float, Vector]], shifts: Vector | None = None
) -> NDArray[np.bool_]:
    """Return the coordinates on which the motion does not depend, shape (n,).

    Shifting such a coordinate does not change the system. This is tested at `samples` (t, y), by
    shifts of several sizes, or by those in `shifts` (n,).
    """
    size = system.nq + system.nu + system.nx
    found = np.zeros(size, dtype=np.bool_)
    before = [_equations(system, t, y) for t, y in samples]
    for i in range(system.nq):
        if shifts is None:
            travel = float(np.ptp([y[i] for _, y in samples]))
            own = max(travel, 1e-2 * float(np.abs([y[i] for _, y in samples]).max()), 1e-3)
            sizes = [own, -0.3719 * own, 11.3 * own]
        else:
            sizes = [float(shifts[i])]
        found[i] = all(
            _same(here, _equations(system, t, _moved(y, i, shift)))
            for (t, y), here in zip(samples, before, strict=True)
            for shift in sizes
            if shift != 0.0
        )
    return found


def invariant_in_time(system: System, samples: list[tuple[float, Vector]]) -> bool:
    """Return True if the system does not depend on time, tested at `samples`."""
    if system.period is not None:
        return False
    for t, y in samples:
        before = _equations(system, t, y)
        for shift in (0.1371, 1.7391, -20.737):
            if not _same(before, _equations(system, t + shift, y)):
                return False
    return True


def repeats_after(system: System, period: float, t: float, y: Vector) -> bool:
    """Return True if the system at (t + s, y) is the same as at (t + s + period, y).

    This is tested at times s spread over the period.
    """
    times = t + period * np.linspace(0.0137, 0.9871, _REPEATS)
    rows = np.tile(y, (_REPEATS, 1))
    before = system._core.equations(times, rows)
    after = system._core.equations(times + period, rows)
    for a, b in zip(before, after, strict=True):
        size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
        # One sample may be at a step in time, where rounding determines the side.
        apart = np.abs(a - b).max(axis=1, initial=0.0) > _REPEATED * size
        if int(apart.sum()) > 1:
            return False
    return True


def _moved(y: Vector, i: int, shift: float) -> Vector:
    moved = y.copy()
    moved[i] += shift
    return moved


def _same(before_all: list[Vector], after_all: list[Vector]) -> bool:
    for before, after in zip(before_all, after_all, strict=True):
        size = max(float(np.abs(before).max(initial=0.0)), float(np.abs(after).max(initial=0.0)))
        if float(np.abs(before - after).max(initial=0.0)) > 1e-9 * size:
            return False
    return True


def _equations(system: System, t: float, y: Vector) -> list[Vector]:
    """Return all quantities that determine the motion at (t, y)."""
    return system._core.equations(np.array([t]), y[None])

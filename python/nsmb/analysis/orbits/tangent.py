"""States that keep the constraints of closed contacts: their tangent space, and the way back."""

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
_REPEATED = 1e-7  # of the largest value: a period rounded to eight digits will do
_STEP = 1e-6  # of central differences, in units of the scale


def constraint_values(system: System, t: float, y: Vector, states: States) -> Vector:
    """(k,) what the contact states ask to be zero: g_N and γ_N of closed contacts, γ_T of sticking
    ones, g and ġ of bilateral constraints."""
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
    """(k, n) derivative of the constraints by y in units of `scale`, by central differences."""
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
    """(n, r) orthonormal directions of y / scale that keep constraints and `fixed` components."""
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
    """The state nearest to y, in units of `scale`, that keeps the constraints.

    Raises
    ------
    ValueError
        When there is none near y.
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
        # As far as rounding goes: gaps below 1e-13 m, or no more progress near zero.
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
    """(n,) coordinates the motion does not depend on: shifted, nothing of the system changes.

    Judged at `samples` (t, y), by shifts of several sizes, or by the one in `shifts` (n,).
    """
    size = system.nq + system.nu + system.nx
    found = np.zeros(size, dtype=np.bool_)
    for i in range(system.nq):
        if shifts is None:
            travel = float(np.ptp([y[i] for _, y in samples]))
            own = max(travel, 1e-2 * float(np.abs([y[i] for _, y in samples]).max()), 1e-3)
            sizes = [own, -0.3719 * own, 11.3 * own]
        else:
            sizes = [float(shifts[i])]
        found[i] = all(
            _same(_everything(system, t, y), _everything(system, t, _moved(y, i, shift)))
            for t, y in samples
            for shift in sizes
            if shift != 0.0
        )
    return found


def invariant_in_time(system: System, samples: list[tuple[float, Vector]]) -> bool:
    """Whether nothing of the system depends on time, judged at `samples`."""
    return system.period is None and all(
        _same(_everything(system, t, y), _everything(system, t + shift, y))
        for t, y in samples
        for shift in (0.1371, 1.7391, -20.737)
    )


def repeats_after(system: System, period: float, t: float, y: Vector) -> bool:
    """Whether the system at (t + s, y) is the one at (t + s + period, y), judged at times s spread
    over the period."""
    times = t + period * np.linspace(0.0137, 0.9871, _REPEATS)
    before = [_everything(system, s, y) for s in times.tolist()]
    after = [_everything(system, s + period, y) for s in times.tolist()]
    for one, other in zip(zip(*before, strict=True), zip(*after, strict=True), strict=True):
        a, b = np.array(one), np.array(other)
        size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
        # Steps in time may lie at a sample: there rounding decides on which side.
        apart = np.abs(a - b).reshape(len(times), -1).max(axis=1, initial=0.0) > _REPEATED * size
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


def _everything(system: System, t: float, y: Vector) -> list[Vector]:
    """All that decides the motion at (t, y)."""
    nq, nu = system.nq, system.nu
    q, u, x = y[:nq], y[nq : nq + nu], y[nq + nu :]
    values = [system.mass_matrix(t, q), system.forces(t, q, u, x)]
    if system._core.nx_own:
        values.append(system.state_rates(t, q, u, x))
    if system.nc:
        kinematics = system.contact_kinematics(t, q, u)
        names = ("g_N", "W_N", "W_T", "w_tilde_N", "w_tilde_T", "w_bar_N", "w_bar_T", "bound")
        values += [kinematics[name] for name in names]
    if system.ne:
        values += list(system.element_kinematics(t, q).values())
    if system.nb:
        values += list(system.constraint_kinematics(t, q, u).values())
    return values

"""Differences of whole runs, in directions that keep closed contacts closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import nsmb

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Start:
    """State and parameters at which the differences are taken."""

    t: float
    y: Floats
    directions: Floats
    """(n, d) orthonormal columns"""


def split(system: nsmb.System, y: Floats) -> tuple[Floats, Floats, Floats]:
    nq, nu = system.nq, system.nu
    return y[:nq], y[nq : nq + nu], y[nq + nu :]


def run(system: nsmb.System, start: float, y: Floats, t: float, method: nsmb.EventDriven) -> Floats:
    """Return the state at start + t."""
    simulator = nsmb.Simulator(system, method, output_step=0.0)
    simulator.reset(start, *split(system, y))
    simulator.advance(start + t)
    return np.concatenate([simulator.q, simulator.u, simulator.x])


def start_at(system: nsmb.System, t: float, method: nsmb.EventDriven) -> Start:
    """Return the state at time `t` of a run from the initial state of the system."""
    simulator = nsmb.Simulator(system, method, output_step=0.0)
    simulator.advance(system.initial_state.t + t)
    y = np.concatenate([simulator.q, simulator.u, simulator.x])
    k = system.contact_kinematics(simulator.t, simulator.q, simulator.u)
    n = system.nq + system.nu + system.nx
    rows, column = [], 0

    def add(q: Floats | float = 0.0, u: Floats | float = 0.0) -> None:
        row = np.zeros(n)
        row[: system.nq] = q
        row[system.nq : system.nq + system.nu] = u
        rows.append(row)

    for i, contact in enumerate(system.contacts):
        state = simulator.contact_state[i]
        if state != nsmb.ContactState.OPEN and contact.is_unilateral:
            add(q=k["W_N"][:, i])
            add(q=_slope(system, simulator, "gamma_N", i), u=k["W_N"][:, i])
        for d in range(contact.tangents):
            if state == nsmb.ContactState.STICK:
                add(
                    q=_slope(system, simulator, "gamma_T", column + d),
                    u=k["W_T"][:, column + d],
                )
        column += contact.tangents
    if system.nb:
        W = system.constraint_kinematics(simulator.t, simulator.q, simulator.u)["W"]
        for w in W.T:
            add(q=w)
            add(u=w)
    if not rows:
        return Start(simulator.t, y, np.eye(n))
    _, sizes, basis = np.linalg.svd(np.array(rows))
    rank = int((sizes > 1e-9).sum())
    return Start(simulator.t, y, basis[rank:].T)


def _slope(system: nsmb.System, at: nsmb.Simulator, name: str, row: int) -> Floats:
    """Return ∂γ/∂q of one row."""
    slope = np.zeros(system.nq)
    for i in range(system.nq):
        step = 1e-6 * np.eye(system.nq)[i]
        right = system.contact_quantities(at.t, at.q + step, at.u)[name][row]
        slope[i] = (right - system.contact_quantities(at.t, at.q - step, at.u)[name][row]) / 2e-6
    return slope


def by_differences(
    system: nsmb.System, start: Start, t: float, method: nsmb.EventDriven, step: float
) -> Floats:
    """Return the derivative of the state at start.t + t along the directions."""
    columns = []
    for direction in start.directions.T:
        right = run(system, start.t, start.y + step * direction, t, method)
        left = run(system, start.t, start.y - step * direction, t, method)
        columns.append((right - left) / (2.0 * step))
    return np.array(columns).T


def followed(
    system: nsmb.System,
    start: Start,
    t: float,
    method: nsmb.EventDriven,
    parameters: bool | tuple[str, ...] = True,
) -> nsmb.results.Sensitivity:
    q, u, x = split(system, start.y)
    sol = nsmb.simulate(
        system,
        start.t + t,
        t_start=start.t,
        q=q,
        u=u,
        x=x,
        method=method,
        output_step=0.0,
        sensitivity=parameters,
    )
    assert sol.sensitivity is not None
    return sol.sensitivity

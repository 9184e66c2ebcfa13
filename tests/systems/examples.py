"""Helpers shared by the tests of the book's examples.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb

Array = NDArray[np.float64]

IN_STEPS = tuple(
    name
    for name in nsmb.systems.names()
    if isinstance(getattr(nsmb.systems, name).recommended.method, nsmb.Midpoint)
)
"""Ready-made systems with shape contacts, which have no names."""
BY_EVENTS = tuple(name for name in nsmb.systems.names() if name not in IN_STEPS)


def start(system: nsmb.System, **state: Any) -> nsmb.Solution:
    """Return a run of zero duration, with the decisions of the laws at one instant."""
    return nsmb.simulate(system, system.initial_state.t, **state)


def accelerations(solution: nsmb.Solution, row: int = -1) -> tuple[Array, Array, Array]:
    """Return u̇ (3.11), γ̇_N and γ̇_T (4.45) of one sample from its contact forces."""
    system = solution.system
    assert system is not None
    at = float(solution.t[row]), solution.q[row], solution.u[row]
    k = system.contact_kinematics(*at)
    force = system.forces(*at)
    force = force + k["W_N"] @ solution.lambda_N[row] + k["W_T"] @ solution.lambda_T[row]
    u_dot = np.linalg.solve(system.mass_matrix(*at[:2]), force)
    return u_dot, k["W_N"].T @ u_dot + k["w_bar_N"], k["W_T"].T @ u_dot + k["w_bar_T"]


def energy(system: nsmb.System, solution: nsmb.Solution) -> Array:
    """Return the sum of kinetic and potential energy of all samples."""
    rows = zip(solution.t.tolist(), solution.q, solution.u, strict=True)
    return np.array(
        [system.kinetic_energy(t, q, u) + system.potential_energy(t, q) for t, q, u in rows]
    )


def contact_errors(system: nsmb.System, t: float, q: Array, u: Array) -> Array:
    """Return the largest errors of w_N, w̃_N, w̄_N, w̄_T to central differences (4.38), (4.45).

    Steps of 1e-5 have truncation errors of 1e-10 and rounding errors of 1e-11 for lengths and times
    near 1.
    """
    h = 1e-5
    k = system.contact_kinematics(t, q, u)

    def way(velocity: Array) -> Array:
        return np.asarray(system._core.coordinate_rates(t, q, velocity))

    def gap(t: float, q: Array) -> Array:
        return system.contact_kinematics(t, q, u)["g_N"]

    def rate(s: float, name: str) -> Array:
        moved = system.contact_kinematics(t + s, q + s * way(u), u)
        return moved[f"W_{name}"].T @ u + moved[f"w_tilde_{name}"]

    steps = [way(h * e) for e in np.eye(u.size)]
    gradient = np.array([gap(t, q + e) - gap(t, q - e) for e in steps]) / (2 * h)
    errors = [
        gradient - k["W_N"],
        (gap(t + h, q) - gap(t - h, q)) / (2 * h) - k["w_tilde_N"],
        (rate(h, "N") - rate(-h, "N")) / (2 * h) - k["w_bar_N"],
        (rate(h, "T") - rate(-h, "T")) / (2 * h) - k["w_bar_T"],
    ]
    return np.array([np.abs(error).max(initial=0.0) for error in errors])


def work(solution: nsmb.Solution, force: Callable[[Array], Array]) -> float:
    """Return ∫ force(t)·u dt over the run by Gauss quadrature between samples.

    `force` returns an array of shape (times, nu).
    """
    nodes, weights = np.polynomial.legendre.leggauss(6)
    left, right = solution.t[:-1], solution.t[1:]
    half = (right - left) / 2
    times = (left + half)[:, None] + half[:, None] * nodes
    u = solution.at(times).u
    power = np.einsum("ijk,ijk->ij", force(times.ravel()).reshape(u.shape), u)
    return float((power * weights * half[:, None]).sum())

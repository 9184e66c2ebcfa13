"""The terms of the contact laws at one instant: matrices, velocities and index sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.arguments import as_array, as_states
from nsmb.system.base import System, as_system

__all__ = ["ContactEquations", "contact_equations"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ContactEquations:
    """The equations of motion and of relative kinematics at one instant.

    ``M u̇ = h + W_N λ_N + W_T λ_T + W_B λ_B``, ``γ = Wᵀu + w̃`` (4.38), ``γ̇ = Wᵀu̇ + w̄`` (4.45).
    """

    t: float
    """Time, in s."""
    q: Floats
    """Coordinates, shape (nq,)."""
    u: Floats
    """Velocities, shape (nu,)."""
    M: Floats
    """Mass matrix, shape (nu, nu)."""
    h: Floats
    """All forces except those of contacts and constraints, shape (nu,). Force elements are
    included."""
    Minv: Floats
    """Inverse M⁻¹, shape (nu, nu), or with bilateral constraints its projection
    ``M⁻¹ - M⁻¹W_B(W_BᵀM⁻¹W_B)⁺W_BᵀM⁻¹``."""
    udot_free: Floats
    """Acceleration without contact forces, with bilateral constraints, shape (nu,)."""
    g_N: Floats
    """Gaps, shape (nc,), in m."""
    gamma_N: Floats
    """Normal relative velocities, shape (nc,), in m/s."""
    gamma_T: Floats
    """Tangential relative velocities, shape (nt,), in m/s."""
    W_N: Floats
    """Normal directions, shape (nu, nc)."""
    W_T: Floats
    """Tangential directions, shape (nu, nt)."""
    w_tilde_N: Floats
    """Normal velocities at u = 0, shape (nc,), in m/s."""
    w_tilde_T: Floats
    """Tangential velocities at u = 0, shape (nt,), in m/s."""
    w_bar_N: Floats
    """Normal accelerations at u̇ = 0, shape (nc,), in m/s²."""
    w_bar_T: Floats
    """Tangential accelerations at u̇ = 0, shape (nt,), in m/s²."""
    mu: Floats
    """Friction coefficients at the current slip speeds, shape (nc,)."""
    bound: Floats
    """Part of the friction bounds that does not depend on normal forces, shape (nc,), in N."""
    I_S: Ints
    """Contacts with g_N = 0 (8.1)."""
    I_N: Ints
    """Contacts in `I_S` with γ_N = 0 (5.5)."""
    I_H: Ints
    """Contacts in `I_N`, and `nsmb.Friction`, with γ_T = 0; they may stick or start to slip
    (5.5)."""


def contact_equations(
    system: System,
    t: float,
    q: ArrayLike,
    u: ArrayLike,
    x: ArrayLike | None,
    gap_tolerance: float,
    rest_velocity: float,
) -> ContactEquations:
    """Return the terms of the complementarity problems at (t, q, u, x)."""
    as_system("system", system)
    time = float(as_array("t", t, ()))
    position, velocity = as_array("q", q, (system.nq,)), as_array("u", u, (system.nu,))
    given = as_states("x", () if x is None else x, system._core.nx_own, system.nx)
    states = np.zeros(system.nx)
    states[: given.size] = given
    for name, value in (("gap_tolerance", gap_tolerance), ("rest_velocity", rest_velocity)):
        if not float(as_array(name, value, ())) >= 0.0:
            raise ValueError(f"{name}: expected a number >= 0, got {value}")
    k = system.contact_kinematics(time, position, velocity, x=states)
    M = system.mass_matrix(time, position)
    h = system.forces(time, position, velocity, states)
    if system.ne > 0:
        h = h + system.element_kinematics(time, position)["W"] @ _element_force(
            system, time, position, velocity, given
        )
    Minv: Floats = np.linalg.inv(M).astype(np.float64)
    udot_free = Minv @ h
    if system.nb > 0:
        Minv, udot_free = _constrained(system, time, position, velocity, Minv, udot_free)
    gamma_N = k["W_N"].T @ velocity + k["w_tilde_N"]
    gamma_T = k["W_T"].T @ velocity + k["w_tilde_T"]
    unilateral = np.array([contact.is_unilateral for contact in system.contacts], dtype=np.bool_)
    slip = np.array([np.linalg.norm(gamma_T[row]) for row in tangent_rows(system)])
    closed = unilateral & (k["g_N"] <= gap_tolerance)
    closed &= np.asarray(k.get("valid", True), dtype=np.bool_)
    lasting = closed & (np.abs(gamma_N) <= rest_velocity)
    may_stick = (lasting | ~unilateral) & (slip <= rest_velocity)
    return ContactEquations(
        t=time,
        q=position,
        u=velocity,
        M=M,
        h=h,
        Minv=Minv,
        udot_free=udot_free,
        gamma_N=gamma_N,
        gamma_T=gamma_T,
        mu=_coefficients(system, slip),
        I_S=np.flatnonzero(closed),
        I_N=np.flatnonzero(lasting),
        I_H=np.flatnonzero(may_stick),
        **{name: k[name] for name in _KINEMATICS},
    )


_KINEMATICS = ("g_N", "W_N", "W_T", "w_tilde_N", "w_tilde_T", "w_bar_N", "w_bar_T", "bound")


def tangent_rows(system: System) -> list[Ints]:
    """Return the rows of the tangential directions of each contact."""
    rows, first = [], 0
    for contact in system.contacts:
        rows.append(np.arange(first, first + contact.tangents))
        first += contact.tangents
    return rows


def _coefficients(system: System, slip: Floats) -> Floats:
    return np.array(
        [
            c.law.mu if c.law.curve is None else c.law.curve._core(c.law.mu).coefficient(speed)
            for c, speed in zip(system.contacts, slip, strict=True)
        ],
        dtype=np.float64,
    )


def _constrained(
    system: System, t: float, q: Floats, u: Floats, Minv: Floats, udot: Floats
) -> tuple[Floats, Floats]:
    """Return M⁻¹ and the free acceleration, projected onto the bilateral constraints."""
    k = system.constraint_kinematics(t, q, u)
    W = k["W"]
    lift = Minv @ W @ np.linalg.pinv(W.T @ Minv @ W, hermitian=True)
    return Minv - lift @ W.T @ Minv, udot - lift @ (W.T @ udot + k["w_bar"])


def _element_force(system: System, t: float, q: Floats, u: Floats, x: Floats) -> Floats:
    """Return the forces of the elements at the start of a simulation from here, shape (ne,)."""
    start = _simulation.EventDriven(
        system._core, start_tolerance=float(np.finfo(np.float64).max), dense_output=False
    )
    start.reset(t, q, u, x)
    start.advance(t)
    force: Floats = start.trajectory()["element_force"].reshape(-1, system.ne)[0]
    return force

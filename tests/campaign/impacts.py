"""Checks of logged impacts against the laws, recomputed from the numbers of the case."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from tests.campaign.findings import Findings, Tolerances

Array = NDArray[np.float64]


def coulomb(Lambda_T: Array, gamma_T: Array, bound: Array, aspect: Array, unit: Array) -> Array:
    """Return the residual of -γ_T ∈ N_C(Λ_T) as velocities, shape (k, d).

    The projection form is Λ_T = proj(Λ_T - r γ_T) onto the disc of radius `bound`.
    """
    axes = np.ones_like(Lambda_T)
    axes[:, 1:] = aspect[:, None]
    # In the coordinates Λ/axes the ellipse is a disc, and slip is axes γ.
    step = Lambda_T / axes - gamma_T * axes / unit[:, None]
    size = np.linalg.norm(step, axis=1)
    shrink = np.minimum(1.0, np.maximum(bound, 0.0) / np.maximum(size, 1e-300))
    return np.asarray(np.linalg.norm(Lambda_T / axes - step * shrink[:, None], axis=1) * unit)


def normal(Lambda_N: Array, gamma_N: Array, unit: Array) -> Array:
    """Return the residual of 0 <= γ ⟂ Λ >= 0 as velocities, min(γ, G_ii Λ)."""
    return np.asarray(np.abs(np.minimum(gamma_N, unit * Lambda_N)))


def check_impacts(
    ref: Any, sol: Any, law: str, tol: Tolerances, found: Findings, most: int = 400
) -> None:
    events = sol.events
    impact = np.flatnonzero(events.kind == 0)
    if not len(impact):
        return
    # Bounds the work for many accumulations: all impacts of the first half, then a selection.
    if len(impact) > most:
        tail = np.linspace(most // 2, len(impact) - 1, most // 2).astype(int)
        impact = impact[np.unique(np.concatenate([np.arange(most // 2), tail]))]
    t, q = events.t[impact], events.q[impact]
    rows, mass = ref.rows(t, q), ref.mass(t, q)
    d, laws = rows.W_T.shape[3], ref.laws
    for j, row in enumerate(impact):
        W_N, W_T = rows.W_N[j], rows.W_T[j]
        k = W_N.shape[1]
        Minv = np.linalg.inv(mass[j])
        Lambda_N = events.Lambda_N[row]
        Lambda_T = spread(events.Lambda_T[row], sol, k, d)
        before, after = events.u_minus[row], events.u_plus[row]
        jump = mass[j] @ (after - before)
        given = W_N @ Lambda_N + np.einsum("nkd,kd->n", W_T, Lambda_T)
        unit = np.einsum("nk,nm,mk->k", W_N, Minv, W_N)
        push = np.abs(Minv @ (np.abs(W_N) @ np.abs(Lambda_N)))
        # Contacts at rest after the impact lose up to rest_velocity, 1e-11 m/s. A small moment of
        # inertia makes this a larger angular velocity.
        rests = np.abs(Minv @ W_N) @ ((events.state_plus[row] != 0) / np.maximum(unit, 1e-300))
        size = 1e-9 * (np.abs(before).max() + push.max()) + 3e-10 + 1e-11 * rests
        found.judge("impact: jump is not M^-1 W Lambda", np.abs(Minv @ (jump - given)), size, t[j])
        # Contact velocities before and after the impact, for the law.
        gamma = [
            (W_N.T @ u + rows.v_N[j], np.einsum("nkd,n->kd", W_T, u) + rows.v_T[j])
            for u in (before, after)
        ]
        strength = np.abs(unit * Lambda_N)
        closed = rows.g[j] < 1e-9 * (1.0 + tol.length) + tol.gap * bool(tol.rtol)
        # A nearly touching contact may be open or closed. The contacts below must be closed.
        sure = (rows.g[j] < 1e-14) | (events.state_minus[row] != 0) | (Lambda_N > 0.0)
        scale = 1e-8 * (np.abs(gamma[0][0][closed]).max(initial=0.0) + strength.max()) + 1e-9
        found.judge("impact: impulse pulls", -unit * Lambda_N, scale, t[j])
        found.judge("impact: impulse away from contact", strength * ~closed, scale, t[j])
        # Newton impacts repeat until no contact approaches.
        if law == "poisson" or row + 1 == len(events) or events.t[row + 1] > t[j]:
            left = np.where(sure & closed, -gamma[1][0], 0.0)
            found.judge("impact: ends in approach", left, scale, t[j])
        slip_scale = (
            1e-8
            * (
                np.abs(gamma[0][1][closed]).max(initial=0.0)
                + np.einsum("nkd,nm,mkd->k", W_T, Minv, W_T).max() * np.abs(Lambda_N).max()
            )
            + 1e-9
        )
        loss = 0.5 * before @ mass[j] @ before - 0.5 * after @ mass[j] @ after
        energy = 1e-9 * (1e-6 + before @ mass[j] @ before + after @ mass[j] @ after)
        energy += 3e-10 * np.abs(mass[j] @ after).sum()  # of contacts at rest, as in `size`
        told = events.energy_loss[row] - events.drive_work[row]
        found.judge("impact: energy_loss of the log", abs(told - loss), energy, t[j])
        same_e = np.ptp(laws.e_N[closed]) == 0.0 if closed.any() else True
        if same_e and law == "poisson":  # for any motion of surfaces
            found.judge("impact: energy gained", -events.energy_loss[row], energy, t[j])
        index = np.flatnonzero(sure & closed)
        unit_T = np.einsum("nkd,nm,mkd->k", W_T, Minv, W_T) / d + 1e-300
        has_T = np.abs(W_T).max(axis=(0, 2)) > 0.0
        if law == "poisson":
            LC_N = events.Lambda_NC[row]
            LC_T = spread(events.Lambda_TC[row], sol, k, d)
            u_C = before + Minv @ (W_N @ LC_N + np.einsum("nkd,kd->n", W_T, LC_T))
            gamma_C = W_N.T @ u_C + rows.v_N[j]
            slip_C = np.einsum("nkd,n->kd", W_T, u_C) + rows.v_T[j]
            wrong = normal(LC_N, gamma_C, unit)[index]
            found.judge("impact: compression (8.87)", wrong, scale, t[j])
            rub = coulomb(LC_T, slip_C, laws.mu * LC_N, laws.aspect, unit_T) * has_T
            found.judge("impact: friction of compression", rub[index], slip_scale, t[j])
            LP = Lambda_N - LC_N - laws.e_N * LC_N
            wrong = normal(LP, gamma[1][0], unit)[index]
            found.judge("impact: expansion (8.97)", wrong, scale, t[j])
            plain = has_T & (laws.e_T == 0.0) & (laws.nu == 0.0)
            LE_N, LE_T = Lambda_N - LC_N, Lambda_T - LC_T
            rub = coulomb(LE_T, gamma[1][1], laws.mu * LE_N, laws.aspect, unit_T) * plain
            found.judge("impact: friction of expansion", rub[index], slip_scale, t[j])
        elif law == "newton":
            found.judge("impact: friction in Newton's law", np.abs(Lambda_T), 0.0, t[j])
            found.judge("impact: energy gained", -events.energy_loss[row], energy, t[j])
            # After 20 impacts and 10 for each contact, one impact without restitution follows.
            earlier = np.count_nonzero((events.t[:row] == t[j]) & (events.kind[:row] == 0))
            if earlier >= 30:
                continue
            pushed = strength > scale
            off = np.abs(gamma[1][0] + laws.e_N * gamma[0][0]) * pushed
            found.judge("impact: Newton's restitution", off, scale, t[j])
        else:
            # Coupled contacts with contradictory restitutions have none.
            G = np.abs(W_N.T @ Minv @ W_N)[np.ix_(index, index)]
            _, group = connected_components(1e-12 * G.max(initial=0.0) < G, directed=False)
            wrong = np.array(
                [
                    normal(Lambda_N, gamma[1][0] + e * np.minimum(gamma[0][0], 0.0), unit)[index]
                    for e in (laws.e_N, 0.0 * laws.e_N)
                ]
            )
            for k in np.unique(group):
                least = wrong[:, group == k].max(axis=1).min()
                found.judge("impact: Moreau's restitution", least, scale, t[j])
            slip = gamma[1][1] + laws.e_T[:, None] * gamma[0][1]
            rub = coulomb(Lambda_T, slip, laws.mu * Lambda_N, laws.aspect, unit_T) * has_T
            rub_0 = coulomb(Lambda_T, gamma[1][1], laws.mu * Lambda_N, laws.aspect, unit_T) * has_T
            found.judge(
                "impact: Moreau's friction", np.minimum(rub, rub_0)[index], slip_scale, t[j]
            )


def spread(values: Array, sol: Any, k: int, d: int) -> Array:
    """Return the columns of all tangents, shape (k, d). Missing second directions are zero."""
    result = np.zeros((k, d))
    column = 0
    for i, name in enumerate(sol.contact_names):
        count = 1 if sol.tangent_names[column] == name else 2
        result[i, :count] = values[column : column + count]
        column += count
    return result

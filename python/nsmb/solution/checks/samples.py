"""Checks that gaps, velocities, forces and states of each sample are consistent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.events.enums import ContactState
from nsmb.solution.checks.book import Book, size
from nsmb.system.base import System

__all__ = ["check_friction", "check_samples"]

Floats = NDArray[np.float64]


def check_samples(book: Book) -> None:
    """Check complementarity: distance (or velocity) or force is zero, neither negative (ch. 9)."""
    s = book.solution
    here = book.unilateral & np.ones((s.t.size, 1), dtype=bool)
    closed = np.not_equal(s.contact_state, ContactState.OPEN)
    slips = book.by_contact(s.gamma_T)
    tangential = book.by_contact(s.lambda_T)

    def at(mask: NDArray[np.bool_], values: Floats) -> Floats:
        return np.where(mask, values, 0.0)

    point = here & ~_without_point(book)
    book.rows("forces are numbers", np.isnan(s.lambda_N) * 1.0, 0.0)
    book.rows("g_N >= 0", at(point, -s.g_N), book.gap)
    book.rows("closed: g_N = 0", at(here & closed, np.abs(s.g_N)), book.gap)
    book.rows("closed: gamma_N = 0", at(here & closed, np.abs(s.gamma_N)), book.speed)
    book.rows("lambda_N >= 0", at(here, -s.lambda_N), book.force)
    idle = np.abs(s.lambda_N) + tangential
    book.rows("open: lambda = 0", at(here & ~closed, idle), 0.0)
    apart = point & (np.abs(np.nan_to_num(s.g_N, posinf=np.inf)) > book.gap)
    book.rows("g_N lambda_N = 0", at(apart, np.abs(s.lambda_N)), book.force)
    rough = (s.contact_state == ContactState.STICK) & (tangential > book.force)
    book.rows("stick: gamma_T = 0", at(rough, slips), book.speed)
    power = [(s.gamma_T[:, rows] * s.lambda_T[:, rows]).sum(axis=1) for rows in book.tangents]
    given = np.stack(power, axis=-1) if power else np.zeros((s.t.size, 0))
    book.rows("slip against friction", given, book.speed * book.largest_force)
    first = book.first_tangents(s.gamma_T)
    for sign, state in ((1.0, ContactState.SLIP_POSITIVE), (-1.0, ContactState.SLIP_NEGATIVE)):
        wrong = at((s.contact_state == state) & (tangential > book.force), -sign * first)
        book.rows(f"{state.label}: direction", wrong, book.speed)
    loss = s.friction_loss
    fall = np.maximum.accumulate(loss, axis=0) - loss
    # Loss of slip below the velocity of rest, under the largest force over the whole run.
    little = book.rest * book.largest_force * float(s.t[-1] - s.t[0])
    book.rows("friction_loss grows", fall, book.tolerance * size(loss) + little)


def _without_point(book: Book) -> NDArray[np.bool_]:
    """Return a mask of slots of varying contact points that have no gap, (n, nc)."""
    s = book.solution
    if s.features.shape[1] == 0:
        return np.zeros(s.g_N.shape, dtype=np.bool_)
    result: NDArray[np.bool_] = (s.features[:, :, 0] < 0) | (s.contact_state == ContactState.OPEN)
    return result


def check_friction(book: Book, system: System) -> None:
    """Check |λ_T| <= β + μ λ_N, an ellipse for two directions, with equality during slip."""
    s = book.solution
    if system.nc == 0:
        return
    slips = book.by_contact(s.gamma_T)
    bound, force = np.zeros(s.lambda_N.shape), np.zeros(s.lambda_N.shape)
    given = np.zeros(s.lambda_N.shape)
    if not book.unilateral.all():
        for k in range(s.t.size):
            kinematics = system.contact_kinematics(
                s.t[k], s.q[k], s.u[k], inputs=s.inputs[k], x=s.x[k]
            )
            given[k] = kinematics["bound"]
    for i, contact in enumerate(system.contacts):
        law, rows = contact.law, book.tangents[i]
        mu = np.full(s.t.size, law.mu)
        if law.curve is not None:
            curve = law.curve._core(law.mu)
            mu = np.array([curve.coefficient(v) for v in slips[:, i]])
        normal = i if contact.is_unilateral else -1
        if contact.normal is not None:
            normal = system.contact_names.index(contact.normal)
        bound[:, i] = given[:, i] + (mu * s.lambda_N[:, normal] if normal >= 0 else 0.0)
        stretch = np.array([1.0, law.aspect])[: rows.size]
        force[:, i] = np.linalg.norm(s.lambda_T[:, rows] / stretch, axis=1)
    book.rows("friction cone", force - bound, book.force)
    slides = (s.contact_state > ContactState.STICK) & (slips > book.speed)
    rim = np.where(slides, np.abs(bound - force), 0.0)
    book.rows("slip: friction at its limit", rim, book.force)

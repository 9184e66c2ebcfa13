"""Checks of the motion between samples, from the dense output."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.events.enums import ContactState
from nsmb.solution.checks.book import Book
from nsmb.system.base import System

__all__ = ["check_motion"]

Floats = NDArray[np.float64]
_OUTLINES = 100  # number of times at which whole outlines are compared


def check_motion(book: Book, system: System, points: int) -> None:
    """Check gaps and velocities at times evenly over the run, and midway between events."""
    s = book.solution
    if points == 0 or system.nc == 0 or not s.has_dense_output:
        return
    instants = np.unique(s.events.t)
    middle = 0.5 * (instants[:-1] + instants[1:])
    chosen = np.linspace(0, middle.size - 1, min(points, middle.size)).astype(int)
    times = np.unique(np.concatenate([np.linspace(*s.t_span, points), middle[chosen]]))
    _check_outlines(book, system, times)
    if s.features.shape[1]:
        return  # slots would be reassigned here, and a gap behind a concave corner is meaningless
    here = s.at(times)
    kinematics = [
        system.contact_kinematics(t, q, u, inputs=v)
        for t, q, u, v in zip(
            times.tolist(), here.q, here.u, s._inputs_at(times, "right"), strict=True
        )
    ]
    g_N = np.array([k["g_N"] for k in kinematics])
    gamma_N, gamma_T = (
        np.array(
            [k[f"W_{d}"].T @ u + k[f"w_tilde_{d}"] for k, u in zip(kinematics, here.u, strict=True)]
        )
        for d in "NT"
    )
    closed = (here.contact_state != ContactState.OPEN) & book.unilateral
    depth = np.where(book.unilateral, -g_N, 0.0)
    book.between("g_N >= 0 between samples", times, depth, book.gap)
    apart = np.where(closed, np.abs(g_N), 0.0)
    book.between("closed: g_N = 0 between samples", times, apart, book.gap)
    leaves = np.where(closed, np.abs(gamma_N), 0.0)
    book.between("closed: gamma_N = 0 between samples", times, leaves, book.speed)
    rough = np.array([c.law.mu > 0.0 or not c.is_unilateral for c in system.contacts], dtype=bool)
    creep = np.where(
        (here.contact_state == ContactState.STICK) & rough, book.by_contact(gamma_T), 0.0
    )
    book.between("stick: gamma_T = 0 between samples", times, creep, book.speed)
    first = book.first_tangents(gamma_T)
    for sign, state in ((1.0, ContactState.SLIP_POSITIVE), (-1.0, ContactState.SLIP_NEGATIVE)):
        wrong = np.where((here.contact_state == state) & rough, -sign * first, 0.0)
        book.between(f"{state.label}: direction between samples", times, wrong, book.speed)


def _check_outlines(book: Book, system: System, times: Floats) -> None:
    """Check that no bodies overlap, at any depth."""
    s = book.solution
    chosen = times[
        np.unique(np.linspace(0, times.size - 1, min(times.size, _OUTLINES)).astype(int))
    ]
    book.rules["bodies apart"] = int(chosen.size)
    for t, q in zip(chosen.tolist(), s.at(chosen).q, strict=True):
        for name, depth in system.overlaps(t, q).items():
            book.one("bodies apart", -1, t, name, depth, book.gap)

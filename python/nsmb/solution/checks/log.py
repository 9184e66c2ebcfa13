"""Checks that events and samples are consistent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.events.enums import EventKind
from nsmb.solution.checks.book import Book, size

__all__ = ["check_log", "check_order"]

Floats = NDArray[np.float64]


def check_order(book: Book) -> None:
    """Check the order of the times of samples and events."""
    s, e = book.solution, book.solution.events
    if s.t.size == 0:
        return
    book.rows("t grows", -np.diff(s.t, prepend=s.t[0]), 0.0)
    if len(e):
        book.rows("event: t grows", -np.diff(e.t, prepend=e.t[0]), 0.0, event=True)
    if not book.violations:
        first, last = s.t_span
        outside = np.maximum(first - e.t, e.t - last)
        book.rows("event: within the run", np.maximum(outside, 0.0), 0.0, event=True)


def check_log(book: Book) -> None:
    """Check that states and velocities at events agree with the samples before and after."""
    s, e = book.solution, book.solution.events
    state = s.contact_state
    changes = (np.diff(state, axis=0, prepend=state[:1]) != 0).astype(np.float64)
    inside = np.diff(s.t, prepend=s.t[0]) > 0.0
    book.rows("states change at events only", changes * inside[:, None], 0.0)
    if len(e) == 0:
        return
    first = np.searchsorted(s.t, e.t, side="left")
    last = np.searchsorted(s.t, e.t, side="right") - 1
    here = last >= first
    book.rows("event: is a sample", (~here).astype(np.float64), 0.0, event=True)
    begins, ends = np.diff(e.t, prepend=-np.inf) > 0.0, np.diff(e.t, append=np.inf) > 0.0
    opening, closing = begins & here & (e.t > s.t[0]), ends & here
    first, last = np.clip(first, 0, s.t.size - 1), np.clip(last, 0, s.t.size - 1)
    before = (state[first] != e.state_minus) & opening[:, None]
    after = (state[last] != e.state_plus) & closing[:, None]
    book.rows("event: states before", before.astype(np.float64), 0.0, event=True)
    book.rows("event: states after", after.astype(np.float64), 0.0, event=True)
    # Events at one instant either have the same states before and after, or follow one another.
    follows = np.diff(e.t, prepend=-np.inf) == 0.0
    same = np.zeros(len(e), dtype=bool)
    same[1:] = (e.state_minus[1:] == e.state_minus[:-1]).all(axis=1)
    same[1:] &= (e.state_plus[1:] == e.state_plus[:-1]).all(axis=1)
    gap = np.zeros(e.state_minus.shape)
    gap[1:] = (e.state_minus[1:] != e.state_plus[:-1]) & (follows & ~same)[1:, None]
    book.rows("event: states follow each other", gap, 0.0, event=True)

    jump = _most(s.u[first] - e.u_minus) * opening
    book.rows("event: velocities before", jump, book.speed, event=True)
    jump = _most(s.u[last] - e.u_plus) * closing
    book.rows("event: velocities after", jump, book.speed, event=True)
    place = book.tolerance * size(s.q) + book.gap
    book.rows("event: coordinates", _most(s.q[last] - e.q) * here, place, event=True)
    jumps = (e.kind == EventKind.IMPACT) | (e.kind == EventKind.USER)
    still = _most(e.u_plus - e.u_minus) * ~jumps
    book.rows("event: no jump without impact", still, book.speed, event=True)


def _most(difference: Floats) -> Floats:
    result: Floats = np.abs(difference).max(axis=1, initial=0.0)
    return result

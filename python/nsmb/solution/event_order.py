"""Order of events and samples at the same instant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nsmb.solution.record import Record

__all__ = ["events_before", "sums_before"]


def events_before(solution: Record) -> NDArray[np.intp]:
    """Return the number of events before each sample, shape (n,).

    Of several samples at one instant, the first precedes all events of the instant and the last
    follows all of them. Each sample in between follows the events that lead to its velocities.
    """
    t, events = solution.t, solution.events
    counts = np.searchsorted(events.t, t, side="right")
    before = np.searchsorted(events.t, t, side="left")
    for k in np.flatnonzero(counts > before):
        first = k == 0 or t[k - 1] < t[k]
        last = k + 1 == t.size or t[k + 1] > t[k]
        if last:
            continue
        if first:
            counts[k] = before[k]
            continue
        same = [
            j + 1
            for j in range(before[k], counts[k])
            if np.array_equal(events.u_plus[j], solution.u[k])
        ]
        counts[k] = same[-1] if same else counts[k]
    return counts


def sums_before(solution: Record, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of values (events, ...) over the events before each sample, (n, ...)."""
    sums = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    result: NDArray[np.float64] = sums[events_before(solution)]
    return result

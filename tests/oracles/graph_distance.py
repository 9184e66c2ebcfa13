"""The Hausdorff distance of the graphs of two motions with jumps, which are vertical segments.

Where impacts of one motion are slightly later, values at one time differ by a whole jump. The
graphs, filled in at jumps, are still close. As in Acary, "Higher order event capturing
time-stepping schemes for nonsmooth multibody systems", Appl. Numer. Math. 62 (2012).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def distance(graph_1: Array, graph_2: Array) -> float:
    """Return the Hausdorff distance, in the Euclidean norm, of two polygons through these points.

    graph_1 and graph_2, shape (n, 1 + d), hold ascending times and d values. Two points at one time
    are a jump. The caller scales values and times.
    """
    return max(one_sided(graph_1, graph_2), one_sided(graph_2, graph_1))


def refined(graph: Array, longest: float) -> Array:
    """Return the polygon with edges divided to at most `longest`."""
    edges = np.diff(graph, axis=0)
    parts = np.maximum(1, np.ceil(np.linalg.norm(edges, axis=1) / longest)).astype(int)
    which = np.repeat(np.arange(len(edges)), parts)
    first = np.repeat(np.cumsum(parts) - parts, parts)
    share = (np.arange(parts.sum()) - first) / parts[which]
    return np.vstack([graph[which] + share[:, None] * edges[which], graph[-1:]])


def one_sided(points: Array, polygon: Array, longest: float = 0.01) -> float:
    """Return the largest distance of a point of the first polygon from the second one."""
    times = polygon[:, 0]
    fine = refined(points, longest)
    # An edge farther away in time than a known point cannot be the nearest.
    place = np.searchsorted(times, fine[:, 0])
    near = np.clip(place[:, None] + np.arange(-2, 3), 0, len(times) - 1)
    bounds = np.linalg.norm(polygon[near] - fine[:, None], axis=2).min(axis=1)
    largest = 0.0
    for k in np.argsort(-bounds):
        if bounds[k] <= largest:
            break
        t, bound = fine[k, 0], bounds[k]
        first = max(0, int(np.searchsorted(times, t - bound)) - 1)
        last = min(len(times), int(np.searchsorted(times, t + bound, side="right")) + 1)
        largest = max(largest, _to_edges(fine[k], polygon[first:last]))
    return largest


def _to_edges(point: Array, polygon: Array) -> float:
    start, edges = polygon[:-1], np.diff(polygon, axis=0)
    lengths = (edges**2).sum(axis=1)
    along = ((point - start) * edges).sum(axis=1)
    share = np.clip(along / np.where(lengths > 0.0, lengths, 1.0), 0.0, 1.0)
    return float(np.linalg.norm(start + share[:, None] * edges - point, axis=1).min())

"""A branch-and-bound proof that no direction separates two convex bodies by more than a given gap.

``h(n) = max n.x`` over the points x of the difference of the bodies, the second less the first. Let
p be its furthest point along the axis m of a cone of directions with half angle w. For all n of the
cone, ``h(n) >= p.n``, which is at least ``h(m) cos(w) - |p - h(m) m| sin(w)``. Cones are given by
squares on the faces of a cube. Cones that may contain a better direction are divided into four.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
FACES = np.array(
    [
        [[s, 0, 0], [0, 1, 0], [0, 0, 1]] if k == 0
        else [[0, s, 0], [0, 0, 1], [1, 0, 0]] if k == 1
        else [[0, 0, s], [1, 0, 0], [0, 1, 0]]
        for k in range(3)
        for s in (1.0, -1.0)
    ]
)  # fmt: skip
QUARTERS = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]])


def no_better_direction(
    furthest: Callable[[Rows, Array], Array], depth: Array, most_cones: int = 400_000
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks (k,): no direction has h(n) < depth, proven, and some direction has it.

    `furthest` takes rows (c,) and directions (c, 3) and returns points (c, 3) of the differences.
    Both masks are False for cases that need more than `most_cones` cones at a time.
    """
    n = len(depth)
    row, face = np.divmod(np.arange(6 * n), 6)
    middle, half = np.zeros((6 * n, 2)), 1.0
    proven, refuted = np.ones(n, bool), np.zeros(n, bool)
    while len(row):
        a, u, w = FACES[face, 0], FACES[face, 1], FACES[face, 2]
        m = a + middle[:, :1] * u + middle[:, 1:] * w
        m /= np.linalg.norm(m, axis=1)[:, None]
        p = furthest(row, m)
        h = np.einsum("ij,ij->i", p, m)
        aside = np.linalg.norm(p - h[:, None] * m, axis=1)
        angle = np.sqrt(2.0) * half  # bound: the square is farther than 1 from the centre
        least = (
            h * np.cos(angle) - aside * np.sin(angle) if angle < 1.5 else np.full(len(h), -np.inf)
        )
        # A direction with smaller h proves a larger gap.
        open_ = (least < depth[row]) & proven[row]
        better = open_ & (h < depth[row])
        refuted[row[better]] = True
        proven[row[better]] = False
        open_ &= proven[row]
        row, face, middle = row[open_], face[open_], middle[open_]
        if 4 * len(row) > most_cones or half < 1e-9:
            proven[row] = False
            break
        half *= 0.5
        middle = (middle[:, None] + half * 2.0 * QUARTERS).reshape(-1, 2)
        row, face = np.repeat(row, 4), np.repeat(face, 4)
    return proven, refuted

"""The contacts found in a run of the core, as one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["found_table"]


def found_table(data: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the table of contacts from the result of ``trajectory()``.

    `first`, shape (samples + 1,), is the first row of each sample. `axes`, shape (n, 9), holds n,
    t_1, t_2. `force`, shape (n, 6), holds forces along them, then moments about t_1, t_2, n.
    """
    normal, tangent = data["found_normal"], data["found_tangent"]
    return {
        "first": np.concatenate([[0], np.cumsum(data["found_count"], dtype=np.int64)]),
        "shapes": np.column_stack([data["found_shape_1"], data["found_shape_2"]]),
        "axes": np.hstack([normal, tangent, np.cross(normal, tangent)]),
        "force": np.hstack([data["found_force"], data["found_moment"]]),
        **{name: data[f"found_{name}"] for name in ("identity", "law", "g_N", "point", "state")},
    }

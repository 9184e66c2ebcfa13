"""Short descriptions of results, for their repr."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["counted", "spread"]


def counted(labels: Iterable[object]) -> str:
    """Return the number of each label, the most frequent first: "8 finished, 2 failed"."""
    counts = Counter(map(str, labels)).most_common()
    return ", ".join(f"{count} {label}" for label, count in counts) or "none"


def spread(values: ArrayLike) -> str:
    """Return the range of the finite numbers: "0.1 to 2"."""
    table = np.asarray(values, dtype=np.float64)
    table = table[np.isfinite(table)]
    return f"{table.min():.6g} to {table.max():.6g}" if table.size else "none"

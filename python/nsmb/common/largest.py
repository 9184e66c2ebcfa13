"""The entry that determines sign and size of a vector, independent of rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_EQUAL = 1e-6  # relative tolerance for entries that are equal up to rounding


def first_of_largest(sizes: NDArray[np.float64], axis: int = 0) -> NDArray[np.intp]:
    """Return the index of the largest of `sizes` along `axis`, or the first of equal ones.

    Sizes are equal if they agree up to rounding. Rounding differs between machines, and must not
    determine the sign of an eigenvector.
    """
    largest = sizes.max(axis=axis, keepdims=True)
    return np.asarray(np.argmax(sizes >= (1.0 - _EQUAL) * largest, axis=axis))

"""Which entry gives a vector its sign and size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_EQUAL = 1e-6  # of the largest: entries this near are equal but for rounding


def first_of_largest(sizes: NDArray[np.float64], axis: int = 0) -> NDArray[np.intp]:
    """Place of the largest of `sizes` along `axis`; of equal ones, but for rounding, the first.

    Rounding differs from machine to machine and must not decide the sign of an eigenvector.
    """
    largest = sizes.max(axis=axis, keepdims=True)
    return np.asarray(np.argmax(sizes >= (1.0 - _EQUAL) * largest, axis=axis))

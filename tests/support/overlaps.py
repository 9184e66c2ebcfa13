"""Common parts of polygons."""

from __future__ import annotations

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry


def common_part(one: BaseGeometry, other: BaseGeometry) -> BaseGeometry:
    """Return the intersection. The lowest versions of Shapely warn of invalid values where edges
    lie on each other, and give the same result."""
    with np.errstate(invalid="ignore"):
        return shapely.intersection(one, other)

"""Intersections of polygons."""

from __future__ import annotations

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry


def common_part(one: BaseGeometry, other: BaseGeometry) -> BaseGeometry:
    """Return the intersection.

    The oldest supported versions of Shapely warn of invalid values where edges coincide, with the
    same result.
    """
    with np.errstate(invalid="ignore"):
        return shapely.intersection(one, other)

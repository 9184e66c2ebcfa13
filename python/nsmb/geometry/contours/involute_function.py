"""The involute function and its inverse."""

from __future__ import annotations

import math

from nsmb.common.arguments import in_range

__all__ = ["inverse_involute", "involute"]

_QUARTER = 0.5 * math.pi


def involute(alpha: float) -> float:
    """Return inv α = tan α - α (7.1), rad.

    Parameters
    ----------
    alpha : float
        Pressure angle in rad, from 0 to less than π/2.

    Raises
    ------
    ValueError
        If the angle is out of range.

    Examples
    --------
    >>> import math
    >>> from nsmb import gears
    >>> f"{gears.involute(math.radians(20.0)):.10f}"
    '0.0149043839'
    """
    angle = in_range("alpha", alpha, 0.0, _QUARTER)
    return math.tan(angle) - angle


def inverse_involute(theta: float) -> float:
    """Return the pressure angle α, rad, with θ = inv α (7.2).

    Parameters
    ----------
    theta : float
        Value of the involute function, rad, >= 0.

    Raises
    ------
    ValueError
        If θ is negative.

    Examples
    --------
    >>> import math
    >>> from nsmb import gears
    >>> f"{math.degrees(gears.inverse_involute(0.0149043839)):.6f}"
    '20.000000'
    """
    value = in_range("theta", theta, 0.0)
    if value == 0.0:
        return 0.0
    # (7.3), limited below the right angle that tan α cannot reach. inv is convex in tan α, so that
    # Newton's method in tan α converges monotonically.
    tangent = math.tan(min((3.0 * value) ** (1.0 / 3.0), 1.5)) if value < 1.0 else value + _QUARTER
    for _ in range(60):
        slope = tangent * tangent / (1.0 + tangent * tangent)
        step = (tangent - math.atan(tangent) - value) / slope
        tangent -= step
        if abs(step) <= 4e-16 * tangent:
            break
    return math.atan(tangent)

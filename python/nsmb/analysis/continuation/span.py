"""Where and how far a curve is followed: the arguments that all continuations share, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nsmb.analysis.continuation.walker import Steps
from nsmb.common.arguments import as_array, as_number, fraction, whole

__all__ = ["span"]


def span(
    what: str,
    parameter: str,
    value: float,
    range: Sequence[float],
    direction: int,
    *,
    step: float | None = None,
    max_step: float | None = None,
    max_points: int,
    tol: float,
    accuracy: float = Steps.accuracy,
) -> Steps:
    """Steps over `range`, with `value` of the parameter at `what` in it.

    `step` and `max_step` are in units of the parameter; None: 1/50 and 1/20 of the range.

    Raises
    ------
    ValueError
        For a range without `value`, a direction other than +1, -1 and 0, steps that are not
        positive, less than two points, or a tolerance that is none.
    """
    low, high = as_array("range", range, (2,)).tolist()
    if not low < high or not low <= value <= high:
        raise ValueError(
            f"range: expected low < high around {parameter} = {value:.8g} of the {what}, got "
            f"({low:.8g}, {high:.8g})"
        )
    if direction not in (-1, 0, 1):
        raise ValueError(f"direction: expected +1, -1 or 0, got {direction!r}")
    most = whole("max_points", max_points, 2)
    fraction("tol", tol)
    first = 0.02 if step is None else _length("step", step, high - low)
    longest = max(0.05, first) if max_step is None else _length("max_step", max_step, high - low)
    return Steps(min(first, longest), longest, most, low, high, tol, accuracy=accuracy)


def _length(name: str, value: float, width: float) -> float:
    number = as_number(name, value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name}: expected a number > 0, got {value!r}")
    return number / width

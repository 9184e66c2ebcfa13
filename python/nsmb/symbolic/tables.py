"""Measured characteristics as expressions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_column, one_of
from nsmb.common.expressions import as_expression

__all__ = ["table"]

Kind = Literal["linear", "cubic", "monotone"]
_SPLINES = {"cubic": "CubicSpline", "monotone": "PchipInterpolator"}


def table(
    at: Any, x: ArrayLike, y: ArrayLike, *, kind: Kind = "cubic", periodic: bool = False
) -> Any:
    """Return a curve through measured points, evaluated at an expression.

    The expression may depend on time, an angle or a state. If it depends on time alone, runs meet
    the points of a linear or monotone table exactly, like all switches in time.

    Parameters
    ----------
    at : expression
    x : array_like, (k,)
        Increasing points.
    y : array_like, (k,)
        Values at these points.
    kind : {"cubic", "linear", "monotone"}
        Cubic spline, straight pieces, or cubic pieces that do not overshoot (PCHIP).
    periodic : bool
        If True, the curve repeats after ``x[-1] - x[0]``, and y must end with its first value. If
        False, it continues in straight lines beyond its ends.

    Returns
    -------
    expression

    Raises
    ------
    ValueError
        If there are fewer than two points, points do not increase, the number of values differs
        from that of points, or a period does not close.

    Examples
    --------
    A torque as a periodic function of the angle of a cam:

    >>> from nsmb import symbolic
    >>> phi = symbolic.coordinates("phi")
    >>> pump = symbolic.table(phi, [0.0, 1.0, 2.0, 6.28], [0.0, 5.0, 0.0, 0.0], periodic=True)
    """
    places, values = as_column("x", x), as_column("y", y)
    one_of("kind", kind, ("linear", *_SPLINES))
    if places.size < 2 or not (np.isfinite(places).all() and (np.diff(places) > 0.0).all()):
        raise ValueError(f"x: expected two increasing numbers or more, got {places.tolist()}")
    if values.shape != places.shape or not np.isfinite(values).all():
        raise ValueError(
            f"y: expected {places.size} finite numbers, one for each place, got {values.tolist()}"
        )
    if periodic and values[0] != values[-1]:
        raise ValueError(
            f"y: expected a periodic table to end where it began, got {values[0]:.17g} and "
            f"{values[-1]:.17g}"
        )
    powers = _pieces(places, values, kind, periodic)
    place = as_expression("at", at)
    if place.is_extended_real is False or (not place.is_finite and place.is_number):
        raise ValueError(f"at: expected a real expression, got {at!r}")
    if periodic:
        length = float(places[-1] - places[0])
        place = place - length * sympy.floor((place - float(places[0])) / length)
    else:
        powers, places = _with_ends(powers, places)
    conditions = [
        (_polynomial(p, place - float(a)), place < float(b))
        for p, a, b in zip(powers[:-1], places, places[1:], strict=False)
    ]
    last = _polynomial(powers[-1], place - float(places[len(powers) - 1]))
    return sympy.Piecewise(*conditions, (last, True))


def _pieces(
    x: NDArray[np.float64], y: NDArray[np.float64], kind: str, periodic: bool
) -> NDArray[np.float64]:
    """Return coefficients (k - 1, d + 1) over the distance from the left ends, highest first."""
    from scipy import interpolate

    if kind == "linear":
        return np.column_stack([np.diff(y) / np.diff(x), y[:-1]])
    if kind == "cubic":
        spline = interpolate.CubicSpline(x, y, bc_type="periodic" if periodic else "not-a-knot")
    else:
        spline = interpolate.PchipInterpolator(x, y)
    rows: NDArray[np.float64] = spline.c.T
    return rows


def _with_ends(
    powers: NDArray[np.float64], x: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the pieces with straight ones at both ends, and the starts of the pieces."""
    first, last = np.zeros(powers.shape[1]), np.zeros(powers.shape[1])
    first[-2:] = powers[0, -2:]  # slope and value at the start of the first piece
    step = x[-1] - x[-2]
    last[-2] = np.polyval(np.polyder(powers[-1]), step)
    last[-1] = np.polyval(powers[-1], step)
    begins = np.concatenate([x[:1], x])
    # The straight piece before the first point measures its distance from that point, too.
    return np.vstack([first, powers, last]), begins


def _polynomial(coefficients: NDArray[np.float64], x: Any) -> Any:
    value: Any = sympy.Float(0.0)
    for c in coefficients.tolist():
        value = value * x + c
    return value

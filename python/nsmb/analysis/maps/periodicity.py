"""Periods of point sequences and the limit of a cascade of period doublings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_column, as_number

__all__ = ["Cascade", "feigenbaum", "find_period"]

_DELTA = 4.669201609102990  # Feigenbaum 1978

NOTHING = 1e-11  # m, m/s: as gap_tolerance and rest_velocity of nsmb.EventDriven

Vector = NDArray[np.float64]


def find_period(
    points: ArrayLike,
    tol: float = 1e-5,
    *,
    scale: ArrayLike | None = None,
    max_period: int | None = None,
) -> int:
    """Return the smallest p with x_(k+p) = x_k for all points.

    Parameters
    ----------
    points : (m,) or (m, d) array_like
        Points of a section in the order of time, the transient left out.
    tol : float
        How near two points have to be, relative to `scale`; below 1e-11 m or m/s differences do
        not count, as in contacts. Orbits whose branches lie nearer, as just behind a period
        doubling, count as one.
    scale : float or (d,) array_like, optional
        What differences are compared with, component by component; default the largest |x|. Give
        the size of the motion where a component has a large offset.
    max_period : int, optional
        Longest period looked for; at most, and by default, m // 2: it has to be seen twice.

    Returns
    -------
    int
        0: no period found, or fewer than two points.

    Raises
    ------
    ValueError
        For points that are not finite or of another shape, and for a negative tolerance.

    Examples
    --------
    >>> from nsmb import analysis
    >>> analysis.find_period([0.2, 0.5, 0.9, 0.2, 0.5, 0.9]), analysis.find_period([1.0, 2.0, 4.0])
    (3, 0)
    """
    table = np.asarray(points, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise ValueError(f"points: expected shape (m,) or (m, d), got {np.shape(points)}")
    if not np.isfinite(table).all():
        raise ValueError("points: expected finite numbers, got NaN or inf; leave such rows out")
    if not as_number("tol", tol) >= 0.0:
        raise ValueError(f"tol: expected a number >= 0, got {tol!r}")
    m, d = table.shape
    if scale is None:
        size = np.abs(table).max(axis=0, initial=0.0)
    else:
        try:
            size = np.broadcast_to(np.asarray(scale, dtype=np.float64), (d,))
        except (TypeError, ValueError):
            raise ValueError(f"scale: expected a number or shape ({d},), got {scale!r}") from None
    near = np.maximum(tol * size, NOTHING)
    longest = m // 2 if max_period is None else min(int(max_period), m // 2)
    for p in range(1, longest + 1):
        if (np.abs(table[p:] - table[:-p]) <= near).all():
            return p
    return 0


@dataclass(frozen=True, eq=False)
class Cascade:
    """The end of a cascade of period doublings, see :func:`feigenbaum`."""

    universal_delta: ClassVar[float] = _DELTA
    """Limit of the ratios of a cascade of period doublings (Feigenbaum 1978), 4.6692..."""

    values: Vector
    """(n,) parameter at the doublings."""
    deltas: Vector
    """(n - 2,) δ_k = (α_(k+1) - α_k) / (α_(k+2) - α_(k+1)) of every triple."""
    limits: Vector
    """(n - 2,) α_∞ from every triple with its own δ_k."""
    limit_universal: float
    """α_∞ from the last two doublings and the universal δ = 4.6692..."""

    @property
    def limit(self) -> float:
        """α_∞ from the last triple."""
        return float(self.limits[-1])


def feigenbaum(values: ArrayLike) -> Cascade:
    """Return ratios and the accumulation point of successive period doublings.

    Pfeiffer & Glocker, 12.1.3: α_∞ = α_1 + (α_2 - α_1) / (1 - 1/δ). With the δ of the same triple
    this is Aitken's extrapolation, exact for a geometric sequence.

    Parameters
    ----------
    values : (n,) array_like
        Parameter at three or more successive doublings, rising or falling.

    Returns
    -------
    Cascade

    Raises
    ------
    ValueError
        For fewer than three values, or values that do not rise or fall strictly.

    Examples
    --------
    The first doublings of the logistic map, whose cascade ends at 3.5699456:

    >>> from nsmb import analysis
    >>> cascade = analysis.feigenbaum([3.0, 3.449489743, 3.544090359, 3.564407266])
    >>> cascade.deltas.round(3), round(cascade.limit, 4)
    (array([4.751, 4.656]), 3.57)
    """
    alpha = as_column("values", values)
    if alpha.size < 3:
        raise ValueError(f"values: expected three doublings or more, got {alpha.size}")
    step = np.diff(alpha)
    if not ((step > 0.0).all() or (step < 0.0).all()):
        raise ValueError(f"values: expected rising or falling numbers, got {alpha.tolist()}")
    deltas = step[:-1] / step[1:]
    if not (deltas > 1.0).all():
        raise ValueError(
            f"values: expected distances that shrink from doubling to doubling, got ratios "
            f"{deltas.tolist()}; is a doubling missing?"
        )
    limits = alpha[:-2] + step[:-1] / (1.0 - 1.0 / deltas)
    universal = alpha[-2] + step[-1] / (1.0 - 1.0 / _DELTA)
    return Cascade(alpha, deltas, limits, float(universal))

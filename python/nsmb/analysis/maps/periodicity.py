"""Periods of point sequences, and the limit of a cascade of period doublings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_column, as_number

__all__ = ["Cascade", "feigenbaum", "find_period"]

_DELTA = 4.669201609102990  # Feigenbaum 1978

NOTHING = 1e-11  # m and m/s, equal to gap_tolerance and rest_velocity of nsmb.EventDriven

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
        Points of a section in the order of time, without the transient.
    tol : float
        Largest difference of recurring points, relative to `scale`. Differences below 1e-11 m or
        m/s are ignored, as in contacts. Branches of an orbit that are closer, as just after a
        period doubling, count as one.
    scale : float or (d,) array_like, optional
        Reference sizes of the components; default: the largest |x|. Give the size of the motion if
        a component has a large offset.
    max_period : int, optional
        Longest period that is searched; at most, and by default, m // 2, so that it occurs twice.

    Returns
    -------
    int
        The period; 0 if there is no period, or if there are fewer than two points.

    Raises
    ------
    ValueError
        If points are not finite or have another shape, or if the tolerance is negative.

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
    """The end of a cascade of period doublings; see :func:`feigenbaum`."""

    universal_delta: ClassVar[float] = _DELTA
    """Limit of the ratios of a cascade of period doublings (Feigenbaum 1978), 4.6692..."""

    values: Vector
    """Values of the parameter at the doublings, shape (n,)."""
    deltas: Vector
    """Ratios δ_k = (α_(k+1) - α_k) / (α_(k+2) - α_(k+1)) of every triple, shape (n - 2,)."""
    limits: Vector
    """Estimates of α_∞ from every triple with its own δ_k, shape (n - 2,)."""
    limit_universal: float
    """Estimate of α_∞ from the last two doublings and the universal δ = 4.6692..."""

    @property
    def limit(self) -> float:
        """Estimate of α_∞ from the last triple."""
        return float(self.limits[-1])


def feigenbaum(values: ArrayLike) -> Cascade:
    """Return the ratios and the accumulation point of successive period doublings.

    The limit is α_∞ = α_1 + (α_2 - α_1) / (1 - 1/δ) (Pfeiffer & Glocker, 12.1.3). With the δ of the
    same triple, this is Aitken's extrapolation, which is exact for a geometric sequence.

    Parameters
    ----------
    values : (n,) array_like
        Values of the parameter at three or more successive doublings, rising or falling.

    Returns
    -------
    Cascade

    Raises
    ------
    ValueError
        If there are fewer than three values, or if they do not rise or fall strictly.

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

"""Integrals over time along a run, computed from the polynomials of its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsmb.solution.dense_output import is_divided, stretches

if TYPE_CHECKING:
    from nsmb.solution.record import Record

__all__ = ["Stretch", "integrals", "rounding_of"]

Floats = NDArray[np.float64]

# Number of Gauss points on a step, for polynomials of numerical integrators and for the power
# series of closed-form motion, which have degrees up to 30; and the degree above which many are
# used.
_FEW, _MANY, _LONG = 8, 24, 10
_CHUNK = 2048  # number of steps that are evaluated together


@dataclass(frozen=True, eq=False)
class Stretch:
    """Consecutive steps of a run, evaluated at the Gauss points of each step."""

    t: Floats
    """Times of the Gauss points, shape (steps, points), in s."""
    length: Floats
    """Lengths of the steps, shape (steps,), in s."""
    y: Floats
    """Coordinates, velocities and states, shape (steps, points, ny)."""
    slope_of_y: Floats | None
    """Derivatives dy/ds, s in 0...1 over a step, shape as `y`; None for the larger number of
    points."""
    slope: Floats
    """Matrix of d/dx at the points, x in -1...1 over a step, of the polynomial through values at
    all points, shape (points, points)."""
    modes: NDArray[np.int8]
    """Modes of the force elements, shape (steps, ne)."""
    inputs: Floats
    """Values of the inputs, shape (steps, ni)."""


def integrals(
    solution: Record, power: Callable[[Stretch], Floats], count: int
) -> tuple[Floats, Floats]:
    """Integrate powers from the start to each sample.

    Parameters
    ----------
    solution : Record
    power : callable (Stretch) -> (count, steps, points)
        Function that returns the powers, W.
    count : int
        Number of powers.

    Returns
    -------
    done : (count, n) array
        Works since the start, J; NaN if the steps were not recorded.
    turned : (n,) array
        Energy turned over, ∫ Σ |P| dt, J.
    """
    from numpy.polynomial import legendre  # slow to import

    data, t = solution._data, solution.t
    start, end = stretches(data)
    if start.size == 0:
        nothing = np.zeros(t.size) if t.size and t[0] == t[-1] else np.full(t.size, np.nan)
        return np.tile(nothing, (count, 1)), nothing
    points = _FEW if data["step_degree"].max() <= _LONG else _MANY
    x, weights = legendre.leggauss(points)
    # Power as a series of Legendre polynomials: c_k = (2k + 1)/2 Σ w_i P_k(x_i) f(x_i).
    to_series = (legendre.legvander(x, points - 1) * weights[:, None]) * (np.arange(points) + 0.5)
    # dp/dx at the points, for the polynomial p through all of them.
    slope = np.linalg.solve(
        legendre.legvander(x, points - 1).T,
        np.array([legendre.legval(x, legendre.legder(e)) for e in np.eye(points)]),
    ).T
    series = np.zeros((count, start.size, points))
    sizes = np.zeros(start.size)
    half = 0.5 * (end - start)
    for first in range(0, start.size, _CHUNK):
        part = slice(first, min(first + _CHUNK, start.size))
        values = power(_stretch(solution, part, (start[part], end[part]), x, slope))
        series[:, part] = (values @ to_series) * half[part, None]
        sizes[part] = np.abs(values).sum(axis=0) @ weights * half[part]
    done = np.concatenate([np.zeros((count, 1)), np.cumsum(2.0 * series[:, :, 0], axis=1)], axis=1)
    all_sizes = np.concatenate([[0.0], np.cumsum(sizes)])
    step = np.clip(np.searchsorted(start, t, side="right") - 1, 0, start.size - 1)
    place = np.clip(2.0 * (t - start[step]) / (end - start)[step] - 1.0, -1.0, 1.0)
    # ∫ P_k = (P_{k+1} - P_{k-1})/(2k + 1), integrated from -1.
    P = legendre.legvander(place, points)
    parts = np.empty((t.size, points))
    parts[:, 0] = place + 1.0
    parts[:, 1:] = (P[:, 2:] - P[:, :-2]) / (2.0 * np.arange(1, points) + 1.0)
    within = np.einsum("akp,kp->ak", series[:, step], parts)
    found = np.where(t < start[0], 0.0, done[:, step] + within)
    return found, all_sizes[step] + sizes[step] * 0.5 * (place + 1.0)


def _stretch(
    solution: Record, part: slice, span: tuple[Floats, Floats], x: Floats, slope: Floats
) -> Stretch:
    start, end = span
    y, y_s = _motion(solution, part, span, x, slope)
    sample = np.clip(np.searchsorted(solution.t, start, side="right") - 1, 0, solution.t.size - 1)
    return Stretch(
        start[:, None] + (end - start)[:, None] * (0.5 * (x + 1.0)),
        end - start,
        y,
        y_s if x.size == _FEW else None,
        slope,
        _modes(solution, part, sample),
        solution.inputs[sample],
    )


def _modes(solution: Record, part: slice, sample: NDArray[np.intp]) -> NDArray[np.int8]:
    """Return the modes of the force elements on each step; samples miss switches between them."""
    data = solution._data
    if is_divided(data) or "step_mode" not in data:
        return solution.element_mode[sample]
    modes: NDArray[np.int8] = data["step_mode"][part]
    return modes


def _motion(
    solution: Record, part: slice, span: tuple[Floats, Floats], x: Floats, slope: Floats
) -> tuple[Floats, Floats]:
    """Return y and dy/ds at points x in -1...1 of steps, s in 0...1, (steps, points, ny)."""
    data = solution._data
    rows = data["y"].shape[1]
    s = 0.5 * (x + 1.0)
    if is_divided(data):
        start, end = span
        times = start[:, None] + (end - start)[:, None] * s
        y = solution._evaluate(times.ravel(), "right")[0].reshape(start.size, x.size, rows)
        return y, 2.0 * np.einsum("ij,kjn->kin", slope, y)
    start = data["step_start"][part]
    offset, degree = data["step_offset"][part], data["step_degree"][part]
    top = int(degree.max())
    coefficients = np.zeros((top + 1, start.size, rows))
    for k in range(top + 1):
        has = degree >= k
        coefficients[k, has] = data["coefficients"][
            (offset[has] + k * rows)[:, None] + np.arange(rows)
        ]
    y = np.zeros((start.size, x.size, rows))
    y_s = np.zeros_like(y)
    for k in range(top, -1, -1):
        y_s = y_s * s[None, :, None] + y
        y = y * s[None, :, None] + coefficients[k][:, None, :]
    return y, y_s


def rounding_of(*energies: Floats) -> float:
    """Return the energy in J below which differences are rounding of these energies."""
    largest = sum(float(np.abs(np.nan_to_num(e)).max(initial=0.0)) for e in energies)
    return float(np.finfo(float).eps) * largest

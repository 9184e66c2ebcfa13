"""Rattling noise over engine speed: (12.9) and fig. 12.13 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import whole
from nsmb.solution.solution import Solution
from nsmb.systems.gears.gearbox_run_up import gearbox_run_up, run_up_data

__all__ = ["RunUpNoise"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RunUpNoise:
    """Noise of a run-up in intervals of equal length, see :func:`gearbox_run_up.noise`."""

    Omega: Vector
    """Engine speed in the middle of each interval, shape (k,), rad/s."""
    noise: Vector
    """Noise measure (12.9), mean of Σ |Λ_N| over impacts, 0 without impacts, shape (k,), N s."""
    rate: Vector
    """Impacts per time, shape (k,), 1/s; simultaneous impacts count as one."""
    force: dict[str, Vector]
    """Sum of |Λ_N| per time in the mesh of each wheel by name, shape (k,), N.

    The sum over all wheels is `noise` times `rate`.
    """


@gearbox_run_up.evaluation
def noise(solution: Solution, pieces: int = 40) -> RunUpNoise:
    """Return the noise measure (12.9) of a run over the engine speed.

    Parameters
    ----------
    solution : Solution
    pieces : int
        Number of intervals of equal length, >= 1.

    Returns
    -------
    RunUpNoise

    Raises
    ------
    ValueError
        If the run is of another system or has no duration.
    """
    p = run_up_data("solution.system", solution.system)
    pieces = whole("pieces", pieces, 1)
    begin, end = solution.t_span
    if not end > begin:
        raise ValueError(f"solution: expected a run with a duration, got {begin:g} s to {end:g} s")
    edges = np.linspace(begin, end, pieces + 1)
    impacts = solution.events.of_kind("impact")

    def per_piece(times: Vector, weights: Vector | None = None) -> Vector:
        return np.asarray(np.histogram(times, edges, weights=weights)[0], dtype=np.float64)

    count = per_piece(np.unique(impacts.t))
    sizes = np.abs(impacts.Lambda_N)
    total = per_piece(impacts.t, sizes.sum(axis=1))
    length = (end - begin) / pieces
    force: dict[str, Vector] = {}
    for j, name in enumerate(solution.contact_names):
        wheel, _, _ = name.rpartition(".")
        force[wheel] = (
            force.get(wheel, np.zeros(pieces)) + per_piece(impacts.t, sizes[:, j]) / length
        )
    middle = 0.5 * (edges[1:] + edges[:-1])
    return RunUpNoise(
        p.Omega_0 + (p.Omega_1 - p.Omega_0) / p.duration * middle,
        total / np.maximum(count, 1.0),
        count / length,
        force,
    )

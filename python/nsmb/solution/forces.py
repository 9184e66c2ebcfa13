"""Contact forces at any time of a run, computed from the contact laws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import simulation as _simulation
from nsmb.system.base import System

__all__ = ["contact_forces"]

Floats = NDArray[np.float64]

# Tolerances in m and m/s: interpolated states do not satisfy closed contacts exactly.
_GAP, _VELOCITY = 1e-7, 1e-7
_QUANTITIES = ("g_N", "gamma_N", "gamma_T", "lambda_N", "lambda_T", "lambda_B", "element_force")


def contact_forces(
    system: System,
    data: Mapping[str, NDArray[Any]],
    times: Floats,
    y: Floats,
    states: NDArray[np.int8],
    side: str,
    solves: bool = True,
) -> dict[str, Floats]:
    """Return gaps, relative velocities and forces at times (m,), as in a solution.

    `data` are the arrays of the run, `y` (m, ny) and `states` (m, nc) its motion at the times. At
    the time of a sample, the values are those of the sample. Between samples, the forces follow
    from the contact laws, if these yield the contact states of the run. Otherwise, very close to an
    event, the forces are interpolated between samples. This also applies to stepped runs (`solves`
    False).
    """
    t = data["t"]
    found = {name: np.empty((times.size, data[name].shape[1])) for name in _QUANTITIES}
    run = _simulation.EventDriven(
        system._core,
        gap_tolerance=_GAP,
        rest_velocity=_VELOCITY,
        start_tolerance=1.0,  # contacts that were closed in the run are accepted as closed
        dense_output=False,
    )
    for k, time in enumerate(times.tolist()):
        if side == "right":
            before = int(np.searchsorted(t, time, side="right")) - 1
            after = min(before + 1, t.size - 1)
            sample = before if t[before] == time else None
        else:
            after = int(np.searchsorted(t, time, side="left"))
            before = max(after - 1, 0)
            sample = after if t[after] == time else None
        if sample is not None:
            row = {name: data[name][sample] for name in _QUANTITIES}
        else:
            now = _solved(run, system, data, before, time, y[k], states[k]) if solves else None
            row = now if now is not None else _between(data, before, after, time)
        for name, column in row.items():
            found[name][k] = column
    return found


def _solved(
    run: _simulation.EventDriven,
    system: System,
    data: Mapping[str, NDArray[Any]],
    before: int,
    t: float,
    y: Floats,
    states: NDArray[np.int8],
) -> dict[str, Floats] | None:
    """Return the values at the start of a run of zero length from the given state.

    Modes and inputs are those of the previous sample. Return None if the contact states of this run
    differ from `states`."""
    nq, nu = system.nq, system.nu
    q, u, x = y[:nq], y[nq : nq + nu], y[nq + nu :]
    try:
        if system._core.has_features:  # slots are assigned again by contact detection
            run.reset(t, q, u, x)
        else:
            modes = data["element_mode"][before].tolist()
            run.resume(t, q, u, x, states.tolist(), modes, [])
        if "inputs" in data:  # inputs may have changed during the run
            run.inputs = data["inputs"][before]
        run.advance(t)
    except ValueError:
        return None
    found = run.trajectory()
    samples = found["t"].size
    if samples == 0 or not np.array_equal(run.contact_state, states):
        return None
    return {name: found[name].reshape(samples, -1)[-1] for name in _QUANTITIES}


def _between(
    data: Mapping[str, NDArray[Any]], before: int, after: int, t: float
) -> dict[str, Floats]:
    length = float(data["t"][after] - data["t"][before])
    s = (t - float(data["t"][before])) / length if length > 0.0 else 0.0
    return {name: (1.0 - s) * data[name][before] + s * data[name][after] for name in _QUANTITIES}

"""The start of a run and the times of its samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nsmb._core import simulation as _simulation
from nsmb.common.arguments import as_array, as_column, as_states
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System

__all__ = ["begin_at", "set_output", "start_state"]

_DEFAULT_SAMPLES = 1000
_GO_ON = (
    "finished",
    "stopped",
    "interrupted",
    "memory_limit",
)  # after any other status, the contact states at the end are not determined


def start_state(
    system: System,
    t: float | None,
    q: ArrayLike | None,
    u: ArrayLike | None,
    x: ArrayLike | None,
) -> State:
    """Return the initial state of `system`, with the given parts replaced."""
    initial = system.initial_state
    return State(
        initial.t if t is None else float(as_array("t_start", t, ())),
        initial.q if q is None else as_array("q", q, (system.nq,)),
        initial.u if u is None else as_array("u", u, (system.nu,)),
        initial.x if x is None else as_states("x", x, system._core.nx_own, system.nx),
    )


def begin_at(
    run: _simulation.Simulation,
    system: System,
    start: Solution | State,
    *others: ArrayLike | None,
) -> float:
    """Set `run` to a state or to the end of another run, and return the time there in s."""
    if any(other is not None for other in others):
        raise ValueError(
            "start: must be given without t_start, q, u and x, got both. Pass either start or "
            "these arguments."
        )
    if isinstance(start, State):
        t = float(as_array("start.t", start.t, ()))
        run.reset(
            t,
            as_array("start.q", start.q, (system.nq,)),
            as_array("start.u", start.u, (system.nu,)),
            as_states("start.x", start.x, system._core.nx_own, system.nx),
        )
        return t
    if not isinstance(start, Solution):
        raise ValueError(
            f"start: must be a nsmb.Solution or a nsmb.State, got {type(start).__name__}"
        )
    _check_fits(start, system)
    t = float(start.t[-1])
    slots = start._data.get("end_slots", np.zeros((0, 5))).tolist()
    if system._core.has_features and not slots:
        raise ValueError(
            "start: must be a run whose contact points at the end are stored, got a file without "
            "them. Pass t_start, q, u and x."
        )
    try:
        run.resume(
            t,
            start.q[-1],
            start.u[-1],
            start.x[-1],
            start.contact_state[-1].tolist(),
            start.element_mode[-1].tolist(),
            slots,
        )
    except ValueError as error:
        raise ValueError(
            f"start: {error}. If parameters have changed, the contact states may no longer fit. "
            "Pass t_start, q, u and x."
        ) from None
    run.inputs = start.inputs[-1]
    return t


def _check_fits(start: Solution, system: System) -> None:
    if start.status not in _GO_ON:
        raise ValueError(
            f"start: must be a run that can be continued, got status {start.status!r}. Pass "
            "t_start, q, u and x."
        )
    if start.t.size == 0:
        raise ValueError("start: must be a run with samples, got a run without samples")
    own, given = system.labels, start.labels
    for name in ("components", "contact_names", "element_names", "input_names"):
        if getattr(own, name) != getattr(given, name):
            raise ValueError(
                f"start: must be a run with {name.replace('_', ' ')} "
                f"{', '.join(getattr(own, name)) or 'none'}, got "
                f"{', '.join(getattr(given, name)) or 'none'}"
            )


def set_output(
    run: _simulation.Simulation,
    t_start: float,
    t_end: float,
    step: float | None,
    times: ArrayLike | None,
) -> None:
    """Take samples at multiples of `step`, by default a thousandth of the run, or at `times`."""
    if times is None:
        usual = (t_end - t_start) / _DEFAULT_SAMPLES
        run.set_output_step(usual if step is None else float(as_array("output_step", step, ())))
        return
    if step is not None:
        raise ValueError(
            "output_times: must be None when output_step is given. Leave out output_step or "
            "output_times."
        )
    given = as_column("output_times", times)
    outside = given[~((given >= t_start) & (given <= t_end))]
    if outside.size:
        raise ValueError(
            f"output_times: expected times from {t_start!r} to {t_end!r} s, got {outside[0]!r}"
        )
    run.set_output_times(given.tolist())

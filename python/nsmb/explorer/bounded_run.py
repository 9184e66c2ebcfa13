"""A run that ends at its limits, or when its result is no longer needed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from nsmb.simulation.ends import set_output
from nsmb.simulation.run_messages import balance_message, gain_message, unsolved_message
from nsmb.simulation.simulator import Simulator, run
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System
from nsmb.system.method import Method
from nsmb.system.options import EventDriven

__all__ = ["Superseded", "bounded_method", "bounded_run", "notes_of"]

_MOST_MEMORY = 1e8  # bytes, enough for some hundred thousand steps


class Superseded(Exception):
    """Raised when the result of a run is no longer needed."""


def bounded_method(method: Method, event_limit: int) -> Method:
    """Return the method with limits on events and memory."""
    limits: dict[str, Any] = {"max_memory": min(_MOST_MEMORY, method.max_memory)}
    if isinstance(method, EventDriven):
        limits["max_events"] = min(event_limit, method.max_events)
    return dataclasses.replace(method, **limits)


def bounded_run(
    system: System,
    start: State,
    t_end: float,
    method: Method,
    is_wanted: Callable[[], bool],
) -> Solution:
    """Simulate up to `t_end`, or until a limit is reached.

    Raises
    ------
    Superseded
        As soon as `is_wanted` returns False; it is called about twenty times per second.
    ValueError
        If the system does not admit the start or the time.
    """

    def look(_: float) -> None:
        if not is_wanted():
            raise Superseded

    simulator = Simulator(system, method, output_step=0.0)
    simulator.reset(start=start)
    if t_end <= simulator.t:
        raise ValueError(f"t_end: expected a time > {simulator.t:g} s, got {t_end:g}")
    set_output(simulator._core, simulator.t, t_end, None, None)
    run(simulator, t_end, one_event=False, monitor=look)
    return simulator.solution


def notes_of(solution: Solution, method: Method) -> str:
    """Return the warnings that `simulate` would raise."""
    messages = (gain_message, balance_message, unsolved_message)
    found = (message(solution, method) for message in messages)
    return "; ".join(note for note in found if note)

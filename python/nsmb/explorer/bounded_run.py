"""A run that ends: by its limits, or when nobody waits for it any more."""

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

_MOST_MEMORY = 1e8  # bytes: of some hundred thousand steps


class Superseded(Exception):
    """Nobody waits for the result any more."""


def bounded_method(method: Method, event_limit: int) -> Method:
    """The method with an end to events and steps."""
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
    """The motion up to `t_end`, or as far as it comes.

    Raises
    ------
    Superseded
        As soon as `is_wanted` says so; it is asked about twenty times a second.
    ValueError
        For a start or a time the system does not admit.
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
    """What `simulate` would warn of."""
    messages = (gain_message, balance_message, unsolved_message)
    found = (message(solution, method) for message in messages)
    return "; ".join(note for note in found if note)

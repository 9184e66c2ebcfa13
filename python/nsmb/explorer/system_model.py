"""The state of a page: values of the knobs of a system, the resulting run, and errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nsmb.common.arguments import unknown_name, whole
from nsmb.explorer.bounded_run import Superseded, bounded_method, bounded_run, notes_of
from nsmb.explorer.knobs import END, Knob, Range, knobs_of
from nsmb.explorer.listing import listing
from nsmb.simulation.choice import choose
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System, as_system
from nsmb.system.method import AnyMethod

__all__ = ["SystemModel"]

_USUAL_END = 1.0  # s, if neither the caller nor the system gives an end


class SystemModel:
    """A system with knobs and its last successful run; for parameters, see `nsmb.explore`."""

    def __init__(
        self,
        system: System,
        *,
        t_end: float | None = None,
        parameters: Sequence[str] | None = None,
        start: bool | Sequence[str] | None = None,
        ranges: Mapping[str, Range] | None = None,
        method: AnyMethod = "auto",
        event_limit: int = 5000,
    ) -> None:
        self.given = as_system("system", system)
        given_end = system.recommended.t_end if t_end is None else float(t_end)
        self._end = system.initial_state.t + _USUAL_END if given_end is None else given_end
        if not (math.isfinite(self._end) and self._end > system.initial_state.t):
            raise ValueError(
                f"t_end: expected a time > {system.initial_state.t:g} s, got {t_end!r}"
            )
        self._method = bounded_method(
            choose(system, method).method,
            whole("event_limit", event_limit, 1),
        )
        self._given_method = None if isinstance(method, str) else method
        wanted = not system.parameters if start is None else start
        self.knobs: dict[str, Knob] = knobs_of(
            system, self._end, parameters=parameters, start=wanted, ranges=ranges or {}
        )
        self.values: dict[str, float] = {name: k.value for name, k in self.knobs.items()}
        self.system = self.given
        self.solution: Solution | None = None
        self.message = ""
        self.is_current = False

    def set(self, changes: Mapping[str, Any]) -> None:
        """Set the values of some knobs, as text for knobs with choices, without a run.

        Raises
        ------
        ValueError
            If a name is not a knob, or a value is not a number.
        """
        checked = {}
        for name, value in changes.items():
            if name not in self.knobs:
                raise unknown_name("knob", name, list(self.knobs))
            checked[name] = _number(self.knobs[name], value)
        self.values.update(checked)

    def reset(self) -> None:
        """Set all knobs to their initial values."""
        self.values = {name: knob.value for name, knob in self.knobs.items()}

    def update(self, is_wanted: Callable[[], bool] = lambda: True) -> bool:
        """Simulate with the current values and return True on success.

        After a failure, `system` and `solution` remain those of the last successful run, and
        `message` gives the reason.

        Raises
        ------
        Superseded
            As soon as `is_wanted` returns False.
        """
        values = dict(self.values)
        self.is_current = False
        try:
            system, state = self._built(values)
            solution = bounded_run(system, state, values[END], self._method, is_wanted)
        except Superseded:
            raise
        except Exception as error:  # also errors of user functions are shown on the page
            self.message = f"{type(error).__name__}: {error}"
            return False
        if not solution.success:
            self.message = f"{solution.status}: {solution.message}"
            return False
        self.system, self.solution = system, solution
        self.message, self.is_current = notes_of(solution, self._method), True
        return True

    def script(self) -> str:
        """Return a program that reproduces the displayed run.

        Parameters and initial state are those of the knobs. Limits of the page are omitted.
        """
        solution = self.solution
        if solution is None:
            return f"# no run yet: {self.message}\n"
        start = self.system.initial_state
        state = State(float(solution.t[0]), solution.q[0], solution.u[0], solution.x[0])
        same = all(
            np.array_equal(getattr(state, name)[: getattr(start, name).size], getattr(start, name))
            for name in ("q", "u", "x")
        )
        return listing(
            self.given,
            self.system,
            None if same and state.t == start.t else state,
            float(solution.t_span[1]),
            self._given_method,
        )

    def _built(self, values: Mapping[str, float]) -> tuple[System, State]:
        """Return the system and its initial state for these values."""
        changes = {
            name: int(values[name]) if knob.kind != "number" else values[name]
            for name, knob in self.knobs.items()
            if knob.group == "parameter" and values[name] != knob.value
        }
        system = self.given.with_parameters(**changes) if changes else self.given
        if system.scene is None and self.given.scene is not None:
            system.scene = self.given.scene
        start = system.initial_state
        y = np.concatenate([start.q, start.u, start.x])
        for name, knob in self.knobs.items():
            if knob.group == "start" and values[name] != knob.value:
                y[system.labels.component(name.removeprefix("start "))] = values[name]
        q, u, x = np.split(y, [system.nq, system.nq + system.nu])
        return system, State(start.t, q, u, x)


def _number(knob: Knob, value: Any) -> float:
    if knob.choices and value in knob.choices:
        return float(knob.choices.index(value))
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{knob.name}: expected a number, got {value!r}")
    return number

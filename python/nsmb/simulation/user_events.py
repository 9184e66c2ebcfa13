"""Conversion of user-defined events into the form that the core accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import as_array, unknown_name
from nsmb.events.user_events import At, EventInstant, When, arguments_taken, names_of
from nsmb.system.base import System
from nsmb.system.callback_values import NoValue, call

__all__ = ["Pending", "core_events"]

Vector = NDArray[np.float64]

_DIRECTION = {"up": 1, "down": -1, "both": 0}
_CHANGES = ("u", "x", "modes", "inputs", "parameters", "stop")
# Values of nsmb::EffectResult in the core.
_UNKNOWN, _CHANGED, _STOP, _PAUSE = 0, 1, 2, 3


@dataclass(frozen=True)
class Pending:
    """Changes of inputs and parameters by an effect, for which the simulator pauses."""

    event: str
    inputs: Mapping[str, float]
    parameters: Mapping[str, float]
    stops: bool
    """True if the run ends at this event."""


def core_events(
    system: System, events: Sequence[When | At], pending: list[Pending]
) -> tuple[list[Any], tuple[str, ...]]:
    """Return the events in the form that the core accepts, and their names.

    `pending` receives the changes of inputs and parameters by their effects."""
    names = names_of(events)
    pairs = zip(events, names, strict=True)
    return [_core_event(system, event, name, pending) for event, name in pairs], names


def _core_event(
    system: System, event: When | At, name: str, pending: list[Pending]
) -> tuple[Any, ...]:
    effect = None
    if event.effect is not None:
        effect = _core_effect(system, event.effect, name, pending)
    if isinstance(event, When):
        direction = _DIRECTION[event.direction]
        function = _core_function(event.function, name)
        return name, function, direction, [], 0.0, 0.0, effect, event.terminal
    times = [] if event.every is not None else list(event.times)
    return name, None, 0, times, event.start, event.every or 0.0, effect, event.terminal


def _core_function(
    function: Callable[..., Any], name: str
) -> Callable[[float, Vector, Vector, Vector], float]:
    takes_x = arguments_taken("function", function) == 4
    what = f"function of event {name!r}"

    def value(t: float, q: Vector, u: Vector, x: Vector) -> float:
        result = call(what, function, t, q, u, x) if takes_x else call(what, function, t, q, u)
        try:
            number = float(result)
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number) or np.iscomplexobj(result):
            raise NoValue(f"{what}: expected a finite number, got {result!r}")
        return number

    return value


# The garbage collector cannot see the reference that the core holds to this function. The function
# must therefore not refer to the simulator.
def _core_effect(
    system: System,
    effect: Callable[[EventInstant], Any],
    name: str,
    pending: list[Pending],
) -> Callable[..., tuple[int, Vector, Vector, list[int]]]:
    label = f"effect of event {name!r}"
    coordinates, contacts = tuple(system.coordinates), tuple(system.contact_names)
    elements, state_names = tuple(system.elements), tuple(system.states)
    parameters = system.parameters
    by_name = coordinates if system.nu == system.nq else ()

    def act(
        t: float, q: Vector, u: Vector, x: Vector, states: list[int], modes: list[int]
    ) -> tuple[int, Vector, Vector, list[int]]:
        now = EventInstant(
            name=name,
            t=t,
            q=q,
            u=u.copy(),
            x=x.copy(),
            contact_state=np.array(states, np.int8),
            element_mode=np.array(modes, np.int8),
            coordinates=coordinates,
            contact_names=contacts,
            element_names=elements,
            states=state_names,
            parameters=parameters,
        )
        changes = effect(now)
        if changes is None:
            return _UNKNOWN, u, x, modes
        if not isinstance(changes, Mapping):
            raise ValueError(f"{label}: expected a mapping of changes or None, got {changes!r}")
        for key in changes:
            if key not in _CHANGES:
                raise unknown_name(f"{label}: change", key, _CHANGES)
        u = _changed(f"{label}: u", changes.get("u"), u, by_name)
        x = _changed(f"{label}: x", changes.get("x"), x, state_names)
        for element, acts in dict(changes.get("modes") or {}).items():
            if element not in elements:
                raise unknown_name(f"{label}: force element", element, elements)
            modes[elements.index(element)] = int(bool(acts))
        inputs, others = (dict(changes.get(key) or {}) for key in ("inputs", "parameters"))
        if inputs or others:
            pending.append(Pending(name, inputs, others, bool(changes.get("stop"))))
            return _PAUSE, u, x, modes
        return _STOP if changes.get("stop") else _CHANGED, u, x, modes

    return act


def _changed(name: str, given: Any, before: Vector, names: Sequence[str]) -> Vector:
    """Return `before` with all entries, or the named ones, replaced by the given values."""
    if given is None:
        return before
    if not isinstance(given, Mapping):
        return as_array(name, given, before.shape)
    after = before.copy()
    for key, value in given.items():
        if key not in names:
            raise unknown_name(name, key, names)
        after[list(names).index(key)] = float(as_array(f"{name}[{key!r}]", value, ()))
    return after

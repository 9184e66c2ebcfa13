"""User-defined events, at zero crossings of a function (`When`) or at given times (`At`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array

__all__ = ["At", "EventInstant", "When", "arguments_taken"]

Floats = NDArray[np.float64]

_DIRECTIONS = ("up", "down", "both")


@dataclass(frozen=True, eq=False)
class EventInstant:
    """The instant of a user-defined event, as passed to its effect.

    Contact states have not been recomputed yet. Arrays are copies.
    """

    name: str
    """Name of the event."""
    t: float
    """Time of the event, in s."""
    q: Floats
    """Coordinates, shape (nq,)."""
    u: Floats
    """Velocities, after the effects of earlier events at this instant, shape (nu,)."""
    x: Floats
    """Internal states, after the effects of earlier events at this instant, shape (nx,)."""
    contact_state: NDArray[np.int8]
    """Values of `nsmb.ContactState`, shape (nc,)."""
    element_mode: NDArray[np.int8]
    """Modes of the force elements, shape (ne,): 1 if active, otherwise 0."""
    coordinates: tuple[str, ...]
    contact_names: tuple[str, ...]
    element_names: tuple[str, ...]
    states: tuple[str, ...]
    """Names of the entries of `x`."""
    parameters: Mapping[str, float]
    """Parameters of the system."""


Effect = Callable[[EventInstant], Mapping[str, Any] | None]


class When:
    """An event at a zero crossing of a function of the motion.

    Crossings are located within every step in the same way as contact events, also if two of them
    are close together. The function is interpolated by polynomials of degree 8 on parts of the
    step, which are halved until the polynomials agree with the function. The event is then the
    zero of the function itself. It is accurate to rounding for motions in closed form, and to the
    tolerance of the integrator otherwise. Stepping methods search the parabola between both ends
    of a step, and end the step at the event.

    Zeros of smooth functions are not missed. In an otherwise smooth motion, a bump can be missed if
    it is narrower than the distance between about eleven points on a step. Reduce ``max_step`` in
    this case. A jump of the function across zero is an event, at an impact or elsewhere. A zero
    without a change of sign is not an event, nor is a zero at the start. Contact events at the same
    instant come first.

    Parameters
    ----------
    function : callable ``(t, q, u)`` or ``(t, q, u, x)`` -> float
        Function that crosses zero at the event. `x` are the internal states.
    direction : {"both", "up", "down"}
        Direction of the crossings: ``"up"`` is from negative to positive values.
    effect : callable ``(EventInstant) -> mapping or None``, optional
        Function that returns a mapping of changes at the event, or None for no changes. The mapping
        has the following keys, all of them optional. ``"u"``: velocities, shape (nu,), or a mapping
        from coordinates. ``"x"``: internal states, shape (nx,), or a mapping from their names.
        ``"modes"``: a mapping from force elements to True if they act, otherwise False.
        ``"inputs"`` and ``"parameters"``: mappings as for `Simulator.set` and
        `Simulator.set_parameters`. ``"stop"``: True to end the run.

        Functions of the system are always evaluated again afterwards, because the effect may have
        changed data that they use. Velocities that violate bilateral constraints are projected by
        constraint impulses to the nearest ones in the metric of kinetic energy. Contact states are
        then recomputed, and closed contacts that now approach have an impact. Without an effect,
        the event is a row of `Solution.events` and changes nothing.
    name : str
        Name in tables; default ``event_1``, ``event_2``, ... by position in the list.
    terminal : bool
        End the run at the event, with status ``"stopped"``.

    Examples
    --------
    A ball is kicked at the top of every flight, so that it falls with 1 m/s:

    >>> import nsmb
    >>> top = nsmb.When(lambda t, q, u: u[0], "down", effect=lambda now: {"u": [-1.0]}, name="top")
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.2, events=[top])
    >>> [(event.kind.label, event.name) for event in sol.events[:3]]
    [('impact', ''), ('user', 'top'), ('impact', '')]
    """

    def __init__(
        self,
        function: Callable[..., float],
        direction: Literal["both", "up", "down"] = "both",
        effect: Effect | None = None,
        name: str = "",
        *,
        terminal: bool = False,
    ) -> None:
        arguments_taken("function", function)
        if direction not in _DIRECTIONS:
            raise ValueError(
                f"direction: expected one of {', '.join(_DIRECTIONS)}, got {direction!r}"
            )
        self.function = function
        self.direction = direction
        self.effect = _checked_effect(effect)
        self.name = _checked_name(name)
        self.terminal = bool(terminal)

    def __repr__(self) -> str:
        return f"When({self.name or self.function!r}, {self.direction!r})"


class At:
    """An event at given times, each of which is met exactly.

    Times at the start and at the end of the run are included. A controller that samples every
    millisecond is ``At(every=1e-3, effect=...)``. Its times ``start + k every`` are computed by
    multiplication and do not drift.

    Parameters
    ----------
    times : float or array_like, optional
        Times of the event, s.
    effect, name, terminal
        As for `When`.
    every : float, optional
        Period of the event, s, in place of `times`.
    start : float
        Time of the first periodic event, s.

    Examples
    --------
    >>> import nsmb
    >>> ticks = nsmb.At(every=0.25, name="tick")
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, events=[ticks])
    >>> sol.events.named("tick").t.tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """

    def __init__(
        self,
        times: ArrayLike | None = None,
        effect: Effect | None = None,
        name: str = "",
        *,
        every: float | None = None,
        start: float = 0.0,
        terminal: bool = False,
    ) -> None:
        if (times is None) == (every is None):
            given = "neither" if times is None else "both"
            raise ValueError(f"times: expected times or every=..., got {given}")
        flat = np.atleast_1d(np.asarray([] if times is None else times, dtype=float))
        self.times = tuple(sorted(set(as_array("times", flat, flat.shape).ravel().tolist())))
        self.every = None if every is None else float(as_array("every", every, ()))
        if self.every is not None and not self.every > 0.0:
            raise ValueError(f"every: expected a number > 0, got {self.every}")
        self.start = float(as_array("start", start, ()))
        self.effect = _checked_effect(effect)
        self.name = _checked_name(name)
        self.terminal = bool(terminal)

    def __repr__(self) -> str:
        when = f"every={self.every}" if self.every is not None else f"{len(self.times)} times"
        return f"At({when}{', ' if self.name else ''}{self.name})"


def arguments_taken(name: str, function: object) -> int:
    """Return 3 for a function of (t, q, u), and 4 for a function of (t, q, u, x).

    Raises
    ------
    ValueError
        If `function` accepts neither set of arguments.
    """
    if not callable(function):
        raise ValueError(
            f"{name}: expected a function of (t, q, u) or (t, q, u, x), got {function!r}"
        )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions have no signature
        return 4
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    # Arguments with default values are not passed.
    for count in (4, 3) if inspect.Parameter.VAR_POSITIONAL in kinds else (3, 4):
        try:
            signature.bind(*range(count))
        except TypeError:
            continue
        return count
    label = getattr(function, "__name__", repr(function))
    raise ValueError(
        f"{name}: expected a function of (t, q, u) or (t, q, u, x), got {label}{signature}"
    )


def _checked_effect(effect: Effect | None) -> Effect | None:
    if effect is not None and not callable(effect):
        raise ValueError(f"effect: expected a function of an EventInstant or None, got {effect!r}")
    return effect


def _checked_name(name: str) -> str:
    if not isinstance(name, str):
        raise ValueError(f"name: expected a text, got {name!r}")
    return name


def names_of(events: Sequence[When | At]) -> tuple[str, ...]:
    """Return the names of the events; events without a name are numbered.

    Raises
    ------
    ValueError
        If `events` contains other objects, or a name occurs twice.
    """
    if isinstance(events, When | At) or not isinstance(events, Sequence):
        raise ValueError(f"events: expected a list of nsmb.When and nsmb.At, got {events!r}")
    for event in events:
        if not isinstance(event, When | At):
            raise ValueError(
                f"events: expected a list of nsmb.When and nsmb.At, got {event!r} in it"
            )
    names = tuple(event.name or f"event_{k + 1}" for k, event in enumerate(events))
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"events: must have distinct names, got {name!r} twice")
    return names

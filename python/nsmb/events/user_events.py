"""Events a user asks for: where a function crosses zero (`When`), or at given times (`At`)."""

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
    """The instant of a user event, as its effect is given it: before the contacts are decided.

    Arrays are copies.
    """

    name: str
    """Of the event."""
    t: float
    """s"""
    q: Floats
    """Coordinates, shape (nq,)."""
    u: Floats
    """(nu,) velocities, behind the effects of events of this instant that come before."""
    x: Floats
    """Internal states, likewise, shape (nx,)."""
    contact_state: NDArray[np.int8]
    """(nc,) values of `nsmb.ContactState`."""
    element_mode: NDArray[np.int8]
    """(ne,) 1 for force elements that act, else 0."""
    coordinates: tuple[str, ...]
    contact_names: tuple[str, ...]
    element_names: tuple[str, ...]
    states: tuple[str, ...]
    """Names of the entries of `x`."""
    parameters: Mapping[str, float]
    """Of the system."""


Effect = Callable[[EventInstant], Mapping[str, Any] | None]


class When:
    """An event where a function of the motion crosses zero.

    It is found on every step as contact events are: between the ends of a step, too, and where two
    crossings follow each other closely. Methods in steps end a step there, and look for it on the
    parabola between both ends. The function is looked at through polynomials of degree 8
    on pieces of the step, which are halved until they agree with it; the zero is then that of the
    function itself, to rounding in closed form, and to the tolerance of the integrator else. What
    is smooth is not missed; a bump narrower than the distance of some eleven points on a step of
    an otherwise smooth motion can be (``max_step`` is the remedy). A function that jumps over
    zero, at an impact or by itself, has its event there. One that touches zero and turns back has
    none, and zero at the start is no crossing. Where contacts change at the same instant, they
    come first.

    Parameters
    ----------
    function : callable ``(t, q, u)`` or ``(t, q, u, x)`` -> float
        Crosses zero at the event. `x` are the internal states.
    direction : {"both", "up", "down"}
        Which crossings count: from negative to positive values, or the other way.
    effect : callable ``(EventInstant) -> mapping or None``, optional
        What happens then. It returns what changes: ``"u"`` the velocities, (nu,) or a mapping from
        coordinates; ``"x"`` the internal states, (nx,) or a mapping from their names; ``"modes"`` a
        mapping from force elements to whether they act; ``"inputs"`` and ``"parameters"`` mappings
        as for `Simulator.set` and `Simulator.set_parameters`; ``"stop": True`` ends the run. None:
        nothing of these; functions of the system that look at something the effect has changed
        are asked anew in any case. Velocities off bilateral constraints are held by the impulses of
        these: the nearest ones in the metric of kinetic energy. Contacts are decided behind it:
        closed ones that now approach have an impact. Without effect the event is a row of
        `Solution.events` and changes nothing.
    name : str
        In tables; default ``event_1``, ``event_2``, ... by place in the list.
    terminal : bool
        The run ends there, with status ``"stopped"``.

    Examples
    --------
    A ball that is kicked at the top of every flight, so that it falls with 1 m/s:

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

    Times at the start of the run and at its end belong to it. A controller that samples every
    millisecond is ``At(every=1e-3, effect=...)``: times are ``start + k every``, by multiplication,
    without drift.

    Parameters
    ----------
    times : float or array_like, optional
        s.
    effect, name, terminal
        As for `When`.
    every : float, optional
        s; instead of `times`: the period.
    start : float
        s, the first time of those with a period.

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
    """3 for functions of (t, q, u), 4 for those of (t, q, u, x).

    Raises
    ------
    ValueError
        For what cannot be called with either.
    """
    if not callable(function):
        raise ValueError(
            f"{name}: expected a function of (t, q, u) or (t, q, u, x), got {function!r}"
        )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # builtins that do not say
        return 4
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    # What has a default is not asked for.
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
    """Their names; those without one are numbered.

    Raises
    ------
    ValueError
        For what is no event, and for a name that is there twice.
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
            raise ValueError(f"events: expected names that differ, got {name!r} twice")
    return names

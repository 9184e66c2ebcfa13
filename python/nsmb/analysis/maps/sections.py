"""Poincaré sections: the times or states at which a motion is observed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import as_number, check_signature, unknown_name
from nsmb.events.enums import EventKind
from nsmb.system.base import System

__all__ = [
    "EventSection",
    "Section",
    "StroboscopicSection",
    "SurfaceSection",
    "crossing",
    "every",
    "on_event",
]

Vector = NDArray[np.float64]
Period = float | Callable[[Mapping[str, float]], float]
Function = Callable[[float, Vector, Vector], float]


class Section(ABC):
    """A Poincaré section, created by :func:`on_event`, :func:`every` or :func:`crossing`."""

    @abstractmethod
    def describe(self) -> str:
        """Return a short description for titles and messages."""

    @abstractmethod
    def check(self, system: System) -> None:
        """Check that `system` has what the section requires.

        Raises
        ------
        ValueError
            If it does not; the message gives a remedy.
        """


@dataclass(frozen=True)
class EventSection(Section):
    """The events of one kind; see :func:`on_event`."""

    kind: EventKind | None
    """Kind of the events; None: any kind."""
    contact: str | None = None
    """Name of a contact that takes part; None: any contact."""

    def __post_init__(self) -> None:
        kind: object = self.kind  # may be a label
        if kind is None or isinstance(kind, EventKind):
            return
        kinds, label = {known.label: known for known in EventKind}, str(kind)
        if label not in kinds:
            raise unknown_name("section: kind", label, list(kinds))
        object.__setattr__(self, "kind", kinds[label])

    def describe(self) -> str:
        kind = "event" if self.kind is None else self.kind.label
        return kind if self.contact is None else f"{kind} {self.contact}"

    def check(self, system: System) -> None:
        if self.contact is not None:
            if self.contact not in system.contact_names:
                raise unknown_name("section: contact", self.contact, system.contact_names)
            index = system.contact_names.index(self.contact)
            jumps = self.kind in (EventKind.IMPACT, EventKind.TOUCH, EventKind.DETACH)
            if jumps and not system.contacts[index].is_unilateral:
                raise ValueError(
                    f"section: expected a contact that opens and closes, got {self.contact!r}, "
                    "which is friction alone; use the kinds stick, slip or reversal"
                )
        elif self.kind == EventKind.SWITCH:
            if system.ne == 0:
                raise ValueError(
                    f"section: expected a system with force elements for 'switch', got "
                    f"{system.name!r}, which has none"
                )
        elif system.nc == 0 and (self.kind is not None or system.ne == 0):
            raise ValueError(
                f"section: expected a system with contacts, got {system.name!r}, which has none; "
                "use every(...) or crossing(...)"
            )


@dataclass(frozen=True)
class StroboscopicSection(Section):
    """Equally spaced times; see :func:`every`."""

    period: Period | None
    """Period in s, or a function of the system's parameters; None: the period of the system."""
    phase: float = 0.0
    """Fraction of the period, in [0, 1)."""

    def __post_init__(self) -> None:
        if self.period is not None and not callable(self.period):
            object.__setattr__(self, "period", _positive("period", self.period))
        fraction = as_number("phase", self.phase)
        if not 0.0 <= fraction < 1.0:
            raise ValueError(
                f"phase: expected a fraction of the period in [0, 1), got {self.phase!r}"
            )
        object.__setattr__(self, "phase", fraction)

    def describe(self) -> str:
        if self.period is None:
            text = "every period"
        elif callable(self.period):
            text = f"every {getattr(self.period, '__name__', 'period')}(parameters)"
        else:
            text = f"every {self.period:.6g} s"
        return text if self.phase == 0.0 else f"{text} at phase {self.phase:.4g}"

    def check(self, system: System) -> None:
        self.period_of(system)

    def period_of(self, system: System) -> float:
        """Return the interval between the times for `system`, in s.

        Raises
        ------
        ValueError
            If no period is given and the system has none, or if the period is not a number > 0.
        """
        if self.period is None:
            own = system.period
            if own is None:
                raise ValueError(
                    f"section: expected a system that is periodic in time for every(), got "
                    f"{system.name!r}, which has no known period; give every(period) or use "
                    "on_event(...) or crossing(...)"
                )
            return float(own)
        value = self.period(system.parameters) if callable(self.period) else self.period
        return _positive("period", value)


@dataclass(frozen=True)
class SurfaceSection(Section):
    """A surface in the state space; see :func:`crossing`."""

    what: str | Function
    """Name of a component of the state, or a function of (t, q, u)."""
    value: float = 0.0
    """Value at the crossing."""
    direction: int = +1
    """+1: upward, -1: downward, 0: both."""

    def __post_init__(self) -> None:
        if not isinstance(self.what, str):
            if not callable(self.what):
                raise ValueError(
                    f"what: expected a name or a function of (t, q, u), got {self.what!r}; names "
                    "are coordinates, velocities as 'phi_dot', and internal states"
                )
            check_signature("what", self.what, "t, q, u")
        level = as_number("value", self.value)
        if not math.isfinite(level):
            raise ValueError(f"value: expected a finite number, got {self.value!r}")
        if self.direction not in (-1, 0, +1):
            raise ValueError(f"direction: expected +1, -1 or 0, got {self.direction!r}")
        object.__setattr__(self, "value", level)
        object.__setattr__(self, "direction", int(self.direction))

    def describe(self) -> str:
        name = (
            self.what if isinstance(self.what, str) else getattr(self.what, "__name__", "function")
        )
        sign = {+1: " upward", -1: " downward", 0: ""}[self.direction]
        return f"{name} = {self.value:.6g}{sign}"

    def check(self, system: System) -> None:
        if isinstance(self.what, str):
            system.labels.component(self.what)


def on_event(kind: str | EventKind | None = None, contact: str | None = None) -> Section:
    """Return the section of all events of one kind, such as the impacts of a contact.

    Parameters
    ----------
    kind : {"impact", "touch", "detach", "stick", "slip", "reversal", "switch"} or EventKind
        Kind of the events. None: every event.
    contact : str, optional
        Only events in which this contact takes part.

    Returns
    -------
    Section
        A section for `PoincareMap` and all functions with an argument `section`, which check the
        names against their system.

    Raises
    ------
    ValueError
        If the kind is unknown.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import analysis
    >>> map = analysis.PoincareMap(nsmb.systems.woodpecker(), analysis.on_event("impact", "beak"))
    >>> len(map.iterate(3))
    3
    """
    return EventSection(kind, contact)  # type: ignore[arg-type]


def every(period: Period | None = None, phase: float = 0.0) -> Section:
    """Return the stroboscopic section t = (k + phase) period.

    Parameters
    ----------
    period : float or callable, optional
        Period in s, or a function of the parameters of the system, so that the section follows a
        parameter that is varied. Default: ``system.period``.
    phase : float
        Fraction of the period, in [0, 1).

    Returns
    -------
    Section

    Raises
    ------
    ValueError
        If the period is not > 0, or if the phase is outside [0, 1).

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import analysis
    >>> driven = nsmb.systems.impact_oscillator(omega=2.0)
    >>> analysis.PoincareMap(driven, analysis.every()).iterate(3).t.round(6)
    array([3.141593, 6.283185, 9.424778])
    """
    return StroboscopicSection(period, phase)


def crossing(what: str | Function, value: float = 0.0, direction: int = +1) -> Section:
    """Return the section where a component of the state passes a value.

    Parameters
    ----------
    what : str or callable
        A coordinate ``"phi"``, a velocity ``"phi_dot"``, an internal state, or a function of
        (t, q, u).
    value : float
        The value that is passed.
    direction : {+1, -1, 0}
        Upward only, downward only, or both. A jump across the value at an impact counts too.

    Returns
    -------
    Section

    Raises
    ------
    ValueError
        If the direction is not one of these, or if the value is not finite.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import analysis
    >>> top = analysis.crossing("y_dot", direction=-1)  # a ball at the top of its flight
    >>> points = analysis.PoincareMap(nsmb.systems.bouncing_ball(e_N=1.0), top).iterate(2)
    >>> points["y_dot"].round(9) + 0.0
    array([0., 0.])
    """
    return SurfaceSection(what, value, direction)


def _positive(name: str, value: object) -> float:
    number = as_number(name, value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name}: expected a number > 0 in s, got {value!r}")
    return number

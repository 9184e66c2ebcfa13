"""The choice of the method for a run: the given one, or one that suits the system."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from nsmb.system.base import System, SystemLike, as_system
from nsmb.system.method import AnyMethod, EventsRefused, Method, as_method
from nsmb.system.options import EventDriven
from nsmb.system.stepping_options import Hybrid, Midpoint

__all__ = ["Choice", "choose"]

_USUAL = EventDriven()  # never modified; created once, because checking its options takes time


@dataclass(frozen=True)
class Choice:
    """A method, the reason for its choice, and the system in the form that the method requires."""

    method: Method
    reason: str
    """The reason, as a sentence."""
    system: System


def choose(system: SystemLike, method: AnyMethod, rtol: float | None = None) -> Choice:
    """Return the method for a run of `system`.

    ``"auto"`` selects ``system.recommended.method`` if the system has one, otherwise
    :class:`nsmb.EventDriven`. For models whose events cannot be located, it selects
    :class:`nsmb.Midpoint` with a step that depends on the size of the shapes.

    Parameters
    ----------
    system : System
    method : method or "auto"
    rtol : float, optional
        Relative tolerance of the selected method, in place of its own.

    Raises
    ------
    TypeError, ValueError
        If `method` is not a method. If `rtol` is given together with a method, or for a method
        without this option.
    """
    system = as_system("system", system)
    if not (isinstance(method, str) and method == "auto"):
        given = as_method("method", method)
        if rtol is not None:
            raise ValueError(
                f"`rtol`: must be left out where a method is given, got {rtol!r}. Put it into the "
                "method."
            )
        return _prepared(system, given, "The caller gave it.")
    usual = system.recommended.method
    if usual is not None:
        return _prepared(system, _with_rtol(usual, rtol), "The system recommends it.")
    try:
        own = _with_rtol(_USUAL, rtol)
        reason = "The system recommends none, and its events can be located."
        return _prepared(system, own, reason)
    except EventsRefused as refusal:
        step, rule = system._usual_step()
        reason = (
            f"nsmb.EventDriven cannot run this model because of {refusal.got}, and the step is "
            f"{rule}."
        )
        return _prepared(system, _with_rtol(Midpoint(step), rtol), reason)


def _prepared(system: System, method: Method, reason: str) -> Choice:
    by_events = isinstance(method, EventDriven)
    return Choice(method, reason, system._for_events() if by_events else system._for_steps())


def _with_rtol(method: Method, rtol: float | None) -> Method:
    if rtol is None:
        return method
    if not isinstance(method, EventDriven | Hybrid):
        raise ValueError(
            f"`rtol`: must be left out for a run in steps, got {rtol!r}. Pass "
            "method=nsmb.EventDriven(rtol=...), or leave it out."
        )
    return dataclasses.replace(method, rtol=rtol)

"""The method of a run: the one given, or the one that suits the system."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from nsmb.system.base import System, SystemLike, as_system
from nsmb.system.method import AnyMethod, EventsRefused, Method, as_method
from nsmb.system.options import EventDriven
from nsmb.system.stepping_options import Hybrid, Midpoint

__all__ = ["Choice", "choose"]

_USUAL = EventDriven()  # never changed; made once, for its options are checked at length


@dataclass(frozen=True)
class Choice:
    """A method, the reason for it, and the system as the method needs it."""

    method: Method
    reason: str
    """A sentence."""
    system: System


def choose(system: SystemLike, method: AnyMethod, rtol: float | None = None) -> Choice:
    """Return the method for a run of `system`.

    ``"auto"`` takes ``system.recommended.method``; without one :class:`nsmb.EventDriven`; and
    :class:`nsmb.Midpoint` for models whose events cannot be located, with steps that follow from
    the sizes of their shapes.

    Parameters
    ----------
    system : System
    method : method or "auto"
    rtol : float, optional
        Other tolerance of the method that is chosen.

    Raises
    ------
    TypeError, ValueError
        For what is no method; for `rtol` where the method has none, or is given itself.
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

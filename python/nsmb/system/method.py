"""Types of methods, and their validation."""

from __future__ import annotations

from typing import Any, Literal

from nsmb.common.arguments import nearest
from nsmb.system.method_options import METHODS, MethodOptions
from nsmb.system.options import INTEGRATORS, EventDriven
from nsmb.system.stepping_options import Hybrid, Midpoint, PositionForces, VelocityForces

__all__ = ["AnyMethod", "EventsRefused", "Method", "as_method"]

Method = EventDriven | Midpoint | Hybrid | PositionForces | VelocityForces
AnyMethod = Method | Literal["auto"]

_WORDS = {
    "events": "EventDriven()", "steps": "Midpoint(1e-3)", "timestepping": "Midpoint(1e-3)",
    "moreaujean": "Midpoint(1e-3)",
}  # fmt: skip
"""Words that a user may try, and the methods that they mean."""


def as_method(name: str, value: Any) -> Method:
    """Return `value` if it is a method.

    Raises
    ------
    TypeError
        If `value` is a class of methods, or another object.
    ValueError
        If `value` is a string. The message suggests the method that it probably means.
    """
    if isinstance(value, Method):
        return value
    wanted = f"`{name}`: must be a method such as nsmb.EventDriven() or nsmb.Midpoint(1e-3), got"
    if isinstance(value, type) and issubclass(value, MethodOptions):
        raise TypeError(
            f"{wanted} the class nsmb.{value.__name__}. Write {_example(value.__name__)}."
        )
    if isinstance(value, str):
        raise ValueError(f"{wanted} {value!r}. Write {_meaning(value)}.")
    raise TypeError(f"{wanted} {value!r}. Leave it out, or choose a method.")


def _example(name: str) -> str:
    """Return an example call that creates a method of this class."""
    return f"nsmb.{name}({'' if name == 'EventDriven' else '1e-3'})"


def _meaning(word: str) -> str:
    """Return the code of the method that `word` probably means."""
    plain = word.lower().replace("_", "").replace("-", "").replace(" ", "")
    if word in INTEGRATORS and word != "auto":
        return f"nsmb.EventDriven(integrator={word!r})"
    for end, name in (("position", "PositionForces"), ("velocity", "VelocityForces")):
        if plain.removesuffix(end) in ("euler", "rk4", "radau"):
            return f"nsmb.{name}(1e-3, integrator={plain.removesuffix(end)!r})"
    names = {other.lower(): _example(other) for other in METHODS}
    names |= {other: f"nsmb.{call}" for other, call in _WORDS.items()} | {"auto": "'auto'"}
    close = nearest(plain, list(names))
    return names[close.split("'")[1]] if close else "'auto'"


class EventsRefused(ValueError):
    """An error for a model that can be simulated by time stepping but not by events.

    Parameters
    ----------
    where : str
        Description of such models: ``where ...``, ``for ...``.
    got : str
        Reason in this model.
    remedy : str
        Alternative to time stepping: ``or ...``.
    """

    def __init__(self, where: str, got: str, remedy: str) -> None:
        self.got = got
        super().__init__(
            f"`method`: must be nsmb.Midpoint(step) {where}, got nsmb.EventDriven for {got}. "
            f"Choose nsmb.Midpoint, {remedy}."
        )

"""How a system is run unless told otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nsmb.common.arguments import as_number
from nsmb.system.method import Method, as_method
from nsmb.system.options import EventDriven

__all__ = ["Recommended"]


@dataclass(frozen=True, eq=False, repr=False)
class Recommended:
    """How a system is run unless told otherwise: ``System.recommended``.

    Examples
    --------
    The drill's source has no friction in impacts; the same law with another tolerance:

    >>> import dataclasses, nsmb
    >>> drill = nsmb.systems.percussion_drill()
    >>> drill.recommended
    Recommended(EventDriven(impact_law='newton'), t_end=2.0)
    >>> method = dataclasses.replace(drill.recommended.method, rtol=1e-10)
    >>> method.impact_law
    'newton'
    """

    method: Method | None = None
    """Taken by ``method="auto"``; None: the system has no method of its own."""
    t_end: float | None = None
    """End of the run where none is given, s; None: the system has no usual length of a run."""

    def __post_init__(self) -> None:
        if self.method is not None:
            as_method("method", self.method)
        if self.t_end is not None:
            object.__setattr__(self, "t_end", as_number("t_end", self.t_end))

    @property
    def options(self) -> dict[str, Any]:
        """Options of `method` that are not the usual ones of its kind; `step` always."""
        return {} if self.method is None else self.method.changed

    def event_driven(self, what: str) -> EventDriven:
        """`method`, or the usual one, for something that needs events at their times.

        Parameters
        ----------
        what : str
            Whose argument `method` is, for the message.

        Raises
        ------
        ValueError
            Where the system is run in steps.
        """
        if self.method is None:
            return EventDriven()
        if not isinstance(self.method, EventDriven):
            raise ValueError(
                f"`method`: must be nsmb.EventDriven for {what}, got nsmb.{self.method}, which "
                "the system recommends. Pass method=nsmb.EventDriven()."
            )
        return self.method

    def __repr__(self) -> str:
        said = [] if self.method is None else [repr(self.method)]
        said += [] if self.t_end is None else [f"t_end={self.t_end!r}"]
        return f"Recommended({', '.join(said)})"

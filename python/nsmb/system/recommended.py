"""Default method and end time for runs of a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nsmb.common.arguments import as_number
from nsmb.system.method import Method, as_method
from nsmb.system.options import EventDriven

__all__ = ["Recommended"]


@dataclass(frozen=True, eq=False, repr=False)
class Recommended:
    """The default method and end time for runs of a system, ``System.recommended``.

    Examples
    --------
    The source of the drill has no friction in impacts. Keep its impact law with another tolerance:

    >>> import dataclasses, nsmb
    >>> drill = nsmb.systems.percussion_drill()
    >>> drill.recommended
    Recommended(EventDriven(impact_law='newton'), t_end=2.0)
    >>> method = dataclasses.replace(drill.recommended.method, rtol=1e-10)
    >>> method.impact_law
    'newton'
    """

    method: Method | None = None
    """Method that ``method="auto"`` selects; None if the system recommends none."""
    t_end: float | None = None
    """Default end of a run, s; None if there is no default."""

    def __post_init__(self) -> None:
        if self.method is not None:
            as_method("method", self.method)
        if self.t_end is not None:
            object.__setattr__(self, "t_end", as_number("t_end", self.t_end))

    @property
    def options(self) -> dict[str, Any]:
        """Options of `method` whose values differ from the defaults; `step` is always included."""
        return {} if self.method is None else self.method.changed

    def event_driven(self, what: str) -> EventDriven:
        """Return `method`, or the default method, for a computation that requires located events.

        Parameters
        ----------
        what : str
            Name of the computation, for the message.

        Raises
        ------
        ValueError
            If `method` is a time-stepping method.
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

"""How a system is run unless told otherwise."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsmb.common.arguments import as_number
from nsmb.system.options import EventDriven
from nsmb.system.stepping_options import Method, TimeStepping

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
    Recommended(impact_law='newton', t_end=2.0)
    >>> method = dataclasses.replace(drill.recommended.method, rtol=1e-10)
    >>> method.impact_law
    'newton'
    """

    method: Method = dataclasses.field(default_factory=EventDriven)
    """Taken where no `method` is given."""
    t_end: float | None = None
    """End of the run where none is given, s; None: the system has no usual length of a run."""

    def __post_init__(self) -> None:
        if not isinstance(self.method, Method):
            raise ValueError(
                "method: expected nsmb.EventDriven(...) or nsmb.TimeStepping(...), got "
                f"{self.method!r}"
            )
        if self.t_end is not None:
            object.__setattr__(self, "t_end", as_number("t_end", self.t_end))

    @property
    def options(self) -> dict[str, Any]:
        """Options of `method` that are not the usual ones of its kind; `step` always."""
        fields = dataclasses.fields(self.method)
        options = {f.name: getattr(self.method, f.name) for f in fields}
        return {
            f.name: options[f.name]
            for f in fields
            if isinstance(options[f.name], np.ndarray) or options[f.name] != f.default
        }

    def event_driven(self, what: str) -> EventDriven:
        """`method`, for something that needs events at their times.

        Parameters
        ----------
        what : str
            Whose argument `method` is, for the message.

        Raises
        ------
        ValueError
            Where the system is run in steps.
        """
        if isinstance(self.method, TimeStepping):
            raise ValueError(
                f"method: expected nsmb.EventDriven(...) for {what}, and what the system "
                "recommends is nsmb.TimeStepping(...)"
            )
        return self.method

    def __repr__(self) -> str:
        said = [f"{name}={value!r}" for name, value in self.options.items()]
        if isinstance(self.method, TimeStepping):
            said = [f"TimeStepping({', '.join(said)})"]
        said += [] if self.t_end is None else [f"t_end={self.t_end!r}"]
        return f"Recommended({', '.join(said)})"

"""Times at which the equations of motion jump or bend, and at which integration restarts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nsmb._core import system as _system
from nsmb.common.arguments import as_array

__all__ = ["Discontinuity", "Repeating", "as_discontinuities", "core_discontinuities"]


@dataclass(frozen=True)
class Repeating:
    """The times ``first + k period`` for all integers k, including negative ones.

    Raises
    ------
    ValueError
        If the period is not positive.

    Examples
    --------
    >>> import nsmb
    >>> every = nsmb.Repeating(first=0.0, period=0.5)
    >>> on_off = lambda t: [1.0 if t % 1.0 < 0.5 else 0.0]
    >>> system = nsmb.LinearSystem([[1.0]], force=on_off, discontinuities=[every])
    >>> round(float(nsmb.simulate(system, 2.0).u[-1, 0]), 9)
    1.0
    """

    first: float
    """Time for k = 0, in s."""
    period: float
    """Period > 0, in s."""

    def __post_init__(self) -> None:
        for name in ("first", "period"):
            object.__setattr__(self, name, float(as_array(name, getattr(self, name), ())))
        if not self.period > 0.0:
            raise ValueError(f"period: expected a number > 0, got {self.period}")


Discontinuity = float | Repeating
"""A time in s, or periodic times."""


def as_discontinuities(name: str, given: Sequence[Discontinuity]) -> tuple[Discontinuity, ...]:
    """Check a list of times and `Repeating`, and return it as a tuple."""
    if isinstance(given, Repeating | str) or np.ndim(given) == 0:  # type: ignore[arg-type]
        raise ValueError(f"{name}: expected a list of times and nsmb.Repeating, got {given!r}")
    return tuple(
        entry if isinstance(entry, Repeating) else float(as_array(f"{name}[{i}]", entry, ()))
        for i, entry in enumerate(given)
    )


def core_discontinuities(given: Sequence[Discontinuity]) -> _system.Discontinuities:
    """Return discontinuities in the form that the core accepts."""
    times = [entry for entry in given if not isinstance(entry, Repeating)]
    repeating = [(e.first, e.period) for e in given if isinstance(e, Repeating)]
    return _system.Discontinuities(times, repeating)

"""Times at which equations jump or bend: motion stops there and goes on behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nsmb._core import system as _system
from nsmb.common.arguments import as_array

__all__ = ["Discontinuity", "Repeating", "as_discontinuities", "core_discontinuities"]


@dataclass(frozen=True)
class Repeating:
    """Times ``first + k period`` for all whole numbers k, negative ones included.

    Raises
    ------
    ValueError
        For a period that is not positive.

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
    """s"""
    period: float
    """s, > 0"""

    def __post_init__(self) -> None:
        for name in ("first", "period"):
            object.__setattr__(self, name, float(as_array(name, getattr(self, name), ())))
        if not self.period > 0.0:
            raise ValueError(f"period: expected a number > 0, got {self.period}")


Discontinuity = float | Repeating
"""A time in s, or times that repeat."""


def as_discontinuities(name: str, given: Sequence[Discontinuity]) -> tuple[Discontinuity, ...]:
    """Times and `Repeating`, checked."""
    if isinstance(given, Repeating | str) or np.ndim(given) == 0:  # type: ignore[arg-type]
        raise ValueError(f"{name}: expected a list of times and nsmb.Repeating, got {given!r}")
    return tuple(
        entry if isinstance(entry, Repeating) else float(as_array(f"{name}[{i}]", entry, ()))
        for i, entry in enumerate(given)
    )


def core_discontinuities(given: Sequence[Discontinuity]) -> _system.Discontinuities:
    """The same for the core, the single times first."""
    times = [entry for entry in given if not isinstance(entry, Repeating)]
    repeating = [(e.first, e.period) for e in given if isinstance(e, Repeating)]
    return _system.Discontinuities(times, repeating)

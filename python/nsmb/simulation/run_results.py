"""Exceptions that carry the partial solution of a run, and the energies at one instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nsmb.solution.solution import Solution

__all__ = ["Energy", "SimulationError", "SimulationInterrupted"]


class SimulationError(RuntimeError):
    """An error of a run that could not reach its end; `solution` holds the partial result."""

    def __init__(self, message: str, solution: Solution) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.solution)


class SimulationInterrupted(KeyboardInterrupt):
    """An interruption of a run by Ctrl-C; `solution` holds the partial result."""

    def __init__(self, message: str, solution: Solution) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.solution)


@dataclass(frozen=True)
class Energy:
    """The energies of a system at one time, in J."""

    kinetic: float
    potential: float
    """The potential energy; NaN if the system does not define one."""
    elements: float
    """The energy stored in the springs of force elements with switching."""

    @property
    def total(self) -> float:
        """The sum of all three parts, T + V + elements."""
        return self.kinetic + self.potential + self.elements

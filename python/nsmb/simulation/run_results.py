"""What a run tells besides its solution: errors that carry it, and energies of one instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nsmb.solution.solution import Solution

__all__ = ["Energy", "SimulationError", "SimulationInterrupted"]


class SimulationError(RuntimeError):
    """A run that could not reach its end; `solution` is what was computed before."""

    def __init__(self, message: str, solution: Solution) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.solution)


class SimulationInterrupted(KeyboardInterrupt):
    """A run stopped by Ctrl-C; `solution` is what was computed before."""

    def __init__(self, message: str, solution: Solution) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.solution)


@dataclass(frozen=True)
class Energy:
    """Energies of a system at one time, J."""

    kinetic: float
    potential: float
    """NaN when the system does not know it."""
    elements: float
    """Held by the springs of force elements with switching."""

    @property
    def total(self) -> float:
        """T + V + elements."""
        return self.kinetic + self.potential + self.elements

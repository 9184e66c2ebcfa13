"""Descriptions of the parameters of a system."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ParameterInfo"]


@dataclass(frozen=True)
class ParameterInfo:
    """The description of a parameter: unit, meaning, source and range."""

    unit: str = ""
    description: str = ""
    source: str = ""
    choices: tuple[str, ...] = ()
    """Words represented by the values 0, 1, ... of the parameter."""
    positive: bool = False
    """True if only values > 0 are valid."""

    def shown(self, value: float | str) -> str:
        """Return the word that a value represents, or the number as text."""
        if isinstance(value, str):
            return value
        return self.choices[int(value)] if self.choices else f"{value:g}"

    @property
    def meaning(self) -> str:
        """The description, followed by the possible words."""
        words = f"one of {', '.join(self.choices)}" if self.choices else ""
        return ": ".join(part for part in (self.description, words) if part)

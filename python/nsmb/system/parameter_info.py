"""What a parameter of a system is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ParameterInfo"]


@dataclass(frozen=True)
class ParameterInfo:
    """What a parameter is."""

    unit: str = ""
    description: str = ""
    source: str = ""
    choices: tuple[str, ...] = ()
    """Words its values stand for: value 0 for the first one."""
    positive: bool = False
    """Numbers <= 0 are refused."""

    def shown(self, value: float | str) -> str:
        """The word a value stands for, or the number."""
        if isinstance(value, str):
            return value
        return self.choices[int(value)] if self.choices else f"{value:g}"

    @property
    def meaning(self) -> str:
        """The description, and the words it may be one of."""
        words = f"one of {', '.join(self.choices)}" if self.choices else ""
        return ": ".join(part for part in (self.description, words) if part)

"""Parameters of ready-made systems: frozen dataclasses with unit and source per field."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, TypeVar

from nsmb.pictures.scene import Scene
from nsmb.system import ParameterInfo, System, unknown_name
from nsmb.system.options import EventDriven, Recommended
from nsmb.systems._recommended import recommended

__all__ = ["Parameters", "from_keywords", "parameter", "ready_made"]


@dataclass(frozen=True)
class Parameters:
    """Base class: every field is a finite float, or a whole number if it is declared ``int``."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise ValueError(
                    f"parameter {field.name!r}: expected a number, got {value!r}"
                ) from None
            if not math.isfinite(number):
                raise ValueError(
                    f"parameter {field.name!r}: expected a finite number, got {number}"
                )
            whole = field.type in (int, "int")  # a string under postponed annotations
            if whole and not number.is_integer():
                raise ValueError(
                    f"parameter {field.name!r}: expected a whole number, got {number:g}"
                )
            if field.metadata["positive"] and number <= 0.0:
                raise ValueError(f"parameter {field.name!r}: expected a number > 0, got {number:g}")
            object.__setattr__(self, field.name, int(number) if whole else number)

    def values(self) -> dict[str, float]:
        """Name and value of every parameter."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    @classmethod
    def info(cls) -> dict[str, ParameterInfo]:
        """Unit, description and source of every parameter."""
        return {f.name: f.metadata["info"] for f in dataclasses.fields(cls)}


P = TypeVar("P", bound=Parameters)


def parameter(
    default: float, unit: str, description: str, source: str, *, positive: bool = False
) -> Any:
    """A field of a parameter class; `positive` where no other check refuses numbers <= 0."""
    info = ParameterInfo(unit, description, source)
    return dataclasses.field(default=default, metadata={"info": info, "positive": positive})


def from_keywords(cls: type[P], changes: dict[str, float]) -> P:
    """Parameters with some values changed; a ValueError names one that `cls` does not have."""
    known = [f.name for f in dataclasses.fields(cls)]
    for key in changes:
        if key not in known:
            raise unknown_name("parameter", key, known)
    return cls(**changes)


def ready_made(
    system: System, scene: Scene | None = None, method: EventDriven | None = None
) -> System:
    """The system, to be pickled and copied by its name and parameters alone.

    `method` where the one of `recommended` is not right for its parameters.
    """
    system._ready_made = system.name
    usual = recommended(system.name)
    system._recommended = usual if method is None else Recommended(method, usual.t_end)
    if scene is not None:
        system.scene = scene
    return system

"""Options that the methods share, and the errors for options that a method does not have."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

import numpy as np

from nsmb.common.arguments import as_number, nearest, one_of, positive

__all__ = ["IMPACT_LAWS", "METHODS", "ImpactOptions", "MethodOptions", "method_class"]

IMPACT_LAWS = ("moreau", "poisson", "newton")
METHODS: dict[str, type[MethodOptions]] = {}
"""Classes of methods by name."""
T = TypeVar("T", bound="MethodOptions")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MethodOptions:
    """Options of all methods."""

    gap_tolerance: float
    start_tolerance: float = 1e-9
    """m: a start that penetrates deeper is refused."""
    dense_output: bool = True
    """Keep every step as a polynomial, for :meth:`Solution.at`."""
    step_log: bool = False
    """Keep what each step took: `Solution.step_order`, `step_seconds` and `real_time_factor`.
    Event-driven motion, that of :class:`nsmb.Hybrid` included, needs `dense_output` for it."""
    max_memory: float = 2e9
    """Bytes that samples, events and steps may take, before the run ends with ``memory_limit``."""

    def __post_init__(self) -> None:
        for option in fields(self):
            value = check_type(option.name, getattr(self, option.name), str(option.type))
            object.__setattr__(self, option.name, value)
        for name in ("gap_tolerance", "start_tolerance", "max_memory"):
            positive(name, getattr(self, name))

    @property
    def changed(self) -> dict[str, Any]:
        """Options with other values than their defaults, by name; `step` always."""
        values = {option: getattr(self, option.name) for option in fields(self)}
        return {
            option.name: value
            for option, value in values.items()
            if isinstance(value, np.ndarray) or value != option.default
        }

    @property
    def has_function(self) -> bool:
        """True if a function of the user is among the options: files cannot keep it."""
        return False

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.changed.items())
        return f"{type(self).__name__}({said})"

    def _check_step_log(self) -> None:
        """Refuse a log of event-driven motion whose steps are not kept."""
        if self.step_log and not self.dense_output:
            raise ValueError(
                "step_log: expected False where no steps are kept, got True; with it "
                "dense_output=True, and a record= that keeps steps"
            )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ImpactOptions(MethodOptions):
    """Options of all methods with impacts."""

    impact_law: Literal["moreau", "poisson", "newton"] = "moreau"
    """``moreau``: restitution of normal velocities with Coulomb friction at the velocity level.
    With friction and restitution together it can create energy, which
    ``Solution.stats["energy_gains"]`` counts and a warning tells. ``poisson``: restitution of
    impulses, with friction (chapter 8); it creates no energy where all contacts have one ``e_N``,
    but loses some in steps. ``newton``: restitution of velocities, without friction (chapter 7).
    Without restitution the first two coincide. By default ``poisson`` in event-driven runs, which
    then create no energy, and ``moreau`` in steps, which solve it for any number of contacts."""

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("impact_law", self.impact_law, IMPACT_LAWS)


def method_class(cls: type[T]) -> type[T]:
    """Decorate a method: an option that it lacks is refused with the methods that have it."""
    build = cls.__init__

    @functools.wraps(build)
    def __init__(self: T, *arguments: Any, **options: Any) -> None:
        for name, value in options.items():
            if name not in _names_of(cls):
                raise _unknown_option(cls, name, value)
        build(self, *arguments, **options)

    cls.__init__ = __init__  # type: ignore[assignment]
    METHODS[cls.__name__] = cls
    return cls


def _names_of(cls: type[MethodOptions]) -> list[str]:
    return [option.name for option in fields(cls)]


def _unknown_option(cls: type[MethodOptions], name: str, value: Any) -> TypeError:
    has_it = [f"nsmb.{other}" for other, kind in METHODS.items() if name in _names_of(kind)]
    if has_it:
        verb = "has" if len(has_it) == 1 else "have"
        remedy = f"{' and '.join(', '.join(has_it).rsplit(', ', 1))} {verb} it."
        return TypeError(
            f"`{name}`: must be left out of nsmb.{cls.__name__}, got {value!r}. {remedy}"
        )
    hint = nearest(name, _names_of(cls)).removeprefix("; ")
    remedy = f" {hint[0].upper()}{hint[1:]}" if hint else ""
    return TypeError(
        f"`{name}`: must be an option of nsmb.{cls.__name__}, got an unknown name.{remedy}"
    )


def check_type(name: str, value: Any, kind: str) -> Any:
    """Return `value` if it is of the type that its class declares, numbers as floats."""
    if kind.endswith(" | None"):
        if value is None:
            return None
        kind = kind.removesuffix(" | None")
    if kind == "bool" and not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}: expected True or False, got {value!r}")
    if kind == "int" and (isinstance(value, bool) or not isinstance(value, int | np.integer)):
        raise ValueError(f"{name}: expected an integer, got {value!r}")
    return as_number(name, value) if kind == "float" else value

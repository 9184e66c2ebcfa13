"""Options shared by the methods, and errors for options that a method does not have."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

import numpy as np

from nsmb.common.arguments import as_number, nearest, one_of, positive

__all__ = ["IMPACT_LAWS", "METHODS", "ImpactOptions", "MethodOptions", "method_class"]

IMPACT_LAWS = ("moreau", "poisson", "newton")
METHODS: dict[str, type[MethodOptions]] = {}
"""Method classes by name."""
T = TypeVar("T", bound="MethodOptions")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MethodOptions:
    """Options of all methods."""

    gap_tolerance: float
    start_tolerance: float = 1e-9
    """Maximum penetration at the start of a run, m; a deeper start raises an error."""
    dense_output: bool = True
    """Keep a polynomial for every step, for :meth:`Solution.at`."""
    step_log: bool = False
    """Keep the order and computation time of each step, for `Solution.step_order`, `step_seconds`
    and `real_time_factor`. Event-driven motion, including that of :class:`nsmb.Hybrid`, then
    requires `dense_output`."""
    max_memory: float = 2e9
    """Memory limit for samples, events and steps in bytes.

    Beyond it the run ends with status ``memory_limit``."""

    def __post_init__(self) -> None:
        for option in fields(self):
            value = check_type(option.name, getattr(self, option.name), str(option.type))
            object.__setattr__(self, option.name, value)
        for name in ("gap_tolerance", "start_tolerance", "max_memory"):
            positive(name, getattr(self, name))

    @property
    def changed(self) -> dict[str, Any]:
        """Options whose values differ from the defaults, by name; `step` is always included."""
        values = {option: getattr(self, option.name) for option in fields(self)}
        return {
            option.name: value
            for option, value in values.items()
            if isinstance(value, np.ndarray) or value != option.default
        }

    @property
    def has_function(self) -> bool:
        """True if an option is a user function, which files cannot store."""
        return False

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.changed.items())
        return f"{type(self).__name__}({said})"

    def _check_step_log(self) -> None:
        """Reject a step log of event-driven motion without dense output."""
        if self.step_log and not self.dense_output:
            raise ValueError(
                "step_log: must be False without dense output, got True. Pass dense_output=True "
                "and a record that keeps steps."
            )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ImpactOptions(MethodOptions):
    """Options of all methods with impacts."""

    impact_law: Literal["moreau", "poisson", "newton"] = "moreau"
    """Impact law.

    ``moreau`` is restitution of normal velocities with Coulomb friction at the velocity level. With
    friction and restitution together it can create energy. Such impacts are counted in
    ``Solution.stats["energy_gains"]`` and raise a warning. ``poisson`` is restitution of impulses
    with friction (chapter 8). It creates no energy if all contacts have the same ``e_N``, but
    dissipates extra energy in stepped runs. ``newton`` is restitution of velocities without
    friction (chapter 7). Without restitution, the first two laws coincide.

    The default is ``poisson`` in event-driven runs, which then create no energy. In stepped runs it
    is ``moreau``, which can be solved for any number of contacts."""

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("impact_law", self.impact_law, IMPACT_LAWS)


def method_class(cls: type[T]) -> type[T]:
    """Decorate a method class so that an unknown option raises an error that lists its methods."""
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
    """Return `value` if it has the declared type, with numbers as floats."""
    if kind.endswith(" | None"):
        if value is None:
            return None
        kind = kind.removesuffix(" | None")
    if kind == "bool" and not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}: expected True or False, got {value!r}")
    if kind == "int" and (isinstance(value, bool) or not isinstance(value, int | np.integer)):
        raise ValueError(f"{name}: expected an integer, got {value!r}")
    return as_number(name, value) if kind == "float" else value

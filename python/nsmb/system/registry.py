"""Who builds which system: what `nsmb run NAME`, files and copies ask by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nsmb.common.arguments import unknown_name

__all__ = ["build", "builder", "names", "register"]

Builder = Callable[..., Any]  # of a System, which itself asks here

_builders: dict[str, Builder] = {}  # filled while modules are imported, in that order


def register(name: str, build: Builder) -> None:
    """From now on `build`, called with parameters by name, makes the system of that name.

    Raises
    ------
    ValueError
        If another function has that name already.
    """
    if _builders.setdefault(name, build) is not build:
        raise ValueError(f"name: {name!r} is the name of another system already")


def names() -> tuple[str, ...]:
    """Names of all registered systems."""
    return tuple(_builders)


def builder(name: str) -> Builder:
    """What builds the system of that name; a ValueError for an unknown one."""
    if name not in _builders:
        raise unknown_name("system", name, names())
    return _builders[name]


def build(name: str, **parameters: Any) -> Any:
    """The system of that name with these parameters.

    Raises
    ------
    ValueError
        For an unknown name or parameter.
    """
    return builder(name)(**parameters)

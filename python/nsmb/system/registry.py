"""Who builds which system: what `nsmb run NAME`, files and copies ask by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from nsmb.common.arguments import unknown_name

__all__ = ["add_source", "build", "build_again", "builder", "names", "register"]

Builder = Callable[..., Any]  # of a System, which itself asks here

_builders: dict[str, Builder] = {}  # filled while modules are imported, in that order
_sources: list[Callable[[], object]] = []  # still to be called


def add_source(load: Callable[[], object]) -> None:
    """`load` imports modules that register systems; it is called when names are looked for."""
    _sources.append(load)


def _load() -> None:
    while _sources:
        _sources.pop()()


def register(name: str, build: Builder) -> None:
    """From now on `build`, called with parameters by name, makes the system of that name.

    Raises
    ------
    ValueError
        If a function of another place has that name already; the same one may be defined again,
        as in a notebook.
    """
    if not build.__module__.startswith("nsmb."):
        _load()  # its name may be taken
    known = _builders.setdefault(name, build)
    if _place(known) != _place(build):
        raise ValueError(
            f"name: {name!r} is a system of {known.__module__} already; give the function another "
            "name"
        )
    _builders[name] = build


def names(package: str = "") -> tuple[str, ...]:
    """Names of all registered systems, or of those of a package alone."""
    _load()
    return tuple(
        name for name, build in _builders.items() if f"{build.__module__}.".startswith(package)
    )


def builder(name: str) -> Builder:
    """What builds the system of that name; a ValueError for an unknown one."""
    if name not in _builders:
        _load()
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


def build_again(module: str, name: str, parameters: dict[str, float]) -> Any:
    """What pickle and copy call: the system of that name, defined in that module."""
    if name not in _builders:
        import_module(module)
    return build(name, **parameters)


def _place(build: Builder) -> tuple[str, str]:
    return build.__module__, build.__qualname__

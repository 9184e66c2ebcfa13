"""A registry of builders by name, used by `nsmb run NAME`, files and copies of systems."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from nsmb.common.arguments import unknown_name
from nsmb.system.catalogue import Catalogue

__all__ = ["add_catalogue", "build", "build_again", "builder", "catalogue", "names", "register"]

Builder = Callable[..., Any]  # returns a System, whose module imports this one

_builders: dict[str, Builder] = {}  # filled in the order in which modules are imported
_catalogues: dict[str, Catalogue] = {}  # by package; lists systems without importing them


def add_catalogue(entries: Catalogue) -> None:
    """Register the systems of a package by name; their modules are imported on demand."""
    _catalogues[entries.package] = entries


def catalogue(package: str) -> Catalogue:
    """Return the catalogue of a package; raise KeyError for a package without one."""
    return _catalogues[package]


def _home(name: str) -> str | None:
    """Return the module that defines a system, or None if no catalogue lists it."""
    found = (entries.home(name) for entries in _catalogues.values())
    return next((home for home in found if home is not None), None)


def register(name: str, build: Builder) -> None:
    """Register `build`, called with parameters by name, as the builder of a system.

    Raises
    ------
    ValueError
        If another function has that name already. The same function may be defined again, as in a
        notebook.
    """
    known = _builders.get(name)
    home = _home(name) if known is None else known.__module__
    same = known is None or known.__qualname__ == build.__qualname__
    if home is not None and not (home == build.__module__ and same):
        raise ValueError(
            f"name: {name!r} is already a system of {home}. Give the function another name."
        )
    _builders[name] = build


def names(package: str = "") -> tuple[str, ...]:
    """Return the names of all systems, or of those of one package, without importing them."""
    homes = {
        name: home for entries in _catalogues.values() for name, home in entries.homes().items()
    }
    homes |= {name: build.__module__ for name, build in _builders.items()}
    return tuple(name for name, home in homes.items() if f"{home}.".startswith(package))


def builder(name: str) -> Builder:
    """Return the function that builds the system of that name.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    if name not in _builders:
        home = _home(name)
        if home is None:
            raise unknown_name("system", name, names())
        import_module(home)
    return _builders[name]


def build(name: str, **parameters: Any) -> Any:
    """Build the system of that name with the given parameters.

    Raises
    ------
    ValueError
        If the name or a parameter is unknown.
    """
    return builder(name)(**parameters)


def build_again(module: str, name: str, parameters: dict[str, float]) -> Any:
    """Build a system that is defined in `module`; called by pickle and copy."""
    if name not in _builders:
        import_module(module)
    return build(name, **parameters)

"""Who builds which system: what `nsmb run NAME`, files and copies ask by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from nsmb.common.arguments import unknown_name
from nsmb.system.catalogue import Catalogue

__all__ = ["add_catalogue", "build", "build_again", "builder", "catalogue", "names", "register"]

Builder = Callable[..., Any]  # of a System, which itself asks here

_builders: dict[str, Builder] = {}  # filled while modules are imported, in that order
_catalogues: dict[str, Catalogue] = {}  # by package: systems that need not be imported to be known


def add_catalogue(entries: Catalogue) -> None:
    """Make the systems of a package known by name; a module is imported when it is needed."""
    _catalogues[entries.package] = entries


def catalogue(package: str) -> Catalogue:
    """The catalogue of that package; a KeyError for a package without one."""
    return _catalogues[package]


def _home(name: str) -> str | None:
    """Module that defines the system of that name, if a catalogue lists it."""
    found = (entries.home(name) for entries in _catalogues.values())
    return next((home for home in found if home is not None), None)


def register(name: str, build: Builder) -> None:
    """From now on `build`, called with parameters by name, makes the system of that name.

    Raises
    ------
    ValueError
        If a function of another place has that name already; the same one may be defined again,
        as in a notebook.
    """
    known = _builders.get(name)
    home = _home(name) if known is None else known.__module__
    same = known is None or known.__qualname__ == build.__qualname__
    if home is not None and not (home == build.__module__ and same):
        raise ValueError(
            f"name: {name!r} is a system of {home} already; give the function another name"
        )
    _builders[name] = build


def names(package: str = "") -> tuple[str, ...]:
    """Names of all known systems, or of those of a package alone; no system is imported."""
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
        For an unknown name.
    """
    if name not in _builders:
        home = _home(name)
        if home is None:
            raise unknown_name("system", name, names())
        import_module(home)
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

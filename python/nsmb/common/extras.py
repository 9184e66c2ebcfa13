"""Optional dependencies."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, NoReturn

__all__ = ["can_import", "import_extra", "stand_ins"]


def can_import(module: str) -> bool:
    """Return True if an optional dependency is installed."""
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def import_extra(module: str, extra: str) -> Any:
    """Import an optional dependency, or raise ImportError with the extra that installs it.

    The extra is ``""`` for a dependency that no extra installs.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(_remedy(module, extra)) from error


def stand_ins(package: str, names: Iterable[str], module: str, extra: str) -> dict[str, type]:
    """Return classes for the names of a package whose dependency is not installed.

    `dir`, `help` and `hasattr` work on them. Calling one, subclassing it or reading a public
    attribute raises an ImportError that states the remedy.

    Parameters
    ----------
    package : str
        Name of the package.
    names : iterable of str
        Public names of the package.
    module, extra : str
        The dependency, and the extra that installs it.
    """
    message = _remedy(module, extra)

    class Missing(type):
        def __getattr__(cls, name: str) -> NoReturn:
            if name.startswith("_"):
                raise AttributeError(name)
            raise ImportError(message)

        def __call__(cls, *args: object, **kwargs: object) -> NoReturn:
            raise ImportError(message)

        def __new__(cls, name: str, bases: tuple[type, ...], inside: dict[str, Any]) -> Any:
            if bases:
                raise ImportError(message)
            return super().__new__(cls, name, bases, inside)

    about = {"__module__": package, "__doc__": f"{message}."}
    return {name: Missing(name, (), dict(about)) for name in names}


def _remedy(module: str, extra: str) -> str:
    package = module.partition(".")[0]
    return f"{package} is not installed: pip install '{f'nsmb[{extra}]' if extra else package}'"

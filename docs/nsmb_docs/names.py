"""Public names of the package, as users write them."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from sphinx.pycode import ModuleAnalyzer

from nsmb.system.builder import Builder

# Where users find names; in what is named first they are documented.
DOORS = (
    "nsmb",
    "nsmb.results",
    "nsmb.analysis",
    "nsmb.analysis.results",
    "nsmb.plotting",
    "nsmb.symbolic",
    "nsmb.symbolic.elements",
    "nsmb.joints",
    "nsmb.flexible",
    "nsmb.gears",
    "nsmb.geometry",
    "nsmb.instant",
    "nsmb.complementarity.lcp",
    "nsmb.complementarity.mcp",
    "nsmb.complementarity.friction",
    "nsmb.complementarity.fclib",
    "nsmb.testing",
    "nsmb.testing.strategies",
    "nsmb.systems",
    "nsmb.multibody",
    "nsmb.events",
    "nsmb.system",
    "nsmb.solution",
    "nsmb.solution.sample",
    "nsmb.viewer",
    "nsmb.explorer",
    "nsmb.pictures.animation",
    "nsmb.pictures.drawing",
    "nsmb.pictures.plot",
    "nsmb.pictures.scene",
    "nsmb.pictures.solids",
)


def imported(name: str) -> Any:
    """The module or the object that `name` means."""
    module, rest = name, ""
    while True:
        try:
            found: Any = importlib.import_module(module)
            break
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            if not module:
                raise
            rest = f"{last}.{rest}" if rest else last
    for part in rest.split(".") if rest else ():
        found = getattr(found, part)
    return found


@cache
def public() -> dict[str, Any]:
    """Every public name with its object; modules are left out, they have names of their own."""
    names = {}
    for door in DOORS:
        module = imported(door)
        listed = dir(module) if door == "nsmb" else module.__all__
        for name in listed:
            found = getattr(module, name)
            if not inspect.ismodule(found) and not name.startswith("_"):
                names[f"{door}.{name}"] = found
            if isinstance(found, Builder):
                names |= evaluations(f"{door}.{name}", found)
    return names


def evaluations(name: str, builder: Builder[..., Any]) -> dict[str, Any]:
    """The evaluations of a builder, and by their full names the classes that they return."""
    found: dict[str, Any] = {}
    for short, function in sorted(builder.evaluations.items()):
        found[f"{name}.{short}"] = function
        for word in re.findall(r"\w+", str(function.__annotations__.get("return", ""))):
            cls = vars(sys.modules[function.__module__]).get(word)
            if inspect.isclass(cls) and cls.__module__.startswith("nsmb.systems."):
                found[f"{cls.__module__}.{word}"] = cls
    return found


@cache
def aliases() -> dict[int, str]:
    """The first public name of each object, by its identity; constants have no identity."""
    found: dict[int, str] = {}
    for name, value in public().items():
        if callable(value):
            found.setdefault(id(value), name)
    return found


def name_of(value: Any) -> str:
    """The name under which an object is documented; empty if it is not public."""
    return aliases().get(id(value), "") if callable(value) else ""


def documented() -> Iterator[tuple[str, Any]]:
    """Public names without their repetitions."""
    for name, value in public().items():
        if name_of(value) in ("", name):
            yield name, value


def owner(cls: type, member: str) -> type | None:
    """The class from which `cls` has a member that is its own or nsmb's."""
    for base in cls.__mro__:
        if member in vars(base) or member in vars(base).get("__annotations__", {}):
            return base if base.__module__.startswith("nsmb") else None
    return None


def foreign_bases(cls: type) -> list[type]:
    """Bases whose members a page of `cls` does not repeat: public ones, and those of others."""
    return [
        base for base in cls.__mro__[1:] if name_of(base) or not base.__module__.startswith("nsmb")
    ]


def members(cls: type) -> list[str]:
    """Public members that the entry of a class has, inherited ones of private bases included."""
    foreign = foreign_bases(cls)
    known = {
        name
        for base in cls.__mro__
        if base not in foreign
        for name in (*vars(base), *vars(base).get("__annotations__", {}))
    }
    return sorted(
        name
        for name in known
        if not name.startswith("_")
        and not any(hasattr(base, name) and name not in vars(cls) for base in foreign)
    )


def text_of_data(name: str, value: Any) -> list[str]:
    """The text behind the definition of a constant, in whatever module that is."""
    last = name.rpartition(".")[2]
    for home, found in sorted(sys.modules.items()):
        if home.startswith("nsmb.") and vars(found).get(last) is value:
            texts = ModuleAnalyzer.for_module(home).find_attr_docs()
            if ("", last) in texts:
                return texts["", last]
    return []

"""The actual names of the Python API, to check names in texts."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import nsmb
from nsmb.system import Builder
from tests.support import prose
from tests.support.prose import ROOT

MODULES = (
    "nsmb", "nsmb.results", "nsmb.analysis", "nsmb.analysis.results", "nsmb.complementarity",
    "nsmb.complementarity.fclib", "nsmb.complementarity.friction", "nsmb.complementarity.lcp",
    "nsmb.complementarity.mcp", "nsmb.events", "nsmb.flexible", "nsmb.gears",
    "nsmb.geometry", "nsmb.instant", "nsmb.joints", "nsmb.multibody", "nsmb.pictures.animation",
    "nsmb.pictures.drawing", "nsmb.pictures.plot", "nsmb.pictures.scene", "nsmb.pictures.solids",
    "nsmb.plotting", "nsmb.solution", "nsmb.solution.sample", "nsmb.symbolic",
    "nsmb.symbolic.elements", "nsmb.system", "nsmb.systems", "nsmb.testing",
    "nsmb.testing.strategies", "nsmb.viewer",
)  # fmt: skip
"""Public modules."""
SHORT = {
    name: f"nsmb.{home}{name}"
    for home, names in {
        "": ("analysis", "complementarity", "flexible", "gears", "geometry", "instant",
             "joints", "plotting", "results", "symbolic", "systems", "testing"),
        "complementarity.": ("fclib", "friction", "lcp", "mcp"),
    }.items()
    for name in names
}  # fmt: skip
"""Modules that texts name without `nsmb.`, with their full names."""
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
INSTANCES = {
    "sol": "Solution", "solution": "Solution", "sim": "Simulator", "model": "Model",
    "events": "Events", "event": "Event", "orbit": "PeriodicOrbit", "labels": "Labels",
    "diagram": "BifurcationDiagram", "branch": "OrbitBranch", "sensitivity": "Sensitivity",
    "system": "MultibodySystem", "arm": "MultibodySystem", "toy": "LinearSystem",
}  # fmt: skip
"""Names of objects used in texts, with their classes."""


def module(name: str) -> ModuleType:
    home, _, last = name.rpartition(".")
    if home == "nsmb" and last in dir(nsmb):
        found = getattr(nsmb, last)
        assert isinstance(found, ModuleType)
        return found
    return importlib.import_module(name)


@cache
def public() -> dict[str, tuple[Any, ...]]:
    """Return objects of all public modules by their bare names."""
    found: dict[str, dict[int, Any]] = {}
    for home in MODULES:
        owner = module(home)
        for name in getattr(owner, "__all__", dir(owner)):
            value = getattr(owner, name)
            found.setdefault(name, {})[id(value)] = value
    return {name: tuple(values.values()) for name, values in found.items()}


@cache
def classes(name: str) -> tuple[type, ...]:
    return tuple(value for value in public().get(name, ()) if inspect.isclass(value))


@cache
def members(cls: type) -> frozenset[str]:
    """Return the attributes of a class and of its instances."""
    names = set(dir(cls))
    for base in cls.__mro__:
        names |= set(vars(base).get("__annotations__", ()))
        if base.__module__.startswith("nsmb."):
            names |= attributes_set(base.__module__)
    return frozenset(names)


@cache
def attributes_set(home: str) -> frozenset[str]:
    """Return the names that methods of a module assign to `self`."""
    file = getattr(sys.modules.get(home), "__file__", None)
    if file is None or not file.endswith(".py"):
        return frozenset()
    with open(file, encoding="utf-8") as source:
        return frozenset(re.findall(r"\bself\.(\w+)(?:: [^=\n]+)? = ", source.read()))


def missing(owner: Any, path: list[str], said: str) -> str:
    """Return why `path` does not exist in `owner`, or "" if it exists or is unknown."""
    for name in path:
        if inspect.ismodule(owner):
            known: Iterable[str] = dir(owner)
            if name not in known and not hasattr(owner, name):
                inside = f"{owner.__name__}.{name}"
                if not hasattr(owner, "__path__") or importlib.util.find_spec(inside) is None:
                    return no_such(said, name, known)
                owner = importlib.import_module(inside)
            else:
                owner = getattr(owner, name)
        elif inspect.isclass(owner):
            if name not in members(owner):
                return no_such(said, name, members(owner))
            owner = type_of(owner, name)
        elif isinstance(owner, Builder):
            if not hasattr(owner, name):
                return no_such(said, name, dir(owner))
            owner = getattr(owner, name)
        elif callable(owner):
            return "" if name.startswith("__") else no_such(said, name, ())
        else:
            return ""
        said = f"{said}.{name}"
    return ""


def type_of(cls: type, name: str) -> Any:
    """Return the annotated class of an attribute, a method itself, or None."""
    value = inspect.getattr_static(cls, name, None)
    if isinstance(value, property | cached_property):
        getter = value.fget if isinstance(value, property) else value.func
        hint = getattr(getter, "__annotations__", {}).get("return", "")
    elif inspect.isfunction(value) or isinstance(value, classmethod | staticmethod):
        return None
    else:
        hint = stated_type(cls, name) or next(
            (vars(b)["__annotations__"][name] for b in cls.__mro__
             if name in vars(b).get("__annotations__", ())), "",
        )  # fmt: skip
    if inspect.isclass(hint):
        return hint if hint.__module__.startswith("nsmb") else None
    found = re.fullmatch(r"([A-Z]\w+)(?: \| None)?", str(hint))
    known = classes(found[1]) if found else ()
    return known[0] if len(known) == 1 else None


def stated_type(cls: type, name: str) -> str:
    """Return the type of an attribute according to the docstring of the class."""
    found = re.search(rf"^    {name} : (\w+)", cls.__doc__ or "", re.M)
    return found[1] if found else ""


def no_such(said: str, name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith("_")], 1, 0.6)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{said} has no {name!r}{hint}"


@cache
def callables() -> dict[str, list[Any]]:
    """Return public functions, classes and methods by their bare names."""
    found = {name: [v for v in values if callable(v)] for name, values in public().items()}
    for builder in (value for values in public().values() for value in values):
        if isinstance(builder, Builder):
            for name, function in builder.evaluations.items():
                found.setdefault(name, []).append(function)
    for cls in owners():
        for base in cls.__mro__:
            if base.__module__.startswith("nsmb."):
                for name, value in vars(base).items():
                    value = getattr(value, "__func__", value)
                    if inspect.isfunction(value) and not name.startswith("_"):
                        found.setdefault(name, []).append(value)
    return found


@cache
def keywords(name: str) -> frozenset[str] | None:
    """Return the keywords of all callables of that name, or None if they are unknown."""
    found: set[str] = set()
    for value in callables().get(name, ()):
        parameters = parameters_of(value)
        if any(p.kind is p.VAR_KEYWORD for p in parameters.values()) or not parameters:
            return None
        found |= set(parameters)
    return frozenset(found) if found else None


@cache
def all_keywords() -> frozenset[str]:
    """Return the keywords of all public functions, classes and methods."""
    values = (value for values in callables().values() for value in values)
    return frozenset(name for value in values for name in parameters_of(value))


@cache
def parameters_of(value: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return {}


@cache
def owners() -> tuple[type, ...]:
    """Return all public classes."""
    found = (cls for values in public().values() for cls in values if inspect.isclass(cls))
    return tuple(dict.fromkeys(found))


@cache
def attributes() -> frozenset[str]:
    """Return all public names and the members of public classes."""
    found = {*public(), *SHORT}
    for cls in owners():
        found |= members(cls)
    return frozenset(found)


@cache
def identifiers() -> frozenset[str]:
    """Return all names in the code and in the strings of the package and of the core."""
    found: set[str] = set()
    for texts, token in (
        (prose.sources("*.py", "python/nsmb"), prose.PYTHON_TOKEN),
        (prose.sources("*.[ch]pp", "cpp", "examples/cpp"), prose.CPP_TOKEN),
    ):
        for path, text in texts:
            found.add(path.stem)
            found.update(IDENTIFIER.findall(token.sub(short_string, text)))
    for path in ROOT.glob("cmake/*.cmake"):
        found.update(IDENTIFIER.findall(path.read_text("utf-8")))
    return frozenset(found)


def short_string(match: re.Match[str]) -> str:
    """Return names of columns, schemes and statuses, and a space for texts and comments."""
    text = match["double"] or ""
    return f" {text} " if " " not in text else " "

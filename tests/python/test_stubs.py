"""The type stubs of the compiled core list its actual names and arguments."""

import ast
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import nsmb

STUBS = Path(nsmb.__file__).parent / "_core"
MODULES = [
    "complementarity",
    "contact_laws",
    "gears",
    "geometry",
    "integration",
    "multibody",
    "simulation",
    "system",
]


def core(module: str) -> ModuleType:
    return getattr(import_module("nsmb._core"), module)  # type: ignore[no-any-return]


def public(names: object) -> set[str]:
    return {name for name in dir(names) if not name.startswith("_")}


def bound_arguments(function: object) -> list[str]:
    """Return argument names from the first docstring line of the binding."""
    inside = re.search(r"\((.*)\) ->", (function.__doc__ or "").splitlines()[0])
    assert inside is not None
    names = re.findall(r"(?:^|, )(\w+): ", inside[1])
    return [name for name in names if name != "self"]


def written_arguments(function: ast.FunctionDef) -> list[str]:
    arguments = function.args.args + function.args.kwonlyargs
    return [argument.arg for argument in arguments if argument.arg != "self"]


def is_property(function: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


@pytest.mark.parametrize("module", MODULES)
def test_stub_matches_the_binding(module: str) -> None:
    tree = ast.parse((STUBS / f"{module}.pyi").read_text("utf-8"))
    compiled = core(module)
    written: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            written.add(node.name)
            found = bound_arguments(getattr(compiled, node.name))
            assert found == written_arguments(node), node.name
        elif isinstance(node, ast.ClassDef):
            written.add(node.name)
            check_class(getattr(compiled, node.name), node)
    assert written == public(compiled)


def check_class(compiled: type, node: ast.ClassDef) -> None:
    members: set[str] = set()
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            members.add(member.target.id)
        elif isinstance(member, ast.FunctionDef):
            members.add(member.name)
            if not is_property(member):
                found = bound_arguments(getattr(compiled, member.name))
                assert found == written_arguments(member), f"{node.name}.{member.name}"
    written = {name for name in members if not name.startswith("_")}
    if hasattr(compiled, "__members__"):  # an enumeration; pybind11 adds name and value
        assert set(compiled.__members__) == written - {"name", "value"}, node.name
    else:
        assert {name for name in vars(compiled) if not name.startswith("_")} == written, node.name

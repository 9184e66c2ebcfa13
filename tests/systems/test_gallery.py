"""Every ready-made system has one page in the gallery, made by a script that simulates it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import nsmb
from nsmb.system import registry

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "gallery_scripts"
SCRIPTS = sorted(FOLDER.glob("*/*.py"))


def called(tree: ast.AST) -> set[str]:
    """Return the last names of all calls."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {f.attr for f in functions if isinstance(f, ast.Attribute)}
    return names | {f.id for f in functions if isinstance(f, ast.Name)}


def test_every_system_has_exactly_one_page_of_its_kind() -> None:
    """The page is in the folder of the system's file."""
    found = sorted((script.parent.name, script.stem) for script in SCRIPTS)
    places = {name: registry.builder(name).__module__ for name in nsmb.systems.names()}
    assert found == sorted((place.split(".")[2], name) for name, place in places.items())


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_page_builds_and_simulates_its_system_and_shows_data_and_verdicts(script: Path) -> None:
    tree = ast.parse(script.read_text("utf-8"))
    names = called(tree)
    assert script.stem in names
    assert names & {"simulate", "Simulator"}
    shown = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute | ast.Name)
    ]
    assert [v.attr for v in shown if isinstance(v, ast.Attribute)] == ["parameter_table"]
    assert [v.id for v in shown if isinstance(v, ast.Name)] == ["claims"]
    assert names & {"holds", "fails"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_page_shows_and_names_the_parameter_sets_of_its_system(script: Path) -> None:
    text = script.read_text("utf-8")
    sets = getattr(nsmb.systems, script.stem).parameter_sets
    assert all(f'"{key}"' in text for key in sets)
    assert text.count("ParameterTable(") == len(sets)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_page_has_a_title_an_equation_and_links_to_reference_and_test(script: Path) -> None:
    text = script.read_text("utf-8")
    head = ast.get_docstring(ast.parse(text)) or ""
    title, rule, *_ = head.splitlines()
    assert rule == "=" * len(title)
    assert ".. math::" in head or ":math:" in head
    assert f":func:`nsmb.systems.{script.stem}`" in text
    root = FOLDER.parents[1]
    linked = re.findall(r":source:`([^`]+)`", text)
    assert all((root / path).is_file() for path in linked)
    assert any(path.startswith("tests/") for path in linked)

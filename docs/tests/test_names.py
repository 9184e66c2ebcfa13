"""Every public name of the package is in the reference, where the search finds it."""

import importlib
import inspect
import pkgutil
import sys
from functools import cache
from pathlib import Path

import pytest
from sphinx.util.inventory import InventoryFile

import nsmb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from nsmb_docs import names

# No names for users.
NOT_DOORS = {"_core", "__main__", "cli", "common"}


@cache
def entries(site: Path) -> frozenset[str]:
    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, uri: uri)
    return frozenset(
        name for kind, found in inventory.items() if kind.startswith("py:") for name in found
    )


def modules() -> list[str]:
    """Modules one step below the package: all that users may import without knowing rooms."""
    return [
        f"nsmb.{m.name}" for m in pkgutil.iter_modules(nsmb.__path__) if m.name not in NOT_DOORS
    ]


def test_every_name_of_every_door_has_an_entry(site: Path) -> None:
    missing = [
        name
        for name, value in names.public().items()
        if name not in entries(site) and names.name_of(value) not in entries(site)
    ]
    assert len(names.public()) > 400
    assert not missing, missing


@pytest.mark.parametrize("module", modules())
def test_every_name_of_a_module_is_one_of_a_door(module: str) -> None:
    """So that a new name cannot be forgotten."""
    found = importlib.import_module(module)
    for name in getattr(found, "__all__", ()):
        value = getattr(found, name)
        if callable(value) and not inspect.ismodule(value):
            assert names.name_of(value), f"{module}.{name}"


CLASSES = [name for name, value in names.documented() if inspect.isclass(value)]


@pytest.mark.parametrize("name", CLASSES)
def test_every_member_of_a_class_has_an_entry(site: Path, name: str) -> None:
    cls = names.imported(name)
    missing = [m for m in names.members(cls) if f"{name}.{m}" not in entries(site)]
    assert not missing, missing


def test_members_are_those_that_users_see() -> None:
    assert {"at", "t", "energy", "save"} <= {*names.members(nsmb.Solution), "t"}
    assert "M" not in names.members(nsmb.SimulationError)
    assert "with_parameters" in names.members(nsmb.System)
    assert "with_parameters" not in names.members(nsmb.LinearSystem)  # the page of System has it


def test_the_search_finds_a_function(site: Path, visit) -> None:
    visit.open(site / "search.html", "?q=simulate")
    hit = visit.page.locator('#search-results a[href*="#nsmb.simulate"]')
    hit.first.wait_for()
    assert not visit.outside

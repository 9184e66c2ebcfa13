"""Tables and figures of the benchmark pages, from stored runs and made-up numbers."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given

from benchmarks import records
from tests.support.draws import numbers

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "benchmarks"
# As imported in notebooks.
MODULES = ("stored", "figures", "tables", "laboratory_tables", "contact_tables")


@pytest.fixture(scope="module")
def pages() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PAGES))
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            del sys.modules[name]


def cells(text: str) -> list[str]:
    """Return the code of the cells of a page."""
    found = re.findall(r"^```\{code-cell\} python\n(.*?)^```$", text, re.M | re.S)
    return [re.sub(r"\A(?:---\n(?:.*\n)*?---\n|(?::.*\n)+)", "", cell) for cell in found]


@pytest.mark.parametrize("page", sorted(path.name for path in PAGES.glob("*.md")))
def test_cells_of_the_page_run(pages: dict[str, ModuleType], page: str) -> None:
    text = (PAGES / page).read_text("utf-8")
    found, names = cells(text), {}
    assert len(found) == text.count("{code-cell}") >= 3
    for code in found:
        assert code.strip()
        exec(compile(code, page, "exec"), names)


def test_every_stored_run_says_when_where_and_of_which_version() -> None:
    for path in records.RESULTS.glob("*.json"):
        run = records.read(path)
        assert path.stem == f"{run['version']}-{run['date']}"
        assert run["commit"]
        assert run["machine"]["processor"]
    for path in records.BASELINES.glob("*.json"):
        release = records.read(path)
        assert path.stem == release["version"]
        assert release["counts"]["entries"]


@pytest.mark.parametrize(
    ("table", "section", "key"),
    [
        ("laboratory_tables.machines", ("machines", "machines"), "name"),
        ("laboratory_tables.orbits", ("analysis", "orbits"), "system"),
        ("laboratory_tables.diagrams", ("analysis", "diagrams"), "system"),
        ("tables.machines_by_hand", ("machines", "by_hand"), "name"),
        ("tables.diagrams_by_hand", ("analysis", "scipy"), "system"),
    ],
)
def test_table_has_every_row_of_its_section(
    pages: dict[str, ModuleType], table: str, section: tuple[str, ...], key: str
) -> None:
    module, _, name = table.partition(".")
    lines = getattr(pages[module], name)().data.splitlines()[2:]
    for row in pages["stored"].latest(*section)[0]:
        assert any(line.startswith((f"| {row[key]} ", f"| `{row[key]}` ")) for line in lines)


def test_last_run_that_has_a_section_is_shown(
    pages: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[dict[str, Any]] = [
        {"date": "2020-01-01", "a": {"b": 1}},
        {"date": "2020-02-01", "a": {"b": 2}, "c": None},
        {"date": "2020-03-01", "a": None},
    ]
    monkeypatch.setattr(pages["stored"], "RUNS", runs)
    assert pages["stored"].latest("a", "b") == (2, runs[1])
    with pytest.raises(LookupError, match="no stored run has"):
        pages["stored"].latest("c")


@given(power=numbers(-3.0, 3.0), factor=numbers(1e-6, 1e6))
def test_exponent_of_a_power_law_is_its_power(
    pages: dict[str, ModuleType], power: float, factor: float
) -> None:
    n = [1, 3, 10, 30, 100]
    found = pages["stored"].exponent(n, [factor * k**power for k in n])
    # rounding of logarithms below 30, over a range of 2.3: some 1e-14; a factor of 100 more
    assert found == pytest.approx(power, abs=1e-12)


def test_exponent_is_of_the_large_sizes(pages: dict[str, ModuleType]) -> None:
    assert pages["stored"].exponent([1, 10, 100], [7.0, 1.0, 10.0]) == pytest.approx(1.0)
    assert pages["stored"].exponent([1, 4], [1.0, 2.0]) == pytest.approx(0.5)


@given(numbers(1e-4, 1e12))
def test_numbers_are_shown_to_three_digits(pages: dict[str, ModuleType], value: float) -> None:
    text = pages["stored"].number(value)
    assert float(text.replace(",", "")) == pytest.approx(value, rel=5.1e-3)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1234.6, "1,230"), (2.0, "2"), (0.0714, "0.0714"), (1e-9, "1.0e-09")],
)
def test_number_as_text(pages: dict[str, ModuleType], value: float, text: str) -> None:
    assert pages["stored"].number(value) == text


def test_nothing_is_shown_for_what_is_not_there(pages: dict[str, ModuleType]) -> None:
    assert pages["stored"].number(None) == pages["stored"].number(float("inf")) == ""

"""Thresholds are in one file per room, with unit, reason and the test that covers them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from tests.support import tolerances
from tests.support.tolerances import NONE, ROOMS, ROOT, TUNING, Threshold

# Numbers that are not thresholds. Only these values may have names elsewhere.
NUMBERS = {
    "std::numeric_limits<double>::infinity()",
    "std::numeric_limits<double>::quiet_NaN()",
    "std::numeric_limits<double>::max()",
    "std::numeric_limits<double>::epsilon()",
    "0.5 * std::numeric_limits<double>::epsilon()",  # unit roundoff
    "0.6180339887498949",  # golden ratio
}
# Points of a step and marks beyond it, coefficients of methods, definitions of residuals.
NO_THRESHOLDS = {
    "kMcpNonlinearScale",
    "kNever",
    "kNoRoot",
    "third",
    "two_thirds",
    "node",
}
NAMED = re.compile(r"constexpr double ([^;{(]*= *(?:\{[^}]*\}|[^;]*));")
ROOM_NAMES = tolerances.rooms()
ALL = [entry for room in ROOM_NAMES for entry in tolerances.thresholds(room)]


def named_numbers(text: str) -> list[tuple[str, str]]:
    """Return names and values of the constants of type double."""
    found = []
    for body in NAMED.findall(re.sub(r"//[^\n]*", "", text)):
        parts = [body] if "{" in body else re.split(r",\s*(?=\w+\s*=)", body)
        for part in parts:
            name, value = part.split("=", 1)
            found.append((re.sub(r"\[\d*\]", "", name).strip(), " ".join(value.split())))
    return found


def test_named_numbers_are_found() -> None:
    text = """
    static constexpr double kA = 1.0, kB = 2.0 * f(kA);  // constexpr double kC = 3.0;
      constexpr double d[2] = {0.0,
         1.0};
    """
    assert named_numbers(text) == [("kA", "1.0"), ("kB", "2.0 * f(kA)"), ("d", "{0.0, 1.0}")]


def sources() -> list[Path]:
    """Return all sources of the rooms except the files of thresholds."""
    paths = sorted(path for path in ROOMS.glob("*/*") if path.suffix in {".cpp", ".hpp"})
    return [path for path in paths if path.name != "tolerances.hpp"]


def test_thresholds_stand_in_one_place() -> None:
    elsewhere = [
        f"{path.relative_to(ROOMS)}: {name} = {value}"
        for path in sources()
        for name, value in named_numbers(path.read_text("utf-8"))
        if value not in NUMBERS and name not in NO_THRESHOLDS
    ]
    assert elsewhere == []


def test_every_constant_of_the_place_is_an_entry() -> None:
    assert len(ROOM_NAMES) > 5
    for room in ROOM_NAMES:
        text = tolerances.header(room).read_text("utf-8")
        entries = [entry.name for entry in ALL if entry.room == room]
        assert [name for name, _ in named_numbers(text)] == entries, room
        assert entries, room


def test_topics_and_names_are_distinct() -> None:
    topics = Counter(topic for _, topic in {(entry.room, entry.topic) for entry in ALL})
    assert [topic for topic, n in topics.items() if n > 1] == []
    names = Counter(entry.key for entry in ALL)
    assert [name for name, n in names.items() if n > 1] == []


def defects(entry: Threshold) -> list[str]:
    """Return the defects of the comment of a threshold."""
    found = []
    if not (entry.unit and entry.reason and entry.tests):
        found.append("its comment is not `[unit] Reason. Test: ...`")
    for said in entry.tests:
        if said not in {NONE, TUNING} and not exists(said):
            found.append(f"{said} does not exist")
    if (entry.topic.endswith("_tuning") or entry.topic == "step_control") and not entry.is_tuning:
        found.append("its topic is tuning, its test is not")
    if NONE in entry.tests and entry.tests != (NONE,):
        found.append(f"{NONE!r} stands beside a test")
    return found


def test_entries_have_unit_reason_and_test() -> None:
    assert len(ALL) > 100
    assert [f"{entry.key}: {defect}" for entry in ALL for defect in defects(entry)] == []


@cache
def statements(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text("utf-8")).body


def exists(test: str) -> bool:
    """Return True if a test function, or a method of a test class, has this name."""
    file, *names = test.split("::")
    path = ROOT / file
    if not path.is_file() or not names:
        return False
    body = statements(path)
    for name in names:
        found = [
            node
            for node in body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name
        ]
        if not found:
            return False
        body = found[0].body
    return True


def test_tests_that_do_not_exist_are_noticed() -> None:
    assert exists("tests/repository/test_tolerances.py::test_named_numbers_are_found")
    assert not exists("tests/repository/test_tolerances.py::test_named_numbers")
    assert not exists("tests/test_nothing.py::test_named_numbers_are_found")


def test_every_entry_is_used() -> None:
    """Dependent rooms may also use a threshold."""
    used = "\n".join(p.read_text("utf-8") for p in sources())
    headers = {room: tolerances.header(room).read_text("utf-8") for room in ROOM_NAMES}
    assert [
        entry.key
        for entry in ALL
        if f"{entry.topic}::{entry.name}" not in used
        and len(re.findall(rf"\b{entry.name}\b", headers[entry.room])) < 2
    ] == []

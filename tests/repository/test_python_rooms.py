"""The subpackages of nsmb depend on one another only along the arrows listed here.

All imports count: in modules, inside functions, and for types only.
"""

import ast
import subprocess
import sys
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import nsmb

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "nsmb"

# room: the rooms it may import
ARROWS: dict[str, set[str]] = {
    "common": set(),
    "complementarity": {"common"},
    "geometry": {"common"},
    "events": {"common"},
    "pictures": {"common", "events"},
    "system": {"common", "pictures"},
    "solution": {"common", "events", "pictures", "system"},
    "instant": {"common", "complementarity", "system"},
    "symbolic": {"common", "system"},
    "gears": {"common", "geometry", "pictures", "system"},
    "multibody": {"common", "gears", "geometry", "pictures", "system"},
    "flexible": {"common", "multibody"},
    "simulation": {"common", "events", "solution", "system"},
    "viewer": {"common", "pictures", "solution", "system"},
    "systems": {
        "common", "events", "flexible", "gears", "geometry", "multibody", "pictures", "solution",
        "symbolic", "system",
    },
    "testing": {"common", "events", "geometry", "multibody", "solution", "system"},
    "explorer": {
        "common", "events", "pictures", "simulation", "solution", "system", "testing",
    },
    "analysis": {
        "common", "events", "explorer", "instant", "pictures", "simulation", "solution", "system",
    },
}  # fmt: skip

ANALYSIS: dict[str, set[str]] = {
    "common": set(),
    "figures": set(),
    "maps": {"common", "figures"},
    "orbits": {"common", "figures", "maps"},
    "sweeps": {"branches", "common", "exploring", "figures", "maps"},
    "branches": {"common", "figures", "maps", "orbits"},
    "exploring": {"branches", "maps", "orbits"},
    "statistics": {"common", "maps"},
    "equilibria": {"branches", "common", "orbits"},
    "harmonic": {"branches", "common", "orbits"},
    "problems": {"branches", "equilibria", "harmonic", "orbits"},
}

# The public interface imports everything and is imported by nothing.
FACE = {
    "",
    "__main__",
    "cli",
    "plotting",
    "results",
}
FACE_OF_ANALYSIS = {"", "results"}
MOST_ARROWS = 66


def module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def imports(name: str) -> frozenset[str]:
    """Return the modules of the package imported anywhere in this one."""
    found = set()
    for node in ast.walk(ast.parse(FILES[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: imports are absolute here"
            origin = node.module or ""
            names = {f"{origin}.{alias.name}" for alias in node.names}
            found |= {each if each in FILES else origin for each in names}
    return frozenset(each for each in found if each in FILES and each != name)


def room(name: str) -> str:
    return [*name.split("."), ""][1]


def hall(name: str) -> str:
    """Return the part of `nsmb.analysis`."""
    return [*name.split("."), "", ""][2]


def test_there_are_rooms() -> None:
    assert {room(name) for name in FILES} == set(ARROWS) | FACE
    inside = {hall(name) for name in FILES if room(name) == "analysis"}
    assert inside == set(ANALYSIS) | FACE_OF_ANALYSIS


def test_imports_follow_the_arrows() -> None:
    assert [
        f"{name} imports {other}"
        for name in FILES
        if room(name) not in FACE
        for other in sorted(imports(name))
        if room(other) not in {room(name), *ARROWS[room(name)]}
    ] == []


def test_imports_within_analysis_follow_the_arrows() -> None:
    assert [
        f"{name} imports {other}"
        for name in FILES
        if room(name) == "analysis" and hall(name) not in FACE_OF_ANALYSIS
        for other in sorted(imports(name))
        if room(other) == "analysis" and hall(other) not in {hall(name), *ANALYSIS[hall(name)]}
    ] == []


@pytest.mark.parametrize("arrows", [ARROWS, ANALYSIS])
def test_no_arrow_is_idle(arrows: dict[str, set[str]]) -> None:
    """Every permitted dependency is used."""
    place = room if arrows is ARROWS else hall
    names = [n for n in FILES if arrows is ARROWS or room(n) == "analysis"]
    used = defaultdict(set)
    for name in names:
        for other in imports(name):
            if other in names and place(other) != place(name):
                used[place(name)].add(place(other))
    assert {name: used[name] for name in arrows} == arrows


def test_arrows_are_few() -> None:
    assert sum(len(known) for known in ARROWS.values()) <= MOST_ARROWS


def test_no_file_leads_back_to_itself() -> None:
    """Indirect cycles count, too. The public interface, which imports everything, is exempt."""
    state: dict[str, int] = {}

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert state.get(name) != 1, " -> ".join((*way[way.index(name) :], name))
        if name in state:
            return
        state[name] = 1
        for other in sorted(imports(name)):
            visit(other, (*way, name))
        state[name] = 2

    for name in FILES:
        visit(name, ())


def test_what_takes_time_is_imported_when_asked_for() -> None:
    """`import nsmb` omits subpackages not needed for a run, but type checkers see their names."""
    code = "import sys, nsmb; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    rooms = {name.split(".")[1] for name in loaded.split() if name.startswith("nsmb.")}
    assert "simulation" in rooms
    later = {"analysis", "explorer", "flexible", "geometry", "instant", "multibody", "symbolic"}
    assert not rooms & {*later, "complementarity", "systems"}
    told = set()
    for node in ast.parse(FILES["nsmb"].read_text("utf-8")).body:
        if isinstance(node, ast.If):
            imported = [part for part in node.body if isinstance(part, ast.ImportFrom)]
            told |= {(part.module, alias.name) for part in imported for alias in part.names}
    assert told == {(home, name) for name, home in nsmb._HOMES.items()}
    homes = {name: home for home, name in told if home != "nsmb"}
    for name, home in homes.items():
        assert getattr(nsmb, name) is getattr(import_module(home), name)

"""Facts stated in several files agree."""

import ast
import re
import subprocess
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path

import hypothesis

import nsmb

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"

# Absolute paths of one machine. In a URL or a relative path a word precedes the slash.
MACHINE_PATH = re.compile(r"(?<![\w.~})\]/-])/(?:work|root|tmp|home)/[\w.]")


def tracked_files() -> list[Path]:
    try:
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):  # unpacked from the sdist
        return files_that_are_not_ignored()
    return [ROOT / name for name in listing if name and (ROOT / name).is_file()]


def files_that_are_not_ignored() -> list[Path]:
    """Return the files that git would list, by the names in .gitignore."""
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    patterns = [line.strip("/") for line in ignored] + [".git"]
    folders = [ROOT / pattern for pattern in patterns if "/" in pattern]
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and not any(folder in path.parents for folder in folders)
        and not any(
            fnmatch(part, pattern) for part in path.relative_to(ROOT).parts for pattern in patterns
        )
    ]


def test_files_are_known_without_git() -> None:
    """Both lists agree on which files are ignored."""
    assert {path for path in files_that_are_not_ignored() if path.suffix == ".py"} == {
        path for path in tracked_files() if path.suffix == ".py"
    }


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))


def test_machine_path_pattern() -> None:
    for folder in ("work", "root", "tmp", "home"):
        assert MACHINE_PATH.search(f'open("/{folder}/file")')
        assert not MACHINE_PATH.search(f"https://example.org/{folder}/file ../{folder}/file")


def test_no_machine_paths() -> None:
    found = []
    for path in tracked_files():
        try:
            lines = path.read_text("utf-8").splitlines()
        except UnicodeDecodeError:  # an image or other data
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
            for number, line in enumerate(lines, 1)
            if MACHINE_PATH.search(line)
        ]
    assert not found, "\n".join(found)


# Functions that measure time.
CLOCKS = {"perf_counter", "monotonic", "process_time", "thread_time", "time"}


def clocks(tree: ast.AST) -> list[int]:
    """Return the lines that use a clock, directly or by a deadline."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            is_clock = node.value.id == "time" and node.attr.removesuffix("_ns") in CLOCKS
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name.removesuffix("_ns") for alias in node.names}
            is_clock = node.module == "time" and bool(names & CLOCKS)
        elif isinstance(node, ast.keyword) and node.arg == "deadline":
            is_clock = not (isinstance(node.value, ast.Constant) and node.value.value is None)
        else:
            continue
        found += [getattr(node, "lineno", 0)] if is_clock else []
    return found


def test_clocks_are_recognised() -> None:
    for text in ("time.perf_counter()", "from time import monotonic_ns", "f(deadline=200)"):
        assert clocks(ast.parse(text)) == [1]
    for text in ("time.sleep(1)", "from time import sleep", "f(deadline=None)", "sol.time"):
        assert clocks(ast.parse(text)) == []


def test_no_test_looks_at_a_clock() -> None:
    found = []
    for path in tracked_files():
        # The campaign is also a program and may report its duration.
        is_test = path.name.startswith("test_") or not path.is_relative_to(TESTS / "campaign")
        if path.suffix == ".py" and path.is_relative_to(TESTS) and is_test:
            found += [f"{path}:{line}" for line in clocks(ast.parse(path.read_text("utf-8")))]
    assert not found, "\n".join(found)
    assert hypothesis.settings().deadline is None


def test_version_is_the_one_in_pyproject() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    match = re.search(r'^version = "([^"]+)"', text, re.M)
    assert match
    assert nsmb.__version__ == match[1] == metadata.version("nsmb")


def test_documented_make_commands_exist() -> None:
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text("utf-8")
        # A command starts a line of a code block or an inline code span.
        commands = set(re.findall(r"(?:^\s*(?:\$ )?|`)make ([a-z-]+)", text, re.M))
        assert {"demo", "test"} <= commands
        assert commands <= make_targets()


QUESTIONS = re.findall(
    r"^\| (.*\?) \| `([^`]+)` \| `([^`]+)` \|$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M
)


def test_files_that_answer_questions_define_the_names() -> None:
    assert len(QUESTIONS) >= 10
    for question, file, name in QUESTIONS:
        text = (ROOT / file).read_text("utf-8")
        if file.endswith(".py"):
            assert re.search(rf"^((class|def) {name}\b|{name}\b.* = )", text, re.M), question
        else:  # a function, free or of a class, or the members of a class
            assert re.search(rf"^\S[^=]*\b(\w+::)?{name}(::\w+)?\(", text, re.M), question


def notation_names() -> list[str]:
    """Return the identifiers in the column "code" of the notation tables."""
    names = []
    for line in (ROOT / "cpp/nsmb/core/notation.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3:
            names += re.findall(r"`([^`]+)`", cells[2])
    return sorted(set(names))


def core_identifiers() -> set[str]:
    """Return the names in the code of the core, without comments."""
    sources = sorted((ROOT / "cpp/nsmb").glob("*/*.?pp"))
    code = "\n".join(re.sub(r"//[^\n]*", "", file.read_text("utf-8")) for file in sources)
    return set(re.findall(r"[A-Za-z_]\w*", code))


def test_every_name_of_the_notation_is_one_of_the_code() -> None:
    names, identifiers = notation_names(), core_identifiers()
    assert len(names) > 50
    assert [name for name in names if name not in identifiers] == []


def test_drawn_numbers_are_resolved() -> None:
    """`st.floats` draws 5e-157, at which references of other libraries fail."""
    assert [
        path
        for path in TESTS.rglob("*.py")
        if path != TESTS / "support" / "draws.py"
        and re.search(r"(\bst|strategies)\.floats\((?!\))", path.read_text("utf-8"))
    ] == []

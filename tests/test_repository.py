"""Facts that are written in more than one file agree with each other."""

import re
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

import nsmb

ROOT = Path(__file__).resolve().parents[1]

# Absolute paths of one machine. In a URL or a relative path a word stands before the slash.
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
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing if name and (ROOT / name).is_file()]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))


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


def test_version_is_the_one_in_pyproject() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    match = re.search(r'^version = "([^"]+)"', text, re.M)
    assert match
    assert nsmb.__version__ == match[1] == metadata.version("nsmb")


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_documented_make_commands_exist(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    # a command starts a line of a code block or an inline code span
    commands = set(re.findall(r"(?:^\s*(?:\$ )?|`)make ([a-z]+)", text, re.M))
    assert {"demo", "test"} <= commands
    assert commands <= make_targets()

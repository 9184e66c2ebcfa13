"""The Python used by `make`, and the lowest versions of the dependencies."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="make and its scripts are for POSIX")


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")} | variables
    return subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_a_python_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    """No other Python is silently used instead."""
    old = tmp_path / "python3.9"
    old.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    old.chmod(0o755)
    for name in (str(old), "no-such-python"):
        done = run("bash", ".ci/setup.sh", "plot", PYTHON=name)
        assert done.returncode == 1
        assert f"PYTHON: must be a Python >= 3.10, got {name}" in done.stderr


@pytest.mark.parametrize("words", [("PYTHON=mine", "VENV=none"), ("VENV=none",)])
def test_make_takes_the_python_that_is_named(words: tuple[str, ...]) -> None:
    assert shutil.which("make")
    done = run("make", "-n", *words, "demo", PYTHON="mine")
    assert done.stdout.startswith('PYTHON="mine" bash .ci/setup.sh plot\n')


def test_lowest_versions_are_those_of_pyproject() -> None:
    lines = subprocess.check_output([sys.executable, ROOT / ".ci" / "lowest.py"], text=True)
    lowest = dict(line.split("==") for line in lines.splitlines())
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    own = ", ".join(f'"{name}>={lowest[name]}"' for name in ("numpy", "scipy", "tqdm"))
    assert f"dependencies = [{own}]" in text
    assert set(lowest) > {"matplotlib", "scipy", "sympy", "pytest", "pybind11", "h5py"}
    assert "python" not in lowest

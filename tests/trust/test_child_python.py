"""Child processes import the modules of this process, and none from the working directory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nsmb.common.child_python import child_python


def run(code: str, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        **child_python(code, **environment), cwd=folder, capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


def test_a_child_imports_what_its_parent_can_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "of_the_parent.py").write_text("VALUE = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert run("import of_the_parent; print(of_the_parent.VALUE)", Path("/")) == "7"


def test_modules_in_the_working_directory_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of downloads may hold a file named `json.py`."""
    (tmp_path / "json.py").write_text("print('taken')\n")
    paths = [path for path in sys.path if path]
    monkeypatch.setattr(sys, "path", paths)
    assert run("import json; print(len(json.dumps({})))", tmp_path) == "2"


def test_variables_are_added_to_the_environment(tmp_path: Path) -> None:
    code = "import os; print(os.environ['NSMB_MINE'], 'PATH' in os.environ)"
    assert run(code, tmp_path, NSMB_MINE="3") == "3 True"

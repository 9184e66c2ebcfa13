"""Deprecation warnings of dependencies fail tests only on request, all other warnings always."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ANNOUNCED = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning", "Visible")
OTHERS = ("UserWarning", "RuntimeWarning", "ResourceWarning", "Gain", "Model")
SCRIPT = f"""
import warnings
import pytest
from numpy.exceptions import VisibleDeprecationWarning as Visible
from nsmb import EnergyGainWarning as Gain, ModelWarning as Model

@pytest.mark.parametrize("kind", [{", ".join(ANNOUNCED + OTHERS)}])
def test_warning(kind):
    warnings.warn("said in a module of the package", kind)
"""


@pytest.mark.parametrize(("strict", "failed"), [("", len(OTHERS)), ("1", len(ANNOUNCED + OTHERS))])
def test_announcements_are_errors_only_when_asked_for(
    strict: str, failed: int, tmp_path: Path
) -> None:
    path = tmp_path / "test_warning.py"
    path.write_text(SCRIPT, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml")]
    command += ["--rootdir", str(tmp_path), "-p", "tests.support.strict_warnings", str(path)]
    environment = os.environ | {"NSMB_STRICT_WARNINGS": strict}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    passed = len(ANNOUNCED + OTHERS) - failed
    counts = f"{failed} failed, {passed} passed" if passed else f"{failed} failed in"
    assert counts in done.stdout, done.stdout + done.stderr

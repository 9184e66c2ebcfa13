"""Every guarantee of SECURITY.md names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SECURITY = HERE.parents[1] / "SECURITY.md"


@pytest.mark.skipif(not SECURITY.exists(), reason="needs the repository")
def test_promises_have_tests() -> None:
    rows = re.findall(r"^\| (.+) \| (`test_.+`) \|$", SECURITY.read_text("utf-8"), re.MULTILINE)
    assert len(rows) >= 18
    known = {
        f"{path.name}::{node.name}"
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    named = [name for _, tests in rows for name in re.findall(r"`([^`]+)`", tests)]
    assert sorted(named) == sorted(set(named))
    assert not set(named) - known

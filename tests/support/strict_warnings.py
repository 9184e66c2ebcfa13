"""Deprecation warnings of Python and of dependencies, errors if NSMB_STRICT_WARNINGS is set.

A new release of a dependency may announce a change at any time. That must not fail the tests of a
user, so pyproject.toml exempts these categories from the rule that warnings are errors.
"""

from __future__ import annotations

import os

import pytest

ANNOUNCED = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")


def is_strict() -> bool:
    return bool(os.environ.get("NSMB_STRICT_WARNINGS"))


def exemptions(action: str) -> list[str]:
    """Return filters for Python's option -W that exempt announced changes, none if strict."""
    return [] if is_strict() else [f"{action}::{category}" for category in ANNOUNCED]


def pytest_configure(config: pytest.Config) -> None:
    if is_strict():
        config.addinivalue_line("filterwarnings", "error")

"""Examples in docstrings show what really happens."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "accelerations",
        "callback_system",
        "scene",
        "simulate",
        "testing.comparison",
        "testing.script",
        "testing.strategies",
        "testing.validity",
    ],
)
def test_examples_of_docstrings(module: str) -> None:
    failed, attempted = doctest.testmod(import_module(f"nsmb.{module}"))
    assert attempted > 0
    assert failed == 0

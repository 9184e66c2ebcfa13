"""Examples in docstrings show the actual results."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import nsmb

# The command line ends the process, and the core has no docstrings with examples.
NOT_IMPORTED = {"__main__", "_core", "animation", "drawing", "plot", "solids"}
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(nsmb.__path__, "nsmb.")
    if info.name.split(".")[1] not in NOT_IMPORTED
)
LEAST_EXAMPLES = 25  # number of modules with examples


def examples(module: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder().find(import_module(module))
    return [test for test in found if test.examples]


WITH_EXAMPLES = [module for module in MODULES if examples(module)]


def test_there_are_examples() -> None:
    assert len(WITH_EXAMPLES) >= LEAST_EXAMPLES


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_of_docstrings(module: str) -> None:
    assert doctest.testmod(import_module(module)).failed == 0

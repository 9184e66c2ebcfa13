"""Examples in docstrings show what really happens."""

import doctest
import sys

import pytest

import nsmb


@pytest.mark.parametrize("module", ["accelerations", "callback_system", "simulate"])
def test_examples_of_docstrings(module: str) -> None:
    assert nsmb.__name__ == "nsmb"  # functions of nsmb hide modules of their name
    failed, attempted = doctest.testmod(sys.modules[f"nsmb.{module}"])
    assert attempted > 0
    assert failed == 0

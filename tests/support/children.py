"""Runs of pytest in child processes, which load a changed core."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import tiers

NO_TESTS = 5  # pytest's exit code


def preload() -> None:
    """Import packages that most tests need once, instead of in each child.

    pytest itself imports its plugins, Hypothesis among them.
    """
    for module in ("numpy", "scipy.integrate", "scipy.optimize"):
        importlib.import_module(module)


class Watch:
    """A plugin that logs the name of each test that starts and ends a test that takes far too long.

    The limits are processor time in s, at least a hundred times the usual cost of a quick test, so
    that a busy machine changes nothing.
    """

    QUICK, SLOW = 30, 600

    def __init__(self) -> None:
        self.slow = tiers.slow_tests()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        import resource  # not on Windows

        os.write(1, f"started {nodeid}\n".encode())
        times = os.times()
        limit = int(times.user + times.system) + (self.SLOW if nodeid in self.slow else self.QUICK)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def tests_in_child(arguments: list[str], environment: Mapping[str, str], output: str) -> None:
    """Run pytest in an environment that the core reads when it is loaded in this process."""
    os.environ.update(environment)
    sys.path[:0] = environment.get("PYTHONPATH", "").split(os.pathsep)
    with open(output, "wb", buffering=0) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os._exit(pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[Watch()]))


def pytest_run(
    arguments: list[str],
    environment: Mapping[str, str],
    output: Path,
    timeout: float | None,
) -> tuple[int | None, str]:
    """Return the exit code, or None after the timeout (s), and the output."""
    fork = multiprocessing.get_context("fork")
    child = fork.Process(target=tests_in_child, args=(arguments, environment, str(output)))
    child.start()
    child.join(timeout)
    code = child.exitcode
    if code is None:
        child.kill()
        child.join()
    return code, output.read_text("utf-8", "replace")


def function_of(test: str) -> str:
    """Return the name of the test without its parameters."""
    return test.split("[")[0]


def first_failure(code: int | None, text: str) -> str | None:
    """Return the node id of the test that failed, crashed or hung, or None if all passed."""
    if code in (0, NO_TESTS):
        return None
    started = re.findall(r"started (.+)$", text, re.MULTILINE)
    if failed := re.search(r"^(?:FAILED|ERROR) (tests/.+)$", text, re.MULTILINE):
        # The line continues with " - " and the error, and parameters of a test may also contain it.
        named = [test for test in started if failed[1].startswith(test)]
        return max(named, key=len) if named else failed[1].split(" - ")[0]
    return started[-1] if started else "the import"

"""Fail tests that are skipped for a reason not listed here: `pytest --nothing-skipped`.

Otherwise a missing extra or a moved tool would silently disable its tests indefinitely.
"""

from __future__ import annotations

import re

import pytest

# Reason, as a regular expression, and why the skip is acceptable.
MAY_BE_SKIPPED: dict[str, str] = {
    "its states are more than q and u": "asked of every ready-made system, whatever it has",
    "no server: .*": "a machine may forbid to open ports",
    "sends a signal": "asked of POSIX only, as Windows knows no SIGINT for one process",
    "nothing renders here: .*": "the setup of the tests installs a library where it may",
    "no Chromium on this machine": "the setup of the tests installs it where it may",
    "the judges of the repository need Python 3.11": "asked of every newer Python",
    "limits the size of files": "asked of POSIX only, as Windows has no such limit",
}


def is_listed(reason: str) -> bool:
    return any(re.fullmatch(known, reason) for known in MAY_BE_SKIPPED)


class NothingSkipped:
    def __init__(self) -> None:
        self.found: list[str] = []

    def look(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = text.removeprefix("Skipped: ")
        if not is_listed(reason):
            self.found.append(f"{report.nodeid}: {reason}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.look(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.look(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.found:
            terminalreporter.write_line(f"the reason is not in tests/support/skips.py: {line}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--nothing-skipped",
        action="store_true",
        help="fail when a test is skipped for a reason that tests/support/skips.py does not list",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--nothing-skipped"):
        config.pluginmanager.register(NothingSkipped())

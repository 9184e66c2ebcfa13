"""Tiers of the test suite and the source of the `slow` marker.

`make test` runs ``pytest -m "not slow"``, `make test-full` everything. ``slow_tests.txt`` lists
the tests that cost more than `LIMIT`, with their measured processor time. Renew the list with

    pytest -n 2 --dist worksteal --record-costs build/costs.json
    python -m tests.support.tiers build/costs.json

`.ci/run` runs those slow tests that cost little: ``pytest -m slow --cost-at-most SECONDS``.

A few slow tests find faults that no fast test finds. `SHARE` keeps them in `make test`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

LIMIT = 0.3  # s of processor time, with the fixtures that the test needs
STORED = Path(__file__).with_name("slow_tests.txt")
COLLECTED = pytest.StashKey[frozenset[str]]()  # node ids, before any test is deselected

SHARE = [
    # Random systems: 50 linear, 50 of bodies, 25 of energies, 25 spatial, 2 of each other kind.
    r"tests/campaign/test_campaign\.py::.*\[(linear|bodies)-(0|25)\]",
    r"tests/campaign/test_campaign\.py::.*\[(energies|spatial)-0\]",
    r"tests/campaign/test_campaign\.py::test_first_runs_in_steps_are_right\[.*\]",
    # One run of each ready-made system.
    r"tests/systems/test_registry\.py::test_a_system_starts_without_penetration_and_runs\[.*\]",
    # The pages that a newcomer reads first.
    r"tests/pages/test_documents\.py::test_page_does_what_it_shows"
    r"\[(README|docs/learn/(tour|first-steps|messages))\]",
]


def stored_costs() -> dict[str, float]:
    """Return the stored list: node ids and their processor time in s."""
    costs = {}
    for line in STORED.read_text("utf-8").splitlines():
        if line and line[0] != "#":
            seconds, nodeid = line.split(maxsplit=1)
            costs[nodeid] = float(seconds)
    return costs


def slow_tests() -> frozenset[str]:
    """Return the node ids in the stored list."""
    return frozenset(stored_costs())


def is_in_share(nodeid: str) -> bool:
    return any(re.fullmatch(pattern, nodeid) for pattern in SHARE)


def processor_time() -> float:
    """Return the processor time of this process and of its ended children, in s."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Costs:
    """The processor time of each test with its fixtures, as if it ran alone.

    A fixture of a module is set up once. Its cost is added to every test that asks for it, so the
    marker does not depend on the order of tests.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.costs: dict[str, float] = {}
        self.fixtures: dict[tuple[str, str], float] = {}
        self.own: set[tuple[str, str]] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[object]:
        start = processor_time()
        result = yield
        if fixturedef.scope in ("module", "class", "package"):
            key = (fixturedef.baseid, fixturedef.argname)
            self.fixtures[key] = max(self.fixtures.get(key, 0.0), processor_time() - start)
            self.own.add(key)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[object]:
        self.own.clear()
        item.user_properties.append(("started", str(processor_time())))
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            name, started = item.user_properties.pop()
            assert name == "started"
            names = set(getattr(item, "fixturenames", ()))
            shared = sum(
                seconds
                for (base, argument), seconds in self.fixtures.items()
                if argument in names and item.nodeid.startswith(base)
                and (base, argument) not in self.own
            )  # fmt: skip
            report.user_properties = [("cost", processor_time() - float(started) + shared)]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self.costs[report.nodeid] = float(str(dict(report.user_properties)["cost"]))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput"):
            self.path.write_text(json.dumps(self.costs, indent=0, sort_keys=True), "utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-costs", type=Path, metavar="FILE", help="write the processor time of each test"
    )
    parser.addoption(
        "--cost-at-most", type=float, metavar="SECONDS",
        help="leave out tests that the stored list of slow tests says cost more",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    if path := config.getoption("--record-costs"):
        config.pluginmanager.register(Costs(path.absolute()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = frozenset(item.nodeid for item in items)
    costs, most = stored_costs(), config.getoption("--cost-at-most")
    for item in items:
        if item.nodeid in costs and not is_in_share(item.nodeid):
            item.add_marker(pytest.mark.slow)
    if most is not None:
        costly = [item for item in items if costs.get(item.nodeid, 0.0) > most]
        config.hook.pytest_deselected(items=costly)
        items[:] = [item for item in items if costs.get(item.nodeid, 0.0) <= most]


def store(costs: dict[str, float]) -> None:
    """Write the list of slow tests. Tests that were not measured keep their entries."""
    known = stored_costs() if STORED.exists() else {}
    known = {n: s for n, s in (known | costs).items() if s > LIMIT}
    lines = [f"{known[nodeid]:6.2f} {nodeid}" for nodeid in sorted(known)]
    head = f"# Processor time in s of tests above {LIMIT} s. Made by tests/support/tiers.py.\n"
    STORED.write_text(head + "\n".join(lines) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.tiers", description=__doc__)
    parser.add_argument("costs", type=Path, help="file written by pytest --record-costs")
    store(json.loads(parser.parse_args().costs.read_text("utf-8")))


if __name__ == "__main__":
    main()

"""The list of slow tests is consistent."""

import re

import pytest

from tests.support import tiers


def test_each_slow_test_exists(request: pytest.FixtureRequest) -> None:
    """This covers the files that are completely collected in this run."""
    slow, collected = tiers.slow_tests(), request.config.stash[tiers.COLLECTED]
    assert len(slow) > 1000
    narrowed = {arg.split("::")[0] for arg in request.config.args if "::" in arg}
    files = {nodeid.split("::")[0] for nodeid in collected} - narrowed
    assert {nodeid for nodeid in slow if nodeid.split("::")[0] in files} <= collected


def test_each_pattern_of_the_share_names_slow_tests() -> None:
    slow = tiers.slow_tests()
    for pattern in tiers.SHARE:
        assert any(re.fullmatch(pattern, nodeid) for nodeid in slow), pattern

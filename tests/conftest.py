"""Settings for all tests."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.support import skips, strict_warnings, tiers

# Collecting creates many objects and no garbage.
gc.disable()

# No test depends on the speed of the machine, and every run draws the same examples.
# `make campaign` draws fresh ones.
hypothesis.settings.register_profile("nsmb", deadline=None, derandomize=True)
hypothesis.settings.register_profile("fresh", deadline=None, print_blob=True)
hypothesis.settings.load_profile("nsmb")

# Set before anything imports Matplotlib: tests and their processes draw without a screen.
os.environ["MPLBACKEND"] = "Agg"


def pytest_addoption(parser: pytest.Parser) -> None:
    skips.pytest_addoption(parser)
    tiers.pytest_addoption(parser)


def pytest_configure(config: pytest.Config) -> None:
    skips.pytest_configure(config)
    strict_warnings.pytest_configure(config)
    tiers.pytest_configure(config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.pytest_collection_modifyitems(config, items)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _figures() -> Iterator[None]:
    """Isolate each test from figures that another one has left open."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Use a separate folder for code compiled by the tests."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NSMB_CACHE_DIR", str(folder))
        yield folder

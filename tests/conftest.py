"""Settings for all tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests import skips, strict_warnings
from tests.skips import pytest_addoption as pytest_addoption

# No test depends on the speed of the machine.
hypothesis.settings.register_profile("nsmb", deadline=None)
hypothesis.settings.load_profile("nsmb")

# Set before anything imports Matplotlib: tests and the processes they start draw without a screen.
os.environ["MPLBACKEND"] = "Agg"


def pytest_configure(config: pytest.Config) -> None:
    skips.pytest_configure(config)
    strict_warnings.pytest_configure(config)


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Compiled code of the tests stays in a folder of its own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NSMB_CACHE_DIR", str(folder))
        yield folder

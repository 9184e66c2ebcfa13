"""Fixtures with runs: a handmade closed-form one, and the woodpecker toy."""

import sys
from collections.abc import Iterator

import pytest

import nsmb
from tests.python.sledge import sledge
from tests.python.thrown_ball import Ball


@pytest.fixture
def ball() -> nsmb.Solution:
    return Ball.solution()


@pytest.fixture(scope="session")
def toy() -> nsmb.Solution:
    """Return two seconds of the toy with the printed data."""
    return nsmb.simulate(nsmb.systems.woodpecker(), 2.0)


@pytest.fixture(scope="session")
def ride() -> nsmb.Solution:
    """Return three seconds of the sledge, with two-dimensional friction and force elements."""
    return nsmb.simulate(sledge(), 3.0, method=nsmb.EventDriven(impact_law="poisson"))


@pytest.fixture(scope="session")
def long_toy() -> nsmb.Solution:
    """Return the periodic motion of the toy with high friction."""
    return nsmb.simulate(nsmb.systems.woodpecker(mu=0.9), 6.0)


@pytest.fixture(autouse=True)
def _no_figures_left() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")

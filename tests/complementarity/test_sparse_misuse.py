"""Anything else than what a problem or a solve expects is a ValueError that names the argument."""

from typing import Any

import numpy as np
import pytest

from nsmb.complementarity import friction

JUNK = [None, "x", b"x", 1j, {"a": 1}, object(), [[1.0], []], np.array([np.nan] * 3)]
OPTIONAL = ("dimension", "free", "max_time", "max_iterations", "threads")
Problem = friction.SparseProblem


def wrong(*names: str) -> list[Any]:
    """Names with values that they do not take."""
    return [
        pytest.param(name, value, id=f"{name}-{type(value).__name__}")
        for name in names
        for value in (JUNK[1:] if name in OPTIONAL else JUNK)
    ]


def local(**changes: Any) -> friction.SparseProblem:
    return Problem.local(**({"W": np.eye(3), "q": [-1.0, 0.0, 0.0], "mu": 0.1} | changes))


def from_bodies(**changes: Any) -> friction.SparseProblem:
    given = {"M": np.eye(3), "H": np.eye(3), "f": [-1.0, 0.0, 0.0], "w": np.zeros(3), "mu": 0.1}
    return Problem.from_bodies(**(given | changes))


@pytest.mark.parametrize(("name", "value"), wrong("W", "q", "mu", "dimension", "free"))
def test_local_data(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        local(**{name: value})


@pytest.mark.parametrize("value", JUNK[1:], ids=lambda v: type(v).__name__)
def test_blocks(value: Any) -> None:
    with pytest.raises(ValueError, match="blocks: expected"):
        local(mu=None, blocks=value)


@pytest.mark.parametrize("value", JUNK, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", ["M", "H", "f", "w"])
def test_data_of_bodies(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        from_bodies(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    wrong(
        "problem", "method", "tol", "max_time", "max_iterations", "threads", "impulse_scale",
        "scale",
    ),
)  # fmt: skip
def test_options_of_a_solve(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        friction.solve_sparse(**({"problem": local()} | {name: value}))

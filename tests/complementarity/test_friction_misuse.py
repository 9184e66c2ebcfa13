"""An invalid argument of a problem or a solver raises a ValueError that names the argument."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from nsmb.complementarity import friction
from nsmb.complementarity.friction import ContactBlock, FrictionProblem

JUNK = [None, "x", b"x", 1j, {"a": 1}, object(), [[1.0], []], np.array([np.nan] * 3)]
OPTIONAL = (
    "dimension", "free", "max_time", "max_iterations", "threads", "impulse_scale", "x_start", "r",
    "facets", "max_enumeration",
)  # fmt: skip


def wrong(*names: str) -> list[Any]:
    """Return argument names with invalid values."""
    return [
        pytest.param(name, value, id=f"{name}-{type(value).__name__}")
        for name in names
        for value in (JUNK[1:] if name in OPTIONAL else JUNK)
    ]


def local(**changes: Any) -> FrictionProblem:
    return FrictionProblem.local(**({"W": np.eye(3), "q": [-1.0, 0.0, 0.0], "mu": 0.1} | changes))


def from_bodies(**changes: Any) -> FrictionProblem:
    given = {"M": np.eye(3), "H": np.eye(3), "f": [-1.0, 0.0, 0.0], "w": np.zeros(3), "mu": 0.1}
    return FrictionProblem.from_bodies(**(given | changes))


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


@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("name", "value"),
    wrong(
        "problem", "method", "x_start", "storage", "tol", "impulse_scale", "scale",
        "max_iterations", "max_time", "threads", "r", "facets", "max_enumeration",
    ),
)  # fmt: skip
def test_options_of_a_solve(name: str, value: Any, storage: str) -> None:
    with pytest.raises(ValueError, match=name):
        friction.solve(**({"problem": local(), "storage": storage} | {name: value}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"W": np.zeros((2, 3))}, r"W: expected shape \(3, 3\), got \(2, 3\)"),
        ({"W": scipy.sparse.eye_array(2)}, r"W: expected shape \(3, 3\), got \(2, 2\)"),
        ({"W": 1j * scipy.sparse.eye_array(3)}, "W: expected real numbers"),
        ({"W": np.diag([1.0, np.nan, 1.0])}, "W: expected finite numbers, got nan"),
        ({"q": [1.0, np.nan, 0.0]}, r"q: expected finite numbers, got nan at \[1\]"),
        ({"q": [1.0, 0.0]}, "dimension: must divide 2 rows into contacts of 3"),
        ({"mu": -0.1}, r"mu: expected a finite number >= 0, got -0\.1"),
        (
            {"mu": None, "blocks": [ContactBlock(aspect=0.0)]},
            "aspect: expected a finite number > 0",
        ),
        ({"mu": None, "blocks": [ContactBlock(tangents=3)]}, "tangents: expected a number in"),
        ({"mu": None, "blocks": [ContactBlock(tangents=1)]}, "blocks: expected blocks of 3 rows"),
        ({"mu": None, "blocks": [ContactBlock(normal_of=1)]}, "normal_of: expected"),
    ],
)
def test_data_are_named_with_what_is_expected_and_what_came(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        local(**change)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "lemke"}, "method: expected one of auto, newton"),
        ({"storage": "full"}, "storage: expected one of auto, dense, sparse, got 'full'"),
        ({"x_start": [0.0]}, "x_start: expected .*3"),
        ({"max_iterations": 0}, "max_iterations: expected a whole number >= 1, got 0"),
        ({"tol": 0.0}, "tol: expected a number > 0, got 0"),
        ({"facets": 7}, "facets: expected an even number >= 4, got 7"),
        ({"max_enumeration": 25}, r"max_enumeration: expected a number in \[0, 24\], got 25"),
        ({"r": -1.0}, "r: expected a number > 0, got -1"),
        ({"impulse_scale": 0.0}, "impulse_scale: expected a number > 0, got 0"),
        ({"scale": np.inf}, "scale: expected a finite number"),
    ],
)
def test_options_are_named_with_what_is_expected_and_what_came(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        friction.solve(local(), **options)


@pytest.mark.parametrize(
    ("x", "radius", "aspect", "message"),
    [
        ([1.0, 2.0, 3.0], 1.0, 1.0, "x: expected one or two numbers, got 3"),
        ([1.0], -1.0, 1.0, "radius: expected a number >= 0, got -1"),
        ([1.0], 1.0, 0.0, "aspect: expected a number > 0, got 0"),
    ],
)
def test_projection_checks_its_arguments(
    x: list[float], radius: float, aspect: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        friction.project_disc(x, radius, aspect)

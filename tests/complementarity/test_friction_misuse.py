"""Friction problems: misuse is named with argument, expectation and what came."""

from typing import Any

import numpy as np
import pytest

from nsmb.complementarity import friction
from nsmb.complementarity.friction import Disc


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": np.zeros((2, 3))}, r"A: expected shape \(3, 3\), got shape \(2, 3\)"),
        ({"b": [1.0, np.nan, 0.0]}, "b: expected finite numbers, got nan"),
        ({"normals": [0, 3]}, "below n = 3, got 3"),
        ({"normals": [0, 1]}, "row 1 twice"),
        ({"normals": [0.5]}, "normals: expected an integer >= 0, got 0.5"),
        ({"discs": [(1, 2)]}, r"discs: expected Disc objects, got \(1, 2\)"),
        ({"discs": [Disc((1, 2), normal=2)]}, "normal=2, which is not in normals"),
        ({"method": "lemke"}, "method: expected one of auto, newton"),
        ({"x_start": [0.0]}, r"x_start: expected shape \(3,\)"),
        ({"max_iterations": -1}, "max_iterations: expected an integer >= 1, got -1"),
        ({"max_iterations": 0}, "max_iterations: expected an integer >= 1, got 0"),
        ({"accept_residual": 0.0}, "accept_residual: expected a finite number > 0, got 0.0"),
        ({"facets": 7}, "facets: expected an even number >= 4, got 7"),
        ({"max_enumeration": 25}, r"max_enumeration: expected a number in \[0, 24\], got 25"),
        ({"r": -1.0}, "r: expected a finite number > 0, got -1.0"),
        ({"scale": np.inf}, "scale: expected a finite number >= 0, got inf"),
    ],
)
def test_misuse_names_argument_expected_and_actual(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "A": np.eye(3), "b": np.zeros(3), "normals": [0], "discs": [Disc((1, 2), normal=0, mu=0.3)]
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        friction.solve(**(arguments | change))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rows": (1, 3)}, r"rows: expected \(i,\) or \(i, i \+ 1\), got \(1, 3\)"),
        ({"rows": ()}, "rows: expected"),
        ({"rows": (1,), "mu": -0.1}, "mu: expected a finite number >= 0, got -0.1"),
        ({"rows": (1,), "aspect": 0.0}, "aspect: expected a finite number > 0, got 0.0"),
        ({"rows": (1,), "normal": -2}, "normal: expected an integer >= 0, got -2"),
    ],
)
def test_disc_checks_its_fields(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Disc(**fields)

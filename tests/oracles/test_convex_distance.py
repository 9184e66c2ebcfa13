"""The oracle of convex bodies agrees with closed forms and with quadratic programming."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.oracles.convex_distance import (
    can_be_parted,
    distance_by_programming,
    signed_distance,
)

CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2.0


@pytest.mark.parametrize(
    ("shift", "expected"),
    [((1.5, 0.2, 0.1), 0.5), ((1.3, 1.4, 0.0), 0.5), ((0.9, 0.0, 0.0), -0.1), ((1.0, 0, 0), 0.0)],
)
def test_two_cubes_along_each_other(shift: tuple[float, float, float], expected: float) -> None:
    assert abs(signed_distance(CUBE, CUBE + np.array(shift)) - expected) < 1e-14


def test_points_and_segments() -> None:
    a, b = np.zeros((1, 3)), np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0]])
    assert signed_distance(a, b, 0.25) == pytest.approx(0.75, abs=1e-15)


@pytest.mark.parametrize("seed", range(10))
def test_programming_agrees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(8, 3))
    b = CUBE @ Rotation.random(random_state=rng).as_matrix() + rng.normal(size=3) * 2.0
    distance = signed_distance(a, b)
    assert (distance > 0.0) == can_be_parted(a, b)
    assert abs(max(distance, 0.0) - distance_by_programming(a, b)) < 1e-5  # of the minimiser

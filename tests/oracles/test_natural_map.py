"""The natural map, for projections by a grid, a block on a plane and a rolling disc."""

import numpy as np
import pytest

from tests.oracles import natural_map


@pytest.mark.parametrize("rows", [2, 3, 5])
def test_no_point_of_the_cone_is_nearer_than_the_projection(rows: int) -> None:
    rng = np.random.default_rng(rows)
    for _ in range(40):
        mu, mu_R = rng.uniform(0.0, 1.5, 2)
        r = rng.standard_normal(rows) * [2.0, *[1.0] * (rows - 1)]
        nearest = natural_map.project(r, mu, mu_R)
        assert np.linalg.norm(nearest[1:3]) <= mu * nearest[0] + 1e-14
        assert np.linalg.norm(nearest[3:]) <= mu_R * nearest[0] + 1e-14
        distance = np.linalg.norm(r - nearest)
        for _ in range(200):
            point = rng.standard_normal(rows)
            point[0] = abs(point[0])
            for part, slope in ((slice(1, 3), mu), (slice(3, 5), mu_R)):
                size = np.linalg.norm(point[part])
                if size > slope * point[0]:
                    point[part] *= slope * point[0] / size
            for step in (1.0, 1e-2):  # far points, and near ones: the cone is convex
                other = nearest + step * (point - nearest)
                assert np.linalg.norm(r - other) >= distance - 1e-14


def test_a_sliding_block_has_no_error_with_its_friction_and_some_without() -> None:
    # A mass of 1 kg with normal velocity -2 m/s and slip 3 m/s has impulses 2 and -0.2.
    q, mu = np.array([-2.0, 3.0, 0.0]), np.array([0.1])
    r = np.array([2.0, -0.2, 0.0])
    assert natural_map.error(r, q + r, q, mu, rows=3) < 1e-15
    wrong = np.array([2.0, 0.0, 0.0])
    # z = (0.3, 3, 0), r - z = (1.7, -3, 0): projected with t = (1.7 + 0.3) / 1.01.
    t = 2.0 / 1.01
    expected = np.hypot(2.0 - t, 0.1 * t) / np.linalg.norm(q)
    assert natural_map.error(wrong, q + wrong, q, mu, rows=3) == pytest.approx(expected, rel=1e-14)


def test_a_ball_that_rolls_on_feels_the_whole_rolling_resistance() -> None:
    # W = 1: normal impulse 2, rolling velocity 1 along R1, slowed by mu_R 2 = 0.1.
    q = np.array([-2.0, 0.0, 0.0, 1.0, 0.0])
    r = np.array([2.0, 0.0, 0.0, -0.1, 0.0])
    error = natural_map.error(r, q + r, q, np.array([0.5]), rows=5, mu_R=np.array([0.05]))
    assert error < 1e-15

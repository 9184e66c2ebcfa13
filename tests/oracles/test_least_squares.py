"""Nonnegative least squares meets the optimality conditions, also for dependent columns."""

import numpy as np
import pytest

from tests.oracles.least_squares import nonnegative


@pytest.mark.parametrize("seed", range(40))
def test_what_is_found_is_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 8), rng.integers(1, 12)
    A, b = rng.standard_normal((rows, columns)), rng.standard_normal(rows)
    if seed % 3 == 0:
        A[:, columns // 2 :] = A[:, : columns - columns // 2]
    x, left = nonnegative(A, b)
    slope = A.T @ (A @ x - b)
    assert (x >= 0.0).all()
    assert slope.min() >= -1e-12
    assert np.abs(slope * x).max() <= 1e-12
    assert left == pytest.approx(np.linalg.norm(A @ x - b))


def test_without_columns_everything_is_left() -> None:
    assert nonnegative(np.zeros((2, 0)), np.array([3.0, 4.0]))[1] == 5.0

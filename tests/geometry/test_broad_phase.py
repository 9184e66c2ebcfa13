"""Pairs of overlapping boxes, against a comparison of all pairs."""

import numpy as np
import pytest
from numpy.typing import NDArray

from nsmb._core import geometry

Floats = NDArray[np.float64]


def all_pairs(low: Floats, high: Floats) -> list[tuple[int, int]]:
    near = (low[:, None] <= high[None]).all(axis=2)
    i, j = np.nonzero(np.triu(near & near.T, 1))
    return list(zip(i.tolist(), j.tolist(), strict=True))


def found_pairs(low: Floats, high: Floats) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in geometry.BroadPhase().find(low, high)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_all_overlapping_boxes_are_found_in_order(seed: int, spread: float) -> None:
    """Sizes over several decades, with some boxes flat and some unbounded."""
    rng = np.random.default_rng(seed)
    n = 400
    center = rng.uniform(-5.0, 5.0, (n, 3))
    half = 0.2 * np.exp(spread * rng.normal(size=(n, 1))) * rng.uniform(0.1, 1.0, (n, 3))
    half[rng.random(n) < 0.02] = np.inf
    half[rng.random(n) < 0.05, 2] = 0.0
    low, high = center - half, center + half
    expected = all_pairs(low, high)
    assert len(expected) > n
    assert found_pairs(low, high) == expected


def test_a_lattice_of_touching_boxes_far_from_the_origin() -> None:
    grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), axis=-1).reshape(-1, 3) + 1e6
    assert found_pairs(grid - 0.5, grid + 0.5) == all_pairs(grid - 0.5, grid + 0.5)


def test_two_fixed_boxes_are_no_pair() -> None:
    low, high = np.zeros((3, 3)), np.ones((3, 3))
    pairs = geometry.BroadPhase().find(low, high, [True, True, False])
    assert pairs.tolist() == [[0, 2], [1, 2]]


def test_nothing_and_one_box_have_no_pairs() -> None:
    search = geometry.BroadPhase()
    assert search.find(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 2)
    assert search.find(np.zeros((1, 3)), np.ones((1, 3))).shape == (0, 2)


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="boxes"):
        geometry.BroadPhase().find(np.full((1, 3), np.nan), np.ones((1, 3)))
    with pytest.raises(ValueError, match="is_fixed"):
        geometry.BroadPhase().find(np.zeros((2, 3)), np.ones((2, 3)), [True])

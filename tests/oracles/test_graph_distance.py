"""Distances of simple graphs are those read off a sketch."""

import numpy as np
import pytest

from tests.oracles.graph_distance import distance, refined

STEP = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize("late", [0.0, 1e-6, 0.02, 0.1])
def test_a_jump_that_is_late_is_as_far_as_it_is_late(late: float) -> None:
    other = STEP.copy()
    other[1:3, 0] += late
    assert distance(STEP, other) == pytest.approx(late, abs=1e-15)
    assert distance(other, STEP) == pytest.approx(late, abs=1e-15)


def test_a_jump_that_takes_a_step_is_half_of_it_off_and_less() -> None:
    """The straight line from (0.5, 0) to (0.6, 1) has its largest distance at its ends."""
    slanted = np.array([[0.0, 0.0], [0.5, 0.0], [0.6, 1.0], [1.0, 1.0]])
    assert distance(STEP, slanted) == pytest.approx(0.1 / np.sqrt(1.01), rel=2e-2)


def test_parallel_lines_are_as_far_as_they_are_apart() -> None:
    line = np.array([[0.0, 0.0], [1.0, 1.0]])
    assert distance(line, line + np.array([0.0, 0.01])) == pytest.approx(0.01, rel=1e-9)


def test_what_one_graph_alone_does_counts() -> None:
    flat = np.array([[0.0, 0.0], [1.0, 0.0]])
    spike = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 0.3], [0.5, 0.0], [1.0, 0.0]])
    assert distance(flat, spike) == pytest.approx(0.3, abs=1e-12)


def test_refined_edges_are_short_and_of_the_same_polygon() -> None:
    fine = refined(STEP, 0.3)
    assert np.linalg.norm(np.diff(fine, axis=0), axis=1).max() <= 0.3
    for corner in STEP:
        assert (np.abs(fine - corner).max(axis=1) < 1e-15).any()

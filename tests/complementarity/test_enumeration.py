"""Enumeration of the complementary cones: all solutions, or the proof that there is none.

Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, section 6.4.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from nsmb._core import complementarity
from nsmb.complementarity import lcp

Array = NDArray[np.float64]


def boxes_of_solutions(A: Array, b: Array) -> list[tuple[Array, Array]]:
    """Return the smallest and largest z of every cone that contains b, from linear programs."""
    n = len(b)
    boxes = []
    for active in itertools.product([False, True], repeat=n):
        C = np.where(active, -A, np.eye(n))
        bounds = np.empty((2, n))
        for i, sign in itertools.product(range(n), (1.0, -1.0)):
            cost = np.zeros(n)
            cost[i] = sign
            program = linprog(cost, A_eq=C, b_eq=b, bounds=(0, 1e3), method="highs")
            if program.status != 0:
                break
            bounds[0 if sign > 0 else 1, i] = program.x[i]
        else:
            boxes.append((np.where(active, bounds[0], 0.0), np.where(active, bounds[1], 0.0)))
    return boxes


def same(x: Array, y: Array) -> bool:
    return bool(np.allclose(x, y, rtol=1e-7, atol=1e-7))


@pytest.mark.parametrize(
    ("A", "b", "solutions"),
    [
        ([[1, 0], [0, 1]], [-1, -2], [[1, 2]]),
        ([[1, 2], [2, 1]], [-2, -2], [[2, 0], [0, 2], [2 / 3, 2 / 3]]),
        ([[-1]], [1], [[0], [1]]),
        # b on the boundary of several cones, all of which yield the same x
        ([[1, 0], [0, 1]], [0, 0], [[0, 0]]),
        ([[0, 1], [1, 0]], [1, 1], [[0, 0]]),
    ],
)
def test_all_isolated_solutions_are_found(A: Any, b: Any, solutions: Any) -> None:
    result = lcp.solve(A, b, method="enumeration")
    assert result.success
    assert len(result.solutions) == len(solutions)
    for x in solutions:
        assert any(same(np.asarray(x), found) for found in result.solutions)
    assert result.unique is (len(solutions) == 1)


@pytest.mark.parametrize(
    ("A", "b"),
    [
        ([[0]], [0]),  # any x
        ([[1, 1], [1, 1]], [-1, -1]),  # x_1 + x_2 = 1
        ([[1, -1], [-1, 1]], [-1, 1]),  # x_1 = x_2 + 1
        ([[0, -1], [1, 0]], [0, 0]),  # x_2 = 0, x_1 arbitrary
        ([[0, 0, 0], [0, 0, 0], [0, 0, 1]], [0, 0, -1]),  # two directions
    ],
)
def test_a_continuum_is_solved_but_not_unique(A: Any, b: Any) -> None:
    result = lcp.solve(A, b, method="enumeration")
    assert result.success
    assert result.unique is False
    for x in result.solutions:
        assert lcp.natural_residual(A, b, x) < 1e-12


def test_a_singular_cone_can_hold_exactly_one_solution() -> None:
    # With x_1 + x_2 = 0, only x = 0 remains of the null space of the singular cone of (x_1, x_2).
    result = lcp.solve([[1, 1], [1, 1]], [0, 0], method="enumeration")
    assert result.unique is True
    np.testing.assert_array_equal(result.x, [0, 0])


@pytest.mark.parametrize(
    ("A", "b"),
    [([[0]], [-1]), ([[-1]], [-1]), ([[1, -1], [-1, 1]], [-1, 0.5]), (-np.eye(4), [1, 1, -1, 1])],
)
def test_no_solution_is_proven(A: Any, b: Any) -> None:
    assert boxes_of_solutions(np.asarray(A, float), np.asarray(b, float)) == []
    result = lcp.solve(A, b, method="enumeration")
    assert result.status == "no_solution"
    assert not result.success
    assert result.solutions == ()
    assert result.residual == np.inf
    assert np.isnan(result.x).all()
    assert "no solution" in result.message


def test_linear_programs_over_all_cones_agree() -> None:
    """Integer data in {-1, 0, 1}: most cones are degenerate, most problems have ties."""
    rng = np.random.default_rng(21)
    seen = {"none": 0, "one": 0, "several": 0, "continuum": 0}
    for _ in range(60):
        n = int(rng.integers(1, 4))
        A = rng.integers(-1, 2, (n, n)).astype(float)
        b = rng.integers(-1, 2, n).astype(float)
        boxes = boxes_of_solutions(A, b)
        result = lcp.solve(A, b, method="enumeration")
        if not boxes:
            assert result.status == "no_solution"
            seen["none"] += 1
            continue
        assert result.success
        moving = [box for box in boxes if not same(*box)]
        points = [low for low, high in boxes if same(low, high)]
        for point in points:  # isolated, or the end of a continuum
            assert any(same(point, x) for x in result.solutions)
        for x in result.solutions:
            assert any((low - 1e-9 <= x).all() and (x <= high + 1e-9).all() for low, high in boxes)
        for low, high in moving:
            assert any(
                (low - 1e-9 <= x).all() and (x <= high + 1e-9).all() for x in result.solutions
            )
        unique = not moving and all(same(points[0], point) for point in points)
        assert result.unique is unique
        seen["continuum" if moving else "one" if unique else "several"] += 1
    assert min(seen.values()) > 2, seen


def test_larger_problems_than_asked_for_are_refused() -> None:
    result = lcp.solve(np.eye(5), -np.ones(5), method="enumeration", max_size=4)
    assert result.status == "too_large"
    assert "max_size = 4" in result.message
    assert np.isnan(result.x).all()
    assert lcp.solve(np.eye(17), -np.ones(17), method="enumeration").status == "too_large"


def test_auto_leaves_large_problems_to_lemke() -> None:
    # [0 1; 2 0] solves this, but no positive covering vector leads there.
    A, b = np.zeros((17, 17)), np.zeros(17)
    A[:2, :2], b[:2] = [[0, 1], [2, 0]], -1.0
    result = lcp.solve(A, b)
    assert (result.status, result.method, result.unique) == ("ray", "lemke", None)
    assert "too large for enumeration" in result.message
    assert lcp.natural_residual(A, b, np.array([0.5, 1.0] + [0.0] * 15)) == 0.0


def test_narrow_miss_is_not_called_a_proof() -> None:
    # y = x_1 - x_2 - 1 >= 0 and -y - 1e-9 >= 0 contradict each other only by 1e-9.
    A, b = [[1, -1], [-1, 1]], [-1, 1 - 1e-9]
    assert lcp.solve(A, b, method="enumeration", accept_residual=1e-12).status == "inaccurate"
    assert lcp.solve(A, b, method="enumeration", accept_residual=1e-8).success


def test_no_unknowns_have_the_empty_solution() -> None:
    result = lcp.solve(np.zeros((0, 0)), [], method="enumeration")
    assert result.success
    assert result.unique is True
    assert result.x.shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 25}, r"max_size: expected a number in \[0, 24\], got 25"),
        ({"max_size": -1}, r"max_size: expected a number in \[0, 24\], got -1"),
        ({"accept_residual": 0.0}, "accept_residual: expected a number > 0, got 0"),
        ({"A": np.ones((1, 2))}, r"A: expected a square matrix, got shape \(1, 2\)"),
    ],
)
def test_bad_input_names_argument_expected_and_actual(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        complementarity.solve_enumeration(**{"A": np.eye(2), "b": np.ones(2), **arguments})

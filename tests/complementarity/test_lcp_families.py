"""The collection of problems with known answers: no method gives a wrong answer."""

from functools import cache

import numpy as np
import pytest

from nsmb.complementarity import lcp
from tests.complementarity import lcp_collection as collected

problems = cache(collected.collection)


def test_the_collection_is_large_and_says_the_truth_about_itself() -> None:
    assert len(problems()) > 2000
    assert {problem.n for problem in problems()} >= {1, 2, 12, 40, 200}
    for problem in problems():
        A, b, z = problem.A, problem.b, problem.certificate
        if problem.solution is not None:
            assert problem.solvable is True
            assert (problem.solution >= 0.0).all()
            assert collected.residual(A, b, problem.solution) < 1e-12
        if z is not None:
            assert problem.solvable is False
            assert (z >= 0.0).all()
            assert (A.T @ z <= 1e-12 * (np.abs(A).T @ z)).all()
            assert b @ z < -1e-4 * (np.abs(b) @ z)


@pytest.mark.parametrize("method", collected.METHODS, ids=lambda method: method.name)
def test_no_answer_is_wrong(method: collected.Method) -> None:
    table = collected.tally(problems(), method)
    assert {family: row["wrong"] for family, row in table.items()} == dict.fromkeys(table, 0)


def test_auto_solves_every_solvable_problem_and_proves_the_others_unsolvable() -> None:
    auto = next(method for method in collected.METHODS if method.name == "auto")
    undecided = [
        problem
        for problem in problems()
        if collected.judge(problem, auto.solve(problem.A, problem.b)) == "open"
    ]
    assert [(problem.family, problem.n) for problem in undecided if problem.solvable] == []
    # In units 1e±8 apart rounding may spoil the proof; enumeration decides up to n = 16.
    assert {problem.family for problem in undecided} <= {"units 1e±8 apart"}
    assert len(undecided) <= 5
    assert all(problem.n > 16 for problem in undecided)


def test_the_judge_sees_through_false_claims() -> None:
    A, b = np.eye(2), -np.ones(2)
    problem = collected.Problem("", A, b, True, solution=np.ones(2))
    infeasible = collected.Problem("", -A, b, False, certificate=np.ones(2))
    for point in ([1.0, 1.0 + 1e-8], [1.0, np.nan], [1.0, -1e-12], [1.0, 0.0]):
        assert collected.judge(problem, collected.Answer(True, np.array(point))) == "wrong"
    assert collected.judge(problem, collected.Answer(True, np.ones(2))) == "solved"
    assert collected.judge(problem, collected.Answer(False, np.ones(2))) == "wrong"
    assert collected.judge(problem, collected.Answer(None, np.ones(2))) == "open"
    assert collected.judge(infeasible, collected.Answer(True, np.ones(2))) == "wrong"
    assert collected.judge(infeasible, collected.Answer(False, np.ones(2))) == "proven"


@pytest.mark.parametrize("max_pivots", [1, 2, 5])
def test_a_limit_ends_with_the_best_point_found(max_pivots: int) -> None:
    for problem in problems()[::20]:
        result = lcp.solve(problem.A, problem.b, method="lemke", max_pivots=max_pivots)
        assert np.isfinite(result.x).all()
        assert (result.x >= 0.0).all()
        assert result.residual == lcp.natural_residual(problem.A, problem.b, result.x)
        # not worse than zero
        nothing = lcp.natural_residual(problem.A, problem.b, np.zeros(problem.n))
        assert result.residual <= nothing

"""Contact problems of files in Pinocchio, by its ADMM with each of its rules for the penalty.

Run by an interpreter that has Pinocchio 4. Its operators are factors of symmetric matrices. Where W
is not symmetric, its symmetric part is given, and q with what the other part adds for the last
forces, until that no longer changes q beyond the tolerance, each round from the last forces. Timed
is all of it but the operator.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pinocchio
import scipy.sparse
from numpy.typing import NDArray

from benchmarks.peer import serve

Floats = NDArray[np.float64]

FIRST, MOST = 1000, 10_000_000  # iterations: of the first try, at all
ROUNDS = 20
LANCZOS = 10  # for the largest eigenvalue; as many as rows, its default, take most of the time


class Problem:
    """W and q in Pinocchio's order (tangents first) with a cone for each contact."""

    def __init__(self, file: str, scaled: bool) -> None:
        with np.load(file) as data:
            columns = [data[name] for name in ("data", "indices", "indptr")]
            q, mu = data["q"], data["mu"]
        self.order = np.arange(len(q)).reshape(-1, 3)[:, [1, 2, 0]].ravel()
        W = scipy.sparse.csc_array(tuple(columns))[self.order][:, self.order]
        largest = float(W.diagonal().max())
        size = float(np.linalg.norm(q)) or 1.0
        # W and q scaled belong to forces over `unit`; cones stay what they are.
        self.unit = size / largest if scaled else 1.0
        over = (1.0 / largest, 1.0 / size) if scaled else (1.0, 1.0)
        self.W = scipy.sparse.csc_array(0.5 * over[0] * (W + W.T))
        self.W.sort_indices()  # or its factors take ten times as long
        self.rest = scipy.sparse.csc_array(0.5 * over[0] * (W - W.T))
        self.q = over[1] * q[self.order]
        model = pinocchio.Model()
        place = pinocchio.SE3.Identity()
        model.addJoint(0, pinocchio.JointModelFreeFlyer(), place, "any")
        self.cones, self.data = (
            pinocchio.StdVec_ConstraintModel(),
            pinocchio.StdVec_ConstraintData(),
        )
        for value in mu:
            cone = pinocchio.PointContactConstraintModel(model, 0, place, 1, place)
            cone.setFriction(float(value))
            self.cones.append(pinocchio.ConstraintModel(cone))
            self.data.append(self.cones[len(self.cones) - 1].createData())


def solve(problem: Problem, settings: Any, tolerance: float, limit: float) -> dict[str, Any]:
    W = problem.W
    indices = (part.astype(np.int32) for part in (W.indices, W.indptr))
    # Some of its versions take neither sparse arrays nor long integers.
    operator = pinocchio.DelassusOperatorSparse(
        scipy.sparse.csc_matrix((W.data, *indices), shape=W.shape)
    )
    begin = time.process_time()
    solver, result = pinocchio.ADMMConstraintSolver(), pinocchio.ADMMSolverResult()
    q, iterations = problem.q, 0
    bound = tolerance * float(np.linalg.norm(problem.q))
    for _ in range(ROUNDS):
        # One that ends at its limit of iterations goes on from there, with what the rest adds.
        solved = solver.solve(operator, q, problem.cones, problem.data, settings, result)
        x = result.retrieveConstraintImpulses()
        iterations += result.iterations
        last, q = q, problem.q + problem.rest @ x
        spent = time.process_time() - begin
        if np.linalg.norm(q - last) <= bound or spent > limit:
            break
        result.setConstraintImpulseGuess(x)
    return {
        "time": time.process_time() - begin,
        "solved": bool(solved and np.linalg.norm(q - last) <= bound),
        "iterations": iterations,
        "x": problem.unit * x,
    }


def measure(
    file: str,
    answer: str,
    rule: str,
    scaled: bool,
    tolerance: float,
    limit: float,
    repeats: int,
    enough: float,
) -> dict[str, Any]:
    """Solve the problem of W (its columns as data, indices, indptr), q, mu in a file (.npz).

    `rule` of the penalty: OSQP, SPECTRAL; with `scaled`, W and q are given scaled: largest entry of
    the diagonal and norm 1. The forces go to `answer` (.npy). Time: the least of `repeats` solves,
    s, fewer once they take `enough` s; iterations are increased until a solve takes `limit` s.
    """
    problem = Problem(file, scaled)
    settings = pinocchio.ADMMSolverSettings()
    bound = tolerance * float(np.linalg.norm(problem.q))
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = bound
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.admm_update_rule = getattr(pinocchio.ADMMUpdateRule, rule)
    settings.lanczos_size = min(LANCZOS, len(problem.q))
    settings.warmstart_rho_with_previous_result = True  # from round to round
    settings.max_iterations = FIRST
    found = solve(problem, settings, tolerance, limit)
    while not found["solved"] and settings.max_iterations < MOST:
        left = limit / max(found["time"], 1e-6) * found["iterations"]
        if left < 2 * settings.max_iterations:
            break
        settings.max_iterations = int(min(MOST, 10 * settings.max_iterations, left))
        found = solve(problem, settings, tolerance, limit)
    times = [found["time"]]
    while sum(times) < enough and len(times) < repeats:
        times.append(solve(problem, settings, tolerance, limit)["time"])
    x = np.empty_like(problem.q)
    x[problem.order] = found["x"]
    np.save(answer, x)
    return {"time": min(times), "solved": found["solved"], "iterations": found["iterations"]}


if __name__ == "__main__":
    serve(measure)

"""Contact problems from files in Pinocchio, by its ADMM with each of its penalty rules.

This file is run by an interpreter that has Pinocchio 4. The operators of Pinocchio are factors of
symmetric matrices. If W is not symmetric, its symmetric part is passed, and q includes the
contribution of the other part for the last forces. This is repeated, starting from the last forces,
until q no longer changes beyond the tolerance. Everything except creating the operator is timed.
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

FIRST, MOST = 1000, 10_000_000  # iterations: of the first attempt, in total
ROUNDS = 20
LANCZOS = 10  # for the largest eigenvalue; the default, as many as rows, takes most of the time


class Problem:
    """W and q in the order of Pinocchio (tangents first) with a cone for each contact."""

    def __init__(self, file: str, scaled: bool) -> None:
        with np.load(file) as data:
            columns = [data[name] for name in ("data", "indices", "indptr")]
            q, mu = data["q"], data["mu"]
        self.order = np.arange(len(q)).reshape(-1, 3)[:, [1, 2, 0]].ravel()
        W = scipy.sparse.csc_array(tuple(columns))[self.order][:, self.order]
        largest = float(W.diagonal().max())
        size = float(np.linalg.norm(q)) or 1.0
        # Scaled W and q belong to forces divided by `unit`; cones do not change.
        self.unit = size / largest if scaled else 1.0
        over = (1.0 / largest, 1.0 / size) if scaled else (1.0, 1.0)
        self.W = scipy.sparse.csc_array(0.5 * over[0] * (W + W.T))
        self.W.sort_indices()  # otherwise its factors take ten times as long
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
    # Some versions accept neither sparse arrays nor long integers.
    operator = pinocchio.DelassusOperatorSparse(
        scipy.sparse.csc_matrix((W.data, *indices), shape=W.shape)
    )
    begin = time.process_time()
    solver, result = pinocchio.ADMMConstraintSolver(), pinocchio.ADMMSolverResult()
    q, iterations = problem.q, 0
    bound = tolerance * float(np.linalg.norm(problem.q))
    for _ in range(ROUNDS):
        # A solve that ends at its iteration limit continues from there, with the updated q.
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

    `rule` of the penalty: OSQP, SPECTRAL. With `scaled`, W and q are scaled to a largest diagonal
    entry and a norm of 1. The forces are written to `answer` (.npy). The time is the minimum of
    `repeats` solves in s, of fewer solves once they have taken `enough` s. Iterations are increased
    until a solve takes `limit` s.
    """
    problem = Problem(file, scaled)
    settings = pinocchio.ADMMSolverSettings()
    bound = tolerance * float(np.linalg.norm(problem.q))
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = bound
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.admm_update_rule = getattr(pinocchio.ADMMUpdateRule, rule)
    settings.lanczos_size = min(LANCZOS, len(problem.q))
    settings.warmstart_rho_with_previous_result = True  # from one round to the next
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

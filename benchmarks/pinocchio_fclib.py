"""Contact problems of files in Pinocchio, by its ADMM with each of its rules for the penalty.

Run by an interpreter that has Pinocchio 4 (pip install pin scipy); nsmb is not imported. Every line
on stdin is a run, a JSON object; every line on stdout is its result:

    file           .npz: W as data, indices and indptr of its columns, q, mu
    rule           of the penalty: OSQP, SPECTRAL
    scaled         whether W and q are given scaled: largest entry of the diagonal and norm 1
    answer         .npy where the contact forces go
    tolerance      relative to the norm of q
    limit          s of processor time for a solve; short (s), most: repeated within these
    -> time (s of processor time, median), solved: what the solver says, iterations

Its operators are factors of symmetric matrices. Where W is not symmetric, its symmetric part is
given, and q with what the other part adds for the last forces, until that no longer changes q
beyond the tolerance: `rounds`, each from the last forces. Timed is all of it but the operator.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

# Threads only get in each other's way in problems of this size.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import numpy as np
import pinocchio
import scipy.sparse
from numpy.typing import NDArray

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
    operator = pinocchio.DelassusOperatorSparse(problem.W)
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


def measure(run: dict[str, Any]) -> dict[str, Any]:
    problem = Problem(run["file"], run["scaled"])
    settings = pinocchio.ADMMSolverSettings()
    bound = run["tolerance"] * float(np.linalg.norm(problem.q))
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = bound
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.admm_update_rule = getattr(pinocchio.ADMMUpdateRule, run["rule"])
    settings.lanczos_size = min(LANCZOS, len(problem.q))
    settings.warmstart_rho_with_previous_result = True  # from round to round
    settings.max_iterations = FIRST
    bounds = (run["tolerance"], run["limit"])
    answer = solve(problem, settings, *bounds)
    while not answer["solved"] and settings.max_iterations < MOST:
        left = run["limit"] / max(answer["time"], 1e-6) * answer["iterations"]
        if left < 2 * settings.max_iterations:
            break
        settings.max_iterations = int(min(MOST, 10 * settings.max_iterations, left))
        answer = solve(problem, settings, *bounds)
    times = [answer["time"]]
    while sum(times) < run["short"] and len(times) < run["most"]:
        times.append(solve(problem, settings, *bounds)["time"])
    x = np.empty_like(problem.q)
    x[problem.order] = answer["x"]
    np.save(run["answer"], x)
    return {
        "time": float(np.median(times)),
        "solved": answer["solved"],
        "iterations": answer["iterations"],
    }


def main() -> None:
    # Results take a channel of their own.
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        for line in sys.stdin:
            print(json.dumps(measure(json.loads(line))), file=results, flush=True)


if __name__ == "__main__":
    main()

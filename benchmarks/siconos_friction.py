"""Friction-contact problems in Siconos: ``fc3d_driver`` on given matrices.

Run by an interpreter that has Siconos; nsmb is not imported. Every line on stdin is a run, a JSON
object; every line on stdout is its result:

    file           .npz with A (n, n), b (n), mu (n / 3)
    solver         name behind SICONOS_FRICTION_3D_
    tolerance, max_iterations, repetitions
    -> times (s) of the repetitions, each from zero; solved: what the driver says
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
import siconos.numerics as sn


def measure(run: dict[str, Any]) -> dict[str, Any]:
    with np.load(run["file"]) as data:
        A, b, mu = data["A"], data["b"], data["mu"]
    problem = sn.FrictionContactProblem(3, len(mu), A, b, mu)
    options = sn.SolverOptions(getattr(sn, f"SICONOS_FRICTION_3D_{run['solver']}"))
    options.dparam[sn.SICONOS_DPARAM_TOL] = run["tolerance"]
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = run["max_iterations"]
    times, solved = [], True
    for _ in range(run["repetitions"]):
        x, y = np.zeros(len(b)), np.zeros(len(b))
        begin = time.thread_time()
        failed = sn.fc3d_driver(problem, x, y, options)
        times.append(time.thread_time() - begin)
        solved = solved and not failed
    return {"times": times, "solved": solved}


def main() -> None:
    # Siconos writes to standard output; results take a channel of their own.
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)  # and every failed factorization to standard error
        for line in sys.stdin:
            print(json.dumps(measure(json.loads(line))), file=results, flush=True)


if __name__ == "__main__":
    main()

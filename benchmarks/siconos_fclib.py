"""Contact problems of files in Siconos, by each of its solvers.

Run by an interpreter that has Siconos; nsmb is not imported. Every line on stdin is a run, a JSON
object; every line on stdout is its result:

    file           problem in Siconos' text format
    form           local, global; dimension 2, 3, 5
    solver         name of the constant, as FRICTION_3D_NSGS
    answer         .npy where the contact forces go
    tolerance, max_iterations; short (s), most: repeated within these
    -> time (s of processor time, median), solved: what the driver says
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

READERS = {
    ("local", 2): (sn.frictionContact_new_from_filename, sn.fc2d_driver),
    ("local", 3): (sn.frictionContact_new_from_filename, sn.fc3d_driver),
    ("local", 5): (sn.rollingFrictionContact_new_from_filename, sn.rolling_fc3d_driver),
    ("global", 3): (sn.globalFrictionContact_new_from_filename, sn.gfc3d_driver),
    ("global", 5): (sn.globalRollingFrictionContact_new_from_filename, sn.g_rolling_fc3d_driver),
}


def options_of(run: dict[str, Any]) -> Any:
    options = sn.SolverOptions(getattr(sn, f"SICONOS_{run['solver']}"))
    options.dparam[sn.SICONOS_DPARAM_TOL] = run["tolerance"]
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = run["max_iterations"]
    return options


def measure(run: dict[str, Any]) -> dict[str, Any]:
    read, drive = READERS[run["form"], run["dimension"]]
    problem = read(run["file"])
    rows = run["dimension"] * problem.numberOfContacts
    times: list[float] = []
    while sum(times) < run["short"] and len(times) < run["most"]:
        x, y = np.zeros(rows), np.zeros(rows)
        vectors = [x, y]
        if run["form"] == "global":
            vectors.append(np.zeros(run["velocities"]))
        problem = read(run["file"])  # solvers change it
        options = options_of(run)
        begin = time.process_time()
        failed = drive(problem, *vectors, options)
        times.append(time.process_time() - begin)
    np.save(run["answer"], x)
    return {"time": float(np.median(times)), "solved": not failed}


def main() -> None:
    # Siconos writes to standard output; results take a channel of their own.
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        for line in sys.stdin:
            print(json.dumps(measure(json.loads(line))), file=results, flush=True)


if __name__ == "__main__":
    main()

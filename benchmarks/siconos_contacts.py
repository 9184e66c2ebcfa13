"""Contact problems in Siconos, by each of its solvers; run by an interpreter that has it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import siconos.numerics as sn

from benchmarks.peer import serve, timed

READERS = {
    ("local", 2): (sn.frictionContact_new_from_filename, sn.fc2d_driver),
    ("local", 3): (sn.frictionContact_new_from_filename, sn.fc3d_driver),
    ("local", 5): (sn.rollingFrictionContact_new_from_filename, sn.rolling_fc3d_driver),
    ("global", 3): (sn.globalFrictionContact_new_from_filename, sn.gfc3d_driver),
    ("global", 5): (sn.globalRollingFrictionContact_new_from_filename, sn.g_rolling_fc3d_driver),
}


def read(file: str, form: str, dimension: int) -> Any:
    """Read a problem in Siconos' text format, or .npz with A (n, n), b (n), mu (n / 3)."""
    if not file.endswith(".npz"):
        return READERS[form, dimension][0](file)
    with np.load(file) as data:
        return sn.FrictionContactProblem(3, len(data["mu"]), data["A"], data["b"], data["mu"])


def measure(
    file: str,
    solver: str,
    tolerance: float,
    max_iterations: int,
    form: str = "local",
    dimension: int = 3,
    velocities: int = 0,
    answer: str = "",
    **series: Any,
) -> dict[str, Any]:
    """Solve from zero and write the forces to `answer` (.npy).

    The time is that of the driver alone, in s; `solved` is its own report."""

    def prepare() -> tuple[Any, ...]:
        problem = read(file, form, dimension)  # solvers modify it
        options = sn.SolverOptions(getattr(sn, f"SICONOS_{solver}"))
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = max_iterations
        vectors = [np.zeros(dimension * problem.numberOfContacts) for _ in range(2)]
        if form == "global":
            vectors.append(np.zeros(velocities))
        return problem, vectors, options

    def work(given: tuple[Any, ...]) -> tuple[Any, Any]:
        problem, vectors, options = given
        return READERS[form, dimension][1](problem, *vectors, options), vectors[0]

    (failed, x), time = timed(work, prepare=prepare, **series)
    if answer:
        np.save(answer, x)
    return {"time": time, "solved": not failed}


if __name__ == "__main__":
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # failed factorisations are reported there
    serve(measure)

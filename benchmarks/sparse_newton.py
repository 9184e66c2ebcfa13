"""Stiff chains of hundreds of states: CVODE with sparse and with dense Newton matrices, in one run.

    python benchmarks/sparse_newton.py [--json FILE] [--largest N]

m overdamped teeth in a row, 2 m states, rates from 1e2 to 1e4 1/s, driven at one end for 2 s with
rtol 1e-7. Both take differences: dense ones a column at a time, sparse ones all columns of a colour
at once. The right-hand side is NumPy's, so evaluations are dear in both; times of the closed form
beside them show the factors. Processor time, the least of three runs; with two threads of others on
the machine ratios vary by a tenth.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.integration.test_sparse_newton import Chain, run

REPEATS = 3


def measure(m: int, solver: str, closed_form: bool) -> dict[str, Any]:
    chain = Chain(m)
    options: dict[str, Any] = {"pattern": chain.pattern, "linear_solver": solver}
    if closed_form:
        options["jacobian"] = chain.jacobian
    best = np.inf
    for _ in range(REPEATS):
        begin = time.process_time()
        _, stats = run(chain, **options)
        best = min(best, time.process_time() - begin)
    return {
        "states": chain.n,
        "solver": solver,
        "closed_form": closed_form,
        "seconds": best,
        **stats,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--largest", type=int, default=800, help="states")
    arguments = parser.parse_args()
    rows = []
    print("states  jacobian     dense / s  sparse / s  ratio")
    for states in (50, 100, 200, 400, 800, 1600):
        if states > arguments.largest:
            break
        for closed_form in (False, True):
            pair = [measure(states // 2, solver, closed_form) for solver in ("dense", "sparse")]
            rows += pair
            name = "closed form" if closed_form else "differences"
            dense, thin = (row["seconds"] for row in pair)
            print(f"{states:6d}  {name}  {dense:9.3f}  {thin:10.3f}  {dense / thin:5.1f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()

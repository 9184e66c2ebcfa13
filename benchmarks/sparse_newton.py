"""Stiff chains of hundreds of states: CVODE with sparse and with dense Newton matrices, in one run.

m overdamped teeth in a row, 2 m states, rates from 1e2 to 1e4 1/s, driven at one end for 2 s with
rtol 1e-7. Both take differences: dense ones a column at a time, sparse ones all columns of a colour
at once. The right-hand side is NumPy's, so evaluations are dear in both; times of the closed form
beside them show the factors. With two threads of others on the machine ratios vary by a tenth.
"""

from __future__ import annotations

from typing import Any

from benchmarks.harness import benchmark, printed, timed
from tests.integration.test_sparse_newton import Chain, run

REPEATS = 3


@benchmark("sparse_newton", "CVODE with sparse and with dense Newton matrices", alone=True)
def measure(states: tuple[int, ...] = (50, 100, 200, 400, 800)) -> list[dict[str, Any]]:
    """A row for each number of states, with the Jacobian by differences and in closed form."""
    rows = []
    for count in states:
        chain = Chain(count // 2)
        for closed_form in (False, True):
            row: dict[str, Any] = {"states": chain.n, "closed_form": closed_form}
            for solver in ("dense", "sparse"):
                options: dict[str, Any] = {"pattern": chain.pattern, "linear_solver": solver}
                if closed_form:
                    options["jacobian"] = chain.jacobian
                (_, stats), seconds = timed(lambda o=options, c=chain: run(c, **o), REPEATS)
                row[solver] = {"seconds": seconds, **stats}
            row["ratio"] = row["dense"]["seconds"] / row["sparse"]["seconds"]
            rows.append(printed(row))
    return rows

"""Stiff chains of hundreds of states: CVODE with sparse and with dense Newton matrices, in one run.

m overdamped teeth in a row have 2 m states with rates from 1e2 to 1e4 1/s. They are driven at one
end for 2 s with rtol 1e-7. Both variants use differences: dense ones a column at a time, sparse
ones all columns of a colour together. The right-hand side is a NumPy function, so that evaluations
are expensive in both. Times with the closed-form Jacobian show the cost of the factorisation. With
two busy threads of other programs, ratios vary by 10 %.
"""

from __future__ import annotations

from typing import Any

from benchmarks.harness import benchmark, printed, timed
from tests.integration.test_sparse_newton import Chain, run

REPEATS = 3


@benchmark("sparse_newton", "CVODE with sparse and with dense Newton matrices", alone=True)
def measure(states: tuple[int, ...] = (50, 100, 200, 400, 800)) -> list[dict[str, Any]]:
    """Measure each number of states, with the Jacobian by differences and in closed form."""
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

"""Mixed complementarity: friction towers, compared with Lemke and Siconos; allocations.

The Python interface of Siconos does not support bounds (its relay problem is not wrapped). Its
Lemke therefore solves the linear complementarity problem of twice the size, with multipliers for
the upper bounds.
"""

from __future__ import annotations

import ctypes
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import benchmark, peer, timed, under_malloc
from benchmarks.lcp_siconos import siconos_lemke
from benchmarks.peer import serve
from nsmb._core import complementarity as core
from tests.complementarity import mcp_problems

Floats = NDArray[np.float64]

SIZES = (10, 30, 100, 300)
STEPS = 100  # consecutive problems with changing loads
DT = 5e-3  # change of the phases from one problem to the next


def tower(n: int, t: float) -> tuple[Floats, Floats, Floats]:
    """Return (A, b, bound) of a stack of n blocks pulled horizontally, half of which slide."""
    A, b, _, bound = mcp_problems.tower(n, t, seed=n)
    return np.asfortranarray(A), b, bound


def as_lcp(A: Floats, b: Floats, bound: Floats) -> tuple[Floats, Floats]:
    """Build the LCP for x = (lambda_T + bound, multiplier of the upper bound)."""
    n = len(b)
    one = np.eye(n)
    M = np.block([[A, one], [-one, np.zeros((n, n))]])
    return np.asfortranarray(M), np.concatenate([b - A @ bound, 2.0 * bound])


@benchmark("mcp", "Mixed complementarity problems: towers of blocks with friction, slowly changing")
def measure(sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Measure pivots and times of one solve, and the time of Siconos for the equivalent LCP."""
    rows = [tower_row(n) for n in sizes]
    with tempfile.TemporaryDirectory() as folder, peer("siconos", "siconos_lcp") as siconos:
        for row in rows if siconos else ():
            problems = [as_lcp(*tower(row["n"], DT * step)) for step in range(5)]
            order = {"repeat": 1, "loop": None, "max_iterations": 200 * row["n"]}
            found = siconos_lemke(siconos, folder, problems, **order)
            row["siconos"] = {"lemke": found["seconds"], "residual": found["residual"]}
    with under_malloc("mcp") as counting:
        counted = counting and counting.run(sizes=sizes)
    return {"towers": rows, "allocations": counted}


def tower_row(n: int) -> dict[str, Any]:
    options, workspace, result = core.McpOptions(), core.McpWorkspace(), core.McpResult()
    seconds: dict[str, list[float]] = {"cold": [], "warm": [], "lemke": []}
    pivots: dict[str, list[int]] = {"cold": [], "warm": [], "lemke": []}
    unsolved = 0
    x: Floats | None = None
    for step in range(-2, STEPS):
        A, b, bound = tower(n, DT * step)
        for kind, start in (("cold", None), ("warm", x)):
            problem = (A, b, -bound, bound, options, workspace, result, start)
            seconds[kind].append(timed(lambda p=problem: core.solve_mcp(*p))[1])
            pivots[kind].append(result.pivots)
            unsolved += result.status != core.LcpStatus.SOLVED
        x = result.x.copy()  # result.x is a view that the next solve overwrites
        if step < 10:  # the LCP takes far longer
            M, q = as_lcp(A, b, bound)
            lemke, taken = timed(lambda M=M, q=q: core.solve_lemke(M, q))
            seconds["lemke"].append(taken)
            pivots["lemke"].append(lemke.pivots)
    row: dict[str, Any] = {"n": n, "problems": STEPS, "unsolved": unsolved}
    for kind in seconds:  # the first two are warm-up; the others are different problems
        row[kind] = float(np.median(seconds[kind][2:]))
        row[f"{kind}_pivots"] = float(np.mean(pivots[kind][2:]))
    return row


def count(sizes: list[int]) -> dict[str, float]:
    """Count calls of malloc per cold solve of a tower problem, on paths without crash steps.

    The calls of the binding, as counted for a problem without unknowns, are subtracted.
    """
    library = ctypes.CDLL(None)
    numbers = (ctypes.c_long * 4)()

    def calls() -> int:
        library.malloc_counts(numbers)
        return int(numbers[0] + numbers[2])

    counted: dict[str, float] = {}
    for n in (0, *sizes):
        options, workspace, result = core.McpOptions(), core.McpWorkspace(), core.McpResult()
        options.max_crash_steps = 0
        problems = [tower(n, DT * k) for k in range(20)]
        arguments = [(A, b, -bound, bound) for A, b, bound in problems]
        for A, b, lower, upper in arguments:
            core.solve_mcp(A, b, lower, upper, options, workspace, result)
        before = calls()
        for A, b, lower, upper in arguments:
            core.solve_mcp(A, b, lower, upper, options, workspace, result)
        counted[str(n)] = (calls() - before) / len(problems)
    binding = counted.pop("0")
    return {n: number - binding for n, number in counted.items()}


if __name__ == "__main__":
    serve(count)

"""Mixed complementarity: friction towers, cold and warm, against Lemke and Siconos; allocations.

Siconos cannot be given bounds from Python (its relay problem is not wrapped), so its Lemke gets the
linear complementarity problem of twice the size, with multipliers for the upper bounds. By hand,
run by an interpreter that has Siconos:

    python benchmarks/mcp.py --siconos

Times are processor times.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SIZES = (10, 30, 100, 300)
STEPS = 100  # problems in a row, for which the pulls change
DT = 5e-3  # change of their phases from one to the next


def tower(n: int, t: float) -> tuple[Floats, Floats, Floats]:
    """Stack of n blocks pulled horizontally: (A, b, bound), |lambda_T| <= bound = mu lambda_N.

    Were all interfaces to stick, each would need between -1.5 and 1.5 times the friction it can
    have; about half of them slide.
    """
    rng = np.random.default_rng(n)
    m = rng.uniform(0.5, 2.0, n)
    bound = 0.3 * 9.81 * np.cumsum(m[::-1])[::-1]
    needed = 1.5 * bound * np.cos(rng.uniform(0.0, 2.0 * np.pi, n) + t)
    pull = needed - np.append(needed[1:], 0.0)
    W_T = np.eye(n) - np.eye(n, k=1)
    return np.asfortranarray(W_T.T @ (W_T / m[:, None])), W_T.T @ (pull / m), bound


def as_lcp(A: Floats, b: Floats, bound: Floats) -> tuple[Floats, Floats]:
    """For x = (lambda_T + bound, multiplier of the upper bound)."""
    n = len(b)
    one = np.eye(n)
    M = np.block([[A, one], [-one, np.zeros((n, n))]])
    return np.asfortranarray(M), np.concatenate([b - A @ bound, 2.0 * bound])


def median_seconds(times: list[float]) -> float:
    return float(np.median(times))


def measure(siconos: str | None) -> dict[str, Any]:
    """Per size: pivots and times of one solve, and what Siconos needs for the equivalent LCP."""
    rows = [tower_row(n) for n in SIZES]
    if siconos is not None:
        command = [siconos, str(Path(__file__)), "--siconos"]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        child = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        for row, other in zip(rows, json.loads(child.stdout.splitlines()[-1]), strict=True):
            row["siconos"] = other
    return {"towers": rows, "allocations": allocations()}


def tower_row(n: int) -> dict[str, Any]:
    from nsmb._core import complementarity as core

    options, workspace, result = core.McpOptions(), core.McpWorkspace(), core.McpResult()
    seconds: dict[str, list[float]] = {"cold": [], "warm": [], "lemke": []}
    pivots: dict[str, list[int]] = {"cold": [], "warm": [], "lemke": []}
    unsolved = 0
    x: Floats | None = None
    for step in range(-2, STEPS):
        A, b, bound = tower(n, DT * step)
        for kind, start in (("cold", None), ("warm", x)):
            begin = time.thread_time()
            core.solve_mcp(A, b, -bound, bound, options, workspace, result, start)
            seconds[kind].append(time.thread_time() - begin)
            pivots[kind].append(result.pivots)
            unsolved += result.status != core.LcpStatus.SOLVED
        x = result.x.copy()  # result.x is a view of what the next solve overwrites
        if step < 10:  # it takes far longer
            M, q = as_lcp(A, b, bound)
            begin = time.thread_time()
            lemke = core.solve_lemke(M, q)
            seconds["lemke"].append(time.thread_time() - begin)
            pivots["lemke"].append(lemke.pivots)
    row: dict[str, Any] = {"n": n, "problems": STEPS, "unsolved": unsolved}
    for kind in seconds:  # the first two warm up
        row[kind] = median_seconds(seconds[kind][2:])
        row[f"{kind}_pivots"] = float(np.mean(pivots[kind][2:]))
    return row


def siconos_rows() -> list[dict[str, float]]:
    import siconos.numerics as numerics

    rows = []
    for n in SIZES:
        times, residuals = [], []
        for step in range(5):
            M, q = as_lcp(*tower(n, DT * step))
            problem = numerics.LCP(M, q)
            options = numerics.SolverOptions(numerics.SICONOS_LCP_LEMKE)
            options.iparam[0] = 100 * len(q)
            z, w = np.zeros(len(q)), np.zeros(len(q))
            begin = time.thread_time()
            numerics.linearComplementarity_driver(problem, z, w, options)
            times.append(time.thread_time() - begin)
            residuals.append(float(np.abs(np.minimum(z, M @ z + q)).max() / np.abs(q).max()))
        rows.append({"lemke": median_seconds(times), "residual": max(residuals)})
    return rows


def allocations() -> dict[str, float] | None:
    """Heap allocations per solve after warm-up; None where they cannot be counted."""
    from allocations import SOURCE, compile_library

    with tempfile.TemporaryDirectory() as folder:
        library = compile_library(SOURCE, Path(folder))
        if library is None:
            return None
        command = [sys.executable, str(Path(__file__)), "--count"]
        environment = os.environ | {"LD_PRELOAD": str(library)}
        child = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        counted: dict[str, float] = json.loads(child.stdout)
        return counted


def count() -> dict[str, float]:
    """Calls of malloc per cold solve of a tower problem, along paths without crash steps.

    Those of the binding are taken off: what the problem without unknowns needs.
    """
    from nsmb._core import complementarity as core

    library = ctypes.CDLL(None)
    numbers = (ctypes.c_long * 4)()

    def calls() -> int:
        library.malloc_counts(numbers)
        return int(numbers[0] + numbers[2])

    counted: dict[str, float] = {}
    for n in (0, *SIZES):
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


def report(results: dict[str, Any]) -> None:
    for row in results["towers"]:
        cold, warm = 1e6 * row["cold"], 1e6 * row["warm"]
        line = (
            f"n = {row['n']:3}: {cold:8.1f} µs cold ({row['cold_pivots']:.1f} pivots), "
            f"{warm:7.1f} µs warm ({row['warm_pivots']:.2f} pivots); as LCP of size "
            f"{2 * row['n']}: {1e6 * row['lemke']:.0f} µs by Lemke"
        )
        if "siconos" in row:
            other = row["siconos"]
            line += (
                f", {1e6 * other['lemke']:.0f} µs by Siconos' (residual {other['residual']:.0e})"
            )
        print(line + (f"; {row['unsolved']} NOT SOLVED" if row["unsolved"] else ""))
    counted = results["allocations"]
    if counted is None:
        print("allocations: skipped, needs Linux with glibc and a C compiler")
    else:
        numbers = ", ".join(f"{calls:g} (n = {n})" for n, calls in counted.items())
        print(f"allocations per solve along a path, after warm-up: {numbers}")


if __name__ == "__main__":
    print(json.dumps(siconos_rows() if sys.argv[1] == "--siconos" else count()))

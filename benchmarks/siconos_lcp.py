"""Siconos' lexicographic Lemke algorithm, run by an interpreter that has Siconos."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import siconos.numerics as sn

from benchmarks.peer import serve, timed

SOLVED = 1e-6  # the default tolerance of Siconos


def numerics_library() -> ctypes.CDLL:
    maps = Path("/proc/self/maps").read_text("utf-8").split()
    return ctypes.CDLL(next(part for part in maps if "libsiconos_numerics" in part))


def measure(
    A: str, b: str, repeat: int, loop: str | None, max_iterations: int | None = None
) -> dict[str, Any]:
    """Solve the problems in the files A (count, n, n) and b (count, n), `repeat` times each.

    `loop` is the library compiled from ``lcp_loop.c``; without it the loop is in Python. Seconds
    are processor time per solve. Solved problems are those with a natural residual below 1e-6.
    """
    A, b = np.load(A), np.load(b)
    count, n = b.shape
    problems = [sn.LCP(A[k], b[k]) for k in range(count)]
    options = sn.SolverOptions(sn.SICONOS_LCP_LEMKE)
    if max_iterations is not None:
        options.iparam[0] = max_iterations
    z, w = np.zeros((2, count, n))
    if loop is None:

        def solve() -> None:
            for k in range(count):
                sn.lcp_lexicolemke(problems[k], z[k], w[k], options)

        seconds = timed(solve, loops=repeat)[1] / count
    else:
        run = ctypes.CDLL(loop).lcp_loop
        run.restype = ctypes.c_double
        seconds = run(
            numerics_library().lcp_lexicolemke,
            (ctypes.c_void_p * count)(*(int(problem.this) for problem in problems)),
            count,
            repeat,
            n,
            z.ctypes.data_as(ctypes.c_void_p),
            w.ctypes.data_as(ctypes.c_void_p),
            (ctypes.c_int * count)(),
            ctypes.c_void_p(int(options.this)),
        ) / (count * repeat)
    y = np.einsum("kij,kj->ki", A, z) + b
    miss = np.abs(np.minimum(z, y)).max(axis=1)
    size = np.abs(b).max(axis=1)
    solved = int((miss / np.maximum(1.0, size) < SOLVED).sum())
    return {"seconds": seconds, "solved": solved, "residual": float((miss / size).max())}


if __name__ == "__main__":
    serve(measure)

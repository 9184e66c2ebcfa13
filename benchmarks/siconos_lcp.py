"""Siconos' lexicographic Lemke algorithm on given problems.

Run by an interpreter that has Siconos; nsmb is not imported. Every line on stdin is a run, a JSON
object; every line on stdout is its result:

    A, b      files with A (count, n, n) and b (count, n)
    repeat    how often each problem is solved
    loop      library compiled from lcp_loop.c, or null: the loop is then in Python
    -> seconds of processor time per solve; solved: how many have a natural residual below 1e-6
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

# Threads only get in each other's way in problems of this size.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import numpy as np
import siconos.numerics as sn

SOLVED = 1e-6  # the tolerance Siconos sets for itself


def numerics_library() -> ctypes.CDLL:
    maps = Path("/proc/self/maps").read_text("utf-8").split()
    return ctypes.CDLL(next(part for part in maps if "libsiconos_numerics" in part))


def measure(run: dict[str, Any]) -> dict[str, Any]:
    A, b = np.load(run["A"]), np.load(run["b"])
    count, n = b.shape
    problems = [sn.LCP(A[k], b[k]) for k in range(count)]
    options = sn.SolverOptions(sn.SICONOS_LCP_LEMKE)
    z, w = np.zeros((2, count, n))
    if run["loop"] is None:
        begin = time.process_time()
        for _ in range(run["repeat"]):
            for k in range(count):
                sn.lcp_lexicolemke(problems[k], z[k], w[k], options)
        seconds = time.process_time() - begin
    else:
        loop = ctypes.CDLL(run["loop"]).lcp_loop
        loop.restype = ctypes.c_double
        pointers = (ctypes.c_void_p * count)(*(int(problem.this) for problem in problems))
        seconds = loop(
            numerics_library().lcp_lexicolemke,
            pointers,
            count,
            run["repeat"],
            n,
            z.ctypes.data_as(ctypes.c_void_p),
            w.ctypes.data_as(ctypes.c_void_p),
            (ctypes.c_int * count)(),
            ctypes.c_void_p(int(options.this)),
        )
    y = np.einsum("kij,kj->ki", A, z) + b
    miss = np.abs(np.minimum(z, y)).max(axis=1) / np.maximum(1.0, np.abs(b).max(axis=1))
    return {"seconds": seconds / (count * run["repeat"]), "solved": int((miss < SOLVED).sum())}


def main() -> None:
    # Siconos writes to standard output; results take a channel of their own.
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        for line in sys.stdin:
            print(json.dumps(measure(json.loads(line))), file=results, flush=True)


if __name__ == "__main__":
    main()

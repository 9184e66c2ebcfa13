"""Heap allocations of the core after warm-up, counted under a preloaded ``malloc``.

By hand, to see where they come from (see ``count_malloc.c``):

    python benchmarks/allocations.py --trace linear_flow
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb

SOURCE = Path(__file__).with_name("count_malloc.c")
METHODS = ("linear_flow", "dp853", "arkode_fehlberg78")
WARM_UP = 70.0  # s of motion: the toy is on its cycle, with more than 4096 events behind it
MOTION = 20.0  # s


def compile_library(source: Path, folder: Path) -> Path | None:
    """A small C library; None where it cannot be had."""
    compiler = next((c for c in (os.environ.get("CC"), "cc", "gcc") if c and shutil.which(c)), None)
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    library = folder / source.with_suffix(".so").name
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(source)]
    result = subprocess.run(command, capture_output=True, check=False)
    return library if result.returncode == 0 else None


def run_child(library: Path, *arguments: str) -> str:
    command = [sys.executable, str(Path(__file__)), *arguments]
    environment = os.environ | {"LD_PRELOAD": str(library)}
    child = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return child.stdout


def measure() -> dict[str, Any] | None:
    """Per method, what `count` found; None where it cannot be counted."""
    with tempfile.TemporaryDirectory() as folder:
        library = compile_library(SOURCE, Path(folder))
        if library is None:
            return None
        return {method: json.loads(run_child(library, "--count", method)) for method in METHODS}


def simulator_after_warm_up(method: str) -> Any:
    options = nsmb.EventDriven(integrator=method, rtol=1e-10, dense_output=False)
    core = nsmb.Simulator(nsmb.systems.woodpecker(), options, output_step=0.0)._core
    core.advance(WARM_UP)
    return core


def count(method: str) -> dict[str, float]:
    """Allocations on a stretch of motion after the warm-up.

    The table of events grows with the run, by doubling. After the warm-up each of its columns has
    more than 4096 rows, so that a column that grows is a block of 8192 bytes or more; what steps
    and events need for themselves is smaller.
    """
    library = ctypes.CDLL(None)

    def counts() -> NDArray[np.int64]:
        numbers = (ctypes.c_long * 4)()
        library.malloc_counts(numbers)
        return np.array(numbers[:])

    core = simulator_after_warm_up(method)
    before = core.statistics
    start = counts()
    core.advance(core.t)  # no motion: shows what the call itself allocates
    still = counts()
    core.advance(core.t + MOTION)
    small_calls, small_bytes, large_calls, large_bytes = (counts() - still) - (still - start)
    after = core.statistics
    steps = after["steps"] - before["steps"]
    events = after["events"] - before["events"]
    return {
        "steps": steps,
        "events": events,
        "calls": int(small_calls),
        "calls_per_step": small_calls / steps,
        "bytes_per_step": small_bytes / steps,
        "calls_per_event": small_calls / events,
        "bytes_per_event": small_bytes / events,
        "result_calls": int(large_calls),
        "result_bytes": int(large_bytes),
    }


def trace(method: str) -> None:
    """Backtraces of the allocations on a short stretch, to standard error."""
    library = ctypes.CDLL(None)
    core = simulator_after_warm_up(method)
    library.start_trace()
    core.advance(core.t + 0.25)
    library.stop_trace()


if __name__ == "__main__":
    action, name = sys.argv[1:]
    if action == "--count":
        print(json.dumps(count(name)))
    elif action == "--trace-here":
        trace(name)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            preload = compile_library(SOURCE, Path(scratch))
            if preload is None:
                sys.exit("needs Linux with glibc and a C compiler")
            run_child(preload, "--trace-here", name)

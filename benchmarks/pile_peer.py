"""What the programs of the race have in common: scenes in, results out, line by line.

Knows no engine and imports none; run by the interpreters of all of them.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

# Threads only get in each other's way: all race on one.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

Step = Callable[[], None]
Report = Callable[[], dict[str, Any]]
Build = Callable[[dict[str, Any]], tuple[Step, Report]]


def memory() -> int:
    """Bytes in memory now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def race(build: Build, scene: dict[str, Any]) -> dict[str, Any]:
    """Processor time of every step until the scene ends, or its limit of processor time is used."""
    before = memory()
    step, report = build(scene)
    built = most = memory()
    seconds: list[float] = []
    total = 0.0
    while len(seconds) < scene["steps"] and total < scene["limit"]:
        begin = time.process_time()
        step()
        seconds.append(time.process_time() - begin)
        total += seconds[-1]
        most = max(most, memory())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    used = {"memory": peak - before, "memory of steps": most - built}
    return {"seconds": seconds, **used, **report()}


def serve(build: Build) -> None:
    """One scene per line of standard input; what engines write to standard output is lost."""
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        for line in sys.stdin:
            print(json.dumps(race(build, json.loads(line))), file=results, flush=True)

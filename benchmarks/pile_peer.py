"""Common parts for all programs that simulate piles. No engine is imported here."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from typing import Any

from benchmarks.peer import serve, timed

Step = Callable[[], None]
Report = Callable[[], dict[str, Any]]
Build = Callable[[dict[str, Any]], tuple[Step, Report]]


def memory() -> int:
    """Return the current memory in bytes; 0 if the operating system does not report it."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def race(build: Build, scene: dict[str, Any]) -> dict[str, Any]:
    """Return the processor time of every step until the scene or the processor time ends."""
    before = memory()
    step, report = build(scene)
    built = most = memory()
    seconds: list[float] = []
    total = 0.0
    while len(seconds) < scene["steps"] and total < scene["limit"]:
        seconds.append(timed(step)[1])
        total += seconds[-1]
        most = max(most, memory())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    used = {"memory": peak - before, "memory of steps": most - built}
    return {"seconds": seconds, **used, **report()}


def enter(build: Build) -> None:
    """Run one scene per request."""
    serve(lambda **scene: race(build, scene))

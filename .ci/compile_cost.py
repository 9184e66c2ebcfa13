"""Record the cost of each compiler process, and print a table; .ci/compile_cost.sh runs both.

    cmake ... -DCMAKE_CXX_COMPILER_LAUNCHER="python3;$PWD/.ci/compile_cost.py"
    NSMB_COMPILE_COST=FILE cmake --build ...        # a line for each compilation
    python3 .ci/compile_cost.py --table FILE [--most-mb MB] [--most-seconds SECONDS]

Seconds are processor time of one compilation, MB the largest resident set of its processes. The
limits, of one process and of all compilations together, end the program with 1 if exceeded.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path


def record(command: list[str]) -> int:
    start = time.time()
    code = subprocess.call(command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = command[command.index("-o") + 1] if "-o" in command[:-1] else command[-1]
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024.0
    log = os.environ.get("NSMB_COMPILE_COST")
    if log:
        with open(log, "a", encoding="utf-8") as lines:
            fields = (f"{start:.2f}", f"{time.time():.2f}", f"{seconds:.2f}", f"{megabytes:.0f}")
            lines.write("\t".join((*fields, Path(output).name)) + "\n")
    return code


def alone_at_the_end(spans: list[tuple[float, float]]) -> float:
    """Return the time from the last instant with two compilations to the end of the last one, s."""
    ends = sorted((end, start) for start, end in spans)
    last = ends[-1][0]
    return last - (ends[-2][0] if len(ends) > 1 else ends[-1][1])


def table(file: Path, most_mb: float, most_seconds: float) -> int:
    lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    costs = sorted(((float(c[2]), float(c[3]), c[4]) for c in lines), reverse=True)
    for seconds, megabytes, name in costs:
        print(f"{seconds:8.1f} s {megabytes:7.0f} MB  {name}")
    total = sum(seconds for seconds, _, _ in costs)
    largest = max(megabytes for _, megabytes, _ in costs)
    alone = alone_at_the_end([(float(c[0]), float(c[1])) for c in lines])
    print(f"{total:8.1f} s {largest:7.0f} MB  all {len(costs)}, and the largest process")
    print(f"{alone:8.1f} s              the last one alone, by the clock")
    return int(total > most_seconds or largest > most_mb)


def main(arguments: list[str]) -> int:
    if arguments[:1] != ["--table"]:
        return record(arguments)
    parser = argparse.ArgumentParser(description="the cost of each compilation")
    parser.add_argument("--table", type=Path, required=True, metavar="FILE")
    parser.add_argument("--most-mb", type=float, default=float("inf"))
    parser.add_argument("--most-seconds", type=float, default=float("inf"))
    given = parser.parse_args(arguments)
    return table(given.table, given.most_mb, given.most_seconds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

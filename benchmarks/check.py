"""Counts what this build does and compares it with the baseline of the last release.

    python benchmarks/check.py                  # count, compare; what `make bench-check` runs
    python benchmarks/check.py --repeat         # count twice: by how much do counts differ?
    python benchmarks/check.py --store 0.1.0    # count, and keep that as the baseline of a release
    python benchmarks/check.py --only "Lemke, 50" --only "toy, dp853"
    python benchmarks/check.py --counts FILE    # compare counts of before

Ends with 0 if nothing is worse, with 1 if a count is more than 3 % above its baseline, and with 2
if the two cannot be compared: counts of another compiler or other libraries are those of another
program. Where git has the commit of the baseline, asv then builds that commit and this one here,
in the same environment, and compares both.
"""

from __future__ import annotations

import argparse
import datetime
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from counted import compare
from counted.environment import environment, git, machine
from counted.measure import CannotCountError, measure

ROOT = Path(__file__).resolve().parents[1]
COUNTS = ROOT / "build" / "counts.json"
ALARM, NOT_COMPARABLE = 1, 2


def count(names: list[str]) -> dict[str, Any]:
    import nsmb

    return {
        "version": nsmb.__version__,
        "commit": git("rev-parse", "HEAD"),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": machine(),
        "environment": environment(),
        "entries": measure(names),
    }


def baseline_of_this_build() -> dict[str, Any]:
    """Counted twice, so that the file says how well counts repeat."""
    first, second = count([]), count([])
    repeats = compare.apart(compare.values(first), compare.values(second))
    return first | {"apart when counted again, per mille": repeats}


def repeatability(names: list[str]) -> int:
    """Counts twice: how far apart two counts of the same build are, per mille."""
    first, second = (compare.values(count(names)) for _ in range(2))
    rows = sorted(compare.compare(first, second), key=lambda row: -abs(row.ratio - 1.0))
    for row in rows:
        print(f"{1e3 * (row.ratio - 1.0):+9.3f} per mille  {row.entry}")
    return 0


def against(baseline: dict[str, Any], counts: dict[str, Any], everything: bool) -> int:
    """Tells how they compare; 0, `ALARM` or `NOT_COMPARABLE`."""
    rows = compare.compare(compare.values(baseline), compare.values(counts))
    print(f"counts beside the baseline of {baseline['version']}, of {baseline['date']}:")
    print(compare.report(rows, everything))
    apart = compare.differences(baseline["environment"], counts["environment"])
    if apart:
        print("\nThese are counts of different builds, their ratios tell nothing:")
        print("\n".join(f"  {line}" for line in apart))
        return NOT_COMPARABLE
    found = compare.alarms(rows)
    if found:
        print(f"\nALARM: {len(found)} above {compare.LIMIT} times the baseline")
        return ALARM
    return 0


def rebuilt(commit: str) -> int:
    """Both commits built here and counted by asv, whose exit status says if one got worse."""
    asv = Path(sys.executable).with_name("asv")
    program = str(asv) if asv.exists() else shutil.which("asv")
    if program is None:
        print("asv, which would build the baseline's commit here, is missing: pip install asv")
        return NOT_COMPARABLE
    if git("status", "--porcelain", "--untracked-files=no"):
        print("asv compares commits: what is not committed is left out")
    subprocess.run([program, "machine", "--yes"], cwd=ROOT, check=False)  # else it would ask
    command = [program, "continuous", "--show-stderr", f"--factor={compare.LIMIT}", commit, "HEAD"]
    done = subprocess.run(command, cwd=ROOT, check=False)
    return {0: 0, 1: ALARM}.get(done.returncode, NOT_COMPARABLE)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="counts beside those of the last release")
    parser.add_argument("--only", action="append", default=[], metavar="CASE")
    parser.add_argument("--counts", type=Path, help="compare these, do not count")
    parser.add_argument("--baseline", type=Path, help="instead of that of the last release")
    parser.add_argument("--stored", action="store_true", help="build nothing to compare with")
    parser.add_argument("--all", action="store_true", help="show also what is the same")
    parser.add_argument("--repeat", action="store_true", help="count twice and compare both")
    parser.add_argument("--store", metavar="VERSION", help="keep the counts as its baseline")
    given = parser.parse_args(arguments)
    try:
        if given.repeat:
            return repeatability(given.only)
        if given.store:
            compare.write(compare.BASELINES / f"{given.store}.json", baseline_of_this_build())
            return 0
        return check(given)
    except CannotCountError as error:
        print(error)
        return NOT_COMPARABLE


def check(given: argparse.Namespace) -> int:
    path = given.baseline or compare.last_baseline()
    if path is None:
        print(f"no baseline in {compare.BASELINES}")
        return NOT_COMPARABLE
    baseline = compare.read(path)
    if given.counts:
        return against(baseline, compare.read(given.counts), given.all)
    apart = compare.differences(baseline["environment"], environment())
    if apart and not given.stored and has_commit(baseline["commit"]):
        print(
            "\n".join(
                [f"The stored baseline of {baseline['version']} is of another build:", *apart]
            )
        )
        print(f"building its commit, {baseline['commit'][:10]}, and HEAD here, to compare these")
        return rebuilt(baseline["commit"])
    counts = count(given.only)
    compare.write(COUNTS, counts)
    if given.only:
        chosen = tuple(f"{name} | " for name in given.only)
        baseline["entries"] = {k: v for k, v in baseline["entries"].items() if k.startswith(chosen)}
    return against(baseline, counts, given.all)


def has_commit(commit: str) -> bool:
    return git("cat-file", "-e", f"{commit}^{{commit}}") is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Measure benchmarks, print their tables, and store the numbers.

    python benchmarks/run.py                              all except those run only by name
    python benchmarks/run.py --list                       their names, titles and sizes
    python benchmarks/run.py discs modes=55,100 --json discs.json
    python benchmarks/run.py fclib folders=/data/fclib --record
    python benchmarks/run.py counts --check               comparison of counts with the last release
    python benchmarks/run.py counts "names=Lemke, 50" --check
    python benchmarks/run.py counts repeats=2 --release 0.2.0

A word with ``=`` sets a size of the benchmark before it. All numbers are written to
``build/benchmarks.json``, or to the given file. ``--record`` also stores them in ``results/``, for
the pages of the site, and ``--release`` as a baseline. ``--check`` returns 1 if a count is more
than 3 % above its baseline. It returns 2 if the two cannot be compared, because another compiler or
other libraries were used. If git has the commit of the baseline, it is built and counted here
instead.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import harness, records
from benchmarks.counted import compare

MODULES = (  # in the order of the report
    "woodpecker", "allocations", "parts", "friction_siconos", "lcp_siconos", "mcp", "mass_tower",
    "forward_dynamics", "polygon_search", "piles", "stepping", "orders", "scaling", "analysis",
    "machines", "explorer", "counted.measure", "fclib_problems", "geometry_coal", "exudyn_beams",
    "areal", "gearbox", "discs", "reduction", "sparse_newton", "symbolic",
)  # fmt: skip


def asked(words: list[str]) -> dict[str, dict[str, Any]]:
    """Return benchmarks by name, with their sizes; the default ones if none is named."""
    found: dict[str, dict[str, Any]] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            if key not in harness.BENCHMARKS:
                raise SystemExit(f"there is no benchmark {key}; see --list")
            found[key] = {}
            continue
        name = next(reversed(found), "")
        sizes = harness.BENCHMARKS[name].sizes if name else {}
        if key not in sizes:
            raise SystemExit(f"{word}: {name or 'no benchmark before it'} has no size {key}")
        found[name][key] = parsed(value, sizes[key])
    return found or {name: {} for name, b in harness.BENCHMARKS.items() if not b.alone}


def parsed(value: str, default: Any) -> Any:
    """Parse a Python literal or a text; a single value becomes a tuple if several are allowed."""
    try:
        given = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        given = value
    return (given,) if isinstance(default, tuple) and not isinstance(given, tuple) else given


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", metavar="name|size=value")
    parser.add_argument("--list", action="store_true", help="print the benchmarks, measure nothing")
    parser.add_argument("--record", action="store_true", help="keep the numbers for the site")
    parser.add_argument("--note", default="", help="what a reader of the numbers should know")
    parser.add_argument("--json", type=Path, default=records.ROOT / "build" / "benchmarks.json")
    parser.add_argument("--check", action="store_true", help="compare counts with a baseline")
    parser.add_argument("--stored", type=Path, help="check this record, measure nothing")
    parser.add_argument("--baseline", type=Path, help="instead of that of the last release")
    parser.add_argument("--all", action="store_true", help="show also counts that are the same")
    parser.add_argument("--release", metavar="VERSION", help="keep the numbers as its baseline")
    given = parser.parse_intermixed_args(arguments)
    if given.stored:
        return compare.check(records.read(given.stored), given.baseline, given.all)
    for module in MODULES:
        importlib.import_module(f"benchmarks.{module}")
    if given.list:
        for name, declared in harness.BENCHMARKS.items():
            given_as = " ".join(f"{key}={value}" for key, value in declared.sizes.items())
            print(f"{name:18}{'by itself ' if declared.alone else ''}{declared.title}  {given_as}")
        return 0
    record = records.new(given.note)
    for name, sizes in asked(given.words).items():
        declared = harness.BENCHMARKS[name]
        try:
            record[name] = declared.measure(**sizes)
        except harness.MissingError as error:
            record[name] = None
            print(f"\n{declared.title}: left out, {error}")
        harness.show(record[name], declared.title)
    record["machine"] |= harness.FOUND
    if os.name == "posix":
        record["machine"]["load at the end"] = os.getloadavg()[0]
    records.write(given.json, record)
    print(f"\nall numbers: {given.json}")
    if given.record:
        records.keep(records.RESULTS / f"{record['version']}-{record['date']}.json", record)
    if given.release:
        path = records.BASELINES / f"{given.release}.json"
        records.write(path, record | {"version": given.release})
    if not given.check:
        return 0
    from benchmarks.counted.measure import of_commit

    return compare.check(record, given.baseline, given.all, of_commit)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

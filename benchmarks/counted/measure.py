"""Counts of this build: run ``child.py`` in its three modes and combine the results."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import harness, records
from benchmarks.counted import compare
from benchmarks.counted.names import INSTRUCTIONS, PER_UNIT, TOOLS, entry_name

# No randomised hashes, which would differ from one run to the next.
QUIET = {"PYTHONHASHSEED": "0", "MPLBACKEND": "agg", "LC_ALL": "C.UTF-8"}
CALLGRIND = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--collect-jumps=no"]


def under_callgrind(
    module: str, folder: Path, environment: dict[str, str] | None = None
) -> harness.Peer:
    """Start a module in a process whose instructions are counted between client requests."""
    if shutil.which("valgrind") is None:
        raise harness.MissingError("valgrind is missing (Debian, Ubuntu: apt-get install valgrind)")
    library("callgrind_window.c", folder)
    command = [*CALLGRIND, f"--callgrind-out-file={folder}/counts.%p"]
    return harness.Peer(sys.executable, module, prefix=command, environment=environment)


def library(source: str, folder: Path) -> Path:
    compiled = harness.compile_library(source, folder)
    if compiled is None:
        raise harness.MissingError("counting needs Linux with glibc and a C compiler")
    return compiled


def callgrind_counts(folder: Path) -> dict[str, int]:
    """Return the instructions by case, from the files written at the client requests."""
    counts = {}
    for path in folder.glob("counts.*"):
        text = path.read_text("utf-8", "replace")
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if name and total:
            counts[name[1]] = int(total[1])
    return counts


def measure(
    names: Sequence[str] = (), environment: dict[str, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return values by entry: ``{"toy, dp853 | instructions per event": {"value": 1.2, ...}}``."""
    module, environment = "benchmarks.counted.child", QUIET | (environment or {})
    entries: dict[str, dict[str, Any]] = {}
    for tool in TOOLS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            if tool == "instructions":
                child = under_callgrind(module, folder, environment)
            else:
                own = dict(environment)
                if tool == "heap":
                    own["LD_PRELOAD"] = str(library("count_malloc.c", folder))
                child = harness.Peer(sys.executable, module, environment=own)
            with child:
                rows = child.run(tool=tool, folder=scratch, names=names)["rows"]
            counts = callgrind_counts(folder)
        for row in rows:
            name, unit, units = row.pop("name"), row.pop("unit"), row.pop("units")
            if tool == "instructions":
                row[INSTRUCTIONS] = counts[name]
            for kind, value in row.items():
                value = round(value / units, 3) if kind in PER_UNIT else value
                entries[entry_name(name, kind, unit)] = {"value": value, "units": units}
    return dict(sorted(entries.items()))


def of_commit(commit: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Count another commit of nsmb with these cases, built here next to the current one."""
    folder = records.ROOT / "build" / "counted" / commit
    if not (folder / "site").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        archive = f"{folder}/source.tar"
        install = [sys.executable, "-m", "pip", "install", "--no-deps", "--target"]
        subprocess.run(["git", "archive", "-o", archive, commit], cwd=records.ROOT, check=True)
        shutil.unpack_archive(archive, folder / "source")
        subprocess.run([*install, f"{folder}/site", f"{folder}/source"], check=True)
    return measure(names, {"PYTHONPATH": os.pathsep.join([str(records.ROOT), f"{folder}/site"])})


@harness.benchmark("counts", "Instructions, allocations and bytes", alone=True)
def counts(names: tuple[str, ...] = (), repeats: int = 1) -> dict[str, Any]:
    """Count the named cases, or all; with two or more repeats also their repeatability."""
    found = [measure(names) for _ in range(repeats)]
    section: dict[str, Any] = {"names": list(names), "entries": found[0]}
    if repeats > 1:
        both = (compare.values(entries) for entries in (found[0], found[-1]))
        section["apart when counted again, per mille"] = compare.apart(*both)
    return section

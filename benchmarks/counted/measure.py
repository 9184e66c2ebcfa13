"""Counts of this build: starts ``child.py`` in its three ways and puts together what they found."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from allocations import compile_library

from counted.names import INSTRUCTIONS, PER_UNIT, TOOLS, entry_name

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent
# One thread, no randomised hashes: what else would differ from one run to the next.
QUIET = {
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "agg",
    "LC_ALL": "C.UTF-8",
}
CALLGRIND = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--collect-jumps=no"]


class CannotCountError(RuntimeError):
    """Something is missing on this machine; the message says what."""


def library(source: str, folder: Path) -> Path:
    compiled = compile_library(SOURCES / source, folder)
    if compiled is None:
        raise CannotCountError("counting needs Linux with glibc and a C compiler")
    return compiled


def run_child(tool: str, folder: Path, names: list[str]) -> list[dict[str, Any]]:
    environment, command = os.environ | QUIET, []
    if tool == "instructions":
        if shutil.which("valgrind") is None:
            raise CannotCountError("valgrind is missing (Debian, Ubuntu: apt-get install valgrind)")
        library("callgrind_window.c", folder)
        command = [*CALLGRIND, f"--callgrind-out-file={folder}/counts.%p"]
    elif tool == "heap":
        preload = library("count_malloc.c", folder)
        environment["LD_PRELOAD"] = str(preload)
    command += [sys.executable, str(HERE / "child.py"), tool, str(folder), *names]
    child = subprocess.run(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True, check=False
    )
    if child.returncode:
        raise RuntimeError(f"the cases did not come to their end ({tool})")
    return [json.loads(line) for line in child.stdout.splitlines()]


def callgrind_counts(folder: Path) -> dict[str, int]:
    """Case to instructions, from the files that the client requests made."""
    counts = {}
    for path in folder.glob("counts.*"):
        text = path.read_text("utf-8", "replace")
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if name and total:
            counts[name[1]] = int(total[1])
    return counts


def measure(names: list[str] | None = None) -> dict[str, dict[str, Any]]:
    """Entry to value: ``{"toy, dp853 | instructions per event": {"value": 1.2, ...}}``."""
    entries: dict[str, dict[str, Any]] = {}
    for tool in TOOLS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            rows = run_child(tool, folder, names or [])
            counts = callgrind_counts(folder)
        for row in rows:
            name, unit, units = row.pop("name"), row.pop("unit"), row.pop("units")
            if tool == "instructions":
                row[INSTRUCTIONS] = counts[name]
            for kind, value in row.items():
                value = round(value / units, 3) if kind in PER_UNIT else value
                entries[entry_name(name, kind, unit)] = {"value": value, "units": units}
    return dict(sorted(entries.items()))

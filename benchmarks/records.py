"""Records of benchmarks: the format of their files, a reader and a writer.

A record is a JSON object with ``version``, ``date`` and ``commit`` of nsmb, ``machine``,
``environment``, a ``note``, and a section for each benchmark under its name. Records of whole runs
are stored in ``results/``, and those of releases, with the section ``counts``, in ``baselines/``.
This module imports only the standard library.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS, BASELINES = HERE / "results", HERE / "baselines"
PACKAGES = ("numpy", "scipy", "h5py", "pandas", "xarray", "matplotlib")
INCLUDE = (Path("/usr/local/include"), Path("/usr/include"))
# Vector extensions of the levels of the x86-64 psABI, by which libraries select their loops.
# valgrind offers programs no level above the third, so that newer machines yield the same counts.
LEVELS = (
    ("x86-64-v3", {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe"}),
    ("x86-64-v2", {"sse4_2", "ssse3", "popcnt"}),
)


def read(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return record


def read_all(folder: Path) -> list[dict[str, Any]]:
    """Return all records of a folder, the oldest first."""
    return sorted(map(read, sorted(folder.glob("*.json"))), key=lambda record: str(record["date"]))


def write(path: Path, record: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def keep(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record; other sections of an existing file are kept."""
    before = read(path) if path.is_file() else {"machine": {}}
    write(path, before | dict(record) | {"machine": before["machine"] | record["machine"]})


def last_baseline(folder: Path = BASELINES) -> Path | None:
    """Return the file of the highest version."""
    return max(
        folder.glob("*.json"),
        key=lambda path: tuple(map(int, re.findall(r"\d+", path.stem))),
        default=None,
    )


def new(note: str = "") -> dict[str, Any]:
    """Return a record of this build on this machine, without sections."""
    return {
        "version": package_version("nsmb"),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": git("rev-parse", "HEAD"),
        "machine": {
            "processor": cpuinfo("model name") or platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0] if os.name == "posix" else None,
        },
        "environment": environment(),
        "note": note,
    }


def environment() -> dict[str, Any]:
    """Return everything except the source that determines counts, for comparison."""
    eigen = "EIGEN_WORLD_VERSION|EIGEN_MAJOR_VERSION|EIGEN_MINOR_VERSION"
    return {
        "processor kind": kind_of_processor(),
        "system": platform.system(),
        "C library": " ".join(platform.libc_ver()),
        "compiler of the core": compilers(),
        "Eigen, installed": macro("eigen3/Eigen/src/Core/util/Macros.h", eigen),
        "SUNDIALS, installed": macro("sundials/sundials_config.h", "SUNDIALS_VERSION"),
        "python": platform.python_version(),
        **{name: package_version(name) for name in PACKAGES},
        "valgrind": (output("valgrind", "--version") or "").removeprefix("valgrind-") or None,
    }


def cpuinfo(key: str) -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return ""
    found = re.search(rf"^{key}\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def kind_of_processor() -> str:
    flags = set(cpuinfo("flags").split())
    machine = platform.machine()
    if machine != "x86_64":
        return machine
    return next((name for name, needed in LEVELS if needed <= flags), machine)


def compilers() -> list[str]:
    """Return the names of compilers stored in the compiled core."""
    package = importlib.util.find_spec("nsmb")
    folder = Path(package.origin).parent if package and package.origin else Path()
    found: set[bytes] = set()
    for path in folder.glob("_core*.so"):
        text = path.read_bytes()
        found |= set(re.findall(rb"(?:GCC: \([^)]*\)|clang version) [\d.]+", text))
    return sorted(name.decode() for name in found)


def macro(header: str, names: str) -> str | None:
    """Return the numbers of macros of an installed header, joined by dots."""
    for folder in INCLUDE:
        if (folder / header).is_file():
            text = (folder / header).read_text("utf-8", "replace")
            found = re.findall(rf"^#define (?:{names}) +\"?([\d.]+)", text, re.MULTILINE)
            return ".".join(found[:3]) or None
    return None


def package_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def output(*command: str) -> str | None:
    """Return the output of a command in the folder of the sources; None if it fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def git(*arguments: str) -> str | None:
    return output("git", *arguments)

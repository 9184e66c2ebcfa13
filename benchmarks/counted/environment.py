"""What counts depend on besides the source. Only counts with all of this equal are compared."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("numpy", "scipy", "h5py", "pandas", "xarray", "matplotlib")
INCLUDE = (Path("/usr/local/include"), Path("/usr/include"))
# Vector extensions of the levels of the x86-64 psABI: what libraries choose their loops by.
# valgrind shows programs none above the third, so that machines with more count the same.
LEVELS = (
    ("x86-64-v3", {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe"}),
    ("x86-64-v2", {"sse4_2", "ssse3", "popcnt"}),
)


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
    """As they left their names in the compiled core."""
    package = importlib.util.find_spec("nsmb")
    folder = Path(package.origin).parent if package and package.origin else Path()
    found: set[str] = set()
    for path in folder.glob("_core*.so"):
        text = path.read_bytes()
        found |= set(re.findall(rb"(?:GCC: \([^)]*\)|clang version) [\d.]+", text))
    return sorted(name.decode() for name in found)


def macro(header: str, names: str) -> str | None:
    """Numbers of macros of an installed header, joined by dots."""
    for folder in INCLUDE:
        if (folder / header).is_file():
            text = (folder / header).read_text("utf-8", "replace")
            found = re.findall(rf"^#define (?:{names}) +\"?([\d.]+)", text, re.MULTILINE)
            return ".".join(found[:3]) or None
    return None


def valgrind() -> str | None:
    try:
        told = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return told.stdout.strip().removeprefix("valgrind-")


def package_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def environment() -> dict[str, Any]:
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
        "valgrind": valgrind(),
    }


def machine() -> dict[str, Any]:
    """Told, but not compared: counts do not depend on it."""
    return {"processor": cpuinfo("model name"), "cores": os.cpu_count()}


def git(*arguments: str) -> str | None:
    """What git says; None without git or where it fails."""
    command = ["git", *arguments]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()

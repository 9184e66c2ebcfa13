"""Common parts of all benchmarks: declarations, other programs in processes, tables."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import records
from benchmarks.peer import timed

Measure = Callable[..., Any]
# One thread each: for problems of these sizes more threads are slower.
THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


# Declarations.


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, which measures a section of a record. Arguments of `measure` are its sizes."""

    title: str
    measure: Measure
    alone: bool
    """True if a run of all benchmarks omits it, because it takes long or needs data."""

    @property
    def sizes(self) -> dict[str, Any]:
        return {key: p.default for key, p in inspect.signature(self.measure).parameters.items()}


BENCHMARKS: dict[str, Benchmark] = {}


def benchmark(name: str, title: str, alone: bool = False) -> Callable[[Measure], Measure]:
    """Declare that a function measures the section `name`."""

    def declare(measure: Measure) -> Measure:
        BENCHMARKS[name] = Benchmark(title, measure, alone)
        return measure

    return declare


# Times.


def alternate(
    works: Mapping[Any, Callable[[], object]], repeats: int, loops: int = 1
) -> dict[Any, list[float]]:
    """Return processor times of alternating calls, s. Other load affects all calls equally."""
    times: dict[Any, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(timed(work, loops=loops)[1])
    return times


def exponent(n: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of the logarithms of values over sizes."""
    return float(np.polyfit(np.log(n), np.log(values), 1)[0])


def exponents(
    rows: Iterable[Mapping[str, Any]], keys: Iterable[str], start: float = 0.0
) -> dict[str, float]:
    """Return exponents of columns over ``n`` from `start` on, if two rows have them."""
    found = {}
    large = [row for row in rows if row["n"] >= start]
    for key in keys:
        points = [(row["n"], row[key]) for row in large if key in row]
        if len(points) > 1:
            found[key] = exponent(*zip(*points, strict=True))
    return found


# Other programs.


@dataclass(frozen=True)
class Program:
    imports: str
    advice: str
    package: str
    """Name of the package with the version."""


PROGRAMS = {
    "siconos": Program("siconos.kernel", "apt-get install python3-siconos", "siconos"),
    "pinocchio": Program(
        "pinocchio, scipy; pinocchio.ADMMConstraintSolver", "pip install pin scipy", "pin"
    ),
    "mujoco": Program("mujoco", "pip install mujoco", "mujoco"),
    "drake": Program("pydrake.multibody.plant", "pip install drake", "drake"),
    "box2d": Program("Box2D", "pip install box2d", "box2d"),
    "coal": Program("coal", "pip install coal", "coal"),
    "exudyn": Program("exudyn", "pip install exudyn", "exudyn"),
}
FOUND: dict[str, str] = {}
"""The versions of the programs that were found."""


@functools.cache
def interpreter(name: str) -> str | None:
    """Return the first interpreter that can import a program, or print how to install it.

    The candidates are the one named in the environment, the current one, /usr/bin/python3 and
    python3."""
    program = PROGRAMS[name]
    variable = f"NSMB_{name.upper()}_PYTHON"
    test = f"""import numpy, {program.imports}
from importlib import metadata
try: version = metadata.version({program.package!r})
except metadata.PackageNotFoundError: version = "unknown"
print("found", version)"""
    for candidate in (os.environ.get(variable), sys.executable, "/usr/bin/python3", "python3"):
        path = shutil.which(candidate) if candidate else None
        if path is None:
            continue
        tried = subprocess.run([path, "-c", test], capture_output=True, text=True, check=False)
        found, _, version = tried.stdout.strip().rpartition("\n")[2].partition(" ")
        if found == "found":
            if path.startswith("/usr/bin"):  # the version of the Debian package is more precise
                debian = ("dpkg-query", "-W", "-f", "${Version}", f"python3-{program.package}")
                version = records.output(*debian) or version
            FOUND[name] = version
            return path
    print(f"{name} left out: no interpreter can import it ({program.advice}; {variable} names one)")
    return None


class MissingError(RuntimeError):
    """A benchmark cannot be measured on this machine; the message states the reason."""


class PeerEndedError(RuntimeError):
    """A process ended, or exceeded its time limit."""


class Peer:
    """A module run in a separate process, which answers requests (`peer.serve`).

    The process starts with the first request and is restarted by the next one if it has ended. A
    request that takes longer than `limit` seconds ends it.
    """

    def __init__(
        self,
        python: str,
        module: str,
        limit: float | None = None,
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._command = [*prefix, python, "-m", module]
        paths = [str(records.ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        path = {"PYTHONPATH": os.pathsep.join(paths)}
        self._environment = os.environ | THREADS | path | dict(environment or {})
        self._limit = limit
        self._process: subprocess.Popen[str] | None = None

    def run(self, **order: Any) -> dict[str, Any]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env=self._environment,
            )  # fmt: skip
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with contextlib.suppress(BrokenPipeError):
            stdin.write(json.dumps(order) + "\n")
            stdin.flush()
        ready, _, _ = select.select([stdout], [], [], self._limit)
        line = stdout.readline() if ready else ""
        if not line:
            self.close()
            reason = "ended early" if ready else f"took longer than {self._limit:g} s"
            raise PeerEndedError(f"{self._command[-1]} {reason}; its messages are above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                with contextlib.suppress(BrokenPipeError):  # unread input
                    pipe.close()
            self._process.wait()
        self._process = None

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def peer(name: str, module: str, limit: float | None = None) -> Iterator[Peer | None]:
    """Start another program with a module of this folder; None if it is not available."""
    path = interpreter(name)
    if path is None:
        yield None
        return
    with Peer(path, f"benchmarks.{module}", limit) as process:
        yield process


def compile_library(name: str, folder: Path) -> Path | None:
    """Compile a C file of this folder to a library; None without a compiler or Linux."""
    compiler = next((c for c in (os.environ.get("CC"), "cc", "gcc") if c and shutil.which(c)), None)
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    library = folder / Path(name).with_suffix(".so")
    source = str(records.HERE / name)
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), source]
    return library if records.output(*command) is not None else None


@contextlib.contextmanager
def under_malloc(module: str) -> Iterator[Peer | None]:
    """Start a module with counted heap (``count_malloc.c``); None if this is not possible."""
    with tempfile.TemporaryDirectory() as folder:
        library = compile_library("count_malloc.c", Path(folder))
        if library is None:
            print("allocations left out: counting needs Linux with glibc and a C compiler")
            yield None
            return
        preload = {"LD_PRELOAD": str(library)}
        with Peer(sys.executable, f"benchmarks.{module}", environment=preload) as process:
            yield process


# Tables on a terminal.


def show(value: Any, title: str) -> None:
    """Print a section of a record: rows as tables, followed by tables of nested values."""
    if is_rows(value):
        print("\n".join(["", title, *table(flat(row) for row in named(value))]))
    elif isinstance(value, Mapping) and (single := flat(value)):
        print("\n".join(["", title, *(f"{key}: {text(entry)}" for key, entry in single.items())]))
    for name, inner in deeper(value):
        show(inner, name)


def printed(row: dict[str, Any]) -> dict[str, Any]:
    """Print a row as soon as it is measured, and return it."""
    print("; ".join(f"{key} {text(value)}" for key, value in flat(row).items()), flush=True)
    return row


def is_rows(value: Any) -> bool:
    if isinstance(value, Mapping):
        value = list(value.values())
    return isinstance(value, list) and bool(value) and all(isinstance(x, Mapping) for x in value)


def named(value: Any) -> list[dict[Any, Any]]:
    """Return rows with their names as a column."""
    if isinstance(value, Mapping):
        return [{"": name, **row} for name, row in value.items()]
    return [dict(row) for row in value]


def flat(row: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """Return single values and short lists of values, with their key paths."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping) and not is_rows(value):
            found |= flat(value, f"{prefix}{key} ")
        elif not isinstance(value, (Mapping, list, tuple)) or is_short(value):
            found[f"{prefix}{key}"] = value
    return found


def is_short(value: Any) -> bool:
    simple = isinstance(value, (list, tuple)) and len(value) <= 4
    return simple and not any(isinstance(x, (Mapping, list, tuple)) for x in value)


def deeper(value: Any) -> Iterator[tuple[str, Any]]:
    """Return rows inside a value, with their key paths."""
    for row in named(value) if is_rows(value) else [value] if isinstance(value, Mapping) else []:
        name = next((x for x in row.values() if isinstance(x, str)), "") if is_rows(value) else ""
        for key, inner in row.items():
            found = [("", inner)] if is_rows(inner) else deeper(inner)
            yield from ((", ".join(filter(None, (name, str(key), way))), x) for way, x in found)


def table(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return lines of text with a column for each key of any row, and four-digit numbers."""
    rows = list(rows)
    if not rows:
        return []
    keys = list(dict.fromkeys(key for row in rows for key in row))
    cells = [keys, *([text(row.get(key)) for key in keys] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]


def text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return " ".join(map(text, value)) if isinstance(value, (list, tuple)) else str(value)

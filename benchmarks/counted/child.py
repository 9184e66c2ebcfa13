"""Run the cases in one of three modes: ``instructions``, ``heap``, ``python``.

This program is started by ``measure.py``, under callgrind or with a preloaded ``malloc``. Every
case has a separate process, forked after all imports, so that cases do not affect one another.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np  # first, so that counts of importing nsmb exclude it

from benchmarks import peer
from benchmarks.counted.names import ALLOCATIONS, IMPORT, IMPORT_COUNTS, KEPT, PEAK, PYTHON, TOOLS

Counter = Callable[[str, Callable[[], float]], dict[str, Any]]


def instructions(folder: Path) -> Counter:
    """Run a case; its counts are in callgrind's files, under its name."""
    window = ctypes.CDLL(str(folder / "callgrind_window.so"))

    def count(name: str, run: Callable[[], float]) -> dict[str, Any]:
        window.open_window()
        units = run()
        window.close_window(name.encode())
        return {"units": units}

    return count


def heap(_: Path) -> Counter:
    library = ctypes.CDLL(None)
    calls, held = (ctypes.c_long * 4)(), (ctypes.c_long * 2)()

    def count(name: str, run: Callable[[], float]) -> dict[str, Any]:
        library.mark_peak()
        library.malloc_held(held)
        library.malloc_counts(calls)
        first, before = calls[0] + calls[2], held[0]
        units = run()
        library.malloc_counts(calls)
        library.malloc_held(held)
        return {
            "units": units,
            ALLOCATIONS: calls[0] + calls[2] - first,
            PEAK: held[1] - before,
            KEPT: held[0] - before,
        }

    return count


def python(_: Path) -> Counter:
    def count(name: str, run: Callable[[], float]) -> dict[str, Any]:
        tracemalloc.start()
        units = run()
        return {"units": units, PYTHON: tracemalloc.get_traced_memory()[1]}

    return count


def import_nsmb() -> float:
    import nsmb  # noqa: F401

    return 1.0


def in_fork(name: str, count: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    reads, writes = os.pipe()
    child = os.fork()
    if child:
        os.close(writes)
        with os.fdopen(reads) as answer:
            found = answer.read()
        if status := os.waitpid(child, 0)[1]:
            sys.exit(f"{name} ended with {os.waitstatus_to_exitcode(status)}")
        row: dict[str, Any] = json.loads(found)
        return row
    status = 1
    try:
        os.write(writes, json.dumps({"name": name} | count()).encode())
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)  # no cleanup of the parent's objects here


def count(tool: str, folder: str, names: list[str]) -> dict[str, Any]:
    """Return the rows of the cases that `tool` counts."""
    counter = {"instructions": instructions, "heap": heap, "python": python}[tool](Path(folder))
    np.random.default_rng(0).normal()  # trigger late imports of NumPy
    rows = []

    def fork(name: str, unit: str, kinds: Sequence[str], build: Any) -> None:
        def counted() -> dict[str, Any]:
            run = build()
            gc.collect()
            found = counter(name, run)
            kept = {key: found[key] for key in ("units", *kinds) if key in found}
            return {"unit": unit, **kept}

        if kinds and (not names or name in names):
            rows.append(in_fork(name, counted))

    fork(
        IMPORT, "import", [kind for kind in IMPORT_COUNTS if kind in TOOLS[tool]],
        lambda: import_nsmb,
    )  # fmt: skip
    from benchmarks.counted.cases import table

    for name, case in table().items():
        fork(name, case.unit, case.counted_by(tool), case.build)
    return {"rows": rows}


if __name__ == "__main__":
    peer.serve(count)

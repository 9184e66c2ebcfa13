"""Runs the cases in one of three ways and prints a line of JSON for each.

    python counted/child.py instructions|heap|python folder [name ...]

Started by ``measure.py``, under callgrind or with a preloaded ``malloc``. Every case has a process
of its own, forked where everything is imported, so that none sees what the others left behind.
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

import numpy as np  # before all cases, that the import of nsmb is counted without it

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from counted.names import ALLOCATIONS, IMPORT, IMPORT_COUNTS, KEPT, PEAK, PYTHON, TOOLS

Counter = Callable[[str, Callable[[], float]], dict[str, Any]]


def instructions(folder: Path) -> Counter:
    """Counts stand in callgrind's files, under the name of the case."""
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


def in_fork(name: str, count: Callable[[], dict[str, Any]]) -> None:
    sys.stdout.flush()
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        if status:
            sys.exit(f"{name} ended with {os.waitstatus_to_exitcode(status)}")
        return
    status = 1
    try:
        print(json.dumps({"name": name} | count()), flush=True)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)  # nothing of the parent is to be tidied up here


def main(tool: str, folder: Path, wanted: list[str]) -> int:
    counter = {"instructions": instructions, "heap": heap, "python": python}[tool](folder)
    np.random.default_rng(0).normal()  # what NumPy loads late

    def fork(name: str, unit: str, kinds: Sequence[str], build: Any) -> None:
        def counted() -> dict[str, Any]:
            run = build()
            gc.collect()
            found = counter(name, run)
            kept = {key: found[key] for key in ("units", *kinds) if key in found}
            return {"unit": unit, **kept}

        if kinds and (not wanted or name in wanted):
            in_fork(name, counted)

    fork(
        IMPORT, "import", [kind for kind in IMPORT_COUNTS if kind in TOOLS[tool]],
        lambda: import_nsmb,
    )  # fmt: skip
    from counted.cases import table

    for name, case in table().items():
        fork(name, case.unit, case.counted_by(tool), case.build)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))

"""The preloaded ``malloc`` counts the memory requested by a program with known needs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import harness

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs Linux with glibc"
)

PROGRAM = """
import ctypes, json
c = ctypes.CDLL(None)
c.malloc.restype = c.calloc.restype = c.realloc.restype = c.aligned_alloc.restype = ctypes.c_void_p
for function in (c.free, c.realloc):
    function.argtypes = [ctypes.c_void_p] + [ctypes.c_size_t] * (function is c.realloc)
sizes, held = (ctypes.c_long * 4)(), (ctypes.c_long * 2)()
def look():
    c.malloc_counts(sizes)
    c.malloc_held(held)
    return list(sizes), list(held)
look()
c.mark_peak()
found = [look()]
a = c.malloc(1 << 20)
b = c.calloc(1 << 10, 1 << 11)
found.append(look())
a = c.realloc(a, 1 << 22)
c.free(b)
found.append(look())
c.free(a)
d = c.aligned_alloc(64, 1 << 16)
c.free(d)
c.free(None)
found.append(look())
print(json.dumps(found))
"""


def test_calls_bytes_held_and_peak(tmp_path: Path) -> None:
    library = harness.compile_library("count_malloc.c", tmp_path)
    assert library is not None
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=True,
    )
    looks = json.loads(child.stdout)
    large = [counts[2:] for counts, _ in looks]
    held = [now for _, (now, _) in looks]
    peaks = [peak - held[0] for _, (_, peak) in looks]
    MiB, slack = 1 << 20, 1 << 15  # allocations of Python itself, and the ends of blocks
    assert [calls - large[0][0] for calls, _ in large] == [0, 2, 3, 4]
    assert [size - large[0][1] for _, size in large] == [0, 3 * MiB, 7 * MiB, 7 * MiB + (1 << 16)]
    assert [now - held[0] for now in held] == pytest.approx([0, 3 * MiB, 4 * MiB, 0], abs=slack)
    # while it grows, the block of 1 MiB no longer counts
    assert peaks == pytest.approx([0, 3 * MiB, 6 * MiB, 6 * MiB], abs=slack)

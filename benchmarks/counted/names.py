"""What is counted, and what an entry is called."""

from __future__ import annotations

INSTRUCTIONS, ALLOCATIONS, PEAK = "instructions", "allocations", "peak bytes"
KEPT, PYTHON = "bytes kept", "Python peak bytes"
PER_UNIT = (INSTRUCTIONS, ALLOCATIONS, KEPT)
"""Divided by the units of work done; peaks are those of the whole."""
TOOLS = {
    "instructions": (INSTRUCTIONS,),
    "heap": (ALLOCATIONS, PEAK, KEPT),
    "python": (PYTHON,),
}
"""Way of running the cases: what it counts."""
IMPORT, IMPORT_COUNTS = "import of nsmb", (INSTRUCTIONS, ALLOCATIONS, PEAK, PYTHON)
"""Counted where NumPy is imported and nsmb not yet."""


def entry_name(case: str, kind: str, unit: str) -> str:
    return f"{case} | {kind} per {unit}" if kind in PER_UNIT else f"{case} | {kind}"

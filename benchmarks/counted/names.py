"""Kinds of counts, and names of entries."""

from __future__ import annotations

INSTRUCTIONS, ALLOCATIONS, PEAK = "instructions", "allocations", "peak bytes"
KEPT, PYTHON = "bytes kept", "Python peak bytes"
PER_UNIT = (INSTRUCTIONS, ALLOCATIONS, KEPT)
"""Counts that are divided by the units of work; peaks are not divided."""
TOOLS = {
    "instructions": (INSTRUCTIONS,),
    "heap": (ALLOCATIONS, PEAK, KEPT),
    "python": (PYTHON,),
}
"""Counts for each mode of running the cases."""
IMPORT, IMPORT_COUNTS = "import of nsmb", (INSTRUCTIONS, ALLOCATIONS, PEAK, PYTHON)
"""Cases that are counted after the import of NumPy and before that of nsmb."""


def entry_name(case: str, kind: str, unit: str) -> str:
    return f"{case} | {kind} per {unit}" if kind in PER_UNIT else f"{case} | {kind}"

"""Comparison of counts with those of a baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import harness, records

LIMIT = 1.03
"""Ratio of a count to its baseline above which the check fails."""
ALARM, NOT_COMPARABLE = 1, 2


@dataclass(frozen=True)
class Row:
    entry: str
    before: float | None
    now: float | None

    @property
    def ratio(self) -> float:
        """Ratio of the new to the old count; 1 if both are zero, infinite if the old one is."""
        if self.before is None or self.now is None:
            return math.nan
        if self.before == 0.0:
            return 1.0 if self.now == 0.0 else math.inf
        return self.now / self.before

    @property
    def verdict(self) -> str:
        if self.before is None:
            return "new"
        if self.now is None:
            return "missing"
        if self.ratio > LIMIT:
            return "worse"
        return "better" if self.ratio * LIMIT < 1.0 else "same"


def compare(before: Mapping[str, float], now: Mapping[str, float]) -> list[Row]:
    """Return a row for each entry of either side, in the order of the names."""
    return [Row(name, before.get(name), now.get(name)) for name in sorted({*before, *now})]


def apart(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Return the largest difference of two counts of one build by kind, per mille."""
    found: dict[str, float] = {}
    for row in compare(first, second):
        kind = row.entry.partition(" | ")[2].partition(" per ")[0]
        found[kind] = max(found.get(kind, 0.0), round(1e3 * abs(row.ratio - 1.0), 3))
    return found


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the differences of two environments as text."""
    return [
        f"{key}: {show(before.get(key))} in the baseline, {show(now.get(key))} here"
        for key in sorted({*before, *now})
        if before.get(key) != now.get(key)
    ]


def show(value: Any) -> str:
    if value is None:
        return "nothing"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def report(rows: list[Row], all_of_them: bool = False) -> str:
    """Return a table of the differences, and a line of counts."""
    order = ("worse", "missing", "new", "better", "same")
    verdicts = {name: [row for row in rows if row.verdict == name] for name in order}
    lines = harness.table(
        {
            "": row.entry,
            "baseline": row.before,
            "now": row.now,
            "ratio": None if math.isnan(row.ratio) else row.ratio,
            "verdict": row.verdict,
        }
        for name in order
        if all_of_them or name != "same"
        for row in verdicts[name]
    )
    return "\n".join(
        [*lines, ", ".join(f"{len(found)} {name}" for name, found in verdicts.items())]
    )


def values(entries: Mapping[str, Any]) -> dict[str, float]:
    return {name: entry["value"] for name, entry in entries.items()}


def check(
    record: Mapping[str, Any],
    baseline: Path | None = None,
    everything: bool = False,
    build: Callable[[str, list[str]], dict[str, Any]] | None = None,
) -> int:
    """Report the comparison with a baseline; return 0, `ALARM` or `NOT_COMPARABLE`.

    If the baseline is from another environment and git has its commit, `build` counts that commit
    in the current environment.
    """
    path = baseline or records.last_baseline()
    if path is None or not record.get("counts"):
        print("nothing is counted" if path else f"no baseline in {records.BASELINES}")
        return NOT_COMPARABLE
    before, section = records.read(path), record["counts"]
    entries, names = before["counts"]["entries"], section.get("names")
    print(f"counts beside the baseline of {before['version']}, of {before['date']}:")
    apart = differences(before["environment"], record["environment"])
    if apart and build and records.git("cat-file", "-e", f"{before['commit']}^{{commit}}") == "":
        print("\n".join(["It is of another build, so its commit is counted here:", *apart]))
        entries, apart = build(before["commit"], names), []
    if names:
        chosen = tuple(f"{name} | " for name in names)
        entries = {name: entry for name, entry in entries.items() if name.startswith(chosen)}
    rows = compare(values(entries), values(section["entries"]))
    print(report(rows, everything))
    if apart:
        print("\nThese are counts of different builds, their ratios tell nothing:")
        print("\n".join(f"  {line}" for line in apart))
        return NOT_COMPARABLE
    found = sum(row.verdict == "worse" for row in rows)
    if found:
        print(f"\nALARM: {found} above {LIMIT} times the baseline")
    return ALARM if found else 0

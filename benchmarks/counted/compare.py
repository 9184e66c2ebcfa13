"""Counts beside those of a baseline. Imports neither nsmb nor anything that is installed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT = 1.03
"""A count above that many times the baseline's raises the alarm."""
BASELINES = Path(__file__).resolve().parents[1] / "baselines"


@dataclass(frozen=True)
class Row:
    entry: str
    before: float | None
    now: float | None

    @property
    def ratio(self) -> float:
        """Now over before; of nothing to nothing 1, of something to nothing infinite."""
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
    """A row for each entry of either side, in the order of the names."""
    return [Row(name, before.get(name), now.get(name)) for name in sorted({*before, *now})]


def apart(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Kind of count to the largest difference of two counts of the same build, per mille."""
    found: dict[str, float] = {}
    for row in compare(first, second):
        kind = row.entry.partition(" | ")[2].partition(" per ")[0]
        found[kind] = max(found.get(kind, 0.0), round(1e3 * abs(row.ratio - 1.0), 3))
    return found


def alarms(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.verdict == "worse"]


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is not the same in two environments, in words."""
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
    """A table of what is not the same, and a line of counts."""
    order = ("worse", "missing", "new", "better", "same")
    verdicts = {name: [row for row in rows if row.verdict == name] for name in order}
    lines = []
    shown = [row for name in order if all_of_them or name != "same" for row in verdicts[name]]
    if shown:
        width = max(len(row.entry) for row in shown)
        lines.append(f"{'':{width}} {'baseline':>16} {'now':>16} {'ratio':>8}")
        lines += [
            f"{row.entry:{width}} {number(row.before):>16} {number(row.now):>16} "
            f"{'' if math.isnan(row.ratio) else f'{row.ratio:.3f}':>8}  {row.verdict}"
            for row in shown
        ]
    lines.append(", ".join(f"{len(found)} {name}" for name, found in verdicts.items()))
    return "\n".join(lines)


def number(value: float | None) -> str:
    return "" if value is None else f"{value:,.3f}" if value < 100 else f"{value:,.0f}"


def values(counts: Mapping[str, Any]) -> dict[str, float]:
    """Of a file of counts, entry to value."""
    return {name: entry["value"] for name, entry in counts["entries"].items()}


def release(path: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", path.stem))


def last_baseline(folder: Path = BASELINES) -> Path | None:
    """That of the highest version."""
    return max(folder.glob("*.json"), key=release, default=None)


def read(path: Path) -> dict[str, Any]:
    counts: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return counts


def write(path: Path, counts: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(counts, indent=1, ensure_ascii=False) + "\n", "utf-8")

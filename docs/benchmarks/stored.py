"""Stored benchmark results, and their formatting for the pages in this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from IPython.display import Markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.records import BASELINES as RELEASES
from benchmarks.records import RESULTS, read_all

RUNS, BASELINES = read_all(RESULTS), read_all(RELEASES)


def latest(*path: str) -> tuple[Any, dict[str, Any]]:
    """Return the value at a path in the last run that contains it, and this run."""
    for run in reversed(RUNS):
        value = follow(run, path)
        if value:
            return value, run
    raise LookupError(f"no stored run has {path}")


def follow(value: Any, path: Iterable[Any]) -> Any:
    """Return the value at a path of keys and indices, or None if the path does not exist."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def told(run: dict[str, Any]) -> Markdown:
    """Return the line below a table: date, machine and versions of a run."""
    machine = run.get("environment", {}) | run["machine"]
    peers = [
        f"{title} {words(machine[key])}"
        for key, title in (
            ("siconos", "Siconos"),
            ("pinocchio", "Pinocchio"),
            ("mujoco", "MuJoCo"),
            ("drake", "Drake"),
            ("box2d", "Box2D"),
            ("scipy", "SciPy"),
            ("numpy", "NumPy"),
            ("compiler", "compiled by"),
            ("compiler of the core", "compiled by"),
        )
        if machine.get(key)
    ]
    where = f"{machine['processor']}, {machine['cores']} cores"
    return Markdown("*" + "; ".join([f"Measured {run['date']}", where, *peers]) + ".*")


def words(value: Any) -> str:
    """Return a value as text; an empty string if it is missing."""
    return ", ".join(value) if isinstance(value, list) else str(value or "")


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> Markdown:
    """Return a Markdown table whose first column is text and whose other columns are numbers."""
    lines = [list(head), ["---", *["--:"] * (len(head) - 1)], *map(list, rows)]
    return Markdown("\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines))


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as text with thousands separators, rounded to `digits` significant digits.

    The text is empty if the number is missing or not finite.
    """
    if value is None or not np.isfinite(value):
        return ""
    if value == 0.0:
        return "0"
    decimals = digits - 1 - int(np.floor(np.log10(abs(value))))
    if decimals > 5:
        return f"{value:.1e}"
    text = f"{round(value, decimals):,.{max(0, decimals)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def micro(seconds: float | None) -> str:
    return "" if seconds is None else number(1e6 * seconds)


def seconds(value: float) -> str:
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if factor * value >= 1.0:
            return f"{number(factor * value)} {unit}"
    return f"{number(1e6 * value)} µs"


def exponent(n: Sequence[float], values: Sequence[float], start: float = 10.0) -> float:
    """Return the fitted exponent of a power law.

    The fit uses the sizes from `start` upwards, or all sizes if fewer than two of these exist.
    """
    points = [(a, b) for a, b in zip(n, values, strict=True) if a >= start]
    if len(points) < 2:
        points = list(zip(n, values, strict=True))
    return float(np.polyfit(*np.log(np.array(points, dtype=float)).T, 1)[0])

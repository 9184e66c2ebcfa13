"""Tables of contact problems from files and of the comparison of programs on piles."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from IPython.display import Markdown
from stored import latest, number, table


def fastest(times: dict[str, float]) -> tuple[str, float | None]:
    """Return the name and time of the fastest solver, or ("none", None) if there are no times."""
    return min(times.items(), key=lambda item: item[1]) if times else ("none", None)


def files() -> Markdown:
    """Return the table of problems from files with at least twenty contacts."""
    rows = []
    for row in latest("fclib", "rows")[0]:
        if row["contacts"] < 20:
            continue
        cells = []
        for runs in (row["siconos"], row.get("pinocchio", {})):
            best, time = fastest(runs)
            short = re.sub(r"(GLOBAL_|ROLLING_|FRICTION_[23]D_|ADMM )", "", best)
            cells += [
                short,
                f"{1e3 * time:.3g}" if time else "",
                number(time / row["seconds"], 2) if time else "",
            ]
        if row.get("pinocchio") == {} and row.get("pinocchio error"):
            cells[3] = f"error {row['pinocchio error']:.0e}"
        elif not row.get("pinocchio"):
            cells[3] = ""
        rows.append(
            (
                row["name"],
                row["contacts"],
                f"{row['rank']} of {row['rows']}",
                f"{row['error']:.0e}",
                row["method"].replace("_", "-"),
                f"{1e3 * row['seconds']:.3g}",
                *cells,
            )
        )
    head = ("problem", "contacts", "rank", "error", "by", "ms")
    theirs = ("ms", "times nsmb")
    return table((*head, "Siconos", *theirs, "Pinocchio's ADMM", *theirs), rows)


def files_summary() -> Markdown:
    found = latest("fclib")[0]
    rows = found["rows"]
    solved = sum(row["error"] <= found["tolerance"] for row in rows)
    lines = [f"{solved} of {len(rows)} are solved within {found['tolerance']:g}."]
    for name, key in (("Siconos", "siconos"), ("Pinocchio", "pinocchio")):
        tried = [row for row in rows if key in row]
        pairs = [
            (row["contacts"], min(row[key].values()) / row["seconds"]) for row in tried if row[key]
        ]
        if not tried:
            continue
        large = [ratio for contacts, ratio in pairs if contacts >= 20]
        small = [ratio for contacts, ratio in pairs if contacts < 20]
        half = [sum(ratio >= 2 for ratio in ratios) for ratios in (large, small)]
        slower = [sum(ratio < 1 for ratio in ratios) for ratios in (large, small)]
        lines.append(
            f"{name} solves {len(pairs)} of {len(tried)} in {found['limit']:.0f} s for a solver. "
            f"Of these nsmb takes at most half of the time of its fastest solver for {half[0]} of "
            f"{len(large)} with twenty contacts or more, and longer for {slower[0]}; of those with "
            f"fewer contacts for {half[1]} and {slower[1]} of {len(small)}. Medians of the ratios "
            f"are {np.median(large):.2g} and {np.median(small):.2g}."
        )
    return Markdown(" ".join(lines))


def kilobytes(entry: dict[str, Any]) -> float | None:
    """Return the memory per contact in kB, or None for older records."""
    size = entry.get("memory per contact")
    return None if size is None else size / 1e3


def race() -> Markdown:
    rows = []
    for row in latest("piles", "rows")[0]:
        for name, entry in {"nsmb": row["nsmb"], **row["peers"]}.items():
            if entry is None:
                rows.append((row["name"], name, *[""] * 7))
                continue
            rows.append(
                (
                    row["name"],
                    name,
                    entry["steps"],
                    entry["contacts"],
                    f"{1e3 * entry['mean']:.3g}",
                    f"{1e3 * entry['last']:.3g}",
                    f"{1e3 * entry['deepest']:.2f}",
                    number(kilobytes(entry), 2),
                    number(entry.get("over nsmb"), 2),
                )
            )
    head = ("scene", "program", "steps", "contacts", "ms per step", "ms at the end", "mm deep")
    return table((*head, "kB per contact", "times nsmb"), rows)

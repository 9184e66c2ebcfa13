"""Texts for the command line: a list of systems by topic, and a description of one system."""

from __future__ import annotations

import dataclasses
import re
import shutil
import textwrap
from collections import Counter
from typing import Any

from nsmb.system.catalogue import Catalogue, plain

__all__ = ["describe", "list_systems", "terminal_width"]

_NUMBERS = re.compile(r" \((?:chapter )?[\d.,() -]+\)(?=\.?$)")  # numbers of equations, chapters
_WIDEST = 100


def list_systems(catalogue: Catalogue) -> str:
    """Return names and summaries of all systems by topic, wrapped to the terminal width."""
    groups = catalogue.topics()
    column = 2 + max(len(entry.name) for entries in groups.values() for entry in entries)
    lines = []
    for title, entries in groups.items():
        lines.append(textwrap.fill(title.removesuffix("."), terminal_width()))
        for entry in entries:
            summary = _NUMBERS.sub("", entry.summary).removesuffix(".")
            lines.append(_row(f"  {entry.name:{column}}", summary))
        lines.append("")
    return "\n".join(lines)


def describe(build: Any) -> str:
    """Return summary, parameters and default run of a parametric system, without building it."""
    width, usual = terminal_width(), build.recommended
    method = "" if usual.method is None else str(usual.method)
    end = "" if usual.t_end is None else f" to t = {usual.t_end:g} s"
    run = f"By default it runs{end}{f' with {method}' if method else ''}."
    if usual.t_end is None:
        run += " --t-end says how long it runs."
    summary = plain((build.__doc__ or "").partition("\n")[0])
    lines = [textwrap.fill(f"{build.__name__}: {summary}", width), textwrap.fill(run, width), ""]
    values = {field.name: field.default for field in dataclasses.fields(build.parameters)}
    if not values:
        return "\n".join([*lines, "It has no parameters.", ""])
    infos = build.parameters.info()
    source, count = Counter(info.source for info in infos.values()).most_common(1)[0]
    if source and 2 * count > len(values):
        lines.insert(2, textwrap.fill(f"Source unless noted: {source}.", width))
    else:
        source = ""
    rows = [
        (name, "" if values[name] is None else info.shown(values[name]),
         "" if info.unit == "-" else info.unit,
         "; ".join(part for part in (info.meaning, info.source) if part not in ("", source)))
        for name, info in infos.items()
    ]  # fmt: skip
    head = ("parameter", "value", "unit", "meaning")
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(3)]
    for row in (head, *rows):
        cells = [cell.ljust(size) for cell, size in zip(row[:3], widths, strict=True)]
        lines.append(_row("  ".join(["", *cells, ""]), row[3]))
    if None in values.values():
        lines += ["", "A parameter without a value may be left out."]
    return "\n".join([*lines, ""])


def terminal_width() -> int:
    """Return the number of columns of the terminal, at most 100."""
    return min(_WIDEST, shutil.get_terminal_size().columns)


def _row(left: str, text: str) -> str:
    """Return `text` wrapped to the right of `left`."""
    room = max(20, terminal_width() - len(left))
    return "\n".join(
        f"{left if k == 0 else ' ' * len(left)}{line}".rstrip()
        for k, line in enumerate(textwrap.wrap(text, room) or [""])
    )

"""HTML tables for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["ShownAsTable", "html_table"]

_CELL = "text-align: left; vertical-align: top"


class ShownAsTable:
    """A mixin for classes whose repr consists of a title and lines with a name and a value."""

    def _repr_html_(self) -> str:
        title, *lines = repr(self).splitlines()
        rows = []
        for line in lines:
            # Lines such as "  name   value" or "  name from 0 to 1", where the name is one word.
            name, _, value = line.strip().partition(" ")
            rows.append((name, value.strip()) if re.match(r" {2}\S", line) else ("", line.strip()))
        return html_table(title, (), rows)


def html_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]], note: str = ""
) -> str:
    """Return an HTML table with a title; all texts are escaped."""
    parts = [f"<p><b>{escape(title)}</b></p>", "<table>"]
    if header:
        cells = "".join(f'<th style="{_CELL}">{escape(cell)}</th>' for cell in header)
        parts.append(f"<thead><tr>{cells}</tr></thead>")
    parts.append("<tbody>")
    for row in rows:
        cells = "".join(f'<td style="{_CELL}">{escape(str(cell))}</td>' for cell in row)
        parts.append(f"<tr>{cells}</tr>")
    parts.append("</tbody></table>")
    if note:
        parts.append(f"<p>{escape(note)}</p>")
    return "".join(parts)

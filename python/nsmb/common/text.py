"""Tables as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["text_table"]


def text_table(
    header: Sequence[str],
    row: Callable[[int], Sequence[str]],
    count: int,
    *,
    left: Sequence[int],
    max_rows: int | None,
) -> str:
    """Return a table of `count` rows as text, with a rule below the header.

    The columns `left` are left-aligned. If there are more than `max_rows` rows, rows in the middle
    are omitted.
    """
    rows = list(range(count))
    left_out = 0 if max_rows is None else max(0, count - max_rows)
    head = count if left_out == 0 else (count - left_out) // 2
    table = [header, *(row(k) for k in rows[:head] + rows[head + left_out :])]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in table
    ]
    lines.insert(1, "  ".join("─" * width for width in widths))
    if left_out:
        lines.insert(2 + head, f"… {left_out} more …".rjust(widths[0]))
    return "\n".join(lines)

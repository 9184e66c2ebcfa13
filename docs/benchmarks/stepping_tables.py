"""Tables of the orders of time-stepping schemes, from the last run that contains them."""

from __future__ import annotations

from typing import Any

from IPython.display import Markdown
from stored import latest, table


def orders(key: str, forces: bool = False) -> Markdown:
    """Return the table of orders of the time-stepping schemes.

    `key` selects the coordinates (``q``) or the graphs of the velocities (``graph``). `forces`
    selects the schemes that solve for forces. These schemes do not support restitution and
    therefore have no results for some of the motions.
    """
    rows = latest("orders")[0]["schemes"]
    everywhere = [name for name in rows[0]["schemes"] if all(name in r["schemes"] for r in rows)]
    schemes = [name for name in rows[0]["schemes"] if (name not in everywhere) == forces]

    def cell(one: dict[str, Any]) -> str:
        rate = one[f"{key}_order"]
        return f"{'exact' if rate is None else f'{rate:.2f}'} ({one[key][-1]:.0e})"

    return table(
        ("motion", *schemes),
        [
            (row["problem"], *(cell(row["schemes"][name]) for name in schemes))
            for row in rows
            if all(name in row["schemes"] for name in schemes)
        ],
    )


def periods() -> Markdown:
    found = latest("orders")[0]["periods"]
    return table(
        ("error of the period, s", *(f"h = {step:g} s" for step in found["steps"])),
        [(name, *(f"{error:+.1e}" for error in row)) for name, row in found["errors"].items()],
    )

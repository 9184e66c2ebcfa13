"""Read-only tables of the arrays of the core."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from numpy.typing import NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.labels import Labels

__all__ = ["ROWS", "TABLE_OF", "core_tables", "widths_of"]

# The column whose size is the number of rows of each table.
ROWS = {"sample": "t", "event": "event_t", "step": "step_start", "found": "found_identity"}
# The table of each column by name, and the kind of quantity to which its entries belong.
_DECLARED = {name: (table, per) for table, name, per in _simulation.trajectory_columns()}
_DECLARED["parameters"] = ("sample", "parameter")
TABLE_OF = {name: table for name, (table, per) in _DECLARED.items() if per != "series"}


_ROWS_OF = {name: ROWS[table] for name, table in TABLE_OF.items() if table in ROWS}


def widths_of(labels: Labels) -> dict[str, int | None]:
    """Return the number of columns of every declared array by name; None if it is 1-D.

    Arrays whose width does not follow from the labels are left out."""
    return _widths(
        len(labels.components), len(labels.coordinates), len(labels.velocities),
        len(labels.states), len(labels.contact_names), len(labels.tangent_names),
        len(labels.element_names), len(labels.constraint_names), len(labels.input_names),
        len(labels.parameter_names),
    )  # fmt: skip


@lru_cache(maxsize=64)  # many runs have the same sizes
def _widths(*sizes: int) -> dict[str, int | None]:
    kinds = (
        "component", "coordinate", "velocity", "state", "contact", "tangent", "element",
        "constraint", "input", "parameter",
    )  # fmt: skip
    per: dict[str, int | None] = {"row": None, "series": None, "space": 3}
    per |= dict(zip(kinds, sizes, strict=True))
    return {name: per[kind] for name, (_, kind) in _DECLARED.items() if kind in per}


def core_tables(data: Mapping[str, NDArray[Any]], labels: Labels) -> dict[str, NDArray[Any]]:
    """Return read-only views of all arrays, with the right shape also for zero columns."""
    widths = widths_of(labels)
    result = {}
    for name, array in data.items():
        table = array
        if array.flags.writeable:
            table = array.view()
            table.setflags(write=False)
        width = widths.get(name)
        if width is not None:
            shape = data[_ROWS_OF[name]].size, width
            table = table if table.shape == shape else table.reshape(shape)
        result[name] = table
    return result

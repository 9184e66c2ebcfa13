"""Arrays of the core as tables that cannot be changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.labels import Labels

__all__ = ["ROWS", "TABLE_OF", "core_tables", "widths_of"]

# The column whose size is the number of rows of a table.
ROWS = {"sample": "t", "event": "event_t", "step": "step_start", "found": "found_identity"}
# Columns by name: their table, and what a row has a number for.
_DECLARED = {name: (table, per) for table, name, per in _simulation.trajectory_columns()}
_DECLARED["parameters"] = ("sample", "parameter")
TABLE_OF = {name: table for name, (table, per) in _DECLARED.items() if per != "series"}


def widths_of(labels: Labels) -> dict[str, int | None]:
    """Columns of every declared table by its name; None: it is one-dimensional. Those whose width
    no label tells are left out."""
    per: dict[str, int | None] = {
        "row": None, "series": None,
        "component": len(labels.components), "coordinate": len(labels.coordinates),
        "velocity": len(labels.velocities), "state": len(labels.states),
        "contact": len(labels.contact_names), "tangent": len(labels.tangent_names),
        "element": len(labels.element_names), "constraint": len(labels.constraint_names),
        "input": len(labels.input_names), "parameter": len(labels.parameter_names),
        "space": 3,
    }  # fmt: skip
    return {name: per[kind] for name, (_, kind) in _DECLARED.items() if kind in per}


def core_tables(data: Mapping[str, NDArray[Any]], labels: Labels) -> dict[str, NDArray[Any]]:
    """Read-only views of all arrays; tables without columns get the right number of rows."""
    widths = widths_of(labels)
    result = {}
    for name, array in data.items():
        table = array.view() if array.flags.writeable else array
        width = widths.get(name)
        if width is not None:
            shape = (data[ROWS[TABLE_OF[name]]].size, width)
            table = table if table.shape == shape else table.reshape(shape)
        table.setflags(write=False)
        result[name] = table
    return result

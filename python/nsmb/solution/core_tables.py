"""Arrays of the core as tables that cannot be changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from nsmb.common.labels import Labels

__all__ = ["core_tables"]

# Arrays by what their columns stand for; the others are one-dimensional.
_COLUMNS = {
    "contact": (
        "g_N", "gamma_N", "lambda_N", "friction_loss", "contact_state", "event_contacts",
        "event_Lambda_N", "event_Lambda_NC", "event_state_minus", "event_state_plus",
        "event_friction_loss", "event_work_N", "event_work_T", "step_state",
    ),
    "tangent": ("gamma_T", "lambda_T", "event_Lambda_T", "event_Lambda_TC"),
    "element": ("element_gamma", "element_force", "element_mode", "event_elements"),
    "state": ("event_x",),
    "constraint": ("lambda_B",),
    "input": ("inputs",),
    "parameter": ("parameters",),
}  # fmt: skip
# The times whose rows a table has, and the kind of its columns.
_ROWS = {"event": "event_t", "step": "step_start"}
_KIND = {
    name: (_ROWS.get(name.partition("_")[0], "t"), kind)
    for kind, names in _COLUMNS.items()
    for name in names
}


def core_tables(data: Mapping[str, NDArray[Any]], labels: Labels) -> dict[str, NDArray[Any]]:
    """Read-only views of all arrays; tables without columns get the right number of rows."""
    widths = {
        "contact": len(labels.contact_names), "tangent": len(labels.tangent_names),
        "element": len(labels.element_names), "state": len(labels.states),
        "constraint": len(labels.constraint_names), "input": len(labels.input_names),
        "parameter": len(labels.parameter_names),
    }  # fmt: skip
    result = {}
    for name, array in data.items():
        table = array.view() if array.flags.writeable else array
        if name in _KIND:
            rows, kind = _KIND[name]
            shape = (data[rows].size, widths[kind])
            table = table if table.shape == shape else table.reshape(shape)
        table.setflags(write=False)
        result[name] = table
    return result

"""Solutions as tables of pandas and xarray, which are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.events.enums import ContactState

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from nsmb.solution.record import Record

__all__ = ["to_dataframe", "to_xarray"]

_CONTACT_UNITS = {
    "g_N": "m", "gamma_N": "m/s", "lambda_N": "N", "friction_loss": "J", "contact_state": "",
}  # fmt: skip
_TANGENT_UNITS = {"gamma_T": "m/s", "lambda_T": "N"}
_CONSTRAINT_UNITS = {"lambda_B": "N"}
_ELEMENT_UNITS = {"element_gamma": "m", "element_force": "N", "element_mode": ""}


def to_dataframe(solution: Record, unique: bool = False) -> pd.DataFrame:
    """Return a DataFrame, see `Solution.to_dataframe`."""
    pandas = import_extra("pandas", "data")
    columns: dict[str, NDArray[Any]] = {"t": solution.t}
    for names, table in (
        (solution.labels.coordinates, solution.q),
        (solution.labels.velocities, solution.u),
        (solution.labels.states, solution.x),
    ):
        columns |= dict(zip(names, table.T, strict=True))
    for names, variables in (
        (solution.contact_names, _CONTACT_UNITS),
        (solution.tangent_names, _TANGENT_UNITS),
        (solution.element_names, _ELEMENT_UNITS),
        (solution.constraint_names, _CONSTRAINT_UNITS),
    ):
        for variable in variables:
            table = getattr(solution, variable)
            columns |= {f"{variable}[{name}]": table[:, i] for i, name in enumerate(names)}
    columns |= {f"input[{name}]": column for name, column in _inputs(solution).items()}
    columns |= {f"parameter[{name}]": column for name, column in solution.parameter_values.items()}
    frame: pd.DataFrame = pandas.DataFrame(columns)
    return frame[_last_of_time(solution)].reset_index(drop=True) if unique else frame


def _inputs(solution: Record) -> dict[str, NDArray[Any]]:
    return dict(zip(solution.labels.input_names, solution.inputs.T, strict=True))


def to_xarray(solution: Record, unique: bool = False) -> xr.Dataset:
    """Return a Dataset, see `Solution.to_xarray`."""
    xarray = import_extra("xarray", "data")
    labels = solution.labels
    same = solution.u.shape[1] == solution.q.shape[1]
    planar = solution.tangent_names == solution.contact_names
    coords: dict[str, Any] = {
        "time": ("time", solution.t, {"units": "s"}),
        "coordinate": list(solution.coordinates),
        "coordinate_unit": ("coordinate", list(solution.coordinate_units)),
        "contact": list(solution.contact_names),
    }
    u_axis = "coordinate" if same else "velocity"
    variables: dict[str, Any] = {
        "q": (("time", "coordinate"), solution.q, {"long_name": "coordinates"}),
        "u": (("time", u_axis), solution.u, {"long_name": "velocities"}),
    }
    axes = [("contact", _CONTACT_UNITS), ("contact" if planar else "tangent", _TANGENT_UNITS)]
    if not same:
        coords["velocity"] = list(labels.velocities)
        coords["velocity_unit"] = ("velocity", list(labels.velocity_units))
    if not planar:
        coords["tangent"] = list(solution.tangent_names)
    if solution.states:
        coords["state"] = list(solution.states)
        variables["x"] = (("time", "state"), solution.x, {"long_name": "internal states"})
    if solution.element_names:
        coords["element"] = list(solution.element_names)
        axes.append(("element", _ELEMENT_UNITS))
    if solution.constraint_names:
        coords["constraint"] = list(solution.constraint_names)
        axes.append(("constraint", _CONSTRAINT_UNITS))
    for axis, units in axes:
        for name, unit in units.items():
            variables[name] = (("time", axis), getattr(solution, name), {"units": unit})
    for kind, columns in (("input", _inputs(solution)), ("parameter", solution.parameter_values)):
        for name, column in columns.items():
            variables[f"{kind}_{name}"] = ("time", column, {"units": labels.unit(name)})
    variables["contact_state"][2].update(
        flag_values=np.array([int(state) for state in ContactState], dtype=np.int8),
        flag_meanings=" ".join(state.name.lower() for state in ContactState),
    )
    if solution.element_names:
        variables["element_mode"][2].update(
            flag_values=np.array([0, 1], dtype=np.int8), flag_meanings="inactive active"
        )
    attributes: dict[str, Any] = {
        "system": solution.system_name,
        "status": solution.status,
        "message": solution.message,
    }
    attributes |= {f"parameter_{name}": value for name, value in solution.parameters.items()}
    dataset: xr.Dataset = xarray.Dataset(variables, coords, attributes)
    return dataset.isel(time=_last_of_time(solution)) if unique else dataset


def _last_of_time(solution: Record) -> NDArray[np.bool_]:
    """Return a mask of the samples after all events at their time."""
    return np.append(np.diff(solution.t) > 0.0, True)[: solution.t.size]

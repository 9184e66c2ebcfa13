"""Solutions in files: the arrays of the core by name, everything else in the header."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.array_files import Arrays, read, reading, write
from nsmb.common.labels import Labels
from nsmb.events.enums import ContactState, EventKind
from nsmb.solution import contact_points
from nsmb.solution.core_tables import ROWS, TABLE_OF, widths_of
from nsmb.solution.dense_output import is_divided
from nsmb.solution.described import Described, described
from nsmb.solution.energy import EnergyBalance
from nsmb.solution.record import Record
from nsmb.system.base import System
from nsmb.system.method import Method, as_method
from nsmb.system.method_options import METHODS

__all__ = ["header_of", "load", "method_of", "options_of", "save"]

FORMAT = "nsmb-solution"
VERSION = 4
_MOST_PARAMETERS = 64  # limit of parameter values in a file, per number in all other arrays
_ENERGY = "energy_"  # prefix of the columns of Solution.energy, if it was computed
# Arrays that not every run has.
_LATER = {"drive_work", "inputs", "event_user", "step_part", "parameters", "part_of_contact",
          "end_slots", "impact_loss", "displaced_work", "step_residual", "step_status",
          "step_iterations", "step_mode", "step_order", "step_seconds", "found_count",
          *contact_points.COLUMNS}  # fmt: skip


def save(solution: Record, balance: EnergyBalance | None, path: str | os.PathLike[str]) -> None:
    """Write a solution, and its energy balance if it is given; see `Solution.save`."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "status": solution.status,
        "message": solution.message,
        "stats": solution.stats,
        "system": solution.system_name,
        "builder": _builder(solution._system),
        "parameters": dict(solution.parameters),
        "method": options_of(solution.method),
        "method_reason": solution.method_reason,
        "record": solution.record,
    }
    header |= solution.labels.header()
    data = dict(solution._data)
    if balance is not None:
        data |= {_ENERGY + name: column for name, column in balance.columns().items()}
    write(path, header, data)


def header_of(
    system: System, labels: Labels, method: Method | None, method_reason: str
) -> dict[str, Any]:
    """Return the header entries that are available before a run, without `status` and others."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "system": system.name,
        "builder": _builder(system),
        "parameters": dict(system.parameters),
        "method": options_of(method),
        "method_reason": method_reason,
    }
    return header | labels.header()


def load(
    path: str | os.PathLike[str],
) -> tuple[Arrays, dict[str, Any], EnergyBalance | None]:
    """Return arrays, the other arguments of `Solution`, and the balance; see `Solution.load`."""
    header, data = read(path, FORMAT, VERSION, "solution")
    with reading(path):
        labels = Labels.from_header(header)
        if header.get("parameter_rows"):
            rows, values = zip(*header["parameter_rows"], strict=True)
            size = data["t"].nbytes * max(map(len, values))
            if size > _MOST_PARAMETERS * sum(array.nbytes for array in data.values()) + 2**24:
                raise ValueError(
                    "'parameter_rows': must not have more numbers than a run of this size"
                )
            place = np.searchsorted(rows, np.arange(data["t"].size), side="right") - 1
            data["parameters"] = np.array(values, np.float64)[place]
        _check_tables(header, labels, data)
        columns = {
            name.removeprefix(_ENERGY): data.pop(name)
            for name in list(data)
            if name.startswith(_ENERGY)
        }
        about = {name: header[name] for name in ("parameters", "status", "message", "stats")}
        about |= {"labels": labels}
        about |= {"system": _known(header), "system_name": header["system"]}
        about |= {"method": method_of(header["method"])}
        about |= {"method_reason": header["method_reason"]}
        about |= {"record": header.get("record", "memory")}
        known = [field.name for field in fields(EnergyBalance)]
        balance = EnergyBalance(**{name: columns[name] for name in known}) if columns else None
        return data, about, balance


def options_of(method: Method | None) -> dict[str, Any] | None:
    """Return the options in a form for JSON; None if one of them is a function."""
    if method is None or method.has_function:
        return None
    options = {field.name: getattr(method, field.name) for field in fields(method)}
    for name in ("atol", "error"):
        if options.get(name) is not None:
            options[name] = np.asarray(options[name]).tolist()
    return options | {"kind": type(method).__name__}


def method_of(options: Mapping[str, Any] | None) -> Method | None:
    """Return the method with these options; ValueError for entries that it does not have."""
    if options is None:
        return None
    kind = METHODS.get(options["kind"])
    if kind is None:
        raise ValueError(f"'method': expected one of {', '.join(METHODS)}, got {options['kind']!r}")
    given = {name: value for name, value in options.items() if name != "kind"}
    declared = {field.name: field for field in fields(kind)}
    for name, value in given.items():
        if name not in declared:
            raise ValueError(f"'method': expected an option of {kind.__name__}, got {name!r}")
        if not _is_like(value, declared[name]):
            raise ValueError(
                f"'method': expected {name} of type {declared[name].type}, got {value!r}"
            )
    method: Any = kind(**given)
    return as_method("method", method)


def _is_like(value: Any, field: Field[Any]) -> bool:
    """Return True if an option has the type that its class declares."""
    declared = str(field.type)
    if value is None:
        return declared.endswith("| None")
    if isinstance(value, bool):
        return declared.startswith("bool")
    if declared.startswith("ArrayLike"):
        return isinstance(value, list | float | int)
    if declared.startswith("float"):
        return isinstance(value, float | int)
    if declared.startswith("int"):
        return isinstance(value, int)
    return isinstance(value, str) and declared.startswith(("str", "Literal"))


def _check_tables(header: Mapping[str, Any], labels: Labels, data: Arrays) -> None:
    """Check that tables of one kind have equal numbers of rows, and that indices are valid."""
    for name in ("status", "message", "system", "method_reason"):
        if not isinstance(header[name], str):
            raise ValueError(f"{name!r}: expected a text, got {header[name]!r}")
    for name in ("stats", "parameters"):
        for key, value in dict(header[name]).items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name!r}: expected numbers, got {value!r} for {key!r}")
    widths = widths_of(labels)
    of_contacts = {"part_of_contact": None, "end_slots": 5}
    for name, array in data.items():
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name!r}: expected numbers, got {array.dtype}")
        if name in TABLE_OF:
            expected = data[ROWS[TABLE_OF[name]]].size
        elif name in of_contacts:
            expected = len(labels.contact_names)
        elif name == "part_of_y":
            expected = len(labels.components)
        elif name.startswith(_ENERGY):
            expected = data["t"].size
        else:
            continue
        if array.shape[1:] != (0,) and (array.ndim == 0 or array.shape[0] != expected):
            raise ValueError(f"{name!r}: expected {expected} rows, got shape {array.shape}")
    for name, width in (widths | of_contacts).items():
        if name not in data and name in _LATER:
            continue
        if data[name].shape[1:] != (() if width is None else (width,)):
            raise ValueError(f"{name!r}: expected {width or 'no'} columns, got {data[name].shape}")
    order, columns = _steps_by_part(data, len(labels.components))
    for name in ("t", "event_t", "step_start", "step_end"):
        for steps in order if name.startswith("step") else [slice(None)]:
            times = data[name][steps]
            if not (np.isfinite(times).all() and (np.diff(times) >= 0.0).all()):
                raise ValueError(f"{name!r}: must be non-decreasing times")
    first, degree = data["step_offset"], data["step_degree"]
    behind = first + (degree.astype(np.int64) + 1) * columns
    if ((first < 0) | (degree < -1) | (behind > data["coefficients"].size)).any():
        raise ValueError("'step_offset': must be indices into 'coefficients'")
    user = data.get("event_user", np.zeros(0, np.int32))
    if user.dtype.kind not in "i" or ((user < -1) | (user >= len(labels.user_event_names))).any():
        raise ValueError("'event_user': must be indices into 'user_event_names', or -1")
    contact_points.check(data, labels)
    for name, values in (("contact_state", ContactState), ("event_kind", EventKind)):
        if not np.isin(data[name], [int(value) for value in values]).all():
            raise ValueError(f"{name!r}: expected values of nsmb.{values.__name__}")


def _steps_by_part(
    data: Arrays, rows: int
) -> tuple[Sequence[slice | NDArray[np.intp]], int | NDArray[np.int64]]:
    """Return the steps of each part of the system, and the number of components of y per step."""
    if not is_divided(data):
        return [slice(None)], rows
    part, of_y = data["step_part"], data["part_of_y"]
    count = int(of_y.max(initial=-1)) + 1
    for name in ("step_part", "part_of_y", "part_of_contact"):
        values = data[name]
        if values.dtype.kind not in "iu" or ((values < 0) | (values >= count)).any():
            raise ValueError(f"{name!r}: must be indices of parts below {count}")
    sizes = np.bincount(of_y, minlength=count)
    if (np.bincount(part, minlength=count) == 0).any():
        raise ValueError("'step_part': must contain a step of every part")
    return [np.flatnonzero(part == k) for k in range(count)], sizes[part]


def _builder(system: System | Described | None) -> str:
    """Return the module of the function that builds the system, or "" if there is none."""
    if isinstance(system, System):
        return described(system).builder
    return "" if system is None else system.builder


def _known(header: Mapping[str, Any]) -> Described | None:
    """Return the description of a solution's system. Return None if no function builds it."""
    system = Described.of(header)
    return system if system.builder else None

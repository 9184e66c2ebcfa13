"""Joining of runs that continue one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.solution.core_tables import TABLE_OF
from nsmb.solution.record import Record

if TYPE_CHECKING:
    from nsmb.solution.sensitivity import Sensitivity
    from nsmb.system.method import Method

__all__ = ["joined"]

Arrays = dict[str, NDArray[Any]]

# Columns of work since the start of a run, and the column with the total of the first run.
_SINCE_START = {"friction_loss": "friction_loss", "event_friction_loss": "friction_loss",
                "drive_work": "drive_work", "impact_loss": "impact_loss",
                "displaced_work": "displaced_work"}  # fmt: skip
_OF_THE_END = ("end_slots", "part_of_y", "part_of_contact")
_REACHED = 1e-9  # tolerance between an end and the next start, relative to the coordinate's size


def joined(first: Record, second: Record) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays of the joined run, and the other arguments of `Solution`.

    Raises
    ------
    ValueError
        If the systems differ, or if the second run does not start at the end of the first.
    """
    _check(first, second)
    tables: list[Arrays] = [dict(first._data), dict(second._data)]
    if first._has_parameters_set or second._has_parameters_set:
        for run, table in zip((first, second), tables, strict=True):
            numbers = np.array(list(run.parameters.values()))
            table.setdefault("parameters", np.tile(numbers, (run.t.size, 1)))
    data = _arrays(tables[0], tables[1], _drops(first, second))
    names = tuple(dict.fromkeys(first.labels.user_event_names + second.labels.user_event_names))
    if names:
        known = [names.index(name) for name in second.labels.user_event_names]
        places = np.array([*known, -1], np.int32)  # index -1, of other events, maps to -1
        data["event_user"] = np.concatenate([first.events.user, places[second.events.user]])
    stats = {
        key: max(first.stats.get(key, 0), value)
        if key.startswith("largest")
        else first.stats.get(key, 0) + value
        for key, value in second.stats.items()
    }
    return data, {
        "system": first._system,
        "system_name": first.system_name,
        "parameters": first.parameters,
        "labels": replace(first.labels, user_event_names=names),
        "status": second.status,
        "message": second.message,
        "stats": stats,
        "sensitivity": _sensitivity(first.sensitivity, second.sensitivity),
        "method": _method(first.method, second.method),
        "method_reason": first.method_reason,
    }


def _check(first: Record, second: Record) -> None:
    for run in (first, second):
        if run.record != "memory":
            raise ValueError(
                f"solutions: must be runs recorded with record='memory'; {run._remedy}"
            )
    own, other = (replace(run.labels, user_event_names=()) for run in (first, second))
    if own != other or dict(first.parameters) != dict(second.parameters):
        raise ValueError(
            "solutions: must be runs of one system with the same parameters, got "
            f"{first.system_name!r} and {second.system_name!r}"
        )
    if first.t.size == 0 or second.t.size == 0:
        raise ValueError("solutions: must be runs with samples, got a run without samples")
    if first.t[-1] != second.t[0]:
        raise ValueError(
            f"solutions: must contain a run that starts at t = {float(first.t[-1])!r} s, the end "
            f"of the previous run, got t = {float(second.t[0])!r} s"
        )
    for name in ("q", "x"):
        end, start = getattr(first, name)[-1], getattr(second, name)[0]
        size = np.abs(getattr(first, name)).max(axis=0, initial=0.0)
        if not (np.abs(end - start) <= _REACHED * (1.0 + size)).all():
            raise ValueError(
                f"solutions: must contain a run that starts at {name} = {end.tolist()}, the end "
                f"of the previous run, got {start.tolist()}. Simulate with start=solution."
            )
    if ("step_part" in first._data) != ("step_part" in second._data):
        raise ValueError(
            "solutions: must be runs of one method, got only one run with separate steps for its "
            "parts"
        )


def _drops(first: Record, second: Record) -> bool:
    """Return True if the first sample of `second` equals the last sample of `first`."""
    return bool(
        np.allclose(first._data["y"][-1], second._data["y"][0], rtol=1e-9, atol=1e-12)
        and np.array_equal(first.contact_state[-1], second.contact_state[0])
        and np.array_equal(first.element_mode[-1], second.element_mode[0])
        and np.array_equal(first.inputs[-1:], second.inputs[:1])
    )


def _arrays(
    first: Mapping[str, NDArray[Any]], second: Mapping[str, NDArray[Any]], drops: bool
) -> Arrays:
    data: Arrays = {}
    contacts = int(second["found_count"][0]) if "found_count" in second else 0
    for name in [name for name in first if name in second]:
        before, behind = first[name], second[name]
        if name in _OF_THE_END:
            data[name] = behind
            continue
        if name == "step_offset":
            behind = behind + first["coefficients"].size
        elif name in _SINCE_START:
            behind = behind + first[_SINCE_START[name]][-1]
        dropped = {"sample": 1, "found": contacts}.get(TABLE_OF.get(name, ""), 0) if drops else 0
        data[name] = np.concatenate([before, behind[dropped:]])
    return data


def _sensitivity(first: Sensitivity | None, second: Sensitivity | None) -> Sensitivity | None:
    """Return the factors of both runs, one per part; None unless both runs have them."""
    if first is None or second is None or first.parameters != second.parameters:
        return None
    data = {
        name: np.concatenate([column, second._data[name][1 if name == "rate" else 0 :]])
        for name, column in first._data.items()
    }
    return type(first)(data, labels=first.labels, parameters=first.parameters)


def _method(first: Method | None, second: Method | None) -> Method | None:
    if first is None or second is None or type(first) is not type(second):
        return None
    same = all(
        np.array_equal(getattr(first, f.name), getattr(second, f.name)) for f in fields(first)
    )
    return first if same else None

"""Adjustable numbers of a page: parameters, initial state and end of a run, with their ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nsmb.common.arguments import unknown_name
from nsmb.system.base import System

__all__ = ["END", "Knob", "knobs_of"]

Range = tuple[float, float]

END = "t_end"
_WIDE = 2.0  # default end of a range, as a multiple of the value
_LEAST = 0.05  # lower end for positive numbers, as a multiple of the value
_WHOLE = 5  # half of the range of integers
_ANGLES = ("rad",)


@dataclass(frozen=True)
class Knob:
    """An adjustable number."""

    name: str
    group: str
    """``"parameter"``, ``"start"`` or ``"run"``."""
    value: float
    """Initial value."""
    low: float
    high: float
    """Ends of the slider; numbers outside can be typed."""
    kind: str = "number"
    """``"number"``, ``"whole"`` or ``"choice"``."""
    unit: str = ""
    meaning: str = ""
    choices: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for the page."""
        return asdict(self)


def knobs_of(
    system: System,
    t_end: float,
    *,
    parameters: Sequence[str] | None,
    start: bool | Sequence[str],
    ranges: Mapping[str, Range],
) -> dict[str, Knob]:
    """Return all knobs of a system by name.

    Parameters
    ----------
    system : System
    t_end : float
        End time, s.
    parameters : sequence of str or None
        Parameters to show; None: all.
    start : bool or sequence of str
        Components of the initial state to show: True for all, False for none, or their names.
    ranges : mapping of str to (float, float)
        Ends of sliders by name of the knob.

    Returns
    -------
    dict of str to Knob

    Raises
    ------
    ValueError
        If the system does not have a name, or a range is empty.
    """
    found = _parameters(system, parameters)
    found += _start(system, start, {knob.name for knob in found})
    start_time = system.initial_state.t
    length = t_end - start_time
    found.append(
        Knob(END, "run", t_end, start_time + 0.05 * length, start_time + _WIDE * length, "number",
             "s", "end of the run")
    )  # fmt: skip
    knobs = {knob.name: knob for knob in found}
    for name, given in ranges.items():
        if name not in knobs:
            raise unknown_name("ranges: knob", name, list(knobs))
        knobs[name] = _ranged(knobs[name], given)
    return knobs


def _parameters(system: System, names: Sequence[str] | None) -> list[Knob]:
    known = list(system.parameters) if system._rebuild is not None else []
    for name in names or ():
        if name not in known:
            raise unknown_name("parameter", name, known)
    found = []
    for name in known if names is None else names:
        value, info = system.parameters[name], system.parameter_info.get(name)
        unit = "" if info is None else info.unit
        choices = () if info is None else info.choices
        positive = info is not None and info.positive
        whole = isinstance(value, int)
        kind = "choice" if choices else "whole" if whole else "number"
        low, high = _range(float(value), unit, positive=positive, whole=whole)
        if choices:
            low, high = 0.0, float(len(choices) - 1)
        texts = () if info is None else (info.description, info.source)
        meaning = "; ".join(text for text in texts if text)
        found.append(Knob(name, "parameter", float(value), low, high, kind, unit, meaning, choices))
    return found


def _start(system: System, wanted: bool | Sequence[str], taken: set[str]) -> list[Knob]:
    """Return the knobs of the initial state; ``start NAME`` avoids clashes with parameters."""
    labels, state = system.labels, system.initial_state
    values = [*state.q.tolist(), *state.u.tolist(), *state.x.tolist()]
    # Wall positions of force elements that the state does not contain are relaxed.
    names = labels.components[: len(values)]
    if isinstance(wanted, bool):
        chosen = names if wanted else ()
    else:
        for name in wanted:
            if name not in names:
                raise unknown_name("start: component", name, names)
        chosen = tuple(wanted)
    found = []
    for name in chosen:
        place = names.index(name)
        unit = labels.component_units[place]
        low, high = _range(values[place], unit, positive=False, whole=False, start=True)
        shown = f"start {name}" if name in taken or name == END else name
        found.append(Knob(shown, "start", values[place], low, high, "number", unit, "at the start"))
    return found


def _range(value: float, unit: str, *, positive: bool, whole: bool, start: bool = False) -> Range:
    """Return the ends of a slider around a value."""
    if whole:
        return max(value - _WHOLE, 1.0 if positive else min(value, 0.0)), value + _WHOLE
    if start and unit in _ANGLES and abs(value) <= math.pi:
        return -math.pi, math.pi
    if unit in ("-", "") and 0.0 <= value <= 1.0 and not start:
        return (_LEAST * value if positive else 0.0), 1.0
    if value == 0.0:
        return -1.0, 1.0
    if value < 0.0 or start:
        return -_WIDE * abs(value), _WIDE * abs(value)
    return (_LEAST * value if positive else 0.0), _WIDE * value


def _ranged(knob: Knob, given: Range) -> Knob:
    """Return the knob with the given ends."""
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(
            f"ranges: expected (low, high) with low < high for {knob.name!r}, got {given!r}"
        )
    return Knob(**{**asdict(knob), "low": low, "high": high})

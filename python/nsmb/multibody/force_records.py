"""Records of force elements, of loads and of friction in joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_array, as_number, left_out, unknown_name
from nsmb.common.frames import Frame
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.handles import Body
from nsmb.multibody.laws import ForceTable, Law, Sign, SpringDamper, as_sign
from nsmb.multibody.parts import (
    ElementRecord,
    FrictionRecord,
    LawRecord,
    LoadRecord,
    Marker,
    Place,
    SwitchRecord,
)
from nsmb.multibody.register import Register
from nsmb.multibody.user_force import CoreForce, ForceInput, FunctionForce, is_user_force
from nsmb.system.forces import GapForce, as_gap_force
from nsmb.system.inputs import Input, all_inputs, as_inputs

__all__ = ["friction_record", "gap_force_record", "law_record", "load_record", "user_force_record"]


def law_record(
    what: str,
    name: str,
    law: Law,
    sign: Sign,
    on: tuple[Place, Place] | str,
    inputs: Sequence[Input],
    records: Blueprint,
) -> LawRecord:
    """Return the record of a force law between two places or on a coordinate."""
    asked = _inputs_of(what, law, inputs, records)
    places, coordinate = (None, on) if isinstance(on, str) else (on, "")
    as_sign(sign)
    return LawRecord(name, _as_law(what, law), sign, places, coordinate, asked)


def gap_force_record(
    what: str,
    name: str,
    law: GapForce,
    bodies: tuple[Body | Marker | None, Body | Marker | None],
    at: tuple[Frame | ArrayLike | None, Frame | ArrayLike | None],
    coordinate: str,
    rest: float,
    direction: int | None,
    register: Register,
) -> SwitchRecord:
    """Return the record of a one-sided force between two places or on a coordinate."""
    law = as_gap_force(f"{what}: law", law)
    if direction not in (None, 1, -1):
        raise ValueError(f"{what}: direction: expected 1 or -1, got {direction!r}")
    length = float(as_array(f"{what}: rest", rest, ()))
    body_1, body_2 = bodies
    places = None
    if coordinate:
        if body_1 is not None or body_2 is not None:
            raise ValueError(f"{what}: expected two bodies or a coordinate, got both")
        for option, value in zip(("at", "at_2"), at, strict=True):
            left_out(f"{what}: {option}", value, "for a coordinate", "Give two bodies instead.")
        register.coordinate(coordinate)
    else:
        if body_1 is None or body_2 is None:
            raise ValueError(f"{what}: expected two bodies or a coordinate, got neither")
        left_out(
            f"{what}: direction", direction, "between two points",
            "Their distance is never negative.",
        )  # fmt: skip
        places = register.place(body_1, at[0]), register.place(body_2, at[1], 0.0, "at_2")
    side = 1.0 if direction is None else float(direction)
    return SwitchRecord(name, law, length, side, places, coordinate)


def load_record(
    what: str,
    name: str,
    function: Callable[..., Any],
    place: Place,
    inputs: Sequence[Input],
    records: Blueprint,
) -> LoadRecord:
    """Return the record of a load on a body."""
    if not callable(function):
        raise ValueError(f"{what}: expected a function of (t, r, A, v, Omega)")
    return LoadRecord(name, function, place, _inputs_of(what, function, inputs, records))


def user_force_record(
    what: str,
    name: str,
    element: CoreForce | Callable[[ForceInput], Any],
    on: Sequence[Body | Marker],
    at: Sequence[Frame | ArrayLike | None] | None,
    coordinates: Sequence[str],
    functions: Mapping[str, Any],
    resolution: float,
    register: Register,
) -> ElementRecord:
    """Return the record of a force element; `functions` are all except its force."""
    if is_user_force(element):
        if any(part is not None for part in functions.values()):
            raise ValueError(f"{what}: expected functions with a function, got an element")
    elif callable(element):
        element = FunctionForce(
            element,
            functions["rates"],
            functions["watch"],
            functions["energy"],
            functions["states"] or {},
            functions["watched"] or {},
            resolution,
        )
    else:
        raise ValueError(
            f"{what}: expected a nsmb.UserForce or a function of (now), got {element!r}"
        )
    ends = [on] if isinstance(on, Body | Marker) else list(on)
    frames = [None] * len(ends) if at is None else list(at)
    if len(frames) != len(ends):
        raise ValueError(f"{what}: at: expected {len(ends)} places, got {len(frames)}")
    names = (coordinates,) if isinstance(coordinates, str) else tuple(coordinates)
    if not ends and not names:
        raise ValueError(f"{what}: must act on places or coordinates, got none")
    for coordinate in names:
        register.coordinate(coordinate)
    places = tuple(register.place(end, at) for end, at in zip(ends, frames, strict=True))
    element.core_force(name, len(places), len(names))
    return ElementRecord(name, element, places, names)


def friction_record(
    what: str, name: str, velocity: str, bound: float, records: Blueprint
) -> FrictionRecord:
    """Return the record of dry friction in a joint."""
    joint, _, own = velocity.partition(".")
    if joint not in records.joints:
        raise unknown_name(f"{what}: joint", joint, list(records.joints))
    names = records.joints[joint].joint._names()[2]
    if own not in names:
        known = [f"{joint}.{n}" if n else joint for n in names]
        raise unknown_name(f"{what}: velocity", velocity, known)
    limit = as_number(f"{what}: bound", bound)
    if not 0.0 <= limit < np.inf:
        raise ValueError(f"{what}: bound: expected a number >= 0, got {limit}")
    return FrictionRecord(name, velocity, limit)


def _inputs_of(
    what: str, function: Any, given: Sequence[Input], records: Blueprint
) -> tuple[Input, ...]:
    """Return the inputs passed to a function, or the input itself."""
    inputs = as_inputs(f"{what}: inputs", given)
    if inputs and not (callable(function) and not isinstance(function, ForceTable)):
        raise ValueError(f"{what}: inputs: must be left out with {function!r}")
    if isinstance(function, Input):
        inputs = (function,)
    all_inputs(f"{what}: inputs", records.inputs, inputs)
    return inputs


def _as_law(what: str, law: Any) -> Law:
    if isinstance(law, SpringDamper | ForceTable | Input) or callable(law):
        return law  # type: ignore[no-any-return]
    raise ValueError(
        f"{what}: law: expected a function (t, γ, γ̇), a ForceTable or an Input, got {law!r}"
    )

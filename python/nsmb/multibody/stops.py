"""Limits of joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nsmb.common.arguments import as_number, unknown_name
from nsmb.multibody.joints import Cylindrical, Joint, Planar, Prismatic, Revolute, Screw
from nsmb.multibody.parts import JointRecord, StopRecord
from nsmb.system.contact_laws import as_contact_law

__all__ = ["stop_record"]


def stop_record(
    what: str,
    name: str,
    joint: str,
    limits: tuple[Any, Any],
    law: Any,
    joints: Mapping[str, JointRecord],
    loops: Mapping[str, JointRecord],
) -> StopRecord:
    """Return the checked limits of the coordinate `joint`."""
    own_joint, _, own = joint.partition(".")
    record = loops.get(own_joint) or joints.get(own_joint)
    if record is None:
        raise unknown_name(f"{what}: joint", own_joint, [*joints, *loops])
    names = _coordinates(record.joint, own_joint in loops)
    if own not in names:
        known = [f"{own_joint}.{n}" if n else own_joint for n in names]
        if not known:
            raise ValueError(
                f"{what}: must be on a joint with an angle or a translation, got {record.joint!r}"
            )
        raise unknown_name(f"{what}: coordinate", joint, known)
    low, high = as_number(f"{what}: lower", limits[0]), as_number(f"{what}: upper", limits[1])
    if not low < high or (np.isinf(low) and np.isinf(high)):
        raise ValueError(
            f"{what}: expected lower < upper, one of them finite, got {low} and {high}"
        )
    every, units, _ = record.joint._names()
    turns = units[every.index(own)] == "rad"
    if own_joint in loops and turns and not high - low < 2.0 * np.pi:
        raise ValueError(
            f"{what}: must have both limits, less than one rotation apart, since the angle of a "
            f"loop does not count rotations, got {low} and {high}"
        )
    law = as_contact_law(f"{what}: law", law)
    if law.mu != 0.0:
        raise ValueError(
            f"{what}: law: must have mu = 0, got {law.mu}. Use add_joint_friction for friction "
            "in a joint."
        )
    for field in ("mu_R", "mu_D"):
        if getattr(law, field) != 0.0:
            raise ValueError(
                f"{what}: law: must have {field} = 0, got {getattr(law, field)}. Nothing rolls at "
                "the limit of a joint."
            )
    return StopRecord(name, own_joint, own, low, high, law)


def _coordinates(joint: Joint, closes: bool) -> tuple[str, ...]:
    """Return coordinates that are a single angle or shift; `closes` is True for a loop."""
    if closes and isinstance(joint, Planar):
        return ("phi",)
    if isinstance(joint, Revolute | Prismatic | Cylindrical | Screw | Planar):
        return joint.coordinates
    return ()

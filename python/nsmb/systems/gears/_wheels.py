"""Shared parts of ready-made systems with involute gears."""

from __future__ import annotations

from typing import Any

from nsmb import geometry
from nsmb.common.arguments import left_out
from nsmb.gears import ElasticTeeth, Gear, GearPair
from nsmb.multibody import Model
from nsmb.multibody.handles import Body
from nsmb.system.parametric import parameter

__all__ = [
    "MOTIONS",
    "add_outline",
    "add_wheel",
    "elastic_teeth",
    "inertia_of_teeth",
    "teeth_parameter",
]

MOTIONS = ("rigid", "elastic", "near", "quasi-static", "static")


def teeth_parameter(default: str = "rigid") -> Any:
    """Return the field that selects the model of the teeth."""
    return parameter(
        default, "1",
        "rigid; elastic, all with mass; near, those in and near the mesh; quasi-static, these "
        "without mass; static, without mass and damper",
        "printed: rigid and elastic", choices=MOTIONS,
    )  # fmt: skip


def elastic_teeth(word: str, K: float, D: float, mass: float | None) -> ElasticTeeth | None:
    """Return the teeth for the value of a parameter; their default mass is that of the material."""
    if word in ("rigid", "static", "quasi-static"):
        left_out(
            "parameter 'm_th'", mass, f"for teeth={word!r}, which have no inertia of their own",
            "Leave it out, or choose teeth='elastic'.",
        )  # fmt: skip
    if word == "rigid":
        return None
    if word == "static":
        return ElasticTeeth(K=K, motion="static")
    motion = "quasi-static" if word == "quasi-static" else "dynamic"
    return ElasticTeeth(K=K, D=D, mass=mass, motion=motion, all_teeth=word == "elastic")


def inertia_of_teeth(pair: GearPair, first: bool, teeth: ElasticTeeth | None) -> float:
    """Return the inertia of teeth with their own states, kg m²."""
    if teeth is None:
        return 0.0
    gear = pair.gear_1 if first else pair.gear_2
    share = 1.0 if teeth.all_teeth else pair.near(first) / gear.z
    return share * teeth.inertia_of(gear)


def add_wheel(
    m: Model, name: str, gear: Gear, inertia: float, phase: float, moving: float = 0.0
) -> Body:
    """Add a body with its inertia minus that of the moving teeth, and its outline."""
    rest = inertia - moving
    if not rest > 0.0:
        raise ValueError(
            f"parameter 'm_th': expected teeth with less than the inertia of {name}, {inertia:g} "
            f"kg m², got {moving:g} kg m²"
        )
    # It rotates about a fixed axis, so its mass does not affect the motion.
    mass = 2.0 * inertia / gear.r_p**2
    body = m.add_body(name, mass=mass, inertia=rest)
    add_outline(body, "teeth", gear, phase)
    return body


def add_outline(body: Body, name: str, gear: Gear, phase: float) -> None:
    """Add the transverse section as outline, for figures."""
    body.outline(name, geometry.Polygon(gear.outline(4, phase)))

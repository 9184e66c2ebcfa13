"""Scene of the landing airplane in a moving frame: fuselage, legs, wheels, runway.

Sizes normal to the axis are chosen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.systems._blocks import FLOOR, SIDEWAYS, UP, block, disc, turned
from nsmb.systems.machines.landing_gear_airframe import airframe, fuselage_rows
from nsmb.systems.machines.landing_gear_data import GEARS, LandingGearParameters, Strut

__all__ = ["landing_gear_scene"]

Vector = NDArray[np.float64]

# Fuselage from tail to nose: half its height, and the height of its middle above the axis, m.
_PLACES = np.array([0.0, 0.02, 0.3, 0.45, 0.6, 0.8, 0.9, 0.97, 1.0])
_HALF = np.array([0.12, 0.25, 0.55, 0.75, 0.8, 0.75, 0.6, 0.3, 0.05])
_RAISED = np.array([0.9, 0.87, 0.65, 0.55, 0.5, 0.45, 0.35, 0.2, 0.15])
_CYLINDER, _PISTON = (0.16, 0.8), 0.09  # m


def landing_gear_scene(p: LandingGearParameters) -> Scene:
    """Return the scene; parts move by small angles, and the waves of the runway are not drawn."""
    made = airframe(p)
    x, rows = fuselage_rows(p, _PLACES)
    level = p.r_2 + p.l_02  # m, height of the axis above the runway for extended legs and q = 0
    names = made.coordinates

    def wheel(q: Vector, gear: Strut) -> Vector:
        i = gear.index
        along = float((made.rows[f"axle_{i}"] @ q) - q[0])
        height = getattr(p, f"r_{i}") - q[names.index(f"y_2{i}")]
        return np.array([getattr(p, f"x_1{i}") + along, height])

    def hinge(q: Vector, gear: Strut) -> Vector:
        i = gear.index
        return np.array([getattr(p, f"x_1{i}"), level - float(made.rows[f"hinge_{i}"] @ q)])

    def points(t: float, q: Vector) -> list[Vector]:
        axis = level - rows @ q + _RAISED
        lower, upper = (np.column_stack([x, axis + side * _HALF]) for side in (-1.0, 1.0))
        found = [FLOOR, np.vstack([lower, upper[::-1], lower[:1]])]
        for gear in GEARS:
            top, axle = hinge(q, gear), wheel(q, gear)
            lean = turned(float(np.arctan2(axle[0] - top[0], top[1] - axle[1])))
            tube = block(*_CYLINDER) - np.array([0.0, _CYLINDER[1]])
            rod = block(_PISTON, level - getattr(p, f"r_{gear.index}") - 0.3)
            spin = float(q[names.index(f"phi_{gear.index}")])
            spoke = np.vstack([disc(getattr(p, f"r_{gear.index}")), [(0.0, 0.0)]])
            found += [tube @ lean.T + top, rod @ lean.T + axle, spoke @ turned(-spin).T + axle]
        return found

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        tops = [hinge(q, gear) - np.array([0.0, _CYLINDER[1]]) for gear in GEARS]
        stops: list[ContactFrame | None] = []
        for top in tops:
            stops += [ContactFrame(top, (0.0, -1.0), SIDEWAYS), ContactFrame(top, UP, SIDEWAYS)]
        return stops + [ContactFrame(top, SIDEWAYS, (0.0, -1.0)) for top in tops]

    legs = [f"{gear.name} {part}" for gear in GEARS for part in ("cylinder", "piston", "wheel")]
    return Scene.from_function(points, bodies=["ground", "fuselage", *legs], contacts=contacts)

"""Scene of the timing gears: wheels with marks that rotate by their magnified deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import Scene
from nsmb.systems._blocks import Part, Place, disc, parts_scene

if TYPE_CHECKING:
    from nsmb.systems.gears.timing_gear_data import TimingGearsParameters

__all__ = ["timing_gear_scene"]

Vector = NDArray[np.float64]
_LARGER = 100.0  # deviations are of the order of a milliradian


def timing_gear_scene(p: TimingGearsParameters) -> Scene:
    """Return wheels with marks that show deviations magnified a hundred times.

    The camshaft is to the right of wheel 5, seen from the side, with six pumps whose marks rise
    with the twist.
    """
    layout = p.layout
    place = {name: k for k, name in enumerate(layout.coordinates)}
    r_4 = p.r_3 * p.r_5 / (2.0 * p.r_1)
    radii = {"1": p.r_1, "2": p.r_2, "34": p.r_3, "5": p.r_5}
    pitch = 1.0 / np.cos(p.alpha)
    angles = (p.a_12, p.a_23, p.a_45) if layout.side == "A" else (p.a_12, p.a_45)
    centres = {"1": np.zeros(2)}
    for i, (driver, driven) in enumerate(zip(layout.wheels, layout.wheels[1:], strict=False)):
        r = r_4 if driver == "34" else radii[driver]
        towards = np.array([np.cos(angles[i]), np.sin(angles[i])])
        centres[driven] = centres[driver] + pitch * (r + radii[driven]) * towards
    crank = p.speed * np.pi / 30.0

    def angle(name: str, t: float, q: Vector) -> float:
        sense = (-1.0) ** layout.wheels.index(name)
        if name == "1":
            turned = p.A_3 * np.sin(3.0 * crank * t) + p.A_6 * np.sin(6.0 * crank * t)
        else:
            turned = q[place[f"phi_{name}"]]
        return float(sense * _LARGER * turned)

    def follow(name: str) -> Place:
        def at(t: float, q: Vector) -> tuple[float, float, float]:
            x, y = centres[name]
            if name in layout.on_bearings:
                x, y = x + _LARGER * q[place[f"x_{name}"]], y + _LARGER * q[place[f"y_{name}"]]
            return float(x), float(y), angle(name, t, q)

        return at

    parts = []
    for name in layout.wheels:
        shapes = [pitch * disc(radii[name])]
        if name == "34":
            shapes.append(pitch * disc(r_4))
        shapes.append(pitch * radii[name] * np.array([(0.0, 0.0), (0.0, 1.0)]))
        parts += [Part(f"wheel {name}", shape, follow(name)) for shape in shapes]
    parts += _camshaft(p, place, centres["5"])
    return parts_scene(
        parts, markers=lambda t, q: [tuple(follow(name)(t, q))[:2] for name in layout.wheels]
    )


def _camshaft(p: TimingGearsParameters, place: dict[str, int], centre: Vector) -> list[Part]:
    """Return the twist at the pumps as heights of marks, with the shaft at half its length."""
    start = centre + np.array([1.6 * p.r_5, 0.0])
    parts = [Part("camshaft", np.array([(0.0, 0.0), (0.5 * p.l, 0.0)]) + start)]
    mark = np.array([(-0.02, -0.02), (0.02, -0.02), (0.02, 0.02), (-0.02, 0.02), (-0.02, -0.02)])

    def follow(z: float) -> Place:
        def at(t: float, q: Vector) -> tuple[float, float]:
            twist = sum(
                q[place[f"q_{k}"]] * np.sin((2 * k - 1) * np.pi * z / (2.0 * p.l))
                for k in range(1, p.elastic + 1)
            )
            height = 0.1 * _LARGER * float(q[place["phi_5"]] + twist)
            return float(start[0] + 0.5 * z), float(start[1] + height)

        return at

    return parts + [Part("pumps", mark, follow(p.l * (2 * k - 1) / 12.0)) for k in range(1, 7)]

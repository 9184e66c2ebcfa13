"""Scene of the hammer drill: parts along its axis, the material below; sizes are chosen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.systems._blocks import SIDEWAYS, UP, Part, block, parts_scene

__all__ = ["hammer_drill_scene"]

Vector = NDArray[np.float64]
Place = Callable[[float, Vector], tuple[float, float]]

# m, heights of the lower ends when all parts touch
_SECONDARY, _PRIMARY, _AIR = 0.16, 0.21, 0.235
_WALL, _GUIDE, _TOP = 0.025, 0.08, 0.325  # cylinder: half its inner width, lower and upper end
_HANDLE, _ARM = 0.42, (0.50, 0.56, 0.65)
_GROUND = np.array([(0.15, 0.0), (-0.15, 0.0)])
_BIT = np.array([
    (-0.001, 0.0), (0.001, 0.0), (0.007, 0.02), (0.007, 0.13), (0.011, 0.13), (0.011, _SECONDARY),
    (-0.011, _SECONDARY), (-0.011, 0.13), (-0.007, 0.13), (-0.007, 0.02), (-0.001, 0.0),
])  # fmt: skip


def hammer_drill_scene(r: float, L_0: float, Omega: float) -> Scene:
    """Return the scene of a drill with the given crank and air cushion."""

    def follow(i: int, x: float = 0.0) -> Place:
        return lambda t, q: (x, float(q[i]))

    def piston(t: float, q: Vector) -> tuple[float, float]:
        return 0.0, float(q[0]) + _AIR + L_0 + r * float(np.sin(Omega * t))

    def at(q: Vector, i: int, height: float) -> tuple[float, float]:
        return 0.0, float(q[i]) + height

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        places = (at(q, 1, _PRIMARY), at(q, 2, _SECONDARY))
        frames: list[ContactFrame | None] = [ContactFrame(place, UP, SIDEWAYS) for place in places]
        return frames + [None] * 5  # guides

    def markers(t: float, q: Vector) -> list[tuple[float, float]]:
        return [
            at(q, 0, _HANDLE + 0.02), at(q, 5, _ARM[0]), at(q, 5, _ARM[0] + 0.03),
            at(q, 6, _ARM[1]), at(q, 6, _ARM[1] + 0.05), at(q, 7, _ARM[2]),
        ]  # fmt: skip

    wall = np.array([
        (_WALL, _GUIDE + 0.05), (_WALL, _TOP), (0.034, _TOP), (0.034, _GUIDE + 0.03),
        (0.02, _GUIDE), (0.012, _GUIDE), (0.012, _GUIDE + 0.05), (_WALL, _GUIDE + 0.05),
    ])  # fmt: skip
    casing = np.array([
        (-0.06, 0.25), (-0.036, 0.25), (-0.036, 0.36), (0.036, 0.36), (0.036, 0.25), (0.06, 0.25),
        (0.06, _HANDLE), (0.02, _HANDLE), (0.02, _HANDLE + 0.02), (-0.02, _HANDLE + 0.02),
        (-0.02, _HANDLE), (-0.06, _HANDLE), (-0.06, 0.25),
    ])  # fmt: skip
    backstop = np.array([
        (0.018, 0.185), (0.024, 0.185), (0.024, 0.205), (0.018, 0.205), (0.018, 0.185),
    ])  # fmt: skip
    striker = np.array([
        (-0.011, 0.0), (0.011, 0.0), (0.011, 0.01), (0.022, 0.01), (0.022, 0.025), (0.014, 0.025),
        (0.014, 0.05), (-0.014, 0.05), (-0.014, 0.025), (-0.022, 0.025), (-0.022, 0.01),
        (-0.011, 0.01), (-0.011, 0.0),
    ]) + np.array([0.0, _SECONDARY])  # fmt: skip
    mirrored = np.array([-1.0, 1.0])
    shapes = [
        ("ground", _GROUND, lambda t, q: (0.0, 0.0)),
        ("casing", casing, follow(0)),
        ("casing", block(2 * _WALL, 0.02), piston),
        (
            "primary piston",
            block(2 * _WALL, _AIR - _PRIMARY) + np.array([0.0, _PRIMARY]),
            follow(1),
        ),
        ("secondary piston", striker, follow(2)),
        ("tool", _BIT, follow(3)),
        ("cylinder", wall, follow(4)),
        ("cylinder", wall[::-1] * mirrored, follow(4)),
        ("cylinder", backstop, follow(4)),
        ("cylinder", backstop[::-1] * mirrored, follow(4)),
        ("hand", block(0.06, 0.03) + np.array([0.0, _ARM[0]]), follow(5)),
        ("forearm", block(0.05, 0.05) + np.array([0.0, _ARM[1]]), follow(6)),
        ("upper arm", block(0.06, 0.06) + np.array([0.0, _ARM[2]]), follow(7)),
    ]
    return parts_scene(
        [Part(*shape) for shape in shapes],
        contacts=contacts,
        markers=markers,
        springs=[(0, 1), (2, 3), (4, 5)],
    )

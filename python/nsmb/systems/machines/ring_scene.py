"""Scene of an assembly robot from the side: x to the right, z upwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.systems._blocks import Part, parts_scene
from nsmb.systems.machines.puma_arm import Arm

__all__ = ["ring_scene"]

Vector = NDArray[np.float64]
_FRICTIONS = 3


def ring_scene(arm: Arm, x: float, z: float, p: Any) -> Scene:
    """Return links as bars, the piston with its rings, and the hole."""
    order = ["waist", "shoulder", "elbow", "roll", "pitch", "flange"]

    def places(q: Vector) -> Vector:
        return arm.places(np.asarray(q)[: len(order)])

    def link(k: int) -> Any:
        def place(t: float, q: Vector) -> tuple[float, float, float]:
            ends = places(q)[k : k + 2]
            dx, dz = ends[1] - ends[0]
            return float(ends[0, 0]), float(ends[0, 1]), float(np.arctan2(dz, dx))

        return place

    def bar(length: float, width: float) -> Vector:
        half = 0.5 * width
        return np.array([(0, -half), (length, -half), (length, half), (0, half), (0, -half)])

    outer = p.r + 2 * p.r_0
    rings = [
        np.array([(a - p.r_0, b * p.r), (a + p.r_0, b * p.r), (a + p.r_0, b * outer),
                  (a - p.r_0, b * outer), (a - p.r_0, b * p.r)])[:: int(b)]
        for k in range(p.rings) for a in (arm.length - k * p.distance,) for b in (-1.0, 1.0)
    ]  # fmt: skip
    angle = np.linspace(0.5 * np.pi, np.pi, 9)
    mouth = np.column_stack([np.cos(angle), np.sin(angle) - 1.0]) * p.rounding
    right = mouth + np.array([p.R + p.rounding, 0.0])
    wall = np.vstack([(0.1, 0.0), right, (p.R, -p.depth), (0.1, -p.depth), (0.1, 0.0)])
    parts = [
        Part("ground", wall, lambda t, q: (x, z)),
        Part("ground", wall[::-1] * [-1.0, 1.0], lambda t, q: (x, z)),
        Part("upper arm", bar(0.4318, 0.12), link(0)),
        Part("forearm", bar(0.4318, 0.09), link(1)),
        Part("piston", bar(arm.length + 0.005, 2 * p.r), link(2)),
        *(Part("rings", shape, link(2)) for shape in rings),
    ]

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        return [None] * _FRICTIONS

    return parts_scene(parts, contacts=contacts)

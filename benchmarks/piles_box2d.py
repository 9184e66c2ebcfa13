"""Pyramids in Box2D: squares in the plane, float32, 8 and 3 iterations per step."""

from __future__ import annotations

from typing import Any

import Box2D
from Box2D import b2FixtureDef, b2PolygonShape, b2World

from benchmarks import pile_peer

ITERATIONS = (8, 3)  # of velocities and of positions, as recommended by the manual


def build(scene: dict[str, Any]) -> tuple[pile_peer.Step, pile_peer.Report]:
    world = b2World(gravity=(0.0, -scene["gravity"]), doSleep=False)
    world.CreateStaticBody(
        position=(0.0, -1.0),
        fixtures=b2FixtureDef(shape=b2PolygonShape(box=(1000.0, 1.0)), friction=scene["mu"]),
    )
    boxes = scene["boxes"]
    bodies = []
    for place, half, mass in zip(boxes["r"], boxes["half"], boxes["mass"], strict=True):
        square = b2FixtureDef(
            shape=b2PolygonShape(box=(half, half)),
            density=mass / (4.0 * half * half),
            friction=scene["mu"],
        )
        bodies.append(world.CreateDynamicBody(position=(place[0], place[2]), fixtures=square))

    def report() -> dict[str, Any]:
        q = [[b.position[0], 0.0, b.position[1], 1.0, 0.0, 0.0, 0.0] for b in bodies]
        return {"q": q, "version": Box2D.__version__}

    return lambda: world.Step(scene["step"], *ITERATIONS), report


if __name__ == "__main__":
    pile_peer.enter(build)

"""Piles and pyramids in MuJoCo: soft contacts, Newton's method, elliptic cones."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from benchmarks import pile_peer


def text_of(scene: dict[str, Any]) -> str:
    h = scene["step"]
    contact = f'condim="3" friction="{scene["mu"]} 0 0" solref="{2.0 * h} 1"'
    parts = [
        f'<mujoco><option timestep="{h}" gravity="0 0 {-scene["gravity"]}" cone="elliptic" '
        f'solver="Newton" jacobian="sparse" tolerance="{scene["tol"]}"/>'
        f'<size memory="2G"/><default><geom {contact}/></default><worldbody>'
        '<geom type="plane" size="0 0 1"/>'
    ]
    for axis, half in enumerate(scene["walls"] or ()):
        for side in (-1.0, 1.0):
            place, inwards = np.zeros(3), np.zeros(3)
            place[axis], inwards[axis] = side * half, -side
            at, z = (" ".join(map(str, vector)) for vector in (place, inwards))
            parts.append(f'<geom type="plane" size="0 0 1" pos="{at}" zaxis="{z}"/>')
    spheres, boxes = scene["spheres"], scene["boxes"]
    bodies = [
        *(("sphere", f"{r}") for r in spheres["radius"]),
        *(("box", f"{a} {a} {a}") for a in boxes["half"]),
    ]
    places = [*spheres["r"], *boxes["r"]]
    masses = [*spheres["mass"], *boxes["mass"]]
    for (kind, size), place, mass in zip(bodies, places, masses, strict=True):
        at = " ".join(map(str, place))
        parts.append(
            f'<body pos="{at}"><freejoint/><geom type="{kind}" size="{size}" mass="{mass}"/></body>'
        )
    parts.append("</worldbody></mujoco>")
    return "".join(parts)


def build(scene: dict[str, Any]) -> tuple[pile_peer.Step, pile_peer.Report]:
    model = mujoco.MjModel.from_xml_string(text_of(scene))
    data = mujoco.MjData(model)
    if scene.get("state"):
        # Same velocities: of the centre in fixed axes, angular velocity in body axes.
        data.qpos[:], data.qvel[:] = (np.array(values) for values in scene["state"])

    def report() -> dict[str, Any]:
        return {"q": data.qpos.reshape(-1, 7).tolist(), "version": mujoco.__version__}

    return lambda: mujoco.mj_step(model, data), report


if __name__ == "__main__":
    pile_peer.enter(build)

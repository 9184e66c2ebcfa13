"""Piles and pyramids in nsmb: midpoint steps with one problem of all contacts each."""

from __future__ import annotations

from typing import Any

import numpy as np

import nsmb
from benchmarks import pile_peer
from nsmb import geometry, joints


def system_of(scene: dict[str, Any]) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0.0, 0.0, -scene["gravity"]))
    m.ground.shape("floor", geometry.HalfSpace())
    for axis, half in enumerate(scene["walls"] or ()):
        for side in (-1.0, 1.0):
            inwards, up = np.zeros(3), np.array([0.0, 0.0, 1.0])
            inwards[axis] = -side
            axes = np.column_stack([up, np.cross(inwards, up), inwards])
            place = nsmb.geometry.Frame(-half * inwards, axes)
            m.ground.shape(f"wall {axis} {side:+.0f}", geometry.HalfSpace(), at=place)
    initial = {}

    def add(
        name: str, shape: geometry.Shape, place: list[float], mass: float, volume: float
    ) -> None:
        body = m.add_solid(name, shape, mass / volume)
        m.add_joint(name, joints.Free(), m.ground, body)
        apart = scene.get("built", 1.0) * np.array(place)
        initial[name] = (*apart, 1.0, 0.0, 0.0, 0.0)

    spheres, boxes = scene["spheres"], scene["boxes"]
    for k, place in enumerate(spheres["r"]):
        r = spheres["radius"][k]
        volume = 4.0 / 3.0 * np.pi * r**3
        add(f"s{k}", geometry.Sphere(r), place, spheres["mass"][k], volume)
    for k, place in enumerate(boxes["r"]):
        edge = 2.0 * boxes["half"][k]
        add(f"b{k}", geometry.Box((edge, edge, edge)), place, boxes["mass"][k], edge**3)
    m.collide(nsmb.ContactLaw(mu=scene["mu"]))
    return m.build(initial=initial)


def problem_of(scene: dict[str, Any]) -> nsmb.complementarity.friction.FrictionProblem:
    """Return the contact problem of spheres at the end of the scene, after a step of free fall."""
    import scipy.sparse

    system = system_of(scene)
    method = nsmb.Midpoint(scene["step"], tol=scene["tol"])
    simulator = nsmb.Simulator(system, method)
    simulator.reset()
    simulator.advance(scene["steps"] * scene["step"])
    q = simulator.q.reshape(-1, 7)
    found = system.find_contacts(simulator.t, simulator.q)
    mass, radius = (np.array(scene["spheres"][key]) for key in ("mass", "radius"))
    entries: list[tuple[int, int, float]] = []
    for k, (pair, point, axes) in enumerate(
        zip(found.shapes, found.point, found.axes, strict=True)
    ):
        for side, sign in ((0, -1.0), (1, 1.0)):
            body = pair[side].split(".")[0]
            if body == "ground":
                continue
            i = int(body[1:])
            turns = np.cross(point - q[i, :3], axes)
            rows = np.column_stack([axes, turns]) * sign
            entries += [(6 * i + a, 3 * k + d, rows[d, a]) for d in range(3) for a in range(6)]
    row, column, value = zip(*entries, strict=True)
    H = scipy.sparse.csc_array((value, (row, column)), shape=(6 * len(mass), 3 * len(found.g_N)))
    M = np.column_stack([mass] * 3 + [0.4 * mass * radius**2] * 3)
    fall = np.zeros_like(M)
    fall[:, 2] = -scene["gravity"] * scene["step"]
    return nsmb.complementarity.friction.FrictionProblem.from_bodies(
        scipy.sparse.diags_array(M.ravel()).tocsc(),
        H,
        (M * fall).ravel(),
        np.zeros(H.shape[1]),
        np.full(len(found.g_N), scene["mu"]),
    )


def build(scene: dict[str, Any]) -> tuple[pile_peer.Step, pile_peer.Report]:
    system = system_of(scene)
    method = nsmb.Midpoint(scene["step"], tol=scene["tol"], dense_output=False, start_tolerance=1.0)
    simulator = nsmb.Simulator(system, method)
    simulator.reset(0.0, *map(np.array, scene.get("state", ())))
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        simulator.advance(count * scene["step"])
        if count % 50 == 0:
            simulator.drop_samples()

    def report() -> dict[str, Any]:
        stats = simulator.solution.stats
        return {
            "q": simulator.q.reshape(-1, 7).tolist(),
            "u": simulator.u.tolist(),
            "residual": float(stats["largest_residual"]),
            "missed": int(stats["missed_steps"]),
            "version": nsmb.__version__,
        }

    return step, report


if __name__ == "__main__":
    pile_peer.enter(build)

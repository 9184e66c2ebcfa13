"""Event-driven runs of solids.

Checks are distances of hulls, conservation laws, a tighter tolerance and time-stepping.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import Case, code, generator, law_code
from tests.campaign.findings import Findings
from tests.campaign.scenes import G, draw_inertia, draw_resistance, quaternion, rotation
from tests.campaign.surfaces import beside_steps
from tests.oracles.convex_distance import signed_distance

Array = NDArray[np.float64]
Generator = np.random.Generator
STEPS = 4000  # number of steps with time-stepping
RTOL = 1e-9
SAMPLES = 60  # number of times for distances
KINDS = ("Box", "Box", "ConvexHull", "Sphere", "Capsule")
CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


class Solid:
    """The source of a shape, and its description as a rounded hull of points."""

    def __init__(self, rng: Generator, kind: str, size: float) -> None:
        half = size * rng.uniform(0.3, 1.0, 3)
        self.rounding = 0.0
        if kind == "Box":
            self.points = CORNERS * half
            self.source = f"s.Box({code(2.0 * half)})"
        elif kind == "ConvexHull":
            self.points = rng.normal(size=(int(rng.integers(5, 12)), 3)) * half
            self.source = f"s.ConvexHull({code(self.points)})"
        elif kind == "Sphere":
            self.points, self.rounding = np.zeros((1, 3)), float(half[0])
            self.source = f"s.Sphere({code(half[0])})"
        else:
            ends = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]])
            self.points, self.rounding = ends * half[1], 0.5 * float(half[0])
            self.source = f"s.Capsule({code(self.rounding)}, {code(half[1])})"

    @property
    def reach(self) -> float:
        return float(np.linalg.norm(self.points, axis=1).max()) + self.rounding

    def at(self, q: Array) -> Array:
        return np.asarray(q[:3] + self.points @ rotation(q[3:]).T)


def make(seed: int) -> Case:
    rng = generator("solids", seed)
    size, count = float(rng.uniform(0.05, 0.3)), int(rng.integers(1, 4))
    solids = [Solid(rng, str(rng.choice(KINDS)), size) for _ in range(count)]
    ground, floor = floors(rng, size)
    e_N = float(rng.choice([0.0, rng.uniform(0.1, 0.8)]))
    law = law_code(
        {"mu": float(rng.choice([0.0, 0.3, 0.8])), "e_N": e_N}
        | draw_resistance(rng.spawn(1)[0], size)
    )
    lines, q, u, masses, inertias = [], [], [], [], []
    height = 0.0
    speed = float(np.sqrt(G * size))
    for k, solid in enumerate(solids):
        masses.append(float(10 ** rng.uniform(-1, 1)))
        inertias.append(draw_inertia(rng, masses[-1], solid.reach))
        height += 1.1 * solid.reach
        place = np.array([*(rng.uniform(-0.3, 0.3, 2) * size), height])
        height += 1.1 * solid.reach
        q.append(np.concatenate([place, quaternion(rng)]))
        u.append(np.concatenate([0.3 * speed * rng.normal(size=3),
                                 speed / size * rng.normal(size=3)]))  # fmt: skip
        lines += [
            f"b = m.add_body('b{k}', mass={masses[-1]!r}, inertia={code(inertias[-1])})",
            f"m.add_joint('j{k}', nsmb.joints.Free(), m.ground, b)",
            f"b.shape('c', {solid.source})",
        ]
    starts = ", ".join(f"'j{k}': {code(value)}" for k, value in enumerate(q))
    rates = ", ".join(f"'j{k}': {code(value)}" for k, value in enumerate(u))
    build = "\n".join([
        f"m = nsmb.Model(gravity=(0, 0, {-G}))", "s = nsmb.geometry", *ground, *lines,
        f"m.collide({law})", f"system = m.build({{{starts}}}, {{{rates}}})",
    ]) + "\n"  # fmt: skip
    fall = float(np.sqrt(2.0 * height / G))
    spec = {"solids": solids, "floor": floor, "masses": masses, "inertias": inertias, "size": size}
    method = {"impact_law": "moreau", "rtol": RTOL, "max_events": 3_000}
    return Case("solids", seed, build, 1.5 * fall, None, None, method, spec, (f"{count} solids",))


def floors(rng: Generator, size: float) -> tuple[list[str], list[Array]]:
    """Draw the source of the ground and the corners of its boxes.

    Without boxes, the ground is the half-space below z = 0.
    """
    wide, deep = 8.0 * size, 2.0 * size
    kind = int(rng.integers(3))
    if kind == 0:
        return ["m.ground.shape('g', s.HalfSpace())"], []
    if kind == 1:  # a table from which bodies may fall
        wide = 1.5 * size
        box = f"s.Box(({wide!r}, {wide!r}, {deep!r})), at=(0, 0, {-0.5 * deep!r})"
        return [f"m.ground.shape('g', {box})"], [
            CORNERS * [wide, wide, deep] * 0.5 - [0, 0, 0.5 * deep]
        ]
    tile = f"s.Box(({0.5 * wide!r}, {wide!r}, {deep!r}))"
    sources, boxes = [], []
    for k, x in enumerate((-0.25 * wide, 0.25 * wide)):  # flush
        sources.append(f"m.ground.shape('g{k}', {tile}, at=({x!r}, 0, {-0.5 * deep!r}))")
        boxes.append(CORNERS * [0.25 * wide, 0.5 * wide, 0.5 * deep] + [x, 0.0, -0.5 * deep])
    return sources, boxes


def energy(spec: dict[str, Any], q: Array, u: Array) -> Array:
    """Return the energy of the free bodies from their numbers, shape (n,)."""
    total = np.zeros(len(q))
    for k, (mass, inertia) in enumerate(zip(spec["masses"], spec["inertias"], strict=True)):
        v, w = u[:, 6 * k : 6 * k + 3], u[:, 6 * k + 3 : 6 * k + 6]
        total += 0.5 * mass * (v**2).sum(axis=1) + 0.5 * np.einsum("ni,ij,nj->n", w, inertia, w)
        total += mass * G * q[:, 7 * k + 2]
    return total


def depth(spec: dict[str, Any], q: Array) -> float:
    """Return the largest penetration depth in m, by hulls of differences of points."""
    solids = spec["solids"]
    places = [solid.at(q[7 * k : 7 * k + 7]) for k, solid in enumerate(solids)]
    deepest = 0.0
    for k, (solid, points) in enumerate(zip(solids, places, strict=True)):
        gaps = [signed_distance(box, points, solid.rounding) for box in spec["floor"]]
        if not spec["floor"]:
            gaps = [float(points[:, 2].min()) - solid.rounding]
        for other in range(k):
            rounding = solid.rounding + solids[other].rounding
            gaps.append(signed_distance(places[other], points, rounding))
        deepest = max(deepest, -min(gaps))
    return deepest


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    sol = case.run(system)
    if not sol.success:
        notes.append(f"ended: {sol.status}")
        return
    spec = case.spec
    total = energy(spec, sol.q, sol.u)
    scale = float(np.abs(total).max()) + sum(spec["masses"]) * G * spec["size"]
    if not sol.stats["energy_gains"]:  # reported for Moreau's law with several contacts
        found.judge("energy is gained", np.diff(total), 1e-7 * scale, sol.t[1:])
    some = np.unique(np.linspace(0, len(sol.t) - 1, SAMPLES).astype(int))
    depths = np.array([depth(spec, sol.q[i]) for i in some])
    found.judge("penetration", depths, 1e-6 * spec["size"], sol.t[some])
    strikes = sol.events[sol.events.kind == 0]
    end = float(strikes.t[1]) if len(strikes) > 1 else case.t_end
    times = np.linspace(0.0, 0.98 * end, 40)
    there = sol.at(times).q
    finer = case.run(system, rtol=1e-2 * RTOL)
    if finer.success:
        error = np.abs(finer.at(times).q - there)
        found.judge("depends on rtol", error, 1e-5 * spec["size"], times, "coordinate")
    fastest = float(np.linalg.norm(sol.u[:, :3], axis=1).max())
    fastest += float(np.linalg.norm(sol.u[:, 3:6], axis=1).max()) * spec["size"]
    error = beside_steps(case, system, STEPS, times, there)
    if error is None:
        notes.append("steps do not end")
        return
    notes.append("compared with steps")
    allowed = 10.0 * case.t_end / STEPS * fastest
    found.judge("differs from steps", error, allowed, times, "coordinate")

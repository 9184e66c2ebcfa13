"""Time-stepping of spatial bodies with shapes.

They are dropped, in a trough, stacked, in piles and on chains, with mass ratios up to a million.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from tests.campaign.case import Case, generator
from tests.campaign.findings import Findings
from tests.campaign.scenes import KINDS, G, Scene, draw_kind, draw_law, quaternion
from tests.campaign.step_check import check_stepped
from tests.campaign.watched import look_watched_in_steps

Array = NDArray[np.float64]
Generator = np.random.Generator
STEPS = (40, 200)


def make(seed: int) -> Case:
    rng = generator("stepped", seed)
    recipes = {drop: 0.3, trough: 0.2, stack: 0.2, pile: 0.1, chain: 0.2}
    recipe = list(recipes)[int(rng.choice(len(recipes), p=list(recipes.values())))]
    scene = Scene(rng, np.array([0.0, 0.0, -G]))
    size = float(10.0 ** rng.uniform(-2, 0.5))
    recipe(scene, rng, size)
    scene.tags.insert(0, recipe.__name__)
    e_N = float(rng.choice([0.0, rng.uniform(0, 1), 1.0], p=[0.45, 0.45, 0.1]))
    materials = sorted({shape["material"] for shape in scene.shapes})
    for i, first in enumerate(materials):
        for second in materials[i:]:
            scene.law((first, second), draw_law(rng, e_N, size))
    # Steps of a hundredth to a fifth of the time in which a body falls by its own size.
    fall = np.sqrt(2.0 * size / G)
    # Few binary digits, so that k steps have no rounding error and samples are ends of steps.
    mantissa, exponent = np.frexp(fall * 10.0 ** rng.uniform(-2.0, -0.7))
    method: dict[str, Any] = {
        "step": float(np.ldexp(np.round(mantissa * 1024.0) / 1024.0, exponent)),
        "start_tolerance": 1e9,
        "impact_law": "moreau",
    }
    if rng.random() < 0.3:
        method["tol"] = float(rng.choice([1e-6, 1e-10]))
    n = int(rng.integers(*STEPS))
    if recipe is pile:
        n = n // 3 + 10
    return Case(
        "stepped", seed, scene.source(), n * method["step"], None, None, method, scene.spec(),
        tuple(scene.tags), method_type="Midpoint",
    )  # fmt: skip


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    check_stepped(case, system, found, notes)
    if case.seed % 3 == 0:
        notes.append("watched")
        look_watched_in_steps(case, system, found)
    if case.seed % 3 == 1:
        notes.append("copied")
        look_copied(case, system, found)


def look_copied(case: Case, system: Any, found: Findings) -> None:
    """Check that a copy continues bitwise identically to the original run."""
    with nsmb.Simulator(system, nsmb.Midpoint(**case.method), output_step=0.0) as simulator:
        simulator.advance(0.5 * case.t_end)
        copy = simulator.copy()
        for each in (simulator, copy):
            each.advance(case.t_end)
        for name in ("q", "u"):
            apart = np.abs(getattr(simulator, name) - getattr(copy, name)).max()
            found.judge(f"copied: {name}", apart, 0.0, case.t_end)


def masses(rng: Generator, n: int, scene: Scene) -> Array:
    if rng.random() < 0.3:
        scene.tags.append("mass ratios")
        return np.asarray(10.0 ** rng.uniform(-3, 3, n))
    return np.asarray(10.0 ** rng.uniform(-0.5, 0.5, n))


def velocity(rng: Generator, size: float) -> Array:
    """Draw the velocity of a body of this size, in m/s and rad/s."""
    speed = np.sqrt(G * size)
    parts = np.concatenate([rng.normal(size=3) * speed, rng.normal(size=3) * speed / size])
    return np.asarray(parts * (rng.random() < 0.7))


def drop(scene: Scene, rng: Generator, size: float) -> None:
    """Add one to four bodies over one floor or two."""
    scene.half_space(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    if rng.random() < 0.4:
        scene.tags.append("slope")
        scene.half_space(np.zeros(3), np.array([*rng.uniform(-0.7, 0.7, 2), 1.0]), "b")
    if rng.random() < 0.3:
        scene.body(f"Box([{20 * size!r}, {20 * size!r}, {size!r}])", 15 * size, 100.0,
                   np.array([0, 0, 0.6 * size, 1, 0, 0, 0]), np.zeros(6), material="b")  # fmt: skip
        scene.tags.append("slab")
    crowd(scene, rng, size, int(rng.integers(1, 5)), 2)


def trough(scene: Scene, rng: Generator, size: float) -> None:
    """Add bodies between walls that lean outwards."""
    turn = rng.uniform(0, 2 * np.pi)
    walls = int(rng.integers(3, 6))
    for k in range(walls):
        angle = turn + 2 * np.pi * k / walls
        normal = np.array([np.cos(angle), np.sin(angle), rng.uniform(0.3, 1.5)])
        scene.half_space(-normal * size * rng.uniform(0.2, 1.0), normal, "ab"[k % 2])
    crowd(scene, rng, size, int(rng.integers(2, 7)), 2)


def pile(scene: Scene, rng: Generator, size: float) -> None:
    scene.half_space(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    crowd(scene, rng, size, int(rng.integers(8, 25)), 3)


def crowd(scene: Scene, rng: Generator, size: float, n: int, across: int) -> None:
    """Add bodies side by side and above one another, without overlaps."""
    kinds = KINDS if rng.random() < 0.7 else (KINDS[int(rng.integers(len(KINDS)))],)
    for k, mass in enumerate(masses(rng, n, scene)):
        own = size * float(rng.choice([1.0, rng.uniform(0.3, 1.0)]))
        shape, reach = draw_kind(rng, kinds[int(rng.integers(len(kinds)))], own)
        place = 2.8 * size * np.array([k % across, (k // across) % across, k // across**2])
        place += rng.uniform(-0.1, 0.1, 3) * size
        place[2] += (3.0 + across) * size
        center = rng.normal(size=3) * 0.1 * reach * (rng.random() < 0.2)
        q = np.concatenate([place, quaternion(rng)])
        u = velocity(rng, size)
        u[2] -= np.sqrt(G * size) * rng.uniform(1.0, 6.0)
        material = "ab"[int(rng.random() < 0.3)]
        scene.body(shape, reach, float(mass), q, u, material=material, center=center)


def stack(scene: Scene, rng: Generator, size: float) -> None:
    """Add a stack of boxes and cylinders, at rest or nearly so, or a table on many legs."""
    scene.half_space(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    n = int(rng.integers(1, 7))
    z = 0.0
    slack = float(rng.choice([0.0, 1e-3 * size]))
    level = masses(rng, n, scene)
    if rng.random() < 0.3:
        scene.tags.append("table")
        return table(scene, rng, size, float(level[0]))
    for k in range(n):
        w, d, h = size * rng.uniform(0.5, 1.0, 3)
        is_round = rng.random() < 0.3
        shape = f"Cylinder({w!r}, {h!r})" if is_round else f"Box([{2 * w!r}, {2 * d!r}, {h!r}])"
        place = np.array([*(rng.uniform(-0.2, 0.2, 2) * size), z + 0.5 * h + slack])
        angle = 0.5 * rng.uniform(0, 2 * np.pi) * (rng.random() < 0.6)
        turn = np.array([np.cos(angle), 0.0, 0.0, np.sin(angle)])
        m = float(level[k])
        box = np.diag([4 * d * d + h * h, 4 * w * w + h * h, 4 * (w * w + d * d)]) * m / 12.0
        u = velocity(rng, 0.1 * size) * (rng.random() < 0.3)
        scene.body(shape, size, m, np.concatenate([place, turn]), u, inertia=box,
                   material="ab"[k % 2])  # fmt: skip
        z += h + slack
    return None


def table(scene: Scene, rng: Generator, size: float, mass: float) -> None:
    """Add a plate on a ring of coplanar points, with more feet than equilibrium determines."""
    feet = int(rng.integers(5, 12))
    angle = np.sort(rng.uniform(0, 2 * np.pi, feet))
    ring = size * np.column_stack([np.cos(angle), np.sin(angle)])
    ring = np.vstack([ring, size * np.array([[1.0, 0.1], [-1.0, 0.2], [0.3, -1.0]])])
    low = np.column_stack([ring, np.full(len(ring), -0.2 * size)])
    points = np.vstack([low, 0.8 * low * [1.0, 1.0, -1.0]])
    q = np.array([0.0, 0.0, 0.2 * size, 1.0, 0.0, 0.0, 0.0])
    scene.body(f"ConvexHull({points.tolist()!r})", size, mass, q, np.zeros(6))
    for _ in range(int(rng.integers(0, 3))):
        shape, reach = draw_kind(rng, "Sphere", 0.4 * size)
        where = np.array([*rng.uniform(-0.5, 0.5, 2) * size, 0.36 * size + reach])
        scene.body(shape, reach, mass * float(10 ** rng.uniform(-1, 1)),
                   np.concatenate([where, quaternion(rng)]), np.zeros(6))  # fmt: skip


def chain(scene: Scene, rng: Generator, size: float) -> None:
    """Add a chain of links over a floor, whose first link is free or on the ground."""
    scene.half_space(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    level = masses(rng, int(rng.integers(2, 6)), scene)
    parent = -1
    at = np.array([0.0, 0.0, 2.5 * size])
    if rng.random() < 0.5:
        shape, reach = draw_kind(rng, "Box", size)
        q = np.concatenate([at, quaternion(rng)])
        scene.body(shape, reach, float(level[0]), q, velocity(rng, size))
        parent, at = 0, np.array([0.0, 0.0, 0.6 * size])
    for mass in level[1:]:
        shape, reach = draw_kind(rng, str(rng.choice(["Capsule", "Sphere", "Box"])), 0.5 * size)
        joint = str(rng.choice(["spherical", "revolute"]))
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        source = "Spherical()" if joint == "spherical" else f"Revolute({axis.tolist()!r})"
        arm = rng.normal(size=3)
        arm *= 0.7 * size / np.linalg.norm(arm)
        scene.jointed(joint, source, parent, at, shape, reach, float(mass), arm)
        parent, at = len(scene.bodies) - 1, 1.6 * arm
        for other in range(len(scene.bodies) - 1):  # links overlap at the start
            scene.lines.append(f"m.let_pass(b{other}, b{len(scene.bodies) - 1})")
    scene.tags.append("tree")
    shape, reach = draw_kind(rng, "Sphere", size)
    where = np.array([0.0, 0.0, 9.0 * size, *quaternion(rng)])
    scene.body(shape, reach, 1.0, where, np.array([0, 0, -8.0 * np.sqrt(size), 0, 0, 0]))

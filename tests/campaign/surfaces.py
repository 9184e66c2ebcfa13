"""Event-driven runs of pairs of shapes with specialised contact points.

Checks are time-stepping, a tighter tolerance and conservation laws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import Case, code, generator, law_code
from tests.campaign.findings import Findings
from tests.campaign.scenes import G, draw_resistance, quaternion, rotation

Array = NDArray[np.float64]
Generator = np.random.Generator
STEPS = 4000  # number of steps with time-stepping
RTOL = 1e-9


def make(seed: int) -> Case:
    rng = generator("surfaces", seed)
    size, mass = float(rng.uniform(0.05, 0.5)), float(10 ** rng.uniform(-1, 1))
    e_N = float(rng.choice([0.0, rng.uniform(0.1, 0.9)]))
    law = law_code(
        {"mu": float(rng.choice([0.0, 0.3, 0.8])), "e_N": e_N}
        | draw_resistance(rng.spawn(1)[0], size)
    )
    recipes = [on_plane, on_plane, on_round, in_round]
    recipe = recipes[int(rng.integers(len(recipes)))]
    lines, q, reach = recipe(rng, size)
    inertia = np.diag(mass * size**2 * rng.uniform(0.2, 0.4, 3))
    if "Sphere" in lines[-1]:
        inertia = 0.4 * mass * size**2 * np.eye(3)
    gravity = np.array([0.0, 0.0, -G])
    speed = np.sqrt(G * size)
    u = np.concatenate([rng.normal(size=3) * 0.5 * speed, rng.normal(size=3) * speed / size])
    build = "\n".join([
        f"m = nsmb.Model(gravity={code(tuple(gravity))})", "s = nsmb.geometry",
        f"b = m.add_body('b', mass={mass!r}, inertia={code(inertia)})",
        "m.add_joint('j', nsmb.joints.Free(), m.ground, b)", *lines,
        f"m.add_contact(g, c, {law}{reach})",
        f"system = m.build({{'j': {code(q)}}}, {{'j': {code(u)}}})",
    ]) + "\n"  # fmt: skip
    fall = float(np.sqrt(2.0 * size / G))
    spec = {"mass": mass, "inertia": inertia, "gravity": gravity, "size": size, "e_N": e_N,
            "kind": recipe.__name__}  # fmt: skip
    method = {"impact_law": "moreau", "rtol": RTOL, "max_events": 5_000}
    return Case("surfaces", seed, build, 2.0 * fall, None, None, method, spec, (recipe.__name__,))


def ball(size: float) -> str:
    return f"c = b.shape('c', s.Sphere({size!r}))"


def on_plane(rng: Generator, size: float) -> tuple[list[str], Array, str]:
    """Draw a sphere, corners, rims or capsule ends over a plane that may be inclined."""
    a, b, c = size * rng.uniform(0.5, 1.5, 3)
    points = rng.normal(size=(8, 3)) * size
    shape = rng.choice([
        f"Sphere({size!r})", f"Box({code([a, b, c])})", f"Capsule({code(a)}, {code(b)})",
        f"Cylinder({code(a)}, {code(b)})", f"ConvexHull({code(points)})",
    ])  # fmt: skip
    tilt = rng.uniform(-0.4, 0.4) * (rng.random() < 0.5)
    axes = rotation(np.array([np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0]))
    lines = [
        f"g = m.ground.shape('g', s.HalfSpace(), nsmb.geometry.Frame((0, 0, 0), {code(axes)}))",
        f"c = b.shape('c', s.{shape})",
    ]
    height = size * rng.uniform(3.0, 4.0) if "Hull" not in str(shape) else size * 5.0
    return lines, np.array([0.0, 0.0, height, *quaternion(rng)]), ""


def on_round(rng: Generator, size: float) -> tuple[list[str], Array, str]:
    """Draw a ball on a ball or on a horizontal cylinder."""
    R = size * rng.uniform(1.0, 4.0)
    lying = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
    shape = f"Sphere({R!r})" if rng.random() < 0.5 else f"Cylinder({R!r}, 100.0)"
    frame = f"nsmb.geometry.Frame((0, 0, 0), {lying!r})"
    place = np.array([*(rng.uniform(-0.3, 0.3, 2) * R), R + size * rng.uniform(1.5, 2.5)])
    lines = [f"g = m.ground.shape('g', s.{shape}, {frame})", ball(size)]
    return lines, np.concatenate([place, quaternion(rng)]), ""


def in_round(rng: Generator, size: float) -> tuple[list[str], Array, str]:
    """Draw a ball in a hollow ball or in a horizontal tube."""
    R = size * rng.uniform(3.0, 8.0)
    lying = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
    shape = f"Sphere({R!r})" if rng.random() < 0.5 else f"Cylinder({R!r}, 100.0)"
    frame = f"nsmb.geometry.Frame((0, 0, 0), {lying!r})"
    place = rng.uniform(-0.3, 0.3, 3) * R
    lines = [f"g = m.ground.shape('g', s.{shape}, {frame})", ball(size)]
    return lines, np.concatenate([place, quaternion(rng)]), ", inside=True"


def energy(spec: dict[str, Any], q: Array, u: Array) -> Array:
    """Return the energy of the free body from its numbers, shape (n,)."""
    kinetic = 0.5 * spec["mass"] * (u[:, :3] ** 2).sum(axis=1)
    kinetic += 0.5 * np.einsum("ni,ij,nj->n", u[:, 3:], spec["inertia"], u[:, 3:])
    return np.asarray(kinetic - spec["mass"] * q[:, :3] @ spec["gravity"])


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    sol = case.run(system)
    if not sol.success:
        notes.append(f"ended: {sol.status}")
        return
    spec = case.spec
    total = energy(spec, sol.q, sol.u)
    turned = float(np.ptp(total)) + np.abs(total[0]) + spec["mass"] * G * spec["size"]
    found.judge("energy is gained", np.diff(total), 1e-7 * turned, sol.t[1:])
    gaps = np.array([system.contact_kinematics(t, q, u)["g_N"]
                     for t, q, u in zip(sol.t, sol.q, sol.u, strict=True)])  # fmt: skip
    found.judge("penetration", -np.nan_to_num(gaps), 1e-6 * spec["size"], sol.t)
    strikes = sol.events[sol.events.kind == 0]
    end = float(strikes.t[1]) if len(strikes) > 1 else case.t_end
    # Up to the second impact, small errors of the first one have not grown.
    times = np.linspace(0.0, 0.98 * end, 40)
    finer = case.run(system, rtol=1e-2 * RTOL)
    there = sol.at(times).q
    if finer.success:
        error = np.abs(finer.at(times).q - there)[:, :3]
        found.judge("depends on rtol", error, 1e-5 * spec["size"], times, "coordinate")
    # Time-stepping does not resolve the time of an impact within a step, nor the motion after it.
    fastest = float(np.linalg.norm(sol.u[:, :3], axis=1).max())
    spin = float(np.linalg.norm(sol.u[:, 3:], axis=1).max()) * spec["size"]
    allowed = 10.0 * case.t_end / STEPS * (fastest + spin)
    error = beside_steps(case, system, STEPS, times, there)
    if error is None:
        notes.append("steps do not end")
        return
    notes.append("compared with steps")
    if error.max() > allowed:
        # Where motions diverge, errors of an impact grow. Then first order is required within a
        # factor of two.
        finer_steps = beside_steps(case, system, 4 * STEPS, times, there)
        if finer_steps is not None:
            notes.append("compared with finer steps")
            error, allowed = finer_steps, max(allowed, 0.5 * float(error.max()))
    found.judge("differs from steps", error, allowed, times, "coordinate")


def beside_steps(case: Case, system: Any, steps: int, times: Array, there: Array) -> Array | None:
    """Return differences from the positions `there` of a run with `steps` steps, shape (n, 3).

    None if the run fails.
    """
    import nsmb

    method = nsmb.Midpoint(case.t_end / steps)
    run = nsmb.simulate(system, case.t_end, method=method, progress=False, throw=False)
    return np.abs(run.at(times).q - there)[:, :3] if run.success else None

"""Pairs of closed meshes with an elastic layer between them, in every variant.

Wrenches at random poses are compared with `areal_truth.py` and their symmetries. There are also
free impacts and meshes that must be rejected.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign import areal_check
from tests.campaign.case import Case, code, generator
from tests.campaign.findings import Findings
from tests.campaign.scenes import quaternion, rotation

Array = NDArray[np.float64]
Generator = np.random.Generator
Spec = dict[str, Any]
PREAMBLE = """from nsmb.geometry import TriangleMesh
from tests.campaign.areal import cylinder
from tests.geometry.mesh_zoo import box_mesh, icosphere, potato, torus

"""
CONVEX = ("ball", "ellipsoid", "box", "cylinder")


def cylinder(sectors: int, rings: int) -> tuple[Array, NDArray[np.int64]]:
    """Return a cylinder of radius 1 and height 2, with a fan at both ends."""
    angle = 2.0 * np.pi * np.arange(sectors) / sectors
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(sectors)], axis=1)
    heights = np.linspace(-1.0, 1.0, rings + 1)
    x = np.vstack([*(ring + np.array([0.0, 0.0, z]) for z in heights), [(0, 0, -1), (0, 0, 1)]])
    faces, bottom = [], sectors * (rings + 1)
    for i in range(sectors):
        k = (i + 1) % sectors
        for row in range(rings):
            a, b = row * sectors, (row + 1) * sectors
            faces += [(a + i, a + k, b + k), (a + i, b + k, b + i)]
        top = rings * sectors
        faces += [(bottom, k, i), (bottom + 1, top + i, top + k)]
    return x, np.array(faces)


def draw_mesh(rng: Generator) -> Spec:
    """Draw the source of vertices and faces of a mesh of size about 1."""
    kind = str(rng.choice(["ball", "ellipsoid", "box", "cylinder", "potato", "torus"],
                          p=[0.2, 0.2, 0.2, 0.15, 0.2, 0.05]))  # fmt: skip
    scale = rng.uniform(0.6, 1.4, 3)
    text = {
        "ball": f"icosphere({rng.integers(1, 4)})", "ellipsoid": f"icosphere({rng.integers(1, 4)})",
        "box": f"box_mesh((2.0, 2.0, 2.0), {rng.integers(1, 5)})",
        "cylinder": f"cylinder({rng.integers(6, 25)}, {rng.integers(1, 5)})",
        "potato": f"potato({rng.integers(1, 4)}, {rng.integers(1000)}, {rng.uniform(0.02, 0.2)!r})",
        "torus": f"torus(0.8, 0.3, {rng.integers(6, 13)})",
    }[kind]  # fmt: skip
    if kind in ("ball", "torus", "potato"):
        scale = np.full(3, scale[0])
    return {"kind": kind, "text": text, "scale": scale.tolist()}


def built(mesh: Spec) -> tuple[Array, NDArray[np.int64]]:
    scope: dict[str, Any] = {}
    exec(PREAMBLE, scope)
    x, faces = eval(mesh["text"], scope)
    return x * np.array(mesh["scale"]), faces


def source(mesh: Spec) -> str:
    return f"(lambda g: TriangleMesh(g[0] * {mesh['scale']!r}, g[1]))({mesh['text']})"


def make(seed: int) -> Case:
    rng = generator("areal", seed)
    while True:
        try:
            return draw(seed, rng)
        except ValueError as error:
            if "too sharp" not in str(error):  # spikes too thin for a layer
                raise


def draw(seed: int, rng: Generator) -> Case:
    meshes = [draw_mesh(rng) for _ in range(2)]
    elements = "clipped" if rng.random() < 0.75 else "barycentre"
    base = str(rng.choice(["both", "both", "first", "second"]))
    law = {"stiffness": 1.0, "damping": 0.0, "transition_depth": 0.0, "mu": 0.0,
           "switch_velocity": float(10.0 ** rng.uniform(-3.0, -1.0))}  # fmt: skip
    depth = float(rng.choice([0.0, rng.uniform(0.05, 0.2)]))
    shapes = [built(mesh) for mesh in meshes]
    along = rng.normal(size=3)
    along /= np.linalg.norm(along)
    turns = [rotation(quaternion(rng)) for _ in range(2)]
    if rng.random() < 0.15:
        turns = [np.eye(3), np.eye(3)]  # aligned edges and faces
        along = np.eye(3)[int(rng.integers(3))]
    apart = reach(shapes, turns, along, base, depth)
    masses = [float(10.0 ** rng.uniform(-0.5, 0.5)) for _ in range(2)]
    speed, inertias = float(rng.uniform(0.3, 3.0)), []
    for mass in masses:
        inertias.append((mass * rng.uniform(0.2, 0.4, 3)).tolist())
    # A ball would penetrate by `deep`.
    deep, together = float(rng.uniform(0.01, 0.04)), 1.0 / sum(1.0 / mass for mass in masses)
    law["stiffness"] = 1.5 * together * speed**2 / np.pi / deep**3
    duration = deep / speed
    if rng.random() < 0.4:
        law["damping"] = law["stiffness"] * duration * float(rng.uniform(0.05, 0.5))
        law["transition_depth"] = float(rng.choice([0.0, 0.1 * deep]))
    if rng.random() < 0.5:
        law["mu"] = float(rng.uniform(0.05, 1.0))
    poses = [[0.0, 0.0, 0.0], (along * (apart + 0.5 * deep)).tolist()]
    spins = [(0.3 * speed * rng.normal(size=3)).tolist() for _ in range(2)]
    drift = rng.normal(size=3) * speed
    rates = [(drift + v * along + 0.1 * speed * rng.normal(size=3)).tolist()
             for v in (0.0, -speed)]  # fmt: skip
    spec: Spec = {
        "meshes": meshes, "elements": elements, "base": base, "law": law, "depth": depth,
        "apart": apart, "along": along.tolist(), "turns": [A.tolist() for A in turns],
        "deep": deep, "masses": masses, "inertias": inertias,
        "rates": [[*v, *w] for v, w in zip(rates, spins, strict=True)],
    }  # fmt: skip
    initial = {f"j{k}": [*poses[k], *quaternion_of(turns[k])] for k in range(2)}
    velocities = {f"j{k}": spec["rates"][k] for k in range(2)}
    lines = ["m = nsmb.Model(gravity=(0.0, 0.0, 0.0))", "b, s = [], []"]
    for k, mesh in enumerate(meshes):
        lines += [
            f"b.append(m.add_body('b{k}', mass={masses[k]!r}, inertia={tuple(inertias[k])!r}))",
            f"m.add_joint('j{k}', nsmb.joints.Free(), m.ground, b[{k}])",
            f"s.append({source(mesh)})",
        ]
    given = ", ".join(f"{k}={v!r}" for k, v in {**law, "elements": elements, "base": base,
                                                "depth": depth}.items())  # fmt: skip
    lines += [
        f"m.add_elastic_foundation('layer', b[0], s[0], b[1], s[1], {given})",
        f"system = m.build(initial={code(initial)}, velocities={code(velocities)})",
    ]
    method = {"rtol": float(rng.choice([1e-7, 1e-8, 1e-9])), "max_events": 1000}
    tags = (*(mesh["kind"] for mesh in meshes), elements, base)
    return Case(
        "areal", seed, "\n".join(lines) + "\n", 8.0 * duration, None, None, method, spec, tags,
        preamble=PREAMBLE,
    )  # fmt: skip


def quaternion_of(A: Array) -> list[float]:
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(A).as_quat()
    return [float(w), float(x), float(y), float(z)]


def reach(shapes: Any, turns: list[Array], along: Array, base: str, depth: float) -> float:
    """Return the distance of the origins along a direction when the surfaces first touch.

    It is searched inwards from the touch of the hulls.
    """
    from nsmb.geometry import TriangleMesh
    from nsmb.multibody.areal import FoundationForce

    ends = [
        (x @ A.T @ along) * sign for (x, _), A, sign in zip(shapes, turns, (1, -1), strict=True)
    ]
    law = dict.fromkeys(("damping", "transition_depth", "mu"), 0.0)
    law |= {"stiffness": 1.0, "switch_velocity": 1.0}
    surfaces = TriangleMesh(*shapes[0]), TriangleMesh(*shapes[1])
    layer = FoundationForce(surfaces, depth, law, ("clipped", base, "barycentric"))
    none, still = [np.zeros(0)] * 2, [np.zeros(3)] * 2

    def is_touching(apart: float) -> bool:
        places = [np.zeros(3), apart * along]
        return layer.contact(places, turns, still, still, none, none).active > 0

    apart = float(ends[0].max() + ends[1].max())
    for _ in range(60):
        if is_touching(apart):
            break
        apart -= 0.04
    low, high = apart, apart + 0.04
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_touching(middle) else (low, middle)
    return high


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    areal_check.at_poses(case, found, notes)
    areal_check.of_an_impact(case, system, found, notes)
    areal_check.of_what_deforms(case, found, notes)
    areal_check.refusals(case, found, notes)

"""Random scenes of spatial bodies with shapes, as source code and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import code, law_code

Array = NDArray[np.float64]
Generator = np.random.Generator
G = 9.81
FRICTION = (0.0, 0.1, 0.3, 0.6, 1.0, 2.0)
KINDS = ("Sphere", "Box", "Capsule", "Cylinder", "ConvexHull")


def quaternion(rng: Generator) -> Array:
    p = rng.normal(size=4)
    return np.asarray(p / np.linalg.norm(p))


def rotation(p: Array) -> Array:
    """Return the axes of a frame rotated by a unit quaternion (w, x, y, z)."""
    w, v = p[0], p[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)


def draw_kind(rng: Generator, kind: str, size: float) -> tuple[str, float]:
    """Return the source of a shape, and the largest distance of its points from its origin."""
    a, b, c = size * rng.uniform(0.3, 1.0, 3)
    if rng.random() < 0.1:  # plates and rods
        a *= 0.1
    if kind == "Sphere":
        return f"Sphere({code(a)})", a
    if kind == "Capsule":
        return f"Capsule({code(a)}, {code(b)})", a + 0.5 * b
    if kind == "Cylinder":
        return f"Cylinder({code(a)}, {code(b)})", float(np.hypot(a, 0.5 * b))
    if kind == "Box":
        half = 0.5 * np.array([a, b, c])
        return f"Box({code(2 * half)})", float(np.linalg.norm(half))
    points = rng.normal(size=(int(rng.integers(5, 14)), 3)) * [a, b, c] * 0.5
    return f"ConvexHull({code(points)})", float(np.linalg.norm(points, axis=1).max())


def draw_inertia(rng: Generator, mass: float, reach: float) -> Array:
    """Draw the inertia of point masses around the centre."""
    x = rng.normal(size=(12, 3)) * reach * 0.35
    x -= x.mean(axis=0)
    second = x.T @ x * mass / len(x)
    return np.asarray(np.trace(second) * np.eye(3) - second)


class Scene:
    """Bodies, joints and shapes. `lines` build them, the other attributes serve the checks."""

    def __init__(self, rng: Generator, gravity: Array) -> None:
        self.rng, self.gravity = rng, gravity
        self.lines = [f"m = nsmb.Model(gravity={code(tuple(gravity))})", "s = nsmb.geometry"]
        self.bodies: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []
        self.laws: dict[tuple[str, str], dict[str, float]] = {}
        self.initial: dict[str, list[float]] = {}
        self.velocities: dict[str, list[float]] = {}
        self.tags: list[str] = []

    def half_space(self, point: Array, normal: Array, material: str = "a") -> None:
        k = len(self.shapes)
        n = normal / np.linalg.norm(normal)
        side = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        side /= np.linalg.norm(side)
        A = np.column_stack([side, np.cross(n, side), n])
        self.lines.append(
            f"m.ground.shape('g{k}', s.HalfSpace(), nsmb.geometry.Frame({code(point)}, {code(A)}), "
            f"material={material!r})"
        )
        self.shapes.append({"body": -1, "material": material})

    def body(
        self, shape: str, reach: float, mass: float, q: Array, u: Array, *, material: str = "a",
        center: Array | None = None, inertia: Array | None = None,
    ) -> None:  # fmt: skip
        """Add a body on a free joint."""
        k = len(self.bodies)
        J = draw_inertia(self.rng, mass, reach) if inertia is None else inertia
        c = np.zeros(3) if center is None else center
        self.lines += [
            f"b{k} = m.add_body('b{k}', mass={mass!r}, inertia={code(J)}, center={code(c)})",
            f"m.add_joint('j{k}', nsmb.joints.Free(), m.ground, b{k})",
            f"b{k}.shape('s', s.{shape}, material={material!r})",
        ]
        self.shapes.append({"body": k, "material": material})
        self.bodies.append({"mass": mass, "inertia": J, "center": c, "joint": "free"})
        self.initial[f"j{k}"] = [float(v) for v in q]
        self.velocities[f"j{k}"] = [float(v) for v in u]

    def jointed(
        self, joint: str, source: str, parent: int, at: Array, shape: str, reach: float,
        mass: float, offset: Array, *, material: str = "a",
    ) -> None:  # fmt: skip
        """Add a body on a joint with one or three velocities, to an earlier body or the ground."""
        k = len(self.bodies)
        J = draw_inertia(self.rng, mass, reach)
        base = "m.ground" if parent < 0 else f"b{parent}"
        self.lines += [
            f"b{k} = m.add_body('b{k}', mass={mass!r}, inertia={code(J)}, center={code(offset)})",
            f"m.add_joint('j{k}', nsmb.joints.{source}, {base}, b{k}, at={code(at)})",
            f"b{k}.shape('s', s.{shape}, {code(offset)}, material={material!r})",
        ]
        self.shapes.append({"body": k, "material": material})
        self.bodies.append({"mass": mass, "inertia": J, "center": offset, "joint": joint})

    def law(self, materials: tuple[str, str], law: dict[str, float]) -> None:
        first, second = sorted(materials)
        self.lines.append(f"m.collide({law_code(law)}, ({first!r}, {second!r}))")
        self.laws[first, second] = law

    def source(self) -> str:
        start = f"{code(self.initial)}, {code(self.velocities)}"
        return "\n".join([*self.lines, f"system = m.build({start}, penetration=np.inf)"]) + "\n"

    def spec(self) -> dict[str, Any]:
        return {
            "gravity": self.gravity, "bodies": self.bodies, "shapes": self.shapes,
            "laws": self.laws,
        }  # fmt: skip


def draw_law(rng: Generator, e_N: float, size: float) -> dict[str, float]:
    law = {"mu": float(rng.choice(FRICTION)), "e_N": e_N}
    if rng.random() < 0.15 and e_N:
        law["e_T"] = float(rng.uniform(0.0, 1.0))
    return law | draw_resistance(rng, size)


def draw_resistance(rng: Generator, size: float) -> dict[str, float]:
    """Draw resistance to rolling and to drilling, each in a quarter of the cases."""
    law = {}
    for name in ("mu_R", "mu_D"):
        if rng.random() < 0.25:
            law[name] = float(rng.choice([1e-3, 0.05, 0.2]) * size)
    return law

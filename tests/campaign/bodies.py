"""Random planar bodies of `nsmb.Model`.

Boxes, discs, polygons and rods are dropped, placed side by side, stacked, or put in boxes and on
belts. There are also chains, linkages, wheels, beams and shafts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign import actuated, elastic
from tests.campaign.case import (
    FAMILIES,
    Case,
    code,
    draw_friction,
    draw_method,
    draw_restitution,
    generator,
    law_code,
)

Array = NDArray[np.float64]
Generator = np.random.Generator
G = 9.81
# Number of events that fit into the processor time of a run. Runs with more are repeated with more
# time.
MOST_EVENTS = 10_000


def box(w: float, h: float) -> Array:
    return 0.5 * np.array([(-w, -h), (w, -h), (w, h), (-w, h)])


def draw_outline(rng: Generator, kind: str) -> Array | float:
    """Draw corners around the centre of mass, counter-clockwise, or the radius of a disc."""
    size = float(rng.choice([0.05, 0.1, 0.2]))
    if kind == "disc":
        return size
    if kind == "box":
        return box(2 * size, size * float(rng.choice([1.0, 2.0, rng.uniform(0.5, 3.0)])))
    if kind == "rod":
        return box(8 * size, 0.1 * size)
    if kind == "convex":
        n = int(rng.integers(3, 8))
        angle = np.sort(rng.uniform(0, 2 * np.pi, n) if n > 4 else 2 * np.pi * np.arange(n) / n)
        while (
            np.max(np.diff(angle, append=angle[0] + 2 * np.pi)) > 0.9 * np.pi
            or np.min(np.diff(angle, append=angle[0] + 2 * np.pi)) < 0.2
        ):
            angle = np.sort(rng.uniform(0, 2 * np.pi, n))
        points = size * np.column_stack([np.cos(angle), 0.8 * np.sin(angle)])
    elif kind == "regular":
        n = int(rng.integers(3, 9))
        angle = 2 * np.pi * np.arange(n) / n
        points = size * np.column_stack([np.cos(angle), np.sin(angle)])
    else:  # not convex
        shapes = [
            [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)],
            [(0, 0), (4, 0), (4, 2), (3, 2), (3, 1), (1, 1), (1, 2), (0, 2)],
            [(0, 0), (4, 0), (2, 1), (4, 3), (0, 3)],
        ]
        points = 0.5 * size * np.array(shapes[int(rng.integers(3))], float)
    return points - centroid(points)[1]


def centroid(points: Array) -> tuple[float, Array, float]:
    """Return the area, the centroid and the polar moment of area about it."""
    x, y = points.T
    x1, y1 = np.roll(x, -1), np.roll(y, -1)
    cross = x * y1 - x1 * y
    area = float(cross.sum() / 2)
    center = np.array([((x + x1) * cross).sum(), ((y + y1) * cross).sum()]) / (6 * area)
    second = float((cross * (x * x + x * x1 + x1 * x1 + y * y + y * y1 + y1 * y1)).sum() / 12)
    return area, center, second - area * float(center @ center)


def inertia(outline: Array | float, mass: float) -> float:
    if isinstance(outline, float):
        return 0.5 * mass * outline**2
    area, _, polar = centroid(outline)
    return mass * polar / area


def radius(outline: Array | float) -> float:
    return outline if isinstance(outline, float) else float(np.linalg.norm(outline, axis=1).max())


def contour_code(outline: Array | float) -> str:
    if isinstance(outline, float):
        return f"nsmb.geometry.Circle({outline!r})"
    return f"nsmb.geometry.Polygon({code(outline)})"


# Systems of smaller seeds have no user-defined force elements.
FIRST_ACTUATED = 5_000
ELASTIC = 20, 7  # of the later seeds, every twentieth has elastic bodies


def make(seed: int) -> Case:
    if seed >= FIRST_ACTUATED and seed % ELASTIC[0] == ELASTIC[1]:
        other = np.random.default_rng([len(FAMILIES) + 1, seed])
        return elastic.draw(other, seed, draw_method(other, max_events=MOST_EVENTS))
    if seed >= FIRST_ACTUATED:
        other = np.random.default_rng([len(FAMILIES), seed])
        if other.random() < 0.5:
            return actuated.draw(other, seed, draw_method(other, max_events=MOST_EVENTS))
    rng = generator("bodies", seed)
    kinds = {drop: 0.25, beside: 0.2, crowd: 0.15, stack: 0.15, wheel: 0.07, chain: 0.1}
    kinds |= {linkage: 0.08}
    recipe = list(kinds)[int(rng.choice(len(kinds), p=list(kinds.values())))]
    case: Case = recipe(rng, seed)
    return case


class Scene:
    """A scene of free bodies over grounds that are half planes or polygons."""

    def __init__(self, rng: Generator, gravity: tuple[float, float] = (0.0, -G)) -> None:
        self.rng, self.gravity = rng, gravity
        self.lines = [f"m = nsmb.Model(gravity={gravity!r})"]
        self.grounds: list[dict[str, Any]] = []
        self.bodies: list[dict[str, Any]] = []
        self.pairs: list[dict[str, Any]] = []
        self.tags: list[str] = []
        self.belt = 0.0
        e = draw_restitution(rng)
        self.law = {"mu": draw_friction(rng), "e_N": e}
        self.one_law = rng.random() < 0.6

    def draw_law(self) -> dict[str, float]:
        if self.one_law:
            return self.law
        # One restitution for all, so that no Poisson impact creates energy (8.57).
        return {"mu": draw_friction(self.rng), "e_N": self.law["e_N"]}

    def floor(self, belt: float = 0.0) -> None:
        self.belt = belt
        if belt:
            self.tags.append("belt")
            self.lines += [
                "belt = m.add_body('belt', mass=1.0, inertia=0.1)",
                "m.add_joint('belt', nsmb.joints.Prismatic(axis=(1, 0, 0)), m.ground, belt, "
                f"motion=np.polynomial.Polynomial([0.0, {belt!r}]))",
                "g0 = belt.contour('floor', nsmb.geometry.Line())",
            ]
        elif self.rng.random() < 0.7:
            self.lines.append("g0 = m.ground.contour('floor', nsmb.geometry.Line())")
        else:
            slab = [(-20.0, -1.0), (20.0, -1.0), (20.0, 0.0), (-20.0, 0.0)]
            self.lines.append(f"g0 = m.ground.contour('floor', nsmb.geometry.Polygon({slab!r}))")
            self.tags.append("slab")
        self.grounds.append({"point": (0.0, 0.0), "normal": (0.0, 1.0), "speed": belt})

    def wall(self, x: float, side: int) -> None:
        k = len(self.grounds)
        line = f"nsmb.geometry.Line(point=({x!r}, 0), direction=(0, {-side}))"
        self.lines.append(f"g{k} = m.ground.contour('wall{k}', {line})")
        self.grounds.append({"point": (x, 0.0), "normal": (-float(side), 0.0), "speed": 0.0})

    def body(self, outline: Array | float, q: Any, u: Any) -> None:
        k = len(self.bodies)
        mass = float(self.rng.choice([1.0, np.round(10 ** self.rng.uniform(-1, 1), 2)]))
        J = inertia(outline, mass)
        self.lines += [
            f"b{k} = m.add_body('b{k}', mass={mass!r}, inertia={J!r})",
            f"m.add_joint('j{k}', nsmb.joints.Planar(), m.ground, b{k})",
            f"c{k} = b{k}.contour('c', {contour_code(outline)})",
        ]
        self.bodies.append({"outline": outline, "mass": mass, "inertia": J, "q": q, "u": u})
        for g in range(len(self.grounds)):
            self.contact(("g", g), ("b", k))

    def contact(self, first: tuple[str, int], second: tuple[str, int]) -> None:
        law = self.draw_law()
        names = [("g" if kind == "g" else "c") + str(k) for kind, k in (first, second)]
        name = f"{first[0]}{first[1]}-{second[0]}{second[1]}"
        self.lines.append(f"m.add_contact({names[0]}, {names[1]}, {law_code(law)}, name={name!r})")
        self.pairs.append({"first": first, "second": second, "law": law})

    def all_pairs(self) -> None:
        for i in range(len(self.bodies)):
            for j in range(i):
                self.contact(("b", j), ("b", i))

    def case(self, seed: int, t_end: float) -> Case:
        start = {f"j{k}": [float(v) for v in b["q"]] for k, b in enumerate(self.bodies)}
        speeds = {f"j{k}": [float(v) for v in b["u"]] for k, b in enumerate(self.bodies)}
        self.lines.append(f"system = m.build({code(start)}, {code(speeds)})")
        spec = {
            "kind": "free", "grounds": self.grounds, "bodies": self.bodies, "pairs": self.pairs,
            "gravity": self.gravity, "belt": self.belt,
        }  # fmt: skip
        method = draw_method(self.rng, max_events=MOST_EVENTS)
        build = "\n".join(self.lines) + "\n"
        return Case("bodies", seed, build, t_end, None, None, method, spec, tuple(self.tags))


def drop(rng: Generator, seed: int) -> Case:
    s = Scene(rng)
    kind = str(rng.choice(["box", "disc", "convex", "regular", "concave", "rod"]))
    s.tags += ["drop", kind]
    s.floor(float(rng.uniform(-2, 2)) if rng.random() < 0.2 else 0.0)
    outline = draw_outline(rng, kind)
    if rng.random() < 0.3:
        room = 0.3 + radius(outline)
        s.wall(-room, -1)
        s.wall(room, 1)
        s.tags.append("walls")
    height = radius(outline) + float(rng.choice([0.0, rng.uniform(0, 0.6)], p=[0.1, 0.9]))
    phi = float(rng.choice([0.0, rng.uniform(-3, 3)], p=[0.2, 0.8]))
    u = np.zeros(3) if rng.random() < 0.3 else rng.uniform(-1, 1, 3) * [2.0, 1.0, 6.0]
    s.body(outline, [0.0, height, phi], u)
    return s.case(seed, float(np.round(rng.uniform(0.3, 1.5), 3)))


def flat_height(outline: Array | float) -> float:
    return outline if isinstance(outline, float) else float(-outline[:, 1].min())


def beside(rng: Generator, seed: int) -> Case:
    """Draw bodies that slide against one another on a floor, with equal heights or not."""
    s = Scene(rng)
    s.tags.append("beside")
    s.floor(float(rng.uniform(-1, 1)) if rng.random() < 0.2 else 0.0)
    n, x = int(rng.integers(2, 4)), 0.0
    same = draw_outline(rng, "box") if rng.random() < 0.4 else None
    for _ in range(n):
        kind = str(
            rng.choice(["box", "disc", "concave", "regular", "convex"], p=[0.5, 0.2, 0.1, 0.1, 0.1])
        )
        outline = same if same is not None else draw_outline(rng, kind)
        s.tags.append(kind if same is None else "same box")
        r = radius(outline)
        x += r + float(rng.uniform(0.0, 0.3))
        u = [float(rng.uniform(-2, 2)) * (rng.random() < 0.7), 0.0, 0.0]
        s.body(outline, [x, flat_height(outline) + 0.0, 0.0], u)
        x += r
    s.all_pairs()
    return s.case(seed, float(np.round(rng.uniform(0.3, 1.5), 3)))


def crowd(rng: Generator, seed: int) -> Case:
    """Draw two to four bodies that fall into a box."""
    s = Scene(rng)
    s.tags.append("crowd")
    s.floor()
    s.wall(-0.6, -1)
    s.wall(0.6, 1)
    n = int(rng.integers(2, 5))
    discs = rng.random() < 0.4
    for k in range(n):
        kind = "disc" if discs else str(rng.choice(["box", "disc", "convex", "regular", "concave"]))
        outline = draw_outline(rng, kind)
        while radius(outline) > 0.25:
            outline = draw_outline(rng, kind)
        s.tags.append(kind)
        column, layer = k % 2, k // 2
        place = [
            0.55 * column - 0.28 + rng.uniform(-0.02, 0.02),
            0.3 + 0.55 * layer,
            rng.uniform(-3, 3),
        ]
        u = np.zeros(3) if rng.random() < 0.5 else rng.uniform(-1, 1, 3) * [0.5, 0.5, 3.0]
        s.body(outline, place, u)
    s.all_pairs()
    return s.case(seed, float(np.round(rng.uniform(0.3, 1.0), 3)))


def stack(rng: Generator, seed: int) -> Case:
    """Draw a stack of one to three boxes, aligned or not, at rest, falling or pushed."""
    s = Scene(rng)
    s.tags.append("stack")
    s.floor(float(rng.uniform(-1, 1)) if rng.random() < 0.15 else 0.0)
    n, y = int(rng.integers(1, 4)), 0.0
    aligned, resting = rng.random() < 0.3, rng.random() < 0.5
    w, h = (float(v) for v in rng.uniform(0.1, 0.4, 2))
    for k in range(n):
        if not aligned:
            w = w * float(rng.uniform(0.6, 1.1))
        lift = 0.0 if resting else float(rng.uniform(0.005, 0.1))
        shift = 0.0 if aligned else float(rng.uniform(-0.15, 0.15)) * w
        tilt = 0.0 if resting else float(rng.uniform(-0.05, 0.05))
        y += lift + 0.5 * h + 0.5 * w * abs(np.sin(tilt))
        u = [float(rng.uniform(-1, 1)) * (rng.random() < 0.4), 0.0, 0.0]
        s.body(box(w, h), [shift, y, tilt], u)
        y += 0.5 * h + 0.5 * w * abs(np.sin(tilt))
        if k:
            s.contact(("b", k - 1), ("b", k))
    if n == 3:
        s.contact(("b", 0), ("b", 2))
    return s.case(seed, float(np.round(rng.uniform(0.2, 0.8), 3)))


def wheel(rng: Generator, seed: int) -> Case:
    """Draw polygonal or round wheels on a slope, with their mass in the hub or not."""
    slope = float(rng.uniform(0.02, 0.4))
    s = Scene(rng, (float(G * np.sin(slope)), float(-G * np.cos(slope))))
    s.tags.append("wheel")
    s.floor()
    n = int(rng.choice([0, 5, 6, 8, 12]))
    angle = 2 * np.pi * (np.arange(n) + 0.5) / max(n, 1) - 0.5 * np.pi
    outline: Array | float = (
        0.1 if n == 0 else 0.1 * np.column_stack([np.cos(angle), np.sin(angle)])
    )
    height = flat_height(outline)
    v = float(rng.uniform(0, 1.5))
    s.body(outline, [0.0, height, 0.0], [v, 0.0, -v / 0.1 * float(rng.choice([0.0, 1.0]))])
    hub = float(rng.choice([1.0, 1e-2, 1e-4]))
    b = s.bodies[0]
    old = f"inertia={b['inertia']!r}"
    b["inertia"] *= hub
    s.lines = [line.replace(old, f"inertia={b['inertia']!r}") for line in s.lines]
    return s.case(seed, float(np.round(rng.uniform(0.2, 1.0), 3)))


def chain(rng: Generator, seed: int) -> Case:
    """Draw a chain of hinged links with round tips over a floor and against a wall."""
    n = int(rng.integers(1, 6))
    length, mass = 0.2, float(rng.choice([0.2, 1.0]))
    law = {"mu": draw_friction(rng), "e_N": draw_restitution(rng)}
    lines = [f"m = nsmb.Model(gravity=(0, {-G}))", "before, at = m.ground, (0, 0)"]
    depth = float(rng.uniform(0.4, 1.1) * n * length)
    free = rng.random() < 0.25  # in free fall above the floor
    lines.append(f"floor = m.ground.contour('floor', nsmb.geometry.Line(point=(0, {-depth!r})))")
    wall = float(rng.uniform(0.3, 0.8) * n * length) if rng.random() < 0.4 else None
    if wall is not None:
        lines += [
            f"line = nsmb.geometry.Line(point=({wall!r}, 0), direction=(0, -1))",
            "wall = m.ground.contour('wall', line)",
        ]
    lines.append(f"law = {law_code(law)}")
    J = mass * length**2 / 12
    r = 0.02
    for k in range(n):
        joint = "Planar" if free and k == 0 else "Revolute"
        lines += [
            f"b{k} = m.add_body('b{k}', mass={mass!r}, inertia={J!r}, center=({length / 2!r}, 0))",
            f"m.add_joint('j{k}', nsmb.joints.{joint}(), before, b{k}, at=at)",
            f"tip = b{k}.contour('tip', nsmb.geometry.Circle({r!r}), at=({length!r}, 0))",
            f"m.add_contact(floor, tip, law, name='floor{k}')",
            f"before, at = b{k}, ({length!r}, 0)",
        ]
        if wall is not None:
            lines.append(f"m.add_contact(wall, tip, law, name='wall{k}')")
    # Absolute angles for which nothing is inside floor or wall at the start.
    top = 0.0
    for _ in range(1000):
        absolute = (
            rng.uniform(-np.pi, 0, n) if rng.random() < 0.7 else np.full(n, rng.uniform(-3, 0))
        )
        tips = length * np.cumsum(np.column_stack([np.cos(absolute), np.sin(absolute)]), axis=0)
        if (tips[:, 1] > -depth + r).all() and (wall is None or (tips[:, 0] < wall - r).all()):
            break
    else:
        absolute = np.full(n, 0.5 * np.pi + 0.3)
    relative = np.diff(absolute, prepend=0.0)
    rates = np.zeros(n) if rng.random() < 0.6 else rng.uniform(-3, 3, n)
    start: dict[str, Any] = {f"j{k}": float(relative[k]) for k in range(n)}
    speed: dict[str, Any] = {f"j{k}": float(rates[k]) for k in range(n)}
    if free:
        start["j0"], speed["j0"] = [0.0, top, float(relative[0])], [0.0, 0.0, float(rates[0])]
    lines.append(f"system = m.build({code(start)}, {code(speed)})")
    spec = {
        "kind": "chain", "n": n, "length": length, "mass": mass, "inertia": J, "r": r,
        "depth": depth, "wall": wall, "free": free, "law": law,
    }  # fmt: skip
    tags = ("chain", f"{n} links", *(["free fall"] if free else []))
    t_end = float(np.round(rng.uniform(0.3, 2.0), 3))
    method = draw_method(rng, max_events=MOST_EVENTS)
    return Case("bodies", seed, "\n".join(lines) + "\n", t_end, None, None, method, spec, tags)


def linkage(rng: Generator, seed: int) -> Case:
    """Draw a row of parallelograms that pass singular positions, or a pin in a wider hole."""
    play = rng.random() < 0.5
    lines = [f"m = nsmb.Model(gravity=(0, {-G}))"]
    if play:
        clearance = float(rng.choice([1e-3, 5e-3, 0.02]))
        law = {"mu": draw_friction(rng), "e_N": draw_restitution(rng)}
        phi, rate = float(rng.uniform(-3, 3)), float(rng.uniform(-4, 4)) * (rng.random() < 0.6)
        at = [0.3 * float(np.cos(phi)), 0.3 * float(np.sin(phi))]
        lines += [
            "crank = m.add_body('crank', mass=1.0, inertia=0.0075, center=(0.15, 0))",
            "m.add_joint('crank', nsmb.joints.Revolute(), m.ground, crank)",
            "bob = m.add_body('bob', mass=0.5, inertia=0.002, center=(0.1, 0))",
            "m.add_joint('bob', nsmb.joints.Planar(), m.ground, bob)",
            "pin = crank.contour('pin', nsmb.geometry.Circle(0.02), at=(0.3, 0))",
            f"hole = bob.contour('hole', nsmb.geometry.Circle({-0.02 - clearance!r}))",
            f"m.add_contact(pin, hole, {law_code(law)}, name='play')",
        ]
        turn = float(rng.uniform(-3, 3))
        start = {"crank": phi, "bob": [*at, turn]}
        speed = {"crank": rate, "bob": [-at[1] * rate, at[0] * rate, 0.0]}
        spec = {"kind": "play", "clearance": clearance, "law": law}
        tags = ("linkage", "play")
    else:
        n = int(rng.integers(1, 4))
        phi = float(rng.uniform(0.3, 2.8))
        start, speed = {"c0": phi}, {}
        lines.append("hinge = nsmb.joints.Revolute()")
        for k in range(n + 1):
            lines += [
                f"c{k} = m.add_body('c{k}', mass=1.0, inertia={1 / 12!r}, center=(0.5, 0))",
                f"m.add_joint('c{k}', hinge, m.ground, c{k}, at=({float(k)!r}, 0))",
            ]
            start[f"c{k}"] = phi
        for k in range(n):
            lines += [
                f"r{k} = m.add_body('r{k}', mass=1.0, inertia={1 / 12!r}, center=(0.5, 0))",
                f"m.add_joint('r{k}', hinge, c{k}, r{k}, at=(1, 0))",
                f"m.add_loop('l{k}', hinge, r{k}, c{k + 1}, at=(1, 0), at_2=(1, 0))",
            ]
            start[f"r{k}"] = -phi
        rate = float(rng.uniform(0, 3))
        speed = {name: (rate if name[0] == "c" else -rate) for name in start}
        spec = {"kind": "windows", "n": n, "phi": phi, "rate": rate}
        tags = ("linkage", "windows")
    lines.append(f"system = m.build({code(start)}, {code(speed)})")
    t_end = float(np.round(rng.uniform(0.5, 4.0), 3))
    method = draw_method(rng, max_events=MOST_EVENTS)
    return Case("bodies", seed, "\n".join(lines) + "\n", t_end, None, None, method, spec, tags)

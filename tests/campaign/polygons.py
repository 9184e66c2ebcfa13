"""Random scenes of polygons and discs, in which bodies never overlap.

    python -m tests.campaign.polygons --count 1000 --seed 0
    python -m tests.campaign.polygons --count 200 --scheme projected

Every scene follows from its seed and number. Depths are computed from the outlines along the dense
output, without the contact points of the library. With time-stepping, bodies overlap by the
displacement of a step, but must not pass through one another unreported.
"""

from __future__ import annotations

import argparse
import signal
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

import nsmb
from nsmb import geometry, joints
from tests.support.methods import stepping
from tests.support.overlaps import common_part

Array = np.ndarray

DEPTH = 5e-8
"""Allowed depth in m.

Closed contacts are accurate to 1e-13 m at ends of steps, and in between to rtol 1e-8 of a metre.
Measured: 9e-9.
"""
GAIN = 1e-6
"""Allowed energy gain in J, of about 10 J: rtol 1e-8 of some metres, times m g.

Measured: 4e-8.
"""
OFFSETS = (0.0, *(sign * 10.0**k for k in range(-12, -2) for sign in (1, -1)))
"""Deviations from flush positions in m or rad."""
STEP = 2e-3
"""Step of time-stepping runs in s."""
PASSING = 0.25
"""Depth, relative to the smallest width of all bodies, that counts as passing through."""
WALLS = (0.5, 1.5)
"""Half the width, and the height, of the box around the bodies in m."""


@dataclass
class Scene:
    kind: str
    model: nsmb.Model
    outlines: list[Array | float]
    """Corners, or the radius of a disc, of each body."""
    grounds: list[Array]
    start: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    u: list[float] = field(default_factory=list)
    t_end: float = 0.6
    gravity: float = 9.81
    floor: bool = False
    free: tuple[int, float] | None = None
    """Index and value of a velocity that only friction changes, of a body sliding over joints."""

    def add(self, outline: Array | float, place: tuple[float, float, float], u: Array) -> None:
        k = len(self.outlines)
        area = np.pi * outline**2 if isinstance(outline, float) else shapely.Polygon(outline).area
        size = outline if isinstance(outline, float) else np.abs(outline).max()
        body = self.model.add_body(f"b{k}", mass=50.0 * area, inertia=20.0 * area * size**2)
        self.model.add_joint(f"j{k}", joints.Planar(), self.model.ground, body)
        shape = (
            geometry.Circle(outline) if isinstance(outline, float) else geometry.Polygon(outline)
        )
        body.contour("c", shape)
        self.outlines.append(outline)
        self.start[f"j{k}"] = place
        self.u += list(u)


def outline(rng: np.random.Generator) -> Array:
    """Draw an anti-clockwise outline, about 0.2 m wide and roughly centred at the origin."""
    a, b = rng.uniform(0.06, 0.15, 2)
    kind = rng.integers(6)
    if kind == 0:
        points = [(-a, -b), (a, -b), (a, b), (-a, b)]
    elif kind == 1:
        points = [(-a, -b), (a, -b), (rng.uniform(-a, a), b)]
    elif kind == 2:
        points = [(-a, -b), (a, -b), (rng.uniform(0.3, 0.9) * a, b), (-0.6 * a, b)]
    elif kind == 3:  # an L with a concave inner corner
        points = [(-a, -b), (a, -b), (a, 0), (0, 0), (0, b), (-a, b)]
    elif kind == 4:  # a bridge
        points = [(-a, -b), (-0.5 * a, -b), (-0.5 * a, 0), (0.5 * a, 0), (0.5 * a, -b), (a, -b)]
        points += [(a, b), (-a, b)]
    else:
        angle = 2.0 * np.pi * (np.arange(n := int(rng.integers(5, 13))) + rng.random()) / n
        points = list(a * np.column_stack([np.cos(angle), np.sin(angle)]))
    return np.array(points, float)


def law(rng: np.random.Generator) -> nsmb.ContactLaw:
    return nsmb.ContactLaw(
        mu=float(rng.choice([0.0, 0.2, 0.5])), e_N=float(rng.choice([0.0, 0.2, 0.5]))
    )


def contacts(scene: Scene, rng: np.random.Generator) -> None:
    """Add contacts between all pairs of contours."""
    given = law(rng)
    grounds = [c for c in scene.model._records.contours.values() if c.place.body == "ground"]
    moving = [c for c in scene.model._records.contours.values() if c.place.body != "ground"]
    for k, one in enumerate(moving):
        for other in grounds + moving[:k]:
            scene.model.add_contact(other, one, given, f"{other.label}-{one.label}")


def placed(points: Array, place: tuple[float, float, float]) -> Array:
    x, y, phi = place
    turn = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
    return np.asarray(points @ turn.T + [x, y])


def on_floor(points: Array, phi: float) -> float:
    """Return the height at which the rotated outline stands on y = 0."""
    return float(-placed(points, (0.0, 0.0, phi))[:, 1].min())


def make(seed: int, k: int) -> Scene:
    rng = np.random.default_rng([seed, k])
    kind = str(rng.choice(["drop", "floor", "flush", "row", "pile"]))
    gravity = 0.0 if kind == "flush" else 9.81
    scene = Scene(kind, nsmb.Model(gravity=(0.0, -gravity)), [], [], gravity=gravity)
    ground = scene.model.ground
    fill = {"drop": _drop, "floor": _floor, "flush": _flush, "row": _row, "pile": _pile}[kind]
    if kind in ("drop", "floor", "pile"):
        scene.floor = True
        ground.contour("floor", geometry.Line())
    fill(scene, rng)
    contacts(scene, rng)
    return scene


def _drop(scene: Scene, rng: np.random.Generator) -> None:
    u = (rng.uniform(-2, 2), 0.0, rng.uniform(-5, 5))
    scene.add(outline(rng), (0.0, 0.5, rng.uniform(-3, 3)), np.array(u))
    scene.t_end = float(rng.choice([0.7, 1.5, 3.0]))  # a large displacement in one step


def _floor(scene: Scene, rng: np.random.Generator) -> None:
    """Add two bodies that stand flush on a floor and collide."""
    x = -0.35
    for k in range(2):
        points = outline(rng)
        lift = abs(float(rng.choice(OFFSETS)))
        speed = rng.uniform(0.3, 2.0) * (1 - 2 * k) * float(rng.choice([1, 1, 0]) if k else 1)
        place = (x, on_floor(points, 0.0) + lift, 0.0)
        scene.add(points, place, np.array([speed, 0.0, 0.0]))
        x = 0.35


def _flush(scene: Scene, rng: np.random.Generator) -> None:
    """Add two bodies that fly at each other, flush up to an offset and a rotation."""
    points = outline(rng)
    other = points if rng.random() < 0.5 else outline(rng)
    turn = float(rng.choice([0.0, np.pi / 2, np.pi]))
    offset, tilt = float(rng.choice(OFFSETS)), float(rng.choice(OFFSETS))
    level = rng.choice([0.0, placed(points, (0, 0, turn))[:, 1].min() - other[:, 1].min()])
    speed = rng.uniform(0.3, 2.0)
    scene.add(points, (-0.4, 0.0, turn + tilt), np.array([speed, 0.0, 0.0]))
    scene.add(other, (0.4, float(level) + offset, 0.0), np.array([-speed, 0.0, 0.0]))


def _row(scene: Scene, rng: np.random.Generator) -> None:
    """Add a body that slides over a row of blocks.

    Offsets up to 1e-10 m must not affect it.
    """
    step = float(rng.choice([v for v in OFFSETS if abs(v) <= 1e-10 or rng.random() < 0.2]))
    x = -0.6
    for k in range(5):
        width = rng.uniform(0.15, 0.4)
        top = step * (k % 2)
        block = np.array([(x, -0.3), (x + width, -0.3), (x + width, top), (x, top)])
        scene.grounds.append(block)
        scene.model.ground.contour(f"block{k}", geometry.Polygon(block))
        x += width
    points = outline(rng)
    while abs(points[0, 1] - points[1, 1]) > 0.0:  # until a side is at the bottom
        points = outline(rng)
    speed = rng.uniform(0.3, 2.0)
    height = on_floor(points, 0.0) + max(step, 0.0)
    scene.add(points, (-0.4, height, 0.0), np.array([speed, 0.0, 0.0]))
    scene.t_end = min(0.6, (x - 0.2 + 0.4 - 0.2) / speed)
    if abs(step) <= 1e-10:
        scene.free = (0, speed)


def _pile(scene: Scene, rng: np.random.Generator) -> None:
    half, height = WALLS
    for side in (-1, 1):
        left, right = sorted((side * half, side * (half + 0.1)))
        wall = np.array([(left, -0.1), (right, -0.1), (right, height), (left, height)])
        scene.grounds.append(wall)
        scene.model.ground.contour(f"wall{side}", geometry.Polygon(wall))
    for k in range(int(rng.integers(1, 4))):
        u = np.array([rng.uniform(-1, 1), rng.uniform(-1, 0), rng.uniform(-3, 3)])
        shape = float(rng.uniform(0.05, 0.12)) if rng.random() < 0.25 else outline(rng)
        scene.add(shape, (rng.uniform(-0.2, 0.2), 0.25 + 0.4 * k, rng.uniform(-3, 3)), u)
    scene.t_end = 0.7


def width(points: Array) -> float:
    """Return the smallest width of the convex hull in m."""
    hull = shapely.MultiPoint(points).convex_hull
    if not isinstance(hull, shapely.Polygon):
        return 0.0
    corners = np.array(hull.exterior.coords)
    edges = np.diff(corners, axis=0)
    normals = np.column_stack([-edges[:, 1], edges[:, 0]]) / np.hypot(*edges.T)[:, None]
    return float(np.ptp(corners @ normals.T, axis=0).min())


def depth(one: Array | tuple[Array, float], other: Array | tuple[Array, float]) -> float:
    """Return the penetration depth of two outlines in m. Discs are pairs of centre and radius."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return float(one[1] + other[1] - np.hypot(*(one[0] - other[0])))
    if isinstance(one, tuple) or isinstance(other, tuple):
        (center, radius), corners = (one, other) if isinstance(one, tuple) else (other, one)
        polygon, point = shapely.Polygon(corners), shapely.Point(center)
        inside = polygon.contains(point)
        away = polygon.exterior.distance(point)
        return float(radius + away if inside else radius - away)
    low, high = (np.array([f(p, axis=0) for p in (one, other)]) for f in (np.min, np.max))
    if (high.min(axis=0) < low.max(axis=0)).any():
        return 0.0
    common = common_part(shapely.Polygon(one), shapely.Polygon(other))
    parts = [p for p in getattr(common, "geoms", [common]) if isinstance(p, shapely.Polygon)]
    return max((width(np.array(p.exterior.coords)) for p in parts), default=0.0)


def deepest(scene: Scene, sol: nsmb.Solution, samples: int) -> float:
    """Return the largest depth of all pairs along the dense output in m."""
    times = np.unique([*np.linspace(*sol.t_span, samples), *sol.events.t, sol.t_span[1]])
    if len(times) > 4 * samples:
        times = times[:: len(times) // (4 * samples) + 1]
    states = np.atleast_2d(sol.at(times).q)
    worst = 0.0
    for q in states:
        bodies: list[Array | tuple[Array, float]] = []
        for k, shape in enumerate(scene.outlines):
            place = tuple(q[3 * k : 3 * k + 3])
            if isinstance(shape, float):
                bodies.append((np.array(place[:2]), shape))
            else:
                bodies.append(placed(shape, place))
        for k, one in enumerate(bodies):
            if scene.floor:
                low = one[0][1] - one[1] if isinstance(one, tuple) else one[:, 1].min()
                worst = max(worst, float(-low))
            for other in scene.grounds + bodies[:k]:
                worst = max(worst, depth(one, other))
    return worst


@dataclass
class Verdict:
    kind: str
    status: str
    depth: float = 0.0
    gain: float = 0.0
    wrong: str = ""
    message: str = ""


def narrowest(scene: Scene) -> float:
    """Return the smallest width of all bodies in m."""
    sizes = [2.0 * s if isinstance(s, float) else width(s) for s in scene.outlines]
    return min(sizes)


def judge_steps(seed: int, k: int, scheme: Any, samples: int = 80) -> Verdict:
    """Check that no bodies pass through one another in a time-stepping run that finishes."""
    scene = make(seed, k)
    system = scene.model.build(initial=scene.start)
    method = stepping(STEP, scheme, impact_law="moreau")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nsmb.EnergyGainWarning)
        sol = nsmb.simulate(system, scene.t_end, u=scene.u, throw=False, method=method)
    verdict = Verdict(scene.kind, str(sol.status), message=sol.message)
    verdict.depth = deepest(scene, sol, samples)
    if sol.success and verdict.depth > PASSING * narrowest(scene):
        verdict.wrong = f"{verdict.depth:.3g} m deep, of {narrowest(scene):.3g} m"
    return verdict


def judge(seed: int, k: int, samples: int = 80) -> Verdict:
    scene = make(seed, k)
    system = scene.model.build(initial=scene.start)
    method = nsmb.EventDriven(max_events=20_000)
    sol = nsmb.simulate(system, scene.t_end, u=scene.u, throw=False, method=method)
    verdict = Verdict(scene.kind, str(sol.status), message=sol.message)
    verdict.depth = deepest(scene, sol, samples)
    energy = np.array(
        [
            system.kinetic_energy(t, q, u) + system.potential_energy(t, q)
            for t, q, u in zip(sol.t, sol.q, sol.u, strict=True)
        ]
    )
    verdict.gain = float(np.diff(energy).max(initial=0.0))
    if verdict.depth > DEPTH:
        verdict.wrong = f"{verdict.depth:.3g} m deep"
    elif verdict.gain > GAIN:
        verdict.wrong = f"gains {verdict.gain:.3g} J"
    elif scene.free and sol.success:
        coordinate, speed = scene.free
        smooth = all(c.law.mu == 0.0 for c in scene.model._records.contacts.values())
        error = abs(sol.q[-1, coordinate] - sol.q[0, coordinate] - speed * scene.t_end)
        if smooth and error > DEPTH:
            verdict.wrong = f"meets joints it slides over flush, off by {error:.3g} m"
    return verdict


def run(
    seed: int, numbers: range, limit: float = 0.0, scheme: str = ""
) -> Iterator[tuple[int, Verdict]]:
    """Run event by event, or with a time-stepping scheme.

    With a limit, in s of processor time, a run that does not progress is a verdict, too.
    """

    def stop(*_: object) -> None:
        raise TimeoutError

    for k in numbers:
        if limit > 0.0:
            signal.signal(signal.SIGVTALRM, stop)
            signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        try:
            verdict = judge_steps(seed, k, scheme) if scheme else judge(seed, k)
        except TimeoutError:
            verdict = Verdict(make(seed, k).kind, "hang", wrong=f"stands still for {limit:g} s")
        except ValueError as error:
            verdict = Verdict(make(seed, k).kind, "ValueError", wrong=str(error))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        yield k, verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--limit", type=float, default=20.0, help="s of processor time per scene")
    parser.add_argument("--scheme", default="", help="in steps; default: event by event")
    options = parser.parse_args()
    statuses: Counter[str] = Counter()
    wrong, begin = 0, time.process_time()
    largest = Verdict("", "")
    numbers = range(options.first, options.first + options.count)
    for k, verdict in run(options.seed, numbers, options.limit, options.scheme):
        statuses[f"{verdict.kind}: {verdict.status}"] += 1
        largest.depth = max(largest.depth, verdict.depth)
        largest.gain = max(largest.gain, verdict.gain)
        if verdict.wrong or verdict.status != "finished":
            wrong += bool(verdict.wrong)
            text = verdict.wrong or verdict.message
            print(
                f"seed {options.seed}, scene {k}, {verdict.kind}: {verdict.status}, {text}",
                flush=True,
            )
    for name, number in sorted(statuses.items()):
        print(f"{number:6d} {name}")
    print(
        f"{options.count} scenes, {wrong} wrong, at most {largest.depth:.2g} m deep, gains of at "
        f"most {largest.gain:.2g} J, {time.process_time() - begin:.0f} s of processor time"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())

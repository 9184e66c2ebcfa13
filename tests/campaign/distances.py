"""Contact points of random pairs of shapes against proofs of their distance.

    python -m tests.campaign.distances --pairs 1000000 --seed 0

A chunk is one pair of shapes in many poses: random, touching, flat on each other, nearly flat.
Shapes include needles, plates and dust, tiny and huge, near and far from the origin. Reference
distances come from `tests.oracles.separation`, not from the library. The exit code is 1 if an error
is found.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from nsmb._core import geometry
from tests.geometry.solid_zoo import corners, hull_faces
from tests.oracles.convex_distance import cylinder_support, largest_gap, points_support
from tests.oracles.depth_proof import no_better_direction
from tests.oracles.separation import (
    Below,
    Body,
    Round,
    Rounded,
    axes_of,
    gap_along,
    largest_gap_of_polyhedra,
)

Array = NDArray[np.float64]
Generator = np.random.Generator
POSES = 400  # per chunk
ANALYTIC, HULL = 1e-12, 1e-10  # relative to the larger body or to the distance
SEARCHED = 1e-9  # accuracy of a depth found by a search over directions
EXCLUDED = 1e-6  # relative: no direction separates by so much more
KINDS = ("half-space", "sphere", "capsule", "cylinder", "box", "hull")
FAR = 1e30


@dataclass(frozen=True, eq=False)
class Made:
    """A shape of the library and its description for the proofs."""

    kind: str
    shape: geometry.Shape
    body: Body


@dataclass
class Tally:
    """The results of one kind of pair."""

    pairs: int = 0
    proven: int = 0
    worst: float = 0.0
    """Largest error relative to the size."""
    findings: list[str] = field(default_factory=list)


def draw_shape(rng: Generator, kind: str, scale: float) -> Made:
    sizes = rng.uniform(0.2, 1.0, 3)
    if rng.random() < 0.3:  # needles and plates
        sizes[: int(rng.integers(1, 3))] *= 10.0 ** rng.uniform(-3, -1)
        rng.shuffle(sizes)
    a, b, c = scale * sizes
    if kind == "half-space":
        return Made(kind, geometry.half_space(), Below())
    if kind == "sphere":
        return Made(kind, geometry.sphere(a), Rounded(np.zeros((1, 3)), a))
    if kind == "capsule":
        ends = np.array([[0.0, 0.0, -0.5 * b], [0.0, 0.0, 0.5 * b]])
        return Made(kind, geometry.capsule(a, b), Rounded(ends, a))
    if kind == "cylinder":
        return Made(kind, geometry.cylinder(a, b), Round(a, b))
    if kind == "box":
        return Made(kind, geometry.box([a, b, c]), Rounded(corners((a, b, c))))
    points, faces = hull_faces(rng.normal(size=(int(rng.integers(4, 16)), 3)) * [a, b, c])
    return Made(kind, geometry.polyhedron(points, faces), Rounded(points))


def draw_axes(rng: Generator, n: int) -> Array:
    """Draw rotations, shape (n, 3, 3): random, along the axes, and off these down to rounding."""
    free = Rotation.random(n, rng=rng).as_matrix()
    group = Rotation.create_group("O")
    along = group[rng.integers(len(group), size=n)]
    tilt = 10.0 ** rng.uniform(-16.0, -1.0, (n, 1)) * rng.normal(size=(n, 3))
    turn = rng.uniform(0, 2 * np.pi, n) * (rng.random(n) < 0.5)
    spin = Rotation.from_rotvec(np.outer(turn, [0.0, 0.0, 1.0]))
    off = (Rotation.from_rotvec(tilt) * spin * along).as_matrix()
    exact = np.round(along.as_matrix())
    pick = rng.random((n, 1, 1))
    return np.asarray(np.where(pick < 0.5, free, np.where(pick < 0.75, off, exact)))


def shape_contacts(a: Made, p: Array, b: Made, q: Array, reach: float = FAR) -> dict[str, Any]:
    return geometry.shape_contacts(a.shape, p, b.shape, q, reach)


def nearest(found: dict[str, Any], n: int) -> NDArray[np.int64]:
    """Return the index of the contact point with the least gap of each pair, shape (n,)."""
    order = np.lexsort((found["g_N"], found["row"]))
    first = np.searchsorted(found["row"][order], np.arange(n))
    return np.asarray(order[np.minimum(first, len(order) - 1)])


def draw_poses(rng: Generator, a: Made, b: Made, n: int) -> tuple[Array, Array]:
    """Draw poses, of which half are moved along the normal until they touch."""
    size = max(a.body.size, b.body.size)
    spread = 0.7 * (a.body.size + b.body.size)
    p = np.hstack([np.zeros((n, 3)), draw_axes(rng, n).reshape(n, 9)])
    q = np.hstack([spread * rng.normal(size=(n, 3)), draw_axes(rng, n).reshape(n, 9)])
    relative = rng.random(n) < 0.5  # the second relative to the first
    q[relative, 3:] = (axes_of(p) @ axes_of(q))[relative].reshape(-1, 9)
    centred = rng.random(n) < 0.2  # centred, edges above edges
    q[centred, :3] = np.einsum("nij,nj->ni", axes_of(p), np.round(2 * q[:, :3] / size) * size / 2)[
        centred
    ]
    found = shape_contacts(a, p, b, q)
    k = nearest(found, n)
    gap = rng.choice([0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3], n) * rng.choice([-1, 1], n) * size
    touches = rng.random(n) < 0.5
    step = (gap - found["g_N"][k])[:, None] * found["normal"][k]
    q[touches, :3] += step[touches]
    return p, q


def check_chunk(seed: int, n: int = POSES) -> tuple[str, Tally]:
    """Check one pair of shapes that depends on the seed alone."""
    rng = np.random.default_rng([0x5EED, seed])
    scale = 10.0 ** rng.uniform(-6, 6) if rng.random() < 0.3 else 1.0
    ratio = 10.0 ** rng.uniform(-2, 2) if rng.random() < 0.3 else 1.0
    kinds = [KINDS[int(rng.integers(len(KINDS)))], KINDS[int(rng.integers(1, len(KINDS)))]]
    a, b = (draw_shape(rng, kind, s) for kind, s in zip(kinds, (scale, ratio * scale), strict=True))
    p, q = draw_poses(rng, a, b, n)
    if rng.random() < 0.2:
        away = 1e6 * rng.normal(size=3)
        p[:, :3] += away
        q[:, :3] += away
    tally = Tally(pairs=n)
    judge(a, p, b, q, tally, f"seed {seed}")
    return "-".join(sorted(kinds, key=KINDS.index)), tally


def judge(a: Made, p: Array, b: Made, q: Array, tally: Tally, label: str) -> None:
    """Check the least gap of each pair, its normal and its points."""
    n = len(p)
    found = shape_contacts(a, p, b, q)
    apart = np.linalg.norm(q[:, :3] - p[:, :3], axis=1)
    size = np.maximum(max(a.body.size, b.body.size), apart)
    hulls = {"box", "hull"} & {a.kind, b.kind}
    tol = (HULL if hulls else ANALYTIC) * size

    def say(what: str, size: Array, allowed: Array, rows: NDArray[Any]) -> None:
        bad = ~(size <= allowed)
        if bad.any():
            i = int(np.argmax(np.where(np.isnan(size), np.inf, size / allowed)))
            tally.findings.append(
                f"{label}: {what}: {bad.sum()} times, {size[i]:.3g} > {allowed[i]:.3g} "
                f"at pose {rows[i]}"
            )

    every = np.arange(n)
    counts = np.bincount(found["row"], minlength=n)
    say("no contact point", 1.0 * (counts == 0), np.full(n, 0.5), every)
    say("more than four points", np.asarray(counts, float), np.full(n, 4.0), every)
    if (counts == 0).any():
        return
    table = {key: found[key] for key in ("g_N", "r_1", "r_2", "normal")}
    for key, value in table.items():
        say(f"{key} is not finite", 1.0 * ~np.isfinite(value.reshape(len(value), -1)).all(axis=1),
            np.full(len(value), 0.5), found["row"])  # fmt: skip
    row = found["row"]
    say("normal is no unit vector", np.abs(np.linalg.norm(found["normal"], axis=1) - 1.0),
        np.full(len(row), 1e-14), row)  # fmt: skip
    # Rounded bodies are judged by their cores.
    rounding = [getattr(m.body, "rounding", 0.0) for m in (a, b)]
    loose = tol + 4e-16 * np.linalg.norm(p[:, :3], axis=1)
    x = a.body.clamped(p[row], found["r_1"] - rounding[0] * found["normal"])
    y = b.body.clamped(q[row], found["r_2"] + rounding[1] * found["normal"])
    along = np.abs(gap_along(a.body, p[row], b.body, q[row], found["normal"]) - found["g_N"])
    between = np.abs(np.linalg.norm(y - x, axis=1) - sum(rounding) - found["g_N"])
    beyond = np.maximum(core_outside(a, p[row], x), core_outside(b, q[row], y))
    # Among equally near points, the one with the best proof.
    least = np.full(n, np.inf)
    np.minimum.at(least, row, found["g_N"])
    is_near = found["g_N"] <= least[row] + tol[row]
    order = np.lexsort((along + np.maximum(between, beyond), ~is_near, row))
    best = order[np.searchsorted(row[order], every)]
    gap, error = found["g_N"][best], along[best]
    say("gap along the normal", error, tol, every)
    off = np.maximum(between, beyond)[best]
    proven = off <= loose
    half = "half-space" in (a.kind, b.kind)
    known = proven | half
    core_gap = gap + sum(rounding)
    say("places are not as far apart as the gap",
        np.where((core_gap > tol) & (not half), off, 0.0), loose, every)  # fmt: skip
    deep = np.flatnonzero(~known)
    if deep.size:
        depth, exact = deepest(a, p[deep], b, q[deep], gap[deep])
        fits = np.where(np.isfinite(depth), np.abs(depth - gap[deep]), 0.0)
        allowed = np.maximum(tol[deep], 0.0 if exact else SEARCHED * size[deep])
        say("depth", fits, allowed, deep)
        error[deep] = np.maximum(error[deep], fits * exact)
        known[deep] = exact & np.isfinite(depth)
        if not exact:
            known[deep], refuted = nothing_better(a, p, b, q, gap, size, deep)
            say("a direction parts by more", 1.0 * refuted, np.full(len(deep), 0.5), deep)
    tally.proven += int(known.sum())
    tally.worst = max(tally.worst, float((error / size).max()))
    # For points farther away than the nearest one, only the gap along the normal is given.
    beside = np.where(found["g_N"] <= (least + 1e-6 * size)[row], np.maximum(
        a.body.outside(p[row], found["r_1"]), b.body.outside(q[row], found["r_2"])),
        0.0)  # fmt: skip
    say("place outside of its body", beside, (3e-5 * size + loose)[row], row)


def core_outside(made: Made, poses: Array, places: Array) -> Array:
    """Return the distance of points from the core of a rounded body."""
    body = made.body
    bare = Rounded(body.points) if isinstance(body, Rounded) else body
    return bare.outside(poses, places)


MOST_SEARCHED = 1  # per chunk, a tenth of a second each


def deepest(a: Made, p: Array, b: Made, q: Array, gap: Array) -> tuple[Array, bool]:
    """Return signed distances of overlapping bodies, shape (k,), and whether they are exact.

    Unknown distances are nan.
    """
    if isinstance(a.body, Rounded) and isinstance(b.body, Rounded):
        depth = largest_gap_of_polyhedra(a.body, p, b.body, q)
        return np.where(np.isfinite(depth), depth, np.nan), True
    depth = np.full(len(p), np.nan)
    rng = np.random.default_rng(len(p))
    size = max(a.body.size, b.body.size)
    for i in rng.permutation(len(p))[:MOST_SEARCHED]:
        one, other = (placed_support(m, row, p[i, :3], size) for m, row in ((a, p[i]), (b, q[i])))
        # A lower bound of the distance, so that any excess over the gap is an error of the gap.
        depth[i] = max(size * largest_gap(one, other, rng), gap[i])
    return depth, False


def nothing_better(
    a: Made, p: Array, b: Made, q: Array, gap: Array, size: Array, deep: NDArray[Any]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of depths that no direction, or some direction, reduces by `EXCLUDED`."""
    far, near = q[deep], p[deep]
    far[:, :3] -= near[:, :3]
    near[:, :3] = 0.0

    def furthest(row: NDArray[np.int64], n: Array) -> Array:
        return b.body.furthest(far[row], n) - a.body.furthest(near[row], -n)

    return no_better_direction(furthest, -gap[deep] - EXCLUDED * size[deep])


def placed_support(made: Made, pose: Array, origin: Array, unit: float) -> Callable[[Array], Array]:
    """Return the support function of a body in a pose, in units of a length."""
    r, A, body = (pose[:3] - origin) / unit, pose[3:].reshape(3, 3), made.body
    if isinstance(body, Round):
        return cylinder_support(r, A[:, 2], body.radius / unit, body.length / unit)
    assert isinstance(body, Rounded)
    return points_support(body.points @ A.T / unit + r, body.rounding / unit)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first chunk")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so long")
    options = parser.parse_args()
    end = time.monotonic() + 60.0 * options.minutes
    total: dict[str, Tally] = defaultdict(Tally)
    for seed in range(options.seed, options.seed + -(-options.pairs // POSES)):
        name, tally = check_chunk(seed)
        for text in tally.findings:
            print(f"{name} {text}", flush=True)
        sums = total[name]
        sums.pairs += tally.pairs
        sums.proven += tally.proven
        sums.worst = max(sums.worst, tally.worst)
        sums.findings += tally.findings
        if time.monotonic() > end:
            break
    for name, sums in sorted(total.items()):
        print(
            f"{name:20} {sums.pairs:8} pairs, {sums.proven:8} proven, largest error "
            f"{sums.worst:.1e} of the size, {len(sums.findings)} findings"
        )
    print(f"{sum(s.pairs for s in total.values())} pairs")
    return int(any(s.findings for s in total.values()))


if __name__ == "__main__":
    raise SystemExit(main())

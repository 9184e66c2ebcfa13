"""Distances of random pairs of convex shapes in nsmb and in Coal, separated and penetrating.

For each pair of kinds the benchmark determines: the difference of the gaps with tight tolerances of
Coal, where they agree to 1e-6 m; the number of pairs that do not agree; by how much the direction
of Coal separates any pair more than that of nsmb; and processor time per query. No direction
separates two bodies by more than the signed distance, so that the larger separation is nearer to
it. It is computed here, independently of both programs, from the extreme points of the bodies in
this direction.

Differences: nsmb returns all contact points with features, up to four for a pair. Coal returns one
gap, one normal and two points. nsmb processes all pairs in one call from Python ("at once") or one
pair in each call with arrays allocated for its answer ("one by one"). Coal processes one pair in
each call.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from benchmarks.harness import FOUND, MissingError, benchmark, peer, timed
from nsmb._core import geometry

Array = NDArray[np.float64]
KINDS = ("sphere", "box", "capsule", "cylinder", "hull")
TIGHT = 1e-12  # tolerance of Coal's searches
AGREE = 1e-6  # m, larger differences are counted separately
REPEATS = 3
FAR = 100.0  # m, larger than any gap


def draw(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Draw sizes of 0.2 ... 1 m: radius, radius and length, or edges."""
    sizes = rng.uniform(0.2, 1.0, 3).tolist()
    if kind != "hull":
        count = {"sphere": 1, "box": 3}.get(kind, 2)
        return {"kind": kind, "size": sizes[:count]}
    points = 0.5 * rng.normal(size=(20, 3)) * sizes
    hull = ConvexHull(points)
    number = {int(v): k for k, v in enumerate(hull.vertices)}
    faces = []
    for simplex, equation in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = points[simplex]
        ordered = simplex if np.cross(b - a, c - a) @ equation[:3] > 0.0 else simplex[::-1]
        faces.append([number[int(v)] for v in ordered])
    return {"kind": kind, "points": points[hull.vertices].tolist(), "faces": faces}


def shape_of(told: dict[str, Any]) -> geometry.Shape:
    if told["kind"] == "hull":
        return geometry.polyhedron(told["points"], told["faces"])
    if told["kind"] == "box":
        return geometry.box(told["size"])
    made: geometry.Shape = getattr(geometry, told["kind"])(*told["size"])
    return made


def furthest(told: dict[str, Any], poses: Array, n: Array) -> Array:
    """Return the extent of bodies at poses (k, 12) along directions (k, 3), shape (k,)."""
    axes = poses[:, 3:].reshape(-1, 3, 3)
    local = np.einsum("kji,kj->ki", axes, n)
    size = told.get("size", ())
    if told["kind"] == "sphere":
        own = np.full(len(n), size[0])
    elif told["kind"] == "capsule":
        own = size[0] + 0.5 * size[1] * np.abs(local[:, 2])
    elif told["kind"] == "cylinder":
        own = size[0] * np.hypot(local[:, 0], local[:, 1]) + 0.5 * size[1] * np.abs(local[:, 2])
    elif told["kind"] == "box":
        own = 0.5 * np.abs(local) @ np.array(size)
    else:
        own = (local @ np.array(told["points"]).T).max(axis=1)
    return np.asarray(np.einsum("ki,ki->k", poses[:, :3], n) + own)


def parted(task: dict[str, Any], n: Array) -> Array:
    """Return the separation along directions from the first body to the second, shape (k,)."""
    (a, b), (p, q) = task["shapes"], (np.array(poses) for poses in task["poses"])
    return -furthest(b, q, -n) - furthest(a, p, n)


def draw_task(rng: np.random.Generator, kinds: tuple[str, str], pairs: int) -> dict[str, Any]:
    """Draw bodies around one point, some penetrating, some separated."""
    spread = 0.4
    poses = [
        np.hstack(
            [
                spread * rng.normal(size=(pairs, 3)),
                Rotation.random(pairs, random_state=rng).as_matrix().reshape(pairs, 9),
            ]
        ).tolist()
        for _ in kinds
    ]
    shapes = [draw(rng, kind) for kind in kinds]
    return {"shapes": shapes, "poses": poses, "tolerance": TIGHT, "repeats": REPEATS}


def ours(task: dict[str, Any]) -> dict[str, Any]:
    """Return the smallest gaps, their normals, and processor times per query."""
    a, b = (shape_of(told) for told in task["shapes"])
    p, q = (np.array(poses) for poses in task["poses"])
    n = len(p)

    def each() -> None:
        for k in range(n):
            geometry.shape_contacts(a, p[k : k + 1], b, q[k : k + 1], FAR)

    found, at_once = timed(lambda: geometry.shape_contacts(a, p, b, q, FAR), REPEATS)
    _, one_by_one = timed(each, REPEATS)
    order = np.lexsort((found["g_N"], found["row"]))
    best = order[np.searchsorted(found["row"][order], np.arange(n))]
    return {
        "gap": found["g_N"][best],
        "normal": found["normal"][best],
        "points": len(found["row"]) / n,
        "at once": at_once / n,
        "one by one": one_by_one / n,
    }


def compare(task: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    mine = ours(task)
    gap = mine["gap"]
    row: dict[str, Any] = {
        "kinds": [told["kind"] for told in task["shapes"]],
        "apart": int((gap > 0.0).sum()),
        "in each other": int((gap <= 0.0).sum()),
        **{key: mine[key] for key in ("points", "at once", "one by one")},
    }
    own = parted(task, mine["normal"])
    row["own error"] = float(np.abs(own - gap).max())
    for name in ("plain", "tight"):
        answer = {key: np.array(value) for key, value in theirs[name].items()}
        off = np.abs(answer["gap"] - gap)
        agree = off <= AGREE
        better = np.nan_to_num(parted(task, answer["normal"]) - own, nan=-np.inf)
        row[name] = {
            "seconds": float(answer["seconds"]),
            "apart": float(off[agree & (gap > 0.0)].max(initial=0.0)),
            "in each other": float(off[agree & (gap <= 0.0)].max(initial=0.0)),
            "off": int((~agree).sum()),
            # Excess separation of its direction over that of nsmb; negative if never larger.
            "better": float(better.max()),
            "off and better": int((~agree & (better > 0.0)).sum()),
        }
    return row


@benchmark("geometry_coal", "Signed distances of convex shapes beside Coal", alone=True)
def measure(pairs: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Measure all pairs of kinds."""
    rng = np.random.default_rng(seed)
    tasks = [draw_task(rng, kinds, pairs) for kinds in combinations_with_replacement(KINDS, 2)]
    with peer("coal", "coal_distances") as coal:
        if coal is None:
            raise MissingError("it needs Coal")
        rows = [compare(task, coal.run(**task)) for task in tasks]
    return {"version": FOUND["coal"], "tolerance": TIGHT, "rows": rows}

"""Piles of spheres and pyramids of boxes in nsmb and in other programs.

    python benchmarks/run.py piles large=True       10,000 spheres, a settled pile, a larger pyramid
    python benchmarks/run.py piles files=PILE.vtu   piles of spheres in files of VTK

Every program simulates the same bodies with the same friction, gravity and step size. It runs alone
in a process, on one thread, until the scene or its limit of processor time ends. Ratios refer to
the steps that both programs have finished. nsmb measures the penetration at the end for all
programs. Differences: MuJoCo softens contacts (the shortest time constant it accepts, two steps),
and its tolerance refers to its own objective. So does Drake (SAP, as stiff as its near-rigid regime
makes contacts), where two boxes get one contact point, so that it runs only spheres. The boxes of
Box2D are planar squares in float32, with a fixed number of iterations and no residual. Siconos
solves the same laws as nsmb, with contacts by Bullet. Its error has another scale, and it continues
if 10,000 sweeps do not reach the tolerance.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import nsmb
from benchmarks import pile_scenes, piles_nsmb
from benchmarks.harness import Peer, PeerEndedError, benchmark, exponent, interpreter, printed

PEERS = {  # bodies that each program can simulate
    "MuJoCo": ("spheres", "boxes"),
    "Drake": ("spheres",),
    "Siconos": ("spheres", "boxes"),
    "Box2D": ("boxes",),
}
TOLERANCE, TIGHT = 1e-6, 1e-8
LIMIT = 20.0  # processor time for a program and scene, s
SETTLED = 3600  # spheres, which have some 10,000 contacts


def run(python: str, name: str, scene: pile_scenes.Scene) -> dict[str, Any]:
    """Run a scene in a separate process, and return its results and its memory."""
    with Peer(python, f"benchmarks.piles_{name.lower()}", 60.0 + 20.0 * scene["limit"]) as process:
        return process.run(**scene)


def judged(system: nsmb.MultibodySystem, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of a run without poses; nsmb computes contacts and overlaps."""
    seconds = answer["seconds"]
    found = system.find_contacts(0.0, np.array(answer["q"]).ravel())
    tenth = max(1, len(seconds) // 10)
    return {
        "steps": len(seconds),
        "mean": float(np.mean(seconds)),
        "last": float(np.mean(seconds[-tenth:])),
        "memory": answer["memory"],
        "contacts": len(found.g_N),
        # Memory of the steps without the model, including stored samples.
        "memory per contact": answer["memory of steps"] / max(1, len(found.g_N)),
        "deepest": float(-found.g_N.min(initial=0.0)),
        "height": float(np.mean(np.array(answer["q"])[:, 2])),
        **{key: answer[key] for key in ("residual", "missed", "version") if key in answer},
    }


def compare(scene: pile_scenes.Scene, peers: dict[str, str]) -> dict[str, Any]:
    """Run one scene in all programs that support it."""
    ours = run(sys.executable, "nsmb", scene)
    system = piles_nsmb.system_of(scene)
    row: dict[str, Any] = {
        "name": scene["name"],
        "bodies": len(scene["spheres"]["r"]) + len(scene["boxes"]["r"]),
        "step": scene["step"],
        "tolerance": scene["tol"],
        "nsmb": judged(system, ours),
        "peers": {},
    }
    for name, python in peers.items():
        if any(scene[kind]["r"] for kind in {"spheres", "boxes"}.difference(PEERS[name])):
            continue
        try:
            theirs = run(python, name, scene)
        except PeerEndedError as error:
            print(error)
            row["peers"][name] = None
            continue
        both = min(len(ours["seconds"]), len(theirs["seconds"]))
        ratio = sum(theirs["seconds"][:both]) / sum(ours["seconds"][:both])
        row["peers"][name] = {**judged(system, theirs), "over nsmb": ratio}
    return row


def settled(n: int, limit: float) -> pile_scenes.Scene:
    """Simulate a pile close to rest: states of nsmb, after steps at a loose tolerance."""
    scene = {**pile_scenes.spheres_in_a_box(n, 400), "tol": 1e-3, "limit": limit}
    answer = run(sys.executable, "nsmb", scene)
    state = [np.array(answer["q"]).ravel().tolist(), answer["u"]]
    return {
        **scene,
        "name": f"settled pile of {n} spheres",
        "state": state,
        "steps": 10,
        "tol": TIGHT,
    }


def memory_slope(rows: list[dict[str, Any]]) -> float:
    """Return the bytes per additional contact, from the smallest to the largest scene."""
    first, last = (row["nsmb"] for row in (rows[0], rows[-1]))
    contacts = last["contacts"] - first["contacts"]
    grown = [entry["memory per contact"] * entry["contacts"] for entry in (first, last)]
    return float((grown[1] - grown[0]) / contacts)


def threads_agree(n: int = 300, steps: int = 100) -> bool:
    """Return True if sweeps with one and two threads are bitwise identical for a pile."""
    scene = {**pile_scenes.spheres_in_a_box(n, steps), "tol": TOLERANCE, "limit": LIMIT}
    problem = piles_nsmb.problem_of(scene)
    found = [
        nsmb.complementarity.friction.solve(
            problem, "gauss_seidel", tol=1e-14, max_iterations=200, threads=threads
        )
        for threads in (1, 2)
    ]
    return found[0].x.tobytes() == found[1].x.tobytes()


@benchmark("piles", "The race: piles of spheres and a pyramid of boxes, step by step")
def measure(
    large: bool = False, files: tuple[str, ...] = (), limit: float = LIMIT
) -> dict[str, Any]:
    """Run all scenes; each program has `limit` s of processor time for each."""
    found = {name: interpreter(name.lower()) for name in PEERS}
    peers = {name: python for name, python in found.items() if python is not None}
    scenes = [pile_scenes.spheres_in_a_box(100, 250), pile_scenes.spheres_in_a_box(1000, 200)]
    scenes.append(pile_scenes.pyramid(10, 100))
    if large:
        scenes.append(pile_scenes.spheres_in_a_box(10000, 200))
        scenes.append(pile_scenes.pyramid(30, 50))
    scenes += [pile_scenes.granular_pile(Path(path), 50) for path in files]
    rows = [
        printed(compare({**scene, "tol": TOLERANCE, "limit": limit}, peers)) for scene in scenes
    ]
    if large:
        rows.append(printed(compare({**settled(SETTLED, 10.0 * limit), "limit": limit}, peers)))
    spheres = [row for row in rows if row["name"].endswith(" spheres") and row["step"] == 2e-3][:3]
    return {
        "rows": rows,
        "exponent": exponent(*zip(*(of_last_steps(row["nsmb"]) for row in spheres), strict=True)),
        "memory per contact": memory_slope(spheres),
        "threads agree": threads_agree(),
        "without": [name for name in PEERS if name not in peers],
    }


def of_last_steps(entry: dict[str, Any]) -> tuple[int, float]:
    """Return the number of contacts and the time per step."""
    return entry["contacts"], entry["last"]

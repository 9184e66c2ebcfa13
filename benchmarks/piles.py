"""The race: piles of spheres and pyramids of boxes in nsmb and in other programs.

    python benchmarks/piles.py                  100 and 1,000 spheres, a pyramid
    python benchmarks/piles.py --all            10,000 spheres, a settled pile, a larger pyramid
    python benchmarks/piles.py --vtu FILE...    piles of spheres in files of VTK

Every program gets the same bodies, friction, gravity and step, alone in a process of its own, on
one thread, until the scene ends or its limit of processor time is used; ratios are of the steps
that both have done. How deep bodies lie in each other at the end is measured by nsmb for all.
What is not equal: MuJoCo softens contacts (shortest time constant it takes, two steps), and its
tolerance is one of its own objective; so does Drake (SAP, as stiff as its near-rigid regime makes
them), where two boxes get one contact point, so that it races with spheres alone; Box2D's boxes
are squares in the plane, in float32, with iterations in a fixed number and no residual. Siconos
solves the same laws as nsmb, contacts by Bullet; its error is scaled otherwise, and it goes on
where 10,000 sweeps do not reach it.

Interpreters are found by NSMB_MUJOCO_PYTHON, NSMB_DRAKE_PYTHON, NSMB_BOX2D_PYTHON and
NSMB_SICONOS_PYTHON, else the one that runs this, /usr/bin/python3, or python3; what none of them
can import is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pile_scenes
import piles_nsmb

import nsmb

HERE = Path(__file__).resolve().parent
PEERS = {  # module, script, how to get it, bodies it takes part with
    "MuJoCo": ("mujoco", "piles_mujoco.py", "pip install mujoco", ("spheres", "boxes")),
    "Drake": ("pydrake.multibody.plant", "piles_drake.py", "pip install drake", ("spheres",)),
    "Siconos": (
        "siconos.mechanics.collision.bullet",
        "piles_siconos.py",
        "apt-get install python3-siconos",
        ("spheres", "boxes"),
    ),
    "Box2D": ("Box2D", "piles_box2d.py", "pip install box2d", ("boxes",)),
}
TOLERANCE, TIGHT = 1e-6, 1e-8
LIMIT = 20.0  # s of processor time for a program and scene
SETTLED = 3600  # spheres, which have some 10,000 contacts


def interpreter_of(name: str) -> str | None:
    """The first interpreter that can import it."""
    module = PEERS[name][0]
    given = os.environ.get(f"NSMB_{name.upper()}_PYTHON")
    for candidate in (given, sys.executable, "/usr/bin/python3", "python3"):
        path = shutil.which(candidate) if candidate else None
        if path is None:
            continue
        test = [path, "-c", f"import numpy, {module}; print('found')"]
        answer = subprocess.run(test, capture_output=True, text=True, check=False)
        if answer.stdout.strip().endswith("found"):
            return path
    return None


def run(interpreter: str, script: str, scene: pile_scenes.Scene) -> dict[str, Any] | None:
    """What a program says of a scene; None where it does not end by itself."""
    try:
        ended = subprocess.run(
            [interpreter, str(HERE / script)],
            input=json.dumps(scene) + "\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=60.0 + 20.0 * scene["limit"],
        )
    except subprocess.TimeoutExpired:
        return None
    if ended.returncode or not ended.stdout.strip():
        print(f"{script}: {ended.stderr.strip()[-500:]}", file=sys.stderr)
        return None
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def judged(system: nsmb.MultibodySystem, answer: dict[str, Any]) -> dict[str, Any]:
    """Its numbers without its poses; contacts and overlaps as nsmb finds them."""
    seconds = answer["seconds"]
    found = system.find_contacts(0.0, np.array(answer["q"]).ravel())
    tenth = max(1, len(seconds) // 10)
    return {
        "steps": len(seconds),
        "mean": float(np.mean(seconds)),
        "last": float(np.mean(seconds[-tenth:])),
        "memory": answer["memory"],
        "contacts": len(found.g_N),
        # What steps take beside the model, samples that are kept included.
        "memory per contact": answer["memory of steps"] / max(1, len(found.g_N)),
        "deepest": float(-found.g_N.min(initial=0.0)),
        "height": float(np.mean(np.array(answer["q"])[:, 2])),
        **{key: answer[key] for key in ("residual", "missed", "version") if key in answer},
    }


def compare(scene: pile_scenes.Scene, peers: dict[str, str]) -> dict[str, Any]:
    """One scene in all programs that have it."""
    ours = run(sys.executable, "piles_nsmb.py", scene)
    if ours is None:
        raise RuntimeError(f"nsmb has not ended {scene['name']}")
    system = piles_nsmb.system_of(scene)
    row: dict[str, Any] = {
        "name": scene["name"],
        "bodies": len(scene["spheres"]["r"]) + len(scene["boxes"]["r"]),
        "step": scene["step"],
        "tolerance": scene["tol"],
        "nsmb": judged(system, ours),
        "peers": {},
    }
    for name, interpreter in peers.items():
        if any(scene[kind]["r"] for kind in {"spheres", "boxes"}.difference(PEERS[name][3])):
            continue
        theirs = run(interpreter, PEERS[name][1], scene)
        if theirs is None:
            row["peers"][name] = None
            continue
        both = min(len(ours["seconds"]), len(theirs["seconds"]))
        ratio = sum(theirs["seconds"][:both]) / sum(ours["seconds"][:both])
        row["peers"][name] = {**judged(system, theirs), "over nsmb": ratio}
    return row


def settled(n: int, limit: float) -> pile_scenes.Scene:
    """A pile at rest with what moves it still: states of nsmb, after steps at a loose tolerance."""
    scene = {**pile_scenes.spheres_in_a_box(n, 400), "tol": 1e-3, "limit": limit}
    answer = run(sys.executable, "piles_nsmb.py", scene)
    if answer is None:
        raise RuntimeError("the pile does not settle")
    state = [np.array(answer["q"]).ravel().tolist(), answer["u"]]
    return {
        **scene,
        "name": f"settled pile of {n} spheres",
        "state": state,
        "steps": 10,
        "tol": TIGHT,
    }


def memory_slope(rows: list[dict[str, Any]]) -> float:
    """Bytes that one more contact takes: from the smallest to the largest of these scenes."""
    first, last = (row["nsmb"] for row in (rows[0], rows[-1]))
    contacts = last["contacts"] - first["contacts"]
    grown = [entry["memory per contact"] * entry["contacts"] for entry in (first, last)]
    return float((grown[1] - grown[0]) / contacts)


def exponent(rows: list[dict[str, Any]]) -> float:
    """Of the time per step over the number of contacts."""
    contacts = [np.log(row["nsmb"]["contacts"]) for row in rows]
    times = [np.log(row["nsmb"]["last"]) for row in rows]
    return float(np.polyfit(contacts, times, 1)[0])


def versions(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Of the programs that say theirs."""
    return {
        name.lower(): entry["version"]
        for row in rows
        for name, entry in row["peers"].items()
        if entry and "version" in entry
    }


def threads_agree(n: int = 300, steps: int = 100) -> bool:
    """Whether sweeps of one and two threads give the same bits: the problem of a step of a pile."""
    scene = {**pile_scenes.spheres_in_a_box(n, steps), "tol": TOLERANCE, "limit": LIMIT}
    problem = piles_nsmb.problem_of(scene)
    found = [
        nsmb.complementarity.friction.solve(
            problem, "gauss_seidel", tol=1e-14, max_iterations=200, threads=threads
        )
        for threads in (1, 2)
    ]
    return found[0].x.tobytes() == found[1].x.tobytes()


def measure(
    large: bool = False, files: list[Path] | None = None, limit: float = LIMIT
) -> dict[str, Any]:
    """All scenes; what is missing is said and left out."""
    peers: dict[str, str] = {}
    for name, (_, _, advice, _) in PEERS.items():
        interpreter = interpreter_of(name)
        if interpreter is None:
            print(f"{name} left out: no interpreter can import it ({advice})")
        else:
            peers[name] = interpreter
    scenes = [pile_scenes.spheres_in_a_box(100, 250), pile_scenes.spheres_in_a_box(1000, 200)]
    scenes.append(pile_scenes.pyramid(10, 100))
    if large:
        scenes.append(pile_scenes.spheres_in_a_box(10000, 200))
        scenes.append(pile_scenes.pyramid(30, 50))
    scenes += [pile_scenes.granular_pile(path, 50) for path in files or ()]
    rows = []
    for scene in scenes:
        rows.append(compare({**scene, "tol": TOLERANCE, "limit": limit}, peers))
        print_row(rows[-1])
    if large:
        rows.append(compare({**settled(SETTLED, 10.0 * limit), "limit": limit}, peers))
        print_row(rows[-1])
    spheres = [row for row in rows if row["name"].endswith(" spheres") and row["step"] == 2e-3]
    return {
        "rows": rows,
        "exponent": exponent(spheres[:3]),
        "memory per contact": memory_slope(spheres[:3]),
        "threads agree": threads_agree(),
        "without": [name for name in PEERS if name not in peers],
    }


def print_row(row: dict[str, Any]) -> None:
    print(f"{row['name']}, h = {1e3 * row['step']:.3g} ms, tolerance {row['tolerance']:g}")
    entries = {"nsmb": row["nsmb"], **row["peers"]}
    for name, entry in entries.items():
        if entry is None:
            print(f"  {name:8} has not ended")
            continue
        times = f"{1e3 * entry['mean']:9.3f} ms per step, {1e3 * entry['last']:9.3f} at the end"
        ratio = f"{entry['over nsmb']:7.2f} of nsmb's time" if "over nsmb" in entry else ""
        print(
            f"  {name:8} {entry['steps']:4} steps {times}  {entry['contacts']:6} contacts "
            f"{1e3 * entry['deepest']:7.2f} mm deep, {entry['memory'] / 1e6:6.0f} MB, "
            f"{entry['memory per contact'] / 1e3:6.1f} kB per contact  {ratio}",
            flush=True,
        )


def report(results: dict[str, Any]) -> None:
    """What follows the rows, which are printed as they come."""
    print(f"exponent of the time per step over contacts: {results['exponent']:.2f}")
    print(f"memory for one more contact: {results['memory per contact'] / 1e3:.1f} kB")
    same = "the same bits" if results["threads agree"] else "DIFFERENT BITS"
    print(f"sweeps of one and two threads: {same}")


def main() -> None:
    parser = argparse.ArgumentParser(description="piles and pyramids beside other programs")
    parser.add_argument("--all", action="store_true", help="larger scenes, too: half an hour")
    parser.add_argument("--vtu", nargs="+", type=Path, default=[], help="piles of spheres in files")
    parser.add_argument("--limit", type=float, default=LIMIT, help="processor time of a run, s")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    given = parser.parse_args()
    results = measure(given.all, given.vtu, given.limit)
    report(results)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

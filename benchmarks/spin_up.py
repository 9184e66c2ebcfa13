"""The beam on a hub that gains speed, in nsmb and in Exudyn: error and processor time, in one run.

    NSMB_EXUDYN_PYTHON=.../bin/python python benchmarks/spin_up.py [--json FILE]

Both move `nsmb.systems.spin_up_beam` for 20 s. nsmb has one floating frame and a few modes with
displacements of second order, Exudyn absolute coordinates of ANCF cables (Cable2D), which know
large deformation by themselves. The error is that of the place of the tip across a rigid beam, the
largest of 201 times, against 32 cables in Exudyn with steps of 1 ms; 16 cables are a row, and four
pieces in nsmb, each stiffened for itself, are another one. Timed is the solver alone, with 201
samples, the least of three runs; both call the same function of Python for the hub.

What is not equal: modes are made beforehand and not timed, no more than cables are assembled; the
shapes of Exudyn bend as far as they like, those of nsmb by slopes of tenths.

The interpreter is found by NSMB_EXUDYN_PYTHON, else the one that runs this (pip install exudyn).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb.systems.flexible.spin_up_beam import _run_up

Array = NDArray[np.float64]
HERE = Path(__file__).resolve().parent
T_END, PERIOD, REPEATS = 20.0, 0.1, 3
TIMES = np.arange(0.0, T_END + 0.5 * PERIOD, PERIOD)
BEAM = {"L": 10.0, "EA": 2.8e7, "EI": 1.4e4, "rho_A": 1.2, "omega": 6.0, "T": 15.0}
FEW = {"bending": 3, "stretching": 1}
MANY: dict[str, int] = {}
OURS: list[tuple[str, dict[str, int], Any]] = [
    ("3 + 1 modes, steps of 10 ms", FEW, nsmb.Midpoint(1e-2)),
    ("3 + 1 modes, steps of 1 ms", FEW, nsmb.Midpoint(1e-3)),
    ("3 + 1 modes, error 1e-6", FEW, nsmb.EventDriven(rtol=1e-6, atol=1e-8)),
    ("4 + 2 modes, error 1e-8", MANY, nsmb.EventDriven(rtol=1e-8, atol=1e-10)),
]
THEIRS = [(4, 2000), (8, 2000), (8, 20000), (16, 20000)]
FINE = (32, 20000)


def interpreter_of_exudyn() -> str | None:
    """The first interpreter that can import it."""
    for candidate in (os.environ.get("NSMB_EXUDYN_PYTHON"), sys.executable):
        path = shutil.which(candidate) if candidate else None
        if path is None:
            continue
        test = [path, "-c", "import exudyn; print('found')"]
        answer = subprocess.run(test, capture_output=True, text=True, check=False)
        if answer.stdout.strip().endswith("found"):
            return path
    return None


def exudyn(path: str, cases: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """Results of cases of (elements, steps), in their order."""
    told = [
        {"beam": BEAM, "elements": n, "steps": steps, "t_end": T_END, "period": PERIOD}
        for n, steps in cases
    ]
    answer = subprocess.run(
        [path, str(HERE / "spin_up_exudyn.py")],
        input="\n".join(map(json.dumps, told)),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in answer.stdout.splitlines()]


def across_of(sol: nsmb.Solution, tip: str) -> Array:
    """m, across a rigid beam, at TIMES."""
    run_up = _run_up(BEAM["omega"], BEAM["T"])
    found = []
    for t, q in zip(TIMES, sol.at(TIMES).q, strict=True):
        r, theta = sol.system.position(tip, t, q), run_up(t)[0]
        found.append(np.cos(theta) * r[1] - np.sin(theta) * r[0])
    return np.array(found)


def ours(system: nsmb.MultibodySystem, method: Any, tip: str, repeats: int) -> dict[str, Any]:
    """One case in nsmb."""
    seconds = []
    for _ in range(repeats):
        begin = time.process_time()
        sol = nsmb.simulate(system, T_END, method=method, output_times=TIMES)
        seconds.append(time.process_time() - begin)
    return {"seconds": min(seconds), "across": across_of(sol, tip).tolist()}


def pieces(count: int) -> nsmb.MultibodySystem:
    """Beams of a part of the length, each stiffened for itself."""
    area = BEAM["rho_A"] * BEAM["EI"] / (6e-4 * BEAM["EA"])
    L = BEAM["L"] / count
    elements = nsmb.flexible.beam(
        [(L * k / 8, 0.0) for k in range(9)],
        E=BEAM["EA"] / area,
        density=BEAM["rho_A"] / area,
        area=area,
        I_z=BEAM["EI"] * area / BEAM["EA"],
    )
    frame = nsmb.flexible.NodalFrame(0)
    piece = nsmb.flexible.reduce(
        elements, 0, method="craig-bampton", interface=[0, 8], frame=frame, stiffening=True
    )
    m = nsmb.Model()
    last, place = m.ground, {}
    for k in range(count):
        part = m.add_elastic_body(f"piece_{k}", piece)
        if k == 0:
            motion = _run_up(BEAM["omega"], BEAM["T"])
            m.add_joint("hub", nsmb.joints.Revolute(), last, part, motion=motion)
        else:
            m.add_joint(f"weld_{k}", nsmb.joints.Fixed(), last, part, **place)
        last, place = part, {"at": 8}
    last.marker("tip", at=8, is_output=True)
    return m.build()


def measure() -> dict[str, Any]:
    """Rows of (program, case, error in m, s per s of motion), or {} without Exudyn."""
    path = interpreter_of_exudyn()
    if path is None:
        return {}
    fine = exudyn(path, [FINE])[0]
    reference = np.interp(TIMES, fine["t"], fine["across"])
    rows = []
    for name, data, method in OURS:
        system = nsmb.systems.spin_up_beam(**data)
        rows.append(("nsmb", name, ours(system, method, "beam.tip", REPEATS)))
    method = nsmb.Midpoint(1e-3)
    rows.append(("nsmb", "4 pieces, steps of 1 ms", ours(pieces(4), method, "piece_3.tip", 1)))
    runs = exudyn(path, [case for case in THEIRS for _ in range(REPEATS)])
    for k, (n, steps) in enumerate(THEIRS):
        same = runs[REPEATS * k : REPEATS * (k + 1)]
        found = min(same, key=lambda result: float(result["seconds"]))
        label = f"{n} cables, steps of {1e3 * T_END / steps:g} ms"
        across = np.interp(TIMES, found["t"], found["across"])
        rows.append(("Exudyn", label, {**found, "across": across.tolist()}))
    return {
        "version": fine["version"],
        "farthest": float(reference.min()),
        "rows": [
            {
                "program": program,
                "case": name,
                "error": float(np.abs(np.array(result["across"]) - reference).max()),
                "time": result["seconds"] / T_END,
            }
            for program, name, result in rows
        ],
    }


def report(results: dict[str, Any]) -> None:
    if not results:
        print("Exudyn is not here: pip install exudyn, and NSMB_EXUDYN_PYTHON names its Python")
        return
    print(f"Exudyn {results['version']}; farthest behind: {results['farthest']:.5f} m")
    print(f"{'program':8} {'case':32} {'error/mm':>9} {'ms/s':>9}")
    for row in results["rows"]:
        error, ms = 1e3 * row["error"], 1e3 * row["time"]
        print(f"{row['program']:8} {row['case']:32} {error:9.3f} {ms:9.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="keeps the numbers")
    arguments = parser.parse_args()
    measured = measure()
    report(measured)
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1), "utf-8")

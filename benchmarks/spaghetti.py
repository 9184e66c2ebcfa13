"""A free beam that is thrown and bends by radians, in nsmb and in Exudyn, in one run.

    NSMB_EXUDYN_PYTHON=.../bin/python python benchmarks/spaghetti.py [--json FILE]

The beam of Simo and Vu-Quoc (J. Appl. Mech. 53, 1986): 10 m long, EA = GA = 1e4 N, EI = 500 N m²,
1 kg/m, at rest from (6, 0) to (0, 8) m; at its lower end a force along x and a moment about z grow
to 8 N and 80 N m within 2.5 s and vanish within as much. The inertia of cross-sections is that of a
section of this EA and EI, 0.05 kg m, where the source has 10. nsmb welds pieces with displacements
of second order, which do not shear; Exudyn has geometrically exact beams, which do. The error is
that of the places of both ends over 10 s, the largest of 101 times, against 256 such beams with
steps of 1 ms. Processor time of the solver alone, the least of three runs; both call a function of
Python for the loads.

The interpreter is found by NSMB_EXUDYN_PYTHON, else the one that runs this (pip install exudyn).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spin_up import interpreter_of_exudyn

import nsmb

Array = NDArray[np.float64]
HERE = Path(__file__).resolve().parent
T_END, PERIOD, REPEATS = 10.0, 0.1, 3
TIMES = np.arange(0.0, T_END + 0.5 * PERIOD, PERIOD)
BEAM = {"EA": 1e4, "GA": 1e4, "EI": 500.0, "rho_A": 1.0, "rise": 2.5, "moment": 80.0, "force": 8.0}
FORCE, MOMENT = np.array([BEAM["force"], 0.0, 0.0]), np.array([0.0, 0.0, BEAM["moment"]])
ENDS = np.array([[6.0, 0.0], [0.0, 8.0]])
OURS: list[tuple[int, int, Any]] = [
    (8, 2, nsmb.EventDriven(rtol=1e-5, atol=1e-7)),
    (16, 2, nsmb.EventDriven(rtol=1e-4, atol=1e-6)),
    (32, 1, nsmb.EventDriven(rtol=1e-4, atol=1e-6)),
]
THEIRS = [(16, 1000), (64, 1000), (128, 2000)]
FINE = (256, 10000)


def load(t: float) -> float:
    """Part of the largest one."""
    return max(0.0, 1.0 - abs(t / BEAM["rise"] - 1.0))


def pieces(count: int, elements: int) -> nsmb.MultibodySystem:
    area = 1e-4  # m², only products with it matter
    along = ENDS[1] - ENDS[0]
    L = float(np.linalg.norm(along)) / count
    beam = nsmb.flexible.beam(
        [(L * k / elements, 0.0) for k in range(elements + 1)],
        E=BEAM["EA"] / area,
        density=BEAM["rho_A"] / area,
        area=area,
        I_z=BEAM["EI"] * area / BEAM["EA"],
    )
    piece = nsmb.flexible.reduce(
        beam, 0, method="craig-bampton", interface=[0, elements],
        frame=nsmb.flexible.NodalFrame(0), stiffening=True,
    )  # fmt: skip
    m = nsmb.Model(gravity=(0.0, 0.0))
    last, place = m.ground, {}
    for k in range(count):
        part = m.add_elastic_body(f"piece_{k}", piece)
        joint = nsmb.joints.Planar() if k == 0 else nsmb.joints.Fixed()
        m.add_joint(f"joint_{k}", joint, last, part, **place)
        if k == 0:
            m.add_load(
                "throw", part,
                lambda t, *_: (load(t) * FORCE, load(t) * MOMENT),
                discontinuities=[BEAM["rise"], 2.0 * BEAM["rise"]],
            )  # fmt: skip
            part.marker("low", is_output=True)
        last, place = part, {"at": elements}
    last.marker("high", at=elements, is_output=True)
    start = (*ENDS[0], float(np.arctan2(along[1], along[0])))
    return m.build(initial={"joint_0": start})


def ours(count: int, elements: int, method: Any) -> dict[str, Any]:
    system, seconds = pieces(count, elements), []
    for _ in range(REPEATS):
        begin = time.process_time()
        sol = nsmb.simulate(system, T_END, method=method, output_times=TIMES)
        seconds.append(time.process_time() - begin)
    names = ("piece_0.low", f"piece_{count - 1}.high")
    ends = [
        [system.position(name, t, q)[:2] for name in names]
        for t, q in zip(TIMES, sol.at(TIMES).q, strict=True)
    ]
    return {"seconds": min(seconds), "ends": np.array(ends)}


def exudyn(path: str, cases: list[tuple[int, int]]) -> list[dict[str, Any]]:
    told = [
        {"beam": BEAM, "ends": ENDS.tolist(), "elements": n, "steps": steps, "t_end": T_END,
         "period": PERIOD}
        for n, steps in cases
    ]  # fmt: skip
    answer = subprocess.run(
        [path, str(HERE / "spaghetti_exudyn.py")],
        input="\n".join(map(json.dumps, told)), capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = [json.loads(line) for line in answer.stdout.splitlines()]
    for result in found:
        t, ends = np.array(result["t"]), np.array(result["ends"])
        result["ends"] = np.array(
            [[np.interp(TIMES, t, ends[:, i, k]) for k in range(2)] for i in range(2)]
        ).transpose(2, 0, 1)
    return found


def measure() -> dict[str, Any]:
    """Rows of (program, case, error in m, s per s of motion), or {} without Exudyn."""
    path = interpreter_of_exudyn()
    if path is None:
        return {}
    fine = exudyn(path, [FINE])[0]
    rows = [
        ("nsmb", f"{count} pieces of {n} elements", ours(count, n, method))
        for count, n, method in OURS
    ]
    runs = exudyn(path, [case for case in THEIRS for _ in range(REPEATS)])
    for k, (n, steps) in enumerate(THEIRS):
        same = runs[REPEATS * k : REPEATS * (k + 1)]
        best = min(same, key=lambda result: float(result["seconds"]))
        rows.append(("Exudyn", f"{n} beams, steps of {1e3 * T_END / steps:g} ms", best))
    return {
        "version": fine["version"],
        "ends": fine["ends"].tolist(),
        "rows": [
            {
                "program": program,
                "case": name,
                "error": float(np.linalg.norm(result["ends"] - fine["ends"], axis=2).max()),
                "time": result["seconds"] / T_END,
            }
            for program, name, result in rows
        ],
    }


def report(results: dict[str, Any]) -> None:
    if not results:
        print("Exudyn is not here: pip install exudyn, and NSMB_EXUDYN_PYTHON names its Python")
        return
    print(f"Exudyn {results['version']}; ends after {T_END:g} s: {results['ends'][-1]}")
    print(f"{'program':8} {'case':32} {'error/mm':>9} {'ms/s':>9}")
    for row in results["rows"]:
        error, ms = 1e3 * row["error"], 1e3 * row["time"]
        print(f"{row['program']:8} {row['case']:32} {error:9.2f} {ms:9.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="keeps the numbers")
    arguments = parser.parse_args()
    measured = measure()
    report(measured)
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1), "utf-8")

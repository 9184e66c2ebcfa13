"""A car's gearbox with rigid and with elastic teeth: processor time over time of motion.

    python benchmarks/gearbox.py [--json FILE] [--t-end SECONDS]

Seven pairs of helical gears in mesh, 403 teeth with two states each where they are elastic. The
source (Ebrahimi 2007, section 7.3) takes 10 s for 0.01 s with rigid teeth, and 120 and 270 times as
long with the elastic ones of both of its runs. Processor time, the least of three runs; the error
is that of velocities at the end, over the largest, beside a tighter tolerance, 1e-9 or with
`cvode` 1e-7, and the same teeth.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import nsmb
from nsmb.systems import car_gearbox

REPEATS = 3
SAMPLES = 200
CVODE = nsmb.EventDriven(integrator="cvode", rtol=1e-4, atol=1e-7)
RUNS: dict[str, tuple[dict[str, Any], nsmb.EventDriven]] = {
    "rigid": ({}, nsmb.EventDriven(rtol=1e-4, atol=1e-7)),
    "rigid, rtol 1e-8": ({}, nsmb.EventDriven()),
    "rigid, events": ({"events": "flanks"}, nsmb.EventDriven()),
    "static": ({"teeth": "static"}, nsmb.EventDriven(rtol=1e-4, atol=1e-7)),
    "quasi-static": ({"teeth": "quasi-static"}, CVODE),
    "elastic a": ({"teeth": "elastic"}, CVODE),
    "elastic b": ({"teeth": "elastic", "D_e": 1e4}, CVODE),
}


def reference(parameters: dict[str, Any], t_end: float) -> Any:
    integrator = "auto" if parameters.get("teeth", "rigid") in ("rigid", "static") else "cvode"
    method = nsmb.EventDriven(
        integrator=integrator, rtol=1e-9 if integrator == "auto" else 1e-7, dense_output=False
    )
    smooth = {key: value for key, value in parameters.items() if key != "events"}
    return nsmb.simulate(car_gearbox(**smooth), t_end, method=method, output_step=t_end).u[-1]


def measure(name: str, t_end: float) -> dict[str, Any]:
    parameters, method = RUNS[name]
    system = car_gearbox(**parameters)
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.process_time()
        sol = nsmb.simulate(system, t_end, method=method, output_step=t_end / SAMPLES, throw=False)
        best = min(best, time.process_time() - begin)
    exact = reference(parameters, t_end)
    return {
        "name": name,
        "status": sol.status,
        "reached": float(sol.t[-1]),
        "states": len(sol.states),
        "per_second": best / t_end,
        "error": float(np.abs(sol.u[-1] - exact).max() / np.abs(exact).max()),
        "events": len(sol.events),
        "steps": sol.stats["steps"],
        "rhs": sol.stats["rhs_evaluations"],
        "jacobians": sol.stats.get("jacobian_evaluations", 0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--t-end", type=float, default=0.01)
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print(
        "                  states  of real time  of rigid    error  events   steps  evaluations"
        "  Jacobians"
    )
    for name in RUNS:
        row = measure(name, arguments.t_end)
        rows.append(row)
        ratio = row["per_second"] / rows[0]["per_second"]
        print(
            f"{name:17} {row['states']:6} {row['per_second']:13.3g} {ratio:9.3g}"
            f" {row['error']:8.1e} {row['events']:7} {row['steps']:7} {row['rhs']:12}"
            f" {row['jacobians']:10}"
            + (
                ""
                if row["status"] == "finished"
                else f"  {row['status']} at {row['reached']:.2g} s"
            )
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()

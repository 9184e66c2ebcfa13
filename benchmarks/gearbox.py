"""A car's gearbox with rigid and with elastic teeth: processor time over time of motion.

    python benchmarks/gearbox.py [--json FILE] [--t-end SECONDS]

Seven pairs of helical gears in mesh, 403 teeth with two states each where they are elastic. The
source (Ebrahimi 2007, section 7.3) takes 10 s for 0.01 s with rigid teeth, and 120 and 270 times as
long with the elastic ones of both of its runs. Processor time, the least of three runs.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import nsmb
from nsmb.systems import car_gearbox

REPEATS = 3
SAMPLES = 200
RUNS: dict[str, tuple[dict[str, Any], nsmb.EventDriven]] = {
    "rigid": ({}, nsmb.EventDriven()),
    "rigid, rtol 1e-5": ({}, nsmb.EventDriven(rtol=1e-5)),
    "static": ({"teeth": "static"}, nsmb.EventDriven()),
    "quasi-static": ({"teeth": "quasi-static"}, nsmb.EventDriven(integrator="cvode", rtol=1e-5)),
    "elastic a": ({"teeth": "elastic"}, nsmb.EventDriven(integrator="cvode", rtol=1e-5)),
    "elastic b": (
        {"teeth": "elastic", "D_e": 1e4}, nsmb.EventDriven(integrator="cvode", rtol=1e-5),
    ),
}  # fmt: skip


def measure(name: str, t_end: float) -> dict[str, Any]:
    parameters, method = RUNS[name]
    system = car_gearbox(**parameters)
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.process_time()
        sol = nsmb.simulate(system, t_end, method=method, output_step=t_end / SAMPLES, throw=False)
        best = min(best, time.process_time() - begin)
    return {
        "name": name,
        "status": sol.status,
        "reached": float(sol.t[-1]),
        "states": len(sol.states),
        "per_second": best / t_end,
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
        "                  states  of real time  of rigid  events   steps  evaluations  Jacobians"
    )
    for name in RUNS:
        row = measure(name, arguments.t_end)
        rows.append(row)
        ratio = row["per_second"] / rows[0]["per_second"]
        print(
            f"{name:17} {row['states']:6} {row['per_second']:13.3g} {ratio:9.3g} {row['events']:7}"
            f" {row['steps']:7} {row['rhs']:12} {row['jacobians']:10}"
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

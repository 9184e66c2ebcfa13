"""A car gearbox with rigid and with elastic teeth: processor time relative to time of motion.

Seven pairs of helical gears are in mesh. Elastic teeth are 403 teeth with two states each. The
source (Ebrahimi 2007, section 7.3) takes 10 s for 0.01 s with rigid teeth, and 120 and 270 times as
long for its two runs with elastic teeth. The error is that of the final velocities relative to the
largest one. The reference has the same teeth and a tolerance of 1e-9, with `cvode` 1e-7.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import nsmb
from benchmarks.harness import benchmark, printed, timed
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


def row_of(name: str, t_end: float) -> dict[str, Any]:
    parameters, method = RUNS[name]
    system = car_gearbox(**parameters)
    output = {"output_step": t_end / SAMPLES, "throw": False}
    sol, seconds = timed(lambda: nsmb.simulate(system, t_end, method=method, **output), REPEATS)
    exact = reference(parameters, t_end)
    return {
        "name": name,
        "status": sol.status,
        "reached": float(sol.t[-1]),
        "states": len(sol.states),
        "per_second": seconds / t_end,
        "error": float(np.abs(sol.u[-1] - exact).max() / np.abs(exact).max()),
        "events": len(sol.events),
        "steps": sol.stats["steps"],
        "rhs": sol.stats["rhs_evaluations"],
        "jacobians": sol.stats.get("jacobian_evaluations", 0),
    }


@benchmark("gearbox", "A car's gearbox with rigid and with elastic teeth", alone=True)
def measure(t_end: float = 0.01, runs: tuple[str, ...] = tuple(RUNS)) -> list[dict[str, Any]]:
    """Measure processor time relative to the time of motion, and to the first run."""
    rows: list[dict[str, Any]] = []
    for name in runs:
        row = row_of(name, t_end)
        first = rows[0] if rows else row
        rows.append(printed(row | {"of_rigid": row["per_second"] / first["per_second"]}))
    return rows

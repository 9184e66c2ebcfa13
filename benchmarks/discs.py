"""Stiff elastic discs with schemes that compute forces: force error and time over the step size.

The system is `nsmb.systems.elastic_discs` with E = 2e8 N/m and the numbers of free modes of the
source (Ebrahimi 2007, Fig. 5.7), started just before contact. For each number of modes: the
event-driven run with its contact duration, largest force and final velocities. For each level and
step size: the root mean square of the deviation of the force from the mean exact force over the
step, divided by the largest force; the final relative velocity; and the processor time of the
solver alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from benchmarks.harness import benchmark, printed, timed

Array = NDArray[np.float64]
T_END, GAP, OFTEN = 8.5e-4, 1e-5, 5e-7  # s, m, s
LEVELS: dict[str, Any] = {
    "rk4-position": lambda step: nsmb.PositionForces(step, mixing=0.5),
    "rk4-velocity": nsmb.VelocityForces,
}


def run(system: nsmb.System, method: Any, output_step: float) -> tuple[nsmb.Solution, float]:
    options = {"method": method, "output_step": output_step, "throw": False}
    return timed(lambda: nsmb.simulate(system, T_END, **options))


def velocities(sol: nsmb.Solution) -> Array:
    names = sol.coordinates
    return np.asarray(sol.u[-1, [names.index("left_frame.x"), names.index("right_frame.x")]])


def of_modes(modes: int, steps: tuple[float, ...]) -> dict[str, Any]:
    system = nsmb.systems.elastic_discs(E=2e8, modes=modes, gap=GAP)
    exact, took = run(system, nsmb.EventDriven(), OFTEN)
    force = exact.lambda_N.sum(axis=1)
    total = np.append(0.0, np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(exact.t)))
    after = velocities(exact)
    found: dict[str, Any] = {
        "modes": modes, "time": took, "peak": float(force.max()), "sum": float(after.sum()),
        "duration": float(exact.events.of_kind("detach").t[-1] - exact.events.t[0]),
        "apart": float(np.diff(after)[0]), "runs": [],
    }  # fmt: skip
    printed(found)
    for scheme, method in LEVELS.items():
        for step in steps:
            sol, took = run(system, method(step), step)
            mean = np.diff(np.interp(sol.t, exact.t, total)) / np.diff(sol.t)
            error = np.sqrt(np.mean((sol.lambda_N[1:].sum(axis=1) - mean) ** 2)) / force.max()
            after = velocities(sol)
            row = {
                "scheme": scheme, "step": step, "status": sol.status, "error": float(error),
                "apart": float(np.diff(after)[0]), "sum": float(after.sum()), "time": took,
            }  # fmt: skip
            found["runs"].append(printed(row))
    return found


@benchmark("discs", "Stiff elastic discs by schemes that find forces", alone=True)
def measure(
    modes: tuple[int, ...] = (55, 100, 200), steps: tuple[float, ...] = (2e-5, 1.5e-5, 1e-5, 5e-6)
) -> list[dict[str, Any]]:
    """Measure a row for each number of modes, in ten minutes."""
    return [of_modes(count, steps) for count in modes]

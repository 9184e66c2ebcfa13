"""Single parts: complementarity problems, and smooth motion without contacts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from benchmarks import lcp_siconos
from benchmarks.harness import alternate, benchmark, timed
from nsmb._core import complementarity

Floats = NDArray[np.float64]

SIZES = (5, 15, 40)
PROBLEMS = 400
INTEGRATORS = ("dp853", "arkode_fehlberg78", "arkode_verner56", "arkode_dormand_prince45")
TOLERANCES = [10.0 ** (-k / 2) for k in range(12, 27)]
TARGET = 1e-9  # error at which the integrators are compared


@benchmark("lcp", "Complementarity problems of planar contacts, (6.35) with random data, Lemke")
def lcp_times(sizes: tuple[int, ...] = SIZES, repeats: int = 11) -> list[dict[str, Any]]:
    """Measure the time per problem through the Python binding, cold and from the solution."""
    rng = np.random.default_rng(1)
    rows = []
    for size in sizes:
        drawn = (lcp_siconos.friction(rng, size) for _ in range(PROBLEMS))
        problems = [(np.asfortranarray(A), b) for A, b in drawn]
        first = [complementarity.solve_lemke(A, b) for A, b in problems]
        solved = [r.status == complementarity.LcpStatus.SOLVED for r in first]
        starts = [r.x if ok else None for r, ok in zip(first, solved, strict=True)]

        def cold(problems: Any = problems) -> None:
            for A, b in problems:
                complementarity.solve_lemke(A, b)

        def warm(problems: Any = problems, starts: Any = starts) -> None:
            for (A, b), x in zip(problems, starts, strict=True):
                complementarity.solve_lemke(A, b, x)

        times = alternate({"cold": cold, "warm": warm}, repeats)
        rows.append(
            {
                "n": size,
                "solved": sum(solved),
                "problems": PROBLEMS,
                "pivots": float(np.mean([r.pivots for r in first])),
                **{key: min(taken) / PROBLEMS for key, taken in times.items()},
            }
        )
    return rows


def free_toy() -> nsmb.LinearSystem:
    """Build the woodpecker without its contacts."""
    toy = nsmb.systems.woodpecker()
    assert isinstance(toy, nsmb.LinearSystem)
    zero = np.zeros(toy.nq)
    force = toy.forces(0.0, zero, zero)
    return nsmb.LinearSystem(toy.M, toy.K, force=force, initial_state=toy.initial_state)


def run_free(
    system: nsmb.System, method: nsmb.EventDriven, repeats: int = 1
) -> tuple[nsmb.Simulator, float]:
    """Return the final state after 1 s of motion, and the processor time."""

    def advance(simulator: nsmb.Simulator) -> nsmb.Simulator:
        simulator.advance(1.0)
        return simulator

    return timed(advance, repeats, prepare=lambda: nsmb.Simulator(system, method, output_step=0.0))


@benchmark("smooth_motion", f"Free motion of the toy, 1 s, at a relative error of {TARGET:g}")
def smooth_motion(repeats: int = 11) -> list[dict[str, Any]]:
    """Measure error and time over rtol, and the time at the error `TARGET`, by integrator."""
    system = free_toy()
    exact, _ = run_free(system, nsmb.EventDriven(dense_output=False))
    scale = np.abs(np.concatenate([exact.q, exact.u]))
    rows = []
    for name in INTEGRATORS:
        errors, steps, seconds = np.empty((3, len(TOLERANCES)))
        for j, rtol in enumerate(TOLERANCES):
            method = nsmb.EventDriven(integrator=name, rtol=rtol, dense_output=False)
            end, seconds[j] = run_free(system, method, repeats)
            difference = np.concatenate([end.q - exact.q, end.u - exact.u])
            errors[j] = np.max(np.abs(difference) / scale)
            steps[j] = end._core.statistics["steps"]
        rows.append(
            {
                "integrator": name,
                "rtol": TOLERANCES,
                "errors": errors.tolist(),
                "times": seconds.tolist(),
                "steps": steps.tolist(),
                "time_at_target": power_law_at(TARGET, errors, seconds),
                "steps_at_target": power_law_at(TARGET, errors, steps),
            }
        )
    return rows


def power_law_at(error: float, errors: Floats, values: Floats) -> float:
    """Return the value at an error, from a line through the logarithms within three decades."""
    x, y = np.log10(errors), np.log10(values)
    near = np.abs(x - np.log10(error)) < 3.0
    slope, offset = np.polyfit(x[near], y[near], 1)
    return float(10.0 ** (slope * np.log10(error) + offset))

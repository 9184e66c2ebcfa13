"""Single parts: complementarity problems, and smooth motion without contacts."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb._core import complementarity

Floats = NDArray[np.float64]

SIZES = (5, 15, 40)
PROBLEMS = 400
INTEGRATORS = ("dp853", "arkode_fehlberg78", "arkode_verner56", "arkode_dormand_prince45")
TOLERANCES = [10.0 ** (-k / 2) for k in range(12, 27)]
TARGET = 1e-9  # error at which the integrators are compared


def contact_problem(rng: np.random.Generator, contacts: int) -> tuple[Floats, Floats]:
    """A stick-slip problem of the form of (6.35): five unknowns for each planar contact.

    x = (λ_N, λ_T⁺, λ_T⁻, z⁺, z⁻) with friction λ_T⁺ - λ_T⁻, bounded by μ λ_N, and random data.
    """
    coordinates = 2 * contacts + 1
    L = rng.standard_normal((coordinates, coordinates))
    M = L @ L.T + coordinates * np.eye(coordinates)
    w_N, w_T = rng.standard_normal((2, coordinates, contacts))
    D = np.hstack([w_N, w_T, -w_T])
    one, zero = np.eye(contacts), np.zeros((contacts, contacts))
    lower = np.block([[0.3 * one, -one, zero], [0.3 * one, zero, -one]])
    upper = np.block([[zero, zero], [one, zero], [zero, one]])
    A = np.block([[D.T @ np.linalg.solve(M, D), upper], [lower, np.zeros((2 * contacts,) * 2)]])
    b = np.concatenate([D.T @ rng.standard_normal(coordinates), np.zeros(2 * contacts)])
    return np.asfortranarray(A), b


def lcp_times(repetitions: int) -> list[dict[str, Any]]:
    """Time per problem through the Python binding, cold and started from the solution."""
    rng = np.random.default_rng(1)
    rows = []
    for size in SIZES:
        problems = [contact_problem(rng, size // 5) for _ in range(PROBLEMS)]
        first = [complementarity.solve_lemke(A, b) for A, b in problems]
        solved = [r.status == complementarity.LcpStatus.SOLVED for r in first]
        starts = [r.x if ok else None for r, ok in zip(first, solved, strict=True)]
        cold, warm = [], []
        for _ in range(repetitions):
            begin = time.thread_time()
            for A, b in problems:
                complementarity.solve_lemke(A, b)
            middle = time.thread_time()
            for (A, b), x in zip(problems, starts, strict=True):
                complementarity.solve_lemke(A, b, x)
            cold.append((middle - begin) / PROBLEMS)
            warm.append((time.thread_time() - middle) / PROBLEMS)
        rows.append(
            {
                "n": size,
                "solved": sum(solved),
                "problems": PROBLEMS,
                "pivots": float(np.mean([r.pivots for r in first])),
                "cold": float(np.median(cold)),
                "warm": float(np.median(warm)),
            }
        )
    return rows


def free_toy() -> nsmb.LinearSystem:
    """The toy without its contacts."""
    toy = nsmb.systems.woodpecker()
    assert isinstance(toy, nsmb.LinearSystem)
    zero = np.zeros(toy.nq)
    force = toy.forces(0.0, zero, zero)
    return nsmb.LinearSystem(toy.M, toy.K, force=force, initial_state=toy.initial_state)


def run_free(system: nsmb.System, method: nsmb.EventDriven) -> tuple[float, nsmb.Simulator]:
    """(time of 1 s of motion, its end)."""
    simulator = nsmb.Simulator(system, method, output_step=0.0)
    begin = time.thread_time()
    simulator.advance(1.0)
    return time.thread_time() - begin, simulator


def smooth_motion(repetitions: int) -> list[dict[str, Any]]:
    """Per integrator: error and time against rtol, and the time at the error `TARGET`."""
    system = free_toy()
    _, exact = run_free(system, nsmb.EventDriven(dense_output=False))
    scale = np.abs(np.concatenate([exact.q, exact.u]))
    times = np.empty((repetitions, len(INTEGRATORS), len(TOLERANCES)))
    errors, steps = np.empty(times.shape[1:]), np.empty(times.shape[1:])
    for k, i, j in np.ndindex(*times.shape):
        method = nsmb.EventDriven(integrator=INTEGRATORS[i], rtol=TOLERANCES[j], dense_output=False)
        times[k, i, j], end = run_free(system, method)
        difference = np.concatenate([end.q - exact.q, end.u - exact.u])
        errors[i, j] = np.max(np.abs(difference) / scale)
        steps[i, j] = end._core.statistics["steps"]
    seconds = np.median(times, axis=0)
    return [
        {
            "integrator": name,
            "rtol": TOLERANCES,
            "errors": errors[i].tolist(),
            "wall_times": seconds[i].tolist(),
            "steps": steps[i].tolist(),
            "time_at_target": power_law_at(TARGET, errors[i], seconds[i]),
            "steps_at_target": power_law_at(TARGET, errors[i], steps[i]),
        }
        for i, name in enumerate(INTEGRATORS)
    ]


def power_law_at(error: float, errors: Floats, values: Floats) -> float:
    """Value at an error, from a line through the logarithms within three decades of it."""
    x, y = np.log10(errors), np.log10(values)
    near = np.abs(x - np.log10(error)) < 3.0
    slope, offset = np.polyfit(x[near], y[near], 1)
    return float(10.0 ** (slope * np.log10(error) + offset))

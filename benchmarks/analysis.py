"""Analyses: orbits, monodromy matrices, diagrams; hand-written SciPy programs."""

from __future__ import annotations

import functools
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import nsmb
from benchmarks.harness import alternate, benchmark, timed
from nsmb import systems
from nsmb.analysis import bifurcation_diagram, continuation, every, on_event, periodic_orbit
from nsmb.analysis.results import Section
from tests.oracles import vibro_impact_scipy as by_hand

ORBITS = 12  # orbits of each system
PAIRS = 15  # pairs of runs with and without derivative
ROUNDS = 5  # rounds of diagrams on 1 and 2 workers
CHAINS = 40  # pieces of a diagram
SCIPY_ROUNDS = 3
SCIPY_RTOL = 1e-10


def median(values: Sequence[float]) -> float:
    return float(np.median(values))


# Periodic orbits.


def orbits() -> list[dict[str, Any]]:
    """Count orbits per second from rest, from a neighbour, and along a branch, for each system."""
    impact, strobe = on_event("impact"), every()
    cases: list[tuple[str, nsmb.System, Section, str, float, int]] = [
        ("woodpecker", systems.woodpecker(), on_event("impact", "beak"), "mu", 0.32, 1),
        ("impact oscillator", systems.impact_oscillator(), strobe, "F", 0.65, 1),
        ("gear rattling", systems.gear_rattling(), impact, "alpha", 1.44, 4),
    ]
    rows = []
    for name, system, section, parameter, last, count in cases:
        values = np.linspace(system.parameters[parameter], last, ORBITS)
        cold, warm, residual = [], [], 0.0
        before = periodic_orbit(system, section=section)
        for value in values:
            new = system.with_parameters(**{parameter: float(value)})
            near = nsmb.State(before.t, before.q, before.u, before.x)
            search = functools.partial(periodic_orbit, new, section=section)
            found, taken = timed(search)
            cold.append(taken)
            near_by = functools.partial(search, start=near, section_points=count)
            before, taken = timed(near_by)
            warm.append(taken)
            residual = max(residual, found.residual, before.residual)
        first = periodic_orbit(system, section=section)
        span = (float(values[0]), last)
        follow = functools.partial(continuation, first, parameter, span, max_points=ORBITS)
        branch, seconds = timed(follow)
        rows.append(
            {
                "system": name,
                "orbits": ORBITS,
                "impacts": sum(event.startswith("impact") for event in first.event_sequence),
                "events": len(first.event_sequence),
                "from_rest": 1.0 / median(cold),
                "from_neighbour": 1.0 / median(warm),
                "along_branch": len(branch.points) / seconds,
                "branch": len(branch.points),
                "special_points": [point.kind for point in branch.special_points],
                "residual": residual,
            }
        )
    return rows


# Monodromy matrices.


def monodromy() -> list[dict[str, Any]]:
    """Compute the ratio of times of runs with and without derivative, pair by pair."""
    toy, driven = ("mu", "e_beak", "c_phi"), ("F", "omega", "e")
    cases: list[tuple[str, nsmb.System, str, float, tuple[str, ...]]] = [
        ("woodpecker", systems.woodpecker(), "linear_flow", 3.0, toy),
        ("woodpecker", systems.woodpecker(), "dp853", 1.0, toy),
        ("woodpecker, compiled", systems.woodpecker.symbolic(linear=False), "dp853", 1.0, toy),
        ("woodpecker, bodies", systems.woodpecker_4dof(), "dp853", 0.3, ()),
        ("impact oscillator", systems.impact_oscillator(), "linear_flow", 1000.0, driven),
        ("impact oscillator", systems.impact_oscillator(), "dp853", 300.0, driven),
        ("gear rattling", systems.gear_rattling(), "linear_flow", 300.0, ("alpha", "beta", "e")),
    ]
    rows = []
    for name, system, integrator, duration, names in cases:
        method = nsmb.EventDriven(impact_law="poisson", integrator=integrator, dense_output=False)
        plain = nsmb.Simulator(system, method, output_step=0.0)
        plain.advance(3.0 * duration)
        start = plain.t, plain.q.copy(), plain.u.copy(), plain.x.copy()
        row: dict[str, Any] = {
            "system": name, "integrator": integrator, "nu": system.nu, "ratio": {}, "names": names,
        }  # fmt: skip
        for count in (0, 1, 3) if names else (0,):
            follower = nsmb.Simulator(
                system, method, output_step=0.0, sensitivity=names[:count] or True
            )
            works = {key: _run(key, start, duration) for key in (plain, follower)}
            alone, both = alternate(works, PAIRS).values()
            row["ratio"][count] = min(both) / min(alone)
            row["seconds"] = min(alone)
        row["events"] = plain._core.statistics["events"]
        rows.append(row)
    return rows


def _run(simulator: nsmb.Simulator, start: tuple[Any, ...], duration: float) -> Callable[[], None]:
    def run() -> None:
        simulator.reset(*start)
        simulator.advance(start[0] + duration)

    return run


# Diagrams on one and two workers.


def diagrams() -> list[dict[str, Any]]:
    """Count the points of diagrams per second, with one worker and with two."""
    cases = [
        ("impact oscillator", systems.impact_oscillator(), "F", np.linspace(0.45, 0.8, 300)),
        ("gear rattling", systems.gear_rattling(), "alpha", np.linspace(1.3, 1.6, 160)),
    ]
    spawn = multiprocessing.get_context("spawn")
    rows = []
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, mp_context=spawn) as processes:
        list(processes.map(time.sleep, [0.2] * 4))  # both workers have started
        executors: dict[str, tuple[Executor | None, int]] = {
            "1 core": (None, 1),
            "2 threads": (threads, 2),
            "2 processes": (processes, 2),
        }
        for name, system, parameter, values in cases:
            # Wall time, processor time, and wall time on a quiet machine.
            runs: dict[str, list[tuple[float, ...]]] = {key: [] for key in executors}
            tables = set()
            task = functools.partial(
                bifurcation_diagram, system, parameter, values, restarts=CHAINS
            )
            for _ in range(ROUNDS):
                for key, (executor, workers) in executors.items():
                    diagram, times = _timed(task, executor, workers)
                    runs[key].append(times)
                    tables.add(diagram.points.tobytes())
            size = diagram.points.shape[0] * diagram.points.shape[1]
            wall, used, quiet = (
                {key: np.array(found)[:, i] for key, found in runs.items()} for i in range(3)
            )
            waited = {key: (wall[key] - quiet[key]) / wall[key] for key in runs}
            rows.append(
                {
                    "system": name,
                    "points": size,
                    "section_points": 3 * size,  # the transient is twice as long
                    "per_second": {key: size / median(quiet[key]) for key in runs},
                    "wall_per_second": {key: size / median(wall[key]) for key in runs},
                    "waited": {key: median(waited[key]) for key in runs},
                    "efficiency": {
                        key: median(quiet["1 core"] / quiet[key]) / executors[key][1]
                        for key in runs
                    },
                    # Speed-up of the round with the least waiting, over the median of one core.
                    "quietest": {
                        key: median(quiet["1 core"])
                        / float(quiet[key][np.argmin(waited[key])])
                        / executors[key][1]
                        for key in runs
                    },
                    "processor_time": {key: median(used[key] / used["1 core"]) for key in runs},
                    "same": len(tables) == 1,
                }
            )
    return rows


def _timed(
    task: Callable[..., Any], executor: Executor | None, workers: int
) -> tuple[Any, tuple[float, float, float]]:
    """Return the result of `task`, its wall time, processor time, and estimated quiet wall time.

    The last is the wall time minus the mean time for which the workers were ready to run but did
    not get a processor. Where the operating system does not report this (Linux does), it is the
    wall time.
    """
    before = _schedule()
    begin = time.perf_counter()
    result = task(executor=executor)
    wall = time.perf_counter() - begin
    used = sorted(
        (tuple(np.subtract(row, before.get(key, (0.0, 0.0)))) for key, row in _schedule().items()),
        reverse=True,
    )
    delay = sum(row[1] for row in used[:workers]) / workers
    return result, (wall, float(sum(row[0] for row in used)), float(wall - delay))


def _schedule() -> dict[str, tuple[float, float]]:
    """Return times running and waiting for a processor, for each thread and child, s."""
    pids = [os.getpid(), *(child.pid for child in multiprocessing.active_children())]
    rows = {}
    for pid in pids:
        for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            on, waiting, _ = path.read_text("ascii").split()
            rows[str(path)] = (1e-9 * int(on), 1e-9 * int(waiting))
    return rows


# Hand-written SciPy programs.


def by_hand_tables(build: Callable[[float], Any], kind: str, values: list[float]) -> list[Any]:
    return [by_hand.section_points(build(v), kind, 100, 50, SCIPY_RTOL) for v in values]


def scipy_by_hand() -> list[dict[str, Any]]:
    """Compute the same diagram with ``solve_ivp`` and terminal events."""
    methods = {
        "closed-form flow": nsmb.EventDriven(impact_law="poisson", integrator="linear_flow"),
        "dp853, same rtol": nsmb.EventDriven(
            impact_law="poisson", integrator="dp853", rtol=SCIPY_RTOL
        ),
    }
    cases: list[tuple[str, nsmb.System, Callable[[float], Any], str, list[float], str]] = [
        ("impact oscillator", systems.impact_oscillator(), by_hand.impact_oscillator, "F",
         [0.46, 0.5, 0.55], "period"),
        ("gear rattling, e = 0.6", systems.gear_rattling(e=0.6),
         lambda alpha: by_hand.gear_rattling(alpha, e=0.6), "alpha", [1.7, 1.75, 1.8], "impact"),
    ]  # fmt: skip
    rows = []
    for name, system, build, parameter, values, kind in cases:
        section = every() if kind == "period" else on_event("impact")
        ratios: dict[str, list[float]] = {key: [] for key in methods}
        apart: dict[str, float] = {}
        times = []
        for _ in range(SCIPY_ROUNDS):
            tables, taken = timed(functools.partial(by_hand_tables, build, kind, values))
            times.append(taken)
            for key, method in methods.items():
                task = functools.partial(
                    bifurcation_diagram, system, parameter, values, section=section,
                    transient=100, samples=50, follow=None, method=method,
                )  # fmt: skip
                diagram, taken = timed(task)
                ratios[key].append(times[-1] / taken)
                theirs = np.array([table[:, 2] for table in tables])
                apart[key] = float(np.abs(diagram.points[:, :, 0] - theirs).max())
        rows.append(
            {
                "system": name,
                "points": 50 * len(values),
                "scipy_per_second": 50 * len(values) / median(times),
                "faster": {key: median(ratio) for key, ratio in ratios.items()},
                "apart": apart,
                "periods": diagram.periods.tolist(),
            }
        )
    return rows


@benchmark("analysis", "The laboratory of nonlinear dynamics: orbits, diagrams, monodromy matrices")
def measure(
    parts: tuple[str, ...] = ("orbits", "monodromy", "diagrams", "scipy"),
) -> dict[str, Any]:
    works = {
        "orbits": orbits,
        "monodromy": monodromy,
        "diagrams": diagrams,
        "scipy": scipy_by_hand,
    }
    return {part: works[part]() for part in parts}

"""Runs of a hundred thousand steps: ``python -m tests.campaign.long_runs``.

Samples of a pile and of a stack of shapes are checked against the contact laws as in `step_check`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb.simulation.core_simulator import core_simulator
from tests.campaign.case import Case
from tests.campaign.findings import Findings
from tests.campaign.scenes import G, Scene
from tests.campaign.step_check import Record, natural_map, steps
from tests.support.found_table import found_table

Array = NDArray[np.float64]

STEPS = 100_000
STEP = 2.0**-10  # s, a power of two, so that samples are ends of steps
SAMPLES, LOOKED_AT = 100, 4
RADIUS, WIDTH = 0.05, 0.6  # m
DENSITY = 2500.0


def run_pairs(case: Case, count: int) -> tuple[Any, dict[str, Any], list[Record]]:
    """Return the output of the core, and the start and end of one step per hundredth of the run."""
    system = case.system()
    step = case.method["step"]
    ends = np.unique(np.linspace(2, count, min(SAMPLES, count // 2)).astype(int))
    times = step * np.unique(np.concatenate([ends - 1, ends])).astype(np.float64)
    run = core_simulator(system, nsmb.Midpoint(**case.method, dense_output=False))
    start = system.initial_state
    run.reset(start.t, start.q, start.u, np.zeros(0))
    run.set_output_times(times)
    run.advance(count * step)
    data = run.trajectory()
    table = found_table(data)
    t, y, n = data["t"], data["y"], system.nq
    pairs = []
    for end in ends:
        k = int(np.searchsorted(t, (end - 0.5) * step))
        rows = slice(int(table["first"][k]), int(table["first"][k + 1]))
        own = {key: value[rows] for key, value in table.items() if key != "first"}
        own["first"] = np.array([0, 0, rows.stop - rows.start])
        two = slice(k - 1, k + 1)
        status, residual = (data[name][end - 1 : end] for name in ("step_status", "step_residual"))
        pairs.append(Record(t[two], y[two, :n], y[two, n : n + system.nu], status, residual, own))
    return system, data, pairs


def judge_pairs(case: Case, system: Any, pairs: list[Record], found: Findings) -> None:
    """Check the contact laws and the momentum balance of some steps.

    Matrices of all velocities are dense here, so that all steps would be too slow.
    """
    tol = case.method["tol"]
    for pair in pairs[:: -(-len(pairs) // LOOKED_AT)]:
        (step,) = steps(case, system, pair)
        if pair.status[0] == 0:
            found.judge("momentum", step.balance, 1e-8, step.t)
        if not len(step.impulses) or pair.status[0] != 0:
            continue
        error, rounding = natural_map(step)
        found.judge("laws of contact", error, 1.05 * tol + rounding, step.t)


def judge_steps(data: dict[str, Any], tol: float, count: int, found: Findings) -> None:
    """Check the number of steps, that all are finite, and that residuals match their status."""
    found.judge("steps", abs(len(data["step_status"]) - count), 0.5, float(data["t"][-1]))
    for name in ("y", "step_residual"):
        found.judge("not finite", float(not np.isfinite(data[name]).all()), 0.5, 0.0)
    silent = (data["step_residual"] > tol) & (data["step_status"] == 0)
    found.judge("misses that are not reported", float(silent.sum()), 0.5, 0.0)


def depth(pair: Record) -> float:
    return -float(pair.table["g_N"].min(initial=0.0))


def pile(count: int = STEPS, n: int = 200) -> tuple[Findings, str]:
    """Check the penetration of spheres that fall into a box.

    While they fall, it is at most the displacement of one step at the fastest approach. At rest,
    solvers leave a velocity error of tol times that of a fall in one step, which may accumulate.
    """
    rng = np.random.default_rng(7)
    scene = Scene(rng, np.array([0.0, 0.0, -G]))
    scene.half_space(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    for axis in (0, 1):
        for side in (-1.0, 1.0):
            inwards = np.zeros(3)
            inwards[axis] = -side
            scene.half_space(-0.5 * WIDTH * inwards, inwards)
    across = int(WIDTH / (2.5 * RADIUS))
    for k in range(n):
        radius = RADIUS * rng.uniform(0.8, 1.2)
        mass = DENSITY * 4.0 / 3.0 * np.pi * radius**3
        cell = np.array([k % across, k // across % across, k // across**2])
        place = 2.5 * RADIUS * (cell + 0.5)
        place[:2] += rng.uniform(-0.1, 0.1, 2) * RADIUS - 0.5 * across * 2.5 * RADIUS
        q = np.concatenate([place, [1.0, 0.0, 0.0, 0.0]])
        scene.body(f"Sphere({radius!r})", radius, mass, q, np.zeros(6),
                   inertia=0.4 * mass * radius**2 * np.eye(3))  # fmt: skip
    scene.law(("a", "a"), {"mu": 0.4, "e_N": 0.0, "mu_R": 2e-3, "mu_D": 1e-3})
    case = case_of(scene, count, tol=1e-6)
    system, data, pairs = run_pairs(case, count)
    found = Findings()
    judge_steps(data, 1e-6, count, found)
    judge_pairs(case, system, pairs, found)
    height = float(system.initial_state.q[2::7].max())
    bound = STEP * np.sqrt(2.0 * G * height) + 1e-6 * G * STEP * count * STEP
    deepest = [depth(pair) for pair in pairs]
    found.judge("penetration", np.array(deepest), bound, np.array([p.t[-1] for p in pairs]))
    missed = int((data["step_status"] != 0).sum())
    text = (
        f"deepest {max(deepest):.3g} m of {bound:.3g} m allowed, in the end {deepest[-1]:.3g} m; "
        f"{missed} steps missed, worst {data['step_residual'].max():.2g}; "
        f"fastest in the end {np.abs(pairs[-1].u[-1]).max():.2g}"
    )
    return found, text


def stack(count: int = STEPS, n: int = 6) -> tuple[Findings, str]:
    """Check a stack of slightly rotated cubes: contacts persist, and nothing moves."""
    scene = Scene(np.random.default_rng(1), np.array([0.0, 0.0, -G]))
    scene.half_space(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    for k in range(n):
        half = 0.05 * k
        q = np.array([0.01 * (k % 2), 0, 0.1 + 0.2 * k, np.cos(half), 0, 0, np.sin(half)])
        scene.body("Box([0.2, 0.2, 0.2])", 0.2, 8.0, q, np.zeros(6),
                   inertia=8.0 * 0.04 / 6.0 * np.eye(3))  # fmt: skip
    scene.law(("a", "a"), {"mu": 0.5, "e_N": 0.0})
    case = case_of(scene, count, tol=1e-8)
    system, data, pairs = run_pairs(case, count)
    found = Findings()
    judge_steps(data, 1e-8, count, found)
    judge_pairs(case, system, pairs, found)
    kept = [frozenset(pair.table["identity"].tolist()) for pair in pairs]
    found.judge("contacts", abs(len(kept[0]) - 4 * n), 0.5, 0.0)
    changes = sum(kept[0] != other for other in kept)
    found.judge("samples with other contacts", changes, 0.5, 0.0)
    way = max(float(np.abs(pair.q[-1] - system.initial_state.q).max()) for pair in pairs)
    # tol times the velocities of all contacts after a fall of one step.
    bound = 1e-8 * G * STEP * np.sqrt(12.0 * n) * count * STEP
    found.judge("way", way, bound, 0.0)
    missed = int((data["step_status"] != 0).sum())
    return found, f"way {way:.3g} m of {bound:.3g} m allowed; {missed} steps missed"


def case_of(scene: Scene, count: int, tol: float) -> Case:
    method = {"step": STEP, "start_tolerance": 1e9, "tol": tol}
    return Case("stepped", 0, scene.source(), count * STEP, None, None, method, scene.spec(),
                method_type="Midpoint")  # fmt: skip


PARTS: dict[str, Callable[[int], tuple[Findings, str]]] = {"pile": pile, "stack": stack}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--part", action="append", choices=sorted(PARTS), help="default: all")
    options = parser.parse_args()
    wrong = False
    for name in options.part or PARTS:
        before = time.process_time()
        found, text = PARTS[name](options.steps)
        spent = time.process_time() - before
        print(f"{name:8} {options.steps} steps, {spent:.0f} s: {text}", flush=True)
        for finding in found:
            print(f"  {finding}", flush=True)
        wrong = wrong or bool(found)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())

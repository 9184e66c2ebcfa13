"""Runs all benchmarks, prints a report, and writes the numbers to build/benchmarks.json.

With ``--record`` the file is kept as ``benchmarks/results/<version>-<date>.json``, too, which the
pages of the site show from then on.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import allocations
import analysis
import explorer
import forward_dynamics
import friction_siconos
import lcp_siconos
import machines
import mass_tower
import mcp
import numpy as np
import orders
import parts
import piles
import polygon_search
import scaling
import siconos_process
import stepping
import woodpecker
from counted.compare import write
from counted.environment import compilers, cpuinfo, git, package_version

import nsmb

RESULTS = Path(__file__).resolve().parents[1] / "build" / "benchmarks.json"
RECORDS = Path(__file__).resolve().parent / "results"
REPETITIONS = 11


def describe_machine(siconos: str | None) -> dict[str, Any]:
    return {
        "processor": cpuinfo("model name") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if os.name == "posix" else None,
        "compiler": ", ".join(compilers()),
        "nsmb": nsmb.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": package_version("scipy"),
        "siconos": siconos_process.version() if siconos else None,
        "pinocchio": package_version("pin"),
    }


def heading(text: str) -> None:
    print(f"\n{text}\n{'─' * len(text)}")


def print_machine(machine: dict[str, Any]) -> None:
    programs = ("nsmb", "python", "numpy", "scipy", "siconos", "pinocchio")
    names = [name for name in programs if machine[name]]
    versions = ", ".join(f"{name} {machine[name]}" for name in names)
    print(f"{machine['processor']}, {machine['cores']} cores; {versions}")


def print_comparison(result: dict[str, Any]) -> None:
    heading(f"Woodpecker toy on its limit cycle, mu = {result['mu']:g}")
    oracle = result["oracle_period"]
    second = f"SciPy oracle {oracle:.14f} s" if oracle else "no SciPy, so no second opinion"
    print(f"period: closed-form flow {result['period']:.14f} s; {second}")
    print(f"{'':43} {'1 s takes':>12} {'period off by':>15}   faster than Siconos (range)")
    for name, row in result["methods"].items():
        faster = row["faster"]
        ratio = f"{faster[0]:.0f} ({faster[1]:.0f} - {faster[2]:.0f})" if faster else ""
        error = "" if row["period_error"] is None else f"{row['period_error']:.1e} s"
        print(f"{name:43} {1e3 * row['seconds']:9.3f} ms {error:>15}   {ratio}")


def print_event_rate(rows: list[dict[str, Any]]) -> None:
    heading("Events per second: 100 s of the toy, mu = 0.3, no output")
    for row in rows:
        print(f"{row['method']:43} {row['events_per_second']:10,.0f}   ({row['events']} events)")


def print_allocations(table: dict[str, dict[str, float]] | None) -> None:
    heading("Heap allocations in the core after warm-up")
    if table is None:
        print("skipped: needs Linux with glibc and a C compiler")
        return
    print(
        f"{'':20} {'bytes/step':>10} {'calls/step':>10} {'bytes/event':>11} {'calls/event':>11}"
        f" {'events':>7} {'growth of the tables':>27}"
    )
    for name, row in table.items():
        print(
            f"{name:20} {row['bytes_per_step']:10.1f} {row['calls_per_step']:10.2f} "
            f"{row['bytes_per_event']:11.1f} {row['calls_per_event']:11.2f} {row['events']:7} "
            f"{row['large_calls']:12.0f} calls, {row['large_bytes'] / 1e6:.1f} MB"
        )


def print_lcp(rows: list[dict[str, Any]]) -> None:
    heading("Complementarity problems of planar contacts, (6.35) with random data, Lemke")
    for row in rows:
        print(
            f"n = {row['n']:2}: {1e6 * row['cold']:7.1f} µs cold ({row['pivots']:.1f} pivots), "
            f"{1e6 * row['warm']:6.1f} µs from the solution; "
            f"{row['solved']} of {row['problems']} solved"
        )


def print_friction(rows: list[dict[str, Any]]) -> None:
    heading("Contacts with friction discs: towers of falling bodies, tolerance 1e-10, cold start")
    for row in rows:
        line = (
            f"{row['contacts']:3} contacts, n = {row['n']:3}: {1e6 * row['cold']:9.1f} µs cold, "
            f"{1e6 * row['warm']:8.1f} µs from the solution; {row['solved']} of {row['problems']}"
        )
        if row["siconos"]:
            faster = ", ".join(
                f"{name} {1e6 * s['time']:.0f} µs ({s['solved']})"
                for name, s in row["siconos"].items()
            )
            line += f"; {row['faster']:.1f} times faster than the best of Siconos: {faster}"
        print(line)


def print_lcp_comparison(rows: list[dict[str, Any]]) -> None:
    heading("Lemke against Siconos' lexicographic Lemke, loops without interpreter, cold starts")
    for row in rows:
        line = (
            f"n = {row['n']:3}  {row['family']:20} {1e6 * row['seconds']:10.2f} µs "
            f"({row['pivots']:5.1f} pivots, {row['solved']} of {row['problems']} solved)"
        )
        if row["siconos_seconds"] is not None:
            line += (
                f"   Siconos {1e6 * row['siconos_seconds']:10.2f} µs "
                f"({row['siconos_solved']} solved): ratio {row['faster']:5.2f}"
            )
        print(line)


def print_warm_starts(rows: list[dict[str, Any]]) -> None:
    heading("Warm starts: contacts with friction that turn once in some hundred steps")
    for row in rows:
        print(
            f"n = {row['n']:2}: {1e6 * row['cold']:6.2f} µs and {row['cold_pivots']:4.1f} pivots "
            f"cold, {1e6 * row['warm']:6.2f} µs and {row['warm_pivots']:4.2f} pivots warm; "
            f"{row['solved']} of {row['steps']} solved"
        )


def print_smooth_motion(rows: list[dict[str, Any]]) -> None:
    heading(f"Free motion of the toy, 1 s, at a relative error of {parts.TARGET:g}")
    reference = rows[0]["time_at_target"]
    for row in rows:
        print(
            f"{row['integrator']:26} {1e3 * row['time_at_target']:8.3f} ms  "
            f"{row['steps_at_target']:7.0f} steps  {row['time_at_target'] / reference:5.2f} times "
            f"the time of {rows[0]['integrator']}"
        )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="all benchmarks")
    parser.add_argument("--record", action="store_true", help=f"keep the numbers in {RECORDS}")
    parser.add_argument("--note", default="", help="what a reader of the numbers should know")
    given = parser.parse_args(arguments)
    begin = time.perf_counter()
    interpreter = siconos_process.find_interpreter()
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    results: dict[str, Any] = {
        "version": nsmb.__version__,
        "date": date,
        "commit": git("rev-parse", "HEAD"),
        "machine": describe_machine(interpreter),
        "note": given.note,
    }
    print_machine(results["machine"])
    with contextlib.ExitStack() as stack:
        siconos = None
        if interpreter is None:
            print(f"Comparison with Siconos {siconos_process.ADVICE}")
        else:
            siconos = stack.enter_context(siconos_process.SiconosProcess(interpreter))
        results["woodpecker"] = []
        for mu in (0.3, 0.9):
            results["woodpecker"].append(woodpecker.compare(mu, siconos, REPETITIONS))
            print_comparison(results["woodpecker"][-1])
    results["event_rate"] = woodpecker.event_rate()
    print_event_rate(results["event_rate"])
    results["allocations"] = allocations.measure()
    print_allocations(results["allocations"])
    results["lcp"] = parts.lcp_times(REPETITIONS)
    print_lcp(results["lcp"])
    results["friction"] = friction_siconos.compare(interpreter)
    print_friction(results["friction"])
    results["lcp_siconos"] = lcp_siconos.compare(interpreter)
    print_lcp_comparison(results["lcp_siconos"])
    results["lcp_warm"] = lcp_siconos.warm_starts(REPETITIONS)
    print_warm_starts(results["lcp_warm"])
    results["mcp"] = mcp.measure(interpreter)
    heading("Mixed complementarity problems: towers of blocks with friction, slowly changing")
    mcp.report(results["mcp"])
    results["mass_tower"] = mass_tower.measure()
    heading("Tower of masses on a shaking table: one decision of 3^n, Pfeiffer & Glocker 1.3")
    mass_tower.report(results["mass_tower"])
    results["forward_dynamics"] = forward_dynamics.measure()
    heading("Chains of bodies: accelerations and mass matrix, against Pinocchio")
    forward_dynamics.report(results["forward_dynamics"])
    results["polygon_search"] = polygon_search.measure()
    heading("Contacts of two polygons: tree of boxes beside all pairs of edges")
    polygon_search.report(results["polygon_search"])
    heading("The race: piles of spheres and a pyramid of boxes, step by step")
    results["piles"] = piles.measure()
    piles.report(results["piles"])
    results["machine"].update(piles.versions(results["piles"]["rows"]))
    results["stepping"] = stepping.measure(REPETITIONS)
    heading("A controller at 1 kHz: processor time of one turn")
    stepping.report(results["stepping"])
    results["orders"] = orders.measure(interpreter)
    heading("Time stepping: orders of the schemes, and the toy's period over the step")
    orders.report(results["orders"])
    results["scaling"] = scaling.measure()
    heading("Event-driven motion of n bodies: time, instructions and memory per event")
    scaling.report(results["scaling"])
    results["analysis"] = analysis.measure()
    heading("The laboratory of nonlinear dynamics: orbits, diagrams, monodromy matrices")
    analysis.report(results["analysis"])
    results["machines"] = machines.measure()
    heading("Machines of the book: processor time for a second of motion")
    machines.report(results["machines"])
    results["explorer"] = explorer.measure()
    heading("A slider of nsmb.explore is moved: processor time")
    explorer.report(results["explorer"])
    results["smooth_motion"] = parts.smooth_motion(REPETITIONS)
    print_smooth_motion(results["smooth_motion"])
    results["machine"]["load at the end"] = os.getloadavg()[0] if os.name == "posix" else None
    kept = [RESULTS, *([RECORDS / f"{nsmb.__version__}-{date}.json"] if given.record else [])]
    for path in kept:
        write(path, results)
    print(f"\n{time.perf_counter() - begin:.0f} s; all numbers in {', '.join(map(str, kept))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

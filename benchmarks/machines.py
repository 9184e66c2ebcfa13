"""Machines of the book: seconds of computing for a second of motion, two beside SciPy by hand."""

from __future__ import annotations

import time
from typing import Any

import machines_by_hand
import numpy as np

import nsmb
from nsmb.system import registry

ROOMS = ("nsmb.systems.gears.", "nsmb.systems.machines.")
REPETITIONS = 3
LONG = 5.0  # s of computing behind which one run has to do


def names() -> list[str]:
    """Systems in the folders of the machines that say how long a run of them tells something."""
    found = [name for room in ROOMS for name in registry.names(room)]
    return sorted(
        name for name in found if getattr(nsmb.systems, name).recommended.t_end is not None
    )


def per_second(name: str) -> dict[str, Any]:
    """Median of processor times of a run with its recommended end."""
    system = nsmb.systems.build(name)
    times: list[float] = []
    while len(times) < REPETITIONS and sum(times) < LONG:
        begin = time.process_time()
        sol = nsmb.simulate(system, throw=False)
        times.append(time.process_time() - begin)
    span = float(np.ptp(sol.t_span))
    return {
        "name": name,
        "status": sol.status,
        "span": span,
        "events": len(sol.events),
        "seconds": float(np.median(times)) / span,
    }


def measure() -> dict[str, Any]:
    by_hand = [machines_by_hand.clutch(), machines_by_hand.gearbox()]
    return {"machines": [per_second(name) for name in names()], "by_hand": by_hand}


def report(table: dict[str, Any]) -> None:
    print(
        f"{'':20} {'motion':>9} {'events':>7} {'per second':>10}   computing per second of motion"
    )
    for row in table["machines"]:
        slow = f"{row['seconds']:.3g} s"
        note = "" if row["seconds"] <= 1.0 else ", slower than the machine"
        print(
            f"{row['name']:20} {row['span']:7.3g} s {row['events']:7} "
            f"{row['events'] / row['span']:10.3g}   {slow:>10}  {row['status']}{note}"
        )
    for row in table["by_hand"]:
        ours = ", ".join(
            f"{name} {1e3 * seconds:.2g} ms ({row['scipy'] / seconds:.0f} times)"
            for name, seconds in row["nsmb"].items()
        )
        print(
            f"{row['name']}: SciPy's DOP853 with events by hand {1e3 * row['scipy']:.3g} ms; nsmb "
            f"{ours}; {row['events'][1]} and {row['events'][0]} events, {row['of']}: "
            f"{row['differ']:.1e} apart"
        )


if __name__ == "__main__":
    report(measure())

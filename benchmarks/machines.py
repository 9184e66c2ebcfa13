"""Machines of the book: time for a second of motion, two compared with SciPy programs."""

from __future__ import annotations

from typing import Any

import numpy as np

import nsmb
from benchmarks import machines_by_hand
from benchmarks.harness import benchmark, timed
from nsmb.system import registry

ROOMS = ("nsmb.systems.gears.", "nsmb.systems.machines.")
REPETITIONS = 3
LONG = 5.0  # s of computing time after which one run suffices


def names() -> list[str]:
    """Return the systems in the folders of machines that recommend an end time."""
    found = [name for room in ROOMS for name in registry.names(room)]
    return sorted(
        name for name in found if getattr(nsmb.systems, name).recommended.t_end is not None
    )


def per_second(name: str) -> dict[str, Any]:
    """Measure the processor time of a run to its recommended end."""
    system = nsmb.systems.build(name)
    sol, seconds = timed(lambda: nsmb.simulate(system, throw=False), REPETITIONS, enough=LONG)
    span = float(np.ptp(sol.t_span))
    return {
        "name": name,
        "status": sol.status,
        "span": span,
        "events": len(sol.events),
        "seconds": seconds / span,
    }


@benchmark("machines", "Machines of the book: processor time for a second of motion")
def measure(only: tuple[str, ...] = ()) -> dict[str, Any]:
    by_hand = [machines_by_hand.clutch(), machines_by_hand.gearbox()]
    return {"machines": [per_second(name) for name in only or names()], "by_hand": by_hand}

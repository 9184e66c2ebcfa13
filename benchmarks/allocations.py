"""Heap allocations of the core after warm-up, counted under a preloaded ``malloc``.

To print their origins (see ``count_malloc.c``) as backtraces on standard error:

    python benchmarks/run.py allocations "cases=toy, linear_flow" trace=True
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from benchmarks.harness import benchmark, under_malloc
from benchmarks.peer import serve


def tower() -> nsmb.System:
    return nsmb.systems.mass_tower(n=10)


def puck() -> nsmb.System:
    """Build a unit mass on an incline that shakes in both directions: it sticks and slips."""
    floor = nsmb.Contact(w_N=[0, 0, 1], w_T=[[1, 0], [0, 1], [0, 0]], law=nsmb.ContactLaw(mu=0.5))
    omega = 20.0 * np.pi
    shaking = [nsmb.Harmonic([4, 0, 0], omega), nsmb.Harmonic([0, 3, 0], 1.3 * omega)]
    force = nsmb.Force(constant=[3.0, 0.0, -9.5], harmonics=shaking)
    return nsmb.LinearSystem(np.eye(3), force=force, contacts=[floor])


def sledge() -> nsmb.System:
    """Build a linearised body on three feet on that incline: 9 contact rows, 6 coordinates."""
    height, law = 0.1, nsmb.ContactLaw(mu=0.5)
    feet = [
        nsmb.Contact(
            w_N=[0, 0, 1, b, -a, 0],
            w_T=np.array([[1, 0, 0, 0, -height, -b], [0, 1, 0, height, 0, a]]).T,
            law=law,
        )
        for a, b in ((0.5, 0.0), (-0.3, 0.4), (-0.2, -0.4))
    ]
    omega = 20.0 * np.pi
    shaking = [
        nsmb.Harmonic([4, 0, 0, 0, 0, 0.2], omega),
        nsmb.Harmonic([0, 3, 0, 0, 0, 0.2], 1.3 * omega),
    ]
    force = nsmb.Force(constant=[3.0, 0.0, -9.5, 0.0, 0.0, 0.0], harmonics=shaking)
    M = np.diag([1.0, 1.0, 1.0, 0.1, 0.1, 0.15])
    return nsmb.LinearSystem(M, force=force, contacts=feet)


def buffers() -> nsmb.System:
    """Build a driven mass with friction between a relaxing and an elastic wall."""
    return nsmb.LinearSystem(
        np.eye(1),
        force=nsmb.Force(harmonics=[nsmb.Harmonic([20.0], 20.0)]),
        contacts=[nsmb.Friction(w_T=[1.0], bound=2.0)],
        elements=[
            nsmb.ForceElement(w=[1.0], law=nsmb.GapForce(2000.0, 20.0), gap=0.01),
            nsmb.ForceElement(w=[-1.0], law=nsmb.GapForce(3000.0, law="elastic_gap"), gap=0.01),
        ],
    )


@dataclass(frozen=True)
class Case:
    build: Callable[[], nsmb.System]
    integrator: str
    rtol: float = 1e-10
    warm_up: int = 4200
    """Number of events after which the toy is on its limit cycle."""
    motion: float = 20.0
    """Time after the warm-up that is counted, s."""


CASES = {
    "toy, linear_flow": Case(nsmb.systems.woodpecker, "linear_flow"),
    "toy, dp853": Case(nsmb.systems.woodpecker, "dp853"),
    "toy, fehlberg78": Case(nsmb.systems.woodpecker, "arkode_fehlberg78"),
    "tower, linear_flow": Case(tower, "linear_flow"),
    "puck, dp853": Case(puck, "dp853", 1e-5, 2100),
    "sledge, dp853": Case(sledge, "dp853", 1e-6, 700, 10.0),
    "buffers, dp853": Case(buffers, "dp853", 1e-10, 2100),
}


@benchmark("allocations", "Heap allocations in the core after warm-up")
def measure(cases: tuple[str, ...] = tuple(CASES), trace: bool = False) -> dict[str, Any] | None:
    """Return the result of `count` for each case, None if it cannot be counted."""
    with under_malloc("allocations") as counting:
        if counting is None:
            return None
        return {case: counting.run(case=case, trace=trace) for case in cases}


def simulator_after_warm_up(case: Case) -> Any:
    options = nsmb.EventDriven(
        impact_law="poisson", integrator=case.integrator, rtol=case.rtol, dense_output=False
    )
    core = nsmb.Simulator(case.build(), options, output_step=0.0)._core
    while core.statistics["events"] < case.warm_up:
        if core.advance(core.t + 2.0) != "finished":
            raise RuntimeError(core.message)
    return core


def count(case: str, trace: bool) -> dict[str, Any]:
    """Count allocations in a run after the warm-up, and print their origins with `trace`.

    The tables of events and samples grow with the run, by doubling. After the warm-up each of their
    columns has more than 2048 entries, so that a growing column is a block of at least 4096 bytes.
    The blocks that steps and events need are smaller.
    """
    library = ctypes.CDLL(None)

    def counts() -> NDArray[np.int64]:
        numbers = (ctypes.c_long * 4)()
        library.malloc_counts(numbers)
        return np.array(numbers[:])

    core = simulator_after_warm_up(CASES[case])
    before = core.statistics
    start = counts()
    core.advance(core.t)  # no motion: allocations of the call itself
    still = counts()
    if trace:
        library.start_trace()
    core.advance(core.t + CASES[case].motion)
    library.stop_trace()
    calls, size, large_calls, large_bytes = (counts() - still) - (still - start)
    after = core.statistics
    steps = after["steps"] - before["steps"]
    events = after["events"] - before["events"]
    return {
        "status": core.status,
        "steps": steps,
        "events": events,
        "calls": int(calls),
        "calls_per_step": calls / steps,
        "bytes_per_step": size / steps,
        "calls_per_event": calls / events,
        "bytes_per_event": size / events,
        "large_calls": int(large_calls),
        "large_bytes": int(large_bytes),
    }


if __name__ == "__main__":
    serve(count)
